"""What every refusal owes its caller: a named error with its text, and nothing changed; and stand-ins for tensors."""

import pickle
import re
from contextlib import contextmanager

import numpy as np
import pytest


def memory(evaluation):
    """All that an evaluation remembers, and all that it prints."""
    return repr(evaluation), str(evaluation), pickle.dumps(evaluation)


@contextmanager
def refused(evaluation, error, message):
    before = repr(evaluation), pickle.dumps(evaluation)
    with pytest.raises(error, match=rf"\A{re.escape(message)}\Z") as caught:
        yield caught
    assert type(caught.value) is error
    assert (repr(evaluation), pickle.dumps(evaluation)) == before


class Tensor:
    def __init__(self, values):
        self._values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self._values, dtype=dtype)


class GradientTensor(Tensor):
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


class BFloat16Tensor(Tensor):
    def __array__(self, dtype=None, copy=None):
        raise TypeError("Got unsupported ScalarType BFloat16")


TENSOR_ADVICE = "for a tensor call .detach().float().cpu().numpy(), for a column .to_numpy()"
UNREADABLE = [
    (GradientTensor, "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."),
    (BFloat16Tensor, "Got unsupported ScalarType BFloat16"),
]
