"""Releases and the site: versions, names and links lead where they should."""

import base64
import json
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

import pytest
import yaml

import evalcore
from evalcore.optional import DISTRIBUTION
from tests.differences import every

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
README = (ROOT / "README.md").read_text("utf-8")
FOR_DEVELOPERS = {"bench", "dev", "docs", "recipes", "test"}
EXTRAS = {name: needs for name, needs in PROJECT["optional-dependencies"].items() if name not in FOR_DEVELOPERS}
IN_A_CHECKOUT = pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="the archive of sources has no .ci and .github")
NAMES_IN_CONDA = {"dask": "dask-core", "duckdb": "python-duckdb", "matplotlib": "matplotlib-base"}


def test_names_versions_and_pythons_are_the_same_everywhere():
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[1]
    assert newest == evalcore.__version__
    assert PROJECT["name"] == DISTRIBUTION
    own = [need for needs in PROJECT["optional-dependencies"].values() for need in needs if need.startswith("evalcore")]
    assert {need.partition("[")[0] for need in own} == {DISTRIBUTION}
    warning = "**The `evalcore` on PyPI is an unrelated package, so do not `pip install evalcore`**"
    assert " ".join(README.split()).count(warning) == 1
    assert f"`{DISTRIBUTION}`" in README
    assert PROJECT["scripts"] == {"evalcore": "evalcore_metrics:main"}
    forced = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert forced == {"evalcore/_command.py": "evalcore_metrics.py"}
    listed = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert f"Python {listed[0]} to {listed[-1]}, and NumPy {PROJECT['dependencies'][0][7:]} or later" in README
    assert PROJECT["requires-python"] == f">={listed[0]}"


@pytest.mark.process
@pytest.mark.parametrize(
    ("found", "module"),
    [
        ("the other's folder", "evalcore_metrics"),
        ("the other's files over ours", "evalcore_metrics"),
        ("the other's files over ours", "evalcore.__main__"),
        ("the other's files over ours", "evalcore.cli"),
        ("what is left when the other is gone", "evalcore_metrics"),
    ],
)
def test_the_command_says_that_the_other_evalcore_is_found(tmp_path, found, module):
    folder, ours = tmp_path / "evalcore", Path(evalcore.__file__).parent
    shutil.copy(find_spec("evalcore_metrics").origin, tmp_path)
    if found == "the other's folder":
        folder.mkdir()
    else:
        shutil.copytree(ours, folder, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("__init__.py", "errors.py"):
            (folder / name).unlink()
    if "the other's f" in found:
        (folder / "__init__.py").write_text("from evalcore.errors import ConfigError")
        (folder / "errors.py").write_text("class ConfigError(Exception): ...")
    alone = ["-S"] if module == "evalcore_metrics" else []  # a folder without __init__.py is found last
    ran = subprocess.run(
        [sys.executable, *alone, "-c", f"from {module} import main; main()"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        "evalcore: files of another package are in place of those of evalcore-metrics (the evalcore on PyPI, which is"
        " unrelated, installs the same folder): pip uninstall evalcore, then pip install --force-reinstall"
        " evalcore-metrics\n"
    )


@IN_A_CHECKOUT
def test_actions_and_what_makes_a_release_are_pinned_by_hash():
    for path in [*sorted((ROOT / ".github/workflows").iterdir()), ROOT / ".github/actions/compare/action.yml"]:
        uses = re.findall(r"uses: (.*)", path.read_text("utf-8"))
        assert uses
        for action in uses:
            of_this = action == "./.github/actions/compare"
            assert of_this or re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action
    for path in (ROOT / ".ci").glob("*.txt"):
        for tool in re.split(r"\n(?=[\w#])", path.read_text("utf-8").strip()):
            assert re.fullmatch(r"# .*|[\w-]+==[\w.]+( \\\n    --hash=sha256:[0-9a-f]{64})+", tool), tool
    script = (ROOT / ".ci/run").read_text("utf-8")
    assert re.findall(r"python -m pip install --quiet (-\S+)", script) == ["--require-hashes"]


@IN_A_CHECKOUT
def test_every_extra_is_tried_alone_before_a_release():
    script = (ROOT / ".ci/run").read_text("utf-8")
    tried = re.search(r'for extra in "" (.*); do one_extra', script)[1].split()
    works = re.findall(r'^    "(\w+)": \w+,$', (ROOT / ".ci/extra_works.py").read_text("utf-8"), re.MULTILINE)
    assert tried == works == sorted(EXTRAS)
    assert f"$wheel[{','.join(tried)}]" in script  # whose bill of materials is made


@IN_A_CHECKOUT
def test_the_conda_recipe_needs_what_the_package_needs():
    recipe = yaml.safe_load((ROOT / ".github/conda/recipe.yaml").read_text("utf-8"))
    wanted = {
        NAMES_IN_CONDA.get(name, name): f">={version}"
        for need in chain(*EXTRAS.values())
        for name, version in re.findall(r"^(?!evalcore)([\w-]+)(?:\[\w+\])?>=([\w.]+)", need)
    }
    wanted["distributed"] = wanted["dask-core"]
    requirements = recipe["requirements"]
    assert dict(each.split() for each in requirements["run_constraints"]) == wanted
    assert requirements["run"][1].replace(" ", "") == PROJECT["dependencies"][0]
    assert f">={recipe['context']['python_min']}" == PROJECT["requires-python"]
    assert recipe["about"]["summary"] == PROJECT["description"]
    assert recipe["about"]["license"] == PROJECT["license"]
    scripts = [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts


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
                {"data": {"image/svg+xml": ["<svg>", "</svg>"], "text/plain": ["<Figure>"]}},
                {"data": {"text/html": [f"<style scoped>td {{}}</style>\n{frame}"], "text/plain": ["1"]}},
                {"data": {"text/plain": ["```"]}},
            ],
        },
        {"cell_type": "code", "source": [], "outputs": []},
    ]
    text, images = notebook_pages.page(json.dumps({"cells": cells}), "1-a.md")
    assert images == {"images/1-a-1.png": b"drawn", "images/1-a-2.svg": b"<svg></svg>"}
    assert text.split("\n\n") == [
        "# Title\nSee [b](b.md).",
        "```python\nprint(1)\n```",
        "```text\n1\n```",
        "![](images/1-a-1.png)",
        "![](images/1-a-2.svg)",
        '<div class="output">\n<table><tr>\n<td>1</td></tr></table>\n</div>',
        "````text\n```\n````",
        '<a href="../1-a.ipynb" download>Download this notebook</a>\n',
    ]


@every(
    ("uri", "link", "moved"),
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
    words = navigation.keywords(repository.GUIDE.read_text("utf-8"))
    assert set(words) == set(listed) - {"license.md"}
    assert {"LLM", "judge", "AUC", "fairness"} <= set().union(*words.values())
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
