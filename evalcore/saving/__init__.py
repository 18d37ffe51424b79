"""Saving and restoring evaluations without pickle.  Damaged bytes and files are refused."""

from evalcore.saving.container import Snapshot, names_of_plain, plain_names
from evalcore.saving.files import write_atomically
from evalcore.saving.saved import Saved

__all__ = ["Saved", "Snapshot", "names_of_plain", "plain_names", "write_atomically"]
__dir__ = __all__.copy
