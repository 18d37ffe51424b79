"""Weights under which cases have another prevalence: what would be measured where positives are rarer or more common.

Every positive counts by one factor and every negative by another, so measures of one class alone, such as recall,
specificity and the ROC area, stay as they are, and precision, accuracy and the like become those of the other
population.  That holds if its positives score like these, and its negatives too.  Source: M. Saerens, P. Latinne and
C. Decaestecker, Adjusting the outputs of a classifier to new a priori probabilities, Neural Computation 14 (2002)
21-41.
"""

import numpy as np

from evalcore.typing import AnyArray, BoolArray, FloatArray


def weights_for_prevalence(correct: BoolArray, prevalence: float, weights: AnyArray | None = None) -> FloatArray:
    """Return weights, (n,) float64, with the same sum, of which the correct cases have this fraction.

    correct: (n,) with cases of both classes; prevalence: above 0 and below 1; weights: (n,) of the cases as they are,
    by default 1 each, both classes with a weight above zero.  O(n).

    >>> weights_for_prevalence(np.array([True, False, False, False]), 0.5)
    array([2.        , 0.66666667, 0.66666667, 0.66666667])
    """
    own = np.ones(correct.size) if weights is None else weights.astype(np.float64)
    positive = float(np.sum(own, where=correct))
    negative = float(np.sum(own, where=~correct))
    total = positive + negative
    own /= np.where(correct, positive, negative)  # fractions first: a factor might leave float64
    own *= np.where(correct, prevalence * total, (1 - prevalence) * total)
    return own
