"""Examples below the text of a docstring, which have no heading, as code."""

import re

import griffe

SECTION = re.compile(r"^\w[\w ]*\n-{3,}$", re.MULTILINE)
EXAMPLE = re.compile(r"^>>> .*\n?(?:.+\n?)*", re.MULTILINE)


def fenced(docstring):
    r"""Fence the examples of a docstring that stand above its sections; Markdown would quote them three times.

    >>> fenced("Return 1.\n\n>>> one()\n1\n")
    'Return 1.\n\n```pycon\n>>> one()\n1\n```\n'
    """
    first = SECTION.search(docstring)
    end = first.start() if first else len(docstring)
    text = EXAMPLE.sub(lambda match: f"```pycon\n{match[0].rstrip()}\n```\n", docstring[:end])
    return text + docstring[end:]


class Doctests(griffe.Extension):
    """Fence the examples of every docstring."""

    def on_instance(self, *, obj, **_kwargs):
        """Fence the examples of one."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)
