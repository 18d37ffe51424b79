"""What a release says of itself is what the package needs and promises."""

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
    assert README.count("**The `evalcore` on PyPI is an unrelated\npackage;") == 1
    assert f"`{DISTRIBUTION}`" in README
    assert PROJECT["scripts"] == {"evalcore": "evalcore_metrics:main"}
    forced = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert forced == {"evalcore/_command.py": "evalcore_metrics.py"}
    listed = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert f"Python {listed[0]} to {listed[-1]} and NumPy from {PROJECT['dependencies'][0][7:]} on" in README
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
def test_actions_are_pinned_by_hash_and_release_tools_by_version():
    for path in sorted((ROOT / ".github/workflows").iterdir()):
        uses = re.findall(r"uses: (.*)", path.read_text("utf-8"))
        assert uses
        for action in uses:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action
    script = (ROOT / ".ci/run").read_text("utf-8")
    (tools,) = re.findall(r'environment build "\$PYTHON" (build.*)', script)
    (uv,) = re.findall(r"pip install --quiet (uv\S*)\)", script)
    for tool in (*tools.split(), uv):
        assert re.fullmatch(r"[\w-]+==[\d.]+", tool), tool


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
