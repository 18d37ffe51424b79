"""Formulas between dollars as drawings, which need neither a script nor a font of mathematics when they are read."""

import html
import re

import ziamath

FORMULA = re.compile(r'<(span|div) class="arithmatex">(.*?)</\1>', re.DOTALL)
FONT_SIZE = 20  # of the drawing, in its own units
ziamath.config.svg2 = False  # whose symbols of equal names would differ between the formulas of a page


def drawn(page):
    r"""Replace what arithmatex marked by drawings that are as large as the text and have its colour.

    >>> text = drawn(r'<span class="arithmatex">\(\frac{1}{n}\)</span>')
    >>> text.startswith('<svg role="img" aria-label="\\frac{1}{n}"'), 'fill="currentColor"' in text
    (True, True)
    """
    return FORMULA.sub(_drawn, page)


def _drawn(match):
    is_block = match[1] == "div"
    formula = " ".join(html.unescape(match[2]).strip()[2:-2].split())
    drawing = ziamath.Latex(formula, size=FONT_SIZE, inline=not is_block, color="currentColor")
    width, height = (side / FONT_SIZE for side in drawing.getsize())
    size = f"width: {width:.3f}em; height: {height:.3f}em; vertical-align: {drawing.getyofst() / FONT_SIZE:.3f}em"
    label = f'role="img" aria-label="{html.escape(formula)}" style="{size}"'
    svg = re.sub(r'(?<=<svg) (.*?) width="[^"]*" height="[^"]*"', rf" {_escaped(label)} \1", drawing.svg(), count=1)
    return f'<div class="formula">{svg}</div>' if is_block else svg


def _escaped(replacement):
    return replacement.replace("\\", r"\\")
