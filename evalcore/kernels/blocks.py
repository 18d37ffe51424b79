"""Walking a long array in pieces that stay in cache, several threads at once; counts of ones on the way.

NumPy lets other threads run inside a sort, a search or an operation on whole arrays: two threads walk ten million keys
in 0.55 to 0.85 of the time of one, the less the more they compute.  What a block gives depends on the block alone:
answers are the same to the last bit for any number of threads.  Threads are started for the call and end with it, the
caller being one of them; starting another takes 0.1 ms.
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from evalcore.parallel import allowed_threads, threads

BLOCK = (1 << 16) - 8
"""Elements per block: a few temporaries of 8 bytes each fit a 2 MiB cache together.

Counts of them fit 16 bits, and they fill whole words of bytes, for `evalcore.kernels.blocks`.
"""
MANY = 1 << 19
"""Elements from which on threads are worth their start."""

P = TypeVar("P")
T = TypeVar("T")


def blocks(size: int, width: int = 1) -> Iterator[slice]:
    """Cut the indices 0 .. size-1 into consecutive slices of at most `BLOCK` elements, `width` to an index.

    O(size * width / BLOCK).

    >>> list(blocks(70_000))
    [slice(0, 65528, None), slice(65528, 70000, None)]
    >>> list(blocks(3, width=40_000))
    [slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)]
    """
    step = max(BLOCK // width, 1)
    return (slice(start, min(start + step, size)) for start in range(0, size, step))


def map_blocks(task: Callable[[slice], T], size: int, width: int = 1) -> list[T]:
    """Call a task with each of the `blocks`, and return its results in their order.

    The task runs in several threads at once if there are `MANY` elements: it must write to its own block only.
    O(size * width / BLOCK) calls.

    >>> map_blocks(lambda block: block.stop - block.start, 70_000)
    [65528, 4472]
    """
    if 0 < size * width <= BLOCK:
        return [task(slice(0, size))]
    return map_parts(task, list(blocks(size, width)), size * width)


def map_parts(task: Callable[[P], T], parts: list[P], elements: int) -> list[T]:
    """Call a task with each part, `elements` elements in all; as `map_blocks`.

    >>> map_parts(len, [[1, 2], [3]], elements=3)
    [2, 1]
    """
    count = min(threads_for(elements), len(parts))
    if count <= 1:
        return [task(part) for part in parts]
    answers: dict[int, T] = {}
    waiting = deque(enumerate(parts))

    def work() -> None:
        with threads(1):  # these are all there may be
            while True:
                try:
                    index, part = waiting.popleft()
                except IndexError:
                    return
                answers[index] = task(part)

    with ThreadPoolExecutor(count - 1) as pool:
        others: list[Future[None]] = []
        # An interpreter that ends, or a full process, starts no thread: then there are fewer.
        with suppress(RuntimeError):
            # settings of the caller, such as np.errstate, hold in its threads too
            others.extend(pool.submit(copy_context().run, work) for _ in range(count - 1))
        try:
            work()
        finally:
            waiting.clear()
        for other in others:
            other.result()
    return [answers[index] for index in range(len(parts))]


@cache
def _keep_freed_memory() -> None:
    """Let glibc keep what arrays of up to 32 MiB give back for the next array, as it does once one has been freed.

    Otherwise it returns the temporaries of every block to the system and clears them anew: a third of the time of a
    walk.  Elsewhere than on glibc this does nothing.
    """
    np.empty((1 << 25) - (1 << 16), np.uint8)


def threads_for(elements: int) -> int:
    """Return the number of threads for `elements` elements.

    >>> threads_for(MANY - 1)
    1
    """
    if elements < MANY:
        return 1
    _keep_freed_memory()
    return allowed_threads()


_BYTES = np.uint64(0x0101010101010101)
_PAIRS = np.uint64(0x0001000100010001)
_LAST_BYTE = np.uint64(56)


def running_counts(mask: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]:
    """Count the ones up to and including each index.

    mask: (n,) uint8 of 0 and 1, contiguous, n < 2**16.  Returns (n,) uint16.  O(n).

    >>> running_counts(np.array([1, 0, 1, 1, 0], np.uint8))
    array([1, 1, 2, 3, 3], dtype=uint16)
    """
    size = mask.size
    if size % 8:
        mask = np.concatenate([mask, np.zeros(-size % 8, np.uint8)])
    within = mask.view("<u8") * _BYTES
    before = np.zeros(within.size, np.uint64)
    np.cumsum((within >> _LAST_BYTE)[:-1], out=before[1:])
    before *= _PAIRS
    counts = within.astype("<u8", copy=False).view(np.uint8).astype("<u2").view("<u8")
    counts[0::2] += before
    counts[1::2] += before
    return counts.view("<u2")[:size].astype(np.uint16, copy=False)
