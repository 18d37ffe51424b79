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
        self._values, self.shape = values, np.shape(values)

    def __len__(self):
        return len(self._values)

    def __array__(self, dtype=None, copy=None):
        return np.array(self._values, dtype=dtype)


class TorchTensor(Tensor):
    """Refuses NumPy what torch does, in the same words, and counts the copies from a device."""

    copies = 0

    def __init__(self, values, *, device="cpu", dtype=None, gradients=False):
        super().__init__(values)
        self.device, self.dtype, self.gradients = device, dtype, gradients

    def __array__(self, dtype=None, copy=None):
        if self.device != "cpu":
            way_out = "Use Tensor.cpu() to copy the tensor to host memory first."
            raise TypeError(f"can't convert {self.device} device type tensor to numpy. {way_out}")
        if self.gradients:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if self.dtype == "BFloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return super().__array__(dtype, copy)

    def detach(self):
        return TorchTensor(self._values, device=self.device, dtype=self.dtype)

    def cpu(self):
        if self.device == "meta":
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        assert not self.gradients
        TorchTensor.copies += self.device != "cpu"
        return TorchTensor(self._values, dtype=self.dtype)

    def float(self):
        assert self.device == "cpu"  # where it was copied at half the width
        return TorchTensor(np.float32(self._values))


class CupyArray(Tensor):
    """Refuses NumPy what CuPy does, and counts the copies."""

    device, copies = "<CUDA Device 0>", 0

    def __array__(self, dtype=None, copy=None):
        way_out = "Please use `.get()` to construct a NumPy array explicitly."
        raise TypeError(f"Implicit conversion to a NumPy array is not allowed. {way_out}")

    def get(self):
        CupyArray.copies += 1
        return np.asarray(self._values)


TENSOR_ADVICE = "for a tensor call .detach().float().cpu().numpy(), for a column .to_numpy()"
