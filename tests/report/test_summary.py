"""Summaries say what the numbers carry, and no more."""

import math
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import evalcore
from evalcore.evaluation.catalogue import entry_of
from evalcore.evaluation.model import CERTIFIED, Answer, CountRecords, Section, Statistic, Whole
from evalcore.evaluation.options import spelled_for_a_shell
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import Costs
from evalcore.evaluation.wording import Sentence, count, number, p_value, percent
from evalcore.inference import Interval, proportion_interval
from evalcore.report.page.document import numbers_panel
from evalcore.report.page.panels import View
from evalcore.report.rendering import as_table
from evalcore.report.words.summary import headline, sentences, summary
from tests.differences import every

LEVEL = 0.95


def statistic(name, value, interval=None):
    return Statistic(name, entry_of(name).title, value, interval)


def statistics(values, intervals=None):
    return [statistic(name, value, (intervals or {}).get(name)) for name, value in values.items()]


def interval(low, high, level=LEVEL, method="delong"):
    return Interval((low + high) / 2, low, high, level, method)


def record(area, bounds=None, *, cases=1000, positives=250, **more):
    """Return the record of a model; bounds: of its ROC AUC."""
    values = {"cases": cases, "positives": positives, "prevalence": positives / cases, "roc_auc": area, **more}
    return statistics(values, {} if bounds is None else {"roc_auc": bounds})


def bounded(low, high):
    """Return the record of a model whose area certainly lies between bounds."""
    return record((low + high) / 2, interval(low, high, 1.0, CERTIFIED))


def pair(difference, low, high, p, holm=None):
    values = {"roc_auc_difference": difference, "p_value": p} | ({} if holm is None else {"p_value_holm": holm})
    return statistics(values, {"roc_auc_difference": interval(low, high)})


def said(records, pairs=None, **more):
    """Return the sentences on models; pairs: their comparisons; more: of the question and the answer."""
    sections = [Section("scores", "", "score", records, across=True)]
    if pairs:
        sections.append(Section("comparisons", "", "pair", pairs))
    answer = Answer(sections, adjusted=more.pop("adjusted", 0), scores=more.pop("scores", {}))
    return list(map(str, sentences(answer, Question("late", tuple(records), **more))))


ON = "on 1,000 cases, 25.0% of them positive (late)"
INDEPENDENT = "Intervals treat cases as independent."


@every(
    ("area", "bounds", "expected"),
    (0.732, None, [f"m has a ROC AUC of 0.732, {ON}."]),
    (0.4, None, [f"m has a ROC AUC of 0.400, {ON}."]),
    (1.0, None, [f"m ranks every positive above every negative: ROC AUC 1.000, {ON}."]),
    (1 - 1e-9, None, [f"m has a ROC AUC of >0.999, {ON}."]),
    (0.732, interval(0.7, 0.764), [
        f"m ranks better than chance: ROC AUC 0.732 (95% interval 0.700 to 0.764), {ON}.", INDEPENDENT]),
    (0.52, interval(0.48, 0.56), [
        "m was not found to rank better or worse than chance: ROC AUC 0.520 (95% interval 0.480 to 0.560), "
        f"{ON}.", INDEPENDENT]),
    (0.31, interval(0.28, 0.34), [
        f"m ranks worse than chance: ROC AUC 0.310 (95% interval 0.280 to 0.340), {ON}.",
        "Perhaps high scores mean the negative label.", INDEPENDENT]),
    (0.75, interval(math.nan, math.nan), [f"m has a ROC AUC of 0.750, {ON}."]),
    (0.75, interval(0.6875, 0.75, 1.0, CERTIFIED), [
        f"m has a ROC AUC of 0.687500 to 0.750000, {ON}.",
        "The exact areas are certain to lie within these bounds."]),
    (0.75, interval(0.75, 0.75, 1.0, CERTIFIED), [f"m has a ROC AUC of 0.750, {ON}."]),
    (0.75, interval(0.70000049, 0.80000051, 1.0, CERTIFIED), [  # rounded outward
        f"m has a ROC AUC of 0.700000 to 0.800001, {ON}.",
        "The exact areas are certain to lie within these bounds."]),
)  # fmt: skip
def test_one_model_is_compared_with_chance_if_it_has_an_interval(area, bounds, expected):
    assert said({"m": record(area, bounds)}) == expected


@every(
    ("positives", "expected"),
    (0, "No ROC AUC is defined, because none of the 1,000 cases is positive (late)."),
    (1000, "No ROC AUC is defined, because all 1,000 cases are positive (late)."),
)
def test_one_class_alone_is_all_that_is_said(positives, expected):
    records = {"m": record(math.nan, positives=positives, maximum_f1=0.0, maximum_f1_threshold=0.5)}
    assert said(records) == said(records | {"other": records["m"]}) == [expected]


@every(
    ("cases", "positives", "expected"),
    (80, 29, "Fewer than 30 cases are positive: too few to tell how models rank other cases."),
    (31, 30, "Fewer than 30 cases are negative: too few to tell how models rank other cases."),
)
def test_too_few_cases_tell_nothing_apart(cases, positives, expected):
    records = {name: record(area, interval(area - 0.1, area + 0.1), cases=cases, positives=positives)
               for name, area in (("a", 0.8), ("b", 0.3))}  # fmt: skip
    first, *rest = said(records, {"a - b": pair(0.5, 0.4, 0.6, 1e-9)})
    assert first.startswith("a has the larger ROC AUC: 0.800 against 0.300 for b, ")
    assert rest == [expected, INDEPENDENT]
    assert said({"a": records["a"]})[0].startswith("a has a ROC AUC of 0.800 (95% interval 0.700 to 0.900), on ")


@every(
    ("positive", "expected"),
    [(None, "(late)"), ("1", "(late = 1)"), ("old elm", "(late = 'old elm')"), ("", "(late = '')")],
)
def test_the_positive_label_is_named_and_few_positives_counted(positive, expected):
    assert said({"m": record(0.7)}, positive=positive)[0].endswith(f"positive {expected}.")
    (few,) = said({"m": record(0.7, cases=10**6, positives=1234)}, positive=positive)
    assert few == f"m has a ROC AUC of 0.700, on 1,000,000 cases, 1,234 of them positive {expected}."


A, B, C, D = record(0.8), record(0.7), record(0.6), record(0.55)
APART, ALIKE = pair(0.1, 0.05, 0.15, 1e-5), pair(0.1, -0.05, 0.25, 0.2)
BETTER = f"a ranks better than b: ROC AUC 0.800 against 0.700, difference 0.100 (95% interval 0.050 to 0.150, \
p < 0.001), {ON}."
SAME = f"No significant difference was found between a and b: ROC AUC 0.800 against 0.700, difference 0.100 (95% \
interval -0.050 to 0.250, p = 0.200), {ON}."
LARGEST = f"a has the largest ROC AUC of 4 models, 0.800, {ON}."
THEN_BETTER, THEN_SAME = (text.replace(f", {ON}", "") for text in (BETTER, SAME))


@every(
    ("records", "pairs", "expected"),
    ({"a": A, "b": B}, {"a - b": APART}, BETTER),
    ({"a": A, "b": B}, {"a - b": ALIKE}, SAME),
    ({"b": B, "a": A}, {"b - a": pair(-0.1, -0.15, -0.05, 1e-5)}, BETTER),
    ({"b": B, "a": A}, None, f"a has the larger ROC AUC: 0.800 against 0.700 for b, {ON}."),
    ({"a": A, "b": A}, None, f"a and b have the same ROC AUC, 0.800, {ON}."),
    ({"a": A, "b": A, "c": C}, None, f"a and b have the same ROC AUC, 0.800, against 0.600 for c, {ON}."),
    ({"c": C, "b": B, "a": A}, None,
     f"a has the largest ROC AUC of 3 models: 0.800 against 0.700 for b and 0.600 for c, {ON}."),
    ({"a": A, "b": A}, {"a - b": pair(0.0, -0.1, 0.1, 1.0)},
     f"a and b have the same ROC AUC, 0.800, difference 0.000 (95% interval -0.100 to 0.100, p = 1.000), {ON}."),
)  # fmt: skip
def test_models_are_told_apart_by_a_test_and_else_their_areas_alone(records, pairs, expected):
    assert said(records, pairs)[0] == expected


def test_adjusted_p_values_decide_where_they_are_defined():
    undefined = pair(0.1, math.nan, math.nan, math.nan)
    assert said({"a": A, "b": B}, {"a - b": undefined}) == said({"a": A, "b": B})
    first, *_, adjusted = said({"a": A, "b": B}, {"a - b": holm(APART, 0.06)}, adjusted=6)
    assert first.startswith("No significant difference was found between a and b: ")
    assert "p = 0.060" in first
    assert adjusted == "P-values are adjusted for 6 comparisons by Holm's method."
    assert said({"a": A, "b": B}, {"a - b": APART}, adjusted=1) == [BETTER]


def holm(found, p):
    return [item for item in found if item.name != "p_value_holm"] + [statistic("p_value_holm", p)]


@every(
    ("tests", "expected"),
    ([1e-5, 1e-5, 1e-5], [THEN_BETTER, "a also ranks better than c (0.600) and d (0.550)."]),
    ([0.2, 1e-5, 1e-5], [THEN_SAME, "a ranks better than c (0.600) and d (0.550)."]),
    ([0.2, 0.2, 1e-5], [THEN_SAME, "a ranks better than d (0.550).",
                        "No significant difference was found between a and c (0.600)."]),
    ([0.2, 0.2, 0.2], [THEN_SAME,
                       "No significant difference was found between a and any of c (0.600) and d (0.550)."]),
    ([1e-5, math.nan, 1e-5], [THEN_BETTER, "a also ranks better than d (0.550).",
                              "No test of a against c (0.600) is defined."]),
    ([1e-5, None, None], [THEN_BETTER, "c (0.600) and d (0.550) were not compared with a; compare='best' tests a "
                                       "against all others."]),
    ([1e-5, 1e-5, None], [THEN_BETTER, "a also ranks better than c (0.600).",
                          "d (0.550) was not compared with a; compare='best' tests a against all others."]),
)  # fmt: skip
def test_more_models_are_told_in_a_clause(tests, expected):
    known = {1e-5: APART, 0.2: ALIKE}
    pairs = {f"a - {name}": known.get(p, pair(0.1, 0.0, 0.2, math.nan))
             for name, p in zip("bcd", tests, strict=True) if p is not None}  # fmt: skip
    assert said({"a": A, "b": B, "c": C, "d": D}, pairs) == [LARGEST, *expected]


def test_the_nearest_model_that_was_tested_comes_first_and_the_command_names_its_option():
    assert said({"c": C, "a": A, "b": B}, {"c - a": pair(-0.2, -0.25, -0.15, 1e-9)}) == [
        f"a has the largest ROC AUC of 3 models, 0.800, {ON}.",
        "a ranks better than c: ROC AUC 0.800 against 0.600, difference 0.200 (95% interval 0.150 to 0.250, "
        "p < 0.001).",
        "b (0.700) was not compared with a; compare='best' tests a against all others.",
    ]
    with spelled_for_a_shell():
        last = said({"c": C, "a": A, "b": B}, {"c - a": pair(-0.2, -0.25, -0.15, 1e-9)})[-1]
    assert last == "b (0.700) was not compared with a; --versus best tests a against all others."


def test_transforms_of_the_best_scores_rank_alike():
    undefined = pair(0.0, math.nan, math.nan, math.nan)
    alike = "a and p rank every positive against every negative alike"
    assert said({"a": A, "p": A}, {"a - p": undefined}) == [f"{alike}: ROC AUC 0.800, {ON}."]
    first, *rest = said({"a": A, "p": A, "b": B}, {"a - p": undefined, "a - b": APART})
    assert first == f"a and p share the largest ROC AUC of 3 models, 0.800, {ON}."
    assert rest == [THEN_BETTER, f"{alike}."]
    assert said({"a": A, "p": A, "b": B}, {"a - p": undefined})[1] == f"{alike}."
    late, model = np.arange(80) % 2, np.sin(np.arange(80))
    columns = {"late": late, "a": model, "p": np.exp(model)}
    report = evalcore.evaluate(columns, label="late", score=["a", "p"], ci=LEVEL, ci_method="delong")
    assert report.summary.startswith(f"{alike}: ROC AUC ")
    many = {name: np.tile(column, 100) for name, column in columns.items()}
    report = evalcore.evaluate(many, label="late", score=["a", "p"], ci=LEVEL)
    assert report.summary.startswith(f"{alike}: ROC AUC ")
    report = evalcore.evaluate(columns, label="late", score=["a", "p"], ci=LEVEL)
    assert report.summary.startswith("a and p have the same ROC AUC, 0.494, difference 0.000 (95% interval -0.00060 ")


def test_models_that_rank_no_better_than_chance_or_nothing_are_named():
    worse, unsure = record(0.3, interval(0.2, 0.4)), record(0.5, interval(0.45, 0.55))
    best = record(0.8, interval(0.75, 0.85))
    assert said({"a": best, "b": worse, "c": unsure, "d e": unsure})[1:] == [
        "b (0.300) ranks worse than chance: perhaps high scores mean the negative label.",
        "c (0.500) and 'd e' (0.500) were not found to rank better or worse than chance.",
        INDEPENDENT,
    ]
    assert said({"a": unsure, "b": worse, "c": worse})[1:-1] == [
        "b (0.300) and c (0.300) rank worse than chance: perhaps high scores mean the negative label.",
        "a (0.500) was not found to rank better or worse than chance.",
    ]
    scores = {"tied": np.full(3, 2.0), "half": np.array([1.0, 2.0, 3.0])}
    tied, half = record(0.5), record(0.5)
    assert said({"tied": tied}, scores=scores) == [f"tied gives every case the same score, so it ranks nothing, {ON}."]
    assert said({"half": half}, scores=scores) == [f"half has a ROC AUC of 0.500, {ON}."]
    assert said({"a": A, "tied": tied, "half": half}, scores=scores)[1:] == ["tied gives every case the same score."]


def decided(tp, fn, fp, tn, threshold=0.3):
    counts = {"threshold": threshold, "tp": tp, "fn": fn, "fp": fp, "tn": tn}
    ratios = {"recall": tp / (tp + fn), "precision": tp / (tp + fp) if tp + fp else 0.0}
    return record(0.8, maximum_f1=0.5, maximum_f1_threshold=0.2, **counts, **ratios)


@every(
    ("counts", "expected"),
    ((120, 130, 130, 620), "At threshold 0.3, a finds 48% of the positives; 48% of its alarms are right."),
    ((250, 0, 0, 750), "At threshold 0.3, a finds 100% of the positives; 100% of its alarms are right."),
    ((249, 1, 1, 749), "At threshold 0.3, a finds >99% of the positives; >99% of its alarms are right."),
    ((10, 240, 10, 740), "At threshold 0.3, a finds 4% of the positives; 50% of its alarms are right."),
    ((19, 231, 0, 750), "At threshold 0.3, a finds 8% of the positives; 19 of its 19 alarms are right."),
    ((1, 249, 1, 749), "At threshold 0.3, a finds <1% of the positives; 1 of its 2 alarms is right."),
    ((1, 249, 0, 750), "At threshold 0.3, a finds <1% of the positives; its one alarm is right."),
    ((0, 250, 0, 750), "At threshold 0.3, a predicts no case positive."),
    ((250, 0, 750, 0), "At threshold 0.3, a predicts every case positive."),
    ((0, 250, 1, 749), "At threshold 0.3, a finds no positive; its one alarm is wrong."),
    ((0, 250, 12, 738), "At threshold 0.3, a finds no positive; all its 12 alarms are wrong."),
)
def test_the_best_model_is_judged_at_the_threshold(counts, expected):
    records = {"b": B, "a": decided(*counts)}
    assert said(records)[1:] == [expected]


def test_costs_and_thresholds_are_told_with_what_could_be_chance():
    items = decided(120, 130, 130, 620) + statistics({"expected_cost": 0.78125})
    assert said({"m": items})[2] == "At this threshold the average cost per case is 0.781."
    best = record(0.8, maximum_f1=0.491, maximum_f1_threshold=0.232)
    text = "The largest F1 of a is 0.491, at threshold 0.232, which was chosen on these same cases."
    assert said({"b": B, "a": best})[1:] == [text]
    for area, bounds, score in ((0.4, None, 0.2), (0.52, interval(0.48, 0.56), 0.2), (0.8, None, math.inf)):
        assert "F1" not in " ".join(said({"a": record(area, bounds, maximum_f1=0.5, maximum_f1_threshold=score)}))
    text = "Such agreement could be chance: kappa could be 0 (95% interval -0.100 to 0.200)."
    assert of_classes(RIGHT, ["ash", "elm"], kappa_bounds=interval(-0.1, 0.2))[1:] == [text]
    assert of_classes(RIGHT, ["ash", "elm"], kappa_bounds=interval(0.1, 0.2))[1:] == []
    assert of_classes(RIGHT, ["ash", "elm"], bounds=interval(0.75, 0.85))[1:] == [INDEPENDENT]


def costly(least, score, given=None, area=0.8):
    """Return the record of a model by its lowest expected cost; given: the expected cost at threshold 0.3."""
    items = record(area, minimum_expected_cost=least, minimum_expected_cost_threshold=score)
    return items + ([] if given is None else decided(120, 130, 130, 620)[4:] + statistics({"expected_cost": given}))


CHOSEN = "This threshold was chosen on these same cases."


@every(
    ("costs", "records", "expected"),
    ((1, 5), {"a": costly(0.564, 0.197)},
     ["If a false positive costs 1 and a false negative 5, a is cheapest at threshold 0.197: 0.564 a case, "
     "against 0.750 if every case is flagged.", CHOSEN]),
    ((1, 2), {"a": costly(0.4, 0.2, 0.421)},
     ["If a false positive costs 1 and a false negative 2, a is cheapest at threshold 0.2: 0.400 a case, "
     "against 0.421 at 0.3 and 0.500 if no case " "is flagged.", CHOSEN]),
    ((1, 5), {"a": costly(0.6, 0.1), "b": costly(0.564, 0.197, area=0.7)},
     ["If a false positive costs 1 and a false negative 5, the cheapest model is b, at threshold 0.197: 0.564 "
     "a case, against 0.750 if every case " "is flagged.", CHOSEN]),
    ((1, 5), {"a": costly(0.74996, 0.197)},
     ["If a false positive costs 1 and a false negative 5, a is cheapest at threshold 0.197: 0.74996 a case, "
     "against 0.75 if every case is " "flagged.", CHOSEN]),
    ((9, 1), {"a": costly(0.25, math.inf)}, [
        "If a false positive costs 9 and a false negative 1, it is cheapest to flag no case: 0.250 a case, "
        "against 6.750 if every case is flagged."]),
    ((9, 1), {"a": costly(0.25, math.inf, 0.5)},
     ["If a false positive costs 9 and a false negative 1, it is cheapest to flag no case: 0.250 a case, "
     "against 0.500 for a at 0.3 and 6.750 if " "every case is flagged."]),
    ((1, 90), {"a": costly(0.75, 0.1, 0.8)},
     ["If a false positive costs 1 and a false negative 90, it is cheapest to flag every case: 0.750 a case, "
     "against 0.800 for a at 0.3 and 22.5 if " "no case is flagged."]),
)  # fmt: skip
def test_the_cheapest_threshold_is_told(costs, records, expected):
    found = [text for text in said(records, costs=Costs(*costs))[1:] if not text.startswith("At threshold")]
    assert found == expected


def test_thresholds_are_written_so_that_no_case_is_lost():
    scores = np.array([0.23158231, 0.2315823, 0.9, 0.1] * 40)
    late = np.array([True, False, True, False] * 40)
    report = evalcore.evaluate({"late": late, "a": scores}, label="late", score="a")
    at = re.search("at threshold ([0-9.]+), which", report.summary)[1]
    assert np.count_nonzero(scores >= float(at)) == np.count_nonzero(scores >= 0.23158231)
    assert at == "0.23158231"
    panel = numbers_panel(View(report.answer, report.question, {}))
    (cell,) = (
        row[1] for part in panel.content["parts"] for row in part.table.rows if row[0].strip() == "at the threshold"
    )
    assert (cell.text, cell.full) == (at, "")
    items = statistics({"maximum_f1": 0.5, "maximum_f1_threshold": 0.2315829})
    (line,) = (line for line in as_table([Section("s", "", "score", {"a": items}, across=True)], "").splitlines()
               if "at the threshold" in line)  # fmt: skip
    assert line.split()[-1] == "0.231582"


@every(("threshold", "text"), [(0.3, "0.3"), (1234567.5, "1234567.5"), (-1e-9, "-1e-09"), (math.inf, "inf")])
def test_the_threshold_is_written_as_it_was_given(threshold, text):
    assert f"At threshold {text}, m finds" in said({"m": decided(120, 130, 130, 620, threshold)})[1]


def said_of_groups(groups, total, by=("carrier",), models=("a",), level=None):
    records = {**groups, "total": total}
    sections = [Section(name, name, "group", records, whole=Whole("scores", "score")) for name in models]
    return list(map(str, sentences(Answer(sections), Question("late", tuple(models), by=by, level=level))))[1:]


SHOWS = "ci=0.95 shows whether that could be chance."


@every(
    ("groups", "by", "models", "expected"),
    ({"UA": A, "HA": C}, ("carrier",), "a",
     [f"The lowest ROC AUC of 2 groups is 0.600, of carrier HA, against 0.800 for all cases; {SHOWS}"]),
    ({"UA": A, "HA": C}, ("carrier",), "ab",
     [f"The lowest ROC AUC of 2 groups is 0.600, of carrier HA, against 0.800 for all cases; {SHOWS}"]),
    ({"UA, 1": A, "UA, 2": C}, ("carrier", "month"), "a",
     [f"The lowest ROC AUC of 2 groups is 0.600, of carrier UA, month 2, against 0.800 for all cases; {SHOWS}"]),
    ({"UA": A, "": B, "HA": record(0.1, cases=40, positives=29)}, ("my carrier",), "a",
     [f"The lowest ROC AUC of 2 groups is 0.700, of 'my carrier' '', against 0.800 for all cases; {SHOWS}",
      "That leaves out 1 group with fewer than 30 positives or negatives."]),
    ({"UA": A, "B6": B, "HA": record(math.nan, positives=0), "OO": record(0.1, cases=40)}, ("carrier",), "a",
     [f"The lowest ROC AUC of 2 groups is 0.700, of carrier B6, against 0.800 for all cases; {SHOWS}",
      "That leaves out 2 groups with fewer than 30 positives or negatives."]),
    ({"UA": A, "HA": C, "B6": C}, ("carrier",), "a",
     ["The lowest ROC AUC of 3 groups is 0.600, of carrier HA and carrier B6, against 0.800 for all "
      f"cases; {SHOWS}"]),
    ({"UA": A, "HA": A}, ("carrier",), "a", []),
    ({"UA": A, "HA": record(0.1, cases=40)}, ("carrier",), "a", []),
    ({"HA": record(0.1, cases=40), "OO": record(math.nan, positives=0)}, ("carrier",), "a",
     ["No group has at least 30 positives and 30 negatives, so none is named as the worst."]),
    ({"UA": bounded(0.625, 0.6875), "HA": bounded(0.6875, 0.75)}, ("carrier",), "a",
     ["The lowest ROC AUC of 2 groups is 0.625000 to 0.687500, of carrier UA, against 0.800 for all cases."]),
    ({"UA": bounded(0.625, 0.75), "HA": bounded(0.6875, 0.75)}, ("carrier",), "a", []),
    ({"UA": bounded(0.625, 0.6875), "HA": bounded(0.6875, 0.75), "B6": bounded(0.5, 1)}, ("carrier",), "a", []),
    ({"UA": bounded(0.625, 0.6875), "HA": bounded(0.625, 0.6875), "B6": A}, ("carrier",), "a", []),
)  # fmt: skip
def test_the_worst_group_has_enough_cases(groups, by, models, expected):
    assert said_of_groups(groups, A, by, tuple(models)) == expected


def around(area, reach):
    return record(area, interval(area - reach, area + reach))


NO_GROUP = "was found to have a lower ROC AUC than all cases (0.800) after adjustment for picking the worst of"
REMAINS = "against 0.800 for all cases, a difference that remains after adjustment for picking the worst of"


@every(
    ("groups", "expected"),
    [  # 95% intervals of two groups are wider by 1.1436 when adjusted, those of three by 1.2214
        ({"UA": A, "HA": around(0.71, 0.078)},
         [f"Of 2 groups, a does worst on carrier HA: ROC AUC 0.710 (95% interval 0.632 to 0.788), {REMAINS} 2."]),
        ({"UA": A, "HA": around(0.71, 0.078), "B6": around(0.9, 0.1)},
         [f"None of 3 groups {NO_GROUP} 3; the lowest is 0.710, of carrier HA."]),
        ({"UA": A, "HA": around(0.6, 0.2), "B6": around(0.7, 0.05)},
         ["Of the groups that are certainly worse than all cases, a does worst on carrier B6: ROC AUC 0.700 (95% "
          f"interval 0.650 to 0.750), {REMAINS} 3.",
          "The lowest ROC AUC of all 3 groups is 0.600, of carrier HA, on too few cases to be sure that it is lower "
          "than that of all cases."]),
        ({"UA": A, "HA": around(0.6, 0.1), "B6": around(0.6, 0.05)},
         [f"Of 3 groups, a does worst on carrier HA and carrier B6: ROC AUC 0.600, {REMAINS} 3."]),
        ({"UA": A, "HA": record(0.1, interval(math.nan, math.nan))},
         [f"None of 2 groups {NO_GROUP} 2; the lowest is 0.100, of carrier HA."]),
        ({"UA": A, "HA": record(0.75, Interval(0.75, 0.55, 0.76, LEVEL, "delong")), "B6": record(0.1, cases=40)},
         [f"None of 2 groups {NO_GROUP} 2; the lowest is 0.750, of carrier HA.",
          "That leaves out 1 group with fewer than 30 positives or negatives."]),
    ],
)  # fmt: skip
def test_the_worst_group_is_below_all_cases_when_adjusted_for_its_choice(groups, expected):
    assert said_of_groups(groups, A, level=LEVEL) == expected


@every(
    ("bounds", "expected"),
    ([(0.625, 0.6875), (0.75, 0.8125)],
     f"b has the larger ROC AUC: 0.750000 to 0.812500 against 0.625000 to 0.687500 for a, {ON}."),
    ([(0.625, 0.78125), (0.75, 0.8125)],
     f"It is not certain which model has the largest ROC AUC: b 0.750000 to 0.812500 and a 0.625000 to 0.781250, "
     f"{ON}."),
    ([(0.625, 0.625), (0.75, 0.8125)],
     f"b has the larger ROC AUC: 0.750000 to 0.812500 against 0.625 for a, {ON}."),
    ([(0.75, 0.75), (0.75, 0.8125)],
     f"It is not certain which model has the largest ROC AUC: b 0.750000 to 0.812500 and a 0.750, {ON}."),
)  # fmt: skip
def test_bounds_of_exact_values_are_compared_only_where_they_are_apart(bounds, expected):
    records = {name: bounded(*ends) for name, ends in zip("ab", bounds, strict=True)}
    assert said(records) == [expected, "The exact areas are certain to lie within these bounds."]


def of_classes(counts, names, *, accuracy=0.8, bounds=None, kappa_bounds=None, predicted="guess", f1=()):
    values = {"cases": 1000, "classes": len(names), "accuracy": accuracy, "macro_f1": 0.75, "kappa": 0.5}
    intervals = {"accuracy": bounds, "kappa": kappa_bounds}
    items = statistics(values, {name: each for name, each in intervals.items() if each})
    classes = {name: statistics({"cases": cases, "f1": value}) for name, (cases, value) in zip(names, f1, strict=False)}
    counts = CountRecords(names, names, np.array(counts, dtype=int))
    sections = [Section("statistics", "", "", {"": items}), Section("classes", "", "class", classes),
                Section("confusion_matrix", "", "label", counts)]  # fmt: skip
    return list(map(str, sentences(Answer(sections), Question("tree", predicted=(predicted,) if predicted else ()))))


RIGHT = [[5, 0], [0, 5]]
MORE = "2 classes in column tree, Cohen's kappa 0.500, macro F1 0.750"


@every(
    ("asked", "expected"),
    ({}, f"guess is right for 80.0% of 1,000 cases, {MORE}."),
    ({"predicted": None}, f"The class with the highest score is right for 80.0% of 1,000 cases, {MORE}."),
    ({"predicted": "my guess", "bounds": interval(0.75, 0.85)},
     f"'my guess' is right for 80.0% of 1,000 cases (95% interval 75.0% to 85.0%), {MORE}."),
    ({"accuracy": 1.0}, f"guess is right for all 1,000 cases, {MORE}."),
    ({"accuracy": 0.99999}, f"guess is right for >99.9% of 1,000 cases, {MORE}."),
)  # fmt: skip
def test_predicted_classes_are_right_for_a_part_of_the_cases(asked, expected):
    assert of_classes(RIGHT, ["ash", "elm"], **asked)[0] == expected


@every(
    ("counts", "f1", "expected"),
    (RIGHT, (), []),
    ([[5, 1], [0, 5]], (), ["The most frequent error is ash mistaken for 'old elm', once."]),
    ([[5, 1], [1234, 5]], (), ["The most frequent error is 'old elm' mistaken for ash, 1,234 times."]),
    ([[5, 7], [7, 5]], (), ["One of the most frequent errors is ash mistaken for 'old elm', 7 times."]),
    (np.eye(3), [(30, 0.7), (40, 0.6), (29, 0.1)], []),
    (np.eye(3), [(30, 0.7), (40, 0.6), (30, 0.9)],
     ["Of the classes with at least 30 cases, 'old elm' has the lowest F1: 0.600."]),
    (np.eye(3), [(30, 0.6), (40, 0.6), (30, 0.9)],
     ["Of the classes with at least 30 cases, ash and 'old elm' have the lowest F1: 0.600."]),
    (np.eye(3), [(30, 0.6), (40, 0.6), (30, 0.6)], []),
)  # fmt: skip
def test_the_most_frequent_error_and_the_worst_class_of_enough_cases_are_named(counts, f1, expected):
    assert of_classes(counts, ["ash", "old elm", "yew"][: len(counts)], f1=f1)[1:] == expected


@every(
    ("groups", "expected"),
    ({"x": (30, 0.5, None), "y": (30, 0.9, None), "z": (29, 0.1, None)},
     [f"The lowest accuracy of 2 groups is 50.0%, of g x, against 80.0% for all cases; {SHOWS}",
      "That leaves out 1 group with fewer than 30 cases."]),
    ({"x": (30, 0.5, None), "w": (30, 0.5, None), "y": (30, 0.9, None)},
     [f"The lowest accuracy of 3 groups is 50.0%, of g x and g w, against 80.0% for all cases; {SHOWS}"]),
    ({"x": (30, 0.5, None), "y": (30, 0.5, None)}, []),
    ({"x": (30, 0.5, None), "y": (29, 0.9, None)}, []),
    ({"x": (29, 0.5, None)}, []),
    # Wilson's 97.5% bounds of one case more than 67 and 68 of 100 are 0.774 and 0.782
    ({"x": (100, 0.67, proportion_interval(67, 100)), "y": (900, 0.8, None)},
     ["Of 2 groups, guess does worst on g x: accuracy 67.0% (95% interval 57.3% to 75.4%), against 77.8% for all "
      "cases, a difference that remains after adjustment for picking the worst of 2."]),
    ({"x": (100, 0.68, proportion_interval(68, 100)), "y": (900, 0.8, None)},
     ["None of 2 groups was found to have a lower accuracy than all cases (77.8%) after adjustment for picking the "
      "worst of 2; the lowest is 68.0%, of g x."]),
)  # fmt: skip
def test_the_worst_group_of_predicted_classes_has_enough_cases_and_is_below_all_when_adjusted(groups, expected):
    total, level = (0.778, LEVEL) if groups["x"][2] else (0.8, None)
    first, *rest = said_of_class_groups(groups, total, level)
    assert first == f"guess is right for {total:.1%} of 1,000 cases, {MORE}."
    assert rest[: len(expected)] == expected
    assert level or rest == expected


@every("predicted", [False, True])
def test_noise_alone_seldom_makes_a_worst_group(predicted):
    rng, runs, named = np.random.default_rng(11), 80, 0
    for _ in range(runs):
        late, groups = rng.random(600) < 0.4, rng.integers(0, 6, 600)
        model = (late ^ (rng.random(600) < 0.1)).astype(int) if predicted else late + rng.normal(size=600)
        asked = {"predicted": "m"} if predicted else {"score": "m"}
        columns = {"late": late.astype(int), "m": model, "group": groups}
        named += "does worst" in evalcore.evaluate(columns, label="late", by="group", ci=LEVEL, **asked).summary
    assert named / runs <= 1 - LEVEL


def said_of_class_groups(groups, total, level):
    groups = groups | {"total": (1000, total, None)}
    more = {"classes": 2, "macro_f1": 0.75, "kappa": 0.5}
    records = {name: statistics({"cases": cases, "accuracy": accuracy, **more}, {"accuracy": bounds} if bounds else {})
               for name, (cases, accuracy, bounds) in groups.items()}  # fmt: skip
    sections = [Section("guess", "guess", "group", records, whole=Whole("statistics", "predicted"))]
    asked = Question("tree", predicted=("guess",), by=("g",), level=level)
    return list(map(str, sentences(Answer(sections), asked)))


def test_a_headline_is_the_first_sentence_and_no_column_is_taken_for_comparisons():
    asked = Question("late", ("a", "b"))
    answer = Answer([Section("scores", "", "score", {"a": A, "b": B}, across=True),
                     Section("comparisons", "", "pair", {"a - b": APART})])  # fmt: skip
    assert headline(answer, asked) == "a ranks better than b: ROC AUC 0.800 against 0.700."
    assert summary(answer, asked) == BETTER
    assert str(Sentence("a", ["b", "c"])) == "a, b, c."
    assert (headline(Answer([]), Question("tree")), summary(Answer([]), Question("tree"))) == ("", "")
    groups = {"comparisons - b": A, "total": A}
    sections = [Section(name, name, "group", groups, whole=Whole("scores", "score")) for name in ("comparisons", "b")]
    asked = Question("late", ("comparisons", "b"), by=("pair",))
    first, *_ = sentences(Answer(sections), asked)
    assert str(first) == f"comparisons and b have the same ROC AUC, 0.800, {ON}."


LETTERS = st.text("abcxyz_", min_size=1, max_size=4)
COLUMNS = st.integers(1, 80).flatmap(
    lambda size: st.tuples(
        npst.arrays(np.int64, size, elements=st.integers(0, 1)),
        st.dictionaries(LETTERS, npst.arrays(np.float64, size, elements=st.integers(-3, 3)), min_size=1, max_size=4),
        npst.arrays(np.int64, size, elements=st.integers(0, 2)),
    )
)
NUMBER = re.compile(r"(?<![\w.])[<>]?-?\d(?:[\d,]*\d)?(?:\.\d+)?(?:e[+-]\d+)?%?(?![\w])")


def numbers_of(report):
    """Return all that sentences may call the numbers of a report."""
    rows = [number for row in report.to_csv().splitlines()[1:] for number in row.split(",")[4:7] if number]
    values = {sign * float(value) for value in rows for sign in (1, -1)}
    counts = {len(section.records) - less for section in report.sections for less in range(len(section.records))}
    counts |= {30, len(report.question.scores)}
    records = [{item.name: item.value for item in items} for part in report.sections for items in part.records.values()]
    counts |= {int(items["tp"] + items["fp"]) for items in records if "tp" in items}  # alarms
    known = {count(int(value)) for value in values | counts if math.isfinite(value) and value == int(value)}
    for value in filter(math.isfinite, values):
        known |= {number(value), percent(value), percent(value, 0), f"{value:.12g}", p_value(value).split()[-1]}
    return known | {"95%", "0.95", "0", count(report.answer.adjusted)}


@given(COLUMNS, st.sampled_from([None, LEVEL]), st.sampled_from([None, 0.5, -9.0, 9.0]), st.sampled_from([None, "by"]))
def test_every_number_of_a_summary_is_in_the_report(columns, ci, threshold, by):
    late, scores, groups = columns
    compare = "best" if ci and by is None else None
    report = evalcore.evaluate(
        {"late": late, **{f"m{name}": column for name, column in scores.items()}, "by": np.array(list("uvw"))[groups]},
        label="late", score=[f"m{name}" for name in scores], ci=ci, threshold=threshold, by=by, compare=compare,
    )  # fmt: skip
    columns = {"tree": late, "guess": groups}
    for each in (report, evalcore.evaluate(columns, label="tree", predicted="guess", ci=ci)):
        known = numbers_of(each)
        assert [text for text in NUMBER.findall(each.summary) if text not in known] == []


def report_of(name):
    return evalcore.evaluate({"late": [1, 0, 1], name: [0.9, 0.1, 0.2]}, label="late", score=name)


@every("name", ["my model", "", "<b>", 'say "no"', "it's", "7", "x" * 60, "two\nlines", "é", "a - b", "**a**"])
def test_names_of_every_kind_stand_in_summaries(name):
    report = report_of(name)
    assert "\n" not in report.summary
    assert len(report.summary) < 230
    said = " ROC AUC 1.000, on 3 cases, 66.7% of them positive (late). Fewer than 30 cases are negative: "
    assert said in report.summary
    assert "**" not in report.to_markdown().splitlines()[0]
    assert report.to_markdown().split("\n\n")[1].startswith("|")


def test_tables_pages_and_notebooks_begin_with_the_answer_whatever_names_are():
    report = report_of("<b>")
    text = "'<b>' ranks every positive above every negative: ROC AUC 1.000"
    assert repr(report).splitlines()[:2] == ["late", f"{text}."]
    escaped = text.replace("<", "&lt;").replace(">", "&gt;")
    assert report.to_markdown().startswith(text.replace("<", r"\<").replace(">", r"\>"))
    assert report._repr_html_().startswith(f"<p>{escaped.replace(chr(39), '&#x27;')}, on 3 cases")
    assert report_of(np.str_("my model")).summary.startswith("'my model' ranks ")


@every("width", [40, 80])
def test_sentences_are_wrapped_to_the_terminal(width):
    report = report_of("model")
    said = headline(report.answer, report.question)
    shown = as_table(report.sections, "late", width, lambda _hidden: report.notes, headline=said)
    lines = shown.splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(lines[1:3]).startswith("model ranks every positive above every negative: ROC AUC 1.000.")
    note = lines[next(index for index, line in enumerate(lines) if line.startswith("Note: ")) :]
    assert " ".join(map(str.strip, note)) == f"Note: {report.notes[0]}"


@every(
    ("columns", "asked", "expected"),
    ({"y": [0], "m": [0.5]}, {"score": "m"}, "No ROC AUC is defined, because the only case is not positive (y)."),
    ({"y": [1], "m": [0.5]}, {"score": "m"}, "No ROC AUC is defined, because the only case is positive (y)."),
    ({"y": ["x"], "m": ["x"]}, {"predicted": "m"}, "m is right for the only case, 1 class in column y, macro F1 "
                                                   "1.000."),
    ({"y": ["x"] * 3, "m": ["x"] * 3}, {"predicted": "m"}, "m is right for all 3 cases, 1 class in column y, macro "
                                                           "F1 1.000."),
    ({"y": [1, 0], "m": [1.0, 0.0]}, {"score": "m", "threshold": -0.0},
     "m ranks every positive above every negative: ROC AUC 1.000, on 2 cases, 50.0% of them positive (y). At "
     "threshold 0, m predicts every case positive. Fewer than 30 cases are positive: too few to tell how models "
     "rank other cases."),
)  # fmt: skip
def test_summaries_of_one_case_one_class_and_minus_zero(columns, asked, expected):
    assert evalcore.evaluate(columns, label="y", **asked).summary == expected
