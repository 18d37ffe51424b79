"""What is said beside the differences of scores."""

import numpy as np

from evalcore.comparison.differences.judging import judged
from evalcore.comparison.differences.score_differences import group_differences, score_differences
from evalcore.comparison.differences.score_notes import score_notes
from evalcore.comparison.model import MeasureDifference, ModelDifferences
from evalcore.comparison.pairing.cases import PairedCases
from evalcore.comparison.question import CompareQuestion
from evalcore.inference import Comparison
from evalcore.report.statistics.groups import grouped_rows
from evalcore.report.weighting import RowWeights, Weighting
from tests.comparison.test_resampled_differences import made

ADJUSTED = "p-values of all cases are adjusted for {} comparisons, one for each measure"
POWER = "the detectable difference is the true one that so many cases would show with a power of 80%"


def noted(cases, **asked):
    question = CompareQuestion("late", resamples=40, **asked)
    columns = zip(cases.new, score_differences(cases, question), group_differences(cases, question), strict=True)
    return score_notes(cases, question, [ModelDifferences(*column) for column in columns])


def test_notes_name_methods_and_count_resamples_and_models():
    assert noted(made(), thresholds=(0.5,)) == [
        "ROC area: by a score test with DeLong's variance",
        "average precision: by the influence of each case",
        "log loss, Brier score: by the differences of the losses of each case",
        "accuracy at threshold 0.5, recall at threshold 0.5, specificity at threshold 0.5: by McNemar's mid-p test, "
        "with Newcombe's interval",
        "precision at threshold 0.5, F1 at threshold 0.5: by the delta method on the paired decisions",
        ADJUSTED.format(9),
        POWER,
    ]
    assert noted(made(), method="bootstrap", measures=("roc_area", "f1@0.5"), stratify=True) == [
        "ROC area, F1 at threshold 0.5: percentiles of 40 resamples of cases of each class, the same for all models",
        ADJUSTED.format(2),
        POWER,
    ]
    cases = made()
    several = cases._replace(scores={**cases.scores, "third": np.sqrt(cases.scores["old"])})
    assert f"{ADJUSTED.format(8)} and model" in noted(several)


def test_percentiles_of_few_clusters_that_expand_beyond_the_resamples_give_no_bounds():
    cases = made(60)._replace(clusters=np.arange(60) % 4)
    question = CompareQuestion("late", method="bootstrap", measures=("log_loss",), resamples=300)
    (found,) = score_differences(cases, question)[0]
    assert np.isnan([found.found.low, found.found.high]).all()
    assert 0 < found.found.p_value < 1
    notes = score_notes(cases, question, [ModelDifferences("new", [found])])
    assert "bounds of so few clusters lie beyond 300 resamples; draw more (resamples)" in notes


def test_few_cases_and_few_clusters_are_named():
    cases = made(60)._replace(clusters=np.arange(60) % 12)
    notes = noted(cases, measures=("roc_area",))
    assert notes[0] == (
        "ROC area: by a score test with DeLong's variance, summed by cluster, with Student's t distribution"
    )
    assert "average precision: by leaving out one cluster after another, with Student's t distribution" in noted(
        cases, measures=("average_precision",)
    )
    assert "with 12 clusters, fewer than 30, intervals and p-values are rough" in notes
    positives = int(cases.positive.sum())
    assert f"with {positives} positive cases, fewer than 30, intervals are rough" in notes
    one = made(60)._replace(positive=np.arange(60) == 3)
    assert "with one positive case, fewer than 30, intervals are rough" in noted(one, measures=("log_loss",))
    sevenfold = RowWeights(Weighting("w", "frequency"), np.full(60, 7), np.full(60, 7))
    frequent = noted(one._replace(weights=sevenfold), measures=("log_loss",))
    assert "with 7 positive cases, fewer than 30, intervals are rough" in frequent


def test_groups_are_adjusted_for_and_said_to_be_analytic():
    cases = made()._replace(groups={"carrier": grouped_rows({"carrier": np.arange(160) % 2})})
    notes = noted(cases, measures=("roc_area", "ks"), method="bootstrap")
    assert "p-values of groups by carrier are adjusted for 2 comparisons, one for each group and measure" in notes
    assert "intervals and p-values of groups are analytic, not those of the bootstrap" in notes
    assert "groups have no Kolmogorov-Smirnov statistic: only the bootstrap has intervals for them" in notes


def test_p_values_that_only_holms_adjustment_raises_are_counted():
    """Verdicts are of each measure by itself, and the summary's of all."""
    cases = made()
    said = (
        "verdicts judge each comparison by itself: {} of the p-values of all cases that are at most 0.05 {} it after "
        "Holm's adjustment"
    )
    for raised, wording in ((1, ("one", "exceeds")), (2, ("2", "exceed"))):
        model = ModelDifferences("new", judged_ones([0.001, *[0.04] * raised, 0.5]))
        notes = score_notes(cases, CompareQuestion("late"), [model])
        assert said.format(*wording) in notes
    assert not any(note.startswith("verdicts") for note in noted(cases, measures=("roc_area",)))


def judged_ones(p_values):
    """Return differences of these p-values, all of which have an interval that excludes 0."""
    found = [Comparison((0.6, 0.5), 0.1, 0.01, 0.2, 0.95, np.nan, p_value, "delta") for p_value in p_values]
    [differences] = judged([[MeasureDifference("f1", "F1", each, 0.05) for each in found]], 0.95)
    return differences


def test_intervals_that_disagree_with_their_p_values_are_counted():
    """Newcombe's interval of this table excludes 0, and the p-value of McNemar's test is 0.0525."""
    said = "a difference is shown where both its interval and its p-value show it: they disagree in {} of all cases"
    decided = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [5, 15, 6, 5], axis=0)
    cases = PairedCases(np.ones(31, np.bool_), {"old": decided[:, 1] * 1.0, "new": decided[:, 0] * 1.0})
    (found,) = score_differences(cases, CompareQuestion("late", measures=("recall@0.5",)))[0]
    assert (found.found.low > 0, found.found.p_value > 0.05, found.verdict) == (True, True, "no difference shown")
    assert said.format("one comparison") in noted(cases, measures=("recall@0.5",))
    assert said.format("2 comparisons") in noted(cases, measures=("recall@0.5", "accuracy@0.5"))
    assert not any("disagree" in note for note in noted(cases, measures=("recall@0.5",), margin=0.01))
