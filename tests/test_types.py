"""What signatures say is what functions take; `.ci/run` has type checkers read `typed_script.py`."""

import re
import runpy
import typing
from pathlib import Path

import pytest

import evalcore
from evalcore import inference, metrics
from tests.inference.test_refusals import needed, required
from tests.metrics.test_refusals import given


def test_what_the_type_checkers_read_runs():
    runpy.run_path(str(Path(__file__).with_name("typed_script.py")))
    assert Path(evalcore.__file__).with_name("py.typed").exists()


def test_literals_of_signatures_are_the_options_that_errors_list():
    checked = 0
    for room, name in [(each, name) for each in (metrics, inference) for name in each.__all__]:
        function = getattr(room, name)
        hints = {} if isinstance(function, type) else typing.get_type_hints(function)
        for parameter, hint in hints.items():
            options = set(re.findall(r"Literal\[(.*?)\]", str(hint)))
            if not options or parameter in ("return", "zero_division", "scale_by_half", "output_dict"):
                continue
            wanted = {option.strip("'") for group in options for option in group.split(", ")}
            columns, options = given(name) if room is metrics else ((), required(name) | needed(name))
            with pytest.raises(metrics.InvalidParameterError) as caught:
                function(*columns, **options | {parameter: "marco"})
            listed = set(re.findall(r"'([\w-]+)'", str(caught.value).split("one of")[1].rpartition(", got")[0]))
            assert listed == wanted, (name, parameter)
            checked += 1
    assert checked > 20
