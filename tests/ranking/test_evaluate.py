"""Grouped evaluation, from columns and from ids, gives what each group gives alone, by definition and by trec_eval."""

import math
import pickle
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn.metrics import ndcg_score

from evalcore import EvaluationError, EvaluationTypeError, ranking
from evalcore.io import Judgements, Run, joined
from evalcore.measures import retrieval
from evalcore.ranking import Measure, evaluate, names, parse
from tests.differences import every
from tests.reference import retrieval as slow
from tests.strategies import close_to

E, T = EvaluationError, EvaluationTypeError
ITEMS = st.lists(st.tuples(st.sampled_from([0.1, 0.5, 0.9]), st.sampled_from([-1, 0, 0, 1, 2])), max_size=5)
GROUPS = st.dictionaries(st.sampled_from("abcd"), st.tuples(ITEMS, st.lists(st.integers(1, 3), max_size=2)), min_size=1)
TWINS = {
    "P@1": (slow.precision, {"depth": 1}),
    "P@3": (slow.precision, {"depth": 3}),
    "R@2": (slow.recall, {"depth": 2}),
    "Rprec": (slow.r_precision, {}),
    "success@1": (slow.success, {"depth": 1}),
    "success@2": (slow.success, {"depth": 2}),
    "AUC": (slow.roc_auc, {}),
    "RBP": (slow.rank_biased_precision, {"p": Fraction(4, 5)}),
    "RBP(p=0.5,rel=2)@2": (slow.at_level(slow.rank_biased_precision, 2), {"p": Fraction(1, 2), "depth": 2}),
    "SetP": (slow.set_precision, {}),
    "SetR": (slow.recall, {"depth": None}),
    "SetF": (slow.set_f, {"weight": 1}),
    "SetF(beta=3)": (slow.set_f, {"weight": 3}),
    "AP(rel=2)": (slow.at_level(slow.average_precision, 2), {}),
    "P(rel=2)@3": (slow.at_level(slow.precision, 2), {"depth": 3}),
    "P(judged_only=True)@3": (slow.judged_only(slow.precision), {"depth": 3}),
    "RR(rel=2,judged_only=True)@2": (slow.judged_only(slow.at_level(slow.reciprocal_rank, 2)), {"depth": 2}),
    "nDCGexp(judged_only=True)": (slow.judged_only(slow.ndcg_exponential), {}),
}
WITH_DEPTHS = {"RR": slow.reciprocal_rank, "AP": slow.average_precision, "nDCG": slow.ndcg, "Judged": slow.judged,
               "nDCGexp": slow.ndcg_exponential}  # fmt: skip
TWINS |= {
    name + at: (twin, asked) for name, twin in WITH_DEPTHS.items() for at, asked in (("", {}), ("@2", {"depth": 2}))
}
OF_WHOLE_RUNS = {
    "iprec@0.0": (slow.interpolated_precision, {"level": 0}),
    "iprec@0.5": (slow.interpolated_precision, {"level": Fraction(1, 2)}),
    "iprec@0.7": (slow.interpolated_precision, {"level": Fraction(7, 10)}),
    "iprec@1.0": (slow.interpolated_precision, {"level": 1}),
    "maxF": (slow.maximum_f, {}),
    "ERR": (slow.expected_reciprocal_rank, {"highest": 4}),
    "ERR(max_rel=3)@2": (slow.expected_reciprocal_rank, {"highest": 3, "depth": 2}),
    "bpref": (slow.bpref, {}),
}
ALL = [*TWINS, *OF_WHOLE_RUNS]
TREC = {
    "map": "map", "recip_rank": "recip_rank", "ndcg": "ndcg", "Rprec": "Rprec", "bpref": "bpref",
    "P_5": "P_5", "P_10": "P_10", "recall_5": "recall_5", "success_1": "success_1", "success_10": "success_10",
    "map_cut_5": "map_cut_5", "ndcg_cut_5": "ndcg_cut_5",
    **{f"iprec_at_recall_{level / 10:.2f}": f"iprec_at_recall_{level / 10:.2f}" for level in range(11)},
}  # fmt: skip


def columns(groups):
    """Turn rankings by name into flat columns and misses."""
    rows = [(name, *item) for name, (items, _) in groups.items() for item in items]
    names, scores, grades = zip(*rows, strict=True) if rows else ((), (), ())
    missed = [(name, grade) for name, (_, grades) in groups.items() for grade in grades]
    missed_names, missed_grades = zip(*missed, strict=True) if missed else ((), ())
    return np.array(names, str), np.array(grades, int), np.array(scores), (np.array(missed_names, str), missed_grades)


@given(GROUPS)
def test_values_are_the_mean_over_the_orders_of_tied_items_or_those_of_whole_runs(groups):
    names, grades, scores, misses = columns(groups)
    result = evaluate(names, grades, scores, measures=ALL, misses=misses)
    for place, name in enumerate(result.groups.tolist()):
        expected = {
            measure: slow.over_orders(twin, *groups[name], **options) for measure, (twin, options) in TWINS.items()
        }
        expected |= {measure: twin(*groups[name], **options) for measure, (twin, options) in OF_WHOLE_RUNS.items()}
        for measure, value in expected.items():
            assert result.values[measure][place] == close_to(float(value), abs=1e-14), measure


def random_run(seed, levels=None, groups=40, documents=60):
    """Make judgements and a run of some of the documents, as columns and as trec_eval takes them."""
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(groups), documents)
    ids = np.array([f"d{number}" for number in rng.permutation(topic.size)])
    grades = rng.choice([-1, 0, 0, 0, 1, 2], topic.size)
    scores = rng.random(topic.size).astype(np.float32)
    if levels:
        scores = np.floor(scores * levels) / np.float32(levels)
    kept = rng.random(topic.size) < 0.7
    qrel, run = ({str(number): {} for number in range(groups)} for _ in range(2))
    for row in range(topic.size):
        if grades[row] >= 0:
            qrel[str(topic[row])][ids[row]] = int(grades[row])
        if kept[row]:
            run[str(topic[row])][ids[row]] = float(scores[row])
    misses = topic[~kept], grades[~kept]
    return (topic[kept], grades[kept], scores[kept]), ids[kept], misses, qrel, run


@every("levels", [None, 5])
def test_values_are_those_of_trec_eval(levels):
    cases, ids, misses, qrel, run = random_run(1, levels)
    result = evaluate(*cases, measures=list(TREC), misses=misses, ties="trec", documents=ids)
    expected = pytrec_eval.RelevanceEvaluator(qrel, set(TREC)).evaluate(run)
    for ours, theirs in TREC.items():
        name = parse(ours).name
        values = [expected[str(topic)][theirs] for topic in result.groups.tolist()]
        np.testing.assert_allclose(result.values[name], values, rtol=1e-9, atol=1e-12, err_msg=ours)


@given(GROUPS, GROUPS)
def test_groups_have_the_same_alone_and_among_others(first, second):
    measures = [parse(name).name for name in (*ALL, "num_ret", "num_rel", "num_rel_ret")]
    renamed = {name.upper(): items for name, items in second.items()}
    both = [columns(groups) for groups in (first, renamed)]
    parts = [evaluate(*cases, measures=measures, misses=misses) for *cases, misses in both]
    names, grades, scores = (np.concatenate(parts) for parts in zip(*(cases[:3] for cases in both), strict=True))
    misses = tuple(np.concatenate(parts) for parts in zip(*(cases[3] for cases in both), strict=True))
    every = evaluate(names, grades, scores, measures=measures, misses=misses)
    for measure in measures:
        apart = {name: value for each in parts for name, value in zip(each.groups, each[measure], strict=True)}
        np.testing.assert_allclose(every[measure], [apart[name] for name in every.groups], rtol=1e-12, atol=1e-15)


def lists_of(result):
    return {name: values.tolist() for name, values in result.values.items()}


def by_group(result, measure):
    return dict(zip(result.groups.tolist(), result[measure].tolist(), strict=True))


def test_no_group_spoils_the_digits_of_another_nor_do_long_runs_of_ties():
    grades = [60.0, 1.0, 1e17, 3.0, 1024.0, 2.0]
    result = evaluate(np.arange(6), grades, np.ones(6), measures="nDCG nDCGexp AP")
    assert lists_of(result) == dict.fromkeys(["nDCG", "nDCGexp", "AP"], [1.0] * 6)
    size, places = 100_000, np.arange(100_000)
    late = evaluate(0 * places, places >= size - 2, -np.maximum(places, 2 - places), measures="nDCG AP")
    ideal = 1 + 1 / math.log2(3)
    deep = evaluate([0] * 3002, [0] * 3000 + [1, 1], [*range(3001, 1, -1), 0, 0], measures="AP")["AP"][0]
    assert deep == pytest.approx((1 / 3001 + 2 / 3002) / 2, rel=1e-15)
    assert late["nDCG"][0] == pytest.approx((1 / math.log2(size) + 1 / math.log2(size + 1)) / ideal, rel=1e-14)
    assert late["AP"][0] == pytest.approx((1 / (size - 1) + 2 / size) / 2, rel=1e-14)
    size = 500
    result = evaluate([0] * size, np.arange(size) < 2, np.ones(size), measures="RR RR@100 AP success@100")
    # the first of two relevant items among t comes j-th with chance 2 (t-j) / (t (t-1))
    chances = [2 * (size - place) / (size * (size - 1)) for place in range(1, size)]
    assert result.values["RR"][0] == close_to(math.fsum(c / place for place, c in enumerate(chances, 1)))
    assert result.values["RR@100"][0] == close_to(math.fsum(c / place for place, c in enumerate(chances[:100], 1)))
    assert result.values["success@100"][0] == close_to(math.fsum(chances[:100]))


def test_names_of_groups_are_kept_whatever_their_width():
    result = evaluate(["a", "b"], [1, 0], [0.5, 0.5], measures="num_rel", misses={"abc": 2})
    assert by_group(result, "num_rel") == {"a": 1, "b": 0, "abc": 2}
    large = evaluate([2**53, 2**53 + 1], [1, 0], [0.5, 0.5], measures="AP", misses={})
    assert large.groups.tolist() == [2**53, 2**53 + 1]
    unsigned = np.array([2**63, 5], np.uint64)
    mixed = evaluate([2**53 + 1], [1], [0.5], measures="AP", misses=(unsigned, [1, 1]))
    assert mixed.groups.tolist() == [5, 2**53 + 1, 2**63]
    assert evaluate([], [], [], measures="AP", misses={7: 1}).groups.tolist() == [7]
    pairs = np.empty(2, object)
    pairs[:] = [("q", 1), ("q", 2)]
    named = evaluate(pairs, [1, 0], [0.5, 0.5], measures="num_rel", misses={("q", 2): 1})
    assert named["num_rel"].tolist() == [1, 1]


@every(
    ("scores", "options", "rank"),
    ([0.1 + 1e-12, 0.1], {"ties": "trec", "documents": ["a", "b"]}, 2),
    ([0.1 + 1e-12, 0.1], {}, 1),
    ([0.5, 0.5], {"ties": "trec", "documents": [9, 10]}, 1),
    ([0.5, 0.5], {"ties": "trec", "documents": np.array([9, 10], object)}, 1),
    ([0.5, 0.5], {"ties": "trec", "documents": ["9", "10"]}, 1),
    ([0.5, 0.5], {"ties": "trec", "documents": ["09", "10"]}, 2),
)
def test_orders_of_trec_eval_are_by_float32_then_by_documents_as_strings(scores, options, rank):
    assert evaluate([1, 1], [1, 0], scores, measures="RR", **options)["RR"] == 1 / rank


def test_values_are_read_only_and_answer_to_every_name_of_their_measure():
    result = evaluate([1], [1], [0.5], measures="AP")
    for column in result.to_dict().values():
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    result = evaluate([1, 2], [1, 0], [0.1, 0.2], measures="map, ndcg_cut_10")
    assert list(result.values) == ["AP", "nDCG@10"]
    assert result["map"] is result["AP"] is result.values["AP"]
    assert result["ndcg_cut_10"] is result["nDCG@10"]
    for unknown in ("P@1", "spam", 3):
        with pytest.raises(EvaluationError, match=r"measure must be one of AP, nDCG@10, got"):
            result[unknown]
    with pytest.raises(EvaluationError, match=r"got 'ndcg'; did you mean 'nDCG@10'\?"):
        result["ndcg"]


def test_counts_are_measures_too_and_misses_and_weights_may_be_series_and_grades_objects():
    counts, weights = pd.Series({"a": 1, "c": 2}), pd.Series({"a": 1.0, "b": 3.0, "c": 0.0})
    result = evaluate(["a", "b"], [1, 1], [0.5, 0.5], measures="AP num_rel", misses=counts, weights=weights)
    assert result["num_rel"].tolist() == [2, 1, 2]
    assert result.mean("AP") == (0.5 + 3) / 4
    plain = evaluate([1, 1], [True, 0], [0.5, 0.7], measures="nDCG")["nDCG"]
    assert evaluate([1, 1], np.array([True, 0], object), [0.5, 0.7], measures="nDCG")["nDCG"] == plain
    columns, counts = (["a", "a", "b"], [1, 0, 0], [0.5, 0.5, 0.1]), "num_ret num_rel num_rel_ret"
    result = evaluate(*columns, measures=counts, misses={"b": 2})
    assert lists_of(result) == {"num_ret": [2, 1], "num_rel": [1, 2], "num_rel_ret": [1, 0]}


def test_measures_travel_may_be_objects_and_know_their_largest_value_and_ties():
    for name in ("num_ret", "num_rel", "num_rel_ret", "P@3", "nDCGexp", "iprec@0.5"):
        measure = pickle.loads(pickle.dumps(parse(name)))
        assert evaluate([1], [1], [0.5], measures=measure)[name] == evaluate([1], [1], [0.5], measures=name)[name]
    relevance = [1, 0, 0, 0, 1, 0, 0, 0] + [1] * 19
    asked = {"ties": "trec", "documents": range(27)}
    for measure in ("iprec@0.05", parse("iprec@0.05")):
        assert evaluate([1] * 27, relevance, range(27, 0, -1), measures=measure, **asked)["iprec@0.05"] == 1.0
    assert [parse(name).highest for name in ("AP(rel=2)@5", "nDCG", "RBP(rel=1)", "gm_map")] == [1.0] * 4
    assert [parse(name).highest for name in ("RBP(p=0.5)@5", "num_rel", "num_ret", "num_rel_ret")] == [math.inf] * 4
    half = Measure("half", lambda ranked: np.full(ranked.groups, 0.5))
    assert evaluate([1, 2], [1, 0], [0.1, 0.2], measures=half).means() == {"half": 0.5}
    assert parse(half) is half


@given(GROUPS, st.randoms(use_true_random=False))
def test_the_order_of_the_items_changes_nothing(groups, random):
    names, grades, scores, misses = columns(groups)
    places = list(range(names.size))
    random.shuffle(places)
    one = evaluate(names, grades, scores, measures=ALL, misses=misses)
    other = evaluate(names[places], grades[places], scores[places], measures=ALL, misses=misses)
    for measure in one.values:
        np.testing.assert_allclose(one.values[measure], other.values[measure], rtol=1e-12, atol=1e-15)


def test_means_weigh_groups():
    result = evaluate([1, 1, 1, 2], [1, 0, 0, 1], [0.1, 0.2, 0.3, 0.4], measures="P@1 AUC", weights={1: 3, 2: 1})
    assert result.means() == {"P@1": 0.25, "AUC": 0.0}
    assert result.mean("P@1", by="equal") == 0.5
    assert result.mean("P_1", by="size") == 0.25
    assert result.mean("P@1", by="positives") == 0.5
    weightless = evaluate([1, 2], [1, 0], [0.1, 0.2], measures="AP", weights={1: 0, 2: 0})
    assert math.isnan(weightless.mean("AP"))


def test_weights_of_groups_and_of_queries_beside_scikit_learn():
    rng = np.random.default_rng(4)
    grades, scores = rng.integers(0, 4, (20, 8)), rng.permuted(np.tile(np.arange(8.0), (20, 1)), axis=1)
    weights, columns = rng.random(20), (np.repeat(np.arange(20), 8), grades.ravel(), scores.ravel())
    result = evaluate(*columns, measures="nDCG nDCG@3", weights=dict(enumerate(weights.tolist())))
    assert result.mean("nDCG") == close_to(ndcg_score(grades, scores, sample_weight=weights))
    assert result.mean("nDCG@3") == close_to(ndcg_score(grades, scores, k=3, sample_weight=weights))
    frame = result.to_pandas()
    assert list(frame) == ["group", "size", "positives", "weight", "nDCG", "nDCG@3"]
    assert np.average(frame["nDCG"], weights=frame["weight"]) == close_to(result.mean("nDCG"))
    assert result.to_polars().columns == result.to_arrow().column_names == list(frame)
    assert repr(result).splitlines()[1].split() == ["group", "size", "weight", "nDCG", "nDCG@3"]
    assert repr(result).splitlines()[-1].split()[:2] == ["weighted", "mean"]
    texts = [text.get_text() for text in result.plot("nDCG", ax=Figure().add_subplot()).texts]
    assert f"weighted mean {result.mean('nDCG'):.3g}" in texts
    found = ranking.from_ids(RETRIEVED, JUDGED).evaluate("R@5", weights={"q1": 1, "q2": 3, "q3": 0})
    assert found.mean("R@5") == 0.875
    with pytest.raises(EvaluationTypeError, match=r"^evaluate takes no sample_weight: ranks count items, so "):
        ranking.from_ids(RETRIEVED, JUDGED).evaluate("R@5", sample_weight=[1, 2])


def test_results_show_and_convert_and_travel():
    result = evaluate(["<b>", "a"], [1, 0], [0.5, 0.5], measures="P@1 AUC")
    assert repr(result).splitlines()[0] == "2 groups, 2 items"
    assert "<td>&lt;b&gt;</td>" in result._repr_html_()
    for frame in (result.to_pandas(), result.to_polars()):
        assert list(frame.columns) == ["group", "size", "positives", "P@1", "AUC"]
    assert result.to_arrow().column_names == ["group", "size", "positives", "P@1", "AUC"]
    assert pickle.loads(pickle.dumps(result)).means().keys() == {"P@1", "AUC"}
    many = evaluate(np.arange(100), np.ones(100), np.ones(100), measures="AP")
    assert "..." in repr(many)


@every(
    ("written", "name"),
    ("P_10", "P@10"), ("precision@3", "P@3"), ("map", "AP"), ("map_cut_5", "AP@5"), ("MRR@10", "RR@10"),
    ("recip_rank", "RR"), ("ndcg_cut_20", "nDCG@20"), ("nDCG@5", "nDCG@5"), ("recall_7", "R@7"),
    ("hit@1", "success@1"), ("iprec_at_recall_0.10", "iprec@0.1"), ("r@5", "R@5"), ("rr", "RR"),
    ("auc", "AUC"), ("R-precision", "Rprec"), ("IPrec@0.1", "iprec@0.1"), ("Bpref(rel=2)", "bpref(rel=2)"),
    ("P(rel=2)@10", "P(rel=2)@10"), ("ap( rel = 2.0 )", "AP(rel=2)"), ("AP(rel=0.5)@5", "AP(rel=0.5)@5"),
    ("RBP(p=0.8)", "RBP"), ("RBP(rel=1,p=0.5)@20", "RBP(p=0.5,rel=1)@20"), ("ERR(max_rel=4)@20", "ERR@20"),
    ("AP(judged_only=False)", "AP"), ("AP(judged_only=true,rel=2)", "AP(rel=2,judged_only=True)"),
    ("nDCG(gains={0:0, 2:5, 1:1})@10", "nDCG(gains={2:5})@10"), ("nDCG(gains={1:1})", "nDCG"),
    ("nDCG(judged_only=True,gains={1:0.5,0:1},dcg=exp-log2)", "nDCGexp(gains={0:1,1:0.5},judged_only=True)"),
    ("nDCG(dcg='exp-log2')@10", "nDCGexp@10"), ("nDCG(dcg=log2)", "nDCG"), ("set_P", "SetP"), ("AP()", "AP"),
    ("set_recall", "SetR"), ("set_F", "SetF"), ("set_map", "SetAP"), ("GMAP", "gm_map"),
    ("NumRelRet", "num_rel_ret"),
)  # fmt: skip
def test_names_that_people_type_are_understood(written, name):
    assert parse(written).name == name


def test_a_relevance_level_is_that_of_names_without_one_and_levels_share_one_sort(monkeypatch):
    assert parse("AP", rel=2).name == "AP(rel=2)"
    assert parse("P(rel=3)@5", rel=2).name == "P(rel=3)@5"
    for name in ("nDCG@5", "RBP", "ERR", "Judged@5"):  # they take grades as gains, or count judgements
        assert parse(name, rel=2).name == name
    with pytest.raises(EvaluationError, match="rel of measure 'AP' must be a number above 0, got '-1'"):
        parse("AP", rel=-1)
    sorts = []
    sort = retrieval.order_by_group
    monkeypatch.setattr(retrieval, "order_by_group", lambda *columns: sorts.append(columns) or sort(*columns))
    evaluate([1, 1, 2], [2, 0, 1], [0.5, 0.1, 0.2], measures="AP AP(rel=2) P(rel=2)@5 RR(rel=3) Judged@1")
    assert len(sorts) == 1


@every(
    ("written", "found"),
    (" RBP(p=0.5, rel=1)@3,AP(rel=2, judged_only=True)  RR,",
     ["RBP(p=0.5,rel=1)@3", "AP(rel=2,judged_only=True)", "RR"]),
    ("P@1,2, AP P(rel=2,judged_only=True)@3, 5 hit_rate@4",
     ["P@1", "P@2", "AP", "P(rel=2,judged_only=True)@3", "P(rel=2,judged_only=True)@5", "success@4"]),
)  # fmt: skip
def test_commas_in_brackets_do_not_part_names_and_depths_may_follow_each_other(written, found):
    assert list(evaluate([1], [1], [0.5], measures=written).values) == found


def test_the_help_of_parse_lists_all_measures():
    words = re.findall(r"[\w.]+", parse.__doc__)
    assert {kind.name for kind in names._KINDS} <= {*words}


@every(
    ("change", "error", "text"),
    ({"measures": "P@10 spam"}, E, r"measure must be a name such as AP, RR, P@10, .* got 'spam'$"),
    *(
        ({"measures": unknown}, E, rf"got '{re.escape(unknown)}'; did you mean .*{re.escape(near)}")
        for unknown, near in {
            "ndgc@10": "'nDCG@10'?", "hits@5": "'hit@5'", "precison@5": "'precision@5'", "P10": "'P@10'?",
            "ndcg_10x": "'nDCG_10'?", "P@ten": "'P@k'?", "iprec_at_recal_0.1": "'iprec_at_recall_0.1'",
            "recip_rnak": "'recip_rank'", "Rprek": "'Rprec'",
            "nDGC(judged_only=True)@10": "'nDCG(judged_only=True)@10'?",
        }.items()
    ),
    ({"measures": "P"}, E, "measure 'P' must be written P@k"),
    ({"measures": "GAUC"}, E, r"measure 'GAUC' must be asked for as AUC, and averaged by \.mean\('AUC', by='size'\)"),
    ({"measures": "P@0"}, E, "measure 'P@0' must have a depth of at least 1, got 0"),
    ({"measures": "P@1.5"}, E, "measure 'P@1.5' must be written P@k"),
    ({"measures": "nDCG@1.2.3"}, E, "must be written nDCG or nDCG@k"),
    ({"measures": "iprec@2"}, E, r"must be written iprec@x \(a recall in 0 .. 1\)"),
    ({"measures": "bpref@3"}, E, "measure 'bpref@3' must be written bpref"),
    ({"measures": "AP(relevance=2)"}, E,
     r"arguments of measure 'AP\(relevance=2\)' must be rel=..., judged_only=..., each once, got 'relevance=2'"),
    ({"measures": "AP(rell=2)"}, E, r"got 'rell=2'; did you mean 'rel'\?"),
    ({"measures": "AP(rel=1,rel=2)"}, E,
     r"arguments of measure 'AP\(rel=1,rel=2\)' must be given once each, got rel twice"),
    ({"measures": "nDCG(rel=2)@10"}, E, r"got 'rel=2'; nDCG takes grades as gains: gains={1:0,2:1} sets others"),
    ({"measures": "AP(2)"}, E, "each once, got '2'"),
    ({"measures": "Judged(rel=1)"}, E, r"of measure 'Judged\(rel=1\)' must not be given, got 'rel=1'"),
    ({"measures": "AP(rel=0)"}, E, r"rel of measure 'AP\(rel=0\)' must be a number above 0, got '0'"),
    ({"measures": "AP(rel=inf)"}, E, "must be a number above 0, got 'inf'"),
    ({"measures": "AP(rel=high)"}, E, "must be a number above 0, got 'high'"),
    ({"measures": "RBP(p=1)"}, E, "must be a number between 0 and 1, got '1'"),
    ({"measures": "P(judged_only=1)@5"}, E, "must be True or False, got '1'"),
    *(
        ({"measures": f"nDCG(gains={gains})"}, E, "must be grades and their gains, none below 0, such as")
        for gains in ("2", "{}", "{1}", "{1:2,1:3}", "{1:high}", "{1:inf}", "{1:2:3}", "1:2", "{-1:1}", "{1:-1}")
    ),
    ({"measures": "nDCG(dcg=ln)"}, E, "must be log2 or exp-log2, got 'ln'"),
    ({"measures": "AP(rel=2"}, E, r"got 'AP\(rel=2'; did you mean 'AP\(rel=2\)'\?"),
    ({"measures": "ERR@10", "relevance": [5, 0]}, E,
     r"max_rel of ERR must be the largest grade, 5 or more, got 4; write ERR\(max_rel=5\)@10"),
    ({"measures": [3]}, T, "measure must be a string or a Measure, got 3"),
    ({"groups": [1]}, E, "groups"),
    ({"relevance": [1, 0, 1]}, E, "relevance"),
    ({"relevance": [1, np.nan]}, E, r"relevance\[1\] must be a finite grade, or -1 .*, got nan"),
    ({"relevance": [1, np.inf]}, E, r"relevance\[1\] must be a finite grade, or -1 .*, got inf"),
    ({"scores": [0.1, np.nan]}, E, r"scores\[1\] is NaN"),
    ({"misses": 3}, E, "misses must be a mapping of groups to counts, or"),
    ({"misses": {1: -1}}, E, r"misses\[1\] must not be negative"),
    ({"misses": ([1], [1, 2])}, E, r"misses\[0\]"),
    ({"weights": 3}, E, "weights must be a mapping of groups to numbers, got 3 .int.; items have "),
    ({"sample_weight": [1, 2]}, T, "evaluate takes no sample_weight: ranks count items"),
    ({"weights": {1: 1}}, E, "weights must have an entry for every group, got none for 2"),
    ({"weights": {1: 1, 2: -1}}, E, r"weights\[1\] is -1; weights must not be neg"),
    ({"weights": {1: 1e308, 2: 1e308}}, E, "weights must have a finite sum"),
    ({"ties": "spam"}, E, "ties must be 'mean' or 'trec', got 'spam'"),
    ({"ties": "trec"}, E, "documents must hold the ids of the items for ties='trec'"),
    ({"documents": ["a"]}, E, "documents"),
    ({"ties": "trec", "groups": [1, 1], "scores": [1, 1], "documents": ["d", "d"]}, E,
     "documents must be unique within a group, got 'd' twice"),
    ({"measures": "P@" + "9" * 400}, E, "must be written P@k"),
    ({"measures": None}, T, "measure must be a string or a Measure, got None"),
    ({"measures": ""}, E, "measures must name at least one"),
    ({"measures": [Measure("AP", len), "AP"]}, E,
     "must have different names, none of them group, size, positives, got 'AP'"),
    ({"measures": Measure("size", len)}, E, "none of them group, size, positives, got 'size'"),
    ({"measures": Measure("one", lambda ranked: [1.0])}, E, "'one' must return one value for each"),
    ({"groups": [1.5, 2]}, E, r"groups\[0\] is 1.5; names are strings, whole numbers or dates"),
    ({"groups": [1, np.nan]}, E, r"groups\[1\] is nan"),
    ({"groups": [None, None]}, E, r"groups\[0\] is missing \(None\)"),
    ({"groups": np.array(["a", None], object)}, E, r"groups\[1\] is missing \(None\)"),
    ({"groups": pd.Series(["a", pd.NA], dtype="string")}, E, r"groups\[1\] is missing \(<NA>\)"),
    ({"groups": np.array(["a", 1], object)}, T, r"groups must hold values of one type, got 'a' \(str\) and 1 \(int\)$"),
    ({"groups": ["1", 1]}, T, r"groups must hold values of one type, got '1' \(str\) and 1 \(int\)$"),
    ({"misses": {1: 2, "1": 1}}, T, r"misses must hold values of one type, got '1' \(str\) and 1 \(int\)$"),
    ({"misses": ((1, "1"), [1, 1])}, T, r"misses must hold values of one type, got '1' \(str\) and 1 \(int\)$"),
    ({"groups": np.array(["NaT", "2020"], "M8[D]")}, E, r"groups\[0\] is missing \(NaT\)"),
    ({"groups": [1j, 2]}, T, "groups must be strings, whole numbers or dates, got complex128"),
    ({"misses": {"1": 1}}, T, "groups and misses must both hold strings or both other names, got int64 and <U1"),
    ({"relevance": [0.9, 0.1], "scores": [1, 0]}, E,
     r"^relevance must hold Booleans or whole grades for AP, got relevance\[0\] = 0.9; the order is "
     r"evaluate\(groups, relevance, scores\), and grades that are fractions need the least one of a relevant "
     r"item, as in AP\(rel=0.5\)$"),
    ({"misses": ([1], [0.5])}, E,
     r"^misses\[1\] must hold Booleans or whole grades for AP, got misses\[1\]\[0\] = 0.5; "),
    ({"scores": pd.Series([1, 2], [1, 0]), "groups": pd.Series([1, 2])}, E, "same index as groups; "),
    ({"misses": {1: 2**40}}, E, r"misses\[1\]"),
    ({"misses": {1: 2**30, 2: 1}}, E, "misses must be at most 1,073,741,824 in all"),
)  # fmt: skip
def test_what_cannot_be_evaluated_is_refused(change, error, text):
    arguments = {"groups": [1, 2], "relevance": [1, 0], "scores": [0.1, 0.2], "measures": "AP", **change}
    with pytest.raises(error, match=text):
        evaluate(**arguments)


def test_nothing_gives_nothing_and_means_of_what_is_not_there_are_refused():
    result = evaluate([1], [1], [0.5], measures="AP")
    with pytest.raises(EvaluationError, match="measure must be one of AP, got 'P@1'"):
        result.mean("P@1")
    with pytest.raises(EvaluationError, match="by must be None, 'equal', 'size' or 'positives', got 'weight'"):
        result.mean("AP", by="weight")
    measures = "AP RR nDCG@5 success@3 AUC maxF bpref iprec@0.5 RBP ERR Judged SetP SetR SetF gm_map AP(rel=2)"
    result = evaluate([], [], [], measures=measures)
    assert result.groups.size == 0
    assert all(math.isnan(mean) for mean in result.means().values())


GRADED = {"nDCG", "nDCGexp", "RBP", "ERR", "Judged", "num_ret"}
LEVELS = {"P": "@3", "R": "@3", "success": "@3", "iprec": "@0.5"}


@every("kind", names._OF_NAME)
def test_fractions_are_grades_of_graded_measures_alone(kind):
    columns, name = (["q", "q", "q"], [0.5, 0.0, 1.5], [0.3, 0.2, 0.1]), kind + LEVELS.get(kind, "")
    if kind in GRADED:
        assert evaluate(*columns, measures=name)[name] > 0
        return
    with pytest.raises(EvaluationError, match=rf"^relevance must hold Booleans or whole grades for {name}, got "):
        evaluate(*columns, measures=["nDCG", name])
    assert evaluate(*columns, measures=f"{kind}(rel=0.5){LEVELS.get(kind, '')}").values
    assert evaluate(columns[0], [1.0, 0.0, 2.0], columns[2], measures=name).values


RETRIEVED = {"q1": ["d3", "d1", "d7"], "q2": ["d2"], "q3": []}
JUDGED = {"q1": {"d1": 2, "d4": 1, "d3": 0}, "q2": {"d2": 1}, "q3": {"d9": 1}, "q4": {"d1": 1}}


def id_columns(found):
    return [column.tolist() for column in (*found[:4], *found.misses)]


def test_ids_are_joined_with_their_grades_which_relevant_ids_may_lack():
    groups, grades, scores, documents, missed, missed_grades = id_columns(ranking.from_ids(RETRIEVED, JUDGED))
    assert (groups, documents) == (["q1", "q1", "q1", "q2"], ["d3", "d1", "d7", "d2"])
    assert grades == [0, 2, -1, 1]
    assert scores == [3, 2, 1, 1]
    assert (missed, missed_grades) == (["q1", "q3"], [1, 1])
    graded = ranking.from_ids(RETRIEVED, {"q1": {"d1": 1, "d4": 1}, "q2": {"d5": 1}}).evaluate("AP R@1")
    for kind in (set, list, tuple):
        alone = ranking.from_ids(RETRIEVED, {"q1": kind(["d1", "d4"]), "q2": kind(["d5"])})
        assert alone.evaluate("AP R@1") == graded


def test_queries_without_ids_count_as_nothing_found_and_others_if_asked_for_as_evaluations_say():
    few = ranking.from_ids(RETRIEVED, JUDGED).evaluate("R@5 Judged@5")
    assert few["R@5"].tolist() == [0.5, 1.0, 0.0]
    assert few["Judged@5"].tolist() == [2 / 3, 1.0, 0.0]
    every_query = ranking.from_ids(RETRIEVED, JUDGED, complete=True).evaluate("R@5")
    assert by_group(every_query, "R@5") == {"q1": 0.5, "q2": 1.0, "q3": 0.0, "q4": 0.0}
    said = "1 judged query is left out of means (complete=True counts it as 0)"
    few = ranking.from_ids(RETRIEVED, JUDGED).evaluate("R@5")
    assert repr(few).splitlines()[0] == f"3 groups, 4 items; {said}"
    assert few._repr_html_().endswith(f"</table><p>{said}</p>")
    fewer = ranking.from_ids({"q1": ["d1"]}, JUDGED).evaluate("R@5")
    assert "; 3 judged queries are left out of means (complete=True counts them as 0)\n" in repr(fewer)
    whole = ranking.from_ids(RETRIEVED, JUDGED, complete=True).evaluate("R@5")
    assert repr(whole).splitlines()[0] == "4 groups, 4 items"
    assert whole._repr_html_().endswith("</table>")


def test_joins_of_ids_and_of_files_are_the_same_and_frames_make_mappings_as_the_errors_say():
    given = {"query": ["q1", "q1", "q2"], "id": ["d3", "d1", "d2"]}
    made = {"q1": ["d3", "d1"], "q2": ["d2"]}
    frame = pd.DataFrame(given)
    assert {query: rows["id"].tolist() for query, rows in frame.groupby("query")} == made
    frame = pl.DataFrame(given)
    assert {query: rows["id"].to_list() for (query,), rows in frame.group_by("query")} == made
    rng = np.random.default_rng(2)
    retrieved = {str(query): [f"d{number}" for number in rng.permutation(9)[:5]] for query in range(6)}
    judged = {str(query): {f"d{number}": int(rng.integers(3)) for number in range(2, 9)} for query in range(2, 8)}
    rows = [(query, name, 5.0 - rank) for query, names in retrieved.items() for rank, name in enumerate(names)]
    marks = [(query, name, grade) for query, grades in judged.items() for name, grade in grades.items()]
    run, judgements = (
        kind(*(np.array(column, object) for column in names), np.array(last))
        for kind, (*names, last) in ((Run, zip(*rows, strict=True)), (Judgements, zip(*marks, strict=True)))
    )
    for complete in (False, True):
        expected = joined(judgements, run, complete=complete)
        found = ranking.from_ids(retrieved, judged, complete=complete)
        assert id_columns(found) == id_columns(expected)


@every(
    ("retrieved", "judged", "asked", "mean"),
    ({"q1": {"d3": 0, "d1": 0}.keys()}, JUDGED, {"measures": "RR"}, 0.5),
    ({"q1": {"d7": 0.1, "d3": 0.9, "d1": 0.5}}, JUDGED, {"measures": "RR"}, 0.5),
    ({"q1": {"d7": 0.5, "d1": 0.5}}, JUDGED, {"measures": "RR"}, 0.75),
    ({"q1": {"d7": 0.5, "d1": 0.5}}, JUDGED, {"measures": "RR", "ties": "trec"}, 0.5),
    ({"q1": ["d1"], "new": ["d1"]}, JUDGED, {"measures": "num_ret"}, 1),  # without judgements it is left out
    ({1: [30, 20], 2: (5,)}, {1: {20: 1}, 2: {5: 2.0}}, {"measures": "RR"}, 0.75),
    ({"q": ["a", "b"]}, {"q": {"a": 2**70, "b": 0}}, {"measures": "nDCG"}, 1.0),
)
def test_rankings_are_of_ids_or_of_their_scores_and_grades_of_any_size(retrieved, judged, asked, mean):
    found = ranking.from_ids(retrieved, judged).evaluate(**asked)
    assert found.means() == {asked["measures"]: mean}
    assert found.groups.tolist() == [query for query in retrieved if query != "new"]


@every(
    ("retrieved", "judged", "error", "text"),
    ([["d1"]], JUDGED, T, r"retrieved must be a mapping of queries to ids, got \[\['d1'\]\]"),
    (RETRIEVED, [1], T, "judgements must be a mapping of queries to ids, got"),
    ({"q1": "d1"}, JUDGED, T, r"retrieved\['q1'\] must be a list or mapping of ids, got 'd1' \(str"),
    ({"q1": 3}, JUDGED, T, r"retrieved\['q1'\] must be a list or mapping of ids, got 3 \(int"),
    ({"q1": []}, {"q1": "d1"}, T, r"judgements\['q1'\] must be a list or mapping of ids, got 'd1'"),
    ({"q1": ["d1", "d2", "d1"]}, JUDGED, E,
     r"retrieved\['q1'\] must have each id once, got 'd1' twice; list\(dict.fromkeys\(ids\)\) keeps the first"),
    ({"q1": ["d1"]}, {"q1": {"d1": 1, "d2": "high"}}, E,
     r"judgements\['q1'\]\['d2'\] must be a finite number, got 'high' \(str\)"),
    ({"q1": ["d1", "d2"]}, {"q1": {"d1": 1, "d2": None}}, E,
     r"judgements\['q1'\]\['d2'\] must be a finite number, got None"),
    ({"q1": {"d1": 1, "d2": float("nan")}}, JUDGED, E, r"retrieved\['q1'\]\['d2'\] must be a finite number, got nan"),
    ({"q1": ["d1"]}, {"q1": {"d1": 0.75, "d2": 0.5}}, E,
     r"^judgements\['q1'\]\['d1'\] must be a whole grade, got 0.75 \(float\); scores of a run are the first "
     r"argument, from_ids\(retrieved, judgements\)$"),
    ({"q1": ["d1"]}, {"q1": {"d1": 1.0, "d2": 0.5}}, E, r"\['d2'\] must be a whole grade, got 0.5 "),
    ({"q1": {"d1", "d3"}}, JUDGED, T,
     r"retrieved\['q1'\] must be a list of ids, best first, or a mapping of ids to scores, "
     r"got {.*} \(set\), which has no order"),
    ({"q1": frozenset(["d1"])}, JUDGED, T, r"\(frozenset\), which has no order"),
    ({"q1": [("d1", 0.9)]}, JUDGED, T,
     r"ids of retrieved\['q1'\] must be strings or integers, got \('d1', 0.9\) \(tuple\); for scores pass "
     r"{id: score}"),
    ({"q1": [["d1", 0.9]]}, JUDGED, T, r"got \['d1', 0.9\] \(list\); for scores pass {id: score}"),
    ({"q1": [0.9]}, JUDGED, T, r"got 0.9 \(float\); for scores pass {id: score}"),
    ({"q1": [{"id": "d1"}]}, JUDGED, T, r"integers, got {'id': 'd1'} \(dict\)$"),
    ({"q1": ["d1", None]}, JUDGED, T, r"integers, got None \(NoneType\)$"),
    ({"q1": [True]}, JUDGED, T, r"integers, got True \(bool\)$"),
    ({"q1": ["d1"]}, {"q1": [("d1", 1)]}, T,
     r"ids of judgements\['q1'\] must be strings or integers, got .*; for grades pass {id: grade}"),
    ({"q1": ["d1"]}, {"q1": {("d1", 1): 1}}, T, r"ids of judgements\['q1'\] must be strings or"),
    ({"q1": [1, 2]}, JUDGED, T,
     r"ids must be all strings or all integers, got 2 \(int\) in retrieved and 'd3' \(str\) in judgements"),
    ({"q1": ["d1", 2]}, JUDGED, T, r"got 'd1' \(str\) in retrieved and 2 \(int\) in retrieved"),
    ({1: ["d1"]}, {"1": {"d1": 1}}, T,
     r"queries must be all strings or all integers, got 1 \(int\) in retrieved and '1' \(str\) in judgements"),
    (pd.DataFrame({"query": ["q1"], "id": ["d1"]}), JUDGED, T,
     r"got a DataFrame; make one of a frame: {query: rows\['id'\].tolist\(\) for query, rows in frame.groupby"),
    (pl.DataFrame({"query": ["q1"], "id": ["d1"]}), JUDGED, T,
     r"got a DataFrame; make one of a frame: {query: rows\['id'\].to_list\(\) for \(query,\), rows in frame"),
    (RETRIEVED, pd.Series({"q1": ["d1"]}), T, r"got a Series; pass judgements.to_dict\(\)"),
    ({"q8": ["d1"]}, JUDGED, E, "must have at least one query in common, got none"),
    ({}, {}, E, "must have at least one query in common, got none"),
)  # fmt: skip
def test_what_cannot_be_joined_is_refused(retrieved, judged, error, text):
    with pytest.raises(error, match=text):
        ranking.from_ids(retrieved, judged)
