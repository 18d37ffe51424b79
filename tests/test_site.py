"""The documentation site: notebooks as pages, links between files, and what its own checks find."""

import base64
import json
import sys
from pathlib import Path

import pytest

import evalcore
from tests.differences import every

SITE = Path(__file__).parents[1] / "notebooks/site"


@pytest.fixture(autouse=True)
def modules(monkeypatch):
    """Import as mkdocs does: from the folder of its settings."""
    known = set(sys.modules)
    monkeypatch.syspath_prepend(str(SITE))
    yield
    for path in SITE.glob("*.py"):
        if path.stem not in known:
            sys.modules.pop(path.stem, None)


def complaints(folder, files):
    import checks

    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return checks.complaints(folder)


GOOD = {
    "index.html": '<h1 id="b">A</h1> <a href="a/#part">a</a> <a href="#b">up</a> <a href="https://b.c">b</a>',
    "a/index.html": '<p id="part"><a href="..">A</a> <a href="mailto:a@b.c">mail</a> <img src="../images/b%20c.png">',
    "images/b c.png": "",
    "main.css": "a { background: url(images/c.png) }",
    "main.js": "/* https://a.b/c.js */\n// https://a.b/d.js\nfetch('search.json')",
}


def test_checks_find_nothing_wrong_with_a_site_whose_links_lead_somewhere(tmp_path):
    assert complaints(tmp_path, GOOD) == []


@every(
    ("name", "text", "complaint"),
    [
        ("a.html", '<a href="b/">', "a.html: b/ leads nowhere"),
        ("a.html", '<a href="a/#other">', "a.html: a/#other leads nowhere"),
        ("a.html", '<img src="images/d.png">', "a.html: images/d.png leads nowhere"),
        ("a.html", '<img src="https://a.b/c.png">', "a.html loads https://a.b/c.png"),
        ("a.html", '<link rel="stylesheet" href="//a.b/c.css">', "a.html loads //a.b/c.css"),
        ("a.html", '<script src="https://a.b/c">', "a.html loads https://a.b/c"),
        ("a.html", '<style>@import "https://a.b/c"</style>', "a.html loads https://a.b/c"),
        ("a.html", '<script>import("https://a.b/c.mjs")</script>', "a.html loads https://a.b/c.mjs"),
        ("a.html", '<pre class="mermaid">', "a.html has a diagram, for which the theme loads a script"),
        ("a.css", "a { src: url('https://a.b/c.woff2') }", "a.css loads https://a.b/c.woff2"),
        ("a.js", 'x="https://a.b/c.js"', "a.js loads https://a.b/c.js"),
        ("a.js", 'fetch("https://a.b/c")', "a.js loads https://a.b/c"),
    ],
)
def test_checks_name_what_leads_nowhere_or_is_loaded_from_elsewhere(name, text, complaint, tmp_path_factory):
    assert complaints(tmp_path_factory.mktemp("site"), {**GOOD, name: text}) == [complaint]


def test_a_notebook_becomes_a_page_with_its_outputs():
    import notebook_pages

    frame = '<table border="1" class="dataframe"><tr>\n\n  <td>1</td></tr></table>'
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n", "See [b](b.md)."]},
        {
            "cell_type": "code",
            "source": ["print(1)"],
            "outputs": [
                {"output_type": "stream", "text": ["1\n"]},
                {"data": {"image/png": base64.b64encode(b"drawn").decode(), "text/plain": ["<Figure>"]}},
                {"data": {"text/html": [f"<style scoped>td {{}}</style>\n{frame}"], "text/plain": ["1"]}},
                {"data": {"text/plain": ["```"]}},
            ],
        },
        {"cell_type": "code", "source": [], "outputs": []},
    ]
    text, images = notebook_pages.page(json.dumps({"cells": cells}), "1-a.md")
    assert images == {"images/1-a-1.png": b"drawn"}
    assert text.split("\n\n") == [
        "# Title\nSee [b](b.md).",
        "```python\nprint(1)\n```",
        "```text\n1\n```",
        "![](images/1-a-1.png)",
        '<div class="output">\n<table><tr>\n<td>1</td></tr></table>\n</div>',
        "````text\n```\n````",
        '<a href="../1-a.ipynb" download>Download this notebook</a>\n',
    ]


@every(
    ("uri", "link", "moved"),
    [
        ("on-a-cluster.md", "../benchmarks/README.md#spark", "benchmarks.md#spark"),
        ("benchmarks.md", "summary.png", "benchmarks/summary.png"),
        ("benchmarks.md", "../notebooks/command.md", "command.md"),
        ("index.md", "notebooks/images/roc.png", "images/roc.png"),
        ("index.md", "notebooks/README.md", "guide.md"),
        ("guide.md", "1-first-evaluation.ipynb", "1-first-evaluation.md"),
        ("guide.md", "data/README.md", "flights.md"),
        ("changelog.md", "LICENSE", "license.md"),
        ("contribute.md", "../evalcore/metrics/areas.py", "reference/metrics/index.md"),
        ("contribute.md", "../evalcore", "reference/evalcore/index.md"),
        ("contribute.md", "#layers", "#layers"),
        ("contribute.md", "https://numpy.org/a.md", "https://numpy.org/a.md"),
    ],
)
def test_links_between_files_lead_to_their_pages(uri, link, moved):
    import repository

    assert repository.relinked(f"[a]({link})", uri) == f"[a]({moved})"


def test_the_order_of_the_pages_is_that_of_the_guide():
    import navigation
    import repository

    home, guide, reference = navigation.nav(repository.GUIDE.read_text("utf-8"), ["reference"])
    first, *sections = guide["Guide"]
    listed = [
        uri for section in sections for entries in section.values() for entry in entries for uri in entry.values()
    ]
    stems = {path.stem for kind in ("*.md", "*.ipynb") for path in SITE.parent.glob(kind)} - {"README"}
    assert (home, first, reference) == ({"Home": "index.md"}, "guide.md", {"Reference": ["reference"]})
    assert sorted(listed) == sorted(
        [*(f"{stem}.md" for stem in stems), *set(repository.URIS.values()) - {"index.md", first}]
    )


def test_the_reference_has_a_page_for_each_public_name():
    import reference

    pages, known = reference.pages(), reference.links()
    for package in reference.PACKAGES:
        assert f"reference/{package}/index.md" in pages
    front = [name for name in evalcore.__all__ if name[0].isupper()]
    assert {f"reference/lingpipe/{name}.md" for name in front if "Matrix" in name} <= pages.keys()
    assert "\n::: evalcore.ConfusionMatrix\n" in pages["reference/lingpipe/ConfusionMatrix.md"]
    assert [name for name in front if name not in known] == []
    assert known["roc_auc_score"] == "reference/metrics/roc_auc_score/"
    assert known["distributed.roc_auc_score"] == "reference/distributed/roc_auc_score/"
    inside = "<code>roc_auc_score</code> <pre><code>roc_auc_score</code></pre> <code>evalcore.metrics</code>"
    assert reference.linked(inside, "reference/distributed/roc_curve.md", known) == (
        '<a href="../roc_auc_score/"><code>roc_auc_score</code></a> <pre><code>roc_auc_score</code></pre> '
        '<a href="../../metrics/"><code>evalcore.metrics</code></a>'
    )


def test_names_break_behind_dots_and_underscores_and_options_do_not():
    import tables

    text = "<code>a_b</code><td><code>a_b --c-d</code></td>"
    assert tables.breakable(text) == (
        '<code>a_b</code><td><code>a_<wbr>b <span class="option">--c-d</span></code></td>'
    )
    heading = '<h1><span class="doc doc-object-name doc-function-name">{}</span></h1>'
    assert tables.breakable(heading.format("e.m.f_1")) == heading.format("e.<wbr>m.<wbr>f_<wbr>1")
