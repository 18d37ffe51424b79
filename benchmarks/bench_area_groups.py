"""How often groups whose ROC AUC is that of the rest are called different, and groups with a worse one.

`python -m benchmarks.bench_area_groups` prints the table that benchmarks/README.md shows, in two minutes.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pytest

from benchmarks.bench_area_intervals import SETS, Design, Z, found_of
from evalcore.inference.contrasts import Samples, area_samples, contrasts
from evalcore.typing import FloatArray

CLASSES = [
    ((30, 30), (500, 500)),
    ((12, 48), (200, 800)),
    ((6, 54), (100, 900)),
    ((5, 95), (100, 1900)),
    ((30, 30), (30, 30)),
    ((10, 10), (200, 200)),
    ((30, 120), (600, 2400)),
]
"""Positives and negatives of a group and of the rest."""
KINDS = "equal", "double", "half", "rounded"
AREAS, WORSE = (0.7, 0.9, 0.95), (0.1, 0.15)


class Compared(NamedTuple):
    """How comparisons of a group with the rest did."""

    shown: float
    """Sets with a p-value of at most 5%."""
    covered: float
    """Sets whose bounds hold the true difference."""
    width: float
    """Mean, in those that the true standard deviation of the difference would give."""


def sample(design: Design, sets: int) -> tuple[FloatArray, ...]:
    found = found_of(design, sets)
    smaller = np.full(sets, float(min(design.positives, design.negatives)))
    return (
        found.areas,
        found.variances,
        np.full(sets, np.inf),
        smaller,
        np.full(sets, design.positives + design.negatives),
    )


def compared(group: Design, rest: Design, sets: int) -> Compared:
    first, second = sample(group, sets), (each[::-1] for each in sample(rest, sets))
    samples: Samples = area_samples(*map(np.concatenate, zip(first, second, strict=True)))
    found = contrasts(samples, np.arange(2 * sets).reshape(2, -1).T, 0.95)
    truth = group.true_area() - rest.true_area()
    covered = (found.low <= truth + 1e-9) & (found.high >= truth - 1e-9)
    widths = (found.high - found.low) / (2 * Z * float(found.differences.std()))
    return Compared(*(float(np.mean(each)) for each in (found.p_values <= 0.05, covered, widths)))


def table(sets: int) -> Iterator[str]:
    """Write how often groups are called different, by how much worse they are, and the largest width."""
    yield "| group | rest | area | kinds | equal | 0.1 worse | 0.15 worse | least coverage | width |"
    yield "|---|---|---|---" + "|--:" * 5 + "|"
    for own, other in CLASSES:
        for area in AREAS:
            rows = {
                worse: [compared(Design(kind, area - worse, *own), Design(kind, area, *other), sets) for kind in KINDS]
                for worse in (0.0, *WORSE)
            }
            cells = ["/".join(f"{100 * each.shown:.1f}" for each in of_kinds) for of_kinds in rows.values()]
            every = [each for of_kinds in rows.values() for each in of_kinds]
            cells.append(f"{100 * min(each.covered for each in every):.1f}")
            cells.append("/".join(f"{each.width:.2f}" for each in rows[0.0]))
            yield f"| {own[0]}, {own[1]} | {other[0]}, {other[1]} | {area} | {'/'.join(KINDS)} | {' | '.join(cells)} |"


@pytest.mark.parametrize("classes", CLASSES[:4])
def bench_groups_like_the_rest_are_not_called_different(classes: tuple[tuple[int, int], tuple[int, int]]) -> None:
    own, other = classes
    for kind in KINDS:
        equal, worse = (compared(Design(kind, area, *own), Design(kind, 0.9, *other), SETS) for area in (0.9, 0.75))
        print(kind, classes, equal, worse)
        assert equal.shown <= 0.065 + 2 * math.sqrt(0.065 * 0.935 / SETS)
        assert min(equal.covered, worse.covered) >= 0.93
        assert worse.shown >= 0.15 if own[0] < 20 else 0.6
        assert equal.width <= 1.6 or own[0] < 20


if __name__ == "__main__":
    print("\n".join(table(SETS)))
