"""Cells of tables, with what is drawn beside them: rows that are joined by cluster and cell change no number."""

import numpy as np
import pytest

from evalcore.inference import cells as module
from evalcore.inference.cells import cells_of_rows, intervals_of
from evalcore.inference.decisions import compare_decisions, paired_decisions
from evalcore.inference.units import units_of
from tests.differences import every

SIZE = 400


def drawn(kind, *, grouped=False):
    rng = np.random.default_rng(3)
    weights = {"plain": None, "frequency": rng.integers(1, 5, SIZE), "sampling": rng.uniform(0.5, 4, SIZE)}[kind]
    groups = {"groups": rng.integers(0, 2, SIZE), "count": 2} if grouped else {}
    return units_of(
        SIZE, weights=weights, are_frequencies=kind == "frequency", clusters=rng.integers(0, 6, SIZE), **groups
    )


def decisions(*sizes):
    rng = np.random.default_rng(5)
    return [rng.random(SIZE) < chance for chance in sizes]


@every("kind", ["plain", "frequency", "sampling"])
@every("grouped", [False, True])
def test_rows_joined_by_cluster_and_cell_change_no_number(kind, grouped):
    units, (positive, old, new) = drawn(kind, grouped=grouped), decisions(0.4, 0.5, 0.6)
    codes = (2 * ~positive + ~new).astype(np.int8)

    def found():
        paired = paired_decisions(positive, old, new, units)
        compared = [compare_decisions(paired, name, 0.9)[1] for name in ("accuracy", "f1", "kappa")]
        cells = cells_of_rows(units, codes, (2, 2))
        intervals = [intervals_of(name, cells, 0.9)[:3] for name in ("recall", "prevalence", "f1", "kappa")]
        return cells.codes.size, np.array(compared), np.array(intervals)

    size, *joined = found()
    assert size < SIZE
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(module, "_WORTHWHILE", SIZE)
        size, *apart = found()
    assert size == SIZE
    for one, other in zip(joined, apart, strict=True):
        assert one == pytest.approx(other, rel=1e-12)


@every("kind", ["plain", "frequency", "sampling"])
def test_a_fraction_of_0_counts_each_cluster_as_a_trial(kind):
    units, (positive,) = drawn(kind), decisions(0.4)
    cells = cells_of_rows(units, (2 * ~positive + 1).astype(np.int8), (2, 2))
    _, [number], _ = module.trials_of(cells, module.FRACTIONS["recall"], 0.9)
    of_clusters = np.bincount(units.clusters, units.amounts * positive)
    assert number == pytest.approx(of_clusters.sum() ** 2 / np.square(of_clusters).sum())
