{
  const NAMES = new Intl.Collator("en", { numeric: true });

  /** The full texts of a cell: of a number its value and, where it has an interval, both bounds. */
  const fullTexts = (cell) => {
    const text = cell.firstChild ? cell.firstChild.textContent.trim() : "";
    return cell.title ? cell.title.split(/, | → | to (?=[-\d])/) : [/^\d{1,3}(,\d{3})+$/.test(text) ? text.replaceAll(",", "") : text];
  };

  /** Compares rows by the cells of a column; cells without a number come last whichever way. */
  function order(column, descending) {
    const sign = descending ? -1 : 1;
    return (first, second) => {
      const [one, other] = [first.cells[column], second.cells[column]];
      if (one.tagName === "TH") return sign * NAMES.compare(one.textContent, other.textContent);
      const [a, b] = [one, other].map((cell) => Number.parseFloat(fullTexts(cell)[0].replace(/[<>,\s]/g, "")));
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return sign * (a - b);
    };
  }

  /** Sorts the rows of a table by the column of a head; a marked row, the total, stays. */
  function sortBy(head) {
    const descending = head.ariaSort ? head.ariaSort === "ascending" : head.cellIndex > 0;
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = head.closest("table").tBodies[0];
    const rows = [...body.rows].filter((row) => row.className !== "marked");
    body.prepend(...rows.sort(order(head.cellIndex, descending)));
  }

  for (const head of document.querySelectorAll(".sortable thead th")) {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(head));
    head.append(button);
  }

  /** The rows of a table with all digits; of columns with intervals the bounds have columns of their own. */
  function rowsOf(table) {
    const rows = [...table.rows].map((row) => [...row.cells].map((cell) => (cell.matches("td:not(.text)") ? fullTexts(cell) : [cell.textContent.trim()])));
    const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
    const parts = (title) => (title.includes(" → ") ? title.split(" → ") : [title, `${title}, low`, `${title}, high`]);
    const titles = rows[0].map(([title], column) => parts(title).slice(0, widths[column]));
    const padded = rows.slice(1).map((row) => row.flatMap((texts, column) => [...texts, ...Array(widths[column] - texts.length).fill("")]));
    return [titles.flat(), ...padded];
  }

  /** A text that spreadsheets do not run as a formula: numbers stay as they are. */
  const inert = (text) => (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);

  const FORMATS = {
    CSV: (rows) => rows.map((row) => row.map(inert).map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(",")).join("\n"),
    Markdown: (rows) => {
      const lines = rows.map((row) => `| ${row.map((text) => text.replace(/[\\|`*_<>[\]]/g, "\\$&").replaceAll("\n", " ")).join(" | ")} |`);
      return [lines[0], `|${" --- |".repeat(rows[0].length)}`, ...lines.slice(1)].join("\n");
    },
  };

  /** Copies a text; without the clipboard's interface, as from a field that is selected. */
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = document.createElement("textarea");
      field.value = text;
      document.body.append(field);
      field.select();
      const done = document.execCommand("copy");
      field.remove();
      if (!done) throw new Error("nothing was copied");
    }
  }

  /** Returns a box that hides the rows of a table without the text that is typed into it. */
  function filterOf(table, title) {
    const [box, label, input, found] = ["p", "label", "input", "output"].map((name) => document.createElement(name));
    box.className = "filter";
    input.type = "search";
    input.setAttribute("aria-label", `Rows with: ${title}`);
    input.addEventListener("input", () => {
      const rows = [...table.tBodies[0].rows], typed = input.value.toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(typed);
      found.textContent = typed && `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
    });
    label.append("Rows with ", input);
    box.append(label, found);
    return box;
  }

  for (const region of document.querySelectorAll(".wide")) {
    const table = region.querySelector("table"), tools = document.createElement("p");
    tools.className = "tools";
    if (table.querySelector(".text")) region.before(filterOf(table, region.getAttribute("aria-label")));
    if (table.tHead.closest(".slider") || table.rows.length < 2) continue;
    for (const [name, write] of Object.entries(FORMATS)) {
      const button = document.createElement("button");
      const say = (text, label) => { button.textContent = text; button.setAttribute("aria-label", label); };
      const offer = () => say(`Copy ${name}`, `Copy ${region.getAttribute("aria-label")} as ${name}`);
      offer();
      button.addEventListener("click", async () => {
        const done = await copy(write(rowsOf(table))).then(() => "Copied", () => "Not copied");
        say(done, done);
        setTimeout(offer, 1500);
      });
      tools.append(button);
    }
    region.after(tools);
  }
}
