"""Contingency, spec 001: micro and macro statistics of categories assigned to documents."""

import copy
import math
import sys
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Self

import numpy as np

from evalcore.equality import equal_by_content
from evalcore.errors import check, refuse
from evalcore.kernels.tables import BinaryCounts
from evalcore.measures import binary
from evalcore.saving.container import Snapshot, names_of_plain, plain_names
from evalcore.saving.saved import Saved
from evalcore.state.shared import Shared
from evalcore.state.tables import DecisionTable
from evalcore.typing import SupportsWrite
from evalcore.validation import label_sets
from evalcore.validation.categories import MOST_CASES, check_total, names_in_order
from evalcore.validation.values import check_attribute, check_count, check_instance, takes_no_weights

__all__ = ["Contingency"]
__dir__ = __all__.copy
_MOST_FIGURES = 100


def _fraction_or_one(part: float, rest: float) -> float:
    return binary.fraction_by_odds(part, rest) if rest else 1.0


def _precision(table: BinaryCounts) -> float:
    """Return the precision: 1 if nothing is assigned or correct, 0 if only correct categories are missed."""
    missed_all = table.fn and not table.tp and not table.fp
    return 0.0 if missed_all else _fraction_or_one(table.tp, table.fp)


_STATISTICS: dict[str, Callable[[BinaryCounts], float]] = {
    "accuracy": lambda table: float(binary.accuracy(*table)) if any(table) else 1.0,
    "error": lambda table: float(binary.error(*table)) if any(table) else 0.0,
    "precision": _precision,
    "recall": lambda table: _fraction_or_one(table.tp, table.fn),
    "F1": lambda table: _fraction_or_one(2 * table.tp, table.fp + table.fn),
}
"""What a table says, by the documented names; without a decision that could be wrong, that all are right."""


def _all_statistics(table: BinaryCounts) -> dict[str, int | float]:
    cells = {"a": table.tp, "b": table.fp, "c": table.fn, "d": table.tn}
    return cells | {name: statistic(table) for name, statistic in _STATISTICS.items()}


def significant_digits(value: float, digits: int) -> str:
    """Write a number with a number of significant digits, rounded as documented."""
    decimals = digits - (math.trunc(math.log(value) / math.log(10)) if value else 0)
    return f"{value:.{decimals}f}"


def statistics_text(cells: Sequence[str]) -> str:
    """Write three macro statistics, three micro statistics and the error as the documented table."""
    width = max(map(len, cells))
    space = " " * (width - 4)
    rule = f"+{'-' * (10 + 7 * width)}+\n"
    heading = f"| {space} maR {space} maP{space} maF1  {space} miR {space} miP{space} miF1  {space} Err |\n"
    row = "  ".join(" ".join(cell.rjust(width) for cell in group) for group in (cells[:3], cells[3:6], cells[6:]))
    return f"{rule}{heading}| {row} |\n{rule}"


@equal_by_content
class Contingency(Saved, Shared, live="add_result add_results merge set_entries"):
    """Tally assigned and correct categories of documents, and report micro and macro statistics.

    Micro statistics come from one table of all decisions, macro statistics are means over the categories.  A category
    with nothing assigned and nothing correct scores 1.  All statistics are in 0 .. 1.  Two objects are equal if they
    hold the same categories, in any order, and the same counts.  Saving keeps `verbose` but not `writer`: a loaded
    object prints to standard output.  Documents have no weights here:
    `evalcore.metrics.multilabel_confusion_matrix` takes them.  Source: spec 001 (Statistics::Contingency 0.09).

    Threads may add to one object and ask it at once: no result is lost, and an answer is of one moment.

    Parameters
    ----------
    categories : sequence of hashable, or mapping
        Names of all categories, or a mapping with them as keys; repeated names count once.
    verbose : bool, default False
        Whether `add_result` prints its arguments.
    writer : object with ``write``, optional
        Where to print; by default standard output.

    Raises
    ------
    EvaluationTypeError
        If the categories are not names, or the writer has no method ``write``.

    Examples
    --------
    >>> experiment = Contingency(["sports", "politics", "finance"])
    >>> experiment.add_result(["sports"], ["sports", "finance"])
    >>> experiment.add_result("politics", "politics")
    >>> experiment.micro_recall(), experiment.macro_recall()
    (0.6666666666666666, 0.6666666666666666)
    """

    def __init__(self, categories: Any, verbose: bool = False, writer: SupportsWrite | None = None) -> None:
        names = dict.fromkeys(names_in_order(categories, "categories", "a list of names or a mapping"))
        self._codes = {name: code for code, name in enumerate(names)}
        self._table = DecisionTable(len(names))
        self._verbose = bool(verbose)
        self._writer = None if writer is None else check_attribute(writer, "write", "writer")

    def _compared(self) -> tuple[Any, ...]:
        counts = zip(*(count.tolist() for count in self._table.counts), strict=True)
        return dict(zip(self._codes, counts, strict=True)), self._table.documents, self._table.pooled

    def add_result(self, assigned: Any, correct: Any, name: str | None = None) -> None:
        """Add the decisions on one document.  O(names + k).

        Parameters
        ----------
        assigned, correct : hashable, list, set, mapping or None
            A name, several names, or a mapping of names to truth values.  Unknown names are left out.
        name : str, optional
            Name of the document, for `verbose`.

        Raises
        ------
        EvaluationTypeError
            If one is anything else.  Nothing is added.

        Examples
        --------
        >>> experiment = Contingency(["sports", "politics"], verbose=True)
        >>> experiment.add_result("sports", {"sports": True}, "doc1")
        doc1: assigned=(sports) correct=(sports)
        """
        decisions = label_sets.count_document(assigned, correct, self._codes)
        if self._verbose:
            first, second = (" ".join(map(str, label_sets.given_names(each) or ())) for each in (assigned, correct))
            title = "" if name is None else name
            (self._writer or sys.stdout).write(f"{title}: assigned=({first}) correct=({second})\n")
        self._add(self._table, *decisions)

    @takes_no_weights("multilabel_confusion_matrix")
    def add_results(self, assigned: Any, correct: Any) -> None:
        """Add the decisions on many documents, without printing.

        Parameters
        ----------
        assigned, correct : array-like of shape (n, k), sparse matrix or sequence
            Two matrices in the order of the categories, of Booleans or of 0 and 1; or two sequences of arguments of
            `add_result`.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If shapes or lengths differ, or a cell or name is invalid.  Nothing is added.

        Notes
        -----
        O(n k) for arrays, O(names log names) for sparse matrices and sequences.

        Examples
        --------
        >>> experiment = Contingency(["sports", "politics"])
        >>> experiment.add_results([["sports"], ["politics"]], [["sports"], ["sports", "politics"]])
        >>> import numpy as np
        >>> experiment.add_results(np.array([[True, False]]), np.array([[False, False]]))
        >>> experiment
        Contingency(categories=2, results=3, a=2, b=1, c=1, d=2)
        """
        self._add(self._table, *label_sets.count_documents(assigned, correct, self._codes))

    def set_entries(self, a: float, b: float, c: float, d: float) -> None:
        """Set the pooled table of the micro statistics; later results are added to it.  O(1).

        Parameters
        ----------
        a, b, c, d : float
            Decisions that are assigned and correct, assigned only, correct only, neither.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If one is negative or not a number.  Nothing is set.

        Examples
        --------
        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> experiment.micro_precision()
        0.75
        """
        tp, fp, fn, tn = label_sets.check_entries({"a": a, "b": b, "c": c, "d": d})
        with self._lock:
            self._moment = None
            self._table.pooled = BinaryCounts._make([tp, fn, fp, tn])

    def merge(self, other: "Contingency") -> None:
        """Add the results of another object with the same categories, in any order.  O(k).

        Parameters
        ----------
        other : Contingency
            Unchanged.

        Raises
        ------
        EvaluationTypeError
            If `other` is not a Contingency.
        EvaluationError
            If the categories differ.

        Examples
        --------
        >>> experiment = Contingency(["sports"])
        >>> experiment.add_result("sports", "sports")
        >>> experiment.merge(experiment)
        >>> experiment
        Contingency(categories=1, results=2, a=2, b=0, c=0, d=0)
        """
        theirs: Contingency = check_instance(other, Contingency, "other")._now()
        same = theirs._codes.keys() == self._codes.keys()
        check(same, "other", f"have the categories {list(self._codes)}", list(theirs._codes))
        with self._lock:
            check_total(theirs._table.documents, self._table.documents, "other")
            self._moment = None
            self._table.merge(theirs._table, [self._codes[name] for name in theirs._codes])

    def micro_accuracy(self) -> float:
        """Return the fraction of all decisions that are right.  O(1).

        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> round(experiment.micro_accuracy(), 12)
        0.740740740741
        """
        return _STATISTICS["accuracy"](self._table.pooled)

    def micro_error(self) -> float:
        """Return the fraction of all decisions that are wrong.  O(1).

        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> round(experiment.micro_error(), 12)
        0.259259259259
        """
        return _STATISTICS["error"](self._table.pooled)

    def micro_precision(self) -> float:
        """Return the fraction of all assigned categories that are correct.  O(1).

        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> round(experiment.micro_precision(), 12)
        0.75
        """
        return _STATISTICS["precision"](self._table.pooled)

    def micro_recall(self) -> float:
        """Return the fraction of all correct categories that are assigned.  O(1).

        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> round(experiment.micro_recall(), 12)
        0.692307692308
        """
        return _STATISTICS["recall"](self._table.pooled)

    def micro_F1(self) -> float:
        """Return the harmonic mean of precision and recall over all decisions.  O(1).

        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> round(experiment.micro_F1(), 12)
        0.72
        """
        return _STATISTICS["F1"](self._table.pooled)

    def macro_accuracy(self) -> float:
        """Return the fraction of right decisions, averaged over the categories.  O(k).

        Raises
        ------
        EvaluationError
            If there are no categories.

        Examples
        --------
        >>> experiment = Contingency(["sports", "politics"])
        >>> experiment.add_results([["sports", "politics"], ["sports"]], [["sports"], ["sports"]])
        >>> experiment.macro_accuracy()
        0.75
        """
        return self._mean_over_categories("accuracy")

    def macro_error(self) -> float:
        """Return the fraction of wrong decisions, averaged over the categories.  O(k).

        Raises
        ------
        EvaluationError
            If there are no categories.

        Examples
        --------
        >>> experiment = Contingency(["sports", "politics"])
        >>> experiment.add_results([["sports", "politics"], ["sports"]], [["sports"], ["sports"]])
        >>> experiment.macro_error()
        0.25
        """
        return self._mean_over_categories("error")

    def macro_precision(self) -> float:
        """Return the precision, averaged over the categories.  O(k).

        Raises
        ------
        EvaluationError
            If there are no categories.

        Examples
        --------
        >>> experiment = Contingency(["sports", "politics"])
        >>> experiment.add_results([["sports", "politics"], ["sports"]], [["sports"], ["sports"]])
        >>> experiment.macro_precision()
        0.5
        """
        return self._mean_over_categories("precision")

    def macro_recall(self) -> float:
        """Return the recall, averaged over the categories.  O(k).

        Raises
        ------
        EvaluationError
            If there are no categories.

        Examples
        --------
        >>> experiment = Contingency(["sports", "politics"])
        >>> experiment.add_results([["sports", "politics"], ["sports"]], [["sports"], ["sports"]])
        >>> experiment.macro_recall()
        1.0
        """
        return self._mean_over_categories("recall")

    def macro_F1(self) -> float:
        """Return the F1, averaged over the categories.  O(k).

        Raises
        ------
        EvaluationError
            If there are no categories.

        Examples
        --------
        >>> experiment = Contingency(["sports", "politics"])
        >>> experiment.add_results([["sports", "politics"], ["sports"]], [["sports"], ["sports"]])
        >>> experiment.macro_F1()
        0.5
        """
        return self._mean_over_categories("F1")

    def category_stats(self) -> dict[Hashable, dict[str, int | float]]:
        """Return for each category its table a, b, c, d and its statistics.  O(k).

        Raises
        ------
        EvaluationError
            If there are no categories.

        Examples
        --------
        >>> experiment = Contingency(["sports", "politics"])
        >>> experiment.add_results([["sports", "politics"], ["sports"]], [["sports"], ["sports"]])
        >>> stats = experiment.category_stats()["politics"]
        >>> stats["b"], stats["precision"], stats["accuracy"]
        (1, 0.0, 0.5)
        """
        return {name: _all_statistics(table) for name, table in self._tables().items()}

    def _repr_html_(self) -> str:
        from evalcore.document.evaluations import LABEL_SET_AVERAGES, contingency_sections, sections_html

        averages = {name: getattr(self, name)() for name in LABEL_SET_AVERAGES}
        return sections_html(contingency_sections(averages, self.category_stats()))

    def stats_table(self, figs: int = 3) -> str:
        """Return macro and micro statistics as a table of text.  O(k).

        Parameters
        ----------
        figs : int, default 3
            Significant digits, 0 .. 100, where 0 means 3.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If there are no categories, or `figs` is out of range or not an integer.

        Examples
        --------
        >>> experiment = Contingency(["sports", "politics"])
        >>> experiment.add_results([["sports", "politics"], ["sports"]], [["sports"], ["sports"]])
        >>> print(experiment.stats_table(), end="")
        +---------------------------------------------+
        |   maR   maP  maF1    miR   miP  miF1    Err |
        | 1.000 0.500 0.500  1.000 0.667 0.800  0.250 |
        +---------------------------------------------+
        """
        digits = check_count(figs, "figs", _MOST_FIGURES) or 3
        macro = self.macro_recall(), self.macro_precision(), self.macro_F1()
        micro = self.micro_recall(), self.micro_precision(), self.micro_F1()
        return statistics_text([significant_digits(value, digits) for value in (*macro, *micro, self.micro_error())])

    def __copy__(self) -> "Contingency":
        copied = Contingency(self._codes, self._verbose, self._writer)
        copied._table = copy.deepcopy(self._table)
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> "Contingency":
        return self.__copy__()  # an open file cannot be copied

    def _snapshot(self) -> Snapshot:
        facts = {
            "categories": plain_names(self._codes),
            "documents": self._table.documents,
            "pooled": list(self._table.pooled),
            "verbose": self._verbose,
        }
        return Snapshot(self._kind, facts, self._table.of_categories())

    @classmethod
    def _of_snapshot(cls, snapshot: Snapshot) -> Self:
        names, verbose = names_of_plain(snapshot.fact("categories")), snapshot.fact("verbose")
        tables = {name: snapshot.column(name, np.int64) for name in BinaryCounts._fields}
        documents = snapshot.count("documents", MOST_CASES)
        pooled = label_sets.check_pooled_entries(snapshot.fact("pooled"))
        experiment = cls(names, check_instance(verbose, bool, "verbose"))
        refuse({"a category is repeated": len(experiment._codes) != len(names)})
        experiment._table.counts = label_sets.as_decision_counts(tables, documents, len(names))
        experiment._table.documents = documents
        experiment._table.pooled = BinaryCounts._make(pooled)
        return experiment

    def __repr__(self) -> str:
        tp, fn, fp, tn = self._table.pooled
        results = self._table.documents
        return f"Contingency(categories={len(self._codes)}, results={results}, a={tp}, b={fp}, c={fn}, d={tn})"

    def _tables(self) -> dict[Hashable, BinaryCounts]:
        refuse({"No category information has been recorded": not self._codes})
        return dict(zip(self._codes, self._table.of_each(), strict=True))

    def _mean_over_categories(self, statistic: str) -> float:
        values = [_STATISTICS[statistic](table) for table in self._tables().values()]
        return math.fsum(values) / len(values)  # no digit depends on the order of the categories
