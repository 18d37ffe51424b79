"""Stand-ins for tensors, which NumPy reads through ``__array__``: a library for them is no dependency."""

import numpy as np


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
