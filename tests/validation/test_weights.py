"""Weights of cases are finite numbers, none negative, or an error names the first that is not."""

import re

import numpy as np
import pytest

from evalcore import EvaluationError, EvaluationTypeError
from evalcore.validation.weights import as_case_weights
from tests.differences import every


@every(
    ("values", "kind"),
    [([], "f"), (np.array([1, 2], np.uint8), "i"), (np.array([2**63, 1], np.uint64), "f"),
     (np.array([0.5, 1], np.float16), "f"), ([2**52, 2**52], "f"), ([2**52, 2**51], "i")],
)  # fmt: skip
def test_weights_are_int64_while_float64_holds_their_sum(values, kind):
    weights = as_case_weights(values, len(values))
    assert weights.dtype == np.dtype(f"{kind}8")
    assert weights.tolist() == np.asarray(values).tolist()


@every("values", [[2, 0], [2.0, 0.0]])
def test_frequencies_are_int64(values):
    weights = as_case_weights(values, 2, whole=True)
    assert weights.dtype == np.int64
    assert weights.tolist() == values


def test_of_one_batch_all_weights_may_be_zero():
    assert as_case_weights([0, 0], 2, zeros=True).tolist() == [0, 0]


@every(
    ("values", "whole", "error", "message"),
    [
        ([1, -2.0], False, EvaluationError, "{item} is -2.0; weights must not be negative"),
        ([1, np.nan], False, EvaluationError, "{item} is NaN; weights must be finite"),
        ([1, np.inf], False, EvaluationError, "{item} is inf; weights must be finite"),
        ([1, -np.inf], False, EvaluationError, "{item} is -inf; weights must not be negative"),
        ([1, 2.5], True, EvaluationError,
         "{item} is 2.5; frequencies must be whole numbers (for other weights: weight_type='sampling')"),
        ([1, 2, 3], False, EvaluationError, "{name} must hold one weight for each of 2 cases, got 3"),
        ([[1, 2]], False, EvaluationError, "{name} must be one-dimensional, got shape (1, 2)"),
        ([0, 0.0], False, EvaluationError, "{name} must hold a weight above 0, got only zeros"),
        ([1e308, 1e308], False, EvaluationError, "{name} must have a finite sum, got weights up to 1e+308"),
        ([2**52, 2**52], True, EvaluationError, f"{{name}} must have a sum below 2**53, got weights up to {2**52}"),
        ([1.0, 2.0**53], True, EvaluationError, f"{{name}} must have a sum below 2**53, got weights up to {2.0**53}"),
        (["1", "2"], False, EvaluationTypeError, "{name} must hold numbers, got dtype <U1, first {first} = '1' (str)"),
        (None, False, EvaluationError, "{name} must be one-dimensional, got None (NoneType)"),
        (5, False, EvaluationError, "{name} must be one-dimensional, got 5 (int)"),
        ([True, False], False, EvaluationTypeError,
         "{name} must hold numbers, got Booleans; select the rows instead: y_true[keep]"),
    ],
)  # fmt: skip
def test_what_is_no_weight_is_named(values, whole, error, message):
    for name, item in (("sample_weight", "sample_weight[1]"), ("column 'w'", "column 'w' at index 1 (from 0)")):
        with pytest.raises(
            error, match=f"^{re.escape(message.format(name=name, item=item, first=item.replace('1', '0', 1)))}$"
        ):
            as_case_weights(values, 2, name, whole=whole)
