"""The catalogue names every statistic of a report once, and says how its interval is computed."""

import re

import numpy as np
import pytest

import evalcore
from evalcore.kernels import sorting
from evalcore.report.catalogue import _CATALOGUE, entry_of, interval_methods, statistics
from evalcore.report.statistics.calibrations import CALIBRATION
from evalcore.report.words.notes import notes

COLUMNS = {
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
METHODS = {"Wilson": "wilson", "DeLong, score test": "delong-score", "Boyd, logit": "logit", "delta method": "delta",
           "delta method, logit": "delta-logit", "DeLong, Welch's t": "delong", "DeLong, Wilson": "delong-wilson",
           "Newcombe": "newcombe", "Zou and Donner": "zou-donner", "Wald": "wald",
           "debiased": "debiased-l2"}  # fmt: skip


def items_of(**asked):
    report = evalcore.evaluate(COLUMNS, **asked)
    sections = [section for section in report.sections if section.record != "label"]
    return [item for section in sections for items in section.records.values() for item in items]


def test_reports_hold_every_statistic_of_the_catalogue_and_no_other():
    found = {item.name for asked in REPORTS for item in items_of(**asked, ci=0.9)}
    families = {re.sub(r"_\d+", "_K", name) for name in found}
    assert families == set(_CATALOGUE)
    titles = [entry.title for entry in _CATALOGUE.values()]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("asked", REPORTS)
def test_statistics_have_the_titles_and_the_interval_methods_of_the_catalogue(asked):
    for item in items_of(**asked, ci=0.9):
        entry = entry_of(item.name)
        assert item.title == entry.title
        assert (item.interval.method if item.interval else None) == METHODS.get(entry.method), item.name


def test_methods_are_those_of_the_intervals_that_a_report_has():
    asked = {"label": "tree", "predicted": "guess"}
    assert interval_methods(evalcore.evaluate(COLUMNS, **asked).sections) == ""
    assert interval_methods(evalcore.evaluate(COLUMNS, **asked, ci=0.9).sections) == (
        "Wilson: accuracy (= micro averages); precision; recall. delta method: Cohen's kappa. delta method, logit: F1"
    )


def test_names_of_classes_are_in_no_catalogue():
    assert entry_of("precision_at_elm") is entry_of("elm") is None
    with pytest.raises(AssertionError):
        statistics({"elm": 1})
    report = evalcore.evaluate({"label": ["recall", "f1"], "guess": ["f1", "f1"]}, label="label", predicted="guess")
    assert [item.title for item in report.sections[2].records["f1"]] == ["f1", "recall"]
    assert notes(report.sections)[0] == "precision is 0 where a class is never predicted: 'recall'"


@pytest.mark.parametrize(("scores", "sorts"), [(["model"], 1), (["model", "other"], 2)])
def test_intervals_are_computed_from_what_was_sorted(monkeypatch, scores, sorts):
    sorted_columns = []
    sort = sorting.sort
    monkeypatch.setattr(sorting, "sort", lambda keys: (sorted_columns.append(keys), sort(keys)))
    evalcore.evaluate(COLUMNS, label="late", score=scores, threshold=0.5, ci=0.95)
    assert len(sorted_columns) == sorts
    sorted_columns.clear()
    evalcore.evaluate(COLUMNS | {"late": np.arange(6) % 2}, label="late", score=scores, by="tree", ci=0.95)
    # groups are sorted together, and laid out by words of 32 bits
    assert len([keys for keys in sorted_columns if keys.itemsize == 8]) == len(scores)


def test_a_class_named_like_a_precision_at_a_huge_depth_has_no_entry():
    assert entry_of("precision_at_" + 5000 * "9") is None
