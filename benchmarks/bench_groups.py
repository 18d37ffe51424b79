"""What the ROC AUC of every group costs, beside other programs, and in units of ``np.sort`` of all scores."""

import numpy as np
import pytest

from evalcore.ranking import evaluate

TIMES_POLARS, TIMES_NUMBA, TIMES_CATBOOST = 2, 1.5, 6
TARGETS = {"sorted": 5, "unsorted": 9, "unsorted sizes": 12, "sorted sizes": 7}
"""In units of ``np.sort``, for a million groups of ten."""


def made(groups, cases, arrangement="sorted"):
    """Make groups, labels and scores; "sizes" for groups of different sizes."""
    rng = np.random.default_rng(6)
    size = groups * cases
    names = rng.integers(0, groups, size) if "sizes" in arrangement else np.repeat(np.arange(groups), cases)
    if "unsorted" in arrangement:
        names = rng.permutation(names)
    elif "sizes" in arrangement:
        names.sort()
    return names, rng.random(size) < 0.1, rng.random(size)


def areas(data):
    return evaluate(*data, measures="AUC").values["AUC"]


def plain_areas(names, labels, scores):
    """Compute the areas of all groups from one sort by group and score, where no scores of a group are tied."""
    order = np.lexsort((scores, names))
    names, labels = names[order], labels[order]
    sizes, positives = np.bincount(names), np.bincount(names, weights=labels)
    ranks = np.arange(names.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    pairs = positives * (sizes - positives)
    with np.errstate(invalid="ignore"):
        return (np.bincount(names, weights=ranks * labels) - positives * (positives - 1) / 2) / pairs


def check(data):
    present = np.flatnonzero(np.bincount(data[0]))
    np.testing.assert_allclose(areas(data), plain_areas(*data)[present], rtol=1e-12)


def polars_of(data):
    """Return the fastest expressions found: of frames that know that their groups are sorted, and of others."""
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(dict(zip("gys", data, strict=True)))
    if np.all(data[0][1:] >= data[0][:-1]):
        frame = frame.with_columns(polars.col("g").set_sorted())
    positives = polars.col("y").sum().cast(polars.Float64)
    ranks = (polars.col("s").rank() * polars.col("y")).sum()
    area = (ranks - positives * (positives + 1) / 2) / (positives * (polars.len() - positives))

    def polars_areas():
        return frame.group_by("g").agg(area=area).sort("g")["area"].to_numpy()

    return polars_areas


def numba_of(data):
    """Return a loop over groups that come together, each sorted by ``np.argsort``, on all threads."""
    numba = pytest.importorskip("numba")

    @numba.njit(parallel=True)
    def areas_between(starts, labels, scores):
        found = np.full(starts.size - 1, np.nan)
        for group in numba.prange(found.size):
            own = labels[starts[group] : starts[group + 1]]
            own_scores = scores[starts[group] : starts[group + 1]]
            order = np.argsort(own_scores)
            won, negatives, positives, first = 0.0, 0, 0, 0
            while first < order.size:
                after, tied = first, 0
                while after < order.size and own_scores[order[after]] == own_scores[order[first]]:
                    tied += own[order[after]]
                    after += 1
                won += tied * (negatives + (after - first - tied) / 2)
                negatives += after - first - tied
                positives += tied
                first = after
            if positives and negatives:
                found[group] = won / (positives * negatives)
        return found

    names, labels, scores = data
    return lambda: areas_between(
        np.concatenate([[0], np.flatnonzero(names[1:] != names[:-1]) + 1, [names.size]]), labels, scores
    )


@pytest.mark.parametrize("groups", [1000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("arrangement", ["sorted", "unsorted"])
def bench_beside_polars(interleaved, groups, arrangement):
    data = made(groups, 1000 if groups == 1000 else 10, arrangement)
    check(data)
    polars_areas = polars_of(data)
    np.testing.assert_allclose(polars_areas(), areas(data), rtol=1e-12)
    times = 1 / interleaved(lambda: areas(data), polars_areas, rounds=5 if groups == 1000 else 2).ratio
    print(f"\n{groups:,} groups, {arrangement}: {times:.1f} times faster than polars (target {TIMES_POLARS})")
    assert times >= TIMES_POLARS / 1.25


@pytest.mark.parametrize("groups", [1000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def bench_beside_numba(interleaved, groups):
    data = made(groups, 1000 if groups == 1000 else 10)
    loop = numba_of(data)
    np.testing.assert_allclose(loop(), areas(data), rtol=1e-12)
    times = 1 / interleaved(lambda: areas(data), loop, rounds=5 if groups == 1000 else 3).ratio
    print(f"\n{groups:,} groups, sorted: {times:.1f} times faster than a loop by numba (target {TIMES_NUMBA})")
    assert times >= TIMES_NUMBA / 1.25


def bench_beside_catboost(interleaved):
    utils = pytest.importorskip("catboost.utils")
    names, labels, scores = data = made(1000, 1000)
    targets = labels.astype(np.float64)

    def mean_by_catboost():
        return utils.eval_metric(targets, scores, "QueryAUC:type=Classic", group_id=names)[0]

    def mean():
        return evaluate(*data, measures="AUC").mean("AUC", by="size")

    assert mean() == pytest.approx(mean_by_catboost(), rel=1e-9)
    times = 1 / interleaved(mean, mean_by_catboost, rounds=3).ratio
    print(f"\n1,000 groups of 1,000: {times:.1f} times faster than CatBoost's QueryAUC (target {TIMES_CATBOOST})")
    assert times >= TIMES_CATBOOST / 1.25


@pytest.mark.slow
@pytest.mark.parametrize("arrangement", TARGETS)
def bench_a_million_groups_of_ten(interleaved, arrangement):
    data = made(1_000_000, 10, arrangement)
    check(data)
    ratio = interleaved(lambda: areas(data), lambda: np.sort(data[2]), rounds=5).ratio
    print(f"\na million groups of ten, {arrangement}: {ratio:.1f} np.sort (target {TARGETS[arrangement]})")
    assert ratio <= 1.25 * TARGETS[arrangement]


@pytest.mark.parametrize("kind", ["strings", "objects", "integers of 64 bits"])
def bench_names_of_groups(interleaved, kind):
    codes, labels, scores = made(1000, 1000)
    texts = np.array([f"user{code:07}" for code in range(1000)])
    made_of = {"strings": texts, "objects": texts.astype(object), "integers of 64 bits": np.arange(1000) * 10**15}
    names = made_of[kind][codes]
    np.testing.assert_array_equal(areas((names, labels, scores)), areas((codes, labels, scores)))
    ratio = interleaved(lambda: areas((names, labels, scores)), lambda: areas((codes, labels, scores))).ratio
    print(f"\n1,000 groups of 1,000, {kind} as names: {ratio:.1f} times what integers in a row take (target 3)")
    assert ratio <= 1.25 * 3
