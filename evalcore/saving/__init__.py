"""Saving and restoring evaluations without pickle.  Damaged bytes and files are refused."""

from evalcore.saving.saved import Saved

__all__ = ["Saved"]
__dir__ = __all__.copy
