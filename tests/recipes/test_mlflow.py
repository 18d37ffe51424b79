"""The evaluator "evalcore" of MLflow logs what `evaluate` finds, for data and for models of every kind."""

import doctest
import inspect
import json
import warnings

import numpy as np
import pandas as pd
import pytest

from evalcore import EvaluationError, evaluate
from evalcore.mlflow_evaluator import MlflowEvaluator
from tests.differences import every

mlflow = pytest.importorskip("mlflow")
pytestmark = [pytest.mark.process, pytest.mark.usefixtures("undrawn"), pytest.mark.filterwarnings("default")]

RNG = np.random.default_rng(0)
LATE = RNG.integers(0, 2, 400)
FRAME = pd.DataFrame({
    "late": LATE, "distance": LATE + RNG.random(400) * 2, "hour": RNG.random(400), "score": LATE + RNG.random(400) * 3,
    "carrier": np.array(["AA", "UA"])[RNG.integers(0, 2, 400)],
})  # fmt: skip
FRAME["word"] = np.where(FRAME.late, "yes", "no")
FRAME["tree"] = np.array(["ash", "elm", "oak"])[np.clip(FRAME.distance.astype(int), 0, 2)]
FRAME["guess"] = np.roll(FRAME.tree, 1)
FRAME["day"] = np.arange(400) // 20
FEATURES = FRAME[["distance", "hour"]]


@pytest.fixture(scope="module", autouse=True)
def tracking(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("mlflow"))
        mlflow.set_tracking_uri("sqlite:///mlflow.db")
        mlflow.set_experiment("flights")
        yield


def evaluated(data, targets, *, config=None, **asked):
    with mlflow.start_run() as run:
        found = mlflow.models.evaluate(
            data=data, targets=targets, model_type="classifier", evaluators="evalcore", evaluator_config=config, **asked
        )
    logged = mlflow.get_run(run.info.run_id).data.metrics
    assert found.metrics.items() <= logged.items()
    assert [each.path for each in mlflow.MlflowClient().list_artifacts(run.info.run_id)][:2] == [
        "evalcore.html", "evalcore.json"
    ]  # fmt: skip
    numbers = json.loads(mlflow.artifacts.load_text(f"runs:/{run.info.run_id}/evalcore.json"))
    return found, numbers


def whole(report):
    """The finite numbers of the last record, which is of all cases, of the first section."""
    records = next(iter(report.to_dict().values()))
    while isinstance(next(iter(records.values())), dict):
        records = list(records.values())[-1]
    return {name: value for name, value in records.items() if np.isfinite(value)}


@every(
    ("targets", "predictions", "config", "expected"),
    ("late", "score", {}, {"score": "score"}),
    ("late", "score", {"by": "carrier", "threshold": 1.5}, {"score": "score"}),
    ("late", "score", {"ci": None, "weight": "hour"}, {"score": "score"}),
    ("word", "score", {"positive": "yes"}, {"score": "score"}),
    ("tree", "guess", {"cluster": "day"}, {"predicted": "guess"}),
)
def test_predictions_of_data_are_evaluated_as_by_evaluate(targets, predictions, config, expected):
    found, numbers = evaluated(FRAME, targets, predictions=predictions, config=config)
    report = evaluate(FRAME, label=targets, **{"ci": 0.95, **config, **expected})
    assert found.metrics == whole(report)
    assert numbers == json.loads(report.to_json())
    assert found.artifacts["evalcore.html"].content == report.to_html()
    assert ("accuracy_low" if "predicted" in expected else "roc_auc_low") in found.metrics or not config.get("ci", 1)


@every("labels", ["late", "word", "tree"])
def test_models_that_have_probabilities_are_evaluated_by_them(labels):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression().fit(FEATURES, FRAME[labels])
    mlflow.sklearn.save_model(model, labels, pip_requirements=[])  # to find what it requires takes a minute
    found, _ = evaluated(FEATURES.assign(**{labels: FRAME[labels]}), labels, model=mlflow.pyfunc.load_model(labels))
    shown = dict(zip(map(str, model.classes_), model.predict_proba(FEATURES).T, strict=True))
    frame = pd.DataFrame({**shown, labels: FRAME[labels]})
    two = {"score": "yes" if labels == "word" else "1", "positive": model.classes_.tolist()[-1]}
    asked = {"score": {each: each for each in shown}} if labels == "tree" else two
    assert found.metrics == whole(evaluate(frame, label=labels, ci=0.95, **asked))


@every("returns", ["array", "frame"])
def test_functions_and_arrays_are_evaluated(returns):
    def model(inputs):
        values = np.asarray(inputs)[:, 0]
        return values if returns == "array" else pd.DataFrame({"other": -values, "own": values})

    asked = {} if returns == "array" else {"predictions": "own"}
    found, _ = evaluated(FEATURES.to_numpy(), LATE, model=model, **asked)
    expected = evaluate({"late": LATE, "own": FRAME.distance}, label="late", score="own", ci=0.95)
    assert found.metrics == whole(expected)


def test_a_positive_class_that_is_none_is_refused():
    from sklearn.linear_model import LogisticRegression

    mlflow.sklearn.save_model(LogisticRegression().fit(FEATURES, LATE), "two", pip_requirements=[])
    with pytest.raises(EvaluationError, match=r"^no row of column 'late' equals '2'"):
        evaluated(FEATURES.assign(late=LATE), "late", model=mlflow.pyfunc.load_model("two"), config={"positive": 2})


def test_what_has_no_predictions_is_refused_and_what_is_no_classifier_is_left_to_others():
    with pytest.raises(EvaluationError, match=r"^mlflow.models.evaluate must have a model, or predictions=COLUMN, got"):
        evaluated(FEATURES.assign(late=LATE), "late")
    with mlflow.start_run(), pytest.raises(mlflow.MlflowException, match="could not be evaluated"):
        mlflow.models.evaluate(
            data=FRAME[["late", "score"]], targets="late", predictions="score", model_type="regressor",
            evaluators="evalcore",
        )  # fmt: skip


@every(("labels", "positive"), [(LATE.astype(float), 0), (LATE.astype(bool), 0), (LATE, "0.0")])
def test_the_positive_class_is_found_as_in_labels_and_has_its_own_probability(labels, positive):
    score = 1 / (1 + np.exp(1 - FRAME.score))

    def model(inputs):
        return np.stack([1 - score, score], axis=1)

    found, _ = evaluated(FEATURES.assign(late=labels), "late", model=model, config={"positive": positive})
    expected = evaluate({"late": LATE, "own": 1 - score}, label="late", score="own", positive=0, ci=0.95)
    assert found.metrics == whole(expected)


def test_the_example_of_the_evaluator_prints_what_it_says():
    examples = inspect.getdoc(MlflowEvaluator).replace("  # doctest: +SKIP", "")
    test = doctest.DocTestParser().get_doctest(examples, {}, "evaluator", None, 0)
    assert doctest.DocTestRunner().run(test) == (0, len(test.examples))


def test_a_class_that_is_no_label_may_be_predicted_and_each_class_has_a_column():
    guess = FRAME.guess.where(FRAME.hour < 0.9, "yew")
    found, _ = evaluated(FRAME.assign(guess=guess), "tree", predictions="guess")
    assert found.metrics["accuracy"] == (guess == FRAME.tree).mean()
    late = FRAME.assign(guess=np.where(FRAME.hour < 0.9, FRAME.late, 2))
    for labels in (late.late, late.late.astype(float)):
        found, _ = evaluated(late.assign(late=labels), "late", predictions="guess")
        assert found.metrics["accuracy"] == (late.guess == late.late).mean()
    found, _ = evaluated(late, "late", predictions="guess", config={"score": "guess"})
    assert found.metrics == whole(evaluate(late, label="late", score="guess", ci=0.95))
    beyond = FRAME.assign(score=FRAME.score.where(FRAME.hour < 0.9, np.inf))
    with warnings.catch_warnings(action="error", category=RuntimeWarning):
        found, _ = evaluated(beyond, "late", predictions="score")
    assert found.metrics == whole(evaluate(beyond, label="late", score="score", ci=0.95))
    with pytest.raises(EvaluationError, match=r"^predictions must have a column for each class \(2\), got 3"):
        evaluated(FEATURES.assign(late=LATE), "late", model=lambda inputs: np.ones((len(inputs), 3)))
