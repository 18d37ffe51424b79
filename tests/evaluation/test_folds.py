"""Folds of a cross-validation: means over folds, and the corrected resampled t-test, against counts written out."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

import evalcore
from evalcore import EvaluationError
from evalcore.evaluation.score_differences import differences_of_scores
from evalcore.inference import paired_t_test
from tests.cli.command import command, refused, reported
from tests.differences import check_refusals, every

CASES, FOLDS, REPEATS = 400, 5, 3
MEASURES = {"roc_auc": roc_auc_score, "average_precision": average_precision_score, "brier_score": brier_score_loss}
OLD = [0.803, 0.797, 0.813, 0.802, 0.789, 0.807, 0.826, 0.819, 0.786, 0.775]
NEW = [0.801, 0.808, 0.776, 0.808, 0.774, 0.802, 0.825, 0.823, 0.804, 0.806]
ASKED = {"label": "late", "score": "new", "old_score": "old"}


def crossed(repeats=1, seed=0):
    """Predictions of two models in each fold, of unequal sizes, of each repeat."""
    own = np.random.default_rng(seed)
    late = own.random(CASES) < 0.3
    parts = []
    for repeat in range(repeats):
        noise = own.normal(size=(2, CASES))
        old, new = 1 / (1 + np.exp(-(1.5 * late - 0.75 + noise * [[1.0], [0.8]])))
        fold = np.minimum(own.integers(0, FOLDS + 1, CASES), FOLDS - 1)
        columns = {"id": np.arange(CASES), "late": late, "old": old, "new": new, "repeat": repeat, "fold": fold}
        columns |= {"guess": np.where(new > 0.5, "late", "on time"), "was": np.where(old > 0.5, "late", "on time")}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def folds_of(table):
    """Each fold of each repeat."""
    return [own for _, own in table.groupby(["repeat", "fold"])]


def numbers(found):
    return [*found.estimates, found.difference, found.low, found.high, found.statistic, found.p_value]


@every("repeats", [1, REPEATS])
def test_models_are_compared_by_the_corrected_resampled_t_test(repeats):
    """Written out: the variance of J differences has the factor 1 / J + n_test / n_train, with J - 1 degrees."""
    table = crossed(repeats)
    report = evalcore.compare(table, **ASKED, fold=["repeat", "fold"] if repeats > 1 else "fold")
    number = FOLDS * repeats
    for name, measure in MEASURES.items():
        old, new = (np.array([measure(own["late"], own[side]) for own in folds_of(table)]) for side in ("old", "new"))
        tested_per_trained = (CASES / FOLDS) / (CASES - CASES / FOLDS)
        error = np.sqrt((1 / number + tested_per_trained) * np.var(new - old, ddof=1))
        reach, statistic = stats.t.isf(0.025, number - 1) * error, np.mean(new - old) / error
        expected = [new.mean(), old.mean(), np.mean(new - old), np.mean(new - old) - reach, np.mean(new - old) + reach]
        expected += [statistic, 2 * stats.t.sf(abs(statistic), number - 1)]
        item = report[name]
        assert numbers(item.found) == pytest.approx(expected, rel=1e-9)
        assert (item.error, item.freedom, item.found.method) == (pytest.approx(error), number - 1, "corrected-t")
        assert item.verdict == ("no difference shown" if expected[-1] > 0.05 else "better")
    with_values = (
        table.assign(loss=(table["new"] - table["late"]) ** 2),
        table.assign(loss=(table["old"] - table["late"]) ** 2),
    )
    asked = {"on": ["id", "repeat"], "value": "loss", "lower_is_better": "loss"}
    found = evalcore.compare(*with_values[::-1], **asked, fold=["repeat", "fold"] if repeats > 1 else "fold")["loss"]
    assert numbers(found.found) == pytest.approx(numbers(report["brier_score"].found), rel=1e-9)
    assert found.gain == -found.found.difference


@pytest.mark.usefixtures("undrawn")
def test_a_report_has_mean_and_deviation_over_folds_beside_the_pooled_value():
    table = crossed()
    report = evalcore.evaluate(table, label="late", score=["new", "old"], fold="fold", ci=0.95, threshold=[0.5, 0.7])
    plain = evalcore.evaluate(table, label="late", score=["new", "old"], by="fold", ci=0.95, compare="none")
    for name, measure in MEASURES.items():
        values = [measure(own["late"], own["new"]) for own in folds_of(table)]
        assert report["folds", "new", "mean"][name] == pytest.approx(np.mean(values))
        assert report["folds", "new", "standard deviation"][name] == pytest.approx(np.std(values, ddof=1))
        assert report["folds", "new", "pooled"][name] == plain["new"][name] == report["new"][name]
    assert "recall" in report["folds at threshold 0.7", "old", "mean"]
    assert any(note.startswith("folds share training data") for note in report.notes)
    tree = json.loads(report.to_json())
    assert tree["fold"] == ["fold"]
    assert list(tree["folds"]["new"]) == ["mean", "standard deviation", "pooled"]
    assert "roc_auc_low" in tree["folds"]["new"]["pooled"]
    assert "folds,new,mean,roc_auc," in report.to_csv()
    for text in (repr(report), report.to_markdown(), report.to_html()):
        assert "new over 5 folds" in text.replace("New over", "new over")
    assert list(
        evalcore.evaluate(table, label="late", score="new", fold="fold", measures="roc_auc")["folds", "mean"]
    ) == ["roc_auc"]


@every(
    ("asked", "name"),
    ({"predicted": "guess"}, "accuracy"),
    ({"value": "new"}, "mean"),
)
def test_classes_and_values_have_means_over_folds_too(asked, name):
    label = {} if "value" in asked else {"label": "word"}
    table = crossed().assign(word=lambda own: np.where(own["late"], "late", "on time"))
    report = evalcore.evaluate(table, **label, **asked, fold="fold")
    each = [own["new"].mean() if name == "mean" else (own["word"] == own["guess"]).mean() for own in folds_of(table)]
    found = report["folds", "mean"][name], report["folds", "standard deviation"][name]
    assert found == pytest.approx((np.mean(each), np.std(each, ddof=1)))
    looked = table.assign(human=table["late"].where(table["id"] % 3 > 0))
    judged = evalcore.evaluate(looked, value="human", judge="new", fold="fold")
    assert "judge_bias" in judged["folds", "mean"]
    assert "judge_worth" not in judged["folds", "mean"]  # a count
    compared = evalcore.compare(table, table.assign(new=1.0), value="new", on="id", fold="fold")
    assert "The new model has the better mean of new in 5 of 5 folds." in compared.summary


def test_neither_the_order_of_rows_nor_the_names_of_folds_matter():
    table, asked = crossed(), {**ASKED, "threshold": 0.5, "fold": "fold"}
    expected = evalcore.compare(table, **asked)
    letters = np.array(["e", "b", "total", "a, 1", "d"])
    others = table.sample(frac=1, random_state=1), table.assign(fold=letters[table["fold"]])
    for other in others:
        found = evalcore.compare(other, **asked)
        for model, measure in expected:
            assert numbers(found[model, measure].found) == pytest.approx(
                numbers(expected[model, measure].found), rel=1e-9
            )


def test_equal_models_differ_by_nothing_which_proves_nothing():
    same = crossed().assign(copy=lambda own: own["new"])
    found = evalcore.compare(same, label="late", score="copy", old_score="new", fold="fold")
    for item in found.models[0].differences:
        assert (item.found.difference, item.found.p_value, item.verdict) == (0.0, 1.0, "inconclusive")
        assert np.isnan([item.found.low, item.found.high]).all()


def test_folds_without_a_class_are_left_out_and_named():
    table = crossed()
    table.loc[table["fold"] == 0, "late"] = False
    report, comparison = (
        evalcore.evaluate(table, label="late", score="new", fold="fold"),
        evalcore.compare(table, **ASKED, fold="fold"),
    )
    values = [roc_auc_score(own["late"], own["new"]) for own in folds_of(table)[1:]]
    assert report["folds", "mean"]["roc_auc"] == comparison["roc_auc"].new == pytest.approx(np.mean(values))
    assert comparison["roc_auc"].freedom == 3
    assert np.isnan(report["folds", "mean", "precision_at_100"])  # which one fold is large enough for
    costly = evalcore.evaluate(table, label="late", score="new", fold="fold", costs=(100, 1))["folds", "mean"]
    assert costly["minimum_expected_cost_threshold"] == np.inf
    assert "ROC AUC is not defined in 1 of 5 folds, which is left out" in comparison.notes
    assert "has the better ROC AUC in " in comparison.summary
    table.loc[table["fold"] != 3, "late"] = False
    report, comparison = (
        evalcore.evaluate(table, label="late", score="new", fold="fold"),
        evalcore.compare(table, **ASKED, fold="fold"),
    )
    found = comparison["roc_auc"].found
    assert np.isnan([report["folds", "mean"]["roc_auc"], *found.estimates, found.difference]).all()
    assert "ROC AUC is not defined in 4 of 5 folds, so it has no mean" in comparison.notes
    assert "folds" not in comparison.summary


def test_labels_of_repeats_are_not_numbers():
    table, asked = crossed(2), {**ASKED, "fold": ["repeat", "fold"]}
    named = (table.assign(repeat=np.array(labels)[table["repeat"]]) for labels in (["a", "b"], ["1", "01"]))
    letters, digits = (numbers(evalcore.compare(own, **asked)["roc_auc"].found) for own in named)
    assert letters == pytest.approx(digits, rel=1e-12)


def test_a_gate_a_margin_and_the_answer_follow_from_the_means_over_folds(monkeypatch):
    asked = []

    def found_once(cases, question, groups):
        asked.append(question.level)
        return differences_of_scores(cases, question, groups)

    monkeypatch.setattr("evalcore.evaluation.comparing.differences_of_scores", found_once)
    comparison = evalcore.compare(crossed(), **ASKED, fold="fold", margin=0.5)
    assert asked == [0.95, 0.99]  # for means and folds, whose five verdicts hold together
    found = comparison["roc_auc"].found
    assert comparison["roc_auc"].verdict == "equivalent"
    assert comparison.check([f"roc_auc < {found.estimates[0] + 1e-6}"]).failures
    assert comparison.check([f"roc_auc < {found.estimates[0] - 1e-6}", "recall@0.5 < 0.01"]).passed
    assert comparison.check("roc_auc drops by 0.1", confident=True).passed
    with pytest.raises(EvaluationError, match="roc_auc of new has no interval"):
        comparison.check("roc_auc < 0.9999", confident=True)
    other = crossed().assign(new=lambda own: own["old"])
    values = evalcore.compare(crossed(), other, on="id", value="new", fold="fold")
    for own, name in (comparison, "roc_auc"), (values, "new"):
        assert own.check(f"any fold: {name} < 0.01", confident=True).passed
    with pytest.raises(EvaluationError, match="new has no interval"):
        values.check("new < 0.9999", confident=True)
    assert "has the better ROC AUC in" in comparison.summary
    assert comparison.to_dict()["fold"] == ["fold"]
    assert "corrected resampled t-test" in " ".join(comparison.notes)
    assert "the smallest true one that this many folds detect with 80% power" in comparison.notes[-1]
    for text in (repr(comparison), comparison.to_markdown(), comparison.to_html()):
        assert "by fold" in text.lower()


REFUSED = [
    (evalcore.evaluate, {"fold": "fold", "by": "repeat"}),
    (evalcore.evaluate, {"fold": "fold", "compare_groups": True, "ci": 0.95}),
    (evalcore.evaluate, {"fold": "fold", "compare": "best", "ci": 0.95}),
    (evalcore.evaluate, {"fold": "fold", "min_cases": 5}),
    (evalcore.evaluate, {"fold": ["repeat", "fold"], "ci": 0.95}),
    (evalcore.evaluate, {"fold": "repeat"}),
    (evalcore.evaluate, {"fold": ["fold", "repeat"]}),
    (evalcore.compare, {"fold": "repeat"}),
    (evalcore.compare, {"fold": ["fold", "repeat"]}),
    (evalcore.compare, {"fold": "fold", "by": "repeat"}),
    (evalcore.compare, {"fold": "fold", "cluster": "id"}),
    (evalcore.compare, {"fold": "fold", "min_cases": 5}),
    (evalcore.compare, {"fold": "fold", "method": "bootstrap"}),
    (evalcore.compare, {"fold": "fold", "ci_method": "delong"}),
    (evalcore.compare, {"fold": "fold", "measures": "partial_auc@0.1"}),
    (evalcore.compare, {"fold": 3}),
]


def test_what_does_not_fit_folds_is_refused():
    table = crossed()

    def ask(row):
        function, asked = row
        function(table, **(ASKED if function is evalcore.compare else {"label": "late", "score": "new"}), **asked)

    check_refusals("evaluation/outputs/refused_folds.txt", ask, REFUSED)
    other = table.assign(fold=(table["fold"] + (table["id"] == 0)) % FOLDS)
    with pytest.raises(EvaluationError, match="column 'fold' must hold the same folds in all tables, got others in 1"):
        evalcore.compare(table, other, on="id", label="late", score="new", fold="fold")


@every(
    ("old", "new", "ratio", "p_value"),
    ([0.81, 0.77, 0.85, 0.79, 0.80], [0.84, 0.79, 0.86, 0.83, 0.80], 1 / 4, 0.13241892222024898),
    (OLD, NEW, 1 / 4, 0.9291067599301928),
)
def test_the_corrected_test_is_that_of_baycomp(old, new, ratio, p_value):
    """baycomp 1.0.3, two-sided from the tails of ``CorrelatedTTest(old, new, runs=...)``: of 5 folds, and of 2 x 5."""
    assert paired_t_test(old, new, test_train_ratio=ratio).p_value == pytest.approx(p_value, rel=1e-10)


@every("ratio", [-0.1, np.inf, np.nan])
def test_the_ratio_of_the_test_is_checked(ratio):
    with pytest.raises(EvaluationError, match="test_train_ratio must be finite and not negative"):
        paired_t_test([0.5, 0.25], [0.75, 0.5], test_train_ratio=ratio)


def test_the_command_reads_folds_and_gates_their_means(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = crossed(REPEATS)
    table.to_csv("table.csv", index=False)
    asked = ["--label", "late", "--fold", "repeat,fold", "--format", "json"]
    report = reported(command("report", "table.csv", "--score", "new", *asked, "--measure", "roc_auc"))
    expected = evalcore.evaluate(table, label="late", score="new", fold=["repeat", "fold"], measures="roc_auc")
    assert report["folds"]["new"]["mean"] == {"roc_auc": pytest.approx(expected["folds", "mean", "roc_auc"])}
    models = ["table.csv", "--new-score", "new", "--old-score", "old", *asked]
    for condition, code in (("roc_auc drops by 0.01", 0), ("any repeat, fold: roc_auc < 0.99", 1)):
        outcome = command("compare", *models, "--fail-if", condition)
        assert outcome.exit_code == code
    found = json.loads(outcome.stdout)
    assert command("compare", *models, "--fail-if", "any fold, repeat: roc_auc < 0.01").exit_code == 0
    assert refused(command("compare", *models, "--fail-if", "any id: roc_auc < 0.5")) == (
        "--fail-if 'any id: ...' cannot be combined with --fold, because the folds are the groups; "
        "write 'any repeat, fold', or compare without --fold"
    )
    assert found["fold"] == ["repeat", "fold"]
    assert found["models"]["new"]["measures"]["roc_auc"]["method"] == "corrected-t"
    assert refused(command("report", "table.csv", "--score", "new", *asked, "--by", "id")) == (
        "--by cannot be combined with --fold, because the folds are the groups"
    )
