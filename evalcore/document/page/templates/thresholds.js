"use strict";

const MOST_SPOKEN = 3;  // models: more take too long to hear

/** What a model decides at a position: counts, or sums of weights, and fractions of them, NaN where there is nothing to divide. */
function decisionsAt(data, model, position, costs) {
  const tp = model.tp[position], fp = model.fp[position];
  const fn = data.positives - tp, tn = data.negatives - fp, cases = data.positives + data.negatives;
  return {
    threshold: data.shared ? data.positions[position] : model.thresholds[position],
    flagged: tp + fp, fraction: (tp + fp) / cases, tp, fn, fp, tn,
    precision: tp / (tp + fp), recall: tp / (tp + fn), falsePositiveRate: fp / (fp + tn),
    expectedCost: (costs.falsePositive * fp + costs.falseNegative * fn) / cases,
  };
}

/** Rounds a number, one halfway between two to the even digit, as the tables of the page do. */
function rounded(value, decimals) {
  const more = 20, digits = value.toFixed(decimals + more);
  const kept = digits.slice(0, -more).replace(/\.$/, "");
  return /^50*$/.test(digits.slice(-more)) && /[02468]$/.test(kept) ? kept : value.toFixed(decimals);
}

function withSeparators(value, decimals) {
  const [whole, ...rest] = rounded(value, decimals).split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...rest].join(".");
}

/** The power of ten of a number that is rounded to some decimals after its first digit. */
const exponentOf = (value, decimals) => Number(value.toExponential(decimals).split("e")[1]);

/** A number with three decimals, a small one with two significant digits, as the tables of the page show it. */
function shortNumber(value) {
  if (!Number.isFinite(value)) return "\u2013";
  if (value >= 0.9995 && value < 1.0005 && value !== 1) return value < 1 ? ">0.999" : ">1.000";
  if (value >= 1e9) return value.toExponential(2).replace(/e([+-])(\d)$/, "e$10$2");
  if (value >= 9.9995) return withSeparators(value, Math.max(2 - exponentOf(value, 2), 0));
  if (value >= 0.01 || value === 0) return rounded(value, 3);
  if (value < 1e-5) return value.toExponential(1).replace(/e([+-])(\d)$/, "e$10$2");
  return rounded(value, Math.max(1 - exponentOf(value, 1), 3));
}

/** A number of cases, or the sum of their weights: a whole one in full, any other with four significant digits. */
function asAmount(value) {
  if (Number.isInteger(value)) return withSeparators(value, 0);
  const text = withSeparators(value, Math.max(3 - exponentOf(value, 3), 0));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A fraction in percent; one that is almost 1 or almost 0 is never shown as 100% or 0%. */
function asPercent(fraction) {
  const text = `${rounded(100 * fraction, 1)}%`;
  if (fraction > 0 && text === "0.0%") return "<0.1%";
  return fraction < 1 && text === "100.0%" ? ">99.9%" : text;
}

/** The texts of a row, in the order of its cells. */
function textsOf(decisions) {
  const rates = [decisions.precision, decisions.recall, decisions.falsePositiveRate].map(shortNumber);
  return [decisions.threshold, ...rates, asPercent(decisions.fraction), shortNumber(decisions.expectedCost)];
}

/** Where data lie in a chart: [left, top, width, height, x0, x1, y0, y1] of its axes. */
function spot(axes, x, y) {
  const [left, top, width, height, x0, x1, y0, y1] = axes.dataset.frame.split(" ").map(Number);
  return [left + (width * (x - x0)) / (x1 - x0), top + height * (1 - (y - y0) / (y1 - y0))];
}

/** Moves what charts show of a model's threshold: its dots on the curves, and its lines across the scores. */
function moveMarks(page, colour, decisions) {
  const dots = { roc: [decisions.falsePositiveRate, decisions.recall], pr: [decisions.recall, decisions.precision] };
  for (const [name, [x, y]] of Object.entries(dots)) {
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
  const labels = [[decisions.tp, decisions.fn], [decisions.fp, decisions.tn]];
  block.querySelectorAll("tbody tr").forEach((row, label) => row.querySelectorAll("td").forEach((cell, index) => {
    const part = document.createElement("small"), amount = labels[label][index];
    part.textContent = asPercent(amount / (labels[label][0] + labels[label][1]));
    cell.removeAttribute("title");
    cell.replaceChildren(asAmount(amount), " ", part);
  }));
}

/** What the decisions are, as a sentence. */
function sentenceOf(name, decisions) {
  return `At threshold ${decisions.threshold}, ${name} flags ${asPercent(decisions.fraction)} of the cases (${asAmount(decisions.flagged)}): ` +
    `precision ${shortNumber(decisions.precision)}, recall ${shortNumber(decisions.recall)}.`;
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
      const fractions = model.tp.map((tp, position) => (tp + model.fp[position]) / (data.positives + data.negatives));
      inputs[index].value = how === "threshold" ? nearest(thresholdsOf(model), Number(threshold)) : nearest(fractions, fraction);
    });
  }

  function show() {
    const costs = { falsePositive: cost("false-positive"), falseNegative: cost("false-negative") };
    const spoken = rows.map((row, index) => {
      const decisions = at(index, costs), name = row.cells[0].textContent.trim();
      const sentence = sentenceOf(name, decisions);
      textsOf(decisions).forEach((content, cell) => { row.cells[cell + 2].textContent = content; });
      inputs[index].setAttribute("aria-valuetext", decisions.threshold);
      fillMatrix(blocks[index], decisions);
      blocks[index].querySelector("p span:last-child").textContent = sentence;
      moveMarks(page, data.models[index].colour, decisions);
      return `${sentence} Expected cost ${shortNumber(decisions.expectedCost)}.`;
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
