"""Reports on partitioned scores of one model or several."""

from collections.abc import Mapping
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from evalcore.distributed import partitions
from evalcore.distributed.groups import GroupNumbers, GroupsOfPartitions, measure_groups, number_groups
from evalcore.distributed.on_spark import computed_once
from evalcore.distributed.partitions import ClassWeights, PartitionedColumns, merge_class_weights, weigh_partition
from evalcore.distributed.ranges import AVERAGE_PRECISION, MAXIMUM_F1, ROC_AUC, exact_statistics
from evalcore.document.report import Report
from evalcore.errors import check, check_type
from evalcore.evaluation.answers import check_report
from evalcore.evaluation.model import Answer, ColumnRecords, Columns, Section, Whole
from evalcore.evaluation.question import Question
from evalcore.evaluation.statistics.groups import TOTAL, named_groups
from evalcore.evaluation.statistics.tallies import sections_of, sums_of_counts
from evalcore.evaluation.summaries import certified_columns, measures_of
from evalcore.evaluation.weighting import UNWEIGHTED, Weighting
from evalcore.measures.bounds import Certified
from evalcore.streaming.score_summary import DEFAULT_CAPACITY, checked_capacity
from evalcore.typing import IntArray, WeightType
from evalcore.validation.labels import encode_labels
from evalcore.validation.weights import are_frequencies, check_total_weight

_WEIGHTED = "y_true", "sample_weight"
_CERTIFIED_HEADING = "certified: exact values lie within the intervals"


def evaluate(
    y_true: Any,
    y_score: Any,
    *,
    data: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    weight_type: WeightType = "sampling",
    by: Any = None,
    groups: int | None = None,
    min_cases: int | None = None,
    exact: bool = False,
    capacity: int = DEFAULT_CAPACITY,
) -> Report:
    """Evaluate one model or several: cases, positives, ROC AUC, average precision and maximum F1.

    Parameters
    ----------
    y_true : dask array, dask Series, or str
        Labels: Booleans, {0, 1}, {-1, 1}, or any labels with `pos_label`.  A string names a column of `data`.
    y_score : dask array, Series or str, a list of str, or a mapping
        Scores of one model, or of several: names of columns of `data`, or a mapping of names to arrays or columns.
        They may be infinite, as in `evalcore.evaluate`.
    data : Spark DataFrame, dask DataFrame, or path or list of paths of Parquet files, optional
        The table whose columns are named.
    pos_label : number, bool or str, optional
        The positive label, if it is not 1 or True.
    sample_weight : dask array, Series or str, optional
        Finite weights, none negative, for each case.
    weight_type : {"sampling", "frequency"}, default "sampling"
        What weights are.  "sampling": how many cases of the population each case stands for.  "frequency": how many
        cases like it there were, a whole number.  See the notes of `evalcore.evaluate`, also on `cases`, `weight` and
        `effective_cases`.
    by : dask array, Series or str, or a sequence of str, optional
        Groups: each is reported, the largest first, and then the total.  Of several columns, each combination that
        occurs is a group, as in `evalcore.evaluate`.
    groups : int, default 10,000
        Number of groups allowed.
    min_cases : int, optional
        Leaves out smaller groups; a note says how many.  The total is of all cases.
    exact : bool, default False
        Whether to order all cases, for the very numbers of `evalcore.evaluate`, not bounds from summaries.
    capacity : int
        Number of intervals of a summary, 32 bytes each.  The bounds are about 1 / capacity apart.

    Returns
    -------
    Report
        As from `evalcore.evaluate`, with a record for each model.  Without `exact`, intervals always contain the exact
        values.

    Raises
    ------
    EvaluationError, EvaluationTypeError
        As `roc_auc_score`; if there are no scores, a column is named twice, or frequencies are not whole or have a sum
        of 2**53 or more.

    Notes
    -----
    Use it for several numbers, models or groups at once.  Equal, with `exact`, to the numbers of
    `evalcore.evaluate`.

    Each model costs what `roc_auc_score` does, on Spark the count of rows and the sample too; a frame of Spark is
    computed once for all of them, and the columns asked for stay on the executors' disks until then.  Labels and
    weights are read once more, to add up the weights.  So Spark has three jobs for each model, and with weights two
    more; with `by` two more, and another for each model; beside small ones, and one for each shuffle with adaptive
    execution.

    With `by`, groups are counted first.  Then the cases of each are brought together and counted exactly, with `exact`
    or without, but for the rounding of weights that are not whole: 13 bytes of each case, and 8 of its weight, move
    between workers once more for each model.  Only groups of more than 16 million cases are evaluated as all cases are,
    one after the other.

    Examples
    --------
    >>> import dask.array as da
    >>> y_true, y_score = da.from_array([0, 0, 1, 1], chunks=2), da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
    >>> evaluate(y_true, {"model": y_score}, exact=True)["model"]["maximum_f1"]
    0.8
    >>> weights = da.from_array([1, 1, 1, 2], chunks=2)
    >>> evaluate(y_true, y_score, sample_weight=weights, weight_type="frequency", exact=True)["y_score"]["cases"]
    5
    >>> carriers = da.from_array(["AA", "AA", "AA", "UA"], chunks=2)
    >>> evaluate(y_true, {"model": y_score}, by=carriers)["AA"]["roc_auc"]
    0.5
    """
    checked_capacity(capacity)
    are_frequencies(weight_type, "evaluate")
    models = _models(y_score)
    positive = None if pos_label is None else str(pos_label)
    weight = None if sample_weight is None else _name_of_column(sample_weight, "sample_weight")
    weighting = UNWEIGHTED if weight is None else Weighting(weight, weight_type)
    keys = _columns_of_groups(by)
    label, by_columns = _name_of_column(y_true, "y_true"), tuple(keys)
    question = Question(label, tuple(models), positive=positive, by=by_columns, groups=groups, min_cases=min_cases)
    question = question._replace(weighting=weighting)
    check_report(question)
    asked = ModelStatistics(pos_label, weighting, None if exact else capacity)
    with computed_once(data, (y_true, sample_weight, *models.values(), *keys.values())) as kept:
        classes = None
        if sample_weight is not None:
            classes = asked.class_weights(partitions.partitioned_columns(y_true, sample_weight, kept, names=_WEIGHTED))
        columns_of = partial(partitions.partitioned_columns, y_true, data=kept, sample_weight=sample_weight)
        found = {name: asked.of_model(columns_of(each), classes) for name, each in models.items()}
        whole = sections_of(None, found, 1.0)[0]._replace(title="" if exact else _CERTIFIED_HEADING)
        if not keys:
            return Report(Answer([whole]), question)
        grouped = {name: columns_of(each, by=list(keys.values())) for name, each in models.items()}
        return Report(grouped_answer(grouped, question, whole, asked), question)


def _columns_of_groups(by: Any) -> dict[str, Any]:
    """Return columns of groups by their names."""
    if by is None:
        return {}
    several = list(by) if isinstance(by, list | tuple) else [by]
    defaults = ["by"] if len(several) == 1 else [f"by {number}" for number in range(1, len(several) + 1)]
    names = list(map(_name_of_column, several, defaults))
    check(len(set(names)) == len(names), "columns of groups", "be distinct", ", ".join(map(repr, names)))
    return dict(zip(names, several, strict=True))


def _models(y_score: Any) -> dict[str, Any]:
    """Return scores by the names of their models."""
    if isinstance(y_score, Mapping):
        models = dict(y_score)
        for name in models:
            check_type(isinstance(name, str), "keys of y_score", "be strings", name)
    elif isinstance(y_score, list | tuple) and all(isinstance(name, str) for name in y_score):
        check(len(set(y_score)) == len(y_score), "y_score", "name each column once", ", ".join(map(repr, y_score)))
        models = {name: name for name in y_score}
    else:
        models = {_name_of_column(y_score, "y_score"): y_score}
    check(models, "y_score", "name at least one column of scores", "none")
    return models


def _name_of_column(column: Any, default: str) -> str:
    if isinstance(column, str):
        return column
    return str(column.name) if hasattr(column, "to_frame") else default  # as a Series has


class ModelStatistics(NamedTuple):
    """What is asked of a model: numbers of cases, ROC AUC, average precision and maximum F1."""

    pos_label: Any
    weighting: Weighting
    capacity: int | None
    """Number of intervals of a summary; None for exact values."""

    def of_model(self, columns: PartitionedColumns, classes: ClassWeights | None) -> Columns:
        """Return the statistics of all cases; classes: the weights of both classes, if cases have some."""
        if self.capacity is None:
            return self._exact(columns, classes)
        summary = partitions.merged_summary(columns, self.capacity, self.pos_label)
        sums, divisor = classes or ClassWeights(sums_of_counts((summary.positives, summary.negatives)))
        return certified_columns(sums, self.weighting, measures_of(summary), bounded=True, divisor=divisor)

    def class_weights(self, columns: PartitionedColumns) -> ClassWeights:
        """Add up the weights of positives and of negatives; columns: labels and weights.  O(n)."""
        frequencies = self.weighting.of_frequencies
        classes: ClassWeights = columns.merged(weigh_partition, merge_class_weights, self.pos_label, frequencies)
        check_total_weight(classes.total, columns.names[1], whole=frequencies)
        return classes

    def _exact(self, columns: PartitionedColumns, classes: ClassWeights | None) -> Columns:
        counts, (*areas, best) = exact_statistics(columns, self.pos_label, ROC_AUC, AVERAGE_PRECISION, MAXIMUM_F1)
        maximum = Certified(best.value, best.value) if counts.positives else Certified(0.0, 0.0)
        sums, divisor = classes or ClassWeights(sums_of_counts(counts))
        certified = certified_columns(sums, self.weighting, (*areas, maximum), bounded=False, divisor=divisor)
        return certified.plus(Columns({"maximum_f1_threshold": np.array([best.threshold])}))


def grouped_answer(
    columns: Mapping[str, PartitionedColumns], question: Question, whole: Section, asked: ModelStatistics
) -> Answer:
    """Return a section for each model with a record for each group and, last, one for all cases.

    columns: of each model, with those of groups; whole: the statistics of all cases.
    """
    groups = GroupsOfPartitions(question.by, question.most_groups, question.weighting.of_frequencies)
    table = next(iter(columns.values())).merged(groups.counted, groups.merge)
    names, notes = named_groups(table.sizes, list(map(encode_labels, table.labels)), question.min_cases)
    numbers, names_of = number_groups(table, groups), {number: name for name, number in names.items()}
    sections = []
    for model, each in columns.items():
        total = whole.columns.ordered([model]).parts
        found, parts = _statistics_of_groups(each, numbers, asked, np.array([*names_of]))
        named = [names_of[number] for number in np.concatenate(found).tolist()]
        records = ColumnRecords((*named, TOTAL), [part.only(whole.statistics) for part in (*parts, *total)], 1.0)
        whole_of = Whole(whole.name, whole.record)
        sections.append(Section(model, model, "group", records.ordered([*names, TOTAL]), whole=whole_of))
    return Answer(sections, notes=tuple(notes))


def _statistics_of_groups(
    columns: PartitionedColumns, numbers: GroupNumbers, asked: ModelStatistics, chosen: IntArray
) -> tuple[list[IntArray], list[Columns]]:
    """Return the numbers of some groups, and their statistics, in parts; only those of large groups have bounds."""
    found, parts = list[IntArray](), list[Columns]()
    measure = partial(measure_groups, asked.weighting)
    for of_bucket, measured in columns.exchanged(numbers.buckets, numbers.part, measure, asked.pos_label):
        if (kept := np.flatnonzero(np.isin(of_bucket, chosen))).size:
            found.append(of_bucket[kept])
            parts.append(measured.at(kept))
    for number in chosen[numbers.bucket_of[chosen] < 0].tolist():
        own = columns.selected(partial(numbers.of_group, number=number), columns.names[: -len(numbers.groups.names)])
        classes = None
        if len(own.names) > 2:
            classes = asked.class_weights(own.selected(itemgetter(0, 2), (own.names[0], own.names[2])))
        found.append(np.array([number]))
        parts.append(asked.of_model(own, classes))
    return found, parts
