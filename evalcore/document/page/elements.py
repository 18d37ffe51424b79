"""A document as one HTML file that needs no network and no other file, and can be read without its script.

Elements are made here: what stands in which order.  Texts are escaped, markup is not.
"""

import base64
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from typing import Any

import numpy as np

from evalcore._version import __version__
from evalcore.document.charts.images import Plot, as_element
from evalcore.document.model import DECIDED_BY, FAIL, INCONCLUSIVE, PASS, Document, Part
from evalcore.document.page.cells import Html, line_of, rows_of, tag
from evalcore.document.tables import Table
from evalcore.document.terminal import printable
from evalcore.errors import check
from evalcore.optional import require
from evalcore.plots.axes import nth_style

_ICONS = {
    PASS: "M2 8.5l4 4 8-9",
    FAIL: "M3 3l10 10M13 3L3 13",
    INCONCLUSIVE: "M5 5.5a3 3 0 1 1 4.5 2.6Q8 9 8 10.5M8 13v1",
}
"""Strokes within 16 pixels, so that an outcome is told by its form too."""
_MOST_ROWS, _NARROW = 50, 4
"""Rows of a table that are not scrolled within it; columns that leave space for a chart beside them."""
_WIDE, _WIDEST = 6, 8
"""Inches beyond which a chart has the whole width, and is as large as it is."""


def lines(elements: Iterable[str]) -> Html:
    """Return elements one below the other.  O(size)."""
    return Html("\n".join(elements))


_P_VALUE = re.compile(r"\bp [=<] (?=\d)")


def _unbroken(text: str) -> str:
    """Return a sentence whose p-values are not broken between two lines.

    >>> ascii(_unbroken("better, p < 0.001; p = 0.0321.")).count("xa0")
    4
    """
    return _P_VALUE.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


def grid(table: Table) -> Html:
    """Return a table that can be scrolled.  O(cells)."""
    ends, width = table.names, len(table.head)
    kinds = ["name" if at < ends else "text" if at >= width - table.shown else None for at in range(width)]
    head = (tag("th", name, scope="col", class_=kind) for name, kind in zip(table.head, kinds, strict=True))
    inner = Html(f"\n<thead><tr>{''.join(head)}</tr></thead>\n<tbody>{rows_of(table)}\n</tbody>")
    of = {"class_": f"wide{' long' * (len(table.rows) > _MOST_ROWS)}", "tabindex": 0, "role": "region"}
    own = tag("table", inner, class_="sortable" if table.anchor else None)
    return tag("div", own, **of, aria_label=table.label or table.title)


def titled(table: Table) -> Html:
    """Return a table under its title; a reader opens one that is folded.  O(cells)."""
    title = [tag("h3", table.title)] if table.title else []
    if table.folded:
        return tag("details", tag("summary", *title), grid(table))
    return lines([*title, grid(table)])


def paragraphs(texts: Iterable[str]) -> list[Html]:
    """Return a paragraph for each text.  O(size)."""
    return [tag("p", _unbroken(text)) for text in texts]


def _entries(found: Mapping[str, str]) -> list[Html]:
    return [tag("div", tag("dt", name), tag("dd", text)) for name, text in found.items()]


def _verdict(document: Document, heading: str, links: Mapping[str, str]) -> Html:
    """Return what a reader sees first; links: the ids to which names of groups lead."""
    verdict, found = document.verdict, [tag("h2", heading, class_="spoken")]
    if document.warning:
        found.append(tag("p", tag("strong", document.warning), class_="warning"))
    if outcome := verdict.outcome:
        icon = tag("svg", tag("path", d=_ICONS[outcome]), viewBox="0 0 16 16", aria_hidden="true")
        found.append(tag("p", icon, " ", tag("strong", outcome), f" {verdict.judged}", class_="outcome"))
    if verdict.claim:
        claim, more = _unbroken(verdict.claim), _unbroken(verdict.details)
        claim, more = (claim.removesuffix("."), f"{more}.") if more else (claim, "")
        found.append(tag("p", tag("strong", claim), more, class_="answer"))
    if verdict.change and (line := line_of(verdict.change, verdict.digits)):
        found.append(line)
    found += [titled(verdict.conditions.without(DECIDED_BY))] if verdict.conditions else []
    found += paragraphs([" ".join(verdict.more)] if verdict.more else [])
    found += [titled(document.worst._replace(links=links))] if document.worst else []
    return tag("section", lines(found), id="verdict", class_=outcome.lower() or "answered")


def _part(part: Part, plots: Sequence[Plot]) -> Html:
    lead, found = part.tables[: part.beside], paragraphs(part.before)
    if part.content:
        found.append(_thresholds(part.content))
    if plots or lead:
        large = bool(lead) and len(lead[0].head) > _NARROW
        figures = [tag("div", lines(map(titled, lead)), class_="large" if large else None)] if lead else []
        for plot in plots:
            width, caption = plot.inches[0], tag("figcaption", plot.text, data_moved=plot.moved or None)
            kind = "full large" if width > _WIDEST else "full" if width > _WIDE else None
            figures.append(tag("figure", Html(as_element(plot)), caption, class_=kind))
        pair = bool(lead) and not large and len(plots) == 1
        found.append(tag("div", lines(figures), class_=f"figures{' pair' * pair}"))
    found += [*map(titled, part.tables[len(lead) :]), *paragraphs(part.after)]
    found += [tag("ul", *(tag("li", _unbroken(text)) for text in part.notes))] if part.notes else []
    found += [tag("dl", *_entries(part.entries))] if part.entries else []
    heading = tag("h2", part.heading)
    if part.folded:
        return tag("section", tag("details", tag("summary", heading), tag("div", lines(found), id=part.name)))
    return tag("section", lines([heading, *found]), id=part.name)


def _thresholds(content: Mapping[str, Any]) -> Html:
    """Return sliders over the thresholds, which a script shows, and the confusion matrix of each model."""
    models, slider, off = content["models"], content["slider"], {"autocomplete": "off"}
    swatches = [tag("span", class_=f"swatch model-{model.colour}") for model in models]
    found = list[Html]()
    if slider:
        ways = {"threshold": "all models to one threshold"} if slider["shared"] else {}
        ways |= {"fraction": "all models to one fraction flagged", "alone": "its own model"}
        choice = tag(
            "select", *(tag("option", text, value=way) for way, text in ways.items()), id="slider-together", **off
        )
        asked = [tag("label", "A slider moves ", choice)] if models[1:] else []
        for kind, cost in zip(("positive", "negative"), content["costs"], strict=True):
            of_costs = {"type": "number", "id": f"slider-false-{kind}", "min": 0, "step": "any", "value": cost}
            asked.append(tag("label", f"Cost of a false {kind} ", tag("input", **of_costs, **off)))
        heads = ["model", "threshold" if slider["shared"] else "fraction flagged", *content["columns"]]
        rows, last = [[tag("th", name, scope="col") for name in heads]], len(slider["positions"]) - 1
        for model, swatch, own in zip(models, swatches, slider["models"], strict=True):
            label, ends = f"Threshold of {model.name}", {"min": 0, "max": last, "value": own["start"]}
            moved = tag("td", tag("input", type="range", aria_label=label, **ends, **off))
            rows.append([tag("th", swatch, model.name, scope="row"), moved, *[tag("td")] * len(content["columns"])])
        head, *body = (tag("tr", *row) for row in rows)
        of = {"tabindex": 0, "role": "region", "aria_label": "Decisions at the thresholds of the sliders"}
        table = tag("div", tag("table", tag("thead", head), tag("tbody", *body)), class_="wide", **of)
        spoken = tag("output", class_="spoken", id="slider-spoken", aria_live="polite")
        written = Html(json.dumps(slider).replace("<", r"\u003c"))
        data = tag("script", written, type="application/json", id="slider-data")
        inner = lines([tag("p", *asked), table, spoken, data])
        found.append(tag("div", inner, class_="controls slider", id="slider", hidden=True))
    found.append(tag("h3", content["matrix"], data_moved="Confusion matrix"))
    blocks = [
        tag("div", tag("p", swatch, tag("span", model.said)), grid(model.matrix), *paragraphs(model.unmet))
        for model, swatch in zip(models, swatches, strict=True)
    ]
    weighted = " Each case counts by its weight." * content["weighted"]
    flagged = f"Cases that score at or above a threshold are flagged (predicted positive).{weighted}"
    return lines([*found, tag("div", *blocks, class_="matrices"), tag("p", flagged)])


def html_page(document: Document, plots: Sequence[Plot], *, models: int, script: bool) -> str:
    """Write a document as a page: its verdict, and parts, each with the plots that name it; all names are escaped.

    Empty parts are left out.  models: number of models that have a colour; script: whether the page may
    hold a script.  O(size).  Raises MissingLibraryError if matplotlib is missing.
    """
    program = {"Program": f"evalcore {__version__}, NumPy {np.__version__}"}
    computed = Part("How it was computed", (), True, "computed", entries={**document.computed, **program})
    every = [*document.parts, computed, Part("What the numbers mean", (), True, "meanings", entries=document.meanings)]
    charts = {part.name: [plot for plot in plots if plot.panel == part.name] for part in every}
    parts = [part for part in every if charts[part.name] or not part.is_empty]
    to_hex = require("matplotlib.colors", "plots").to_hex
    rules = (f".model-{index} {{ --model: {to_hex(nth_style(index)['color'])}; }}\n" for index in range(models))
    style = "".join([_read("page.css"), *rules])
    run = "".join(map(_read, ["tables.js", *(f"{part.name}.js" for part in parts)])) if script else ""
    rows = {name: id_ for part in parts for table in part.tables for name, id_ in table.ids.items()}
    outcome, first = document.verdict.outcome, "Verdict" if document.verdict.outcome else "Answer"
    title = f"{outcome}: {document.title}" if outcome else document.title
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, run)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", Html(style)),
    ]
    top = tag("header", tag("h1", document.title), tag("dl", *_entries(_facts_of(document)), class_="facts"))
    contents = {"verdict": first} | {part.name: part.heading for part in parts}
    places = (tag("li", tag("a", heading, href=f"#{name}")) for name, heading in contents.items())
    nav = tag("nav", tag("ul", *places), aria_label="Contents")
    sections = [_verdict(document, first, rows), *(_part(part, charts[part.name]) for part in parts)]
    body = [top, nav, tag("main", lines(["", *sections])), *([tag("script", Html(run))] if run else [])]
    page = tag("html", tag("head", lines(head)), lines(["", tag("body", lines(body)), ""]), lang="en")
    return printable(f"<!DOCTYPE html>\n{page}")


def _facts_of(document: Document) -> dict[str, str]:
    """Return what a page is of, by headings, its date and version.  O(1).

    The date is that of SOURCE_DATE_EPOCH where it is set, so that a build that is repeated makes the same bytes.
    """
    built = os.environ.get("SOURCE_DATE_EPOCH")
    check(not built or built.isdecimal(), "SOURCE_DATE_EPOCH", "be a number of seconds since 1970", built)
    day = datetime.fromtimestamp(int(built), UTC) if built else datetime.now()
    return {**document.facts, "Date": day.date().isoformat(), "Version": f"evalcore {__version__}"}


def _policy(*texts: str) -> str:
    """Return the rule by which a browser loads nothing, and applies and runs a style and a script alone.  O(size)."""
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    style, script = (f"'sha256-{each}'" if text else "'none'" for text, each in zip(texts, digests, strict=True))
    allowed = f"img-src data:; style-src {style}; script-src {script}"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _read(name: str) -> str:
    """Return a style or a script; empty if there is none."""
    file = resources.files(__package__).joinpath("assets", name)
    return file.read_text("utf-8") if file.is_file() else ""
