"""Summaries say what the numbers carry, and no more."""

import math
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import evalcore
from evalcore.document.documents import Shown, document_of_report, document_of_sections
from evalcore.document.model import verdict_of_report
from evalcore.document.page.report import numbers_panels
from evalcore.document.terminal import as_terminal
from evalcore.document.words.summary import sentences, summary
from evalcore.evaluation.catalogue import entry_of
from evalcore.evaluation.model import CERTIFIED, Answer, CountRecords, Section, Statistic, Whole
from evalcore.evaluation.options import spelled_for_a_shell
from evalcore.evaluation.question import Question
from evalcore.evaluation.thresholds import Costs
from evalcore.evaluation.wording import Sentence, count, number, p_value, percent
from evalcore.inference import Interval, proportion_interval
from tests.differences import check_output, every

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


def of(area, low=None, high=None, **more):
    """Return the record of a model whose area has an interval of this level."""
    return record(area, None if low is None else interval(low, high), **more)


A, B, C, D = record(0.8), record(0.7), record(0.6), record(0.55)
APART, ALIKE, UNDEFINED = (
    pair(0.1, 0.05, 0.15, 1e-5),
    pair(0.1, -0.05, 0.25, 0.2),
    pair(0.1, math.nan, math.nan, math.nan),
)
SAME, TIED = pair(0.0, math.nan, math.nan, math.nan), record(0.5)
FEW = {(name, cases, positives): record(area, interval(area - 0.1, area + 0.1), cases=cases, positives=positives)
       for name, area in (("a", 0.8), ("b", 0.3)) for cases, positives in ((80, 29), (31, 30))}  # fmt: skip
NONE_AND_ALL = {
    positives: record(math.nan, positives=positives, maximum_f1=0.0, maximum_f1_threshold=0.5)
    for positives in (0, 1000)
}
SCORES = {"tied": np.full(3, 2.0), "half": np.array([1.0, 2.0, 3.0])}


def decided(tp, fn, fp, tn, threshold=0.3):
    counts = {"threshold": threshold, "tp": tp, "fn": fn, "fp": fp, "tn": tn}
    ratios = {"recall": tp / (tp + fn), "precision": tp / (tp + fp) if tp + fp else 0.0}
    return record(0.8, maximum_f1=0.5, maximum_f1_threshold=0.2, **counts, **ratios)


def costly(least, score, given=None, area=0.8):
    """Return the record of a model by its lowest expected cost; given: the expected cost at threshold 0.3."""
    items = record(area, minimum_expected_cost=least, minimum_expected_cost_threshold=score)
    return items + ([] if given is None else decided(120, 130, 130, 620)[4:] + statistics({"expected_cost": given}))


def holm(found, p):
    return [item for item in found if item.name != "p_value_holm"] + [statistic("p_value_holm", p)]


def tested(*tests):
    """Return what is said of four models, of which the best is compared with the others by these p-values."""
    known = {1e-5: APART, 0.2: ALIKE}
    pairs = {f"a - {name}": known.get(p, pair(0.1, 0.0, 0.2, math.nan))
             for name, p in zip("bcd", tests, strict=True) if p is not None}  # fmt: skip
    return said({"a": A, "b": B, "c": C, "d": D}, pairs)


DECIDED = [
    *((120, 130, 130, 620), (250, 0, 0, 750), (249, 1, 1, 749), (10, 240, 10, 740), (19, 231, 0, 750)),
    *((1, 249, 1, 749), (1, 249, 0, 750), (0, 250, 0, 750), (250, 0, 750, 0), (0, 250, 1, 749), (0, 250, 12, 738)),
]
BEST = record(0.8, maximum_f1=0.491, maximum_f1_threshold=0.232)
NO_F1 = [
    of(*area, maximum_f1=0.5, maximum_f1_threshold=at)
    for area, at in (((0.4,), 0.2), ((0.52, 0.48, 0.56), 0.2), ((0.8,), math.inf))
]
OF_MODELS = {
    **{f"an area of {area}": said({"m": record(area)}) for area in (0.732, 0.4, 1.0, 1 - 1e-9)},
    "better than chance": said({"m": of(0.732, 0.7, 0.764)}),
    "chance": said({"m": of(0.52, 0.48, 0.56)}),
    "worse than chance": said({"m": of(0.31, 0.28, 0.34)}),
    "no interval": said({"m": of(0.75, math.nan, math.nan)}),
    **{f"certainly {low} to {high}": said({"m": bounded(low, high)})
       for low, high in ((0.6875, 0.75), (0.75, 0.75), (0.70000049, 0.80000051))},
    **{f"{count} positives, {len(records)} models": said(records) for count, each in NONE_AND_ALL.items()
       for records in ({"m": each}, {"m": each, "other": each})},
    **{f"{positives} positives of {cases}": said(
        {name: FEW[name, cases, positives] for name in "ab"}, {"a - b": pair(0.5, 0.4, 0.6, 1e-9)})
       for cases, positives in ((80, 29), (31, 30))},
    "one model of few": said({"a": FEW["a", 80, 29]}),
    **{f"positive {name!r}": said({"m": record(0.7)}, positive=name) for name in (None, "1", "old elm", "")},
    "rare": said({"m": record(0.7, cases=10**6, positives=1234)}, positive="1"),
    "two apart": said({"a": A, "b": B}, {"a - b": APART}),
    "two alike": said({"a": A, "b": B}, {"a - b": ALIKE}),
    "the second is better": said({"b": B, "a": A}, {"b - a": pair(-0.1, -0.15, -0.05, 1e-5)}),
    "two without a test": said({"b": B, "a": A}),
    "two equal": said({"a": A, "b": A}),
    "two equal of three": said({"a": A, "b": A, "c": C}),
    "three without a test": said({"c": C, "b": B, "a": A}),
    "two equal in a test": said({"a": A, "b": A}, {"a - b": pair(0.0, -0.1, 0.1, 1.0)}),
    "an undefined test": said({"a": A, "b": B}, {"a - b": UNDEFINED}),
    "adjusted": said({"a": A, "b": B}, {"a - b": holm(APART, 0.06)}, adjusted=6),
    "adjusted for one": said({"a": A, "b": B}, {"a - b": APART}, adjusted=1),
    **{f"p-values {tests}": tested(*tests) for tests in (
        (1e-5, 1e-5, 1e-5), (0.2, 1e-5, 1e-5), (0.2, 0.2, 1e-5), (0.2, 0.2, 0.2), (1e-5, math.nan, 1e-5),
        (1e-5, None, None), (1e-5, 1e-5, None))},
    "the nearest was not tested": said({"c": C, "a": A, "b": B}, {"c - a": pair(-0.2, -0.25, -0.15, 1e-9)}),
    "ranked alike": said({"a": A, "p": A}, {"a - p": SAME}),
    "ranked alike of three": said({"a": A, "p": A, "b": B}, {"a - p": SAME, "a - b": APART}),
    "ranked alike, others not tested": said({"a": A, "p": A, "b": B}, {"a - p": SAME}),
    "others are chance": said({"a": of(0.8, 0.75, 0.85), "b": of(0.3, 0.2, 0.4), "c": of(0.5, 0.45, 0.55),
                               "d e": of(0.5, 0.45, 0.55)}),
    "all are chance": said({"a": of(0.5, 0.45, 0.55), "b": of(0.3, 0.2, 0.4), "c": of(0.3, 0.2, 0.4)}),
    "one score": said({"tied": TIED}, scores=SCORES),
    "several scores": said({"half": TIED}, scores=SCORES),
    "one score of others": said({"a": A, "tied": TIED, "half": TIED}, scores=SCORES),
    **{f"decided {counts}": said({"b": B, "a": decided(*counts)}) for counts in DECIDED},
    **{f"at threshold {at}": said({"m": decided(120, 130, 130, 620, at)}) for at in (0.3, 1234567.5, -1e-9, math.inf)},
    "a cost": said({"m": decided(120, 130, 130, 620) + statistics({"expected_cost": 0.78125})}),
    "the largest F1": said({"b": B, "a": BEST}),
    **{f"no F1, {index}": said({"a": each}) for index, each in enumerate(NO_F1)},
    "costs 1, 5": said({"a": costly(0.564, 0.197)}, costs=Costs(1, 5)),
    "costs 1, 2": said({"a": costly(0.4, 0.2, 0.421)}, costs=Costs(1, 2)),
    "costs of two": said({"a": costly(0.6, 0.1), "b": costly(0.564, 0.197, area=0.7)}, costs=Costs(1, 5)),
    "costs that are close": said({"a": costly(0.74996, 0.197)}, costs=Costs(1, 5)),
    "flag no case": said({"a": costly(0.25, math.inf)}, costs=Costs(9, 1)),
    "flag no case, one at a threshold": said({"a": costly(0.25, math.inf, 0.5)}, costs=Costs(9, 1)),
    "flag every case": said({"a": costly(0.75, 0.1, 0.8)}, costs=Costs(1, 90)),
    **{f"bounds {bounds}": said({name: bounded(*ends) for name, ends in zip("ab", bounds, strict=True)}) for bounds in (
        ((0.625, 0.6875), (0.75, 0.8125)), ((0.625, 0.78125), (0.75, 0.8125)), ((0.625, 0.625), (0.75, 0.8125)),
        ((0.75, 0.75), (0.75, 0.8125)))},
}  # fmt: skip


def check_sentences(name, found):
    check_output(f"document/outputs/{name}.txt", "\n".join("\n  ".join([f"{each}:", *found[each]]) for each in found))


def test_sentences_on_models_claim_what_the_numbers_carry_and_a_shell_has_its_options():
    check_sentences("sentences_models", OF_MODELS)
    with spelled_for_a_shell():
        last = said({"c": C, "a": A, "b": B}, {"c - a": pair(-0.2, -0.25, -0.15, 1e-9)})[-1]
    assert last == "b (0.700) was not compared with a; --versus best tests a against all others."


def test_transforms_of_the_best_scores_rank_alike():
    alike = "a and p order positives and negatives identically"
    late, model = np.arange(80) % 2, np.sin(np.arange(80))
    columns = {"late": late, "a": model, "p": np.exp(model)}
    report = evalcore.evaluate(columns, label="late", score=["a", "p"], ci=LEVEL, ci_method="delong")
    assert report.summary.startswith(f"{alike}: ROC AUC ")
    many = {name: np.tile(column, 100) for name, column in columns.items()}
    report = evalcore.evaluate(many, label="late", score=["a", "p"], ci=LEVEL)
    assert report.summary.startswith(f"{alike}: ROC AUC ")
    report = evalcore.evaluate(columns, label="late", score=["a", "p"], ci=LEVEL)
    assert report.summary.startswith("a and p have the same ROC AUC, 0.494, difference 0.000 (95% interval -0.00060 ")


def test_thresholds_are_written_so_that_no_case_is_lost():
    scores = np.array([0.23158231, 0.2315823, 0.9, 0.1] * 40)
    late = np.array([True, False, True, False] * 40)
    report = evalcore.evaluate({"late": late, "a": scores}, label="late", score="a")
    at = re.search("at threshold ([0-9.]+), chosen", report.summary)[1]
    assert np.count_nonzero(scores >= float(at)) == np.count_nonzero(scores >= 0.23158231)
    assert at == "0.23158231"
    panel, _ = numbers_panels(report.answer, report.question)
    (cell,) = (row[1] for table in panel.tables for row in table.rows if row[0].strip() == "at the threshold")
    assert (cell.text, cell.full) == (at, "")
    items = statistics({"maximum_f1": 0.5, "maximum_f1_threshold": 0.2315829})
    table = as_terminal(document_of_sections([Section("s", "", "score", {"a": items}, across=True)]))
    (line,) = (line for line in table.splitlines() if "at the threshold" in line)
    assert line.split()[-1] == "0.231582"


def said_of_groups(groups, by=("carrier",), models=("a",), level=None):
    records = {**groups, "total": A}
    sections = [Section(name, name, "group", records, whole=Whole("scores", "score")) for name in models]
    return list(map(str, sentences(Answer(sections), Question("late", tuple(models), by=by, level=level))))[1:]


def of_classes(counts, *, accuracy=0.8, bounds=None, kappa_bounds=None, predicted="guess"):
    names = ["ash", "old elm", "yew"][: len(counts)]
    values = {"cases": 1000, "classes": len(names), "accuracy": accuracy, "macro_f1": 0.75, "kappa": 0.5}
    intervals = {"accuracy": bounds, "kappa": kappa_bounds}
    items = statistics(values, {name: each for name, each in intervals.items() if each})
    counts = CountRecords(names, names, np.array(counts, dtype=int))
    sections = [Section("statistics", "", "", {"": items}), Section("classes", "", "class", {}),
                Section("confusion_matrix", "", "label", counts)]  # fmt: skip
    return list(map(str, sentences(Answer(sections), Question("tree", predicted=(predicted,) if predicted else ()))))


def said_of_class_groups(total=0.8, level=None, **groups):
    groups = groups | {"total": (1000, total)}
    more = {"classes": 2, "macro_f1": 0.75, "kappa": 0.5}
    records = {name: statistics({"cases": cases, "accuracy": accuracy, **more},
                                {"accuracy": bounds[0]} if bounds else {})
               for name, (cases, accuracy, *bounds) in groups.items()}  # fmt: skip
    sections = [Section("guess", "guess", "group", records, whole=Whole("statistics", "predicted"))]
    asked = Question("tree", predicted=("guess",), by=("g",), level=level)
    return list(map(str, sentences(Answer(sections), asked)))


def around(area, reach):
    return record(area, interval(area - reach, area + reach))


FEW_AND_NONE = record(0.1, cases=40), record(math.nan, positives=0)
RIGHT = [[5, 0], [0, 5]]
OF_PARTS = {
    "a lowest group": said_of_groups({"UA": A, "HA": C}),
    "two models": said_of_groups({"UA": A, "HA": C}, models=("a", "b")),
    "two columns": said_of_groups({"UA, 1": A, "UA, 2": C}, ("carrier", "month")),
    "few positives": said_of_groups({"UA": A, "": B, "HA": record(0.1, cases=40, positives=29)}, ("my carrier",)),
    "none and few": said_of_groups({"UA": A, "B6": B, "HA": FEW_AND_NONE[1], "OO": FEW_AND_NONE[0]}),
    "two lowest": said_of_groups({"UA": A, "HA": C, "B6": C}),
    "equal groups": said_of_groups({"UA": A, "HA": A}),
    "one large group": said_of_groups({"UA": A, "HA": FEW_AND_NONE[0]}),
    "no large group": said_of_groups({"HA": FEW_AND_NONE[0], "OO": FEW_AND_NONE[1]}),
    **{f"certain bounds {ends}": said_of_groups({name: bounded(*each) for name, each in ends.items()}) for ends in (
        {"UA": (0.625, 0.6875), "HA": (0.6875, 0.75)}, {"UA": (0.625, 0.75), "HA": (0.6875, 0.75)},
        {"UA": (0.625, 0.6875), "HA": (0.6875, 0.75), "B6": (0.5, 1)})},
    "the same certain bounds": said_of_groups(
        {"UA": bounded(0.625, 0.6875), "HA": bounded(0.625, 0.6875), "B6": A}),
    # 95% intervals of two groups are wider by 1.1436 when adjusted, those of three by 1.2214
    "worse of two": said_of_groups({"UA": A, "HA": around(0.71, 0.078)}, level=LEVEL),
    "not worse of three": said_of_groups({"UA": A, "HA": around(0.71, 0.078), "B6": around(0.9, 0.1)}, level=LEVEL),
    "the lowest is unsure": said_of_groups({"UA": A, "HA": around(0.6, 0.2), "B6": around(0.7, 0.05)}, level=LEVEL),
    "two are worse": said_of_groups({"UA": A, "HA": around(0.6, 0.1), "B6": around(0.6, 0.05)}, level=LEVEL),
    "a group without an interval": said_of_groups({"UA": A, "HA": of(0.1, math.nan, math.nan)}, level=LEVEL),
    "a skewed interval": said_of_groups(
        {"UA": A, "HA": record(0.75, Interval(0.75, 0.55, 0.76, LEVEL, "delong")), "B6": FEW_AND_NONE[0]}, level=LEVEL),
    "predicted classes": of_classes(RIGHT),
    "scores of classes": of_classes(RIGHT, predicted=None),
    "a name in quotes": of_classes(RIGHT, predicted="my guess", bounds=interval(0.75, 0.85)),
    **{f"accuracy {accuracy}": of_classes(RIGHT, accuracy=accuracy) for accuracy in (1.0, 0.99999)},
    **{f"kappa from {low}": of_classes(RIGHT, kappa_bounds=interval(low, 0.2)) for low in (-0.1, 0.1)},
    "groups of classes": said_of_class_groups(x=(30, 0.5), y=(30, 0.9), z=(29, 0.1)),
    "two lowest of classes": said_of_class_groups(x=(30, 0.5), w=(30, 0.5), y=(30, 0.9)),
    "equal groups of classes": said_of_class_groups(x=(30, 0.5), y=(30, 0.5)),
    "one large group of classes": said_of_class_groups(x=(30, 0.5), y=(29, 0.9)),
    "no large group of classes": said_of_class_groups(x=(29, 0.5)),
    # Wilson's 97.5% bounds of one case more than 67 and 68 of 100 are 0.774 and 0.782
    **{f"{right} of 100 are right": said_of_class_groups(
        0.778, LEVEL, x=(100, right / 100, proportion_interval(right, 100)), y=(900, 0.8)) for right in (67, 68)},
}  # fmt: skip


def test_sentences_on_groups_and_classes_name_the_worst_only_where_there_are_enough_cases():
    check_sentences("sentences_parts", OF_PARTS)


@every("predicted", [False, True])
def test_noise_alone_seldom_makes_a_worst_group(predicted):
    rng, runs, named = np.random.default_rng(11), 40, 0
    for _ in range(runs):
        late, groups = rng.random(600) < 0.4, rng.integers(0, 6, 600)
        model = (late ^ (rng.random(600) < 0.1)).astype(int) if predicted else late + rng.normal(size=600)
        asked = {"predicted": "m"} if predicted else {"score": "m"}
        columns = {"late": late.astype(int), "m": model, "group": groups}
        named += "does worst" in evalcore.evaluate(columns, label="late", by="group", ci=LEVEL, **asked).summary
    assert named / runs <= 1 - LEVEL


def test_a_headline_is_the_first_sentence_and_no_column_is_taken_for_comparisons():
    asked = Question("late", ("a", "b"))
    answer = Answer([Section("scores", "", "score", {"a": A, "b": B}, across=True),
                     Section("comparisons", "", "pair", {"a - b": APART})])  # fmt: skip
    assert verdict_of_report(answer, asked, brief=True).claim == "a ranks better than b: ROC AUC 0.800 against 0.700."
    assert summary(answer, asked) == OF_MODELS["two apart"][0]
    assert str(Sentence("a", ["b", "c"])) == "a, b, c."
    assert summary(Answer([]), Question("tree")) == ""
    groups = {"comparisons - b": A, "total": A}
    sections = [Section(name, name, "group", groups, whole=Whole("scores", "score")) for name in ("comparisons", "b")]
    asked = Question("late", ("comparisons", "b"), by=("pair",))
    first, *_ = sentences(Answer(sections), asked)
    assert str(first) == OF_MODELS["two equal"][0].replace("a and b", "comparisons and b")


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
    assert "**" not in report.to_markdown().splitlines()[2][2:-2]
    assert report.to_markdown().split("\n\n")[2].startswith("|")


def test_tables_pages_and_notebooks_begin_with_the_answer_whatever_names_are():
    report = report_of("<b>")
    text = "'<b>' ranks every positive above every negative: ROC AUC 1.000"
    assert repr(report).splitlines()[1:3] == [f"{text}.", "late"]
    escaped = text.replace("<", "&lt;").replace(">", "&gt;")
    assert report.to_markdown().splitlines()[2].startswith("**" + text.replace("<", r"\<").replace(">", r"\>"))
    assert f"<p>{escaped.replace(chr(39), '&#x27;')}, on 3 cases" in report._repr_html_()
    assert report_of(np.str_("my model")).summary.startswith("'my model' ranks ")


@every("width", [40, 80])
def test_sentences_are_wrapped_to_the_terminal(width):
    report = report_of("model")
    lines = as_terminal(document_of_report(report.answer, report.question, Shown(width=width)), width).splitlines()
    assert max(map(len, lines)) <= width
    few = "Only 2 positive cases and 1 negative case: too few to rely on these numbers."
    said = "model ranks every positive above every negative: ROC AUC 1.000."
    assert " ".join(lines[:4]).startswith(f"{few} {said}")
    note = lines[next(index for index, line in enumerate(lines) if line.startswith("Note: ")) :]
    assert " ".join(map(str.strip, note)) == "Note: some numbers are not shown; to_markdown(full=True) shows them all"


SMALL = [
    ({"y": [0], "m": [0.5]}, {"score": "m"}), ({"y": [1], "m": [0.5]}, {"score": "m"}),
    ({"y": ["x"], "m": ["x"]}, {"predicted": "m"}), ({"y": ["x"] * 3, "m": ["x"] * 3}, {"predicted": "m"}),
    ({"y": [1, 0], "m": [1.0, 0.0]}, {"score": "m", "threshold": -0.0}),
]  # fmt: skip


def test_summaries_of_one_case_one_class_and_minus_zero():
    said = (evalcore.evaluate(columns, label="y", **asked).summary for columns, asked in SMALL)
    check_output("document/outputs/summaries_small.txt", "\n".join(said))
