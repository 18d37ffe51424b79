"""Saving what evaluations remember, and reading it back: bytes and files that are whole or refused, without pickle."""

from evalcore.saving.files import write_atomically
from evalcore.saving.names import names_of_plain, plain_names
from evalcore.saving.saved import Saved
from evalcore.saving.snapshot import Snapshot

__all__ = ["Saved", "Snapshot", "names_of_plain", "plain_names", "write_atomically"]
