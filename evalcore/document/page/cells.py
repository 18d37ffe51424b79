"""What pages are made of: elements, the drawing of a change, and the cells of tables.

Cells have short numbers with their intervals beside them, and full values as titles.
"""

import math
from html import escape
from typing import Any

from evalcore.document.tables import THRESHOLDS, AnyCell, Cell, Table, amount_cell, bound_texts, is_p_value, is_weight
from evalcore.document.thresholds import GIVEN, STATISTIC_OF
from evalcore.document.words.comparison import DECIMALS, decimals_of
from evalcore.evaluation.differences import MeasureDifference
from evalcore.evaluation.model import Statistic
from evalcore.evaluation.wording import number, p_text
from evalcore.kernels.thresholds import given_number, plain_number, rounded_down

_EMPTY = "meta", "input"
"""Elements without content."""


class Html(str):
    """Markup: a text that is written as it is."""

    __slots__ = ()


def tag(name: str, /, *content: str, **attributes: Any) -> Html:
    """Return an element; attributes that are None are left out, True has no value, `class_` is its class.  O(size).

    >>> tag("p", "a < b ", tag("strong", "c"), class_="answer", aria_label="d", hidden=True, id=None)
    '<p class="answer" aria-label="d" hidden>a &lt; b <strong>c</strong></p>'
    """
    named = {key.rstrip("_").replace("_", "-"): each for key, each in attributes.items() if each is not None}
    begin = "".join(f" {key}" if each is True else f' {key}="{escape(str(each))}"' for key, each in named.items())
    inner = "".join(each if isinstance(each, Html) else escape(each, quote=False) for each in content)
    return Html(f"<{name}{begin}>{inner}{'' if name in _EMPTY else f'</{name}>'}")


_LEFT, _WIDTH = 14.0, 72.0
"""Where a line begins, and how wide it is."""
_ABOVE, _BELOW, _LOWEST = 14, 50, 74
"""Pixels from the top, of labels."""


def line_of(change: MeasureDifference, digits: int = DECIMALS) -> Html | None:
    """Draw a difference, its interval and the band of its margin as one line; None where it is not defined.  O(1).

    Places are in percent from the left.

    >>> from evalcore.inference.intervals import Comparison
    >>> found = Comparison((0.73, 0.71), 0.02, 0.01, 0.03, 0.95, 4.0, 0.0, "delong")
    >>> print(line_of(MeasureDifference("roc_auc", "ROC AUC", found, margin=0.01)).partition("</title>")[0][-107:])
    Difference in ROC AUC, new minus old: +0.0200, interval +0.0100 to +0.0300, margin 0.01 (higher is better).
    """
    difference, decimals = change.found.difference, decimals_of(change, digits)
    if math.isnan(difference):
        return None
    ends = [each for each in change.decisive if not math.isnan(each)]
    margins = [-change.margin, change.margin] if change.margin > 0 else []
    known = [0.0, difference, *ends, *margins]
    low, width = min(known), (max(known) - min(known)) or 1.0
    places = {value: round(_LEFT + _WIDTH * (value - low) / width, 2) for value in known}
    texts = {value: f"{value + 0.0:+.{decimals}f}" for value in known}
    dot, text = places[difference], texts[difference]
    labels = [(dot, _ABOVE, "middle", text), (places[0.0], _LOWEST, "middle", "0")]
    labels += [(places[end], _BELOW, how, texts[end]) for end, how in zip(ends, ("end", "start"), strict=False)]
    said = f"Difference in {change.title}, new minus old: {text}"
    said += f", interval {' to '.join(texts[end] for end in ends)}" if ends else ""
    if margins:
        margin, outer = plain_number(change.margin), zip(margins, "-+", ("end", "start"), strict=True)
        said += f", margin {margin}"
        labels += [(places[end], _LOWEST, how, f"{sign}{margin}") for end, sign, how in outer]
    said += f" ({'lower' if change.lower_is_better else 'higher'} is better)."
    shapes, strokes = [tag("title", said, id="change-title")], [("zero", places[0.0], places[0.0], 16, 60)]
    if margins:
        begin, end = (places[each] for each in margins)
        shapes.append(tag("rect", class_="band", x=f"{begin}%", width=f"{round(end - begin, 2)}%", y=20, height=36))
    strokes += [("whisker", places[ends[0]], places[ends[-1]], 33, 33)] if ends else []
    strokes += [("whisker", places[end], places[end], 28, 38) for end in ends]
    shapes += [tag("line", class_=kind, x1=f"{x1}%", x2=f"{x2}%", y1=y1, y2=y2) for kind, x1, x2, y1, y2 in strokes]
    shapes.append(tag("circle", class_="dot", cx=f"{dot}%", cy=33, r=5.5))
    shapes += [tag("text", label, x=f"{x}%", y=y, text_anchor=anchor) for x, y, anchor, label in labels]
    drawing = tag("svg", *shapes, role="img", aria_labelledby="change-title")
    return tag("figure", drawing, tag("figcaption", said, aria_hidden="true"), class_="change")


def rows_of(table: Table) -> str:
    """Write the rows of a table, whose full values are titles.  O(cells).

    Without `tag`, as a page may have a hundred thousand cells.
    """
    lines, first_shown = list[str](), len(table.head) - table.shown
    for index, row in enumerate(table.rows):
        own = f' id="{table.anchor}-{index}"' if table.anchor else ""
        own += ' class="marked"' if index == table.marked else ' class="apart"' if row[0] in table.apart else ""
        lines.append(f"\n<tr{own}>")
        for at, cell in enumerate(row):
            if isinstance(cell, str) and at < table.names:
                begin, end = (f'<a href="#{table.links[cell]}">', "</a>") if cell in table.links else ("", "")
                lines.append(f'<th scope="row">{begin}{escape(cell)}{end}</th>')
                continue
            text, full, below, _ = cell_of(cell)
            if at >= first_shown:
                lines.append(f'<td class="text{" prose" * (len(text) > _PROSE)}">{_folded(text)}</td>')
                continue
            title = f' title="{escape(full)}"' if full else ""
            lines.append(f"<td{title}>{escape(text)}{f' <small>{escape(below)}</small>' if below else ''}</td>")
        lines.append("</tr>")
    return "".join(lines)


_PROSE = 40
"""Letters of a longer text, which is broken into lines."""
_LINES, _LETTERS = 6, 160
"""Of a text that are shown before a reader opens it."""


def _folded(text: str) -> str:
    begin = "\n".join(text.split("\n")[:_LINES])[:_LETTERS]
    rest = escape(text[len(begin) :])
    return f"<details><summary>{escape(begin)}</summary>{rest}</details>" if rest else escape(text)


def cell_of(item: AnyCell) -> Cell:
    """Return the cell of a statistic, or of a text.  O(1).

    >>> from evalcore.inference import Interval
    >>> cell_of(Statistic("recall", "recall", 0.25, Interval(0.25, 0.2126, 0.3125, 0.95, "Wilson")))
    Cell(text='0.250', full='0.25, 0.2126 to 0.3125', below='[0.213, 0.312]', line='')
    >>> cell_of(Statistic("p_value", "p", 5.3e-201)), cell_of(Statistic("tp", "true positives", 1234))
    (Cell(text='< 0.001', full='5.3e-201', below='', line=''), Cell(text='1,234', full='1234', below='', line=''))
    """
    if not isinstance(item, Statistic):
        return Cell(item) if isinstance(item, str) else item
    value, interval = item.value, item.interval
    if isinstance(value, float):
        if item.name in THRESHOLDS:
            text = given_number(value) if item.name == STATISTIC_OF[GIVEN] else plain_number(rounded_down(value))
            return threshold_cell(value, text)
        if is_weight(item):
            return amount_cell(value)
        if is_p_value(item) and not math.isnan(value):
            return Cell(p_text(value), repr(value))
    text = number(value)
    if interval is None or not (bounds := bound_texts(interval, write=number)):
        full = repr(value)
        return Cell(text, "" if full in (text, "nan") else full)
    return Cell(text, f"{value!r}, {interval.low!r} to {interval.high!r}", f"[{', '.join(bounds)}]")


def threshold_cell(value: float, text: str) -> Cell:
    """Return the cell of a threshold that is written as a text.  O(1)."""
    full = plain_number(value)
    return Cell(number(value)) if math.isnan(value) else Cell(text, "" if full == text else full)
