"""Curves hold the numbers of the metrics: their points, the areas beneath them and what the legends say."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from scipy.special import ndtr, ndtri

from evalcore import inference, metrics, plots
from evalcore.errors import UndefinedMetricWarning
from evalcore.inference import average_precision_interval, decision_curve, roc_auc_interval
from evalcore.inference.intervals import proportion_interval
from evalcore.kernels.shapes import TOLERANCE
from evalcore.plots.curves import normal_deviates, normal_rates
from tests.differences import every
from tests.lingpipe.evaluations import scored as evaluation_of
from tests.plots.drawing import axes_for, drawn, lines_of_all, names_of, panels

CASES = st.lists(st.tuples(st.booleans(), st.sampled_from([-1.0, 0.0, 0.25, 0.5, 0.75])), min_size=2, max_size=30)


def columns(pairs):
    labels, scores = (np.array(column) for column in zip(*pairs, strict=True))
    assume(labels.any() and not labels.all())
    return labels, scores


def labels_of(ax):
    return [line.get_label() for line in ax.get_lines() if not line.get_label().startswith("_")]


@given(CASES)
def test_curves_of_roc_gains_and_lift_are_those_of_the_metrics_and_areas_those_beneath_them(pairs):
    labels, scores = columns(pairs)
    for plot, metric in ((plots.plot_gains, metrics.cumulative_gains_curve), (plots.plot_lift, metrics.lift_curve)):
        np.testing.assert_array_equal(drawn(plot, labels, scores).get_lines()[0].get_data(), metric(labels, scores))
    ax = drawn(plots.plot_roc, labels, scores)
    x, y = ax.get_lines()[0].get_data()
    fpr, tpr, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    np.testing.assert_array_equal([x, y], [fpr, tpr])
    area = metrics.roc_auc_score(labels, scores)
    assert np.trapezoid(y, x) == pytest.approx(area, abs=1e-12)
    assert names_of(ax) == [f"AUC = {area:.3f}"]
    ax = drawn(plots.plot_precision_recall, labels, scores)
    x, y = ax.get_lines()[0].get_data()
    area = metrics.average_precision_score(labels, scores)
    assert (x[0], x[-1]) == (0, 1)
    assert np.trapezoid(y, x) == pytest.approx(area, abs=1e-12)
    assert set(np.diff(x) * np.diff(y)) <= {0}
    assert names_of(ax) == [f"AP = {area:.3f}", f"prevalence {labels.mean():.3g}"]


def test_legends_of_gains_and_lift_tell_those_of_the_first_tenth(cases):
    labels, scores = cases[0], cases[1]["strong"] + np.arange(400) / 1e6  # no ties
    gain = labels[np.argsort(-scores)[:40]].sum() / labels.sum()
    for plot, value, text in (
        (plots.plot_gains, gain, f"m, gain at 10% = {gain:.3f}"),
        (plots.plot_lift, gain / 0.1, f"m, lift at 10% = {gain / 0.1:.2f}"),
    ):
        ax = drawn(plot, labels, scores, label="m")
        assert names_of(ax) == [text]
        np.testing.assert_allclose(ax.get_lines()[1].get_xydata(), [[0.1, value]])


@given(CASES, st.sampled_from(["precision", "recall", "F1", "specificity", "accuracy"]))
def test_measures_at_a_threshold_are_those_of_the_decisions(pairs, name):
    labels, scores = columns(pairs)
    x, y = drawn(plots.plot_thresholds, labels, scores, measures=name).get_lines()[0].get_data()
    of_decisions = {
        "precision": metrics.precision_score,
        "recall": metrics.recall_score,
        "F1": metrics.f1_score,
        "specificity": lambda labels, accepted: metrics.recall_score(~labels, ~accepted),
        "accuracy": metrics.accuracy_score,
    }
    for threshold in np.concatenate([scores, (scores + np.roll(scores, 1)) / 2]):
        step = np.searchsorted(x, threshold, side="left")  # the step that ends at or after the threshold
        assert y[step] == pytest.approx(of_decisions[name](labels, scores >= threshold), abs=1e-12)


def test_the_largest_f1_is_marked_and_a_given_threshold_written_as_it_was_given(ax, cases):
    labels, scores = cases[0], cases[1]["strong"]
    plots.plot_thresholds(labels, scores, ax=ax)
    names = [line.get_label()[:9] for line in lines_of_all(ax) if not line.get_label().startswith("_")]
    assert names == ["precision", "recall", "F1 (0.802"]
    (mark,) = next(line for line in lines_of_all(ax) if line.get_label() == "_largest F1").get_xydata()
    assert mark[1] == pytest.approx(evaluation_of(labels, scores).maximumFMeasure(), abs=1e-15)
    assert metrics.f1_score(labels, scores >= mark[0]) == pytest.approx(mark[1], abs=1e-15)
    assert [names_of(panel) for panel in panels(ax)] == [[], [], [f"largest {mark[1]:.3f} at {mark[0]:g}"]]
    ax = Figure().add_subplot()
    plots.plot_roc([0, 1, 0, 1], [0.1, 0.2, 0.23457, 0.9], threshold=0.234567, ax=ax)
    assert "at 0.234567: true positive rate 0.500" in names_of(ax)[0]
    plots.plot_roc([0, 1, 0, 1], [0.1, 0.2, 0.23457, 0.9], threshold=0.23156783531665802, ax=ax)
    assert "at 0.231567: true positive rate 0.500" in names_of(ax)[1]


def test_panels_are_used_again_while_they_hold_lines_of_the_same_measures(ax, cases):
    labels, scores = cases[0], cases[1]["strong"]
    plots.plot_thresholds(labels, scores, label="one", ax=ax)
    first = panels(ax)
    plots.plot_thresholds(labels, scores / 2, label="other", ax=ax)
    assert panels(ax) == first
    assert [sum(line.get_label()[0] != "_" for line in panel.get_lines()) for panel in first] == [2, 2, 2]
    plots.plot_thresholds(labels, scores, measures=["recall", "flagged"], ax=ax)
    assert [panel.get_ylabel() for panel in panels(ax)] == ["recall", "flagged"]
    fixed = plots.plot_thresholds(labels, scores, ax=Figure().add_axes((0.2, 0.1, 0.6, 0.9)))
    boxes = [panel.get_position().bounds for panel in panels(fixed)]
    np.testing.assert_allclose(boxes, [(0.2, bottom, 0.6, 0.249) for bottom in (0.7, 0.4, 0.1)])
    ax.clear()
    plots.plot_thresholds(labels, scores, measures=["recall", "flagged"], ax=ax)
    assert [sum(line.get_label()[0] != "_" for line in panel.get_lines()) for panel in panels(ax)] == [1, 1]


@every("dtype", [np.float32, np.float64])
def test_the_threshold_in_the_legend_decides_as_the_point_does(dtype):
    rng = np.random.default_rng(11)
    labels = rng.random(120_000) < 0.05
    scores = (rng.normal(size=labels.size) + 2 * labels).astype(dtype)
    for thin in (True, False):
        ax = drawn(plots.plot_thresholds, labels, scores, measures="F1", thin=thin)
        (mark,) = next(line for line in ax.get_lines() if line.get_label() == "_largest F1").get_xydata()
        shown = names_of(ax)[0].partition(" at ")[2]
        assert np.count_nonzero(scores >= dtype(shown)) == np.count_nonzero(scores >= dtype(mark[0]))
        assert 5 <= len(shown) <= 9
    weights = np.ones(4)
    ax = drawn(plots.plot_thresholds, [0, 1, 0, 1], [0.1, 0.23456, 0.2345, 0.9], measures="F1", sample_weight=weights)
    assert names_of(ax)[0] == "largest 1.000 at 0.23456"


def test_models_without_positives_or_errors_and_same_models_are_named(ax):
    with pytest.warns(UndefinedMetricWarning):
        plots.plot_thresholds([0, 0], {"a": [0.1, 0.2], "b": [0.3, 0.4]}, ax=ax)
    assert names_of(ax) == ["a\nundefined", "b\nundefined"]
    ax = Figure().add_subplot()
    labels = np.arange(20) % 2
    plots.plot_det(labels, {"right": labels, "wrong": 1 - labels, "one error": labels - (np.arange(20) == 1)}, ax=ax)
    assert labels_of(ax) == ["right, EER = 0.0%", "wrong, EER = 100.0%", "one error, EER = 9.1%"]


def test_error_rates_are_on_axes_of_normal_deviates(ax, cases):
    labels, scores = cases[0], cases[1]["strong"]
    plots.plot_det(labels, scores, ax=ax)
    fpr, tpr, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    x, y = ax.get_lines()[0].get_data()
    np.testing.assert_array_equal(x, fpr)
    np.testing.assert_allclose(y, 1 - tpr, atol=1e-15)
    pixels = ax.transData.transform([(rate, 0.5) for rate in (0.01, 0.5, 0.99)])[:, 0]
    assert pixels[2] - pixels[1] == pytest.approx(pixels[1] - pixels[0])
    assert [text.get_text() for text in ax.get_xticklabels()][:2] == ["0.1", "1"]
    (rate,) = ax.get_lines()[1].get_xdata()
    assert np.interp(rate, x, y) == pytest.approx(rate)
    assert names_of(ax) == [f"EER = {100 * rate:.1f}%"]


def test_normal_deviates_are_those_of_scipy():
    rates = np.array([[1e-9, 0.001, 0.25], [0.5, 0.999, 1 - 1e-9]])
    np.testing.assert_allclose(normal_deviates(rates), ndtri(rates), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(normal_rates(ndtri(rates)), ndtr(ndtri(rates)), rtol=1e-6)
    assert normal_deviates([0.0, 1.0]).tolist() == normal_deviates([1e-9, 1 - 1e-9]).tolist()


def many_cases(size=10_000):
    rng = np.random.default_rng(11)
    labels = rng.random(size) < 0.2
    return labels, rng.normal(labels * 1.2)


@every(
    "plot",
    [plots.plot_roc, plots.plot_precision_recall, plots.plot_det, plots.plot_gains, plots.plot_lift,
     plots.plot_thresholds],
)  # fmt: skip
def test_curves_of_many_points_are_thinned_and_stay_near(plot):
    labels, scores = many_cases()
    ax = axes_for(plot)
    thin, full = (drawn(plot, labels, scores, label="m", thin=thin).get_lines() for thin in (True, False))
    for few, all_ in zip(thin, full, strict=True):
        if few.get_label().startswith(("_", "prevalence")):
            continue
        assert few.get_label() == all_.get_label()
        assert few.get_xydata().shape[0] < 4_000 < all_.get_xydata().shape[0]
        np.testing.assert_array_equal(few.get_xydata()[[0, -1]], all_.get_xydata()[[0, -1]])
        to_axes = ax.transData + ax.transAxes.inverted()
        points, line = (to_axes.transform(each.get_xydata()) for each in (all_, few))
        assert furthest(points[:: len(points) // 100], line) <= TOLERANCE * 1.02  # axes are 2% wider than 0 .. 1
        assert furthest(line[:: len(line) // 50 + 1], points) <= TOLERANCE * 1.02


def furthest(points, line):
    """Give the largest distance of points from a curve of straight lines, which runs to the right or to the left.

    Only lines within a hundredth of an axis to either side are looked at: what is further away is too far.
    """
    line = line if line[0, 0] <= line[-1, 0] else line[::-1]
    distances = []
    for point in points:
        begin, end = np.searchsorted(line[:, 0], point[0] + np.array([-0.01, 0.01]))
        near = line[max(begin - 1, 0) : end + 1]
        first, step = near[:-1], np.diff(near, axis=0)
        squares = (step**2).sum(axis=1)
        along = np.clip(((point - first) * step).sum(axis=1) / np.where(squares > 0, squares, 1), 0, 1)
        distances.append(np.hypot(*(first + along[:, None] * step - point).T).min())
    return max(distances)


def test_the_interval_of_the_area_and_a_band_are_drawn(ax, cases):
    labels, scores = cases[0], cases[1]["strong"]
    plots.plot_roc(labels, scores, label="strong", interval=True, level=0.9, ax=ax)
    area = roc_auc_interval(labels, scores, level=0.9)
    expected = [f"strong\nAUC = {area.estimate:.3f} [{area.low:.3f}, {area.high:.3f}]", "band: pointwise 90%"]
    assert names_of(ax) == expected
    band = ax.patches[0].get_path()
    fpr, tpr, _ = metrics.roc_curve(labels, scores, drop_intermediate=False)
    inner = (fpr > 0) & (tpr < 1)
    assert band.contains_points(np.stack([fpr, tpr], axis=1)[inner]).all()
    place = fpr.size // 2
    sides = [
        proportion_interval(round(rate * total), int(total), level=0.9**0.5)
        for rate, total in ((fpr[place], (~labels).sum()), (tpr[place], labels.sum()))
    ]
    corners = {(sides[0].low, sides[1].high), (sides[0].high, sides[1].low)}
    assert corners <= {tuple(corner) for corner in band.vertices.tolist()}


@every(
    ("plot", "bounds", "rates"),
    (plots.plot_roc, inference.roc_curve_band, "fpr"),
    (plots.plot_precision_recall, inference.precision_recall_curve_band, "recall"),
)
@every("kind", ["pointwise", "simultaneous"])
def test_the_band_is_that_of_the_curve(cases, plot, bounds, rates, kind):
    labels, scores = cases[0], cases[1]["strong"]
    ax = drawn(plot, labels, scores, band=kind, level=0.9)
    assert names_of(ax)[-1] == "band: " + {"pointwise": "pointwise 90%", "simultaneous": "90% of whole curves"}[kind]
    assert "[" not in names_of(ax)[0]  # the interval of the area has its own option
    corners = ax.patches[0].get_path().vertices
    expected = bounds(labels, scores, **{rates: [0.25]}, level=0.9, simultaneous=kind == "simultaneous")
    assert corners[corners[:, 0] == 0.25][:, 1] == pytest.approx([expected.high[0], expected.low[0]])


def test_bands_at_a_threshold_take_weights_and_one_class_has_a_legend(cases):
    labels, scores = cases[0], cases[1]["strong"]
    for plot in (plots.plot_roc, plots.plot_precision_recall):
        assert drawn(plot, labels, scores, band="threshold", sample_weight=np.arange(400) % 3 + 0.5).patches
    assert names_of(drawn(plots.plot_precision_recall, [1, 1], [0.1, 0.2], band="pointwise"))


def test_a_band_of_many_cases_has_few_corners_and_no_bounds_where_none_are_defined(ax):
    plots.plot_roc(*many_cases(), interval=True, ax=ax)
    assert len(ax.patches[0].get_path().vertices) <= 404
    for labels, scores in (([0, 0, 1], [0.1, 0.2, 0.8]), ([0, 1], [0.9, 0.1])):
        with pytest.warns(UndefinedMetricWarning, match="delong-wilson interval is not defined"):
            roc = drawn(plots.plot_roc, labels, scores, interval=True)
        assert names_of(roc)[0] == f"AUC = {metrics.roc_auc_score(labels, scores):.3f}"


def test_the_interval_of_the_average_precision_and_a_band_are_drawn(ax, cases):
    labels, scores = cases[0], cases[1]["strong"]
    plots.plot_precision_recall(labels, scores, label="strong", interval=True, level=0.9, ax=ax)
    area = average_precision_interval(labels, scores, level=0.9)
    assert names_of(ax)[0] == f"strong\nAP = {area.estimate:.3f} [{area.low:.3f}, {area.high:.3f}]"
    corners = {tuple(corner) for corner in ax.patches[0].get_path().vertices.tolist()}
    positive = scores >= np.sort(scores[labels])[40]
    bounds = proportion_interval(int(labels[positive].sum()), int(positive.sum()), level=0.9)
    recall = labels[positive].sum() / labels.sum()
    assert {(recall, bounds.low), (recall, bounds.high)} <= corners
    many = drawn(plots.plot_precision_recall, *many_cases(), interval=True)
    assert len(many.patches[0].get_path().vertices) <= 802
    right = drawn(plots.plot_precision_recall, [0, 1], [0.1, 0.2], interval=True)
    assert names_of(right)[0] == "AP = 1.000"


@every("at", [0.3, 2.0, -1.0])
def test_the_point_of_a_threshold_is_marked_and_written_into_the_legend(cases, at):
    labels, scores = cases[0], cases[1]["strong"]
    positive = scores >= at
    recall, wrong = metrics.recall_score(labels, positive), positive[~labels].mean()
    roc = drawn(plots.plot_roc, labels, scores, threshold=at)
    (mark,) = (line.get_xydata()[0] for line in roc.get_lines() if line.get_label() == "_threshold")
    np.testing.assert_allclose(mark, [wrong, recall], rtol=1e-15)
    assert names_of(roc)[0].endswith(f"at {at:g}: true positive rate {recall:.3f},\nfalse positive rate {wrong:.3f}")
    other = drawn(plots.plot_precision_recall, labels, scores, threshold=at)
    marks = [line.get_xydata()[0] for line in other.get_lines() if line.get_label() == "_threshold"]
    if not positive.any():
        assert marks == []
        assert names_of(other)[0].endswith(f"at {at:g}: nothing predicted positive")
        return
    precision = metrics.precision_score(labels, positive)
    np.testing.assert_allclose(marks, [[recall, precision]], rtol=1e-15)
    assert names_of(other)[0].endswith(f"at {at:g}: precision {precision:.3f},\nrecall {recall:.3f}")


def test_a_threshold_has_the_width_of_scores_and_the_positive_class_any_name(ax):
    narrow = drawn(plots.plot_roc, [0, 1], np.array([0.1, 0.3], np.float32), threshold=0.3)
    assert names_of(narrow)[0].endswith("true positive rate 1.000,\nfalse positive rate 0.000")
    plots.plot_roc(["ham", "spam", "spam"], [0.1, 0.2, 0.9], pos_label="spam", ax=ax)
    assert names_of(ax) == ["AUC = 1.000"]


def test_evaluations_are_drawn_as_their_cases(cases):
    labels, scores = cases
    evaluations = {name: evaluation_of(labels, column) for name, column in scores.items()}
    for plot in (plots.plot_roc, plots.plot_precision_recall, plots.plot_det, plots.plot_gains, plots.plot_lift,
                 plots.plot_thresholds, plots.plot_calibration):  # fmt: skip
        ours, theirs = drawn(plot, evaluations).get_lines(), drawn(plot, labels, scores).get_lines()
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())
            assert one.get_label() == other.get_label()
    given = ((evaluations["strong"],), (labels, scores["strong"]))
    one, other = (drawn(plots.plot_score_distributions, *each).patches[1].get_data().values for each in given)
    np.testing.assert_array_equal(one, other)
    assert len(drawn(plots.plot_roc, evaluations["strong"], interval=True).patches) == 1


def test_weights_count_as_so_many_cases():
    labels, scores, weights = np.array([1, 0, 1, 0]), np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 2, 3, 1])
    repeated = np.repeat(labels, weights), np.repeat(scores, weights)
    for plot in (plots.plot_roc, plots.plot_precision_recall, plots.plot_det, plots.plot_gains, plots.plot_lift,
                 plots.plot_thresholds, plots.plot_calibration):  # fmt: skip
        one = drawn(plot, labels, scores, sample_weight=weights).get_lines()[0]
        other = drawn(plot, *repeated).get_lines()[0]
        np.testing.assert_allclose(one.get_xydata(), other.get_xydata(), atol=1e-15)
        assert one.get_label() == other.get_label()


def test_bands_of_frequencies_are_those_of_repeated_cases(cases):
    labels, scores, weights = cases[0], cases[1]["strong"], np.arange(400) % 4
    repeated = np.repeat(labels, weights), np.repeat(scores, weights)
    for plot in (plots.plot_roc, plots.plot_precision_recall):
        one = drawn(plot, labels, scores, interval=True, sample_weight=weights, weight_type="frequency")
        texts, band = names_of(one), one.patches[0].get_path().vertices
        other = drawn(plot, *repeated, interval=True)
        assert texts == names_of(other)
        np.testing.assert_array_equal(band, other.patches[0].get_path().vertices)


def test_a_target_prevalence_is_that_of_the_metrics(cases):
    labels, scores = cases[0], cases[1]["strong"]
    options = {"target_prevalence": 0.02, "sample_weight": np.arange(1, 401)}
    for plot, metric in ((plots.plot_gains, metrics.cumulative_gains_curve), (plots.plot_lift, metrics.lift_curve)):
        found = drawn(plot, labels, scores, **options).get_lines()[0].get_data()
        np.testing.assert_array_equal(found, metric(labels, scores, **options))
    ax = drawn(plots.plot_precision_recall, labels, scores, **options)
    average_precision = metrics.average_precision_score(labels, scores, **options)
    assert names_of(ax) == [f"AP = {average_precision:.3f}", "prevalence 0.02"]
    curves = metrics.metric_curves(labels, scores, **options)
    ax = drawn(plots.plot_thresholds, labels, scores, measures="precision", **options)
    heights = np.concatenate([line.get_ydata() for line in ax.get_lines()[:2]])
    assert set(heights) == set(curves.values(lambda tp, fn, fp, tn: tp / (tp + fp)))


def test_curves_of_many_cases_hardly_move_and_keep_their_numbers(monkeypatch):
    rng = np.random.default_rng(5)
    labels = rng.random(40_000) < 0.1
    scores = rng.random(labels.size) + 0.4 * labels
    for plot in (plots.plot_roc, plots.plot_precision_recall, plots.plot_gains, plots.plot_thresholds):
        every = drawn(plot, labels, scores).get_lines()[0]
        x, y, text = every.get_xdata(), every.get_ydata(), every.get_label()
        with monkeypatch.context() as patched:
            patched.setattr("evalcore.plots.models._MANY", 1000)
            some = drawn(plot, labels, scores).get_lines()[0]
        assert some.get_label() == text
        grid = np.linspace(max(x[0], 0.02), x[-1], 500)
        assert np.abs(np.interp(grid, x, y) - np.interp(grid, some.get_xdata(), some.get_ydata())).max() < 1 / 500


def lines_of(ax):
    return {line.get_label(): line for line in ax.get_lines()}


def test_curves_of_net_benefit_have_bands_and_both_strategies(cases):
    labels, models = cases
    found = drawn(plots.plot_decision_curve, labels, models, interval=True, level=0.9, title="$a")
    references = [f"treat all (prevalence {labels.mean():.3g})", "treat none", "band: pointwise 90%"]
    assert [*lines_of(found)] == ["strong", "weak", *references]
    assert names_of(found) == [*lines_of(found)]
    for name, scores in models.items():
        expected = decision_curve(labels, scores, level=0.9)
        np.testing.assert_array_equal(lines_of(found)[name].get_data(), [expected.thresholds, expected.net_benefit])
    np.testing.assert_array_equal(found.get_lines()[2].get_ydata(), expected.treat_all)
    band = [patch for patch in found.patches if patch.get_label() == "_band"][1].get_xy()
    np.testing.assert_array_equal(band[:198, 1], [*expected.high, *expected.low[::-1]])
    low, high = found.get_ylim()
    assert low < 0 < expected.treat_all[0] < high < 2 * expected.treat_all[0]
    assert (found.get_xlabel(), found.get_ylabel(), found.get_title()) == ("threshold", "net benefit", r"\$a")


def test_evaluations_of_other_cases_have_curves_of_net_benefit(cases):
    labels, models = cases
    parts = {"all": slice(None), "half": slice(200)}
    evaluations = {name: evaluation_of(labels[rows], models["strong"][rows]) for name, rows in parts.items()}
    found = drawn(plots.plot_decision_curve, evaluations)
    expected = decision_curve(labels[:200], models["strong"][:200])
    np.testing.assert_array_equal(lines_of(found)["half"].get_ydata(), expected.net_benefit)
    assert sum(label.startswith("treat all") for label in lines_of(found)) == 2  # their prevalences differ


def test_a_known_prevalence_is_that_of_the_net_benefit_at_chosen_thresholds(cases):
    labels, models = cases
    options = {"thresholds": [0.1, 0.3], "target_prevalence": 0.05, "sample_weight": np.ones(400)}
    found = drawn(plots.plot_decision_curve, labels, models["weak"], **options, percent=True)
    expected = decision_curve(labels, models["weak"], **options)
    np.testing.assert_array_equal(lines_of(found)["model"].get_ydata(), expected.net_benefit)
    assert "treat all (prevalence 0.05)" in lines_of(found)
