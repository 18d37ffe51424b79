"""`evalcore.evaluate` and its report: how this, and a comparison, are shown and converted."""

import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, overload

from evalcore.document.charts.drawing import DrawnReport
from evalcore.document.documents import BRIEF, Shown
from evalcore.document.exports import as_tree
from evalcore.document.formats import Formats, formats_of_report
from evalcore.document.markdown import as_markdown
from evalcore.document.records import Record, Records, columns, number_rows
from evalcore.document.tables import LINE_WIDTH, checked_digits
from evalcore.document.terminal import as_notebook, as_terminal
from evalcore.document.words.summary import summary
from evalcore.equality import content_hash, equal_by_content
from evalcore.errors import EvaluationError, EvaluationTypeError, MissingLibraryError, check, refuse
from evalcore.evaluation.answers import answer
from evalcore.evaluation.measure_choice import asked_measures, at_thresholds
from evalcore.evaluation.model import Answer, Section
from evalcore.evaluation.notes import notes_of
from evalcore.evaluation.options import asked_groups, asked_periods
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import asked_targets, asked_thresholds, checked_costs
from evalcore.evaluation.weighting import Weighting
from evalcore.io.frames import from_frame
from evalcore.io.libraries import Framed
from evalcore.io.rows import Rows
from evalcore.saving.files import written
from evalcore.typing import Period, ProportionMethod, RocAucMethod, WeightType
from evalcore.validation.values import check_label


class Exported(Framed):
    """A document of numbers, equal to another of the same numbers, that is shown and written in every format."""

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

    @property
    @abstractmethod
    def _formats(self) -> Formats:
        """What makes it in each format.  O(1)."""

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
        return written(self._formats.json(), path)

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
        return written(self._formats.csv(), path)

    @overload
    def to_markdown(self, path: None = None, *, full: bool = ..., digits: int | None = ...) -> str: ...

    @overload
    def to_markdown(self, path: str | os.PathLike[str], *, full: bool = ..., digits: int | None = ...) -> None: ...

    def to_markdown(
        self, path: str | os.PathLike[str] | None = None, *, full: bool = False, digits: int | None = None
    ) -> str | None:
        """Return the answer and tables in Markdown, for a comment on a pull request, or write them to a file.

        Parameters
        ----------
        path : str or os.PathLike, optional
            The file, which is replaced as a whole.  By default the content is returned.
        full : bool, default False
            Whether all statistics, p-values, groups, classes, counts and changed cases are shown, not only those that
            most readers need, the 50 largest groups and classes, and the largest counts.
        digits : int, optional
            Decimals of numbers, 1 to 15; by default four, and six of thresholds.  Differences between models have more
            where two numbers would look alike.

        Notes
        -----
        Tables of more than 20 rows are folded unless `full`.  O(numbers).

        Examples
        --------
        >>> print(evalcore.evaluate({"a": [1, 0], "b": [1, 1]}, label="a", predicted="b").to_markdown().splitlines()[2])
        **b is right for 50.0% of 2 cases.**
        """
        document = self._formats.document(Shown(full, checked_digits(digits), folds=True))
        return written(as_markdown(document, full=full), path)

    @overload
    def to_html(self, path: None = None, *, full: bool = ..., script: bool = ...) -> str: ...

    @overload
    def to_html(self, path: str | os.PathLike[str], *, full: bool = ..., script: bool = ...) -> None: ...

    def to_html(
        self, path: str | os.PathLike[str] | None = None, *, full: bool = False, script: bool = True
    ) -> str | None:
        """Return an HTML page that needs no other file, or write it to a file.

        Parameters
        ----------
        path : str or os.PathLike, optional
            The file, which is replaced as a whole.  By default the content is returned.
        full : bool, default False
            Whether tables show all groups, classes and counts, not only the 20 best and the 20 worst of more than 40
            groups, the 50 largest groups and classes with all their numbers, and the largest counts.
        script : bool, default True
            Whether the page has the short scripts that move the threshold slider and sort the groups.

        Raises
        ------
        MissingLibraryError
            If matplotlib is missing.

        Notes
        -----
        It has the answer in words, charts, tables and definitions.  O(n log n) for each plot.

        Examples
        --------
        >>> page = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_html()
        >>> page[:15]
        '<!DOCTYPE html>'
        """
        assert self._formats.html is not None
        return written(self._formats.html(Shown(full), script), path)

    def __repr__(self) -> str:
        try:
            return as_terminal(self._formats.document(BRIEF), LINE_WIDTH, folded=False)
        except MissingLibraryError:  # tables need an optional library
            return self._formats.csv()

    def _repr_html_(self) -> str:
        return as_notebook(self._formats.document(Shown(width=None, sentences=True)))


@equal_by_content
@dataclass(frozen=True, eq=False, repr=False)
class Report(DrawnReport, Exported):
    """Statistics of predictions, in sections of records: a record for each model, group or class.

    Reports are equal if they have the same numbers under the same names.  Of more than 50 groups, tables show the 50
    largest and the total; of more than 40, a page compares the 20 best and the 20 worst.  `to_markdown` and `to_html`
    show all with ``full=True``.

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
        return summary(self.answer.whole, self.question)

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
        """Return sections of records of statistics and bounds, as nested dictionaries, notes, and mistakes if listed.

        O(statistics).

        >>> list(evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_dict())
        ['scores', 'notes']
        """
        return {**as_tree(self.sections, self.notes), **self.answer.in_json}

    @property
    def _formats(self) -> Formats:
        return formats_of_report(self.answer, self.question)

    def _columns(self) -> dict[str, list[Any]]:
        return columns(self.sections)


def evaluate(
    frame: Any,
    *,
    label: str | None = None,
    score: str | Sequence[str] | Mapping[str, str] | None = None,
    predicted: str | None = None,
    value: str | Sequence[str] | None = None,
    lower_is_better: str | Sequence[str] | None = None,
    quantile: float | Sequence[float] | None = None,
    words: Mapping[str, float] | None = None,
    on: str | Sequence[str] | None = None,
    repeats: str | None = None,
    judge: str | None = None,
    positive: Any = None,
    threshold: float | Sequence[float] | None = None,
    threshold_for: Mapping[str, float | Sequence[float]] | None = None,
    costs: tuple[float, float] | None = None,
    by: str | Sequence[str] | None = None,
    by_time: str | None = None,
    every: Period | None = None,
    fold: str | Sequence[str] | None = None,
    ci: float | None = None,
    compare: Literal["first", "best", "all", "none"] | None = None,
    ci_method: RocAucMethod | None = None,
    proportion_method: ProportionMethod | None = None,
    groups: int | None = None,
    min_cases: int | None = None,
    sort: str | None = None,
    compare_groups: bool | str = False,
    matrix: bool = True,
    nulls: Literal["refuse", "drop"] = "refuse",
    where: Any = None,
    sample: int | None = None,
    seed: int = 0,
    text: str | Sequence[str] | None = None,
    measures: str | Sequence[str] | None = None,
    at_k: int | Sequence[int] | None = None,
    weight: str | None = None,
    weight_type: WeightType | None = None,
    target_prevalence: float | None = None,
    cluster: str | None = None,
    show: str | Sequence[str] | None = None,
    mistakes: int | None = None,
    pos_label: Any = None,
) -> Report:
    """Evaluate the predictions in columns of a data frame, as ``evalcore report`` does for a file.

    Parameters
    ----------
    frame : pandas, polars or pyarrow table, polars LazyFrame, DuckDB relation, or mapping of names to arrays
        Anything that exports the Arrow C stream, a dataset of pyarrow, or a mapping.  From lazy frames, relations
        and datasets, only the columns that are needed are computed, lazy frames by the streaming engine.  pandas Series
        in a mapping must have the same index.
    label : str
        The column of labels: Booleans, 0 and 1, or names of classes.  None beside `value`.
    score : str, sequence of str, or mapping of class to str
        Columns of scores of the positive label or, in a mapping, of each class.
    predicted : str, optional
        The column of predicted classes, in place of scores.  Classes of text are compared as they are written: where
        some differ only in case or in leading zeros, a note says which.  A case whose label and prediction are one
        value in two spellings, such as 1 and 1.0 or True, is an error.
    value : str or sequence of str, optional
        Columns with one value for each case, a finite number or a Boolean, such as a grade, a cost or whether a test
        passed, in place of labels and predictions.  The report has their means, also for groups.  Text may be numbers,
        true and false, or the words of `words`; of two words, `positive` counts as 1.  With ``nulls="drop"`` each
        column leaves out its own missing values, and a note says how many.
    lower_is_better : str or sequence of str, optional
        The columns of `value` in which lower is better, such as a cost.
    quantile : float or sequence of float, optional
        Quantiles of values to add, each above 0 and below 1, such as 0.5 for the median.
    words : mapping of str to float, optional
        Values of the words in columns of `value`, such as ``{"C": 1, "P": 0.5, "I": 0}``.  Any other word is an error.
    on, repeats : str or sequence of str, and 'mean' or 'pass@K', optional
        `on` names the columns that identify a case, of which there may be several samples.  Each case counts once: with
        'mean' by the mean of its samples' values, and the report tells how they vary within and between ids; with
        ``"pass@5"`` by the unbiased estimate of the probability that at least one of five samples is 1.
    judge : str, optional
        A column of a judge's values for all cases, such as a language model's.  `value` then has people's values, and
        null for cases that nobody judged.  The report has the mean that combines both (prediction-powered), the judge's
        bias, its agreement with people, and how many cases judged by people it replaces.
    positive : str, number or bool, optional
        The positive label, if it is not 1 or True.  All others are negative; a note lists them if there are several.
    threshold : float or sequence of float, optional
        Adds measures of the decisions score >= threshold.  The first threshold is in the records of `scores`, each
        other one in a section of its own, such as "threshold 0.25".  If scores are probabilities, thresholds above 0
        and below 1 also have the net benefit.
    threshold_for : mapping of str to float or sequence of float, optional
        Adds measures at the threshold at which each model reaches a target: "precision", "recall" or "specificity" of
        at least the value, "fpr" (false positive rate) or "flagged" (fraction of the cases predicted positive) of at
        most the value, each in a section such as "threshold for precision=0.9".  `evalcore.metrics.threshold_at` finds
        the threshold among all rows, and groups share it; it is NaN if none reaches the target.
    costs : (float, float), optional
        What a false positive and a false negative cost.  Adds the expected cost at the threshold, and the lowest
        expected cost with its threshold, which is marked on the page unless `threshold` is given.
    by : str or sequence of str, optional
        A column of groups: each is reported, the largest first, and then the total.  Tables and pages show groups of
        numbers or dates in their order; `Report` says what they show of more than 40 or 50 groups.  With several
        columns, each combination that occurs is a group, with a name such as "AA, 3"; a value that holds a comma is in
        quotes.
    by_time : str, optional
        A column of dates or times whose periods are groups, beside `by`.  Times with a time zone are local times of
        that zone.
    every : {'hour', 'day', 'week', 'month', 'quarter', 'year'}, default 'month'
        With `by_time`: the periods.  A week is named after its Monday.
    fold : str or sequence of str, optional
        The column of the folds of a cross-validation, or the columns of repeats and folds, in place of `by`: folds are
        the groups, and the section "folds" has the mean and the standard deviation of each measure over those where it
        is defined, at least two, beside the pooled value of all cases.  `compare` tests models by their means over
        folds.
    ci : float, optional
        Adds intervals of this level, and compares the ROC AUCs of the columns of scores, in each group too.
    compare : {'first', 'best', 'all', 'none'}, default 'first'
        With `ci`: compares each column with the first or with the best one, or all pairs, or none.  P-values of several
        comparisons are adjusted by Holm's method, p-values of groups for all groups; with 'best', as if all pairs were
        compared, because the same cases choose the best.
    ci_method : {'delong-wilson', 'delong', 'delong-logit'}, default 'delong-wilson'
        With `ci`: the interval of ROC AUCs, as the `method` of `evalcore.inference.roc_auc_interval`.  With
        'delong', differences of two areas have DeLong's interval too, otherwise the interval of a score test, as in
        `evalcore.inference.compare_roc_auc`.
    proportion_method : {'wilson', 'clopper-pearson', 'jeffreys', 'agresti-coull', 'normal'}, default 'wilson'
        With `ci`: the interval of accuracy, precision, recall and other fractions, as the `method` of
        `evalcore.inference.proportion_interval`.
    groups : int, default 10,000
        Number of groups allowed.
    min_cases : int, optional
        Leaves out smaller groups; a note says how many.  The total is of all cases.
    sort : {'name', 'size', 'value', 'worst'} or name of a statistic, optional
        Sorts groups everywhere: by name, numbers and dates in their order, or the largest first, by their cases, their
        ROC AUC (accuracy for classes), or another statistic of the first model, such as 'recall'; 'worst' puts the
        smallest ROC AUC or accuracy first.
    compare_groups : bool or str, default False
        With `ci`: compares each group with all other cases (True or 'rest'), with one group by its name, or all pairs
        of groups ('all'): by each of `measures` with an interval, of decisions at each `threshold`, by default by the
        ROC AUC or, of classes, the accuracy.  Each side is evaluated by itself, and bounds of differences combine the
        bounds of both sides, for ROC AUCs as `evalcore.inference.compare_unpaired_roc_auc` does.  P-values are adjusted
        by Holm's method for all groups, measures and columns.  The largest gap between any two of up to 300 groups has
        bounds that allow for the search.
    matrix : bool, default True
        Whether a report on classes holds the counts by class: the confusion matrix and, for scores of classes, ranks.
    nulls : {'refuse', 'drop'}, default 'refuse'
        Whether rows with a null or NaN in a column that the report needs are an error, or left out.  A note counts the
        rows that are left out, and the nulls of each column.
    where : str or pyarrow expression, optional
        The condition that rows must meet, which may use all columns of the frame: what follows WHERE in the SQL of
        DuckDB, or an expression such as ``pyarrow.compute.field("month") >= 7``.  A column of text that
        SQL compares with numbers, truth values or dates is read as such as a whole, and so are two columns of text of
        which SQL asks which is larger; what is compared with quoted text stays text.  Times without a zone count as
        UTC.  A condition that is null is not met.  Nulls in other rows do not matter.
    sample : int, optional
        Evaluates a random sample of this many of the rows that `where` and `nulls` keep.  Intervals depend on the size
        of the sample, and are valid for the table that the rows come from.
    seed : int, default 0
        Seed of the sample, from 0 on.  The same rows in the same order give the same sample.
    text : str or sequence of str, optional
        Columns of labels, predictions or groups that are read as text, whatever their types, such as one that holds
        both numbers and names.
    measures : str or sequence of str, optional
        Names of the numbers that the report holds, such as "roc_auc" or "precision_at_20", and "confusion_matrix" or
        "rank_counts", in place of all.  Names of other libraries, such as "roc_auc_score", are understood in any case;
        "f1@0.3" is F1 at the `threshold` 0.3, and "f1@recall=0.9" at that of a target (`threshold_for`).  The numbers
        of cases and of positives stay, and the threshold of decisions.  What other arguments ask for is added: of
        `threshold` and `threshold_for` the counts of decisions, precision, recall and F1, unless `measures` names
        statistics of decisions; of `costs` the expected costs.  Numbers that are not asked for are computed only if the
        summary, a page or a chart needs them.  With `ci`, and by name alone, there are slope, intercept and error of
        calibration: "calibration_slope", "calibration_intercept" and "calibration_in_the_large" of
        `evalcore.inference.logistic_calibration`, and "debiased_calibration_error" of
        `evalcore.inference.debiased_calibration_error_interval`, which sampling weights lack.
    at_k : int or sequence of int, optional
        Adds precision and recall among the k highest scores, in place of precision at 5, 10, 100 and 1000; for scores
        of classes top-k accuracy, in place of that at 2, 3 and 5.  Beside `measures` they are added to these.
    weight : str, optional
        The column of the weights of rows: finite numbers, none negative.  Rows of weight 0 are ignored.
    weight_type : {'sampling', 'frequency'}, default 'sampling'
        What a weight means.  'sampling': how many cases of the population a row stands for, such as 100 if one in a
        hundred was sampled.  'frequency': how many equal rows there were, a whole number.  See the notes.
    target_prevalence : float, optional
        Reweights positives and negatives so that this fraction of the cases, above 0 and below 1, is positive.
        Precision, accuracy and the like then describe another population, or the one whose negatives were sampled.
        With `by`, all rows together have this prevalence; the prevalence of a group may differ.
    cluster : str, optional
        With `ci`: the column of clusters, such as patients or days, whose rows may depend on each other.  Intervals and
        comparisons then treat the clusters as drawn: ROC AUCs by the jackknife, fractions by Wilson's method
        with the effective number of cases, all with Student's t.  The debiased calibration error then has no bounds.
    show : str or sequence of str, optional
        Lists the most confident mistakes of each model with the texts of these columns: the cases whose scores are
        furthest on the wrong side of the first `threshold`; for scores of classes, the mistakes with the highest
        scores; for predicted classes, the first ones.  The page and the JSON contain nothing else of the rows.
    mistakes : int, default 10
        With `show`: the number of mistakes that are listed, at most 100.
    pos_label : str, number or bool, optional
        Another name for `positive`, as in scikit-learn and `evalcore.metrics`.

    Returns
    -------
    Report

    Raises
    ------
    EvaluationError, EvaluationTypeError
        If a column is missing, holds nulls, or holds invalid labels or scores, or arguments are incompatible.

    Notes
    -----
    O(n log n) for each column of scores, and O(n) for each comparison.  Sources: those of the measures.

    A sampling weight is the number of cases of the population that a row stands for: the inverse of the chance that the
    row was sampled.  If all positives were kept and one negative in a hundred, positives have the weight 1 and
    negatives 100.  Measures are then estimates for the population.  Intervals depend on the number of sampled rows:
    ROC AUCs use DeLong's variance of weighted placements, and fractions the effective number of cases.
    `cases` and `positives` are numbers of rows, `weight` is the sum of their weights, and `effective_cases` is how many
    cases of equal weight would give an equally certain mean (Kish).  `tp`, `fn`, `fp` and `tn` are sums of weights.
    If all weights are multiplied by one factor, only these sums and `weight` change.  Precision and recall at k and the
    reciprocal rank are left out, because the k best cases of the population are not known.

    A frequency is the number of equal rows that one row stands for.  Counts, ranks, intervals and tests are the same as
    if each row were repeated that many times, and `cases` is the sum of the frequencies.

    Examples
    --------
    >>> report = evaluate({"late": [1, 0, 0], "model": [0.9, 0.1, 0.9]}, label="late", score="model", threshold=0.5)
    >>> report["model"]["roc_auc"], report["model"]["precision"]
    (0.75, 0.5)
    >>> columns = {"late": [1, 0, 0], "model": [0.9, 0.1, 0.8]}
    >>> evaluate(columns, label="late", score="model", measures="log_loss", at_k=2)["model"]["recall_at_2"]
    1.0
    >>> report = evaluate(columns, label="late", score="model", threshold_for={"precision": 0.9})
    >>> report["threshold for precision=0.9"]["threshold"]
    0.9
    """
    of_one_label = {"positive": positive, "pos_label": pos_label, "threshold": threshold,
                    "threshold_for": threshold_for, "costs": costs, "compare": compare}  # fmt: skip
    classes = dict(score) if isinstance(score, Mapping) else None
    several = {"score": score if classes is None else [*classes.values()], "by": by, "text": text, "show": show}
    several |= {"value": value, "lower_is_better": lower_is_better, "on": on or (), "fold": fold}
    single = {"predicted": predicted, "weight": weight, "cluster": cluster, "by_time": by_time, "judge": judge}
    names = checked_names(several, single | {"label": label})
    given, of_classes = [name for name, value in of_one_label.items() if value is not None], bool(classes or predicted)
    refuse({
        "evaluate takes score or predicted, got both; give only one of them": (
            score is not None and predicted is not None
        ),
        "evaluate needs score, predicted or value": score is None and predicted is None and value is None,
        f"{' and '.join(given)} need{'s' * (len(given) == 1)} columns of scores of one label": of_classes and given,
        "matrix=False needs predicted, or score as a mapping of classes to columns": not (of_classes or matrix),
        "lower_is_better, quantile and words need value": value is None and (lower_is_better or quantile or words),
    })  # fmt: skip
    scores = () if classes else names["score"]
    thresholds, targets = asked_thresholds(threshold), asked_targets(threshold_for)
    if scores:
        measures, thresholds, targets = at_thresholds(measures, thresholds, targets)
    decided, costed = bool(thresholds or targets), costs is not None
    chosen = asked_measures(measures, at_k, of_classes=bool(classes), decided=decided, costed=costed)
    periods = asked_periods(by_time, every)
    question = Question(
        label=label or "", values=names["value"], lower_is_better=names["lower_is_better"], words=words,
        on=names["on"], repeats=repeats, judge=judge,
        quantiles=asked_thresholds(quantile), scores=scores, classes=classes,
        predicted=() if predicted is None else (predicted,),
        positive=named_positive(positive, pos_label, "evaluate"), by=(*names["by"], *periods, *names["fold"]),
        fold=names["fold"], every=periods,
        text=names["text"], cluster=cluster, show=names["show"], mistakes=mistakes,
        thresholds=thresholds, level=ci, groups=groups, compare=compare, measures=chosen,
        costs=None if costs is None else checked_costs(costs),
        matrix=matrix, min_cases=min_cases, sort=sort, compare_groups=asked_groups(compare_groups),
        targets=targets, rows=Rows(nulls, where, sample, seed), ci_method=ci_method,
        proportion_method=proportion_method, weighting=Weighting(weight, weight_type, target_prevalence),
    )  # fmt: skip
    return Report(answer(question, lambda selection: from_frame(frame, selection)), question)


def refuse_columns(argument: str, value: Any) -> None:
    """Raise EvaluationTypeError for a column itself where its name belongs.  O(1)."""
    if hasattr(value, "__array__") and not isinstance(value, str):
        kind = "a Series" if type(value).__name__ == "Series" else "an array"
        way_out = "put it into the frame as a column, and give its name"
        raise EvaluationTypeError(f"{argument} must be the name of a column, got {kind}; {way_out}")


def named_positive(positive: Any, pos_label: Any, function: str) -> str | None:
    """Return the positive label, which has two names, as text; None if it is not given.  O(1)."""
    both = positive is not None and pos_label is not None
    refuse({"positive and pos_label mean the same; give only one of them": both})
    given = positive if pos_label is None else pos_label
    check_label(given, "positive", function)
    return None if given is None else str(given)


def checked_names(several: Mapping[str, Any], single: Mapping[str, Any]) -> dict[str, Any]:
    """Return the names of arguments that take one or several names of columns, or of measures.  O(names).

    single: arguments that are one name, or None, which labels may not be unless there are values.  Raises
    EvaluationError or EvaluationTypeError.
    """
    for argument, value in (*several.items(), *single.items()):
        refuse_columns(argument, value)
    names = {argument: names_of(argument, value) for argument, value in several.items()}
    for argument, value in single.items():
        is_name = isinstance(value, str) or (value is None and (argument != "label" or several["value"] is not None))
        check(is_name, argument, "be the name of a column", repr(value), EvaluationTypeError)
    for argument in ("score", "predicted", "value"):
        is_empty = several.get(argument) is not None and not names[argument]
        refuse({f"{argument} must name at least one column": is_empty})
    return names


def names_of(argument: str, given: Any) -> tuple[str, ...]:
    """Return the names of an argument that takes one or several.  O(names)."""
    if isinstance(given, str):
        return (given,)
    rule = "be a string, a sequence of strings or a mapping"
    rule = rule if argument == "score" else "be a string or a sequence of strings"
    are_several = isinstance(given, Sequence | None) and not isinstance(given, bytes)
    check(are_several, argument, rule, repr(given), EvaluationTypeError)
    for name in given or ():
        check(isinstance(name, str), argument, "hold strings", repr(name), EvaluationTypeError)
    return tuple(given or ())
