"""The report on columns of predictions in a data frame: how it, and a comparison, are shown and converted."""

import os
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, overload

from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import EvaluationError, MissingLibraryError
from evalcore.evaluation.model import CERTIFIED, Answer, Section
from evalcore.evaluation.notes import notes_of
from evalcore.evaluation.question import Question
from evalcore.io.libraries import Framed
from evalcore.report.charts.drawing import DrawnReport
from evalcore.report.records import EXACT, Record, Records, columns, number_rows
from evalcore.report.rendering import as_csv, as_html_tables, as_json, as_markdown, as_table, as_tree
from evalcore.report.tables import LINE_WIDTH, checked_digits, remarks
from evalcore.report.words.summary import headline, summary
from evalcore.saving.files import written


class Exported(Framed):
    """A document of numbers, equal to another of the same numbers, that is written as JSON or CSV."""

    __hash__ = content_hash

    @abstractmethod
    def __getitem__(self, names: Any) -> Any:
        """Return what has these names; EvaluationError or TypeError if nothing, or several things, have them."""

    def __contains__(self, names: object) -> bool:
        try:
            self[names]
        except (EvaluationError, TypeError):
            return False
        return True

    @abstractmethod
    def _json(self) -> str:
        """Return the document as strict JSON.  O(numbers)."""

    @abstractmethod
    def _csv(self) -> str:
        """Return the rows of the data frame as CSV.  O(numbers)."""

    @overload
    def to_json(self, path: None = None) -> str: ...

    @overload
    def to_json(self, path: str | os.PathLike[str]) -> None: ...

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return `to_dict` as strict JSON, or write it to a file.  O(numbers).

        Parameters
        ----------
        path : str or os.PathLike, optional
            The file, which is replaced as a whole.  By default the content is returned.

        Notes
        -----
        NaN is null, and infinities are "Infinity" and "-Infinity".
        The first entry is schema_version: within a version, entries keep their names and meanings, and others may be
        added.

        Examples
        --------
        >>> report = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model")
        >>> "null" in report.to_json()
        True
        """
        return written(self._json(), path)

    @overload
    def to_csv(self, path: None = None) -> str: ...

    @overload
    def to_csv(self, path: str | os.PathLike[str]) -> None: ...

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return the rows of `to_pandas` as CSV, or write them to a file.  O(numbers).

        Parameters
        ----------
        path : str or os.PathLike, optional
            The file, which is replaced as a whole.  By default the content is returned.

        Notes
        -----
        Numbers are in full, and empty where there is none.

        Examples
        --------
        >>> print(evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_csv()[:79])
        section,score,group,statistic,value,low,high,kind
        scores,model,,cases,2,,,exact
        """
        return written(self._csv(), path)


@equal_by_content
@dataclass(frozen=True, eq=False, repr=False)
class Report(DrawnReport, Exported):
    """Statistics of predictions, in sections of records: a record for each model, group or class.

    Reports are equal if they have the same numbers under the same names.  Of more than 50 groups, tables show the 50
    largest and the total; of more than 40, a page compares the 20 best and the 20 worst.  `to_markdown` and `to_html`
    show all if asked to.

    CSV and data frames have a row for each number, and the same columns for every report:

    section, score, group, statistic
        Which number it is.  score is the column of scores or of predicted classes, or the pair that is compared; group
        is the group of rows ("total" for all), the class, or the like.  Empty if there is none.
    value, low, high
        float64; low and high are NaN if kind is "exact".
    kind
        "exact"; "interval": low and high are the bounds of the interval that `ci` asked for; or "certified": the exact
        value certainly lies between low and high.  A p-value has no bounds, so its kind is "exact", although it may
        rest on an approximation or on drawn permutations.

    >>> report = evalcore.evaluate({"late": [1, 0, 1], "model": [0.9, 0.1, 0.4]}, label="late", score="model")
    >>> report["model"]["roc_auc"]
    1.0
    """

    answer: Answer
    question: Question

    def _compared(self) -> tuple[Any, ...]:
        return tuple(number_rows(self.sections))

    @property
    def sections(self) -> Sequence[Section]:
        """The sections.  O(1).

        >>> len(evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").sections)
        1
        """
        return self.question.shown(self.answer.sections)

    @property
    def notes(self) -> list[str]:
        """The notes: where 0 stands for 0/0, and why numbers are NaN.  O(statistics).

        >>> evalcore.evaluate({"late": [0, 0], "guess": [0, 1]}, label="late", predicted="guess").notes[0]
        "recall is 0 where a class never occurs: '1'"
        """
        return notes_of(self.answer, self.question.measures)

    @property
    def summary(self) -> str:
        """The report in words: which model ranks best, how sure that is, and what else a reader must know.

        Sentences are made by rules, and claim no more than the numbers carry: a model ranks better only where a test
        says so at the level of `ci`, and never where a class has fewer than 30 cases.  A group does worst only where
        its interval excludes the value of all cases at a level that is adjusted for the number of groups, by
        Bonferroni's method.  O(statistics).

        >>> columns = {"late": [1, 0, 1, 1], "model": [0.9, 0.5, 0.7, 0.4]}
        >>> evalcore.evaluate(columns, label="late", score="model").summary[:66]
        'model has a ROC AUC of 0.667, on 4 cases, 75.0% of them positive ('
        """
        return summary(self._whole, self.question)

    @overload
    def __getitem__(self, names: str | int) -> Record: ...

    @overload
    def __getitem__(self, names: tuple[str | int, ...]) -> Any: ...

    def __getitem__(self, names: str | int | tuple[str | int, ...]) -> Any:
        """Return a record, which maps the names of statistics to values, or one value.

        A record has up to three names, in this order: its section, its score and its group or class.  Names that are
        not needed to tell it from others may be left out; the name of a statistic may come last.  A score alone means
        the total of its groups.  Decisions at further thresholds, and differences of groups to the rest, are named by
        their section, as in `report["threshold 0.25", "model", "recall"]`.  O(1), but O(statistics) for the first call.

        Raises EvaluationError for names of no record or of several; the error lists names that work.

        >>> columns = {"late": [1, 0, 1, 0], "a": [0.9, 0.1, 0.2, 0.3], "month": [1, 1, 2, 2]}
        >>> evalcore.evaluate(columns, label="late", score="a")["a"]["roc_auc"]
        0.75
        >>> columns["b"] = [0.1, 0.2, 0.4, 0.3]
        >>> report = evalcore.evaluate(columns, label="late", score=["a", "b"], by="month")
        >>> report["a", "2"]["roc_auc"], report["b", "2", "roc_auc"], report["a", "total", "roc_auc"]
        (0.0, 1.0, 0.75)
        >>> report["2"]
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: record must be unambiguous, got '2', which names 2 records; use ('a', '2') or \
('b', '2')
        """
        return self._records[names]

    def __iter__(self) -> Iterator[str | tuple[str, ...]]:
        """Yield for each record its shortest unambiguous names."""
        return iter(self._records)

    @cached_property
    def _records(self) -> Records:
        return Records(self.sections)

    def to_dict(self) -> dict[str, Any]:
        """Return sections of records of statistics and bounds, as nested dictionaries, and the notes.  O(statistics).

        >>> list(evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_dict())
        ['scores', 'notes']
        """
        return as_tree(self.sections, self.notes)

    @overload
    def to_markdown(
        self, path: None = None, *, full_matrix: bool = ..., all_groups: bool = ..., digits: int | None = ...
    ) -> str: ...

    @overload
    def to_markdown(
        self, path: str | os.PathLike[str], *, full_matrix: bool = ..., all_groups: bool = ..., digits: int | None = ...
    ) -> None: ...

    def to_markdown(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        full_matrix: bool = False,
        all_groups: bool = False,
        digits: int | None = None,
    ) -> str | None:
        """Return the answer in one sentence, and tables, in Markdown, or write them to a file.  O(statistics).

        Parameters
        ----------
        path : str or os.PathLike, optional
            The file, which is replaced as a whole.  By default the content is returned.
        full_matrix : bool, default False
            Whether all classes are shown, not only the 50 most frequent, and all counts by class, not only the largest,
            where there are more than 30.
        all_groups : bool, default False
            Whether all groups are shown, not only the 50 largest.
        digits : int, optional
            Decimals of numbers, 1 to 15; by default six, which thresholds keep.

        Examples
        --------
        >>> print(evalcore.evaluate({"a": [1, 0], "b": [1, 1]}, label="a", predicted="b").to_markdown().splitlines()[0])
        b is right for 50.0% of 2 cases.
        """
        in_full = full_matrix or all_groups
        content = as_markdown(self.sections, self.notes, in_full, self._headline, checked_digits(digits))
        return written(content, path)

    @overload
    def to_html(
        self, path: None = None, *, full_matrix: bool = ..., all_groups: bool = ..., script: bool = ...
    ) -> str: ...

    @overload
    def to_html(
        self, path: str | os.PathLike[str], *, full_matrix: bool = ..., all_groups: bool = ..., script: bool = ...
    ) -> None: ...

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        full_matrix: bool = False,
        all_groups: bool = False,
        script: bool = True,
    ) -> str | None:
        """Return an HTML page that needs no other file, or write it to a file.

        Parameters
        ----------
        path : str or os.PathLike, optional
            The file, which is replaced as a whole.  By default the content is returned.
        full_matrix : bool, default False
            As in `to_markdown`.
        all_groups : bool, default False
            Whether tables show all groups, not only the 20 best and the 20 worst of more than 40 side by side, and the
            50 largest with all their numbers.
        script : bool, default True
            Whether the page has the short scripts that move the threshold slider and sort the groups.

        Raises
        ------
        MissingLibraryError
            If Jinja2 or matplotlib is missing.

        Notes
        -----
        It has the answer in words, charts, tables and definitions.  O(n log n) for each plot.

        Examples
        --------
        >>> page = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_html()
        >>> page[:15]
        '<!DOCTYPE html>'
        """
        from evalcore.report.page.document import as_html
        from evalcore.report.page.panels import View

        view = View(self._whole, self.question, in_full=full_matrix or all_groups, script=script)
        return written(as_html(view), path)

    def _json(self) -> str:
        parts = (part for section in self.sections for part in section.columns.parts)
        bounded = any(each.method == CERTIFIED for part in parts for each in part.intervals.values())
        about = {**self.question.in_json, "computed": CERTIFIED if bounded else EXACT}
        return as_json(self.sections, self.notes, **about)

    def _csv(self) -> str:
        return as_csv(self.sections)

    def _columns(self) -> dict[str, list[Any]]:
        return columns(self.sections)

    def __repr__(self) -> str:
        try:
            asked, notes = self.question, partial(notes_of, self.answer, self.question.measures)
            shown = {"wrapped": False, "every": bool(asked.measures.names)}
            return as_table(self.sections, asked.title, LINE_WIDTH, notes, headline=self._headline, **shown)
        except MissingLibraryError:  # tables need an optional library
            return self._csv()

    def _repr_html_(self) -> str:
        said = "" if self.question.measures.names else self.summary
        return as_html_tables(self.sections, [*self.notes, *remarks(self.sections)], said)

    @property
    def _headline(self) -> str:
        return headline(self.answer, self.question)
