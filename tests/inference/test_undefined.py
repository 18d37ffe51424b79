"""Results that are not defined: the estimate that is left, no bounds, and a warning that says why and where."""

import dataclasses
import math

import numpy as np
import pytest

from evalcore import inference
from evalcore.errors import UndefinedMetricWarning
from tests.differences import every, recorded


def shown(value):
    """Write a result and all that it holds in a line, numbers with as many digits as are the same everywhere."""
    if dataclasses.is_dataclass(value):
        value = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return f"({', '.join(f'{name} {shown(each)}' for name, each in value.items())})"
    return (
        value if isinstance(value, str) else " ".join(f"{round(float(each), 12) + 0.0:.9g}" for each in np.ravel(value))
    )


@every(("call", "said"), recorded("inference/outputs/undefined_results.txt"))
def test_what_is_not_defined_has_no_bounds_and_warns_the_caller(call, said):
    with pytest.warns(UndefinedMetricWarning) as caught:
        found = eval(call, vars(inference) | {"np": np, "nan": math.nan, "inf": math.inf, "__name__": __name__})
    assert {warning.filename for warning in caught} == {"<string>"}  # which is the call
    assert f"{' '.join(sorted({str(warning.message) for warning in caught}))} {shown(found)}" == said
