"""What every refusal owes its caller: a named error with its whole text, and an evaluation left as it was."""

import pickle
import re
from contextlib import contextmanager

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
