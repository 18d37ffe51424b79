"""What signatures say is what functions take; `.ci/run` has type checkers read `typed_script.py`."""

import re
import runpy
import typing
from pathlib import Path

import pytest

import evalcore
from evalcore import inference, metrics


def test_what_the_type_checkers_read_runs():
    runpy.run_path(str(Path(__file__).with_name("typed_script.py")))
    assert Path(evalcore.__file__).with_name("py.typed").exists()


def test_literals_of_signatures_are_the_options_that_errors_list():
    arguments = {
        "expected_calibration_error": ([0, 1], [0.1, 0.9]),
        "fbeta_score": ([0, 1], [0, 1]),
        "mcnemar_test": ([0, 1], [0, 1], [1, 1]),
        "proportion_interval": (1, 2),
        "prevalence_interval": ([0, 1],),
        "bootstrap_comparison": ([0, 1], [0.1, 0.9], [0.1, 0.9]),
        "compare_decision_curves": ([0, 1], [0.1, 0.9], [0.1, 0.9]),
        "consistency_band": ([0.1, 0.9],),
        "compare_roc_auc": ([0, 1], [0.1, 0.9], [0.1, 0.9]),
        "compare_unpaired_roc_auc": ([0, 1], [0.1, 0.9], [0, 1], [0.1, 0.9]),
        "agreement_interval": ([[0, 1]],),
        "roc_auc_covariance": ([0, 1], [[0.1, 0.9]]),
        "krippendorff_interval": ([[0, 1]],),
        "threshold_intervals": ([0, 1], [0.1, 0.9], [0.5]),
        "bootstrap_intervals": ([0, 1], [0.1, 0.9], ["ks"]),
    }
    needed = {"fbeta_score": {"beta": 2.0}}
    checked = 0
    for name, function in [(name, getattr(room, name)) for room in (metrics, inference) for name in room.__all__]:
        hints = {} if isinstance(function, type) else typing.get_type_hints(function)
        for parameter, hint in hints.items():
            options = set(re.findall(r"Literal\[(.*?)\]", str(hint)))
            if not options or parameter in ("return", "zero_division", "scale_by_half", "output_dict"):
                continue
            wanted = {option.strip("'") for group in options for option in group.split(", ")}
            extra = needed.get(name, {})
            with pytest.raises(metrics.InvalidParameterError) as caught:
                function(*arguments.get(name, ([0, 1], [0, 1])), **extra, **{parameter: "marco"})
            listed = set(re.findall(r"'([\w-]+)'", str(caught.value).split("one of")[1].rpartition(", got")[0]))
            assert listed == wanted, (name, parameter)
            checked += 1
    assert checked > 20
