"""What the laws are told of a class: how to make, fill and ask its objects."""

import pickle

from hypothesis import strategies as st


class Kind:
    """A class of evaluations or states; an instance describes it to `tests/laws/test_laws.py`.

    A case is whatever `add` takes.
    """

    cls: type
    any_way = True
    """Whether no answer depends on how the cases came: one by one, in batches, by merging."""
    in_order = False
    """Whether answers depend on the order of the cases."""
    shallow = True
    """Whether `copy.copy` makes a copy that is independent."""

    def __repr__(self):
        return type(self).__name__

    def makers(self):
        """Draw a function that makes an empty object."""
        return st.just(self.cls)

    def width(self, empty):
        """Return how many categories or rows an object has, where its cases depend on that."""
        return 0

    def cases(self, width):
        """Draw a list of cases for objects of this width."""
        raise NotImplementedError

    def add(self, filled, case):
        self.add_batch(filled, [case])

    def add_batch(self, filled, cases):
        for case in cases:
            self.add(filled, case)

    def merge(self, filled, other):
        filled.merge(other)

    def content(self, filled):
        """Return all that is remembered, which is cheaper than all answers."""
        return self.answers(filled)

    def answers(self, filled):
        """Return everything that is answered, to the last bit, whatever the order of the cases."""
        return self.content(filled)

    def averages(self, filled):
        """Return what depends on the order in its last digits, by name."""
        return {}

    def listed(self, filled):
        """Return lists by name, in the order in which the cases came."""
        return {}

    def memory(self, filled):
        """Return all that is remembered in a form that sees every change."""
        return filled.to_bytes() if self.saves else pickle.dumps(filled)

    def stored(self, filled):
        """Return the bytes that are saved, the same whichever way it was saved before."""
        return filled.to_bytes()

    def mistakes(self, filled):
        """Return calls that must be refused."""
        return []

    @property
    def saves(self):
        return hasattr(self.cls, "to_bytes")

    @property
    def compares(self):
        return self.cls.__eq__ is not object.__eq__

    def told(self, filled):
        """Return all answers, where cases came in the same order."""
        return self.answers(filled), repr(self.averages(filled)), self.listed(filled)
