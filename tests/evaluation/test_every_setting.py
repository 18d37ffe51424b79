"""Every measure has an interval, a difference and a gate in every setting, or one line that says why it has none.

`python -m tests.evaluation.test_every_setting` writes the table of the guide.
"""

import json
from functools import lru_cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import evalcore
from evalcore.errors import EvaluationError
from evalcore.evaluation.catalogue import COSTS, DECISIONS, DEPTH, ENTRIES, RATE, measure_name
from evalcore.evaluation.measure_choice import RESAMPLED
from evalcore.evaluation.question import Question
from evalcore.evaluation.runs import compare_values
from evalcore.gate.checks import check_conditions
from evalcore.gate.numbers import numbers_of_report
from evalcore.inference import bootstrap_comparison, compare_roc_auc, compare_unpaired_roc_auc
from evalcore.testing import assert_at_least, assert_not_worse
from tests.differences import BESIDE_THE_GUIDE, collected, every

CLASSES, SIZE = np.array(["ash", "elm", "oak"]), 240


def table(seed, gap=0.4):
    """Return labels and scores, classes and predictions of two models, and what describes cases."""
    draw = np.random.default_rng(seed)
    late, kind = draw.random(SIZE) < 0.4, draw.integers(0, 3, SIZE)
    scores = draw.normal(size=(3, SIZE)) + late * [[1.2], [1.2 + gap], [0.0]]
    old, new = 1 / (1 + np.exp(0.6 - scores[:2] - 0.6 * scores[2]))
    wrong = (np.where(draw.random(SIZE) < part, draw.integers(0, 3, SIZE), kind) for part in (0.4, 0.4 - gap / 3))
    of_classes = draw.random((3, SIZE)) + 0.6 * (kind == np.arange(3)[:, None])
    return {
        "late": late, "old": old.round(2), "new": new.round(2), "kind": CLASSES[kind],
        **dict(zip(("was", "now"), CLASSES[np.array([*wrong])], strict=True)),
        **dict(zip(CLASSES, of_classes / of_classes.sum(axis=0), strict=True)),
        "w": draw.random(SIZE) + 0.5, "n": draw.integers(1, 3, SIZE),
        "c": np.arange(SIZE) // 6, "g": np.arange(SIZE) % 2,
        **{f"old_{name}": own for name, own in zip(CLASSES.tolist(), draw.dirichlet((1, 1, 1), SIZE).T, strict=True)},
    }  # fmt: skip


LATE = np.arange(40) < 20
SETTINGS = {
    "plain": {},
    "weights": {"weight": "w"},
    "frequencies": {"weight": "n", "weight_type": "frequency"},
    "clusters": {"cluster": "c"},
    "groups": {"by": "g"},
    "known prevalence": {"target_prevalence": 0.3},
}
KINDS = {
    "scores": ({"label": "late", "score": "new"}, {"old_score": "old"}),
    "classes": ({"label": "kind", "predicted": "now"}, {"old_predicted": "was"}),
    "scores of classes": (
        {"label": "kind", "score": {name: name for name in CLASSES.tolist()}},
        {"old_score": {name: f"old_{name}" for name in CLASSES.tolist()}},
    ),
}
TABLE = table(1)
LACKING = {
    "report, scores": {
        # the prevalence is no estimate there, and calibration takes the classes for drawn together
        "known prevalence": "prevalence calibration_slope calibration_intercept calibration_in_the_large",
        "weights, clusters, known prevalence": "debiased_calibration_error",
    },
    "report, classes": {"groups": "recall precision f1"},  # groups have no records of classes
    "report, scores of classes": {
        "groups": "roc_auc average_precision recall precision f1",
    },
    "comparison, scores": {
        "every setting": "prevalence minimum_expected_cost debiased_calibration_error",  # the prevalence is of both
        "known prevalence": "calibration_slope calibration_intercept calibration_in_the_large",
        "groups": "partial_auc precision_at_recall recall_at_precision",
    },
    "comparison, classes": {},
    "comparison, scores of classes": {"every setting": "roc_auc average_precision"},  # of each class
}
"""What has no interval or no difference yet, by settings."""


def asked(kind, name):
    """Return the name by which a measure is asked for, and whether it needs costs."""
    entry, full = ENTRIES[name], name.replace(DEPTH, "5")
    at = f"{full}@0.5" if kind == "scores" and (DECISIONS in entry.needs or RATE in entry.title) else full
    return at, kind == "scores" and COSTS in entry.needs


def of_reports(kind, names, setting, options):
    """Return the numbers of each measure of one model that have intervals by which a gate decides, and the others."""
    report = evalcore.evaluate(TABLE, ci=0.95, measures=names, **KINDS[kind][0], **SETTINGS[setting], **options)
    numbers = numbers_of_report(json.loads(report.to_json()))
    for at in names:
        named = [number for number in numbers if measure_name(number.measure).measure == at.partition("@")[0]]
        own = [number for number in named if setting != "groups" or number.group is not None]
        bounded = [number for number in own if number.has_bounds]
        for number in bounded:
            assert check_conditions(f"{at} < -9", [number._replace(measure=at, grouping=None)], confident=True)
        yield len(bounded), len(own)


def of_comparisons(kind, names, setting, options):
    """Return how many differences of each measure have an interval, and how many there are."""
    model = evalcore.compare(TABLE, measures=names, resamples=60, **KINDS[kind][0], **KINDS[kind][1],
                             **SETTINGS[setting], **options).models[0]  # fmt: skip
    groups = [each for groups in model.groups.values() for group in groups for each in group.differences]
    found = groups if setting == "groups" else model.differences
    for at in names:
        own = [each for each in found if measure_name(each.measure).measure == at.partition("@")[0]]
        yield sum(not np.isnan(each.found.low) for each in own), len(own)


def answers(ask, names):
    """Return an answer for each name, None for one that is refused alone; halves of what is refused are asked again."""
    if not names:
        return {}
    try:
        return dict(zip(names, ask(names), strict=True))
    except EvaluationError:
        if len(names) == 1:
            return {names[0]: None}
        half = len(names) // 2
        return answers(ask, names[:half]) | answers(ask, names[half:])


@lru_cache(maxsize=1)
def held():
    """Return by what is asked, and by measure, the settings in which each of its numbers has an interval."""
    found = {}
    for asks, asker in (("report", of_reports), ("comparison", of_comparisons)):
        for kind in KINDS:
            names = {asked(kind, name): name for name, entry in ENTRIES.items() if entry.asked}
            counts = {name: {} for name in names.values()}
            for setting in (each for each in SETTINGS if kind == "scores" or each != "known prevalence"):
                for costs in (True, False):
                    own = [at for at, with_costs in names if with_costs == costs]
                    kept = [at for at in own if setting == "plain" or counts[names[at, costs]]["plain"] is not None]
                    ask = partial(asker, kind, setting=setting, options={"costs": (1, 3)} if costs else {})
                    for at, count in answers(lambda some, ask=ask: [*ask(some)], kept).items():
                        counts[names[at, costs]][setting] = count
            for name, of_settings in counts.items():
                if any(count and count[1] for count in of_settings.values()) or name in found.get(
                    f"report, {kind}", ()
                ):
                    settings = [setting for setting, count in of_settings.items() if count and 0 < count[1] == count[0]]
                    found.setdefault(f"{asks}, {kind}", {})[name] = settings
    return found


@every("asked_of", LACKING)
def test_every_measure_has_an_interval_or_a_difference_in_every_setting(asked_of):
    allowed = {name: settings for settings, names in LACKING[asked_of].items() for name in names.split()}
    of_one_label = "scores" if asked_of.endswith(", scores") else "classes"
    for name, settings in held()[asked_of].items():
        lacking = [each for each in SETTINGS if each not in settings]
        lacking = [each for each in lacking if each != "known prevalence" or of_one_label == "scores"]
        known = "every setting" if ENTRIES[name].why_no_interval else allowed.get(name, "")
        assert known == "every setting" or set(lacking) <= set(known.split(", ")), name


@every(
    "measure",
    ["roc_auc", "average_precision", "accuracy@0.5", "mcc@0.5", "net_benefit@0.5", "kappa@0.5", "jaccard@0.5"],
)
def test_assertions_take_every_measure_in_every_setting(measure):
    late, old, new = (TABLE[name] for name in ("late", "old", "new"))
    for options in ({}, {"sample_weight": TABLE["w"]}, {"sample_weight": TABLE["n"], "weight_type": "frequency"},
                    {"cluster": TABLE["c"]}, {"by": TABLE["g"]}):  # fmt: skip
        assert_not_worse(late, old, new, measure=measure, margin=0.5, proven=True, **options)
        assert_at_least(late, new, -9.0, measure=measure, level=0.95, proven=True, **options)


OF_DECISIONS = "accuracy", "recall", "precision", "specificity", "f1", "kappa", "mcc", "jaccard", "net_benefit"
MEASURES = {
    "scores": ["auc", "ap", "log_loss", "brier", "ks", *(f"{name}@0.5" for name in OF_DECISIONS)],
    "classes": ["accuracy", "recall", "precision", "f1", "kappa", "mcc", "macro_f1", "balanced_accuracy"],
}
METHODS = {"scores": ("analytic", "bootstrap"), "classes": ("analytic", "bootstrap", "permutation")}


@pytest.mark.parametrize("kind", METHODS)
def test_an_interval_excludes_no_difference_exactly_if_its_p_value_says_so(kind):
    with collected() as checking:
        for seed, setting, method in product(range(2), SETTINGS, METHODS[kind]):
            if setting == "known prevalence" and (kind == "classes" or method == "bootstrap"):
                continue
            asked = {**KINDS[kind][0], **KINDS[kind][1], **SETTINGS[setting], "measures": MEASURES[kind]}
            found = evalcore.compare(table(seed, 0.3), method=method, resamples=59, **asked).models[0]
            groups = (each for groups in found.groups.values() for group in groups for each in group.differences)
            for item in (*found.differences, *groups):
                own = item.found
                with checking(f"{seed} {setting} {method} {item.measure} {own}"):
                    assert item.is_shown == (own.p_value <= 1 - own.level)


OF_SCORES = partial(compare_roc_auc, LATE), partial(compare_roc_auc, LATE, method="delong")
OF_VALUES = [
    *(partial(compare_values, question=Question("", method=method, resamples=399))
      for method in ("analytic", "permutation", "bootstrap", "wilcoxon")),
    *(lambda new, old, own=own: own(old, new) for own in OF_SCORES),
    *(lambda new, old, method=method: bootstrap_comparison(LATE, old, new, method=method, resamples=99, seed=1)
      for method in ("percentile", "basic", "bca")),
    lambda new, old: compare_unpaired_roc_auc(LATE, old, LATE, new),
]  # fmt: skip


@every("seed", range(30))
def test_comparisons_of_values_and_of_scores_agree_with_their_p_values(seed):
    new, old = np.random.default_rng(seed).normal(size=(2, 40)).round(1) + [[0.5], [0.0]] * (1 + LATE)
    for compared in OF_VALUES:
        found = compared(new, old)
        assert (found.low > 0 or found.high < 0) == (found.p_value <= 0.05), found


GUIDE = Path(__file__).parents[2] / "notebooks/which-interval-when.md"
BEGIN, END = "<!-- settings -->\n", "<!-- end -->\n"


def with_settings(page):
    """Return the guide with its table of measures and settings: measures of which the same holds in one row."""
    rows, without = {}, {}
    for kind in KINDS:
        reported, compared = (held().get(f"{asks}, {kind}", {}) for asks in ("report", "comparison"))
        for name in sorted({**reported, **compared}, key=[*ENTRIES].index):
            drawn = "B" if name in RESAMPLED else "D"
            signs = (((each in reported.get(name, ())) * "I", (each in compared.get(name, ())) * drawn)
                     for each in SETTINGS)  # fmt: skip
            cells = tuple(" ".join(filter(None, each)) or "-" for each in signs)
            if why := ENTRIES[name].why_no_interval:
                without.setdefault(why, {})[f"`{name}`"] = None
            else:
                rows.setdefault((kind, cells), []).append(f"`{name}`")
    table = [["Measures of", *SETTINGS], ["---"] * (1 + len(SETTINGS))]
    table += [[f"{kind}: {', '.join(names)}", *cells] for (kind, cells), names in rows.items()]
    lines = [*(f"| {' | '.join(row)} |" for row in table), "", "No interval, with the reason for each measure:", ""]
    lines += [f"- {', '.join(names)}: {why}" for why, names in without.items()]
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    return "\n".join([before + BEGIN, *lines, "", END + after])


@BESIDE_THE_GUIDE
def test_the_table_of_the_guide_is_that_of_the_catalogue():
    page = GUIDE.read_text("utf-8")
    assert page == with_settings(page), "run python -m tests.evaluation.test_every_setting, which writes the table"


if __name__ == "__main__":
    GUIDE.write_text(with_settings(GUIDE.read_text("utf-8")), "utf-8")
