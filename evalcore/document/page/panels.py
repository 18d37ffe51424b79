"""Parts of a page, as one HTML file that needs no network and no other file, and can be read without its script.

Tables have short numbers with their intervals below and full values beside, in blocks that fit on paper.
"""

import base64
import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from evalcore.document.charts.images import EMBEDDED, Plot, as_address
from evalcore.document.tables import THRESHOLDS, AnyCell, Cell, Table, bound_texts, is_weight
from evalcore.document.thresholds import GIVEN, STATISTIC_OF
from evalcore.evaluation.model import Answer, Statistic
from evalcore.evaluation.question import Question
from evalcore.evaluation.wording import count, number, p_value, weight
from evalcore.gate.checks import GateResult
from evalcore.kernels.thresholds import given_number, plain_number, rounded_down
from evalcore.optional import require
from evalcore.plots.axes import nth_style
from evalcore.typing import Amount


class View(NamedTuple):
    """A report, and how it is shown on a page."""

    answer: Answer
    question: Question
    computed: Mapping[str, str] = {}
    """How the report was computed, by headings."""
    in_full: bool = False
    """As for `tables`."""
    script: bool = True
    """Whether the page may hold a script."""
    gate: GateResult | None = None
    """What a gate says of it, if there is one."""


class Panel(NamedTuple):
    """A part of a page.

    `templates/page.html.jinja` reads `content` and `plots`, and decides in which order they stand.  It has no `style`
    attributes and no handlers of events, which the page's policy forbids: styles stand in `page.css`.  If there is a
    `templates/{name}.js`, the page runs it once, after all panels.
    """

    name: str
    """Its anchor, and the name of its script."""
    heading: str
    content: Mapping[str, Any]
    plots: Sequence[Plot] = ()
    collapsed: bool = False
    """Whether only its heading is shown until a reader opens it."""


_CLOSING = {"computed": "How it was computed", "meanings": "What the numbers mean"}
"""What decides the numbers, and what they mean: the end of every page."""


def html_page(
    title: str,
    panels: Iterable[Panel],
    plots: Sequence[Plot],
    closing: Mapping[str, Mapping[str, str]],
    *,
    models: int,
    script: bool,
) -> str:
    """Write panels as a page, each with the plots that name it, without those that are empty; all names are escaped.

    closing: entries that end the page, by the name of their panel; models: number of models that have a colour;
    script: whether the page may hold a script.  O(size).  Raises MissingLibraryError if Jinja2 is missing.
    """
    ends = [Panel(name, _CLOSING[name], {"entries": found}, collapsed=True) for name, found in closing.items()]
    placed = [panel._replace(plots=[plot for plot in plots if plot.panel == panel.name]) for panel in [*panels, *ends]]
    filled = [panel for panel in placed if panel.plots or any(panel.content.values())]
    to_hex = require("matplotlib.colors", "plots").to_hex
    rules = (f".model-{index} {{ --model: {to_hex(nth_style(index)['color'])}; }}\n" for index in range(models))
    style = "".join([_read("page.css"), *rules])
    run = "".join(_read(f"{panel.name}.js") for panel in filled) if script else ""
    template = _environment(require("jinja2", "html")).get_template("page.html.jinja")
    return str(template.render(title=title, panels=filled, policy=_policy(style, run), style=style, script=run))


def _policy(*texts: str) -> str:
    """Return the rule by which a browser loads nothing, and applies and runs a style and a script alone.  O(size)."""
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    style, script = (f"'sha256-{each}'" if text else "'none'" for text, each in zip(texts, digests, strict=True))
    allowed = f"img-src data:; style-src {style}; script-src {script}"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _read(name: str) -> str:
    """Return a file of templates; empty if there is none."""
    file = resources.files(__package__).joinpath("templates", name)
    return file.read_text("utf-8") if file.is_file() else ""


@cache
def _environment(jinja2: Any) -> Any:
    """Return what compiles each template once."""
    environment = jinja2.Environment(autoescape=True, loader=jinja2.FunctionLoader(lambda name: _read(name) or None))
    environment.globals["source"] = lambda plot: as_address(plot.image(EMBEDDED))
    environment.globals["drawn"] = drawn
    return environment


_P_VALUES = {"p_value", "p_value_holm"}
_ONE_DECIMAL, _LEAST_OF_ONE_DECIMAL = {"chi_squared"}, 0.05
"""Statistics of any size, whose values in a column have the same decimals unless they are small."""
_DIGITS_OF_WEIGHTS = 4
_ON_PAPER = 7
"""Columns of numbers that fit on a sheet, with their intervals."""
_MOST_PRINTED = 1000
"""Rows beyond which a table is not written once more in blocks: it would fill hundreds of sheets."""


class Part(NamedTuple):
    """A table of a panel, below its heading; the title of the table is what screen readers call it."""

    title: str
    table: Table
    collapsed: bool = False
    """Whether only its title is shown until a reader opens it."""
    more: Table | None = None
    """Rows that few readers need."""


def drawn(table: Table) -> list[Table]:
    """Return a table with the cells of a page and, if it is too wide for paper, its columns in blocks that fit.

    Each block has the names.  O(cells).
    """
    names, width = table.names, len(table.head)
    rows = [[_page_cell(cell, is_name=index < names) for index, cell in enumerate(row)] for row in table.rows]
    whole, blocks = table._replace(rows=rows), -(-(width - names) // _ON_PAPER)
    if blocks <= 1 or len(rows) > _MOST_PRINTED:
        return [whole]
    step = -(-(width - names) // blocks)
    starts = range(names, width, step)
    return [whole, *(whole.columns([*range(names), *range(width)[start : start + step]]) for start in starts)]


def _page_cell(cell: AnyCell, *, is_name: bool) -> str | Cell:
    if isinstance(cell, str):
        return cell if is_name else Cell(cell)
    return cell if isinstance(cell, Cell) else cell_of(cell)


def cell_of(item: Statistic) -> Cell:
    """Return the cell of a statistic.  O(1).

    >>> from evalcore.inference import Interval
    >>> cell_of(Statistic("recall", "recall", 0.25, Interval(0.25, 0.2126, 0.3125, 0.95, "Wilson")))
    Cell(text='0.250', full='0.25, 0.2126 to 0.3125', below='0.213 to 0.312', line='')
    >>> cell_of(Statistic("p_value", "p", 5.3e-201)), cell_of(Statistic("tp", "true positives", 1234))
    (Cell(text='< 0.001', full='5.3e-201', below='', line=''), Cell(text='1,234', full='1234', below='', line=''))
    >>> [cell_of(Statistic("chi_squared", "chi squared", value)).text for value in (4076.25, 6.611, 0.0123)]
    ['4,076.2', '6.6', '0.012']
    """
    value, interval = item.value, item.interval
    tested = item.name in _P_VALUES and isinstance(value, float) and not math.isnan(value)  # a class may be called so
    if item.name in THRESHOLDS and isinstance(value, float):
        text = given_number(value) if item.name == STATISTIC_OF[GIVEN] else plain_number(rounded_down(value))
        return threshold_cell(value, text)
    if is_weight(item):
        return amount_cell(value)
    text = p_value(value).removeprefix("p ").removeprefix("= ") if tested else number(value)
    if item.name in _ONE_DECIMAL and isinstance(value, float) and value >= _LEAST_OF_ONE_DECIMAL:
        text = f"{value:,.1f}"
    if interval is None or not (bounds := bound_texts(interval, write=number)):
        full = repr(value)
        return Cell(text, "" if full in (text, "nan") else full)
    return Cell(text, f"{value!r}, {interval.low!r} to {interval.high!r}", " to ".join(bounds))


def threshold_cell(value: float, text: str) -> Cell:
    """Return the cell of a threshold that is written as a text.  O(1)."""
    full = plain_number(value)
    return Cell(number(value)) if math.isnan(value) else Cell(text, "" if full == text else full)


def amount_cell(cases: Amount) -> Cell:
    """Return the cell of a number of cases, or of the sum of their weights.  O(1).

    >>> amount_cell(1234), amount_cell(35.25)
    (Cell(text='1,234', full='1234', below='', line=''), Cell(text='35.25', full='', below='', line=''))
    """
    of_sum = isinstance(cases, float)
    text, full = (weight(cases, _DIGITS_OF_WEIGHTS), plain_number(cases)) if of_sum else (count(cases), str(cases))
    return Cell(text, "" if full == text else full)
