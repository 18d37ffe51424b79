"""Many comparisons in one test, which fails once and names everything that differs."""

import functools
import inspect
import reprlib
from contextlib import contextmanager
from pathlib import Path

import pytest

from evalcore.errors import EvaluationError, EvaluationTypeError
from evalcore.evaluation.comparing import differences_of_models

BESIDE_THE_GUIDE = pytest.mark.skipif(
    not Path(__file__).parents[1].joinpath("notebooks").exists(),
    reason="the archive of sources has neither the guide nor its data: the repository has",
)


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
            differences.append(f"{shown(subject)}: {type(error).__name__}: {error}")

    yield checking
    assert not differences, "\n".join([f"{len(differences)} differences", *differences])


def shown(subject):
    """Write a subject in a line."""
    return subject if isinstance(subject, str) else reprlib.repr(subject)


def every(names, table, *rows):
    """Run a test for all rows as one item: `pytest.mark.parametrize` for rows that are quick and pure.

    The rows are given one by one, or as a table: a list, or what yields them.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = (table, *rows) if rows else table
    rows = []
    for case in cases:
        is_named = isinstance(case, type(pytest.param()))
        row = case.values if is_named else case if len(names) > 1 else (case,)
        rows.append((case.id if is_named and case.id else row, row))
    assert rows

    def decorate(test):
        @functools.wraps(test)
        def run(**others):
            with collected() as checking:
                for subject, row in rows:
                    with checking(subject):
                        test(**others, **dict(zip(names, row, strict=True)))

        parameters = inspect.signature(test).parameters
        run.__signature__ = inspect.Signature([each for name, each in parameters.items() if name not in names])
        return run

    return decorate


def check_output(name, text):
    """Compare a text with the file of this name below the tests; one that is missing is written, to be read."""
    path = Path(__file__).parent / name
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{text}\n", "utf-8", newline="\n")
        pytest.fail(f"{name} was missing, and is written")
    assert f"{text}\n" == path.read_text("utf-8")


def recorded(name):
    """Return what is given and what is said of it, in the last line, of each entry of a file below the tests."""
    entries = (Path(__file__).parent / name).read_text("utf-8").rstrip("\n").split("\n\n")
    return [tuple(entry.rsplit("\n", 1)) for entry in entries]


def check_refusals(name, ask, rows):
    """Ask for each of the rows, and compare the errors with the file of this name."""
    said = []
    for row in rows:
        try:
            ask(row)
        except (EvaluationError, EvaluationTypeError) as error:
            said.append(f"{spelled(row)}\n  {type(error).__name__}: {error}")
        else:
            said.append(f"{spelled(row)}\n  is not refused")
    check_output(name, "\n".join(said))


def spelled(value):
    """Write a question as it was asked; what has no text that stays the same is written as its type."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {spelled(each)}' for name, each in value.items())}}}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(spelled, value))}]"
    known = value is None or type(value) in (str, int, float, bool)
    return repr(value) if known else getattr(value, "__name__", type(value).__name__)


@contextmanager
def refused(message, kind=EvaluationError):
    """Expect an error that says exactly this."""
    with pytest.raises(kind) as caught:
        yield
    assert str(caught.value) == message


def whole_differences(cases, question):
    """Return the differences of each new model in all cases."""
    return [model.differences for model in differences_of_models(cases._replace(groups={}), question)]


def group_differences(cases, question):
    """Return the differences of each new model in groups, by the names of groupings."""
    return [model.groups for model in differences_of_models(cases, question)]


def items_of(report, leaving=()):
    """Return the statistics of a report, or of sections, by their addresses, without those of some names."""
    return {
        (*section.address(record), item.name): item
        for section in getattr(report, "sections", report)
        for record, items in section.records.items()
        for item in items
        if item.name not in leaving
    }
