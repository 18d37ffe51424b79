"""The order of the pages, and words that find them: those of the guide, notebooks/README.md."""

import posixpath
import re

from repository import uri_of


def nav(guide, reference):
    r"""Sort pages as the guide's tables list them, under its headings.

    >>> text = "## Begin\n| [A](1-a.ipynb) | b |\n## More\n| [C](c.md) | d |\n| [E](../CHANGELOG.md) | f |"
    >>> nav(text, [])[1]
    {'Guide': ['guide.md', {'Begin': [{'A': '1-a.md'}]}, {'More': [{'C': 'c.md'}, {'E': 'changelog.md'}]}]}
    """
    sections = []
    for heading, title, path in re.findall(r"^## (.+)$|^\| \[(.+?)\]\((.+?)\) \|", guide, re.MULTILINE):
        if heading:
            sections.append({heading: []})
        else:
            uri = uri_of(posixpath.normpath(f"notebooks/{path}"))
            _rows(sections).append({title: uri})
    return [{"Home": "index.md"}, {"Guide": ["guide.md", *sections]}, {"Reference": reference}]


def keywords(guide):
    """Map places on the site to the words by which the search finds them too: the last column of the guide's tables.

    >>> keywords("| [A](1-a.ipynb) | b | c, d e |")
    {'1-a.md': ['c', 'd e']}
    """
    found = re.findall(r"^\| \[.+?\]\((.+?)\) \| .* \| (.+?) \|$", guide, re.MULTILINE)
    return {uri_of(posixpath.normpath(f"notebooks/{path}")): words.split(", ") for path, words in found}


def _rows(sections):
    if not sections:
        sections.append({"Pages": []})
    return next(iter(sections[-1].values()))
