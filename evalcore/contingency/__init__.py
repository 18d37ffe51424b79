"""The documented class of Statistics::Contingency."""

from evalcore.contingency.contingency import Contingency

__all__ = ["Contingency"]
__dir__ = __all__.copy
