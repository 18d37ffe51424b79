"""Docstrings as mkdocstrings needs them: examples without a heading as code, and each parameter by itself."""

import re

import griffe

SECTION = re.compile(r"^\w[\w ]*\n-{3,}$", re.MULTILINE)
NAMES = re.compile(r"^(\w+(?:, \w+)+)\n((?:    .*\n)+)", re.MULTILINE)
POWERS = re.compile(
    r"(?P<code>```.*?```|`+[^`]*`+|^>>> [^\n]*\n?(?:[^\n]+\n?)*)|(?<=\w)\*\*(?=\w)", re.DOTALL | re.MULTILINE
)
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


def apart(docstring):
    r"""Describe parameters each by itself that share a description and have no type, for theirs would be the first's.

    >>> apart("Parameters\n----------\na, b\n    As in `c`.\n\nReturns\n-------\nint\n    1.\n")
    'Parameters\n----------\na\n    As in `c`.\nb\n    As in `c`.\n\nReturns\n-------\nint\n    1.\n'
    """
    before, head, section = docstring.partition("Parameters\n----------\n")
    end = SECTION.search(section)
    section, after = (section[: end.start()], section[end.start() :]) if end else (section, "")
    section = NAMES.sub(lambda item: "".join(f"{name}\n{item[2]}" for name in item[1].split(", ")), section)
    return before + head + section + after


def escaped(docstring):
    r"""Keep Markdown from taking the stars of powers for emphasis.

    >>> print(escaped("Up to 2**21 of `x**2`, at most 2**62."))
    Up to 2\*\*21 of `x**2`, at most 2\*\*62.
    """
    return POWERS.sub(lambda match: match["code"] or r"\*\*", docstring)


class Docstrings(griffe.Extension):
    """Change every docstring."""

    def on_instance(self, *, obj, **_kwargs):
        """Change one."""
        if obj.docstring:
            obj.docstring.value = fenced(escaped(apart(obj.docstring.value)))
