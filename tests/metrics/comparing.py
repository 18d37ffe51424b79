"""What a call gives, whether two calls give the same, and columns to call with."""

import inspect
import warnings

import numpy as np
import sklearn.calibration
import sklearn.metrics

from evalcore import metrics

ERRORS = (ValueError, TypeError, ZeroDivisionError, NotImplementedError)


def outcome(function, *arguments, **options):
    """Return the value or the error of a call, and the names of its warnings, without NumPy's accidental ones."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function(*arguments, **options)
        except ERRORS as error:
            return error, set()
    return value, {warning.category.__name__ for warning in caught} - {"RuntimeWarning"}


def check(name, *arguments, tolerance=1e-12, **options):
    """Compare a function with scikit-learn's of this name."""
    theirs = getattr(sklearn.calibration if name == "calibration_curve" else sklearn.metrics, name)
    check_same(*(outcome(each, *arguments, **options) for each in (getattr(metrics, name), theirs)), tolerance)


def check_same(ours, theirs, tolerance=1e-12):
    """Fail unless both gave the same value of the same types and the same warnings, or errors of one built-in base."""
    (value, warned), (expected, expected_warned) = ours, theirs
    if isinstance(expected, Exception):
        bases = [base for base in ERRORS if isinstance(expected, base)]
        assert isinstance(value, tuple(bases)), f"{value!r} instead of {expected!r}"
        return
    assert not isinstance(value, Exception), f"{value!r} instead of {expected!r}"
    assert warned == expected_warned
    assert types(value) == types(expected)
    pairs = zip(value, expected, strict=True) if isinstance(expected, tuple) else [(value, expected)]
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def types(value):
    """List the types of a value and of what it holds, those of arrays with that of their elements."""
    if isinstance(value, tuple):
        return [tuple, *map(types, value)]
    return [float] if isinstance(value, float) else [type(value), getattr(value, "dtype", None)]  # NumPy's or Python's


def parameters(function, without=()):
    """List the parameters of a function, by name, kind and default."""
    found = inspect.signature(inspect.unwrap(function)).parameters.values()
    return [(each.name, each.kind, repr(each.default)) for each in found if each.name not in without]
