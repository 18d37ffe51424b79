"""Assertions on models, for pytest or other tests: a failure shows the values, intervals and groups.

There is no fixture or plugin: these are functions of arrays, which any runner can call, and pytest shows their errors
at the line of the test.
"""

from evalcore.testing.assertions import assert_at_least, assert_not_worse

__all__ = ["assert_at_least", "assert_not_worse"]
__dir__ = __all__.copy
