"""Walking a long array in pieces that stay in cache."""

from collections.abc import Iterator

BLOCK = 1 << 16
"""Elements per block: a few temporaries of 8 bytes each fit a 2 MiB cache together."""


def blocks(size: int) -> Iterator[slice]:
    """Cut the indices 0 .. size-1 into consecutive slices of at most `BLOCK`.

    O(size / BLOCK).

    >>> list(blocks(70_000))
    [slice(0, 65536, None), slice(65536, 70000, None)]
    """
    return (slice(start, min(start + BLOCK, size)) for start in range(0, size, BLOCK))
