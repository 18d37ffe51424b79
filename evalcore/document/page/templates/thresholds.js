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

/** The power of ten of a number that is rounded to so many decimals of its first digit. */
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
  const counts = [decisions.flagged, decisions.tp, decisions.fn, decisions.fp, decisions.tn];
  const rates = [decisions.falsePositiveRate, decisions.expectedCost];
  return [
    shortNumber(decisions.precision), shortNumber(decisions.recall), asPercent(decisions.fraction),
    ...rates.map(shortNumber), ...counts.map(asAmount),
    decisions.threshold,
  ];
}

function startSlider(page) {
  const slider = page.getElementById("slider");
  if (!slider) return;
  const element = (name) => page.getElementById(`slider-${name}`);
  const data = JSON.parse(element("data").textContent);
  const rows = [...slider.querySelectorAll("tbody tr")];
  const input = element("position");
  const cost = (name) => (element(name).validity.valid ? element(name).valueAsNumber : NaN);

  function show() {
    const position = Number(input.value), text = data.positions[position];
    const costs = { falsePositive: cost("false-positive"), falseNegative: cost("false-negative") };
    const spoken = rows.map((row, index) => {
      const decisions = decisionsAt(data, data.models[index], position, costs);
      textsOf(decisions).forEach((content, cell) => { row.cells[cell + 1].textContent = content; });
      return `${row.cells[0].textContent}: ${asAmount(decisions.flagged)} flagged, precision ${shortNumber(decisions.precision)}, ` +
        `recall ${shortNumber(decisions.recall)}, expected cost ${shortNumber(decisions.expectedCost)}`;
    });
    element("text").textContent = text;
    input.setAttribute("aria-valuetext", text);
    element("spoken").textContent = spoken.slice(0, MOST_SPOKEN).join(". ");
  }

  slider.addEventListener("input", show);
  slider.hidden = false;
  show();
}

if (typeof document !== "undefined") startSlider(document);
