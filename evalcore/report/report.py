"""Reports on columns of predictions in a data frame."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import EvaluationError, EvaluationTypeError, MissingLibraryError
from evalcore.report.model import Answer, Section
from evalcore.report.notes import notes_of
from evalcore.report.question import Question, answer
from evalcore.report.records import Record, Records, columns, number_rows
from evalcore.report.rendering import as_csv, as_json, as_markdown, as_pages, as_table, as_tree
from evalcore.validation.parameters import check_label


@equal_by_content
@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """Statistics of predictions, in sections of records: one of scores for each model, one for each group, and so on.

    Reports are equal where they have the same numbers under the same names.

    >>> evaluate({"late": [1, 0, 1], "model": [0.9, 0.1, 0.4]}, label="late", score="model")["model"]["roc_area"]
    1.0
    """

    answer: Answer
    question: Question

    __hash__ = content_hash

    def _compared(self) -> tuple[Any, ...]:
        return tuple(number_rows(self.sections))

    @property
    def sections(self) -> Sequence[Section]:
        """Return the sections.  O(1).

        >>> len(evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").sections)
        1
        """
        return self.answer.sections

    @property
    def notes(self) -> list[str]:
        """Return what a reader must know: conventions that were applied, and why numbers are NaN.  O(statistics).

        >>> evaluate({"late": [0, 0], "guess": [0, 1]}, label="late", predicted="guess").notes[0]
        "recall is 0 where a class never occurs: '1'"
        """
        return notes_of(self.answer)

    @overload
    def __getitem__(self, names: str | int) -> Record: ...

    @overload
    def __getitem__(self, names: tuple[str | int, ...]) -> Any: ...

    def __getitem__(self, names: str | int | tuple[str | int, ...]) -> Any:
        """Return the statistics of a record by their names, or one statistic.

        A record has up to three names, in this order: its section, its score and its group, or class.  Those that are
        not needed to tell it from others may be left out; the name of a statistic may come last.  O(1) after the first
        time, which costs O(statistics).

        Raises EvaluationError for names of no record, or of several, with what to say instead.

        >>> columns = {"late": [1, 0, 1, 0], "a": [0.9, 0.1, 0.2, 0.3], "month": [1, 1, 2, 2]}
        >>> evaluate(columns, label="late", score="a")["a"]["roc_area"]
        0.75
        >>> report = evaluate(columns | {"b": [0.1, 0.2, 0.4, 0.3]}, label="late", score=["a", "b"], by="month")
        >>> report["a", "2"]["roc_area"], report["b", "2", "roc_area"], report["a", "total", "roc_area"]
        (0.0, 1.0, 0.75)
        >>> report["2"]
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: record must be unambiguous, got '2', which names 2 records; use ('a', '2') or \
('b', '2')
        """
        return self._records[names]

    def __iter__(self) -> Iterator[str | tuple[str, ...]]:
        """Yield for each record the shortest names that find it."""
        return iter(self._records)

    def __contains__(self, names: object) -> bool:
        return names in self._records

    @cached_property
    def _records(self) -> Records:
        return Records(self.sections)

    def to_dict(self) -> dict[str, Any]:
        """Return sections of records of statistics, the bounds of their intervals, and notes.  O(statistics).

        >>> list(evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_dict())
        ['scores', 'notes']
        """
        return as_tree(self.sections, self.notes)

    def to_json(self) -> str:
        """Return strict JSON of `to_dict`, what is not finite as null.  O(statistics).

        >>> evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_json().count("null") > 0
        True
        """
        return as_json(self.sections, self.notes)

    def to_csv(self) -> str:
        """Return the rows of `to_pandas` as CSV, numbers in full, empty where there is no bound.  O(statistics).

        >>> print(evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_csv()[:79])
        section,score,group,statistic,value,low,high,kind
        scores,model,,cases,2,,,exact
        """
        return as_csv(self.sections)

    def to_markdown(self) -> str:
        """Return tables in Markdown.  O(statistics).

        >>> print(evaluate({"a": [1, 0], "b": [1, 1]}, label="a", predicted="b").to_markdown().splitlines()[0])
        |                          |          |
        """
        return as_markdown(self.sections, self.notes)

    def to_html(self) -> str:
        """Return a page of its own: tables, plots, how they were computed, what the numbers are.

        Raises EvaluationError where Jinja2 or matplotlib is missing.  O(n log n) for each plot.

        >>> page = evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_html()
        >>> page[:15]
        '<!DOCTYPE html>'
        """
        from evalcore.report.page import as_html

        return as_html(self.answer, self.question.title, self.question.described())

    def to_pandas(self) -> Any:
        """Return a pandas data frame of a row for each number, with the same columns whatever was asked.

        section, score, group, statistic
            Which number it is.  score is the column of scores or of predicted classes, or the pair that is compared;
            group the group of rows ("total" for all), the class, or the like.  Empty where there is none.
        value, low, high
            float64; low and high are NaN where kind is exact.
        kind
            "exact"; "interval", with the bounds that `ci` asked for; or "certified", where the exact value lies between
            low and high.

        Raises MissingLibraryError where pandas is missing.  O(statistics).

        >>> evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_pandas().shape[1]
        8
        """
        from evalcore.io.frames import to_pandas

        return to_pandas(columns(self.sections))

    def to_polars(self) -> Any:
        """Return the rows of `to_pandas` as a polars data frame.  Raises EvaluationError where polars is missing.

        >>> evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_polars().shape[1]
        8
        """
        from evalcore.io.frames import to_polars

        return to_polars(columns(self.sections))

    def to_arrow(self) -> Any:
        """Return the rows of `to_pandas` as a pyarrow table.  Raises EvaluationError where pyarrow is missing.

        >>> evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_arrow().shape[1]
        8
        """
        from evalcore.io.frames import to_arrow

        return to_arrow(columns(self.sections))

    def __repr__(self) -> str:
        try:
            return as_table(self.sections, self.question.title, notes=self.notes)
        except MissingLibraryError:  # what draws tables is optional
            return as_csv(self.sections)

    def _repr_html_(self) -> str:
        return as_pages(self.sections, self.notes)


def evaluate(
    frame: Any,
    *,
    label: str,
    score: str | Sequence[str] | Mapping[str, str] | None = None,
    predicted: str | None = None,
    positive: Any = None,
    threshold: float | None = None,
    by: str | None = None,
    ci: float | None = None,
    groups: int | None = None,
    pos_label: Any = None,
) -> Report:
    """Evaluate the predictions in columns of a data frame, as ``evalcore report`` does those of a file.

    Parameters
    ----------
    frame : pandas, polars or pyarrow table, DuckDB relation, or mapping of names to arrays
        Anything that exports the Arrow C stream, or a mapping.
    label : str
        The column of labels: Booleans, 0 and 1, or names of classes.
    score : str, sequence of str, or mapping of class to str
        Columns of scores of the positive label or, in a mapping, of each class.
    predicted : str, optional
        The column of predicted classes, in place of scores.
    positive : str, number or bool, optional
        The label that is positive, where it is not 1 or True.  All others are negative; a note lists them if there
        are several.
    threshold : float, optional
        Adds the statistics of taking scores of at least this for positive.
    by : str, optional
        Report each group of a column, the largest first, and the total.
    ci : float, optional
        Adds intervals of this level, and comparisons of columns of scores.
    groups : int, default 10,000
        How many groups there may be.
    pos_label : str, number or bool, optional
        Another name of `positive`, that of scikit-learn and `evalcore.metrics`.

    Returns
    -------
    Report

    Raises
    ------
    EvaluationError, EvaluationTypeError
        For columns that are not there, hold nulls or what are no labels or scores, and for arguments that do not go
        together.

    Notes
    -----
    O(n log n) for each column of scores.  Sources: those of the measures.

    Examples
    --------
    >>> report = evaluate({"late": [1, 0, 0], "model": [0.9, 0.1, 0.9]}, label="late", score="model", threshold=0.5)
    >>> report["model"]["roc_area"], report["model"]["precision"]
    (0.75, 0.5)
    """
    from evalcore.io.frames import from_frame

    if (score is None) == (predicted is None):
        raise EvaluationError("evaluate takes one of score and predicted")
    if positive is not None and pos_label is not None:
        raise EvaluationError("positive and pos_label are one option; give one of them")
    alone = {"positive": positive, "pos_label": pos_label, "threshold": threshold, "by": by}
    positive = positive if pos_label is None else pos_label
    check_label(positive, "positive", "evaluate")
    classes = dict(score.items()) if isinstance(score, Mapping) else None
    given = [name for name, value in alone.items() if value is not None]
    if (classes or predicted) and given:
        goes = "goes" if len(given) == 1 else "go"
        raise EvaluationError(f"{' and '.join(given)} {goes} with columns of scores of one label")
    if not isinstance(score, str | Mapping | Sequence | None):
        raise EvaluationTypeError(f"score must be a name, a sequence of names or a mapping, got {score!r}")
    scores = (score,) if isinstance(score, str) else () if classes is not None or score is None else tuple(score)
    columns = [label, *scores, *(classes or {}).values(), *filter(None, [predicted, by])]
    for name in columns:
        if not isinstance(name, str):
            raise EvaluationTypeError(f"columns must be named by strings, got {name!r}")
    if score is not None and not (scores or classes):
        raise EvaluationError("score must name at least one column")
    question = Question(
        label, scores, classes, None, predicted, None if positive is None else str(positive), threshold, by, ci, groups
    )
    return Report(answer(question, lambda selection: from_frame(frame, selection)), question)
