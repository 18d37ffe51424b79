"""What each number of a report is, in words for those who read it."""

from collections.abc import Iterable

from evalcore.report.model import Section

_DEFINITIONS = {
    "cases": "Rows that were compared.",
    "classes": "Different labels and predictions.",
    "positives": "Cases whose label is the positive one.",
    "predicted": "Cases that were predicted to be of the class.",
    "prevalence": "Fraction of the cases that are positive.",
    "roc_area": "Chance that a positive case has a higher score than a negative one, ties counting half.",
    "average_precision": "Mean, over the positives, of the precision at a threshold of their score.",
    "maximum_f1": "Largest F1 that any threshold gives.",
    "maximum_f1_score": "The threshold that gives it: this score and higher ones are predicted positive.",
    "break_even_point": "Where precision and recall are equal, or their largest common bound if they never are.",
    "r_precision": "Fraction of positives among as many best-scored cases as there are positives.",
    "precision_at": "Fraction of positives among that many best-scored cases; of ties the mean over their orders.",
    "reciprocal_rank": "One divided by the rank, from 1, of the best-scored positive; of ties the mean.",
    "threshold": "Scores of at least this are predicted positive.",
    "tp": "Positives that were predicted positive.",
    "fn": "Positives that were predicted negative.",
    "fp": "Negatives that were predicted positive.",
    "tn": "Negatives that were predicted negative.",
    "accuracy": "Fraction of the cases that were predicted correctly.",
    "recall": "Fraction of the positives, or of the class, that was found: tp / (tp + fn).",
    "precision": "Fraction of what was predicted positive, or of the class, that is so: tp / (tp + fp).",
    "specificity": "Fraction of the negatives that was predicted negative: tn / (tn + fp).",
    "negative_predictive_value": "Fraction of what was predicted negative that is so: tn / (tn + fn).",
    "f1": "Harmonic mean of precision and recall: 2 tp / (2 tp + fn + fp).",
    "jaccard": "Positives found, over all that are positive or predicted positive: tp / (tp + fn + fp).",
    "kappa": "Cohen's kappa: agreement beyond that of chance, as a fraction of what chance leaves; 1 is perfect.",
    "phi_squared": "Squared correlation of label and decision.",
    "chi_squared": "Pearson's statistic of independence of label and decision: cases times phi squared.",
    "yules_q": "Yule's Q: (tp tn - fp fn) / (tp tn + fp fn), between -1 and 1.",
    "macro_precision": "Mean of the classes' precisions.",
    "macro_recall": "Mean of the classes' recalls.",
    "macro_f1": "Mean of the classes' F1.",
    "micro_precision": "Precision of the counts of all classes added up.",
    "micro_recall": "Recall of the counts of all classes added up.",
    "micro_f1": "F1 of the counts of all classes added up.",
    "cramers_v": "Cramér's V: association of label and prediction, between 0 and 1.",
    "mutual_information": "How much the prediction tells of the label, in bits.",
    "mean_reciprocal_rank": "Mean of one divided by the rank, from 1, of the right class among the scores of a case.",
    "mean_rank": "Mean rank, from 0, of the right class among the scores of a case.",
    "roc_area_difference": "ROC area of the first column less that of the second, by DeLong's paired method.",
    "p_value": "How often columns of equal ROC area would differ at least as much.",
    "p_value_holm": "The p-value, corrected for the number of comparisons by Holm's method.",
}
INTERVALS = {
    "prevalence, accuracy, recall, precision, specificity, negative predictive value, Jaccard index": "Wilson",
    "ROC area and differences": "DeLong",
    "average precision": "Boyd, logit",
    "F1": "delta method, logit",
    "Cohen's kappa": "delta method",
}
"""Methods of the intervals of a report."""


def definitions(sections: Iterable[Section]) -> dict[str, str]:
    """Return what the statistics of a report are, by their titles, each once, in their order.  O(statistics).

    >>> from evalcore.report.model import Statistic
    >>> definitions([Section("scores", "", "score", {"model": [Statistic("tp", "true positives", 3)]})])
    {'true positives': 'Positives that were predicted positive.'}
    """
    found = {}
    for section in sections:
        for item in next(iter(section.records.values())):
            name = "precision_at" if item.name.startswith("precision_at_") else item.name
            if name in _DEFINITIONS:
                found[item.title.strip()] = _DEFINITIONS[name]
    return found
