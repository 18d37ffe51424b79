"""Parts of a page, as one HTML file that needs no network and no other file, and can be read without its script."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from evalcore.evaluation.model import Answer
from evalcore.evaluation.question import Question
from evalcore.optional import require
from evalcore.plots.axes import nth_style
from evalcore.report.charts.images import EMBEDDED, Plot, as_address


class View(NamedTuple):
    """A report, and how it is shown on a page."""

    answer: Answer
    question: Question
    computed: Mapping[str, str]
    """How the report was computed, by headings."""
    in_full: bool = False
    """As for `tables`."""
    script: bool = True
    """Whether the page may hold a script."""


class Panel(NamedTuple):
    """A part of a page.

    Its template, `templates/{name}.html.jinja`, reads `content` and `plots`.  It has no `style` attributes and no
    handlers of events, which the page's policy forbids: styles stand in `page.css`.  If there is a
    `templates/{name}.js`, the page runs it once, after all panels.
    """

    name: str
    """Its anchor, and the name of its template and script."""
    heading: str
    content: Mapping[str, Any]
    plots: Sequence[Plot] = ()
    collapsed: bool = False
    """Whether only its heading is shown until a reader opens it."""
    template: str = ""
    """The name of a template that several panels share, in place of its own."""


TEMPLATES = "evalcore.report.page"
"""The package whose templates all pages share."""


def html_page(title: str, panels: Sequence[Panel], *, models: int, script: bool, templates: str = TEMPLATES) -> str:
    """Write panels as a page; all names are escaped.

    models: number of models that have a colour; script: whether the page may hold a script; templates: the package
    with the templates of its panels, and styles of its own in `more.css`.  O(size).  Raises MissingLibraryError if
    Jinja2 is missing.
    """
    style = _read("page.css", TEMPLATES) + _read("more.css", templates) + _model_colours(models)
    run = "".join(_read(f"{panel.name}.js", templates) for panel in panels) if script else ""
    return str(
        _environment(require("jinja2", "html"), templates)
        .get_template("page.html.jinja")
        .render(title=title, panels=panels, policy=_policy(style, run), style=style, script=run)
    )


def _policy(style: str, script: str) -> str:
    """Return the rule by which a browser loads nothing, and applies and runs these texts alone.  O(size)."""
    allowed = _hash_of(script) if script else "'none'"
    return (
        f"default-src 'none'; img-src data:; style-src {_hash_of(style)}; script-src {allowed}; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash_of(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _model_colours(models: int) -> str:
    """Return the rules of the classes `model-0`, `model-1` and so on, by the colours that plots give models."""
    to_hex = require("matplotlib.colors", "plots").to_hex
    colours = [to_hex(nth_style(index)["color"]) for index in range(models)]
    return "".join(f".model-{index} {{ --model: {colour}; }}\n" for index, colour in enumerate(colours))


def _read(name: str, templates: str) -> str:
    """Return a file of templates, of a package or else of those that all pages share; empty if there is none."""
    for package in (templates, TEMPLATES):
        file = resources.files(package).joinpath("templates", name)
        if file.is_file():
            return file.read_text("utf-8")
    return ""


@cache
def _environment(jinja2: Any, templates: str) -> Any:
    """Return what compiles each template once."""
    loader = jinja2.FunctionLoader(lambda name: _read(name, templates) or None)
    environment = jinja2.Environment(autoescape=True, loader=loader)
    environment.globals["source"] = lambda plot: as_address(plot.image(EMBEDDED))
    for macro in ("grid", "figures"):
        environment.globals[macro] = getattr(environment.get_template(f"{macro}.html.jinja").module, macro)
    return environment
