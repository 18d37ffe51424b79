"""What evaluating many rankings costs, in units of ``np.sort`` of all scores, and beside trec_eval."""

import numpy as np
import pytest
import pytrec_eval

from evalcore import metrics
from evalcore.ranking import evaluate

MEASURES = "AP RR P@10 nDCG@10"
TREC = {"AP": "map", "RR": "recip_rank", "P@10": "P_10", "nDCG@10": "ndcg_cut_10"}


def made(groups, documents):
    rng = np.random.default_rng(6)
    size = groups * documents
    scores = rng.permutation(size).astype(np.float32)  # distinct up to 2**24
    return np.repeat(np.arange(groups), documents), (rng.random(size) < 0.05).astype(int), scores


def as_trec_has_them(groups, relevance, scores):
    judged, run = {}, {}
    for row, (group, grade, score) in enumerate(zip(groups.tolist(), relevance.tolist(), scores.tolist(), strict=True)):
        judged.setdefault(str(group), {})[f"d{row}"] = grade
        run.setdefault(str(group), {})[f"d{row}"] = score
    return pytrec_eval.RelevanceEvaluator(judged, set(TREC.values())), run


def check(cases, evaluator, run):
    """Every value of every query is that of trec_eval."""
    ours, theirs = evaluate(*cases, measures=MEASURES), evaluator.evaluate(run)
    for name, trec_name in TREC.items():
        expected = [theirs[str(group)][trec_name] for group in ours.groups.tolist()]
        np.testing.assert_allclose(ours.values[name], expected, rtol=1e-9)


def bench_two_thousand_queries(interleaved):
    cases = made(2000, 500)
    evaluator, run = as_trec_has_them(*cases)
    check(cases, evaluator, run)
    ratio = interleaved(lambda: evaluate(*cases, measures=MEASURES), lambda: np.sort(cases[2])).ratio
    print(f"\n2,000 queries of 500 documents: {ratio:.1f} np.sort (target 15)")
    assert ratio <= 1.25 * 15


def bench_beside_trec_eval(interleaved):
    cases = made(2000, 500)
    evaluator, run = as_trec_has_them(*cases)
    check(cases, evaluator, run)
    times = interleaved(lambda: evaluate(*cases, measures=MEASURES), lambda: evaluator.evaluate(run), rounds=3).ratio
    print(f"\n2,000 queries of 500 documents: {1 / times:.1f} times faster than pytrec_eval (target 6)")
    assert 1 / times >= 6 / 1.25


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "documents"), [(1_000_000, 10), (1, 10_000_000)])
def bench_ten_million_rows(interleaved, groups, documents):
    cases = made(groups, documents)
    result = evaluate(*cases, measures=MEASURES)
    for group in (0, groups // 2, groups - 1):
        rows = slice(group * documents, (group + 1) * documents)
        best = int(np.flatnonzero(cases[1][rows][np.argsort(-cases[2][rows], kind="stable")])[:1].sum())
        relevant = cases[1][rows].any()
        assert result.values["RR"][group] == pytest.approx(relevant / (best + 1))
        expected = metrics.average_precision_score(cases[1][rows], cases[2][rows]) if relevant else 0.0
        assert result.values["AP"][group] == pytest.approx(expected, rel=1e-9)
    ratio = interleaved(lambda: evaluate(*cases, measures=MEASURES), lambda: np.sort(cases[2]), rounds=3).ratio
    print(f"\n{groups:,} groups of {documents:,}: {ratio:.1f} np.sort")
    assert ratio <= 60
