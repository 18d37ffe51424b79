"""What is retired warns first, works as before, and is removed in time."""

import inspect
import re

import pytest

import evalcore
from evalcore import EvaluationError
from evalcore.deprecation import deprecated
from tests.differences import every

SPAN = {"since": "1.1", "removed_in": "1.3", "version": "1.2.1"}


def area(y_true, y_score, *, cluster=None):
    """Return what was given."""
    return y_true, y_score, cluster


def test_what_is_deprecated_warns_and_works():
    old = deprecated(instead="area", **SPAN)(area)
    with pytest.warns(FutureWarning) as caught:
        assert old(1, 2, cluster=3) == (1, 2, 3)
    (warning,) = caught
    assert str(warning.message) == "area: deprecated in version 1.1, and will be removed in 1.3; use area"
    assert warning.filename == __file__  # of who calls
    assert (old.__name__, old.__doc__, inspect.signature(old)) == ("area", area.__doc__, inspect.signature(area))
    renamed = deprecated(instead="cluster", parameter="groups", **SPAN)(area)
    assert renamed(1, 2, cluster=3) == (1, 2, 3)  # without a warning, which would be an error here
    with pytest.warns(FutureWarning, match=r"^area: groups was renamed to cluster in version 1\.1, .* use cluster$"):
        assert renamed(1, 2, groups=3) == (1, 2, 3)
    with pytest.raises(EvaluationError, match=r"^cluster must be given under one name, got groups too; drop that$"):
        renamed(1, 2, groups=3, cluster=3)
    now = evalcore.__version__
    with pytest.raises(EvaluationError, match=rf"got version {re.escape(now)}; remove it$"):
        deprecated(since="0.1", removed_in="1.0", instead="area")(area)


@every(
    ("span", "message"),
    [
        ({"removed_in": "1.2"}, "removed_in must be 2 minor releases after 1.1, or a major one, got 1.2"),
        ({"version": "1.3.0rc1"}, "groups of area was to be removed in 1.3, got version 1.3.0rc1; remove it"),
        ({"version": "2.0"}, "groups of area was to be removed in 1.3, got version 2.0; remove it"),
    ],
)
def test_the_policy_is_kept(span, message):
    with pytest.raises(EvaluationError, match=f"^{re.escape(message)}$"):
        deprecated(instead="cluster", parameter="groups", **SPAN | span)(area)
