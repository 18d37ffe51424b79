"""Formulas between dollars as MathML, which browsers draw without a script."""

import html
import re

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">(.*?)</\1>', re.DOTALL)


def as_mathml(page):
    r"""Replace what arithmatex marked.

    >>> "<mfrac>" in as_mathml(r'<span class="arithmatex">\(\frac{1}{n}\)</span>')
    True
    """
    return FORMULA.sub(_converted, page)


def _converted(match):
    kind, formula = match[1], html.unescape(match[2]).strip()[2:-2]
    math = convert(formula, display="block" if kind == "div" else "inline")
    return f'<div class="formula">{math}</div>' if kind == "div" else math
