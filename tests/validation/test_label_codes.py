"""Codes of labels are those of ``np.unique``, whatever the way to them."""

import numpy as np

from evalcore.validation.labels import encode_labels
from tests.differences import every

MANY = 20_000


def columns():
    rng = np.random.default_rng(0)
    for distinct in (1, 2, 300, 5000):
        codes = rng.integers(0, distinct, MANY)
        for arrangement, column in {"mixed": codes, "sorted": np.sort(codes), "falling": np.sort(codes)[::-1]}.items():
            yield f"{distinct} {arrangement}", column
    for short in ([3], [4, 0], [1, 1, 1, 2, 2], list(range(300, 0, -1))):
        yield f"short {short[:3]}", np.array(short)
    yield "mixed, then sorted", np.concatenate([rng.integers(0, 500, 2000), np.repeat(np.arange(500), 40)])
    yield "sorted, then mixed", np.concatenate([np.repeat(np.arange(50), 40), rng.integers(0, 500, MANY)])


KINDS = {
    "near": lambda codes: codes + 7,
    "far": lambda codes: codes * 10**9 - 5,
    "of all 64 bits": lambda codes: (codes * (2**64 // 5000)).astype(np.uint64),
    "of 16 bits": lambda codes: (codes * 13 - 2**15).astype(np.int16),
    "negative": lambda codes: -(codes.astype(np.int64) ** 3),
    "above int64": lambda codes: codes.astype(np.uint64) * np.uint64(100_000) + np.uint64(2**63),
    "floats": lambda codes: codes / 2,
    "dates": lambda codes: codes.astype("datetime64[D]"),
    "strings": lambda codes: np.array([f"q{code}" for code in range(5000)])[codes],
    "objects": lambda codes: np.array([f"q{code}" for code in range(5000)], object)[codes],
    "equal objects": lambda codes: np.array([f"q{code}" for code in codes.tolist()], object),
}


@every("kind", KINDS)
def test_codes_are_those_of_a_sort(kind):
    for name, column in columns():
        labels = KINDS[kind](column)
        expected, inverse = np.unique(labels, return_inverse=True)
        classes, codes = encode_labels(labels)
        assert classes.dtype == labels.dtype, name
        assert np.array_equal(classes, expected), name
        assert np.array_equal(codes, inverse), name
