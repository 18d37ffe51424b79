"""Walking a long array in pieces that stay in cache."""

from collections.abc import Iterator

BLOCK = 1 << 16
"""Elements per block: a few temporaries of 8 bytes each fit a 2 MiB cache together."""


def blocks(size: int, width: int = 1) -> Iterator[slice]:
    """Cut the indices 0 .. size-1 into consecutive slices of at most `BLOCK` elements, `width` to an index.

    O(size * width / BLOCK).

    >>> list(blocks(70_000))
    [slice(0, 65536, None), slice(65536, 70000, None)]
    >>> list(blocks(3, width=40_000))
    [slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)]
    """
    step = max(BLOCK // width, 1)
    return (slice(start, min(start + step, size)) for start in range(0, size, step))
