"""Rows that come in batches: which are kept, their columns, their groups, and counts of their pairs of classes.

Errors give indices in the whole file.  Groups are numbered in the order of their first batches.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from evalcore.errors import counting_kept_rows
from evalcore.evaluation import inputs
from evalcore.evaluation.answers import answer_of, answer_on, completed, needs_matrix
from evalcore.evaluation.cases import classified
from evalcore.evaluation.joining import JoinedTables
from evalcore.evaluation.model import Answer
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import check_number_of_groups, columns_text, combinations, named_groups
from evalcore.evaluation.weighting import RowWeights, Weighting, check_total
from evalcore.io.columns import ColumnArrays, Selection, column_arrays, numbers_of_array, selected_arrays
from evalcore.io.conditions import holds_text
from evalcore.io.libraries import pa
from evalcore.io.memory import check_room
from evalcore.io.rows import RowFilter
from evalcore.kernels.weights import WeightSums
from evalcore.typing import AnyArray, BoolArray, IntArray, ScoreArray
from evalcore.validation.arrays import as_exact_scores, refuse_first
from evalcore.validation.labels import encode_labels
from evalcore.validation.weights import total_weight

_LARGEST, _SMALLEST = 2.0**200, 2.0**-200
"""Products of four sums of such weights fit float64; all weights in memory are divided by the largest instead."""


def batch_labels(column: Any, name: str, positive: str | None = None, first: int = 0) -> BoolArray:
    """Return the mask, (n,), of `positive_rows_of_part` for a pyarrow array without nulls.  O(n)."""
    if holds_text(column.type):
        encoded = column.dictionary_encode()
        classes = inputs.positive_classes(encoded.dictionary.to_pylist(), name, positive)
        return np.asarray(classes[numbers_of_array(encoded.indices)])
    return inputs.positive_rows_of_part(batch_values(column, name), name, positive, first)


def batch_scores(column: Any, name: str, first: int = 0) -> ScoreArray:
    """Return a pyarrow array without nulls as scores, (n,) float32 or float64, each exactly.  O(n)."""
    return as_exact_scores(inputs.numeric_scores(batch_values(column, name), name, first), f"column {name!r}", first)


def batch_weights(batch: Any, weighting: Weighting, first: int = 0) -> AnyArray | None:
    """Return the weights of a record batch without nulls, (n,) int64 or float64, frequencies int64, if any.  O(n)."""
    name = weighting.column
    if name is None:
        return None
    return inputs.numeric_weights(batch_values(batch.column(name), name), name, first, whole=weighting.of_frequencies)


def batch_values(column: Any, name: str) -> AnyArray:
    """Return a pyarrow array without nulls as an array, (n,).  O(n)."""
    return column_arrays(pa.table({name: column}), [name])[name]


def check_groups(column: Any, name: str, first: int) -> None:
    """Raise EvaluationError, with its row, for a value of a pyarrow array without nulls that names no group.  O(n)."""
    if pa.types.is_floating(column.type) or pa.types.is_nested(column.type):
        inputs.group_labels(batch_values(column, name), name, first)


class RowBuffer:
    """The rows of the columns of a schema, checked as they come, for a report that needs all of them.

    >>> batch = pa.record_batch({"late": [True, False], "model": [0.9, 0.1]})
    >>> buffer = RowBuffer(Question("late", ("model",)), batch.schema)
    >>> buffer.update(batch, 0)
    >>> buffer.columns()["model"]
    array([0.9, 0.1])
    """

    exact = True

    def __init__(self, question: Question, schema: Any) -> None:
        self.question = question
        self.schema = schema
        self.batches: list[Any] = []

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch; `first` is the index of its first row in the file, for errors.  O(n)."""
        label = self.question.label
        for name in self.question.scores:
            batch_scores(batch.column(name), name, first)
        if self.question.scores:
            batch_labels(batch.column(label), label, self.question.positive, first)
        for by in self.question.group_columns:
            check_groups(batch.column(by), by, first)
        self.batches.append(batch)

    def columns(self) -> ColumnArrays:
        """Return the columns as arrays, (n,) each, and forget the batches.  O(n)."""
        table = pa.Table.from_batches(self.batches, self.schema)
        self.batches = []
        asked = self.question.selection
        how = Selection((), shown=asked.shown, kept_nulls=asked.kept_nulls)
        return selected_arrays(table, self.schema.names, how)

    def answer(self, rows: RowFilter | None = None) -> Answer:
        """Return the report, as `answer_on`."""
        return answer_on(self.question, self.columns(), rows)


@dataclass
class KeptRows:
    """Hands on the rows that a filter keeps, or in the end a sample of them, and of these those with weights above 0.

    add: takes a record batch and the index of its first row; rows: the filter, None for all rows; names: the columns
    that the filter hands on.

    >>> from evalcore.io.rows import Rows
    >>> batch = pa.record_batch({"late": [True, False, None], "model": [0.9, 0.1, 0.5], "w": [2.5, 0.0, 1.0]})
    >>> buffer = RowBuffer(Question("late", ("model",)), batch.schema)
    >>> KeptRows(buffer.update, Weighting("w"), RowFilter(Rows(nulls="drop"), str), batch.schema.names).update(batch, 0)
    >>> buffer.columns()["w"]
    array([2.5])
    """

    add: Callable[[Any, int], None]
    weighting: Weighting
    rows: RowFilter | None = None
    names: Sequence[str] = ()
    _total: float = 0.0
    """The weight of all rows so far."""
    _kept: int = 0
    """Rows of the file that the filter has kept."""
    _weighted: int = 0
    """Those of them that have a weight above zero."""

    def __post_init__(self) -> None:
        self._sample = None if self.rows is None else self.rows.sample()

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch; `first` is the index of its first row in the file, for errors.  O(n)."""
        if first == 0:
            self._kept = self._weighted = 0
        if self.rows is None:
            self._hand_on(batch, first)
            return
        kept = self.rows.kept(batch, self.names, first)
        if self._sample is None:
            self._hand_on_kept(kept)
        else:
            self._sample.add(kept)

    def finish(self) -> None:
        """Hand on the sample, if there is one; raise EvaluationError if no row, or no weight, is left.  O(n log n)."""
        if self.rows is not None:
            self.rows.check_rows()
        if self._sample is not None and self._sample.seen:
            self._kept = self._weighted = 0
            self._hand_on_kept(self._sample.rows())
        if self.weighting.column is not None:
            check_total(self._total, self.weighting)

    def _hand_on_kept(self, table: Any) -> None:
        with counting_kept_rows():
            for batch in table.to_batches():
                self._hand_on(batch, self._kept)
                self._kept += batch.num_rows

    def _hand_on(self, batch: Any, first: int) -> None:
        if not batch.num_rows:
            return
        weights = batch_weights(batch, self.weighting, first)
        if weights is None:
            self.add(batch, first)
            return
        self._total += total_weight(weights)
        if self._total:
            check_total(self._total, self.weighting)
        invalid = (weights > _LARGEST) | ((weights < _SMALLEST) & (weights > 0))
        text = "is {}; weights of rows that are read in batches must be 0, or from 2**-200 to 2**200: multiply all "
        refuse_first(invalid, weights, f"column {self.weighting.column!r}", f"{text}of them by one number", first)
        if not weights.all() and not (batch := batch.filter(pa.array(weights > 0))).num_rows:
            return
        with counting_kept_rows() if self._weighted < first or batch.num_rows < weights.size else nullcontext():
            self.add(batch, self._weighted)
        self._weighted += batch.num_rows


class GroupCodes:
    """The groups of some columns, at most `most`, each with a code from 0 on.

    >>> import pyarrow
    >>> groups = GroupCodes(["carrier"], 10)
    >>> groups.codes([pyarrow.array(["b", "a", "b"])]), groups.codes([pyarrow.array(["c", "a"])])
    (array([0, 1, 0], dtype=int32), array([2, 1], dtype=int32))
    >>> groups.ordered(np.array([2, 2, 1]))
    {'a': 1, 'b': 0, 'c': 2}
    """

    def __init__(self, names: Sequence[str], most: int, periods: Mapping[str, str] = {}) -> None:
        self._names = names
        self._most = most
        self._periods = periods
        self._codes: dict[tuple[Any, ...], int] = {}
        """By the values of the columns: strings, integers, Booleans or floats."""
        self._dtypes: list[np.dtype[Any]] = []
        """The types that these come from."""
        self.notes: Sequence[str] = ()
        """What a reader must know of the groups that were ordered."""

    def __len__(self) -> int:
        return len(self._codes)

    def codes(self, columns: Sequence[Any], first: int = 0) -> IntArray:
        """Return the codes of the rows of pyarrow arrays without nulls, (n,) int32.  O(n), several O(n log n).

        first: the index of the first row, for errors.  Raises EvaluationError for values that cannot be groups, and for
        too many groups.
        """
        known, of_rows, labels = len(self._codes), list[IntArray](), list[AnyArray]()
        for column, name in zip(columns, self._names, strict=True):
            check_groups(column, name, first)
            encoded = column.dictionary_encode()
            of_rows.append(numbers_of_array(encoded.indices))
            labels.append(inputs.group_labels(batch_values(encoded.dictionary, name), name, first, self._periods))
        self._dtypes = [each.dtype for each in labels]
        numbers, of_columns = combinations(of_rows, [each.size for each in labels])
        keys = (each.view(np.int64) if each.dtype.kind == "M" else each for each in labels)  # times of any unit
        values = zip(*(each[codes].tolist() for each, codes in zip(keys, of_columns, strict=True)), strict=True)
        code_of: Any = np.fromiter((self._codes.setdefault(each, len(self._codes)) for each in values), np.int32)
        if len(self._codes) > known:
            check_number_of_groups(len(self._codes), self._names, self._most, "at least ")
        return np.asarray(code_of[numbers])

    def ordered(self, sizes: IntArray, min_cases: int | None = None) -> dict[str, int]:
        """Return codes by name, the largest of the sizes (g,) first, equal ones by their labels.  O(g log g).

        min_cases: groups of fewer are left out, as `named_groups` does; `notes` then says so.
        """
        if not self._codes:
            return {}
        columns = zip(zip(*self._codes, strict=True), self._dtypes, strict=True)
        found = [encode_labels(np.array(labels, dtype)) for labels, dtype in columns]  # times of whole numbers, too
        names, self.notes = named_groups(sizes, found, min_cases)
        return names


_COUNT, _WEIGHT, _SQUARE = _SUMMED = "count", "weight", "square"
_PART, _PART_ROWS = "part", 1 << 12
"""Weights are added up in parts first: Arrow adds one after another, and a long sum in turn would lose digits."""
_BYTES_OF_A_PAIR, _BYTES_OF_A_WEIGHT, _BYTES_OF_A_GROUP = 250, 110, 4_000
"""While equal rows are added up; of a group, its statistics and the lines that show them."""


class DistinctRows:
    """How often each combination of label, predicted class and group occurs, or the weight of its rows above zero.

    >>> import pyarrow
    >>> rows = DistinctRows(Question("tree", predicted=("guess",)))
    >>> rows.update(pyarrow.record_batch({"tree": ["ash", "elm"], "guess": ["ash", "ash"]}), 0)
    >>> rows.answer().sections[-1].records.counts
    array([[1, 0],
           [1, 0]])
    """

    exact = True

    def __init__(self, question: Question) -> None:
        self._classes = [question.label, *question.predicted]
        names = dict.fromkeys((*self._classes, *question.by))
        self._keys = {name: str(index) for index, name in enumerate(names)}
        """Names of columns beside sums, whatever they are called."""
        self._question = question
        self._rows: Any = None

    def update(self, batch: Any, first: int) -> None:
        """Add a record batch; `first` is the index of its first row in the file, for errors.  O(n)."""
        question, types = self._question, pa.types
        for name in self._classes:
            if types.is_floating(batch.schema.field(name).type):
                inputs.class_columns({name: batch_values(batch.column(name), name)}, first)
        for name in question.by:
            check_groups(batch.column(name), name, first)
        columns = {key: batch.column(name) for name, key in self._keys.items()}
        rows = _summed(pa.table({**columns, **self._summands(batch)}))
        if self._rows is not None:
            # another file may have widened a type since
            rows = _summed(pa.concat_tables([self._rows, rows], promote_options="permissive"))
        needs_matrix(question, max(len(rows[self._keys[name]].unique()) for name in self._classes))
        each = _BYTES_OF_A_PAIR + (_BYTES_OF_A_WEIGHT if _WEIGHT in rows.column_names else 0)
        groups = 0
        if question.by:
            groups = rows.group_by([self._keys[name] for name in question.by]).aggregate([]).num_rows
            check_number_of_groups(groups, question.by, question.most_groups, "at least ")
        what = f"{columns_text([*question.by, *self._classes])}: {rows.num_rows:,} different rows take at least"
        check_room(rows.num_rows * each + groups * _BYTES_OF_A_GROUP, question.memory, what)
        self._rows = rows

    def answer(self, rows: RowFilter | None = None) -> Answer:
        """Return the report; rows: as of `completed`.  O(m log m + k²).

        Raises EvaluationError if labels and predictions differ in kind.
        """
        found = column_arrays(self._rows, self._rows.column_names)
        columns = {name: found[key] for name, key in self._keys.items()}
        question, weights = self._question, RowWeights(values=found[_COUNT])
        if _WEIGHT in found:
            sums = WeightSums(found[_WEIGHT], found[_SQUARE], found[_COUNT].astype(np.float64))
            weights = RowWeights(question.weighting, sums.sums, sums=sums)
        cases = classified(question, JoinedTables.alone(question, columns), weights)
        return completed(question, answer_of(question, cases), rows)

    def _summands(self, batch: Any) -> dict[str, Any]:
        """Return columns that are added up for each combination: ones, frequencies, or weights and squares too."""
        weighting = self._question.weighting
        weights = batch_weights(batch, weighting)
        if weights is not None and weighting.of_frequencies:
            return {_COUNT: pa.array(weights)}
        ones = {_COUNT: pa.repeat(pa.scalar(1, pa.int64()), batch.num_rows)}
        if weights is None:
            return ones
        floats, parts = weights.astype(np.float64, copy=False), np.arange(weights.size, dtype=np.int32) // _PART_ROWS
        return {**ones, _WEIGHT: pa.array(floats), _SQUARE: pa.array(floats * floats), _PART: pa.array(parts)}


def _summed(rows: Any) -> Any:
    """Add up the counts of equal rows, and their weights.  O(n)."""
    summed = [name for name in rows.column_names if name in _SUMMED]
    keys = [name for name in rows.column_names if name not in _SUMMED]
    sums = rows.group_by(keys, use_threads=False).aggregate([(name, "sum") for name in summed])
    sums = sums.select([*keys, *(f"{name}_sum" for name in summed)]).rename_columns([*keys, *summed])
    return _summed(sums.drop_columns([_PART])) if _PART in keys else sums
