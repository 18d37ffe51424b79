"""Every statistic of a report: its one name, its title, its meaning, its formula, and the method of its intervals."""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from evalcore.kernels.thresholds import plain_number
from evalcore.measures import binary, curves, multiclass, ranks
from evalcore.typing import FloatArray

_ONE_CLASS = "all cases are of one class"
_NO_TEST = "a class has fewer than two cases, or the difference has no variance"
_NO_POSITIVES = "there are no positives"
_NOT_PROBABLE = (
    "scores are not probabilities between 0 and 1 "
    "(of several classes: summing to 1, within 2e-8; divide rounded ones by their sum)"
)
_COUNT = "it counts the cases of this sample"
_OPTIMUM = "use evalcore.inference.optimal_threshold_interval, which resamples it"
_RANKS = "it depends on the ranks of single cases; compare lists query by query"
_ONE_SIDED = "labels or predictions are all of one class"
_ABSENT_CLASS = "the class neither occurs nor is predicted"
WILSON, _BY_TRIALS, _WALD, _STUDENT, _DELONG = "Wilson", "delta method, Wilson", "Wald", "Student's t", "DeLong, Wilson"
OF_GROUPS = "Zou and Donner"
_NO_LOGITS = "some scores are not above 0 and below 1, all are equal, or they separate the classes"


DECISIONS, COSTS, INTERVALS, RANKS, CLASSES = "decisions", "costs", "intervals", "ranks", "classes"
OUTCOMES = "outcomes"
RANKING, LOSS, AT_THRESHOLDS, ALL_CLASSES, EACH_CLASS = "ranking", "loss", "at thresholds", "all classes", "each class"
CALIBRATION, CELLS, NAMED = "calibration", "cells", "its name"
DEPTH, RATE, QUANTILE = "K", "RATE", "quantile_"
"""Stand for a number in names and titles of the catalogue, or before one."""


class Entry(NamedTuple):
    """All that is known of a statistic by its name."""

    title: str
    """Its name in tables."""
    meaning: str
    method: str = ""
    """How its interval is computed; empty where it has none."""
    why_nan: str = "there is nothing to compute it from"
    why_no_interval: str = ""
    """Why it can have no interval and no difference, where that is not for want of a method."""
    full_title: str = ""
    """Its name away from the line above it, where the title needs that line."""
    aliases: tuple[str, ...] = ()
    """Names that other libraries have for it, in small letters."""
    needs: tuple[str, ...] = ()
    """What it needs beside scores or classes: of `DECISIONS`, `COSTS`, `INTERVALS`, `RANKS`, `CLASSES`, `CELLS` of
    their whole table, or to be `NAMED`."""
    partner: str = ""
    """An optimum's threshold, or the optimum of a threshold: neither says much without the other."""
    stays: bool = False
    """Whether it is shown whatever is asked for, since it says what other numbers are of."""
    shown: bool = False
    """Whether it stands for its kind where thresholds or costs are given beside measures of other kinds."""
    reported: bool = True
    """Whether reports have it, not comparisons alone."""
    asked: bool = True
    """Whether a report can be asked for it by name; other numbers come with these."""
    merges: bool = True
    """Whether summaries of rows give it, or bounds of it."""
    depths: tuple[int, ...] | None = None
    """Of a family with a depth K, those that reports have unless others are asked for."""
    difference_of: str = ""
    """The measure whose difference it is."""
    lower_is_better: bool = False
    target: float = np.inf
    """The best value, where it is neither the least nor the largest."""
    compared: tuple[str, ...] = ()
    """How models are compared by it, beside what decisions have: of `RANKING`, `LOSS`, `CALIBRATION`, `AT_THRESHOLDS`,
    `ALL_CLASSES`, `EACH_CLASS`.  By its name whatever has derivatives or factors is compared."""
    place: int = 0
    """Comparisons put it behind those of a smaller number, and else in the order of the catalogue."""
    of_ranking: Callable[..., Any] | None = None
    """Returns it for g groups, (g,), from `Rankings`; of a family also from depths, (g,), or (d, 1) of one ranking."""
    of_decisions: Callable[[Any], Any] | None = None
    """Returns it for the decisions of g groups, (g,), from a `ClassTables` of the positive class and the negative one,
    where `of_classes` does not."""
    of_classes: Callable[[Any], Any] | None = None
    """Returns it for g tables of k classes, (g,), from a `ClassTables`; a measure of each class for each, (g, k)."""
    least: float = 0.0
    """The least value that it can have."""
    largest: float = 1.0
    """The largest one; of the Brier score of three or more classes twice that."""
    derivatives: Callable[..., Any] | None = None
    """Returns how much it changes with each cell of tables, (..., k, k), by which predicted classes are compared; of a
    measure of decisions alone, or of each class, with tp, fn, fp and tn, (..., 2, 2)."""
    factors: Callable[[float, Any], FloatArray] | None = None
    """Returns the factors of tp, fn, fp and tn in the sums whose quotient it is, (2, 2, 2), from a threshold and the
    costs of wrong decisions; in place of derivatives."""
    of_ranks: Callable[..., Any] | None = None
    """Returns it for g groups, (g,), from cases counted by the rank of their class among its scores, (g, k), and a
    depth."""
    depth: int = 0
    """Of a measure of a family."""
    resampled: str = ""
    """Its name in `evalcore.inference` where the bootstrap alone has its interval."""


def _accuracy(found: Any) -> Any:
    """Return the accuracy of tables of classes, which are the micro averages too, (g,)."""
    right, wrong = found.outcomes
    return binary.accuracy(right, wrong, 0, 0)


# fmt: off
def _average(kind: str, name: str) -> Entry:
    """Return the entry of an average over classes of the precision, the recall or the F1."""
    title, weighted = "F1" if name == "f1" else name, ", weighted by their number of cases" * (kind == "weighted")
    if kind == "micro":
        meaning = f"{title[0].upper()}{title[1:]} of the summed counts of all classes."
        return Entry(f"{title}, micro average", meaning, WILSON, needs=(CLASSES,),
            of_classes=_accuracy, derivatives=multiclass.accuracy_derivatives)
    is_accuracy = (kind, name) == ("weighted", "recall")
    derivatives = partial(multiclass.average_derivatives, kind, name)
    return Entry(f"{title}, {kind} average", f"Mean of the classes' {title}{'s' * (name != 'f1')}{weighted}.",
        WILSON if is_accuracy else _BY_TRIALS, needs=(DECISIONS, CLASSES),
        compared=(ALL_CLASSES,) if (kind, name) == ("macro", "f1") else (),
        of_classes=lambda found: found.averages[f"{kind}_{name}"],
        derivatives=multiclass.accuracy_derivatives if is_accuracy else derivatives)


def _cell(title: str, meaning: str) -> Entry:
    return Entry(title, meaning, needs=(DECISIONS,), shown=True, why_no_interval=_COUNT)


ENTRIES = {
    "cases": Entry("cases", "Number of cases evaluated.", stays=True, why_no_interval=_COUNT),
    "classes": Entry("classes", "Number of distinct classes among labels and predictions.", stays=True,
        of_classes=lambda found: np.full(*found.counts.tp.shape), why_no_interval=_COUNT),
    "positives": Entry("positives", "Number of cases whose label is positive.", stays=True, why_no_interval=_COUNT),
    "weight": Entry("weight", "Sum of the weights of the cases.", stays=True, asked=False),
    "effective_cases": Entry("effective cases",
        "How many cases of equal weight would be as informative: (sum of weights)² / sum of squares.",
        stays=True, asked=False),
    "predicted": Entry("predicted", "Number of cases predicted to be of the class.", why_no_interval=_COUNT),
    "prevalence": Entry("prevalence", "Fraction of the cases that are positive.", WILSON),
    "roc_auc": Entry(
        "ROC AUC", "Probability that a random positive scores higher than a random negative; a tie counts one half.",
        _DELONG, _ONE_CLASS, aliases=("auc", "auroc", "roc_auc_score", "c_index"), compared=(RANKING,),
        of_ranking=lambda ranked: ranked.roc_aucs()),
    "average_precision": Entry(
        "average precision", "Mean, over the positives, of the precision at each one's score.", "influence, Wilson",
        _NO_POSITIVES, aliases=("ap", "auprc", "pr_auc", "average_precision_score"), compared=(RANKING,),
        of_ranking=lambda ranked: curves.average_precisions(ranked.runs)),
    "maximum_f1": Entry(
        "maximum F1", "Largest F1 at any threshold.", _BY_TRIALS, aliases=("max_f1",), partner="maximum_f1_threshold",
        resampled="max_f1", of_ranking=lambda ranked: ranked.best_f1.values),
    "maximum_f1_threshold": Entry("  at the threshold", "The threshold of maximum F1.", why_nan=_NO_POSITIVES,
        full_title="the threshold of maximum F1", aliases=("maximum_f1_score",), partner="maximum_f1", merges=False,
        of_ranking=lambda ranked: ranked.scores_of(ranked.best_f1.runs, np.nan), why_no_interval=_OPTIMUM),
    "minimum_expected_cost": Entry("lowest expected cost",
        "Smallest mean cost per case at any threshold, including predicting no case positive.", _BY_TRIALS,
        needs=(COSTS,), partner="minimum_expected_cost_threshold", shown=True, merges=False, lower_is_better=True,
        of_ranking=lambda ranked: ranked.least_cost.values),
    "minimum_expected_cost_threshold": Entry("  reached at the threshold",
        "The threshold of the lowest expected cost; infinite if it is cheapest to predict no case positive.",
        full_title="the threshold of lowest expected cost", aliases=("minimum_expected_cost_score",), needs=(COSTS,),
        partner="minimum_expected_cost", merges=False,
        of_ranking=lambda ranked: ranked.scores_of(ranked.least_cost.runs, np.inf), why_no_interval=_OPTIMUM),
    "break_even_point": Entry(
        "break-even point", "Largest precision at a threshold where recall is at least precision.", merges=False,
        of_ranking=lambda ranked: curves.break_even_points(ranked.runs), why_no_interval=_RANKS),
    "r_precision": Entry(
        "R-precision", "Fraction of positives among the R highest-scored cases, where R is the number of positives.",
        why_nan=_NO_POSITIVES, merges=False,
        of_ranking=lambda ranked: ranks.precisions_at(ranked.runs, ranked.runs.totals[0]), why_no_interval=_RANKS),
    "precision_at_K": Entry(
        "precision at K", "Fraction of positives among the K highest scores; with ties, the mean over their orders.",
        why_nan="there are fewer cases than the depth", needs=(RANKS,), merges=False, depths=(5, 10, 100, 1000),
        of_ranking=lambda ranked, depths: np.where(
            depths <= ranked.sizes, ranks.precisions_at(ranked.runs, depths), np.nan), why_no_interval=_RANKS),
    "recall_at_K": Entry("recall at K",
        "Fraction of the positives that are among the K highest scores; with ties, the mean over their orders.",
        why_nan=_NO_POSITIVES, needs=(RANKS,), merges=False, depths=(),
        of_ranking=lambda ranked, depths: ranks.recalls_at(ranked.runs, depths), why_no_interval=_RANKS),
    "reciprocal_rank": Entry(
        "reciprocal rank", "1 / rank (from 1) of the highest-scored positive; with ties, the mean over their orders.",
        needs=(RANKS,), merges=False,
        of_ranking=lambda ranked: ranks.reciprocal_ranks(ranked.runs), why_no_interval=_RANKS),
    "log_loss": Entry(
        "log loss", "Mean of -ln p, where p is the probability given to the true class.", _STUDENT, _NOT_PROBABLE,
        aliases=("logloss", "cross_entropy"), lower_is_better=True, largest=np.inf, compared=(LOSS,),
        of_ranking=lambda ranked: ranked.losses["log_loss"]),
    "brier_score": Entry("Brier score",
        "Mean squared difference between probability and outcome (0 or 1); with three or more classes, their sum.",
        _STUDENT, _NOT_PROBABLE, aliases=("brier", "brier_score_loss"), lower_is_better=True, compared=(LOSS,),
        of_ranking=lambda ranked: ranked.losses["brier_score"]),
    "calibration_error": Entry("calibration error",
        "Average gap between predicted probability and observed frequency, over ten bins weighted by cases (ECE).",
        why_nan=_NOT_PROBABLE, aliases=("ece", "expected_calibration_error"),
        why_no_interval="chance alone makes it larger than 0; see debiased_calibration_error and bootstrap_interval",
        of_ranking=lambda ranked: ranked.losses["calibration_error"]),
    "calibration_slope": Entry("calibration slope",
        "Slope of the true log odds against the predicted log odds: below 1, the probabilities are too extreme.",
        _WALD, _NO_LOGITS, needs=(INTERVALS,), target=1.0, compared=(CALIBRATION,)),
    "calibration_intercept": Entry("calibration intercept",
        "Intercept of the line whose slope is the calibration slope: 0 if the probabilities are calibrated.",
        _WALD, _NO_LOGITS, needs=(INTERVALS,), target=0.0, compared=(CALIBRATION,)),
    "calibration_in_the_large": Entry("calibration in the large",
        "Intercept with the slope fixed at 1: above 0, the probabilities are too low on average.",
        _WALD, _NO_LOGITS, needs=(INTERVALS,), target=0.0, compared=(CALIBRATION,)),
    "debiased_calibration_error": Entry("debiased calibration error",
        "Root mean square gap between the fraction of positives and the mean score in 15 bins of equally many cases, "
        "less the part that is due to chance.", "debiased", _NOT_PROBABLE, needs=(INTERVALS,)),
    "threshold": Entry("at threshold", "Scores at or above this are predicted positive.", asked=False),
    "tp": _cell("true positives", "Positives that were predicted positive."),
    "fn": _cell("false negatives", "Positives that were predicted negative."),
    "fp": _cell("false positives", "Negatives that were predicted positive."),
    "tn": _cell("true negatives", "Negatives that were predicted negative."),
    "accuracy": Entry("accuracy", "Fraction of the cases that are predicted correctly.", WILSON, needs=(DECISIONS,),
        compared=(AT_THRESHOLDS, ALL_CLASSES), of_decisions=lambda found: binary.accuracy(*found.first),
        of_classes=_accuracy, derivatives=multiclass.accuracy_derivatives),
    "balanced_accuracy": Entry(
        "balanced accuracy", "Mean recall over the classes that occur; with two, the mean of recall and specificity.",
        _BY_TRIALS, needs=(DECISIONS,), place=2, of_classes=lambda found: found.averages["balanced_accuracy"],
        derivatives=partial(multiclass.average_derivatives, "balanced", "recall")),
    "recall": Entry("recall", "Fraction of positives (or cases of the class) that are found: tp / (tp + fn).", WILSON,
        _ABSENT_CLASS, aliases=("sensitivity", "tpr", "recall_score"), needs=(DECISIONS,), shown=True,
        compared=(AT_THRESHOLDS, EACH_CLASS), of_decisions=lambda found: found.scores.recall[:, 0],
        of_classes=lambda found: found.scores.recall),
    "precision": Entry(
        "precision", "Fraction of predicted positives (or predictions of the class) that are right: tp / (tp + fp).",
        WILSON, _ABSENT_CLASS, aliases=("ppv", "precision_score"), needs=(DECISIONS,), shown=True,
        compared=(AT_THRESHOLDS, EACH_CLASS), place=1, of_decisions=lambda found: found.scores.precision[:, 0],
        of_classes=lambda found: found.scores.precision),
    "specificity": Entry("specificity", "Fraction of negatives that are predicted negative: tn / (tn + fp).", WILSON,
        _ABSENT_CLASS, aliases=("tnr",), needs=(DECISIONS,), compared=(AT_THRESHOLDS,),
        of_decisions=lambda found: found.scores.recall[:, 1]),
    "false_positive_rate": Entry(
        "false positive rate", "Fraction of negatives that are predicted positive: fp / (tn + fp).", WILSON,
        _ABSENT_CLASS, aliases=("fpr",), needs=(DECISIONS,), lower_is_better=True,
        of_decisions=lambda found: binary.recall(found.first[2], found.first[3])),
    "selection_rate": Entry("selection rate", "Fraction of the cases that are predicted positive.", WILSON,
        aliases=("positive_rate", "predicted_positive_rate"), needs=(DECISIONS,),
        of_decisions=lambda found: binary.accuracy(*(found.first[cell] for cell in (0, 1, 3, 2)))),
    "negative_predictive_value": Entry(
        "negative predictive value", "Fraction of predicted negatives that are truly negative: tn / (tn + fn).", WILSON,
        _ABSENT_CLASS, aliases=("npv",), needs=(DECISIONS,), of_decisions=lambda found: found.scores.precision[:, 1]),
    "f1": Entry("F1", "Harmonic mean of precision and recall: 2 tp / (2 tp + fn + fp).", _BY_TRIALS, _ABSENT_CLASS,
        aliases=("f1_score", "f_measure"), needs=(DECISIONS,), shown=True, compared=(AT_THRESHOLDS, EACH_CLASS),
        place=1, of_decisions=lambda found: found.scores.f1[:, 0],
        of_classes=lambda found: found.scores.f1),
    **{f"{kind}_{name}": _average(kind, name)
       for kind in ("macro", "weighted", "micro") for name in ("precision", "recall", "f1")},
    "jaccard": Entry("Jaccard index",
        "Fraction of true positives among all cases that are, or are predicted, positive: tp / (tp + fn + fp).",
        WILSON, _ABSENT_CLASS, aliases=("iou",), needs=(DECISIONS,),
        of_decisions=lambda found: binary.jaccard(*found.first[:3])),
    "kappa": Entry(
        "Cohen's kappa", "Agreement beyond chance, as a fraction of the largest possible; 1 is perfect.", _BY_TRIALS,
        "labels and predictions are all of one class", needs=(DECISIONS,), compared=(ALL_CLASSES,), place=1,
        of_decisions=lambda found: binary.kappa(*found.first),
        of_classes=lambda found: found.kappas(), least=-1.0, derivatives=multiclass.kappa_derivatives),
    "matthews_correlation": Entry("Matthews correlation (MCC)",
        "Correlation of label and prediction, between -1 and 1; with several classes, Gorodkin's generalisation.",
        _BY_TRIALS, _ONE_SIDED, aliases=("mcc", "matthews", "matthews_corrcoef", "phi"), needs=(DECISIONS,),
        of_decisions=lambda found: binary.phi(*found.first),
        of_classes=lambda found: [*map(multiclass.matthews, *found.counts)],
        least=-1.0, derivatives=multiclass.matthews_derivatives),
    "phi_squared": Entry(
        "phi squared", "Squared correlation of label and prediction.", why_nan=_ONE_SIDED, needs=(DECISIONS,),
        of_decisions=lambda found: binary.phi_squared(*found.first),
        why_no_interval="it is the square of matthews_correlation, which has one"),
    "chi_squared": Entry("chi squared", "Pearson's statistic of independence: the number of cases times phi squared.",
        why_nan=_ONE_SIDED, needs=(DECISIONS,),
        of_decisions=lambda found: binary.chi_squared(*found.first),
        why_no_interval="it grows with the number of cases, so it estimates no property of the population"),
    "yules_q": Entry("Yule's Q", "(tp tn - fp fn) / (tp tn + fp fn), between -1 and 1.", _BY_TRIALS, _ONE_SIDED,
        needs=(DECISIONS,), of_decisions=lambda found: binary.yules_q(*found.first),
        least=-1.0, derivatives=multiclass.yules_q_derivatives),
    "net_benefit": Entry("net benefit",
        "True positives minus false positives times t / (1 - t), per case, at threshold t; 0 if none is flagged.",
        OF_GROUPS, needs=(DECISIONS,),
        why_nan="scores are not probabilities, or the threshold is not above 0 and below 1",
        factors=lambda at, costs: multiclass.net_benefit_factors(at)),
    "expected_cost": Entry(
        "expected cost", "Mean cost per case, given the costs of a false positive and of a false negative.",
        _BY_TRIALS, needs=(DECISIONS, COSTS), shown=True, lower_is_better=True,
        factors=lambda at, costs: np.array([costs.of_counts.reshape(2, 2), np.ones((2, 2))])),
    "cramers_v": Entry("Cramér's V", "Association of label and prediction, between 0 and 1.", needs=(CLASSES, CELLS),
        why_nan="a class never occurs or is never predicted",
        of_classes=lambda found: multiclass.cramers_v(found.tables),
        why_no_interval="chance alone makes it larger than 0, its minimum"),
    "mutual_information": Entry(
        "mutual information, bits", "Information that the prediction gives about the label, in bits.",
        needs=(CLASSES, CELLS), of_classes=lambda found: multiclass.mutual_information(found.tables),
        why_no_interval="chance alone makes it larger than 0, its minimum"),
    "mean_reciprocal_rank": Entry(
        "mean reciprocal rank", "Mean, over the cases, of 1 divided by the rank (from 1) of the true class.",
        _STUDENT, aliases=("mrr",), needs=(CLASSES,), of_ranks=lambda own, depth: ranks.mean_reciprocal_rank(own)),
    "mean_rank": Entry("mean rank, from 0", "Mean rank (from 0) of the true class among the scores of a case.",
        _STUDENT, needs=(CLASSES,),
        lower_is_better=True, largest=np.inf, of_ranks=lambda counts, depth: ranks.mean_rank(counts)),
    "top_K_accuracy": Entry("top-K accuracy", "Fraction of the cases whose true class has one of the K highest scores.",
        WILSON, depths=(2, 3, 5), needs=(CLASSES,), of_ranks=ranks.top_accuracy),
    "macro_roc_auc": Entry(
        "ROC AUC, macro average", "Mean of the classes' ROC AUCs, each class against the rest.", _DELONG, _ONE_CLASS,
        needs=(CLASSES,)),
    "weighted_roc_auc": Entry("ROC AUC, weighted average",
        "Mean of the classes' ROC AUCs, each class against the rest, weighted by their number of cases.",
        _DELONG, _ONE_CLASS, needs=(CLASSES,)),
    "roc_auc_difference": Entry(
        "difference", "ROC AUC of the first model minus the ROC AUC of the second, by a paired method.",
        "DeLong, score test", _ONE_CLASS, asked=False, difference_of="roc_auc"),
    "p_value": Entry("p", "How often equally good models, or groups, would differ by at least this much by chance.",
        why_nan=_NO_TEST, asked=False),
    "p_value_holm": Entry(
        "p, Holm", "The p-value, adjusted for the number of comparisons by Holm's method.", why_nan=_NO_TEST,
        asked=False),
    "ks": Entry("Kolmogorov-Smirnov statistic",
        "Largest difference between recall and false positive rate at any threshold.",
        _BY_TRIALS, _ONE_CLASS, needs=(NAMED,), partner="ks_threshold", merges=False, resampled="ks",
        of_ranking=lambda ranked: ranked.largest_gap.values),
    "ks_threshold": Entry(
        "  largest at the threshold", "The threshold of the Kolmogorov-Smirnov statistic.", needs=(NAMED,),
        asked=False, partner="ks", full_title="the threshold of the Kolmogorov-Smirnov statistic",
        of_ranking=lambda ranked: ranked.scores_of(ranked.largest_gap.runs, np.nan)),
    "partial_auc": Entry("ROC AUC up to a false positive rate of RATE",
        "Area under the ROC curve up to a false positive rate of RATE, not standardised.", reported=False,
        resampled="partial_auc"),
    "precision_at_recall": Entry(
        "precision at recall RATE", "Largest precision at a recall of at least RATE.", reported=False,
        resampled="precision_at_recall"),
    "recall_at_precision": Entry(
        "recall at precision RATE", "Largest recall at a precision of at least RATE.", reported=False,
        resampled="recall_at_precision"),
    "mean": Entry("mean", "Mean of the cases' values.", f"{WILSON} of values of 0 and 1, else {_STUDENT}",
        needs=(OUTCOMES,), asked=False),
    "standard_deviation": Entry("standard deviation",
        "How far the values of single cases typically are from their mean.",
        why_nan="there are fewer than two cases", needs=(OUTCOMES,), asked=False),
    QUANTILE: Entry("quantile", "The value that this fraction of the cases does not exceed.", "order statistics",
        needs=(OUTCOMES,), asked=False),
    "within": Entry("standard deviation within ids", "How far the samples of an id typically are from their true mean.",
        why_nan="no id has two samples", needs=(OUTCOMES,), asked=False),
    "between": Entry("standard deviation between ids",
        "How far the true means of ids typically are from the overall mean.",
        why_nan="there are fewer than two ids, or none has two samples", needs=(OUTCOMES,), asked=False),
    "judge_bias": Entry("bias of the judge",
        "Mean of the judge's values minus the mean of people's, where both judged.",
        why_nan="people judged no case", needs=(OUTCOMES,), asked=False),
    "judge_worth": Entry("equivalent cases judged by people",
        "Number of cases that people alone would have to judge for an equally certain mean.",
        why_nan="people judged fewer than two cases, or judged all of them alike", needs=(OUTCOMES,), asked=False,
        why_no_interval="it counts the cases that the judge replaces"),
    "agreement": Entry("agreement (kappa)",
        "Cohen's kappa between people and judge; for grades, with quadratic weights.",
        _BY_TRIALS, "there are more than 20 values, or only one", needs=(OUTCOMES,), asked=False),
}
# fmt: on
"""By the names that JSON and CSV have; K stands for any depth."""
for _name in multiclass.DECISION_RATIOS.keys() - {"accuracy"}:  # which several classes have too
    ENTRIES[_name] = ENTRIES[_name]._replace(derivatives=partial(multiclass.decision_derivatives, _name))
_OF_GROUPS = {
    "of_rest": ("of the rest", "of all cases outside the group"),
    "difference_to_rest": ("difference to the rest", "of the group minus the {} of all other cases"),
    "of_reference": ("of the reference", "of the group that others are compared with"),
    "difference_to_reference": ("difference to the reference", "of the group minus the {} of the reference"),
    "difference_of_groups": ("difference", "of the first group minus the {} of the second"),
    "gap": ("gap", "of the group with the largest value minus the {} of the group with the smallest value"),
}
"""How names of what compares groups end, their titles after that of the measure, and what they mean."""
_GROUP_STATISTIC = re.compile(rf"(?:(.+)_)?({'|'.join(_OF_GROUPS)})")
_ASKED = [name for name, entry in ENTRIES.items() if entry.asked and entry.reported]
MEASURES = sorted(_ASKED, key=lambda name: CLASSES in ENTRIES[name].needs)
"""Names by which a report can be asked for some of its numbers, those of several classes last."""
_OF_DEPTHS = {name: re.compile(name.replace(DEPTH, r"(\d{1,18})")) for name in ENTRIES if DEPTH in name}
"""Longer numbers are names of classes: Python refuses to read very long ones."""
_NAMES = {alias: name for name, entry in ENTRIES.items() for alias in (name.lower(), *entry.aliases)}
"""Names in small letters."""
ALIASES = {alias: name for name, entry in ENTRIES.items() if entry.asked for alias in entry.aliases}
"""Names of measures by what other libraries call them, in small letters."""


def named_by(field: str, *values: Any) -> tuple[str, ...]:
    """Return the names of statistics whose field is true or holds these values, by their places.  O(statistics).

    >>> named_by("compared", "ranking"), named_by("stays")[:2]
    (('roc_auc', 'average_precision'), ('cases', 'classes'))
    """
    held = {name: getattr(entry, field) for name, entry in ENTRIES.items()}
    found = (name for name, own in held.items() if own and all(value in own for value in values))
    return tuple(sorted(found, key=lambda name: ENTRIES[name].place))


def catalogue_name(name: str) -> str:
    """Return the name that reports have for a measure, whatever other libraries call it; else the name.  O(1).

    >>> catalogue_name("AUC"), catalogue_name("ROC area"), catalogue_name("Precision_at_10"), catalogue_name("P@10")
    ('roc_auc', 'roc_auc', 'precision_at_10', 'P@10')
    """
    lowered = name.lower().replace(" ", "_").replace("roc_area", "roc_auc")
    if (found := _GROUP_STATISTIC.fullmatch(lowered)) and found[1] in _NAMES:
        lowered = f"{_NAMES[found[1]]}_{found[2]}"
    return _NAMES.get(lowered, lowered if entry_of(lowered) else name)


@lru_cache(maxsize=1024)
def entry_of(name: str) -> Entry | None:
    """Return the entry of a statistic of reports; None for other names, such as those of classes.  O(1)."""
    for family, pattern in _OF_DEPTHS.items():
        if depth := pattern.fullmatch(name):
            of_all, k = ENTRIES[family], f"{int(depth[1]):,}"
            meaning = of_all.meaning.replace(f" {DEPTH} ", f" {k} ")
            return of_all._replace(title=of_all.title.replace(DEPTH, k), meaning=meaning, depth=int(depth[1]))
    if name.startswith(QUANTILE) and _NUMBER.fullmatch(at := name.removeprefix(QUANTILE)):
        return ENTRIES[QUANTILE]._replace(title="median" if float(at) == 0.5 else f"quantile {at}")
    entry = ENTRIES.get(name)
    if entry is None and (found := _GROUP_STATISTIC.fullmatch(name)):
        return _entry_of_groups(found[1], found[2])
    return entry if entry and entry.reported else None


def group_statistic(measure: str, what: str) -> str:
    """Return the name of what compares groups by a measure; the difference of ROC AUCs to the rest has none.  O(1).

    >>> group_statistic("recall", "difference_to_rest"), group_statistic("roc_auc", "difference_to_rest")
    ('recall_difference_to_rest', 'difference_to_rest')
    """
    return what if (measure, what) == ("roc_auc", "difference_to_rest") else f"{measure}_{what}"


def _entry_of_groups(measure: str | None, what: str) -> Entry | None:
    """Return the entry of what compares groups by a measure, by default the ROC AUC; None for other names.  O(1)."""
    entry, (title, meaning) = entry_of(measure or "roc_auc"), _OF_GROUPS[what]
    asked = entry is not None and (entry.asked or OUTCOMES in entry.needs)
    if entry is None or not asked or (measure is None and what != "difference_to_rest"):
        return None
    of_others = what in ("of_rest", "of_reference")
    return Entry(
        f"{entry.title} {title}" if measure else title,
        f"{entry.title[0].upper()}{entry.title[1:]} {meaning.format(entry.title)}.",
        "" if of_others else OF_GROUPS,
        f"{entry.why_nan}, in the group or in what it is compared with",
        asked=False,
        difference_of=measure or "roc_auc",
        lower_is_better=what == "gap",
    )


def difference_of(name: str) -> str:
    """Return the measure that a statistic is the difference of, between models or groups; empty for others.  O(1)."""
    entry = entry_of(name)
    return entry.difference_of if entry else ""


_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


class MeasureName(NamedTuple):
    """The name of a measure, as options, conditions and comparisons have it."""

    measure: str
    """Its name in the catalogue."""
    threshold: float | None = None
    """The least score that is predicted positive, or the rate that a measure takes."""
    category: str | None = None
    """The class that it is of."""
    target: str | None = None
    """In place of a threshold, what it reaches, such as "precision=0.9"."""

    @property
    def name(self) -> str:
        """Its full name.  O(1).

        >>> MeasureName("recall", 0.3).name, MeasureName("recall", category="ash").name
        ('recall@0.3', 'recall[ash]')
        """
        at = self.target if self.threshold is None else plain_number(self.threshold)
        return self.stem if at is None else f"{self.stem}@{at}"

    @property
    def stem(self) -> str:
        """The name without a threshold.  O(1)."""
        return self.measure if self.category is None else f"{self.measure}[{self.category}]"

    @property
    def title(self) -> str:
        """Its name for people.  O(1).

        >>> MeasureName("f1", 0.5).title, MeasureName("recall", category="ash").title
        ('F1 at threshold 0.5', 'recall of ash')
        """
        entry, number = ENTRIES.get(self.measure) or entry_of(self.measure), plain_number(self.threshold or 0.0)
        title = entry.full_title or entry.title if entry else self.measure
        if RATE in title:
            return title.replace(RATE, number)
        at = "" if self.threshold is None else f" at threshold {number}"
        return title + at + ("" if self.category is None else f" of {self.category}")

    @property
    def lower_is_better(self) -> bool:
        """Whether a smaller value is better.  O(1)."""
        return self.measure in ENTRIES and ENTRIES[self.measure].lower_is_better


@lru_cache(maxsize=1024)
def measure_name(text: str) -> MeasureName:
    """Return the parts of the name of a measure, which may be that of another library.  O(letters).

    >>> measure_name("auc").name, measure_name("sensitivity@0.30").name, measure_name("tpr[ash]").name
    ('roc_auc', 'recall@0.3', 'recall[ash]')
    """
    stem, bracket, rest = text.partition("[")
    if bracket and rest.endswith("]"):
        return MeasureName(catalogue_name(stem), category=rest[:-1])
    stem, sign, at = text.rpartition("@")
    if not sign or not stem:
        return MeasureName(catalogue_name(text))
    measure = catalogue_name(stem)
    return MeasureName(measure, float(at)) if _NUMBER.fullmatch(at) else MeasureName(measure, target=at)
