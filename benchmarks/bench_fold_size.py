"""How often equally good learners are found to differ by cross-validation: by a plain t-test and by the corrected one.

Both learners are a linear discriminant of scikit-learn; each sees features of its own, of the same distribution, so
that neither is better on average.  A set is drawn, cross-validated by stratified folds, and compared by their values.
`python -m benchmarks.bench_fold_size [SETS]` prints the percent of sets whose p-value is at most 5%.
"""

import sys
from collections.abc import Iterator
from itertools import chain, product
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import RepeatedStratifiedKFold

from evalcore.inference import paired_t_test
from evalcore.metrics import brier_score_loss, roc_auc_score
from evalcore.typing import FloatArray

SETS, SEED, FEATURES, FOLDS, SHIFT = 1_000, 1, 5, 10, 0.5
MEASURES = roc_auc_score, brier_score_loss
RATIOS = 0.0, 1 / (FOLDS - 1)
"""Of the plain test, and of the corrected one."""


class Design(NamedTuple):
    """How a set is drawn and cross-validated."""

    cases: int
    positives: int
    repeats: int = 1

    def values(self, generator: np.random.Generator) -> FloatArray:
        """Draw a set, and return the measures of both learners in each fold, (measures, 2, folds)."""
        label = np.arange(self.cases) < self.positives
        features = generator.normal(size=(2, self.cases, FEATURES)) + SHIFT * label[:, np.newaxis]
        plan = RepeatedStratifiedKFold(
            n_splits=FOLDS, n_repeats=self.repeats, random_state=int(generator.integers(2**31))
        )
        found = []
        for train, test in plan.split(features[0], label):
            learners = (LinearDiscriminantAnalysis().fit(own[train], label[train]) for own in features)
            scores = [each.predict_proba(own[test])[:, 1] for each, own in zip(learners, features, strict=True)]
            found.append([[measure(label[test], own) for own in scores] for measure in MEASURES])
        return np.moveaxis(np.array(found), 0, -1)

    def rejected(self, sets: int) -> FloatArray:
        """Return in which fraction of sets each test finds a difference, (measures, tests)."""
        generator, found = np.random.default_rng(SEED), []
        for values in (self.values(generator) for _ in range(sets)):
            tests = (paired_t_test(*pair, test_train_ratio=ratio) for pair, ratio in product(values, RATIOS))
            found.append([each.p_value <= 0.05 for each in tests])
        return np.mean(found, axis=0).reshape(len(MEASURES), len(RATIOS))


SINGLE = Design(100, 20), Design(200, 20), Design(200, 100)
REPEATED = Design(100, 20, 10), Design(200, 100, 10)


def rows_of_rates(designs: tuple[Design, ...], sets: int) -> Iterator[str]:
    """Yield the rates of designs, which the corrected test keeps below 5%, but for chance."""
    for design in designs:
        rates = design.rejected(sets)
        assert rates[:, 1].max() < 0.05 + 3 * (0.05 * 0.95 / sets) ** 0.5, (design, rates)
        cells = " | ".join(f"{100 * rate:.1f}" for rate in rates.ravel())
        yield f"| {design.cases} | {design.positives} | {design.repeats} | {cells} |"


@pytest.mark.slow
def bench_the_corrected_test_keeps_its_level() -> None:
    print("\n".join(rows_of_rates(SINGLE, 300)))


if __name__ == "__main__":
    given = int(sys.argv[1]) if len(sys.argv) > 1 else SETS
    for row in chain(rows_of_rates(SINGLE, given), rows_of_rates(REPEATED, given // 2)):
        print(row, flush=True)
