"""Measures over resamples of the cases, or of whole clusters: seeded, and in several threads.

The cases of each model are checked and sorted once, and measured by the number of draws of each.
"""

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from inspect import signature
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, UndefinedMetricWarning, check, refuse, shown
from evalcore.inference.units import Units, checked_units
from evalcore.kernels import draws
from evalcore.kernels.blocks import map_parts
from evalcore.kernels.draws import Draw, RankedCases
from evalcore.measures.curves import PointMeasure, parse_measure, roc_auc
from evalcore.typing import AnyArray, FloatArray, IntArray
from evalcore.validation.arrays import as_cases, as_column, check_indices, check_not_masked
from evalcore.validation.labels import encode_labels
from evalcore.validation.positive_class import as_positive_mask
from evalcore.validation.values import check_count

ProgressCallback: TypeAlias = Callable[[int, int], object]
"""Called with the number of resamples done and their total number."""
Measured: TypeAlias = Callable[[IntArray], FloatArray]
"""Takes the number of draws of each case, (n,) int64, and returns the measures of that resample."""

_PER_GENERATOR = 16
"""Resamples of one generator: draws depend on the seed and on this, not on the number of threads."""
_MOST_ROWS = 10**9
"""NumPy's hypergeometric draws take fewer rows."""


def generator(seed: Any) -> np.random.Generator:
    """Return the generator of a seed, as `numpy.random.default_rng` does; raises errors that name `seed`.  O(1)."""
    try:
        made = np.random.default_rng(seed)
        made.spawn(0)  # which the generator of a RandomState cannot
        return made
    except TypeError as error:
        rule = "be None, an integer, a SeedSequence or a Generator of NumPy"
        got = f"{shown(seed)}; pass an integer or numpy.random.default_rng(0)"
        raise EvaluationTypeError(f"seed must {rule}, got {got}") from error
    except ValueError as error:
        raise EvaluationError(f"seed must not be negative, got {seed!r}") from error


def checked_resamples(resamples: Any) -> int:
    """Return a number of resamples; raises EvaluationError unless it is at least 1.  O(1)."""
    count = check_count(resamples, "resamples")
    check(count >= 1, "resamples", "be at least 1", repr(resamples))
    return count


def generators(seed: Any, resamples: int) -> list[np.random.Generator]:
    """Return a generator for each 16 resamples, and one for the blocks of a jackknife.  O(resamples)."""
    return generator(seed).spawn(-(-resamples // _PER_GENERATOR) + 1)


class Plan(NamedTuple):
    """How cases are drawn again, in the order of their numbers."""

    draw: Draw
    units: IntArray
    """Number of the unit, drawn as a whole, of each case."""
    strata: IntArray | None = None
    """The class of each case, shape (n,), if the sizes of classes are kept."""
    frequencies: IntArray | None = None
    """How many rows each case stands for, shape (n,), if such rows are drawn."""

    def without_blocks(self, measured: Measured, source: np.random.Generator) -> FloatArray:
        """Measure without each of 200 random blocks of units, or without each unit if there are fewer, (blocks, ...).

        Every block has its part of each stratum, the smallest of which limits the number of blocks.  Rows of
        frequencies are never built.  O(200) measurements.  Raises EvaluationError for 10**9 rows or more.

        >>> cases_left = lambda counts: np.array([[counts.sum()]])
        >>> Plan(lambda _: np.ones(4, int), np.arange(4)).without_blocks(cases_left, np.random.default_rng(0)).ravel()
        array([3, 3, 3, 3])
        """
        units, frequencies = self.units, self.frequencies
        strata = np.zeros(int(units.max()) + 1, np.int64) if self.strata is None else self.strata
        members = [np.flatnonzero(strata == stratum) for stratum in np.unique(strata)]
        sizes = [own.size if frequencies is None else int(frequencies[own].sum()) for own in members]
        count, rows = min([*sizes, 200]), sum(sizes)
        if frequencies is None:
            blocks = np.empty(strata.size, np.int64)
            for own in members:
                blocks[own] = source.permutation(np.arange(own.size) % count)
            blocks, each = blocks[units], list(range(count))
            return np.array(map_parts(lambda one: measured((blocks != one).astype(np.int64)), each, units.size * count))
        rule = f"have a sum below {_MOST_ROWS:,} for method='bca'"
        check(rows < _MOST_ROWS, "sample_weight", rule, f"{rows:,}; pass another method")
        left, values = frequencies.copy(), []
        for block in range(count):
            kept = frequencies.copy()
            for own, size in zip(members, sizes, strict=True):
                drawn = size // count + (block < size % count)
                part = source.multivariate_hypergeometric(left[own], drawn, method="marginals")
                left[own] -= part
                kept[own] -= part
            values.append(measured(kept))
        return np.array(values)


def plan_draws(y_true: Any, stratify: bool, drawn: Units, numbering: IntArray) -> Plan:
    """Return how cases are drawn; numbering: their indices in the order of draws, (n,).  O(n)."""
    rule = "be True, to keep the size of each class, or False"
    check(isinstance(stratify, bool | np.bool_), "stratify", rule, repr(stratify), EvaluationTypeError)
    if drawn.clusters is not None:
        both = "stratify and cluster cannot be combined, because a cluster may hold every class; pass one of them"
        refuse({both: stratify})
        units = drawn.clusters[numbering]
        return Plan(draws.draw_clusters(units, drawn.number), units)
    strata = encode_labels(as_column(y_true, "y_true"))[1][numbering] if stratify else None
    frequencies = drawn.weights[numbering] if drawn.are_frequencies and drawn.weights is not None else None
    return Plan(draw_units(numbering.size, strata, frequencies), np.arange(numbering.size), strata, frequencies)


def draw_units(size: int, strata: IntArray | None = None, frequencies: IntArray | None = None) -> Draw:
    """Return how as many units are drawn as there are, of each stratum or of all; strata, frequencies: (size,).  O(n).

    frequencies: how many rows each stands for, which are drawn in its place.
    """
    if strata is None and frequencies is None:
        return draws.draw_cases(size)
    strata = np.zeros(size, np.int64) if strata is None else strata
    return draws.draw_within(strata, int(strata.max(initial=0)) + 1, frequencies)


def measure_resamples(
    measured: Measured,
    draw: Draw,
    sources: list[np.random.Generator],
    resamples: int,
    progress: ProgressCallback | None = None,
    *,
    together: Callable[[AnyArray], FloatArray] = np.asarray,
) -> FloatArray:
    """Measure resamples, (resamples, ...): the same values for any number of threads.

    sources: from `generators`.  O(resamples) draws and measurements, in several threads from 2**15 cases on; progress
    is called in them, one call at a time.  together: what takes the results of up to 16 resamples at once, (r, ...),
    and returns their measures, (r, ...).
    """
    finished, lock = itertools.count(), Lock()

    def measure(generator: np.random.Generator, count: int) -> FloatArray:
        values = []
        for _ in range(count):
            values.append(measured(draw(generator)))
            if progress is not None:
                with lock:
                    progress(next(finished) + 1, resamples)
        return together(np.array(values))

    sizes = [min(_PER_GENERATOR, resamples - start) for start in range(0, resamples, _PER_GENERATOR)]
    cases = draw(np.random.default_rng(0)).size
    parts = map_parts(lambda part: measure(*part), list(zip(sources, sizes, strict=False)), cases * _PER_GENERATOR)
    return np.concatenate(parts)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Ignore UndefinedMetricWarning: undefined intervals get no bounds, and resamples that lack a class are counted.

    The whole process ignores it meanwhile, and two blocks at once may leave it so: only for functions that may warn.
    """
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        yield


CaseMeasure: TypeAlias = Callable[..., Any]
"""A function of y_true, y_score and, if it takes that, sample_weight: the number of draws of each case."""
Measures: TypeAlias = Sequence[PointMeasure | CaseMeasure]


def without_warnings_of(measures: Measures) -> AbstractContextManager[None]:
    """Ignore the warnings of functions among measures, as `without_warnings`; named measures give none.  O(m)."""
    return nullcontext() if all(isinstance(measure, PointMeasure) for measure in measures) else without_warnings()


class ResampledModels(NamedTuple):
    """Models that scored the same cases, which are numbered by their rank in the first model."""

    measured: Measured
    """Takes the number of draws of each case, (n,), or of each of few clusters, and returns (models, measures)."""
    estimates: FloatArray
    """Of the cases themselves, shape (models, measures)."""
    plan: Plan
    """How whatever `measured` takes the number of draws of is drawn."""
    lack: str
    """Why resamples do not show how named measures vary; empty if they do."""


def resampled_models(
    y_true: Any, scores: Mapping[str, Any], measures: Measures, pos_label: Any, drawn: Any, *, stratify: bool = False
) -> ResampledModels:
    """Check and sort the cases of models; scores: by the names of arguments, (n,) each.  O(n log n).

    drawn: weights, their type and clusters, as of `checked_cases`.
    With sampling weights, measures are those of the weights times the number of draws.  Frequencies are the numbers of
    rows that are drawn from.

    >>> given = [0, 1, 1], {"y_score": [0.1, 0.4, 0.05]}, [parse_measure("roc_auc")]
    >>> found = resampled_models(*given, None, (None, "sampling", None))
    >>> found.estimates, found.measured(np.array([0, 1, 1]))
    (array([[0.5]]), array([[0.]]))
    """
    sample_weight, weight_type, cluster = drawn
    check_indices(y_true=y_true, **scores, sample_weight=sample_weight, cluster=cluster)
    units = checked_units(sample_weight, weight_type, _size(y_true), "the bootstrap", cluster)
    if not isinstance(chosen := units.chosen, slice):
        scores = {name: _checked_rows(values, name, chosen.size)[chosen] for name, values in scores.items()}
        y_true = _checked_rows(y_true, "y_true", chosen.size)[chosen]
    if units.weights is not None and not units.are_frequencies:
        measures = [_for_weights(measure) for measure in measures]
    size, every = _size(y_true), _ranked_models(y_true, scores, measures, pos_label)
    numbering, number_of = every[0].rows if every else np.arange(size), np.empty(size, np.int64)
    number_of[numbering] = np.arange(size)
    called, models = not all(isinstance(measure, PointMeasure) for measure in measures), []
    for index, (name, values) in enumerate(scores.items()):
        ranks = number_of[every[index].rows] if every and index else None
        given = (("y_true", y_true), (name, values)) if called else ()
        columns = [_checked_rows(each, column, size)[numbering] for column, each in given]
        models.append(partial(_measure_model, measures, every[index] if every else None, ranks, columns))
    own = None if units.weights is None else units.weights[numbering]
    plan = plan_draws(y_true, stratify, units, numbering)
    with without_warnings_of(measures):
        estimates = np.array([model(own) if size else [np.nan] * len(measures) for model in models])
    lack = _why_constant(plan, every[0].correct) if every and size else ""
    clusters = 0 if units.clusters is None or own is not None else units.number
    if 0 < clusters**2 <= size and measures == [parse_measure("roc_auc")]:
        pairs = [draws.cluster_pairs(ranked, plan.units[number_of[ranked.rows]], clusters) for ranked in every]

        def areas(counts: IntArray) -> FloatArray:  # O(models g²)
            drawn = [each.drawn(counts) for each in pairs]
            return np.array([[roc_auc(pairs, pairs.correct, incorrect)] for pairs, incorrect in drawn])

        return ResampledModels(areas, estimates, Plan(draws.draw_cases(clusters), np.arange(clusters)), lack)

    def measured(counts: IntArray) -> FloatArray:
        amounts = counts if own is None or plan.frequencies is not None else counts * own
        return np.array([model(amounts) for model in models])

    return ResampledModels(measured, estimates, plan, lack)


def _for_weights(measure: PointMeasure | CaseMeasure) -> PointMeasure | CaseMeasure:
    """Return the measure of weights, a named one without the last digits, which depend on how sums are rounded.

    Raises EvaluationError for a function that takes no weights.
    """
    if isinstance(measure, PointMeasure):
        compute = measure.of_weights or measure.compute
        return measure._replace(compute=lambda points: round(compute(points), 14))
    rule, got = "take sample_weight where cases have sampling weights", f"{measure!r}; give it that argument"
    check(_takes_weights(measure), "measure", rule, got)
    return measure


def _why_constant(plan: Plan, correct: int) -> str:
    """Say which class is in a single unit, so that it is the same in all resamples.  O(n)."""
    for side, kind in ((slice(correct), "positive"), (slice(correct, None), "negative")):
        part = plan.units[side]
        if plan.frequencies is not None and plan.frequencies[side].sum() > 1:
            continue
        if part.size and (part == part[0]).all():
            return f"all {kind} cases are in one cluster" if part.size > 1 else f"one {kind} case alone does not vary"
    return ""


def _measure_model(
    measures: Measures, ranked: RankedCases | None, rows: IntArray | None, columns: Sequence[AnyArray], counts: Any
) -> list[float]:
    """Measure a resample of one model; counts: those, or weights times counts, None of the cases themselves.

    ranked: None if no measure is named; rows: numbers of the ranked cases, None if these are their ranks; columns:
    labels and scores, (n, ...) each, if a function takes them.
    """
    points: Any = None
    if ranked is not None:
        amounts = np.ones(ranked.rows.size, np.int64) if counts is None else counts
        points = ranked.points(amounts if rows is None else amounts[rows])
    return [one.compute(points) if isinstance(one, PointMeasure) else _called(one, columns, counts) for one in measures]


def _called(measure: CaseMeasure, columns: Sequence[AnyArray], counts: AnyArray | None) -> float:
    """Call a function with the cases that are drawn, and the number of draws of each."""
    options = {}
    if counts is not None:
        rows = np.flatnonzero(counts)
        if _takes_weights(measure):
            options["sample_weight"] = counts[rows]
        else:
            rows = np.repeat(rows, counts[rows])
        columns = [column[rows] for column in columns]
    value = measure(*columns, **options)
    try:
        return float(value)
    except (TypeError, ValueError):
        raise EvaluationTypeError(f"measure must return a number, {measure!r} returned {shown(value)}") from None


def _takes_weights(measure: CaseMeasure) -> bool:
    try:
        parameters = signature(measure).parameters
    except (TypeError, ValueError):  # some callables in C tell nothing
        return True
    return "sample_weight" in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def _ranked_models(y_true: Any, scores: Mapping[str, Any], measures: Measures, pos_label: Any) -> list[RankedCases]:
    """Sort the cases of each model, unless no measure is named.  O(n log n)."""
    named = [measure for measure in measures if isinstance(measure, PointMeasure)]
    if not named:
        return []
    thresholds = np.array([measure.threshold for measure in named if measure.threshold is not None])
    correct = as_positive_mask(y_true, pos_label, "the bootstrap")
    every = [as_cases(correct, values, ("y_true", name)) for name, values in scores.items()]
    with np.errstate(over="ignore"):  # beyond float32 is infinite
        return [draws.ranked_cases(own, mask, thresholds.astype(own.dtype)) for mask, own in every]


def _size(y_true: Any) -> int:
    try:
        return len(y_true)
    except TypeError:
        raise EvaluationTypeError(f"y_true must be an array-like, got {shown(y_true)}") from None


def _checked_rows(values: Any, name: str, size: int) -> AnyArray:
    check_not_masked(values, name)
    array = np.asarray(values)
    check(array.shape[:1] == (size,), name, f"have {size} rows like y_true", f"shape {array.shape}")
    return array
