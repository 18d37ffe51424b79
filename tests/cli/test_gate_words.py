"""What the help of --fail-if says, condition by condition, on a data set whose numbers are known by heart."""

import pytest

from tests.cli.command import command
from tests.differences import every

# of 10 positives the old model finds 8 and the new one 6; of 10 negatives 3 and 2 are false positives
PREDICTED = {  # by team and label, what the old model and the new one predict
    ("UA", 1): ("111110", "111000"),
    ("UA", 0): ("000001", "000000"),
    ("AA", 1): ("1110", "1110"),
    ("AA", 0): ("0011", "0011"),
}
SCORE_OF = {"0": 0.25, "1": 0.75}
ROWS = [
    f"{label},{SCORE_OF[old]},{SCORE_OF[new]},{team}"
    for (team, label), models in PREDICTED.items()
    for old, new in zip(*models, strict=True)
]
TABLE = "\n".join(
    ["late,old,new,team,crew", *(f"{row},{'big' if index else 'lone'}" for index, row in enumerate(ROWS))]
)
FILES = {"cases.csv": TABLE + "\n"}
PASSED, FAILED, ERROR = 0, 1, 2
OF_ALL_CASES = {
    "recall@0.5 < 0.6": PASSED,
    "recall@0.5 <= 0.6": FAILED,
    "recall@0.5 > 0.6": PASSED,
    "recall@0.5 >= 0.6": FAILED,
    "sensitivity@.50 < 6.1e-1": FAILED,
    "recall@0.5 drops by 0.2": FAILED,
    "recall@0.5 drops by 0.21": PASSED,
    "recall@0.5 rises by 0.01": PASSED,
    "specificity@0.5 rises by 0.1": FAILED,
    "specificity@0.5 drops by 0.1": PASSED,
    "accuracy@0.5 drops by 0.05": FAILED,
    "log_loss rises by 0.05": FAILED,
    "log_loss drops by 0.05": PASSED,
    "brier_score rises by 0.025": FAILED,
    "brier_score rises by 0.026": PASSED,
    "AUC < 0.7": PASSED,
    "'roc_area' <= 0.7": FAILED,
    "roc_area drops by 0.05": FAILED,
    "precision@0.9 < 1": FAILED,  # 0 where no case is predicted positive
    "recall < 1": ERROR,
    "rocarea < 1": ERROR,
    "recall@0.5 < 60%": ERROR,
    "recall@0.5 == 0.6": ERROR,
    "recall@0.5 drops by 0": ERROR,
    "recall@0.5 drops 0.1": ERROR,
    "recall@0.5 < 1 and roc_area < 1": ERROR,
    "roc_area < 0.6 < 0.7": ERROR,
}
OF_GROUPS = {
    "team=UA: recall@0.5 < 0.51": FAILED,
    "team=AA: recall@0.5 < 0.75": PASSED,
    "\"team\"='UA': accuracy@0.5 >= 0.75": FAILED,
    "any team: recall@0.5 < 0.51": FAILED,
    "any team with 8 cases: recall@0.5 drops by 0.3": FAILED,
    "any team with 9 cases: recall@0.5 >= 0.7": PASSED,
    "any team with 13 cases: recall@0.5 < 1": ERROR,
    "team=ZZ: recall@0.5 < 1": ERROR,
    "any tem: roc_area < 1": ERROR,
    "any crew: roc_area < 0": ERROR,
    "any crew with 2 cases: roc_area < 0": PASSED,
    "crew=lone: recall@0.5 < 1": PASSED,
    "any team with 0 cases: roc_area < 1": ERROR,
    "any: roc_area < 1": ERROR,
}


def run(name, *arguments):
    return command(name, "cases.csv", "--label", "late", *arguments).exit_code


@every("condition", [*OF_ALL_CASES, *OF_GROUPS])
def test_conditions_mean_in_comparisons_what_the_help_says(condition):
    asked = "--score", "new", "--old-score", "old", "--fail-if", condition
    assert run("compare", *asked) == (OF_ALL_CASES | OF_GROUPS)[condition]


@pytest.fixture
def baseline():
    assert run("report", "--score", "old", "--threshold", "0.5", "--by", "team", "--json-out", "old.json") == 0
    return "old.json"


@every("condition", [*OF_ALL_CASES, *(each for each in OF_GROUPS if "team" in each)])
def test_conditions_mean_the_same_in_reports(baseline, condition):
    asked = "--score", "new", "--by", "team", "--baseline", baseline, "--fail-if", condition
    assert run("report", *asked) == (OF_ALL_CASES | OF_GROUPS)[condition]
