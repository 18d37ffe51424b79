"""What the laws are told of a class: how to make, fill and ask its objects; and the states."""

import itertools
import pickle
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from evalcore.kernels.label_ranks import ranks_by_score
from evalcore.kernels.runs import runs_of_keys
from evalcore.kernels.tables import BinaryCounts, DecisionCounts
from evalcore.state.cases import GrowingColumns, ScoredCases
from evalcore.state.score_sketch import ScoreSketch
from evalcore.state.tables import BinaryTable, CaseBatch, CategoryTable, ClassifiedCases, DecisionTable
from tests.strategies import case_arrays


class Kind:
    """A class of evaluations or states; an instance describes it to `tests/laws/test_laws.py`.

    A case is whatever `add` takes.
    """

    cls: type
    any_way = True
    """Whether no answer depends on how the cases came: one by one, in batches, by merging."""
    in_order = False
    """Whether answers depend on the order of the cases."""
    shallow = True
    """Whether `copy.copy` makes a copy that is independent."""

    def __repr__(self):
        return type(self).__name__

    def makers(self):
        """Draw a function that makes an empty object."""
        return st.just(self.cls)

    def width(self, empty):
        """Return how many categories or rows an object has, where its cases depend on that."""
        return 0

    def cases(self, width):
        """Draw a list of cases for objects of this width."""
        raise NotImplementedError

    def add(self, filled, case):
        self.add_batch(filled, [case])

    def add_batch(self, filled, cases):
        for case in cases:
            self.add(filled, case)

    def merge(self, filled, other):
        filled.merge(other)

    def content(self, filled):
        """Return all that is remembered, which is cheaper than all answers."""
        return self.answers(filled)

    def answers(self, filled):
        """Return everything that is answered, to the last bit, whatever the order of the cases."""
        return self.content(filled)

    def averages(self, filled):
        """Return what depends on the order in its last digits, by name."""
        return {}

    def listed(self, filled):
        """Return lists by name, in the order in which the cases came."""
        return {}

    def memory(self, filled):
        """Return all that is remembered in a form that sees every change."""
        return filled.to_bytes() if self.saves else pickle.dumps(filled)

    def stored(self, filled):
        """Return the bytes that are saved, the same whichever way it was saved before."""
        return filled.to_bytes()

    def mistakes(self, filled):
        """Return calls that must be refused."""
        return []

    @property
    def saves(self):
        return hasattr(self.cls, "to_bytes")

    @property
    def compares(self):
        return self.cls.__eq__ is not object.__eq__

    def told(self, filled):
        """Return all answers, where cases came in the same order."""
        return self.answers(filled), repr(self.averages(filled)), self.listed(filled)


CODES = range(3)
CELLS = st.integers(0, 5) | st.integers(0, 10**12)
BIG_COUNTS = st.integers(0, 5) | st.integers(0, 2**70)
SOME_MISSES = st.sampled_from([0, 1, 7, 2**53 + 1])


class Misses(NamedTuple):
    """Cases that were never retrieved."""

    positive: int
    negative: int


def parted(cases):
    """Part cases with a score, as arrays of scores and labels, from the sums of the misses."""
    misses = [case for case in cases if isinstance(case, Misses)]
    scores, correct = (
        zip(*(case for case in cases if not isinstance(case, Misses)), strict=True)
        if len(cases) > len(misses)
        else ((), ())
    )
    return np.array(scores), np.array(correct, np.bool_), Misses(*map(sum, zip((0, 0), *misses, strict=True)))


class OfScores(Kind):
    """What takes cases with a score in float32 or float64, and misses."""

    def cases(self, width):
        batches = st.lists(case_arrays(max_size=6), max_size=2)
        misses = st.lists(st.builds(Misses, SOME_MISSES, SOME_MISSES), max_size=2)
        pairs = batches.map(lambda batches: [pair for each in batches for pair in zip(*each, strict=True)])
        return st.builds(lambda misses, pairs: misses + pairs, misses, pairs)

    def add_batch(self, filled, cases):
        scores, correct, misses = parted(cases)
        filled.extend(correct, scores)
        filled.misses += misses.positive
        filled.negative_misses += misses.negative


def check_scored_cases(cases):
    """Assert every invariant."""
    assert 0 <= cases.size <= cases._scores.size == cases._labels.size
    assert cases.scores.dtype in (np.float32, np.float64)
    assert cases.correct.dtype == np.bool_
    assert not np.isnan(cases.scores).any()
    assert min(cases.misses, cases.negative_misses) >= 0
    keys, code = cases.ordering
    assert np.array_equal(keys, np.sort(keys))
    fresh = runs_of_keys(keys)
    assert np.array_equal(cases.runs.tp, fresh.tp)
    assert np.array_equal(cases.runs.fp, fresh.fp)
    assert np.count_nonzero(keys & 1) == np.count_nonzero(cases.correct)
    assert np.array_equal(code.unpack(keys)[::-1], np.sort(cases.scores))


class OfScoredCases(OfScores):
    cls = ScoredCases

    def content(self, filled):
        return (
            (filled.size, filled.misses, filled.negative_misses),
            (filled.scores.dtype if filled.size else None, repr(filled.scores.tolist()), filled.correct.tolist()),
        )

    def answers(self, filled):
        check_scored_cases(filled)
        runs = filled.runs
        return (
            (filled.positives, filled.negatives, runs.tp.tolist(), runs.fp.tolist()),
            [column.tolist() for column in filled.ranked],
        )


class OfScoreSketch(OfScores):
    cls = ScoreSketch
    shallow = False

    def makers(self):
        return st.sampled_from([partial(ScoreSketch, 100, None), partial(ScoreSketch, 8, np.array([0.0, 0.5]))])

    def content(self, filled):
        filled._check()
        return repr((filled.size, filled.misses, filled.negative_misses, filled.cells))

    def memory(self, filled):
        cells, waiting = filled.kept
        return repr((cells, waiting.scores, waiting.labels, filled.misses, filled.negative_misses))


class OfBinaryTable(Kind):
    cls = BinaryTable

    def makers(self):
        return st.just(partial(BinaryTable, BinaryCounts(0, 0, 0, 0)))

    def cases(self, width):
        return st.lists(st.builds(BinaryCounts, *[BIG_COUNTS] * 4), max_size=5)

    def add(self, filled, case):
        filled.add(case)

    def add_batch(self, filled, cases):
        filled.add(BinaryCounts(*map(sum, zip((0, 0, 0, 0), *cases, strict=True))))

    def merge(self, filled, other):
        filled.add(other.counts)

    def content(self, filled):
        return type(filled.counts), filled.counts


class OfCategoryTable(Kind):
    cls = CategoryTable
    shallow = False

    def makers(self):
        return st.just(lambda: CategoryTable(np.zeros((3, 3), np.int64)))

    def cases(self, width):
        return st.lists(st.tuples(*[st.sampled_from(CODES)] * 2, CELLS), max_size=6)

    def add(self, filled, case):
        filled.add_to_cell(case[:2], case[2])

    def add_batch(self, filled, cases):
        counts = np.zeros((3, 3), np.int64)
        for row, column, count in cases:
            counts[row, column] += count
        filled.add(counts)

    def merge(self, filled, other):
        filled.add(other.counts)

    def content(self, filled):
        return filled.counts.tolist(), filled.total, filled.snapshot().tolist()


class OfDecisionTable(Kind):
    cls = DecisionTable

    def makers(self):
        return st.just(partial(DecisionTable, len(CODES)))

    def cases(self, width):
        tables = st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=len(CODES), max_size=len(CODES))
        return st.lists(st.tuples(tables, st.integers(0, 5)), max_size=4)

    def add_batch(self, filled, cases):
        tables = np.array([table for table, _ in cases], np.int64).reshape(-1, len(CODES), 3).sum(axis=0)
        both, assigned, correct = tables[:, 0], tables[:, 0] + tables[:, 1], tables[:, 0] + tables[:, 2]
        documents = sum(max(map(sum, table)) + more for table, more in cases)
        filled.add(DecisionCounts(both, assigned, correct), documents)

    def merge(self, filled, other):
        filled.merge(other, list(CODES))

    def content(self, filled):
        return filled.documents, filled.pooled, filled.of_each()


class OfGrowingColumns(Kind):
    cls = GrowingColumns
    in_order = True

    def makers(self):
        return st.builds(lambda rows, dtype: partial(GrowingColumns, rows, dtype),
                         st.sampled_from([1, 2, 5]), st.sampled_from([np.uint8, np.float32, np.float64]))  # fmt: skip

    def width(self, empty):
        return len(empty.values)

    def cases(self, width):
        column = st.tuples(st.integers(0, 9), st.sampled_from([np.uint8, np.uint16, np.int64, np.float32, np.float64]))
        return st.lists(column.map(lambda drawn: np.full((width, 1), *drawn)), max_size=12)

    def add_batch(self, filled, cases):
        if cases:
            filled.extend(np.concatenate(cases, axis=1))

    def merge(self, filled, other):
        filled.extend(other.values)

    def content(self, filled):
        return filled.size, filled.values.dtype, filled.values.tolist()


class Row(NamedTuple):
    """A classified case: its reference, scores, and whether its second column is the same as its first."""

    reference: int
    scores: np.ndarray
    agrees: bool


class OfClassifiedCases(Kind):
    cls = ClassifiedCases
    in_order = True
    shallow = False

    def makers(self):
        return st.builds(lambda columns, keeps: partial(ClassifiedCases, len(CODES), columns, keeps),
                         st.sampled_from([2, 1, 0]), st.booleans())  # fmt: skip

    def cases(self, width):
        return self.rows

    @cached_property
    def rows(self):
        rows = itertools.product(CODES, itertools.product([-1.0, 0.5, np.nan], repeat=2), (0, 2), (True, False))
        pool = [Row(code, np.insert(scores, place, 0.5), agrees) for code, scores, place, agrees in rows]
        pool += [row._replace(scores=row.scores.astype(np.float32)) for row in pool]
        agree = [row for row in pool if row.agrees]
        return st.lists(st.sampled_from(agree), max_size=5) | st.lists(st.sampled_from(pool), max_size=5)

    def add_batch(self, filled, cases):
        if not cases:
            return
        scores = np.array([case.scores for case in cases]).T
        agrees = np.array([case.agrees for case in cases])
        second = scores if agrees.all() else np.where(agrees, scores, scores / 2)
        reference = np.array([case.reference for case in cases])
        columns = (scores, second)[: len(filled.columns)]
        filled.add(CaseBatch(reference, ranks_by_score(scores), columns, scores[:2].astype(float)), cases)

    def content(self, filled):
        columns = [(each.values.dtype, repr(each.values.tolist())) for each in (*filled.columns, filled.totals)]
        shared = len(filled.columns) == 2 and filled.columns[0] is filled.columns[1]
        tables = [table.tolist() for table in filled.tallies]
        objects = [repr(each) for batch in filled.objects or () for each in batch]
        return tables, filled.reference.tolist(), filled._first.values.tolist(), columns, shared, objects

    def listed(self, filled):
        sides = itertools.product(CODES, (True, False), (True, False)) if filled.objects is not None else ()
        return {side: list(map(repr, filled.found(*side))) for side in sides}


STATES = [
    OfScoredCases(), OfScoreSketch(), OfBinaryTable(), OfCategoryTable(), OfDecisionTable(), OfGrowingColumns(),
    OfClassifiedCases(),
]  # fmt: skip
