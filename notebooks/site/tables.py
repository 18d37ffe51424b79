"""Names in tables and headings that break where a reader would break them."""

import re

CODE = re.compile(r"(?<=<code>)[^<]+(?=</code>)")
HEADING = re.compile(r'(?<=<span class="doc doc-object-name doc-)(\w+-name">)([\w.]+)')
CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)


def breakable(html):
    """Let names break behind dots and underscores, and options not behind their hyphens.

    >>> breakable("<td><code>roc_auc</code> <code>report --ci-method M</code></td>")
    '<td><code>roc_<wbr>auc</code> <code>report <span class="option">--ci-method</span> M</code></td>'
    """
    html = HEADING.sub(lambda name: name[1] + re.sub(r"[._]", r"\g<0><wbr>", name[2]), html)
    return CELL.sub(lambda cell: CODE.sub(_broken, cell[0]), html)


def _broken(code):
    return re.sub(r"(?<!\S)--?[\w-]+", r'<span class="option">\g<0></span>', code[0].replace("_", "_<wbr>"))
