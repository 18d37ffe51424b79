"""Code in the cells of tables that breaks where a reader would break it."""

import re

CODE = re.compile(r"(?<=<code>)[^<]+(?=</code>)")
CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)


def breakable(html):
    """Let names break behind underscores, and options not behind their hyphens.

    >>> breakable("<td><code>roc_auc</code> <code>report --ci-method M</code></td>")
    '<td><code>roc_<wbr>auc</code> <code>report <span class="option">--ci-method</span> M</code></td>'
    """
    return CELL.sub(lambda cell: CODE.sub(_broken, cell[0]), html)


def _broken(code):
    return re.sub(r"(?<!\S)--?[\w-]+", r'<span class="option">\g<0></span>', code[0].replace("_", "_<wbr>"))
