"""`evalcore.compare`: models compared on the same cases."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal

from evalcore.comparison.comparison_report import ComparisonReport
from evalcore.errors import check
from evalcore.evaluation.comparing import OLD, answer_tables
from evalcore.evaluation.joining import distinct_names
from evalcore.evaluation.measure_choice import Measures
from evalcore.evaluation.options import CHANGED, RESAMPLES
from evalcore.evaluation.question import Question, named_positive, refuse_columns
from evalcore.evaluation.thresholds import asked_thresholds, checked_costs
from evalcore.evaluation.weighting import Weighting
from evalcore.inference.intervals import checked_level
from evalcore.io.columns import ColumnArrays, Selection
from evalcore.io.formats import naming
from evalcore.io.frames import from_frame
from evalcore.io.rows import Rows
from evalcore.report.evaluation import checked_names, names_of
from evalcore.typing import RocDifferenceMethod, WeightType


def compare(
    old: Any,
    new: Any = None,
    *,
    on: str | Sequence[str] | None = None,
    label: str,
    score: str | Sequence[str] | Mapping[str, str] | None = None,
    old_score: str | Mapping[str, str] | None = None,
    predicted: str | Sequence[str] | None = None,
    old_predicted: str | None = None,
    positive: Any = None,
    measures: str | Sequence[str] | None = None,
    threshold: float | Sequence[float] | None = None,
    costs: tuple[float, float] | None = None,
    by: str | Sequence[str | Sequence[str]] | None = None,
    min_cases: int | None = None,
    cluster: str | None = None,
    ci: float = 0.95,
    margin: float | Mapping[str, float] | None = None,
    margin_level: float | None = None,
    method: Literal["analytic", "bootstrap", "permutation"] = "analytic",
    ci_method: RocDifferenceMethod | None = None,
    resamples: int = RESAMPLES,
    stratify: bool = False,
    seed: int = 0,
    changed: int = CHANGED,
    allow: str | Iterable[str] = (),
    weight: str | None = None,
    weight_type: WeightType | None = None,
    target_prevalence: float | None = None,
    nulls: Literal["refuse", "drop"] = "refuse",
    where: Any = None,
    text: str | Sequence[str] | None = None,
    pos_label: Any = None,
) -> ComparisonReport:
    """Compare models on the same cases, as ``evalcore compare`` does for files.

    A difference is always that of the new model less the old one.

    Parameters
    ----------
    old : pandas, polars or pyarrow table, polars LazyFrame, DuckDB relation, or mapping of names to arrays
        What `evalcore.evaluate` takes, with the predictions of the old model.
    new : table of the same kinds, sequence of tables, or mapping of names of models to tables, optional
        The predictions of the new model, or of each of several new models, in any order of rows.  By default all models
        are columns of `old`.
    on : str or sequence of str, optional
        The columns that together identify a case, in all tables: text, whole numbers, Booleans or dates.
    label : str
        The column of labels.  Each table may have it.
    score : str, sequence of str or mapping of str to str
        Columns of scores of the new models; or classes and their columns of scores, which are compared without
        thresholds and by the analytic method alone.
    old_score : str or mapping of str to str, optional
        The column of scores of the old model, by default that of the new one; or its columns of the same classes.
    predicted, old_predicted : str or sequence of str, optional
        Columns of predicted classes, in place of scores.  They are compared with labels as `evaluate` does.
    positive : str, number or bool, optional
        The positive label, if it is not 1 or True.
    measures : str or sequence of str, optional
        Names of the measures that are compared, such as "roc_auc" or "recall@0.3".  By default those that all cases
        have an interval for.
    threshold : float or sequence of float, optional
        Adds the measures of predicting scores of at least this positive, and what changed hands there.
    costs : tuple of two floats, optional
        The costs of a false positive and of a false negative, for measures such as "expected_cost@0.5".
    by : str, or sequence of str or of sequences of str, optional
        Columns of groups, each a grouping of its own; of several columns together, ``by=[("carrier", "month")]``, each
        combination that occurs is a group, with a name such as "AA, 3".
    min_cases : int, optional
        Leaves out smaller groups.
    cluster : str, optional
        The column of clusters, such as patients or months, whose cases may depend on each other.
    ci : float, default 0.95
        The level of intervals and verdicts.
    margin : float or mapping of str to float, optional
        The smallest difference that matters, in units of each measure: verdicts are then "superior", "non-inferior",
        "equivalent", "inferior" or "inconclusive".  A mapping has margins of some measures, such as
        ``{"roc_auc": 0.005, "recall": 0.02}``; "recall" means recall at every threshold, or of every class, that has
        no margin of its own.  Measures without a margin are called better, worse or not shown to differ.
    margin_level : float, optional
        The level of the intervals that verdicts with a margin follow from, such as 0.9 for two one-sided tests at 5%.
        By default those are the intervals of `ci`.
    method : {'analytic', 'bootstrap', 'permutation'}, default 'analytic'
        Where intervals and p-values come from; permutations are of predicted classes alone.
    ci_method : {'delong-score', 'delong'}, default 'delong-score'
        The analytic interval of differences of ROC AUCs, with its p-value; see `evalcore.inference.compare_roc_auc`.
    resamples : int, default 1000
        Number of resamples or permutations.
    stratify : bool, default False
        Whether resamples keep the number of cases of each class.
    seed : int, default 0
        Of the random numbers of resamples and permutations.
    changed : int, default 10
        Number of cases that each list of changed ones holds at most.
    allow : str or iterable of str, optional
        What is counted rather than refused: 'missing' (ids that one table lacks: only the cases of all tables are
        compared), 'repeated' (ids of several rows: the first row counts), 'labels' (labels that disagree: those of the
        new table count).
    weight, weight_type, target_prevalence
        As in `evalcore.evaluate`.
    nulls, where, text
        As in `evalcore.evaluate`, for each table.  A condition (`where`) is applied to the tables that have its
        columns, and chooses the cases of all.
    pos_label : str, number or bool, optional
        Another name for `positive`.

    Returns
    -------
    ComparisonReport

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a column is missing or invalid, ids are missing or repeated, labels disagree, or arguments are incompatible.

    Notes
    -----
    O(n log n).  Columns of labels, groups, clusters and weights come from the new table if it has them, of several from
    the first that has them, else from the old table.  A note counts the cases for which the tables disagree.

    Examples
    --------
    >>> old = {"id": [1, 2, 3, 4], "late": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.6]}
    >>> new = {"id": [4, 3, 2, 1], "score": [0.1, 0.8, 0.3, 0.7]}
    >>> report = compare(old, new, on="id", label="late", score="score")
    >>> report["roc_auc"].old, report["roc_auc"].new, report["roc_auc"].found.difference
    (0.75, 1.0, 0.25)

    Two columns of one table, without ids:

    >>> flights = {"late": [1, 0, 1, 0], "base": [0.9, 0.2, 0.4, 0.6], "forest": [0.7, 0.3, 0.8, 0.1]}
    >>> report = compare(flights, label="late", score="forest", old_score="base", margin={"roc_auc": 0.05})
    >>> report["roc_auc"].verdict, report["roc_auc"].margin
    ('inconclusive', 0.05)
    """
    classes, old_classes = (dict(each) if isinstance(each, Mapping) else None for each in (score, old_score))
    scores, old_column = score if classes is None else [*classes.values()], None if old_classes else old_score
    several = {"score": scores, "predicted": predicted, "on": on, "text": text, "measures": measures}
    one: dict[str, Any] = {"old_score": old_column, "old_predicted": old_predicted, "cluster": cluster, "label": label}
    refuse_columns("by", by)
    named = checked_names(several, one | {"weight": weight})
    score_columns, measure_names = named.pop("score"), named.pop("measures")
    question = Question(
        **named, **one, by=_groupings(by), scores=() if classes else score_columns, classes=classes,
        measures=Measures(measure_names), positive=named_positive(positive, pos_label, "compare"),
        old_classes=old_classes, thresholds=asked_thresholds(threshold),
        costs=None if costs is None else checked_costs(costs),
        allow=frozenset((allow,) if isinstance(allow, str) else allow), min_cases=min_cases,
        weighting=Weighting(weight, weight_type, target_prevalence), level=checked_level(ci, "ci"), margin=margin,
        margin_level=margin_level, method=method, ci_method=ci_method, resamples=resamples, stratify=stratify,
        seed=seed, changed=changed, rows=Rows(nulls, where),
    )  # fmt: skip
    frames = {OLD: old, **_named(new)}

    def read(name: str, selection: Selection) -> ColumnArrays:
        with naming(name) if len(frames) > 1 else nullcontext():
            return from_frame(frames[name], selection)

    return ComparisonReport(answer_tables(question, list(frames), read), question)


def _named(new: Any) -> dict[str, Any]:
    """Return new tables by the names of their models.  O(tables).

    >>> list(_named([{"a": [1]}, {"a": [2]}]))
    ['new 1', 'new 2']
    """
    if new is None:
        return {}
    are_none = isinstance(new, Mapping | list | tuple) and not new
    check(not are_none, "new", "hold at least one table", "none")
    if isinstance(new, Mapping) and all(map(_is_frame, new.values())):
        return dict(zip(distinct_names(map(str, new), [OLD]), new.values(), strict=True))
    if isinstance(new, Sequence) and not isinstance(new, str | bytes):
        return {f"new {number}": frame for number, frame in enumerate(new, 1)}
    return {"new": new}


def _is_frame(value: Any) -> bool:
    """Whether a value is a table, rather than a column of one."""
    certain = isinstance(value, Mapping) or hasattr(value, "collect_schema") or hasattr(value, "to_table")
    return certain or (hasattr(value, "__arrow_c_stream__") and (hasattr(value, "columns") or hasattr(value, "schema")))


def _groupings(given: Any) -> tuple[str | tuple[str, ...], ...]:
    """Return the column of each grouping, or its columns, of which combinations are groups.  O(names)."""
    if not isinstance(given, list | tuple):
        return names_of("by", given)
    check([] not in given and () not in given, "by", "name at least one column for each grouping", repr(given))
    parted = ((names_of("by", each if isinstance(each, list | tuple) else (each,)), each) for each in given)
    return tuple(names if isinstance(each, list | tuple) else names[0] for names, each in parted)
