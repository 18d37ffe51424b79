"""The documented classes and ScoreSummary, as the laws are told of them."""

import copy
import itertools
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import evalcore
from evalcore.kernels.tables import BinaryCounts
from evalcore.streaming import ScoreSummary
from tests.contingency import experiments
from tests.laws.states import Kind, Misses, OfScoredCases, OfScores, parted
from tests.lingpipe import evaluations

TEXTS = st.text(max_size=5) | st.sampled_from(["", "naïve", "\ud800", "1", "True", "1.0", "\x00"])
ATOMS = TEXTS | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.binary(max_size=4)
NAMES = st.recursive(ATOMS, lambda parts: st.lists(parts, max_size=3).map(tuple), max_leaves=4)
"""Names that can be saved."""
BIG_COUNTS = st.sampled_from([0, 1, 2**53 + 1, 2**62, 2**63, 2**128]) | st.integers(0, 2**70)
STATE = OfScoredCases()


class OfScoredPrecisionRecall(OfScores):
    cls = evalcore.ScoredPrecisionRecallEvaluation

    def add(self, filled, case):
        if isinstance(case, Misses):
            self.add_batch(filled, [case])
        else:
            score, correct = case
            filled.addCase(bool(correct), score if score.dtype == np.float32 else float(score))

    def add_batch(self, filled, cases):
        scores, correct, misses = parted(cases)
        filled.addCases(correct, scores)
        filled.addMisses(misses.positive)
        filled.addNegativeMisses(misses.negative)

    def content(self, filled):
        return STATE.content(filled.scored_cases())

    def answers(self, filled):
        return evaluations.answers(filled)

    def mistakes(self, filled):
        yield partial(filled.addCase, True, np.nan)
        yield partial(filled.addCases, [True, False], [0.5, np.nan])
        yield partial(filled.addCases, [True], [0.5, 1.0])
        yield partial(filled.addMisses, -1)
        yield partial(filled.addNegativeMisses, 2**62 + 1)
        yield partial(filled.merge, evalcore.PrecisionRecallEvaluation())
        for misses in ((2**62, 0), (1, 2**62)):
            other = evaluations.scored([True], [0.5], *misses)
            if filled._cases.misses + misses[0] > 2**62 or filled._cases.negative_misses + misses[1] > 2**62:
                yield partial(filled.merge, other)


class OfScoreSummary(OfScores):
    """Cuts that are given, or room for every score: the same however cases come."""

    cls = ScoreSummary

    def makers(self):
        return st.sampled_from([
            partial(ScoreSummary, 100), partial(ScoreSummary, 8, [-1.0, 0.0, 0.5]), partial(ScoreSummary, 5, [0.25]),
        ])  # fmt: skip

    def add_batch(self, filled, cases):
        scores, correct, misses = parted(cases)
        filled.update(correct, scores)
        filled.misses += misses.positive
        filled.negative_misses += misses.negative

    def content(self, filled):
        filled._cases._check()
        return repr((filled._cases.cells, filled.misses, filled.negative_misses))

    def answers(self, filled):
        points = filled.roc_curve(), filled.precision_recall_curve()
        return repr((
            filled, filled.exact, filled.size, filled.positives, filled.negatives, points,
            filled.roc_auc(), filled.average_precision(), filled.maximum_f_measure(2.0),
            filled.precision_at_threshold(0.25), filled.recall_at_threshold(0.25), filled.precision_at_recall(0.6),
        ))  # fmt: skip

    def stored(self, filled):
        settled = copy.deepcopy(filled)
        settled._cases.settle()  # as tables do
        return settled.to_bytes()

    def mistakes(self, filled):
        yield partial(filled.update, [1, 0], [0.5, np.nan])
        yield partial(filled.update, [1, 2], [0.5, 0.5])
        yield partial(filled.merge, 3)
        yield partial(setattr, filled, "misses", -1)
        yield partial(setattr, filled, "negative_misses", 2**62 + 1)
        full = ScoreSummary()
        full.misses = 2**62
        if filled.size:
            yield partial(filled.merge, full)


class OfCrowdedScoreSummary(OfScoreSummary):
    """Cuts that are learnt from what comes together."""

    any_way = False

    def makers(self):
        return st.sampled_from([partial(ScoreSummary, capacity) for capacity in (4, 5, 8)])


class OfPrecisionRecall(Kind):
    cls = evalcore.PrecisionRecallEvaluation

    def cases(self, width):
        pairs = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=12)
        tables = st.lists(st.builds(BinaryCounts, *[BIG_COUNTS] * 4), max_size=2)
        return st.builds(lambda tables, pairs: tables + pairs, tables, pairs)

    def add(self, filled, case):
        if isinstance(case, BinaryCounts):
            filled.merge(evalcore.PrecisionRecallEvaluation(*case))
        else:
            filled.addCase(*case)

    def add_batch(self, filled, cases):
        pairs = [case for case in cases if not isinstance(case, BinaryCounts)]
        filled.addCases([reference for reference, _ in pairs], np.array([bool(response) for _, response in pairs]))
        for table in cases:
            if isinstance(table, BinaryCounts):
                self.add(filled, table)

    def answers(self, filled):
        return repr(filled), str(filled)

    def mistakes(self, filled):
        yield partial(filled.addCase, True, 2)
        yield partial(filled.addCases, [True, False], [True])
        yield partial(filled.addCases, [True, False], [True, 2])
        yield partial(filled.addCases, {"a"}, [True])
        yield partial(filled.merge, evalcore.ScoredPrecisionRecallEvaluation())


class OfConfusionMatrix(Kind):
    """Cases are indices of the reference and the response, and how many there are."""

    cls = evalcore.ConfusionMatrix

    def makers(self):
        names = st.lists(NAMES, min_size=1, max_size=4, unique=True)
        return names.map(lambda names: partial(evalcore.ConfusionMatrix, names))

    def width(self, empty):
        return empty.numCategories()

    def cases(self, width):
        code = st.integers(0, width - 1)
        return st.lists(st.tuples(code, code, st.sampled_from([1, 1, 7, 0, 2**53 + 1, 2**56])), max_size=8)

    def add(self, filled, case):
        names = filled.categories()
        if case[2] == 1:
            filled.increment(names[case[0]], names[case[1]])
        else:
            filled.incrementByN(names[case[0]], names[case[1]], case[2])

    def add_batch(self, filled, cases):
        names = filled.categories()
        single = [case for case in cases if case[2] == 1]
        columns = [[names[case[side]] for case in single] for side in (0, 1)]
        filled.merge(evalcore.ConfusionMatrix.fromLabels(*columns, names))
        counts = np.zeros((len(names), len(names)), np.int64)
        for reference, response, count in cases:
            counts[reference, response] += count if count != 1 else 0
        filled.merge(evalcore.ConfusionMatrix(names, counts))

    def content(self, filled):
        names = [(type(name), name) for name in filled.categories()]
        return repr(names), filled.matrix().tolist(), filled.totalCount()

    def answers(self, filled):
        return self.content(filled), str(filled), repr(filled)

    def mistakes(self, filled):
        names = filled.categories()
        yield partial(filled.increment, 0, (None,))
        yield partial(filled.incrementByN, names[0], names[-1], -1 - filled.count(names[0], names[-1]))
        yield partial(filled.incrementByN, names[0], names[0], 2**63 - filled.totalCount())
        yield partial(filled.merge, evalcore.ConfusionMatrix([*names, object()]))
        yield partial(filled.merge, [[1]])
        counts = np.zeros((len(names), len(names)), np.int64)
        counts[-1, -1] = 2**63 - 1
        if filled.totalCount():
            yield partial(filled.merge, evalcore.ConfusionMatrix(names, counts))


class Pooled(NamedTuple):
    """Entries that were set in another experiment."""

    entries: tuple


class OfContingency(Kind):
    cls = evalcore.Contingency

    def makers(self):
        names = st.lists(NAMES | st.none(), max_size=4, unique=True)
        return st.builds(lambda names, verbose: partial(evalcore.Contingency, names, verbose), names, st.booleans())

    def width(self, empty):
        return len(empty._codes)

    def cases(self, width):
        codes = st.frozensets(st.integers(0, max(width - 1, 0)), max_size=3)
        documents = st.lists(st.tuples(codes, codes), max_size=6)
        # sums of these are exact in any order: whole numbers alone, or quarters
        entries = st.sampled_from([st.integers(0, 2**128), st.integers(0, 40).map(lambda number: number / 4)])
        pooled = entries.flatmap(lambda each: st.lists(st.builds(Pooled, st.tuples(*[each] * 4)), max_size=2))
        return st.builds(lambda pooled, documents: pooled + documents, pooled, documents)

    def add(self, filled, case):
        if isinstance(case, Pooled):
            other = evalcore.Contingency(filled._codes)
            other.set_entries(*case.entries)
            filled.merge(other)
        else:
            names = list(filled._codes)
            sides = [{names[code] for code in side if names} for side in case]
            if any(isinstance(name, bool) for side in sides for name in side):  # matrices alone know these
                self.add_batch(filled, [case])
            else:
                filled.add_result(*sides)

    def add_batch(self, filled, cases):
        documents = [case for case in cases if not isinstance(case, Pooled)]
        decisions = np.zeros((2, len(documents), len(filled._codes)), np.bool_)
        for (row, document), side in itertools.product(enumerate(documents), (0, 1)):
            decisions[side, row, [code for code in document[side] if len(filled._codes)]] = True
        filled.add_results(*decisions)
        for case in cases:
            if isinstance(case, Pooled):
                self.add(filled, case)

    def answers(self, filled):
        names = [(type(name), name) for name in filled._codes]
        return repr(names), repr(experiments.answers(filled)), filled._verbose

    def content(self, filled):
        table = filled._table
        return repr((list(filled._codes), filled._verbose, table.documents, table.pooled, table.of_categories()))

    def mistakes(self, filled):
        width = len(filled._codes)
        cells = np.zeros((2, width + 1))
        yield partial(filled.add_result, [["a"]], None)
        yield partial(filled.add_results, [{"a"}, [["a"]]], [{"a"}, {"a"}])
        yield partial(filled.add_results, cells, cells)
        yield partial(filled.set_entries, 1, 2, 3, -1)
        yield partial(filled.merge, evalcore.Contingency([*filled._codes, "another name"]))
        yield partial(filled.merge, [])
        if width:
            cells[1, width - 1] = 2
            yield partial(filled.add_results, cells[:, :width], cells[:, :width])


class Answered(NamedTuple):
    """A case of an evaluator: the answer, and the row of a batch that says the same, if one does."""

    reference: str
    answer: Any
    row: Any
    input: int


class OfEvaluator(Kind):
    """An evaluator that stores its inputs."""

    def __init__(self, cls):
        self.cls = cls

    def __repr__(self):
        return self.cls.__name__

    def makers(self):
        return st.just(partial(self.cls, None, evaluations.NAMES, storeInputs=True))

    def cases(self, width):
        return self.rows.map(lambda cases: [Answered(*case, number) for number, case in enumerate(cases)])

    @cached_property
    def rows(self):
        """Draw lists of references, answers and rows."""
        name = st.sampled_from(evaluations.NAMES)
        return st.lists(st.tuples(name, st.builds(evalcore.Classification, name), st.none()), max_size=6)

    def add(self, filled, case):
        filled.addClassification(case.reference, case.answer, case.input)

    def content(self, filled):
        cases = filled._cases
        shared = len({id(columns) for columns in cases.columns}) < len(cases.columns)
        numbers = [repr(columns.values.tolist()) for columns in (*cases.columns, cases.totals)]
        tables = [table.tolist() for table in cases.tallies]
        objects = [self.stored_case(batch[row]) for batch in cases.objects for row in range(len(batch))]
        return tables, numbers, shared, cases.reference.tolist(), cases._first.values.tolist(), objects

    def answers(self, filled):
        return {name: value for name, value in evaluations.by_name(filled).items() if not evaluations.is_average(name)}

    def averages(self, filled):
        named = evaluations.by_name(filled)
        return {name: float(value) for name, value in named.items() if evaluations.is_average(name)}

    def told(self, filled):
        return evaluations.by_name(filled), self.listed(filled)

    def listed(self, filled):
        return {
            (name, category): list(map(self.stored_case, getattr(filled, name)(category)))
            for name, category in itertools.product(evaluations.FOUND, evaluations.NAMES)
        }

    def stored_case(self, case):
        return repr(case)

    def mistakes(self, filled):
        yield partial(filled.addClassification, "unknown", evalcore.Classification("a"))
        yield partial(filled.addClassification, "a", evalcore.Classification("unknown"))
        yield partial(filled.addClassification, "a", 3)
        yield partial(filled.merge, self.cls(None, ["a", "c", "b"], storeInputs=True))
        yield partial(filled.merge, self.cls(None, evaluations.NAMES))
        yield partial(filled.merge, None)


class OfRankedEvaluator(OfEvaluator):
    """Rankings of any length that repeat names, leave some out and hold unknown ones, but not first."""

    def stored_case(self, case):
        return case.getObject()  # a batch fills short rankings up with None

    @cached_property
    def rows(self):
        rests = [[], ["b", "c"], ["c"], ["a", "a", "b"], ["unknown", "c", None, "b"], [None]]
        return cases_from([(name, rest) for name in evaluations.NAMES for rest in rests], self.answered)

    def answered(self, reference, drawn):
        row = [drawn[0], *drawn[1]]
        return reference, evaluations.answer_to(self.cls, row), row

    def add_batch(self, filled, cases):
        for has_row, run in itertools.groupby(cases, lambda case: case.row is not None):
            if has_row:
                self.add_rows(filled, *map(list, zip(*run, strict=True)))
            else:
                super().add_batch(filled, run)

    def add_rows(self, filled, references, _, rows, inputs):
        rankings = [list(rank) for rank in zip(*itertools.zip_longest(*rows), strict=True)]
        filled.addRankings(references, rankings, inputs)

    def mistakes(self, filled):
        yield from super().mistakes(filled)
        yield partial(filled.addRankings, ["a", "unknown"], [["a"], ["a"]])
        yield partial(filled.addRankings, ["a", "a"], [["a"], ["unknown"]])
        yield partial(filled.addRankings, ["a", "a"], [["a"], ["a"]], [1])


class OfScoredEvaluator(OfRankedEvaluator):
    """Scores that tie, are infinite or absent, in two widths; and answers whose scores are not their probabilities."""

    def stored_case(self, case):
        return repr(case)

    @cached_property
    def rows(self):
        rows = np.array(evaluations.ROWS[self.cls, True, False])
        if self.cls is evalcore.ConditionalClassifierEvaluator:
            rows /= np.nansum(rows, axis=1, keepdims=True)
        narrow, wide = (cases_from(list(rows.astype(dtype)), self.answered) for dtype in (np.float32, np.float64))
        if self.cls is evalcore.ScoredClassifierEvaluator:
            return st.builds(list.__add__, narrow, wide) | narrow | wide
        numbers = [0, -1, -2] if self.cls is evalcore.JointClassifierEvaluator else [0, 0.5, 0.5]
        apart = evaluations.ANSWERS[self.cls](evaluations.NAMES, [3, 2, 1], numbers)
        return st.builds(list.__add__, narrow | st.just([("a", apart, None)]), wide) | narrow | wide

    def answered(self, reference, row):
        return reference, evaluations.answer_to(self.cls, row), row

    def add_rows(self, filled, references, _, rows, inputs):
        filled.addScores(references, np.array(rows), inputs)

    def mistakes(self, filled):
        yield from OfEvaluator.mistakes(self, filled)
        rows = evaluations.usable_rows(self.cls)
        yield partial(filled.addScores, ["a", "unknown"], rows)
        yield partial(filled.addScores, ["a", "a"], np.array([rows[0], [np.nan] * 3]))
        yield partial(filled.addScores, ["a", "a"], rows, [1])


def cases_from(pool, answered):
    """Draw a few cases whose answers come from a list, which takes one choice each."""
    choices = [answered(reference, drawn) for reference in evaluations.NAMES for drawn in pool]
    return st.lists(st.sampled_from(choices), max_size=5)


EVALUATIONS = [
    OfScoredPrecisionRecall(), OfPrecisionRecall(), OfConfusionMatrix(), OfContingency(), OfScoreSummary(),
    OfCrowdedScoreSummary(), OfEvaluator(evalcore.BaseClassifierEvaluator),
    OfRankedEvaluator(evalcore.RankedClassifierEvaluator), *map(OfScoredEvaluator, evaluations.POOLS),
]  # fmt: skip
