"""Comparisons made by hand, with the numbers that a test asks for."""

import math

import numpy as np

from evalcore.evaluation.cases import PairedCases
from evalcore.evaluation.differences import (
    BETTER,
    NOT_SHOWN,
    WORSE,
    ChangedCase,
    Changes,
    ComparisonAnswer,
    GroupDifferences,
    JoinCounts,
    MeasureDifference,
    ModelDifferences,
)
from evalcore.evaluation.question import Question
from evalcore.gate.checks import check_conditions
from evalcore.gate.numbers import GatedNumber
from evalcore.inference.intervals import Comparison

WICKED = "<script>alert('x')</script>|`*_\"& $\\frac{$"


def difference(measure, title, old, new, half=0.0012, *, p=0.0, lower=False, verdict=None, **more):
    """Return one measure, with an interval of this half width; NaN for none."""
    change = new - old
    gain = -change if lower else change
    shown = BETTER if gain - half > 0 else WORSE if gain + half < 0 else "" if math.isnan(half) else NOT_SHOWN
    found = Comparison((new, old), change, change - half, change + half, 0.95, change / (half or 1), p, "delong")
    given = {"holm": p, "benjamini_hochberg": p, "detectable": 1.43 * half, "error": half / 1.96, **more}
    return MeasureDifference(measure, title, found, lower_is_better=lower, verdict=verdict or shown, **given)


def measures():
    """Return the measures of a model that is better by its ROC AUC, and worse by its log loss."""
    return [
        difference("roc_auc", "ROC AUC", 0.7142349, 0.7325148),
        difference("log_loss", "log loss", 0.48, 0.4805, 0.0002, p=1e-6, lower=True),
        difference("recall@0.3", "recall at threshold 0.3", 0.4, 0.4001, 0.0009, p=0.83),
    ]


def groups(count=4, wicked=False):
    """Return groups of which the first got worse, then some that did not change, and others that got better."""
    changes = np.linspace(-0.03, 0.05, count)
    names = [WICKED if wicked and not index else f"C{index}" for index in range(count)]
    found = []
    for index, (name, change) in enumerate(zip(names, changes.tolist(), strict=True)):
        area = difference("roc_auc", "ROC AUC", 0.7, 0.7 + change, 0.01, p=1e-5 if abs(change) > 0.01 else 0.4)
        loss = difference("log_loss", "log loss", 0.5, 0.5 - change, 0.01, p=0.4, lower=True)
        found.append(GroupDifferences(name, 1000 * (count - index), 200, [area, loss]))
    return found


def changes():
    """Return what changed hands at a threshold."""
    counts = {"newly_right": 1234, "newly_wrong": 1100, "right_in_both": 250000, "wrong_in_both": 75012}
    right = [ChangedCase(f"UA{index}", True, 0.2, 0.9 - index / 100) for index in range(10)]
    wrong = [ChangedCase(("AA", index), False, np.float32(0.25), np.float32(0.75)) for index in range(10)]
    return Changes(0.3, counts, right, wrong)


def cases(count=400, old="logistic", new="boosting"):
    """Return cases that the new model ranks better than the old one."""
    rng = np.random.default_rng(24)
    positive = rng.random(count) < 0.4
    signal = 0.3 * positive + 0.3
    scores = {name: np.clip(signal + rng.normal(0, size, count), 0, 1) for name, size in ((old, 0.3), (new, 0.2))}
    return PairedCases(positive, scores)


def answer(**given):
    """Return a comparison of two models with everything, or with other parts of it."""
    found = changes()
    parts = measures(), {"carrier": groups()}, [found], found.newly_right, found.newly_wrong
    joins = {"boosting": JoinCounts(327346, 327350, 327346, only_new=4)}
    whole = {"old": "logistic", "models": [ModelDifferences("boosting", *parts)], "joins": joins}
    return ComparisonAnswer(**{**whole, "notes": ["a note with *markup*"], "cases": cases(), **given})


def question(**given):
    """Return the question of that comparison."""
    return Question(**{"label": "late", "scores": ("boosting",), "by": ("carrier",), "thresholds": (0.3,), **given})


def gate(*conditions, confident=False, count=4):
    """Return what a gate found in the ROC AUCs of the groups."""
    numbers = [
        GatedNumber(
            "boosting", "roc_auc", item.new, old=item.old, change=item.found.difference, change_low=item.found.low,
            change_high=item.found.high, grouping="carrier", group=group.group, cases=group.cases,
        )
        for group in groups(count)
        for item in group.differences[:1]
    ]  # fmt: skip
    return check_conditions(conditions or "any carrier: roc_auc drops by 0.05", numbers, confident)
