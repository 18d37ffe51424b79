"use strict";

const MOST_SPOKEN = 3;  // models: more take too long to hear
const DIGITS = { minimumSignificantDigits: 3, maximumSignificantDigits: 3, maximumFractionDigits: 0, roundingPriority: "morePrecision" };
const COSTS = new Intl.NumberFormat("en", DIGITS);  // 0.0123, and 41,254 in full

/** What a model decides at a position: numbers, NaN where there is nothing to divide, and the texts of the page. */
function decisionsAt(data, model, position, costs) {
  const tp = model.tp[position], fp = model.fp[position], { positives, negatives } = model, cases = positives + negatives;
  const [precision, recall, falsePositiveRate, fraction, ...amounts] = model.texts[position].split("|");
  const cost = (costs.falsePositive * fp + costs.falseNegative * (positives - tp)) / cases;
  const threshold = data.shared ? data.positions[position] : model.thresholds[position];
  return {
    threshold, amounts, fraction: (tp + fp) / cases,
    dots: { roc: [fp / negatives, tp / positives], pr: [tp / positives, tp / (tp + fp)] },
    row: [threshold, precision, recall, falsePositiveRate, fraction, Number.isFinite(cost) ? COSTS.format(cost) : "\u2013"],
    said: `flags ${fraction} of the cases (${amounts[0]}): precision ${precision}, recall ${recall}.`,
  };
}

/** Where data lie in a chart: [left, top, width, height, x0, x1, y0, y1] of its axes. */
function spot(axes, x, y) {
  const [left, top, width, height, x0, x1, y0, y1] = axes.dataset.frame.split(" ").map(Number);
  return [left + (width * (x - x0)) / (x1 - x0), top + height * (1 - (y - y0) / (y1 - y0))];
}

/** Moves what charts show of a model's threshold: its dots on the curves, and its lines across the scores. */
function moveMarks(page, colour, decisions) {
  for (const [name, [x, y]] of Object.entries(decisions.dots)) {
    for (const dot of page.querySelectorAll(`[data-mark="dot-${name}-${colour}"] use`)) {
      const [left, top] = spot(dot.closest("[data-frame]"), x, y);
      dot.setAttribute("visibility", Number.isFinite(left + top) ? "visible" : "hidden");
      if (Number.isFinite(left + top)) [["x", left], ["y", top]].forEach((each) => dot.setAttribute(...each));
    }
  }
  for (const line of page.querySelectorAll(`[data-mark^="line-threshold-${colour}"]`)) {
    if (line.dataset.mark.split("-")[2] !== String(colour)) continue;
    const path = line.querySelector("path"), [left] = spot(line.closest("[data-frame]"), Number(decisions.threshold), 0);
    line.setAttribute("visibility", Number.isFinite(left) ? "visible" : "hidden");
    if (Number.isFinite(left)) path.setAttribute("transform", `translate(${left - Number(path.getAttribute("d").split(" ")[1])} 0)`);
  }
}

/** Shows the decisions in the model's confusion matrix, with the fractions of each label. */
function fillMatrix(block, decisions) {
  block.querySelectorAll("tbody td").forEach((cell, index) => {
    const part = document.createElement("small");
    part.textContent = decisions.amounts[index + 5];
    cell.removeAttribute("title");
    cell.replaceChildren(decisions.amounts[index + 1], " ", part);
  });
}

/** The position whose value is nearest, the first of equal ones. */
function nearest(values, wanted) {
  const distances = values.map((value) => Math.abs(value - wanted));
  return distances.indexOf(Math.min(...distances));
}

/** Takes back what a heading and captions say of the thresholds that the page was written with. */
function leaveGiven(page) {
  for (const each of page.querySelectorAll("[data-moved]")) each.textContent = each.dataset.moved;
}

function startSlider(page) {
  const slider = page.getElementById("slider");
  if (!slider) return;
  const element = (name) => page.getElementById(`slider-${name}`);
  const data = JSON.parse(element("data").textContent);
  const rows = [...slider.querySelectorAll("tbody tr")], inputs = rows.map((row) => row.querySelector("input"));
  const blocks = page.querySelectorAll(".matrices > div"), together = element("together");
  const thresholdsOf = (model) => (data.shared ? data.positions : model.thresholds).map(Number);
  const cost = (name) => (element(name).validity.valid ? element(name).valueAsNumber : NaN);
  const at = (index, costs = {}) => decisionsAt(data, data.models[index], Number(inputs[index].value), costs);

  /** Lets the other models follow one: to its threshold, or to the fraction of cases that it flags. */
  function follow(moved) {
    const { threshold, fraction } = at(moved), how = together ? together.value : "alone";
    data.models.forEach((model, index) => {
      if (index === moved || how === "alone") return;
      const fractions = model.tp.map((tp, position) => (tp + model.fp[position]) / (model.positives + model.negatives));
      inputs[index].value = how === "threshold" ? nearest(thresholdsOf(model), Number(threshold)) : nearest(fractions, fraction);
    });
  }

  function show() {
    const costs = { falsePositive: cost("false-positive"), falseNegative: cost("false-negative") };
    const spoken = rows.map((row, index) => {
      const decisions = at(index, costs), name = row.cells[0].textContent.trim();
      const sentence = `At threshold ${decisions.threshold}, ${name} ${decisions.said}`;
      decisions.row.forEach((content, cell) => { row.cells[cell + 2].textContent = content; });
      inputs[index].setAttribute("aria-valuetext", decisions.threshold);
      fillMatrix(blocks[index], decisions);
      blocks[index].querySelector("p span:last-child").textContent = sentence;
      moveMarks(page, data.models[index].colour, decisions);
      return `${sentence} Expected cost ${decisions.row.at(-1)}.`;
    });
    element("spoken").textContent = spoken.slice(0, MOST_SPOKEN).join(" ");
  }

  /** Takes thresholds from the address, such as #t=0.3 or #t=0.3,0.25; false where it has none. */
  function fromAddress() {
    const found = /^#t=([-+.,\deE]+)$/.exec(page.location.hash), wanted = found ? found[1].split(",").map(Number) : [];
    if (!wanted.length || wanted.some(Number.isNaN)) return false;
    leaveGiven(page);
    if (together && new Set(wanted).size > 1) together.value = "alone";
    inputs.forEach((input, index) => {
      input.value = nearest(thresholdsOf(data.models[index]), wanted[Math.min(index, wanted.length - 1)]);
    });
    return true;
  }

  function toAddress() {
    const found = inputs.map((_, index) => at(index).threshold), alike = found.every((each) => each === found[0]);
    page.defaultView.history.replaceState(null, "", `#t=${alike ? found[0] : found.join(",")}`);
  }

  slider.addEventListener("input", (event) => {
    const moved = inputs.indexOf(event.target);
    if (moved >= 0 || event.target === together) {
      leaveGiven(page);
      follow(Math.max(moved, 0));
      toAddress();
    }
    show();
  });
  page.defaultView.addEventListener("hashchange", () => { if (fromAddress()) show(); });
  slider.hidden = false;
  if (fromAddress()) slider.scrollIntoView();
  show();
}

if (typeof document !== "undefined") startSlider(document);
