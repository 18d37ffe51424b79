"""Counts of batches are the report of all rows, whose weights are those of the file."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalcore import EvaluationError
from evalcore.evaluation.answers import answer, needs_matrix, predictions_answer
from evalcore.evaluation.batches import DistinctRows, KeptRows, RowBuffer
from evalcore.evaluation.cases import paired_classes
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.model import CountRecords
from evalcore.evaluation.options import FREQUENCY
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.tallies import OF_CELLS
from evalcore.evaluation.weighting import RowWeights, Weighting
from evalcore.io.rows import RowFilter, Rows
from tests.differences import check_refusals, every, items_of, refused

QUESTION = Question("tree", predicted=("guess",))
KINDS = {"strings": list("abc"), "integers": [3, -1, 10], "Booleans": [True, False]}


def test_whole_floats_are_classes_and_one_column_can_be_both():
    state = DistinctRows(QUESTION)
    state.update(pa.record_batch({"tree": [1.0, 2.0], "guess": [1, 1]}), 0)
    assert [*state.answer().sections[-1].records] == ["1.0", "2.0"]
    with refused("column 'guess' must hold names or whole numbers, got 2.5 at index 71 (from 0)"):
        state.update(pa.record_batch({"tree": [1, 1], "guess": [1.0, 2.5]}), 70)
    state = DistinctRows(Question("tree", predicted=("tree",)))
    state.update(pa.record_batch({"tree": ["a", "b", "a"]}), 0)
    assert state.answer().sections[-1].records.counts.tolist() == [[2, 0], [0, 1]]


def test_more_pairs_or_classes_than_memory_holds_are_refused_at_once():
    state = DistinctRows(QUESTION._replace(memory=160_000_000 + 3 * 250))
    state.update(pa.record_batch({"tree": [1, 2, 2, 2], "guess": [1, 1, 1, 2]}), 0)
    with refused(
        "columns 'tree' and 'guess': 4 different rows take at least 1.0 kB, and the limit is 160 MB, of which the "
        "program takes 160 MB; allow more memory (--memory SIZE)"
    ):
        state.update(pa.record_batch({"tree": [1], "guess": [2]}), 4)
    assert state.answer().sections[-1].records.counts.sum() == 4
    grouped = DistinctRows(QUESTION._replace(memory=160_000_000 + 8_400, by=("site",)))
    with pytest.raises(EvaluationError, match=r"^columns 'site', 'tree' and 'guess': 2 different rows take .* 8.5 kB"):
        grouped.update(pa.record_batch({"tree": [1, 1], "guess": [1, 1], "site": ["a", "b"]}), 0)
    state = DistinctRows(QUESTION._replace(memory=256_000_000))
    state.update(pa.record_batch({"tree": range(1200), "guess": range(1200)}), 0)
    with refused(
        "columns 'tree' and 'guess': a matrix of at least 10,000 classes takes 6.2 GB, and the limit is 256 MB, of "
        "which the program takes 160 MB; allow more memory (--memory SIZE), or ask for what needs no matrix, such as "
        "measures='accuracy'"
    ):
        state.update(pa.record_batch({"tree": range(10_000), "guess": range(10_000)}), 1200)


@every("level", [None, 0.95])
@every("weighting", [Weighting(), Weighting("w", FREQUENCY)])
def test_without_room_for_a_matrix_the_pairs_tell_the_same(level, weighting):
    rng = np.random.default_rng(0)
    tree = rng.integers(0, 40, 500)
    guess = np.where(rng.random(500) < 0.6, tree, rng.integers(0, 45, 500))
    batch = pa.record_batch({"tree": tree, "guess": guess, "w": rng.integers(1, 5, 500)})
    chosen = Measures(("accuracy", "f1", "micro_f1" if level else "macro_f1"))
    roomy = QUESTION._replace(measures=chosen, level=level, weighting=weighting)
    tight = roomy._replace(memory=160_100_000)
    found = {}
    for question in (roomy, tight):
        state = DistinctRows(question._replace(memory=None))
        state.update(batch, 0)
        state._question = question
        found[question.memory] = [
            section for section in state.answer().sections if not isinstance(section.records, CountRecords)
        ]
    columns = {name: batch[name].to_numpy() for name in batch.schema.names}
    weights = RowWeights(values=None if weighting.column is None else columns["w"])
    cases = paired_classes("tree", columns["tree"], {"guess": columns["guess"]})._replace(weights=weights)
    found["rows"] = predictions_answer(tight, cases).sections
    (overall, by_class) = found.pop(None)
    asked = [item for item in overall.records[""] if item.name not in OF_CELLS]
    for lean_overall, lean_by_class in found.values():
        assert lean_by_class == by_class
        assert lean_overall._replace(records={}) == overall._replace(records={})
        assert lean_overall.records[""] == asked


@every(
    "asked",
    {},
    {"measures": Measures(("accuracy", "cramers_v"))},
    {"measures": Measures(("accuracy", "confusion_matrix"))},
    {"measures": Measures(("kappa",)), "level": 0.9},
    {"measures": Measures(("accuracy",)), "weighting": Weighting("w")},
    {"measures": Measures(("accuracy",)), "by": ("site",)},
    {"measures": Measures(("accuracy",)), "cluster": "site"},
)
def test_what_needs_the_matrix_is_refused_without_room_for_it(asked):
    with pytest.raises(EvaluationError, match=r": a matrix of at least 100 classes takes (620 kB|1\.0 MB), "):
        needs_matrix(QUESTION._replace(memory=160_100_000, **asked), 100)


ROWS = (
    st.sampled_from(list(KINDS.values()))
    .flatmap(
        lambda labels: st.lists(
            st.tuples(*[st.sampled_from(labels)] * 2, st.sampled_from("xy"), st.integers(0, 12)),
            min_size=1,
            max_size=30,
        )
    )
    .filter(lambda rows: any(row[-1] for row in rows))
)


def columns_of(rows, scale):
    tree, guess, site, weights = zip(*rows, strict=True)
    return {"tree": tree, "guess": guess, "site": site, "w": [weight / scale if scale > 1 else weight for weight in
            weights]}  # fmt: skip


def numbers(sections):
    """Return all numbers of sections by where they stand, with the bounds of intervals."""
    each = {key: (item.value, *(item.interval or ())) for key, item in items_of(sections).items()}
    return {(*key, place): value for key, values in each.items() for place, value in enumerate(values)}


@given(
    ROWS, st.integers(1, 10), st.sampled_from([(), ("site",)]),
    st.sampled_from([(1, Weighting()), (1, Weighting("w", FREQUENCY)), *((n, Weighting("w")) for n in (1, 3, 4))]),
)  # fmt: skip
def test_counts_are_those_of_all_rows_whatever_they_weigh(rows, size, by, kind):
    scale, weighting = kind
    question = Question("tree", predicted=("guess",), by=by, level=0.9, weighting=weighting)
    counts = DistinctRows(question)
    state = KeptRows(counts.update, weighting)
    for begin in range(0, len(rows), size):
        state.update(pa.record_batch(columns_of(rows[begin : begin + size], scale)), begin)
    state.finish()
    whole = answer(question, lambda selection: {name: np.array(column) for name, column in
                   columns_of(rows, scale).items()})  # fmt: skip
    of_batches = counts.answer()
    assert of_batches.notes == whole.notes  # with how many cases intervals are rough
    found, expected = numbers(of_batches.sections), numbers(whole.sections)
    assert list(found) == list(expected)
    for key, value in found.items():
        assert value == pytest.approx(expected[key], rel=1e-11, abs=1e-12, nan_ok=True), key
        if scale != 3:
            assert value == expected[key] or (math.isnan(value) and math.isnan(expected[key]))


def test_long_sums_of_weights_keep_their_digits():
    size = 1 << 16
    state = DistinctRows(Question("tree", predicted=("guess",), weighting=Weighting("w")))
    for _ in range(3):
        state.update(pa.record_batch({"tree": ["a"] * size, "guess": ["a"] * size, "w": [0.1] * size}), 0)
    assert state.answer().sections[-1].records.counts[0, 0] == pytest.approx(float(3 * size * Fraction(0.1)), rel=2e-13)


def batch(weights, scores=None):
    count = len(weights)
    scores = [0.5] * count if scores is None else scores
    return pa.record_batch({"late": [True, False] * (count // 2), "model": scores, "w": weights})


def kept(first, weighting=None, rows=None):
    weighting = weighting or Weighting("w")
    buffer = RowBuffer(Question("late", ("model",), weighting=weighting), first.schema)
    return KeptRows(buffer.update, weighting, rows, first.schema.names), buffer


def test_rows_of_weight_zero_are_left_out_but_not_all():
    first, second = batch([1.0, 0.0], [0.1, 0.2]), batch([0.0, 2.5], [0.3, 0.4])
    state, buffer = kept(first)
    state.update(first, 0)
    state.update(second, 2)
    state.finish()
    assert buffer.columns()["model"].tolist() == [0.1, 0.4]
    state, _ = kept(batch([0, 0]))
    state.update(batch([0, 0]), 0)
    with pytest.raises(EvaluationError, match=r"^column 'w' must hold a weight above 0, got only zeros$"):
        state.finish()
    state.update(batch([0, 3]), 0)
    state.finish()


INVALID = [
    ([1.0, -2.0], None), ([float("inf"), 1.0], None), ([1.0, 0.5], "frequency"), ([1.7e308, 1.7e308], None),
    ([1.0, 1e100], None), ([1e-100, 0.0], None), ([2.0**52, 2.0**52 - 1], "frequency"),
]  # fmt: skip


def test_an_invalid_weight_is_named_with_its_row_in_the_file():
    def ask(row):
        weights, kind = row
        state, _ = kept(batch(weights), Weighting("w", kind))
        state.update(batch([1.0, 2.0]), 0)
        state.update(batch(weights), 2)

    check_refusals("evaluation/outputs/refused_weights.txt", ask, INVALID)


def test_errors_say_which_rows_they_count_anew_in_each_file():
    bad = batch([1.0, 1.0], [0.5, float("nan")])
    for before, why in (([1.0, 1.0], "at index 3 (from 0);"),
                        ([1.0, 0.0], "at index 2 (from 0, of the rows that are kept);")):  # fmt: skip
        state, _ = kept(bad)
        state.update(batch(before), 0)
        with pytest.raises(EvaluationError) as raised:
            state.update(bad, 2)
        assert str(raised.value).startswith(f"column 'model' is NaN {why}")
    state, _ = kept(batch([1.0, 0.0]))
    state.update(batch([1.0, 0.0]), 0)
    with pytest.raises(EvaluationError, match=r"^column 'model' is NaN at index 1 \(from 0\);"):
        state.update(batch([1.0, 1.0], [0.5, float("nan")]), 0)


def test_weights_are_those_of_the_rows_that_are_kept():
    first = batch([None, 2.0], [0.1, 0.2])
    state, buffer = kept(first, rows=RowFilter(Rows(nulls="drop", where="model < 0.5", sample=1), str))
    state.update(first, 0)
    state.update(batch([-1.0, 1.0], [0.7, 0.9]), 2)
    state.finish()
    assert buffer.columns()["w"].tolist() == [2.0]
    state, _ = kept(first, rows=RowFilter(Rows(nulls="drop"), str))
    state.update(first, 0)
    with pytest.raises(EvaluationError, match=r"^column 'w' at index 2 \(from 0, of the rows that are kept\) is -1.0;"):
        state.update(batch([1.0, -1.0]), 2)
