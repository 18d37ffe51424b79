"""Reports that are asked for some measures, or for depths, and what the catalogue says of each."""

import pickle
import re

import numpy as np
import pytest
import sklearn.metrics

import evalcore
from evalcore.document.page.report import numbers_panels
from evalcore.document.shown import interval_methods
from evalcore.evaluation.catalogue import ENTRIES, MEASURES, OUTCOMES, catalogue_name, entry_of
from evalcore.evaluation.measure_choice import LOSSES
from evalcore.evaluation.model import ColumnRecords, Columns
from evalcore.evaluation.notes import notes
from evalcore.evaluation.statistics.scores import CALIBRATION
from evalcore.kernels import sorting
from tests.differences import check_refusals, every

RNG = np.random.default_rng(5)
MODEL = RNG.random(300).round(2)
TREES = np.array(["ash", "elm", "oak"])[RNG.integers(0, 3, 300)]
COLUMNS = {
    "late": RNG.random(300) < MODEL, "model": MODEL, "other": RNG.random(300), "third": RNG.random(300),
    "tree": TREES, "guess": np.where(RNG.random(300) < 0.6, TREES, "elm"), "month": RNG.integers(1, 4, 300),
}  # fmt: skip
OF_CLASSES = {"ash": "model", "elm": "other", "oak": "third"}
OF_LATE = {"label": "late", "score": ["model", "other"]}
QUESTIONS = [
    {**OF_LATE, "threshold": [0.4, 0.6], "threshold_for": {"precision": 0.6}, "costs": (1, 5)},
    {**OF_LATE, "threshold": 0.4, "by": "month"},
    {"label": "tree", "predicted": "guess"},
    {"label": "tree", "predicted": "guess", "by": "month"},
    {"label": "tree", "score": OF_CLASSES},
    {"label": "tree", "score": OF_CLASSES, "by": "month"},
]
STAYING = {"cases", "positives", "classes", "threshold"}


def numbers(report):
    return {(section.name, record, item.name): item for section in report.sections
            for record, items in section.records.items() for item in items}  # fmt: skip


@every("asked", QUESTIONS)
def test_each_measure_alone_is_that_of_the_whole_report(asked):
    whole = numbers(evalcore.evaluate(COLUMNS, **asked, ci=0.9))
    for name in {name for _, _, name in whole}.intersection(MEASURES):
        report = evalcore.evaluate(COLUMNS, **asked, ci=0.9, measures=name)
        found = numbers(report)
        assert any(key[2] == name for key in found)
        assert repr(found) == repr({key: whole[key] for key in found})
        kept = {key[2] for key in found} - STAYING - {f"{name}_threshold", name.removesuffix("_threshold")}
        comparing = {"roc_auc_difference", "p_value", "p_value_holm"} if name == "roc_auc" else set()
        added = {*report.question.measures.added, "minimum_expected_cost_threshold"}
        assert kept <= {name} | comparing | added
        assert {key for key in whole if key[2] == name} <= found.keys()


@every("where", [None, "month > 1"])
def test_a_pickled_report_on_one_measure_has_the_others_for_words_and_charts(where):
    report = evalcore.evaluate(COLUMNS, **OF_LATE, measures="f1@0.4", where=where)
    found = pickle.loads(pickle.dumps(report))
    assert found == report
    assert "roc_auc" not in found["model"]
    assert found.summary == report.summary
    assert found.answer.whole.sections == report.answer.whole.sections
    assert found.answer.whole is found.answer.whole


def test_measures_and_tables_of_counts_keep_the_order_of_the_report():
    names = ["recall", "roc_auc"]
    report = evalcore.evaluate(COLUMNS, label="late", score="model", threshold=0.4, measures=names)
    assert list(report["model"]) == ["cases", "positives", "roc_auc", "threshold", "recall"]
    report = evalcore.evaluate(COLUMNS, label="late", score="model", threshold=0.4, measures="f1")
    assert list(report["model"]) == ["cases", "positives", "threshold", "f1"]
    report = evalcore.evaluate(COLUMNS, label="tree", score=OF_CLASSES, measures=["confusion_matrix", "accuracy"])
    assert [section.name for section in report.sections] == ["statistics", "confusion_matrix"]
    report = evalcore.evaluate(COLUMNS, label="tree", score=OF_CLASSES, measures="rank_counts")
    assert [section.name for section in report.sections] == ["rank_counts"]
    report = evalcore.evaluate(COLUMNS, label="tree", predicted="guess", measures="recall")
    assert [section.name for section in report.sections] == ["classes"]
    assert list(report["ash"]) == ["cases", "recall"]
    asked = {"label": "late", "score": "model", "by": "month"}
    for sort in ("value", "average_precision", "name"):
        whole, some = (evalcore.evaluate(COLUMNS, **asked, sort=sort, measures=names) for names in (None, "log_loss"))
        assert list(whole) == list(some)


def test_depths_are_of_precision_and_recall_and_of_top_accuracy():
    late, model = COLUMNS["late"], RNG.permutation(300) / 300
    columns = {**COLUMNS, "model": model}
    found = evalcore.evaluate(columns, label="late", score="model", at_k=np.array([7, 400]))["model"]
    assert found == evalcore.evaluate(columns, label="late", score="model", at_k=[np.int64(7), 400, 7])["model"]
    first = late[np.argsort(-model)][:7].sum()
    assert (found["precision_at_7"], found["recall_at_7"]) == (first / 7, first / late.sum())
    assert (np.isnan(found["precision_at_400"]), found["recall_at_400"]) == (True, 1)
    assert "precision_at_10" not in found
    both = evalcore.evaluate(columns, label="late", score="model", measures="precision_at_20", at_k=7)["model"]
    assert list(both) == ["cases", "positives", "precision_at_20", "precision_at_7", "recall_at_7"]
    codes = np.searchsorted(["ash", "elm", "oak"], TREES)
    scores = np.column_stack([COLUMNS["model"] + 1e-3 * RNG.random(300), COLUMNS["other"], COLUMNS["third"]])
    columns = {"tree": TREES, **dict(zip(OF_CLASSES.values(), scores.T, strict=True))}
    report = evalcore.evaluate(columns, label="tree", score=OF_CLASSES, at_k=2)
    assert report["statistics"]["top_2_accuracy"] == sklearn.metrics.top_k_accuracy_score(codes, scores, k=2)
    assert evalcore.evaluate(columns, label="tree", score=OF_CLASSES, at_k=9)["statistics", "top_9_accuracy"] == 1


def test_recall_at_k_of_ties_is_the_mean_over_their_orders_and_none_without_positives():
    columns = {"late": [1, 0, 1, 0], "model": [0.5, 0.5, 0.5, 0.1], "by": ["a", "a", "a", "b"]}
    report = evalcore.evaluate(columns, label="late", score="model", by="by", at_k=1)
    assert (report["a"]["recall_at_1"], report["a"]["precision_at_1"]) == (1 / 3, 2 / 3)
    assert np.isnan(report["b"]["recall_at_1"])
    assert "recall at 1 are NaN where there are no positives: 'b'" in " ".join(report.notes)


def test_words_pages_and_charts_are_those_of_the_whole_report():
    from matplotlib.figure import Figure

    whole = evalcore.evaluate(COLUMNS, label="late", score="model", by="month", threshold=0.4)
    some = evalcore.evaluate(COLUMNS, label="late", score="model", by="month", threshold=0.4, measures="recall")
    assert some.summary == f"The recall of model at threshold 0.4 is 0.810. {whole.summary}"
    assert some.plot_groups(ax=Figure().add_subplot()).get_xlabel() == "recall"
    assert whole.plot_groups(ax=Figure().add_subplot()).get_xlabel() == "ROC AUC"
    assert "ROC AUC" not in some.to_markdown()
    assert "\n\nmodel, decisions at threshold 0.4\n" in str(some)
    main, rest = numbers_panels(some.answer.whole, some.question)
    assert [row[0] for row in main.tables[0].rows] == ["at threshold", "recall"]
    assert rest.tables[0].head == ["group", "cases", "positives", "at threshold", "recall"]
    assert set(some.to_pandas().statistic) == {"cases", "positives", "threshold", "recall"}
    assert "roc_auc" not in some["total"]


@every(
    "asked, shown",
    ({"label": "late", "score": "model", "measures": "recall_at_7"}, "recall at 7"),
    ({"label": "late", "score": "model", "measures": "recall_at_7", "by": "month"}, "recall at 7"),
    ({"label": "tree", "score": OF_CLASSES, "measures": "roc_auc", "at_k": 1}, "top-1 accuracy"),
    ({"label": "late", "score": "model", "measures": "ks"}, "Kolmogorov-Smirnov statistic"),
    ({"label": "late", "score": "model", "measures": "ks", "by": "month"}, "Kolmogorov-Smirnov statistic"),
)
def test_pages_have_measures_at_other_depths_and_those_that_need_their_names(asked, shown):
    report = evalcore.evaluate(COLUMNS, **asked)
    tables = numbers_panels(report.answer.whole, report.question)[0].tables
    assert shown in [row[0] for row in tables[0].rows]


@every("names", ["f1"], ["confusion_matrix"], ["kappa", "confusion_matrix"], ["recall", "confusion_matrix"])
def test_a_class_is_neither_a_model_nor_all_cases(names):
    text = str(evalcore.evaluate(COLUMNS, label="tree", predicted="guess", measures=names))
    assert "models" not in text
    assert ("Cases: " in text) == ("kappa" in names)
    assert "too few" not in text or "kappa" in names


@every("groups", ["month"], ["id"])
def test_a_model_may_have_the_name_of_a_table(groups):
    columns = COLUMNS | {"classes": COLUMNS["model"], "id": np.arange(300) % 60}
    named, other = (evalcore.evaluate(columns, label="late", score=name, by=groups) for name in ("classes", "model"))
    assert str(named).replace("classes", "model").split() == str(other).split()


def test_notes_speak_of_what_is_shown():
    columns = {"late": [0, 0, 0], "model": [3.0, 1.0, 2.0]}
    asked = {"label": "late", "score": "model", "threshold": 9.0}
    assert evalcore.evaluate(columns, **asked, measures="accuracy").notes == [
        unreached := "no score reaches the threshold 9; if scores are probabilities, 9% is 0.09"
    ]
    assert evalcore.evaluate(columns, **asked, measures=["roc_auc", "specificity", "log_loss"]).notes == [
        "ROC AUC is NaN where all cases are of one class",
        "log loss is NaN where scores are not probabilities between 0 and 1 "
        "(of several classes: summing to 1, within 2e-8; divide rounded ones by their sum)",
        unreached,
    ]
    columns = {"tree": ["ash", "elm"], "guess": ["ash", "ash"]}
    asked = {"label": "tree", "predicted": "guess"}
    assert evalcore.evaluate(columns, **asked, measures="recall").notes == []
    (note,) = evalcore.evaluate(columns, **asked, measures="precision").notes
    assert note == "precision is 0 where a class is never predicted: 'elm'"


SCORES = {"label": "late", "score": "model"}
DECISIONS = ["threshold", "tp", "fn", "fp", "tn", "recall", "precision", "f1"]


@every(
    "asked, names, sections",
    ({"threshold": 0.5}, DECISIONS, ["scores"]),
    ({"threshold": [0.3, 0.5]}, DECISIONS, ["scores", "threshold 0.5"]),
    ({"threshold_for": {"precision": 0.6}}, [], ["scores", "threshold for precision=0.6"]),
    ({"threshold": [0.3, 0.5], "measures": ["roc_auc", "kappa"]}, ["threshold", "kappa"],
     ["scores", "threshold 0.5"]),
    ({"costs": (1, 5)}, ["minimum_expected_cost", "minimum_expected_cost_threshold"], ["scores"]),
    ({"costs": (1, 5), "threshold": 0.5},
     ["minimum_expected_cost", "minimum_expected_cost_threshold", *DECISIONS, "expected_cost"], ["scores"]),
    ({"costs": (1, 5), "threshold": 0.5, "measures": ["roc_auc", "expected_cost"]},
     ["threshold", "expected_cost"], ["scores"]),
)  # fmt: skip
def test_what_other_options_ask_for_stands_beside_measures(asked, names, sections):
    report = evalcore.evaluate(COLUMNS, **{**SCORES, "measures": "roc_auc", **asked})
    assert list(report["scores"]) == ["cases", "positives", "roc_auc", *names]
    assert [section.name for section in report.sections] == sections
    for section in report.sections[1:]:
        shown = [name for name in report[section.name] if name not in ("cases", "positives")]
        assert shown == (["threshold", "kappa"] if "kappa" in names else DECISIONS)


GUESSED = {"score": None, "label": "tree", "predicted": "guess"}
REFUSED = [
    {"measures": "partial_auc"}, {"measures": "roc_aera"}, {"measures": "p_value"}, {"measures": [3]},
    {"measures": "precision_at_K"}, {"measures": "top_0_accuracy"}, {"measures": 3}, {"measures": "recall"},
    {"measures": "macro_f1"}, {"measures": "expected_cost"},
    {"measures": "expected_cost", "costs": (1, 2)},
    {**GUESSED, "by": "month", "measures": "precision"}, {**GUESSED, "matrix": False, "measures": "confusion_matrix"},
    {"at_k": 0}, {"at_k": [1, 2.5]}, {"at_k": 2.5}, {"at_k": True}, {"at_k": "10"}, {**GUESSED, "at_k": 3},
]  # fmt: skip


def test_errors():
    check_refusals(
        "document/outputs/refused_measures.txt", lambda asked: evalcore.evaluate(COLUMNS, **(SCORES | asked)), REFUSED
    )


FLIGHTS = {
    "late": [1, 0, 1, 0, 1, 0], "model": [0.9, 0.2, 0.4, 0.4, 0.7, 0.1], "other": [0.1, 0.5, 0.3, 0.6, 0.2, 0.8],
    "third": [0.3, 0.2, 0.8, 0.1, 0.7, 0.4], "tree": ["ash", "elm", "elm", "ash", "oak", "oak"],
    "days": [1.5, 2.0, 1.0, 3.0, 0.5, 2.5], "guess": ["ash", "elm", "ash", "ash", "oak", "elm"],
}  # fmt: skip
REPORTS = [
    {"label": "late", "score": ["model", "other", "third"], "threshold": 0.4, "costs": (1, 5)},
    {"label": "late", "score": "model", "by": "tree", "compare_groups": True},
    {"label": "late", "score": "model", "at_k": [1, 2]},
    {"label": "late", "score": "model", "measures": CALIBRATION},
    {"label": "late", "score": "model", "threshold": 0.4, "weight": "days"},
    {"label": "tree", "predicted": "guess"},
    {"label": "tree", "predicted": "guess", "weight": "days"},
    {"label": "tree", "predicted": "guess", "by": "late", "compare_groups": True},
    {"label": "tree", "score": {"ash": "model", "elm": "other", "oak": "third"}},
]
METHODS = {"Wilson": "wilson", "DeLong, score test": "delong-score", "influence, Wilson": "influence-wilson",
           "delta method, Wilson": "delta-wilson", "DeLong, Wilson": "delong-wilson",
           "Zou and Donner": "zou-donner", "Wald": "wald", "debiased": "debiased-l2",
           "Student's t": "t"}  # fmt: skip


def items_of(**asked):
    report = evalcore.evaluate(FLIGHTS, **asked)
    sections = [section for section in report.sections if section.record != "label"]
    return [item for section in sections for items in section.records.values() for item in items]


def test_every_name_and_alias_is_understood_in_any_case():
    for name, entry in ENTRIES.items():
        for spelled in (name, name.upper(), name.title(), *entry.aliases, *map(str.upper, entry.aliases)):
            assert catalogue_name(spelled) == name, spelled
    asked = {"label": "late", "score": ["model", "other"], "threshold": 0.4, "measures": ["AUC", "Mcc", "F1"]}
    assert [*evalcore.evaluate(FLIGHTS, **asked)["model"]][-3:] == ["threshold", "f1", "matthews_correlation"]


def test_the_catalogue_holds_every_statistic_and_what_needs_no_ranking_sorts_nothing(monkeypatch):
    found = {item.name for asked in REPORTS for item in items_of(**asked, ci=0.9)}
    of_groups = {name for name in found if re.search("(of|to)_rest$|_gap$", name)}
    assert len(of_groups) == 6
    families = {re.sub(r"_\d+", "_K", name) for name in found - of_groups}
    of_cases = {name for name, entry in ENTRIES.items() if entry.reported and OUTCOMES not in entry.needs}
    assert families == of_cases - {"ks", "ks_threshold"}
    titles = [entry.title for entry in ENTRIES.values()]
    assert len(set(titles)) == len(titles)
    sorted_columns = []
    sort = sorting.sort
    monkeypatch.setattr(sorting, "sort", lambda keys: (sorted_columns.append(keys.size), sort(keys)))
    asked = {"label": "late", "score": ["model", "other"], "threshold": 0.4, "ci": 0.9}
    report = evalcore.evaluate(COLUMNS, **asked, measures=["log_loss", "recall", "prevalence"])
    assert 300 not in sorted_columns
    assert report["model"]["log_loss"] == pytest.approx(sklearn.metrics.log_loss(COLUMNS["late"], MODEL.clip(1e-16)))


@every("asked", REPORTS)
def test_statistics_have_the_titles_and_the_interval_methods_of_the_catalogue(asked):
    for item in items_of(**asked, ci=0.9):
        entry = entry_of(item.name)
        assert item.title == entry.title
        if item.interval or item.name not in LOSSES:  # losses of several classes have none
            expected = METHODS.get(entry.method)
            expected = "miettinen-nurminen" if item.name == "accuracy_difference_to_rest" else expected
            assert (item.interval.method if item.interval else None) == expected, item.name


def test_methods_are_those_of_a_report_and_classes_have_no_entry_of_the_catalogue():
    asked = {"label": "tree", "predicted": "guess"}
    assert interval_methods(evalcore.evaluate(FLIGHTS, **asked).sections) == ""
    assert interval_methods(evalcore.evaluate(FLIGHTS, **asked, ci=0.9).sections) == (
        "wilson: accuracy (= micro averages); recall, weighted average; precision; recall. delta-wilson: "
        "balanced accuracy; precision, macro average; recall, macro average; F1, macro average; precision, weighted "
        "average; F1, weighted average; Cohen's kappa; Matthews correlation (MCC); F1"
    )
    assert entry_of("precision_at_elm") is entry_of("elm") is None
    with pytest.raises(AssertionError):
        ColumnRecords(["all"], [Columns({"elm": np.ones(1)})])["all"]
    report = evalcore.evaluate({"label": ["recall", "f1"], "guess": ["f1", "f1"]}, label="label", predicted="guess")
    assert [item.title for item in report.sections[2].records["f1"]] == ["f1", "recall"]
    assert notes(report.sections)[0] == "precision is 0 where a class is never predicted: 'recall'"
    assert entry_of("precision_at_" + 5000 * "9") is None


@every(("scores", "sorts"), [(["model"], 1), (["model", "other"], 2)])
def test_intervals_are_computed_from_what_was_sorted(monkeypatch, scores, sorts):
    sorted_columns = []
    sort = sorting.sort
    monkeypatch.setattr(sorting, "sort", lambda keys: (sorted_columns.append(keys), sort(keys)))
    evalcore.evaluate(FLIGHTS, label="late", score=scores, threshold=0.5, ci=0.95)
    assert len(sorted_columns) == sorts
    sorted_columns.clear()
    evalcore.evaluate(FLIGHTS | {"late": np.arange(6) % 2}, label="late", score=scores, by="tree", ci=0.95)
    # groups are sorted together, and laid out by words of 32 bits
    assert len([keys for keys in sorted_columns if keys.itemsize == 8]) == len(scores)


def test_calibration_stands_beside_decisions_at_several_thresholds():
    asked = {"ci": 0.95, "threshold": [0.4, 0.6], "measures": ["calibration_slope", "recall"]}
    lines = str(evalcore.evaluate(COLUMNS, **OF_LATE, **asked)).splitlines()
    begins = [line.strip().partition("  ")[0] for line in lines]
    assert (begins.count("calibration slope"), begins.count("decisions of model")) == (1, 1)
