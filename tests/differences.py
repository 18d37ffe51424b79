"""Many comparisons in one test, which fails once and names everything that differs."""

from contextlib import contextmanager

import pytest


@contextmanager
def collected():
    """Yield a context for each comparison, by its subject; at the end fail if any of them failed.

    with collected() as checking:
        for question, answer in record.items():
            with checking(question):
                assert ask(question) == answer
    """
    differences = []

    @contextmanager
    def checking(subject):
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            differences.append(f"{subject}: {type(error).__name__}: {error}")

    yield checking
    assert not differences, "\n".join([f"{len(differences)} differences", *differences])
