"""The documented text of counts by category, alone and within the evaluations of classifiers."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evalcore.lingpipe.decision_statistics import DecisionStatistics
from evalcore.lingpipe.printing import printed, statistic_lines
from evalcore.measures import agreement, multiclass
from evalcore.typing import IntArray, Ratio


def global_statistics(heading: str, categories: Sequence[Any], counts: IntArray) -> str:
    """Write a heading, the table and what derives from all of it, one statistic per line.

    counts: (k, k) int64.  O(k²).
    """
    accuracy = float(multiclass.accuracy(counts))
    reach = multiclass.confidence(counts, multiclass.Z_95)
    return "\n".join(
        [
            heading,
            f"Categories=[{', '.join(map(str, categories))}]",
            statistic_lines(
                [
                    ("Total Count", int(counts.sum())),
                    ("Total Correct", multiclass.correct(counts)),
                    ("Total Accuracy", accuracy),
                ],
                indent="",
            ),
            f"95% Confidence Interval={printed(accuracy)} +/- {printed(reach)}",
            "Confusion Matrix",
            "reference \\ response",
            _row(["", *categories]),
            *(_row([category, *row]) for category, row in zip(categories, counts.tolist(), strict=True)),
            _derived(_MACRO_AVERAGES, counts),
            "Micro-averaged Results",
            _SYMMETRIES,
            str(DecisionStatistics(*multiclass.pooled_versus_all(counts))),
            _derived(_OF_THE_WHOLE, counts),
        ]
    )


def category_statistics(categories: Sequence[Any], counts: IntArray) -> str:
    """Write what derives from the table of each category against all others, one statistic per line.

    counts: (k, k) int64.  O(k²).
    """
    entropy = np.asarray(agreement.entropy(counts)).tolist()
    tables = np.transpose(multiclass.one_versus_all(counts)).tolist()
    return "\n".join(
        f"CATEGORY {index}={category} VS. ALL\n"
        f"{statistic_lines([('Conditional Entropy', entropy[index])])}\n"
        f"{DecisionStatistics(*tables[index])}"
        for index, category in enumerate(categories)
    )


def _derived(statistics: Sequence[tuple[str, Callable[[IntArray], Ratio]]], counts: IntArray) -> str:
    return statistic_lines(((name, np.asarray(statistic(counts)).item()) for name, statistic in statistics), indent="")


def _row(cells: Sequence[Any]) -> str:
    return f"  {','.join(map(str, cells))}"


_SYMMETRIES = """\
         the following symmetries are expected:
           TP=TN, FN=FP
           PosRef=PosResp=NegRef=NegResp
           Acc=Prec=Rec=F"""
_MACRO_AVERAGES = (
    ("Macro-averaged Precision", multiclass.macro_precision),
    ("Macro-averaged Recall", multiclass.macro_recall),
    ("Macro-averaged F", multiclass.macro_f_measure),
)
_OF_THE_WHOLE = (
    ("Random Accuracy", multiclass.chance_accuracy),
    ("Random Accuracy Unbiased", multiclass.pooled_chance_accuracy),
    ("kappa", multiclass.kappa),
    ("kappa Unbiased", multiclass.pooled_kappa),
    ("kappa No Prevalence ", multiclass.kappa_no_prevalence),
    ("Reference Entropy", multiclass.reference_entropy),
    ("Response Entropy", multiclass.response_entropy),
    ("Cross Entropy", multiclass.cross_entropy),
    ("Joint Entropy", multiclass.joint_entropy),
    ("Conditional Entropy", multiclass.conditional_entropy),
    ("Mutual Information", multiclass.mutual_information),
    ("Kullback-Liebler Divergence", multiclass.divergence),
    ("chi Squared", multiclass.chi_squared),
    ("chi-Squared Degrees of Freedom", multiclass.degrees_of_freedom),
    ("phi Squared", multiclass.phi_squared),
    ("Cramer's V", multiclass.cramers_v),
    ("lambda A", multiclass.lambda_of_reference),
    ("lambda B", multiclass.lambda_of_response),
)
