"""What a release says of itself is what the package needs and promises."""

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
import yaml

import evalcore

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
README = (ROOT / "README.md").read_text("utf-8")
FOR_DEVELOPERS = {"bench", "dev", "docs", "recipes", "test"}
EXTRAS = {name: needs for name, needs in PROJECT["optional-dependencies"].items() if name not in FOR_DEVELOPERS}
IN_A_CHECKOUT = pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="the archive of sources has no .ci and .github")
NAMES_IN_CONDA = {"dask": "dask-core", "duckdb": "python-duckdb", "matplotlib": "matplotlib-base"}


def test_the_newest_entry_of_the_changelog_is_of_this_version():
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[1]
    assert newest == evalcore.__version__


def test_the_readme_promises_the_pythons_of_the_classifiers():
    listed = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert f"Python {listed[0]} to {listed[-1]} and NumPy from {PROJECT['dependencies'][0][7:]} on" in README
    assert PROJECT["requires-python"] == f">={listed[0]}"


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
