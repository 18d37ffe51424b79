"""The recipes beside other libraries print what the page says."""

import doctest
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "notebooks/recipes.md").read_text("utf-8")
LIBRARIES = {
    "joblib": "joblib",
    "Ray": "ray",
    "polars": "polars",
    "DuckDB": "duckdb",
    "MLflow": "mlflow",
    "Weights & Biases, and other loggers": None,
    "LightGBM": "lightgbm",
    "XGBoost": "xgboost",
    "CatBoost": "catboost",
    "PyTorch": "torch",
    "fairlearn": "fairlearn",
    "scikit-learn": "sklearn",
    "ranx": "ranx",
    "ir_measures": "ir_measures",
}
"""What each section imports."""
QUICK = {"polars", "DuckDB", "Weights & Biases, and other loggers", "scikit-learn", "ir_measures"}
OF_OTHERS = pytest.mark.filterwarnings("default")  # what libraries warn of among themselves


def sections():
    first, *others = re.split(r"^## (.*)$", PAGE, flags=re.MULTILINE)
    return first, dict(zip(others[::2], others[1::2], strict=True))


def blocks(markdown):
    return re.findall(r"```python\n(.*?)```", markdown, re.DOTALL)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Keep what libraries write out of the checkout, and of each other's records."""
    monkeypatch.chdir(tmp_path)


@OF_OTHERS
@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    "title", [each if each in QUICK else pytest.param(each, marks=pytest.mark.process) for each in LIBRARIES]
)
def test_a_recipe_prints_what_it_says(title, tmp_path, monkeypatch):
    if LIBRARIES[title]:
        pytest.importorskip(LIBRARIES[title], reason=f"{LIBRARIES[title]} is not installed")
    (tmp_path / "notebooks").symlink_to(Path(__file__).parents[2] / "notebooks")
    monkeypatch.chdir(tmp_path)  # recipes write files
    first, recipes = sections()
    examples = "\n".join(blocks(first) + blocks(recipes[title]))
    test = doctest.DocTestParser().get_doctest(examples, {"__name__": "recipes"}, "recipes", None, 0)
    printed = []
    failed, tried = doctest.DocTestRunner().run(test, out=printed.append)
    assert (failed, tried > 9) == (0, True), "".join(printed)


def test_every_recipe_is_run():
    first, recipes = sections()
    assert list(recipes) == list(LIBRARIES)
    assert len(blocks(first)) == 1
    assert all(blocks(recipe) for recipe in recipes.values())
