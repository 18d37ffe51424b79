"""A page for each public name, one for each package, and one of all packages, from `__all__` and docstrings."""

import importlib
import inspect
import posixpath
import re
from dataclasses import is_dataclass

FRONT = "evalcore"
PACKAGES = (
    "metrics",
    "inference",
    "ranking",
    "streaming",
    "distributed",
    "plots",
    "io",
    "saving",
    "testing",
    "lingpipe",
    "contingency",
)
"""In the order of the reference.  What two of them have, a link from a guide finds in the former."""
FRONT_HAS = {"lingpipe", "contingency"}
"""Packages whose names people import from the front."""
PLACES = re.compile(
    r"<(a|pre|h\d)\b.*?</\1>|<code>(?P<name>(?:\w+\.)*\w+)(?:\([^<]*\))?</code>|notebooks/(?P<page>[\w-]+)\.(?:md|ipynb)",
    re.DOTALL,
)
"""What may become a link: neither what is in one, nor blocks of code and headings."""
TUPLE = re.compile(r"<code>\(((?:<(?:a|autoref|span) |&#3[49];|[a-z]{3,}[, ])(?:(?!</code>).)*)\)</code>", re.DOTALL)


def names(package):
    """List the public functions, classes and errors of a package; of the front, those that no other page has."""
    module = importlib.import_module(package)
    values = {name: getattr(module, name) for name in module.__all__}
    listed = [name for name, value in values.items() if not inspect.ismodule(value)]
    listed.sort(key=lambda name: (_is_error(values[name]), inspect.isclass(values[name]), name))
    if package == FRONT:
        elsewhere = {name for other in FRONT_HAS for name in names(f"{FRONT}.{other}")}
        listed = [name for name in listed if name not in elsewhere]
    return listed


def _is_error(value):
    return inspect.isclass(value) and issubclass(value, Exception)


def _folder(package):
    return f"reference/{package.removeprefix('evalcore.')}"


def _all_packages():
    return [FRONT, *(f"{FRONT}.{part}" for part in PACKAGES)]


def _imported_from(package):
    return FRONT if package.removeprefix(f"{FRONT}.") in FRONT_HAS else package


def pages():
    """Map places on the site to pages that mkdocstrings fills."""
    holds = {_folder(package)[10:]: _summary(importlib.import_module(package)) for package in _all_packages()}
    rows = "\n".join(f"| [`{folder}`]({folder}/index.md) | {summary} |" for folder, summary in holds.items())
    made = {"reference/index.md": f"# Reference\n\n| package | what it holds |\n|---|---|\n{rows}\n"}
    for package in _all_packages():
        module, folder = importlib.import_module(package), _folder(package)
        rows = "\n".join(f"| [`{name}`]({name}.md) | {_summary(getattr(module, name))} |" for name in names(package))
        made[f"{folder}/index.md"] = (
            f"::: {package}\n    options:\n      members: false\n\n| name | what it is |\n|---|---|\n{rows}\n"
        )
        for name in names(package):
            made[f"{folder}/{name}.md"] = (
                f"---\ntitle: {name}\n---\n\n::: {_imported_from(package)}.{name}\n{_options(getattr(module, name))}"
            )
    return made


def _options(value):
    """Name all fields of a record in their order.  Let a class describe the parameters of `__new__`.

    mkdocstrings compares what a class describes with the parameters of `__init__` alone.
    """
    if hasattr(value, "_fields") or is_dataclass(value):
        return "    options:\n      members_order: source\n      show_if_no_docstring: true\n"
    if "__new__" not in vars(value) or "__init__" in vars(value):
        return ""
    return "    options:\n      docstring_options:\n        warn_unknown_params: false\n"


def _summary(value):
    first = re.split(r"(?<=\.)\s|\n\n", inspect.getdoc(value) or "", maxsplit=1)[0]
    return re.sub(r"\s+", " ", first).replace("|", "\\|")


def nav():
    """List the pages by package."""
    packages = [{package: [f"{_folder(package)}/index.md", *_entries(package)]} for package in _all_packages()]
    return ["reference/index.md", *packages]


def _entries(package):
    return [{name: f"{_folder(package)}/{name}.md"} for name in names(package)]


def links():
    """Map names, as a text may give them, to addresses on the site: dotted ones, and those that tell what is meant."""
    found = {}
    for package in reversed(_all_packages()):
        part, address = package.rpartition(".")[2], f"{_folder(package)}/"
        for name in names(package):
            told_apart = "_" in name or name[0].isupper()
            found |= dict.fromkeys([f"{package}.{name}", f"{part}.{name}", *[name] * told_apart], f"{address}{name}/")
        found |= {package: address} if "." in package else {}
    return found


def address_of(uri):
    """Name the address of a page.

    >>> address_of("command.md"), address_of("reference/io/index.md"), address_of("index.md")
    ('command/', 'reference/io/', '')
    """
    return re.sub(r"(^|/)index\.md$", r"\1", uri).replace(".md", "/")


def linked(html, uri, known):
    """Make links of public names in code words, one of the same package first, and of pages of the guide in docstrings.

    >>> linked("<p><code>io.Run</code> <code>k</code></p>", "command.md", {"io.Run": "reference/io/Run/"})
    '<p><a href="../reference/io/Run/"><code>io.Run</code></a> <code>k</code></p>'
    >>> linked("<p>See notebooks/command.md.</p>", "reference/io/index.md", {})
    '<p>See <a href="../../command/">notebooks/command.md</a>.</p>'
    """
    here, folder = address_of(uri), posixpath.dirname(uri)
    siblings = {address for address in known.values() if posixpath.dirname(address[:-1]) == folder}

    def with_link(match):
        target = None
        if match["name"]:
            sibling = f"{folder}/{match['name']}/"
            target = sibling if sibling in siblings else known.get(match["name"])
            if folder == _folder(FRONT) and match["name"] in PACKAGES:
                target = f"{_folder(match['name'])}/"
        elif match["page"] and folder.startswith("reference"):
            target = address_of(f"{match['page']}.md")
        if target in (None, here):
            return match[0]
        return f'<a href="{posixpath.relpath(target, here or ".")}/">{match[0]}</a>'

    return PLACES.sub(with_link, html)


def without_parentheses(html):
    """Take the parentheses off types and errors of which there are several, which mkdocstrings takes for a tuple.

    >>> without_parentheses("<code>(int, float)</code> or <code>(n,)</code>")
    '<code>int, float</code> or <code>(n,)</code>'
    """
    return TUPLE.sub(r"<code>\1</code>", html)
