"""Differences of measures of predicted classes, from the combinations that occur, and of scores of each class."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace as replaced
from typing import Any, NamedTuple

import numpy as np

from evalcore.errors import EvaluationError, check, did_you_mean
from evalcore.evaluation import measure_choice
from evalcore.evaluation.cases import PairedClasses
from evalcore.evaluation.catalogue import DEPTH, ENTRIES, WILSON, MeasureName, entry_of
from evalcore.evaluation.differences import Measured
from evalcore.evaluation.measure_choice import OF_ALL_CLASSES, OF_EACH_CLASS, is_of_scored_classes, parse_compared
from evalcore.evaluation.model import Columns
from evalcore.evaluation.options import ANALYTIC, option
from evalcore.evaluation.question import Question
from evalcore.evaluation.score_differences import area_method_of, compare_resampled, compared_means, compared_rankings
from evalcore.evaluation.statistics import classes as of_classes
from evalcore.evaluation.statistics.groups import GroupedRows
from evalcore.evaluation.statistics.tallies import Asked, ClassTables, Tally, measure_intervals, occurring_cells
from evalcore.evaluation.wording import listed
from evalcore.inference import Interval, decisions
from evalcore.inference.bootstrap import draw_units, generators, measure_resamples, without_warnings
from evalcore.inference.cells import Cells, cells_of_sums, with_unseen_pairs
from evalcore.inference.intervals import Comparison, Comparisons, compare_normal
from evalcore.inference.ranked_samples import AREA
from evalcore.inference.rankings import averages_of_areas
from evalcore.inference.units import Spread, mean_sample, unbiasing, units_of
from evalcore.kernels.sums import ratio
from evalcore.kernels.tables import BinaryCounts, binary_codes
from evalcore.kernels.weights import WeightSums
from evalcore.measures.multiclass import accuracy_derivatives, decision_measure, one_versus_all
from evalcore.typing import AnyArray, FloatArray, IntArray
from evalcore.validation.labels import encode_labels
from evalcore.validation.scores import rows_of_probabilities

_ROUNDING = 1e-12
"""Differences that are equal but for rounding are equally large."""


class JointCells(NamedTuple):
    """Cases of the m combinations of a label and two predictions that occur, shape (m,) each."""

    classes: Mapping[str, int]
    """By the name of each of the k classes that occur, its code."""
    labels: IntArray
    old: IntArray
    new: IntArray
    tally: Tally
    clusters: IntArray | None = None
    """The cluster of the cases of each cell, from 0 on; None where each is its own."""

    def spread(self, names: Collection[str]) -> dict[str, Spread]:
        """Return how differences of measures of each class vary, (1, k), or of all classes, (1,).

        names: of `OF_ALL_CLASSES` or `OF_EACH_CLASS`.  NaN where a measure of a class is not defined.  O(m + k²), with
        clusters O(m log m).
        """
        tables, found, cases = self.tables(self.tally.counts), {}, self.tally.sums.cases
        factors = 1.0 if self.clusters is not None else unbiasing(cases.sum(keepdims=True))  # clusters have theirs
        joint = self._cells(np.arange(cases.size), (1, cases.size))
        joint = replaced(joint, axes=(self.labels, self.old, self.new))
        models = self.of_new(), self._replace(new=self.old).of_new()
        each = joint if set(OF_EACH_CLASS).isdisjoint(names) else self._of_each_class()
        whole = each if each is joint else self._with_rest(each)
        for name in names:
            derivatives = ENTRIES[name].derivatives
            assert derivatives is not None

            def difference(tables: FloatArray, name: str = name) -> FloatArray:
                new, old = (decision_measure(name, tables.sum(axis=axis)) for axis in (2, 3))
                return new - old

            if name in OF_EACH_CLASS:
                new, old = (derivatives(each.sums.sums.sum(axis=axis)) for axis in (2, 3))
                own = each.spread(new[:, :, np.newaxis] - old[..., np.newaxis], difference)
                own = own._replace(variances=own.variances * factors)
                found[name] = decisions.with_unseen_decisions(own, whole, new, old).at(np.newaxis)
            else:
                new, old = (own[np.newaxis] for own in derivatives(tables))
                own = joint.spread(new[:, self.labels, self.new] - old[:, self.labels, self.old])
                own = own._replace(variances=own.variances * factors)
                found[name] = with_unseen_pairs(own, *zip(models, (new, old), strict=True))
        return found

    def _of_each_class(self) -> Cells:
        """Return cells by class, and whether it is the label, the old and the new prediction: (k, 2, 2, 2).

        Those that are none of the three are left out.
        """
        columns = np.stack([self.labels, self.old, self.new], dtype=np.int32)
        of_label, of_old = columns != columns[0], columns != columns[1]
        first = np.stack([~of_label[0], of_label[1], of_label[2] & of_old[2]])  # a class counts once
        codes = 8 * columns
        for bit, other in ((4, of_label), (2, of_old), (1, columns != columns[2])):
            codes += np.multiply(other, bit, dtype=np.int8)
        codes, cells = codes[first], np.flatnonzero(first) % self.labels.size
        return self._cells(codes, (len(self.classes), 2, 2, 2), cells)

    def _with_rest(self, cells: Cells) -> Cells:
        """Return the same with the cases that are none of the three, which unseen cases may resemble.

        O(m + k), with clusters O(m log m).
        """
        rest = [column.sum() - own.sum(axis=(1, 2, 3)) for column, own in zip(self.tally.sums, cells.sums, strict=True)]
        columns = [own.astype(np.float64) for own in cells.sums]
        for column, left in zip(columns, rest, strict=True):
            column[:, 1, 1, 1] = np.where(rest[2] > 0, left, 0.0)  # sums of none may be rounded
        sums = WeightSums(*columns)
        if self.clusters is None:
            return cells_of_sums(sums)
        # what clusters hold of a class, and of all others, of which the rows of the class have few
        k, of_cases = len(self.classes), self.tally.sums
        pairs, codes = encode_labels(self.clusters * k + self.labels)
        clusters, labels = np.divmod(pairs, k)
        own, held = np.bincount(codes, of_cases.sums), np.bincount(self.clusters, of_cases.sums)
        every, cases = held[clusters], np.bincount(self.labels, of_cases.cases, k)
        parts = own, np.square(own), np.square(every - own) - np.square(every)
        amounts, squares, changes = (np.bincount(labels, part, k) for part in parts)
        of_others = np.where(cases < cases.sum(), np.square(held).sum() + changes, np.nan)
        heavy = np.asarray(ratio([squares, of_others], [amounts, held.sum() - amounts])).T
        return replaced(cells, sums=sums, heavy=heavy)

    def _cells(self, codes: AnyArray, shape: tuple[int, ...], cells: IntArray | slice = slice(None)) -> Cells:
        """Return tables of some cells, (g, ...), with what is drawn beside them; codes: their places there, (c,)."""
        count, size = shape[0], math.prod(shape)
        columns = (np.bincount(codes, column[cells], size).astype(np.float64) for column in self.tally.sums)
        sums = WeightSums(*(column.reshape(shape) for column in columns))
        if self.clusters is None:
            return cells_of_sums(sums)
        weights, groups = self.tally.sums.sums[cells], None if count == 1 else codes // (size // count)
        units = units_of(codes.size, weights=weights, clusters=self.clusters[cells], groups=groups, count=count)
        units = units._replace(sizes=np.full(count, float(self.number)))  # also those without cases of a class
        return Cells(sums, counted=False, units=units, codes=codes)

    def of_new(self, category: str | None = None) -> Cells:
        """Return the cells of the new model, (1, k, k), or of a class against the rest, (1, 2, 2).  O(m + k²)."""
        k = len(self.classes)
        if category is None:
            return self._cells(self.labels * k + self.new, (1, k, k))
        code = self.classes[category]
        return self._cells(binary_codes(self.labels == code, self.new == code), (1, 2, 2))

    @property
    def number(self) -> int:
        """Number of clusters.  O(m)."""
        assert self.clusters is not None
        return int(self.clusters.max(initial=-1)) + 1

    def units(self) -> tuple[IntArray, IntArray, AnyArray]:
        """Return what is drawn or swapped as a whole: clusters, or the cases of a cell, all of one weight.  O(m).

        These are the unit of each cell, (m,), how many units like each there are, (u,), and what one adds to a cell,
        (m,).
        """
        amounts, cases = self.tally.counts, self.tally.cases
        if self.clusters is not None:
            return self.clusters, np.ones(self.number, np.int64), amounts
        each = np.ones(cases.size, np.int64) if self.tally.weights is None else np.asarray(ratio(amounts, cases))
        return np.arange(cases.size), cases, each

    def tables(self, amounts: AnyArray, swapped: AnyArray | None = None) -> AnyArray:
        """Return the tables of both models, the new one first, (2, k, k), from what cells hold, (m,).  O(m + k²).

        swapped: what further cases of the cells hold whose models are swapped.  Counts give int64.
        """
        k, models = len(self.classes), [[(self.new, amounts)], [(self.old, amounts)]]
        if swapped is not None:
            models = [[*models[0], (self.old, swapped)], [*models[1], (self.new, swapped)]]
        tables = [sum(np.bincount(self.labels * k + codes, own, k * k) for codes, own in parts) for parts in models]
        return np.array(tables).astype(amounts.dtype).reshape(2, k, k)


def cells_by_group(
    cases: PairedClasses, model: str, groups: GroupedRows, *, weights_apart: bool = False
) -> dict[str, JointCells]:
    """Count the cases of a new model and the old one in each group, by its name.

    weights_apart: whether cases of a cell must have the same weight.  A group of no cases does not occur.  O(n), with
    groups or many combinations O(n log n).
    """
    apart = [np.broadcast_to(groups.codes, cases.labels.size)]
    if cases.clusters is not None:
        apart.append(cases.clusters)
    if weights_apart and cases.weights.values is not None and cases.weights.frequencies is None:
        apart.append(encode_labels(cases.weights.values)[1])
    classes = [cases.labels, cases.predicted[cases.old], cases.predicted[model]]
    found, tally = occurring_cells([*apart, *classes], cases.weights)
    edges = found[0].searchsorted(np.arange(groups.count + 1))

    def of_group(index: int) -> JointCells:
        chosen = slice(edges[index], edges[index + 1])
        occurring, codes = encode_labels(np.concatenate([column[chosen] for column in found[-3:]]))
        names = {str(cases.categories[code]): own for own, code in enumerate(occurring.tolist())}
        clusters = None if cases.clusters is None else encode_labels(found[1][chosen])[1]
        labels, old, new = np.split(codes, 3)
        return JointCells(names, labels, old, new, tally.at(chosen), clusters)

    return {name: of_group(index) for name, index in groups.labels.items()}


def differences_of_classes(cases: PairedClasses, question: Question, groups: GroupedRows) -> list[list[Measured]]:
    """Return the differences of each new model in each group, as `Find`.

    Those of classes without cases are NaN.  Those of scores of each class, by which losses are compared by default
    where all scores are probabilities, come first.  O(n + k²) for each model, with groups O(n log n + g k²), and the
    resamples; of scores O(n k log n).
    """
    scored = _scored_by_default(cases) if cases.scored and not question.measures.names else [*cases.scored]
    measures = class_measures(question, list(map(str, cases.categories)), scored)
    of_scores = [each for each in measures if is_of_scored_classes(each.measure)]
    decided = measures[len(of_scores) :]

    def of_model(model: str) -> list[Measured]:
        found = _of_scores(cases, model, of_scores, question, groups) if of_scores else []
        if decided:
            cells = cells_by_group(cases, model, groups, weights_apart=question.method != ANALYTIC)
            every = Comparisons.joined(_PairedTables(own, decided, question).compare() for own in cells.values())
            found += [Measured.by(each, every.at(slice(at, None, len(decided)))) for at, each in enumerate(decided)]
        return found

    return [*map(of_model, cases.new)]


def _scored_by_default(cases: PairedClasses) -> list[str]:
    """Return the measures of scores of each class that models are compared by unless others are named.  O(n k)."""
    lacking = () if _are_probabilities(cases) else measure_choice.LOSSES
    names = (each for each in measure_choice.OF_SCORED_CLASSES if each not in lacking)
    top, depths = measure_choice.TOP_ACCURACY, measure_choice.DEFAULT_DEPTHS[measure_choice.TOP_ACCURACY]
    return [*names, *(top.replace(DEPTH, str(depth)) for depth in depths if depth < len(cases.categories))]


def _are_probabilities(cases: PairedClasses) -> bool:
    """Whether all scores of all models are probabilities.  O(n k)."""
    return all(rows_of_probabilities(each.scores).all() for each in cases.scored.values())


@without_warnings()
def _of_scores(
    cases: PairedClasses, model: str, measures: Sequence[MeasureName], question: Question, groups: GroupedRows
) -> list[Measured]:
    """Return the differences of measures of scores of a new model in each group.  O(n k log n)."""
    units = cases.units(groups.of_rows, groups.count)
    models, found, areas = (cases.scored[cases.old], cases.scored[model]), list[Measured](), dict[str, Any]()
    if any(each.measure in of_classes.OF_AREAS for each in measures):
        areas = averages_of_areas(models[0].codes, [each.scores.T for each in models], units, groups.layout)
    for measure in measures:
        name, entry = measure.measure, entry_of(measure.measure)
        if name in measure_choice.LOSSES and not _are_probabilities(cases):
            raise EvaluationError(f"measure {name!r} is not defined, because {ENTRIES[name].why_nan}")
        values = [] if name in areas else [of_classes.values_of_cases(name, each) for each in models]
        if name in areas:
            [pair] = compared_rankings(AREA, areas[name], units, question)
        elif entry is not None and entry.method == WILSON:
            old, new = (own(slice(None)) > 0 for own in values)
            cells = decisions.paired_decisions(cases.labels >= 0, old, new, units)
            pair = decisions.compare_decisions(cells, decisions.measure_of_decisions("accuracy"), question.confidence)
        else:
            largest = of_classes.largest_of_case(name, len(cases.categories))
            [pair] = compared_means(mean_sample(units), values, question.confidence, largest)
        found.append(Measured.by(measure, pair.at(groups.indices)))
    return found


class _PairedTables(NamedTuple):
    """The cases of two models, and the measures that they are compared by."""

    cells: JointCells
    measures: Sequence[MeasureName]
    question: Question

    def compare(self) -> Comparisons:
        """Return the comparison of each measure, (q,).

        The cases of a cell have the same weight each, unless there are clusters or no resamples.
        """
        cells, level, method = self.cells, self.question.confidence, self.question.method
        estimates = self._values(cells.tables(cells.tally.counts))
        largest = [entry.largest - entry.least for entry in (ENTRIES[each.measure] for each in self.measures)]
        pairs = [(new, old) for new, old in estimates.T.tolist()]
        each = zip(pairs, () if method == ANALYTIC else self._resampled().T, largest, strict=method != ANALYTIC)
        if method == "bootstrap":
            units = math.inf if cells.clusters is None else cells.number
            resampled = (compare_resampled(pair, drawn, level, most, units=units) for pair, drawn, most in each)
            return Comparisons.joined(resampled)
        of_measures = cells.spread({each.measure for each in self.measures})
        columns = ({name: own[field] for name, own in of_measures.items()} for field in range(2))
        spread = Spread(*(self._columns(each)[0] for each in columns))
        varying = spread.errors, spread.freedom
        if method == "permutation":
            tested = [compare_swapped(pair, swapped, level, most) for pair, swapped, most in each]
            return Comparisons.of_each(tested, *varying)
        found = compare_normal([*estimates], spread, level, "delta", largest=np.array(largest))
        if cells.tally.weights is not None or cells.clusters is not None:
            return found
        exact = (mine or other for mine, other in zip(self._mcnemar(), found.each(), strict=True))
        return Comparisons.of_each(exact, *varying)

    def _values(self, tables: AnyArray) -> FloatArray:
        """Return the measures of tables, (t, k, k): (t, q), NaN where undefined.  O(t (k² + q)).

        tables: int64, a row for each label, or float64 sums of weights.  A class that is never found has an F1 of 0, as
        in reports.
        """
        names = {each.measure for each in self.measures}
        return self._columns(ClassTables(one_versus_all(tables), tables, names).measures)

    def _columns(self, values: Mapping[str, AnyArray]) -> AnyArray:
        """Return the column of each measure, from that of all classes or of one, NaN if it does not occur: (t, q)."""

        def column(name: str, category: str | None) -> AnyArray:
            if category is None:
                return values[name]
            code = self.cells.classes.get(category)
            return np.full(len(values[name]), np.nan) if code is None else values[name][:, code]

        return np.stack([column(each.measure, each.category) for each in self.measures], axis=-1)

    def _mcnemar(self) -> list[Comparison | None]:
        """Compare the fractions of the same cases that models get right; None for other measures, or without any."""
        classes, labels, old, new, tally, _ = self.cells
        codes = 4 * labels + 2 * (new != labels) + (old != labels)
        right = np.bincount(codes, tally.counts, 4 * len(classes) + 4)  # the last is of classes that do not occur
        right = right.reshape(-1, 4).astype(np.int64)
        found: list[Comparison | None] = []
        for measure in self.measures:
            own = right.sum(axis=0) if measure.category is None else right[classes.get(measure.category, -1)]
            fraction = ENTRIES[measure.measure].derivatives is accuracy_derivatives or measure.measure == "recall"
            asked, counts = fraction and own.any(), BinaryCounts(*own.tolist())
            found.append(decisions.mcnemar_test_of_counts(counts, self.question.confidence) if asked else None)
        return found

    def _resampled(self) -> FloatArray:
        """Return the differences of each measure in resamples, (r, q).  O(m + k²) for each.

        By the bootstrap, cases or clusters are drawn again; by permutation, the models of each are swapped or not.
        """
        cells, question, (of_cells, like, amounts) = self.cells, self.question, self.cells.units()
        swaps = question.method == "permutation"
        strata = encode_labels(cells.labels)[1] if question.stratify and cells.clusters is None else None
        draw = draw_units(like.size, strata, like if cells.clusters is None else None)

        def swap(generator: np.random.Generator) -> IntArray:
            return generator.binomial(like, 0.5)

        def tables(drawn: IntArray) -> AnyArray:
            return cells.tables(*(each[of_cells] * amounts for each in ((like - drawn, drawn) if swaps else (drawn,))))

        def differ(drawn: AnyArray) -> FloatArray:
            found = self._values(drawn.reshape(-1, *drawn.shape[2:])).reshape(*drawn.shape[:2], -1)
            return found[:, 0] - found[:, 1]

        sources = generators(question.seed, question.resamples)
        return measure_resamples(tables, swap if swaps else draw, sources, question.resamples, together=differ)


def compare_swapped(estimates: tuple[float, float], swapped: FloatArray, level: float, largest: float) -> Comparison:
    """Compare the estimates of the new model and the old one by differences of swapped models, (b,), NaN left out.

    The p-value is the fraction that is as far from 0, the difference that was found counted as one of them.  Bounds are
    as far from it as swaps must not be for a p-value of 1 - level, and cut to the largest difference: they hold every
    difference that the swaps do not reject, if these spread around it as they do around 0.  O(b log b).  Source: B.
    Phipson and G. K. Smyth, Permutation p-values should never be zero, Statistical Applications in Genetics and
    Molecular Biology 9 (2010) 39.

    >>> compare_swapped((0.75, 0.5), np.linspace(-0.25, 0.25, 199), 0.95, 1.0)
    0.75 - 0.5 = 0.25 [0.010101, 0.489899] (95% permutation), p = 0.015
    """
    difference, sizes = estimates[0] - estimates[1], -np.sort(-np.abs(swapped[~np.isnan(swapped)])) + _ROUNDING
    p_value = float(np.count_nonzero(sizes >= abs(difference)) + 1) / (sizes.size + 1)
    rejecting = math.floor(round((1 - level) * (sizes.size + 1), 9)) - 1  # this many of the sizes are as far
    reach = float(sizes[rejecting]) if rejecting >= 0 else math.inf
    if math.isnan(difference) or not (sizes > 2 * _ROUNDING).any():  # which is no proof of unseen cases
        reach, p_value = math.nan, math.nan if difference else p_value
    low, high = max(difference - reach, -largest), min(difference + reach, largest)
    return Comparison(estimates, difference, low, high, level, math.nan, p_value, "permutation")


def class_measures(question: Question, classes: Sequence[str], scored: Sequence[str] = ()) -> list[MeasureName]:
    """Return the measures that are named, or without any those of all classes and of each.  O(names k).

    The name of a measure of each class alone stands for all classes.  scored: where there are scores of each class, of
    which measures come first, the names of those without any.  Raises EvaluationError for other names.

    >>> asked = Question(conditions=("kappa", "f1[elm]"))
    >>> [measure.name for measure in class_measures(asked, ["elm"])][-4:]
    ['kappa', 'recall[elm]', 'precision[elm]', 'f1[elm]']
    """
    names, known, found = question.measures.names, (*OF_ALL_CLASSES, *OF_EACH_CLASS), list[MeasureName]()
    named, what = ((*measure_choice.OF_SCORED_CLASSES, *known), "scores of") if scored else (known, "predicted")
    if not names:
        each = (MeasureName(name, category=text) for text in classes for name in OF_EACH_CLASS)
        found = [*map(MeasureName, (*scored, *measure_choice.OF_CLASSES)), *each]
    for measure in map(parse_compared, (*names, *question.conditions)):
        of_scores = bool(scored) and is_of_scored_classes(measure.measure)
        is_known = of_scores or (measure.measure in known and measure.threshold is None)
        near = f"{measure.name!r}{measure_choice.nearest_measures(measure.measure, named)}"
        check(is_known, option("measure"), f"be one of {listed(named)}, for {what} classes", near)
        if measure.category is not None and measure.category not in classes:
            got = f"{measure.name!r}{did_you_mean(measure.category, classes, f'{measure.measure}[{{}}]'.format)}"
            raise EvaluationError(f"{option('measure')} must name a class of the labels or predictions, got {got}")
        of_each = measure.measure in OF_EACH_CLASS and measure.category is None
        found += [measure._replace(category=text) for text in classes] if of_each else [measure]
    return sorted(dict.fromkeys(found), key=lambda each: not is_of_scored_classes(each.measure))


def class_value_interval(measure: MeasureName, cells: JointCells, question: Question) -> Interval | None:
    """Return the interval of a measure of the new model, that of reports; None where it has none.  O(m + k²)."""
    if measure.category is not None and measure.category not in cells.classes:
        return None
    intervals = measure_intervals([measure.measure], cells.of_new(measure.category), question.confidence)
    return intervals[measure.measure].each(question.confidence)[0]


def scored_intervals(
    name: str, cases: PairedClasses, model: str, question: Question, groups: GroupedRows
) -> dict[str, Interval]:
    """Return the intervals of a measure of a model's scores of each class, those of reports, by group.

    O(n k log n).
    """
    asked = Asked(level=question.confidence, area_method=area_method_of(question))
    unknown = Columns({name: np.empty(0)})  # whose intervals alone are asked for
    found = of_classes.with_score_intervals(cases, cases.scored[model], asked, unknown, groups)
    each = found.intervals[name].each(question.confidence)
    return dict(zip(groups.labels, each, strict=True))
