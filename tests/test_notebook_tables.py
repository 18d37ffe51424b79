"""Results show themselves as tables in notebooks."""

import re

import numpy as np

from evalcore.metrics import cumulative_gains_curve, metric_curves
from evalcore.streaming import Certified, ScoreSummary

LABELS, SCORES = [0, 1, 0, 1, 1], [0.1, 0.3, 0.35, 0.8, 0.9]


def rows(result):
    """Return the cells of the rows of all tables."""
    lines = re.findall("<tr>(.*?)</tr>", result._repr_html_())
    return [re.findall("<t[hd]>(.*?)</t[hd]>", line) for line in lines]


def test_curves_show_both_ends_and_all_digits_of_bounds():
    curves = metric_curves(LABELS, SCORES)
    assert rows(curves)[0] == ["thresholds", "tp", "fn", "fp", "tn"]
    assert [[float(cell) for cell in row] for row in rows(curves)[1:]] == np.transpose(curves).tolist()
    assert rows(cumulative_gains_curve(LABELS, SCORES))[-1] == ["1", "1"]
    labels = np.arange(5000) % 2
    shown = rows(metric_curves(labels, np.arange(5000.0)))
    assert shown[5:8] == [
        ["4,995", "3", "2,497", "2", "2,498"],
        ["4,990 more", "", "", "", ""],
        ["4", "2,498", "2", "2,498", "2"],
    ]
    assert rows(Certified(1 / 3, 0.5)) == [["value", "low", "high"], ["0.416667", "0.3333333333333333", "0.5"]]
    assert rows(Certified(0.75, 0.75))[1] == ["0.75", "0.75", "0.75"]


def test_summaries_have_tables_of_counts_and_certain_bounds_empty_ones_too():
    summary = ScoreSummary(capacity=4)
    summary.update(LABELS, SCORES)
    summary.misses = 2000
    shown = rows(summary)
    assert shown[1] == ["5", "2,003", "2", "2,000"]
    area = summary.roc_auc()
    assert shown[3] == ["ROC area", f"{area:.6g}", repr(area.low), repr(area.high)]
    assert "average precision" in shown[4]
    assert "maximum F" in shown[5]
    assert rows(ScoreSummary())[3] == ["ROC area", "nan", "nan", "nan"]
