"""Contingency, spec 001: micro and macro statistics of categories assigned to documents."""

import copy
import math
import sys
from collections.abc import Callable, Hashable
from typing import Any, Self

import numpy as np

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError
from evalcore.kernels.tables import BinaryCounts
from evalcore.measures import binary
from evalcore.saving import Saved, Snapshot, names_of_plain, plain_names
from evalcore.state.decision_table import DecisionTable
from evalcore.typing import SupportsWrite
from evalcore.validation.categories import MOST_CASES, check_total
from evalcore.validation.label_sets import (
    as_category_names,
    as_decision_counts,
    check_entries,
    check_pooled_entries,
    count_document,
    count_documents,
    given_names,
)
from evalcore.validation.single_values import check_attribute, check_count, check_instance

_MOST_FIGURES = 100


@equal_by_content
class Contingency(Saved):
    """Tally which categories were assigned to documents and which are correct, and report micro and macro statistics.

    Micro statistics come from one table of all decisions, macro statistics are means over the categories.  A category
    with nothing assigned and nothing correct scores 1.  All statistics are in 0 .. 1.  Saving keeps `verbose` and
    not `writer`: what is loaded prints to standard output.  Two are equal if they hold the same categories, in any
    order, and the same counts.
    Source: spec 001 (Statistics::Contingency 0.09).

    Parameters
    ----------
    categories : sequence of hashable, or mapping
        Names of all categories, or a mapping with them as keys; repeats collapse.
    verbose : bool
        Whether `add_result` prints what it is given.
    writer : object with ``write``, optional
        Where it prints; standard output if left out.

    Raises
    ------
    EvaluationTypeError
        If the categories are no list of names, or the writer cannot write.

    Examples
    --------
    >>> experiment = Contingency(["sports", "politics", "finance"])
    >>> experiment.add_result(["sports"], ["sports", "finance"])
    >>> experiment.add_result("politics", "politics")
    >>> experiment.micro_recall(), experiment.macro_recall()
    (0.6666666666666666, 0.6666666666666666)
    """

    def __init__(self, categories: Any, verbose: bool = False, writer: SupportsWrite | None = None) -> None:
        names = as_category_names(categories, "categories")
        self._codes = {name: code for code, name in enumerate(names)}
        self._table = DecisionTable(len(names))
        self._verbose = bool(verbose)
        self._writer = None if writer is None else check_attribute(writer, "write", "writer")

    def _compared(self) -> tuple[Any, ...]:
        counts = zip(*(count.tolist() for count in self._table.counts), strict=True)
        return dict(zip(self._codes, counts, strict=True)), self._table.documents, self._table.pooled

    def add_result(self, assigned: Any, correct: Any, name: str | None = None) -> None:
        """Add the decisions on one document.

        assigned, correct: a name, a list or set of names, a mapping whose true values count, or None for none; names
        that are no categories are left out.  name: of the document, for what is printed.  O(names + k).

        Raises EvaluationTypeError for anything else; nothing is added then.

        >>> experiment = Contingency(["sports", "politics"], verbose=True)
        >>> experiment.add_result("sports", {"sports": True}, "doc1")
        doc1: assigned=(sports) correct=(sports)
        """
        decisions = count_document(assigned, correct, self._codes)
        if self._verbose:
            first, second = (" ".join(map(str, given_names(each) or ())) for each in (assigned, correct))
            title = "" if name is None else name
            (self._writer or sys.stdout).write(f"{title}: assigned=({first}) correct=({second})\n")
        self._table.add(*decisions)

    def add_results(self, assigned: Any, correct: Any) -> None:
        """Add the decisions on many documents; nothing is printed.

        assigned, correct: two matrices (n, k) in the order of the categories, arrays of Booleans or of 0 and 1 or
        SciPy's sparse ones; or two sequences of what `add_result` takes.
        O(n k) for arrays, O(names log names) for the others.

        Raises
        ------
        EvaluationError, EvaluationTypeError
            If shapes or lengths differ, a cell is neither 0 nor 1, or there is anything else; nothing is added then.

        Examples
        --------
        >>> experiment = Contingency(["sports", "politics"])
        >>> experiment.add_results([["sports"], ["politics"]], [["sports"], ["sports", "politics"]])
        >>> import numpy as np
        >>> experiment.add_results(np.array([[True, False]]), np.array([[False, False]]))
        >>> experiment
        Contingency(categories=2, results=3, a=2, b=1, c=1, d=2)
        """
        self._table.add(*count_documents(assigned, correct, self._codes))

    def set_entries(self, a: float, b: float, c: float, d: float) -> None:
        """Set the pooled table, from which the micro statistics come; later results add to it.

        a, b, c, d: decisions assigned and correct, assigned only, correct only, neither; fractions too.

        Raises EvaluationError or EvaluationTypeError for what is negative or no number; nothing is set then.

        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> experiment.micro_precision()
        0.75
        """
        tp, fp, fn, tn = check_entries({"a": a, "b": b, "c": c, "d": d})
        self._table.pooled = BinaryCounts(tp=tp, fn=fn, fp=fp, tn=tn)  # type: ignore[arg-type]  # fractions too

    def merge(self, other: "Contingency") -> None:
        """Add the results of another experiment with the same categories, in any order.  O(k).

        Raises EvaluationTypeError for another type, EvaluationError for other categories.

        >>> experiment = Contingency(["sports"])
        >>> experiment.add_result("sports", "sports")
        >>> experiment.merge(experiment)
        >>> experiment
        Contingency(categories=1, results=2, a=2, b=0, c=0, d=0)
        """
        theirs: Contingency = check_instance(other, Contingency, "other")
        if theirs._codes.keys() != self._codes.keys():
            raise EvaluationError(f"other must have the categories {list(self._codes)}, got {list(theirs._codes)}")
        check_total(theirs._table.documents, self._table.documents, "other")
        self._table.merge(theirs._table, [self._codes[name] for name in theirs._codes])

    def micro_accuracy(self) -> float:
        """Return the share of decisions that are right, over all decisions.  O(1).

        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> round(experiment.micro_accuracy(), 12)
        0.740740740741
        """
        return _accuracy(self._table.pooled)

    def micro_error(self) -> float:
        """Return the share of decisions that are wrong, over all decisions.  O(1).

        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> round(experiment.micro_error(), 12)
        0.259259259259
        """
        return _error(self._table.pooled)

    def micro_precision(self) -> float:
        """Return the share of assigned categories that are correct, over all decisions.  O(1).

        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> round(experiment.micro_precision(), 12)
        0.75
        """
        return _precision(self._table.pooled)

    def micro_recall(self) -> float:
        """Return the share of correct categories that were assigned, over all decisions.  O(1).

        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> round(experiment.micro_recall(), 12)
        0.692307692308
        """
        return _recall(self._table.pooled)

    def micro_F1(self) -> float:
        """Return the harmonic mean of precision and recall, over all decisions.  O(1).

        >>> experiment = Contingency([])
        >>> experiment.set_entries(9, 3, 4, 11)
        >>> round(experiment.micro_F1(), 12)
        0.72
        """
        return _f1(self._table.pooled)

    def macro_accuracy(self) -> float:
        """Return the share of decisions that are right, averaged over the categories.  O(k).

        Raises EvaluationError if there are no categories.

        >>> _example().macro_accuracy()
        0.75
        """
        return self._mean_over_categories(_accuracy)

    def macro_error(self) -> float:
        """Return the share of decisions that are wrong, averaged over the categories.  O(k).

        Raises EvaluationError if there are no categories.

        >>> _example().macro_error()
        0.25
        """
        return self._mean_over_categories(_error)

    def macro_precision(self) -> float:
        """Return the share of assigned categories that are correct, averaged over the categories.  O(k).

        Raises EvaluationError if there are no categories.

        >>> _example().macro_precision()
        0.5
        """
        return self._mean_over_categories(_precision)

    def macro_recall(self) -> float:
        """Return the share of correct categories that were assigned, averaged over the categories.  O(k).

        Raises EvaluationError if there are no categories.

        >>> _example().macro_recall()
        1.0
        """
        return self._mean_over_categories(_recall)

    def macro_F1(self) -> float:
        """Return the harmonic mean of precision and recall, averaged over the categories.  O(k).

        Raises EvaluationError if there are no categories.

        >>> _example().macro_F1()
        0.5
        """
        return self._mean_over_categories(_f1)

    def category_stats(self) -> dict[Hashable, dict[str, int | float]]:
        """Return for each category its table a, b, c, d and its statistics.  O(k).

        Raises EvaluationError if there are no categories.

        >>> stats = _example().category_stats()["politics"]
        >>> stats["b"], stats["precision"], stats["accuracy"]
        (1, 0.0, 0.5)
        """
        self._check_categories()
        return {name: _statistics(self._table.of_category(code)) for name, code in self._codes.items()}

    def _repr_html_(self) -> str:
        from evalcore.report.html_repr import label_sets_html
        from evalcore.report.label_sets import AVERAGES

        return label_sets_html({name: getattr(self, name)() for name in AVERAGES}, self.category_stats())

    def stats_table(self, figs: int = 3) -> str:
        """Return macro and micro statistics as a table of text, with so many significant digits.

        figs: 0 .. 100, where 0 means 3.  O(k).

        Raises EvaluationError if there are no categories or `figs` is out of range.

        >>> print(_example().stats_table(), end="")
        +---------------------------------------------+
        |   maR   maP  maF1    miR   miP  miF1    Err |
        | 1.000 0.500 0.500  1.000 0.667 0.800  0.250 |
        +---------------------------------------------+
        """
        digits = check_count(figs, "figs", _MOST_FIGURES) or 3
        macro = self.macro_recall(), self.macro_precision(), self.macro_F1()
        micro = self.micro_recall(), self.micro_precision(), self.micro_F1()
        cells = [_significant(value, digits) for value in (*macro, *micro, self.micro_error())]
        width = max(map(len, cells))
        space = " " * (width - 4)
        rule = f"+{'-' * (10 + 7 * width)}+\n"
        heading = f"| {space} maR {space} maP{space} maF1  {space} miR {space} miP{space} miF1  {space} Err |\n"
        groups = (cells[:3], cells[3:6], cells[6:])
        row = "  ".join(" ".join(cell.rjust(width) for cell in group) for group in groups)
        return f"{rule}{heading}| {row} |\n{rule}"

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
        pooled = check_pooled_entries(snapshot.fact("pooled"))
        experiment = cls(names, check_instance(verbose, bool, "verbose"))
        if len(experiment._codes) != len(names):
            raise EvaluationError("a category is repeated")
        experiment._table.counts = as_decision_counts(tables, documents, len(names))
        experiment._table.documents = documents
        experiment._table.pooled = BinaryCounts(*pooled)  # type: ignore[arg-type]  # fractions too
        return experiment

    def __repr__(self) -> str:
        tp, fn, fp, tn = self._table.pooled
        results = self._table.documents
        return f"Contingency(categories={len(self._codes)}, results={results}, a={tp}, b={fp}, c={fn}, d={tn})"

    def _check_categories(self) -> None:
        if not self._codes:
            raise EvaluationError("No category information has been recorded")

    def _mean_over_categories(self, statistic: Callable[[BinaryCounts], float]) -> float:
        self._check_categories()
        values = [statistic(self._table.of_category(code)) for code in self._codes.values()]
        return math.fsum(values) / len(values)  # no digit depends on the order of the categories


def _accuracy(table: BinaryCounts) -> float:
    return float(binary.accuracy(*table)) if any(table) else 1.0


def _error(table: BinaryCounts) -> float:
    return float(binary.error(*table)) if any(table) else 0.0


def _precision(table: BinaryCounts) -> float:
    missed_all = table.fn and not table.tp and not table.fp
    return 0.0 if missed_all else _share(table.tp, table.fp)


def _recall(table: BinaryCounts) -> float:
    return _share(table.tp, table.fn)


def _f1(table: BinaryCounts) -> float:
    return binary.f1_by_odds(table.tp, table.fn, table.fp) if table.fp or table.fn else 1.0


def _share(part: float, rest: float) -> float:
    """Share of a part, 1 where there is nothing else, by the document's rule."""
    return binary.fraction_by_odds(part, rest) if rest else 1.0


def _statistics(table: BinaryCounts) -> dict[str, int | float]:
    return {
        "a": table.tp,
        "b": table.fp,
        "c": table.fn,
        "d": table.tn,
        "accuracy": _accuracy(table),
        "error": _error(table),
        "precision": _precision(table),
        "recall": _recall(table),
        "F1": _f1(table),
    }


def _significant(value: float, digits: int) -> str:
    places = digits - (math.trunc(math.log(value) / math.log(10)) if value else 0)
    return f"{value:.{places}f}"


def _example() -> Contingency:
    """Return two results for the examples above."""
    experiment = Contingency(["sports", "politics"])
    experiment.add_result(["sports", "politics"], "sports")
    experiment.add_result("sports", ["sports"])
    return experiment
