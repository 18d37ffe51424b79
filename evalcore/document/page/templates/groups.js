{
  const NAMES = new Intl.Collator("en", { numeric: true });

  /** The full value of a cell of a number: its title if it has one. */
  const valueOf = (cell) => Number.parseFloat((cell.title || cell.textContent).replace(/[<>,]/g, ""));

  /** Compares cells of a column; cells without a number come last whichever way. */
  function order(column, descending) {
    const sign = descending ? -1 : 1;
    return (first, second) => {
      const [one, other] = [first.cells[column], second.cells[column]];
      if (column === 0) return sign * NAMES.compare(one.textContent, other.textContent);
      const [a, b] = [valueOf(one), valueOf(other)];
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return sign * (a - b);
    };
  }

  /** Sorts the rows of a table by the column of a head; the last row, the total, stays. */
  function sortBy(head) {
    const descending = head.ariaSort ? head.ariaSort === "ascending" : head.cellIndex > 0;
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = head.closest("table").tBodies[0];
    const rows = [...body.rows], total = rows.pop();
    body.append(...rows.sort(order(head.cellIndex, descending)), total);
  }

  const table = document.querySelector("#groups table");
  for (const head of table ? table.tHead.rows[0].cells : []) {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(head));
    head.append(button);
  }
}
