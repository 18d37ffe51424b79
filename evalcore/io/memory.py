"""Amounts of memory: as people write them, and what the machine has."""

import os
import re
from contextlib import suppress

from evalcore.errors import EvaluationError, check

LEAST_BYTES = 256_000_000
"""Python, NumPy and Arrow take about half of this before the first row is read."""
PROGRAM_BYTES = 160_000_000
"""Bytes that Python and the libraries take, and that Arrow keeps for reading."""
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([kmgt]?)(i?)(b?)\s*", re.IGNORECASE | re.ASCII)
_CONTROL_GROUPS = "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"


def memory_size(text: str) -> int:
    """Return the bytes of a size such as 500M, 2G, 1.5GiB, 300MB or 400000000.

    K, M, G and T are powers of 1000, KiB and so on (or Ki) of 1024.  Raises EvaluationError for anything else, and for
    less than 256M, which the program itself needs.

    >>> memory_size("1.5GiB"), memory_size("500M")
    (1610612736, 500000000)
    >>> memory_size("much")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: memory must be a size such as 500M, 2G or 1.5GiB, got 'much'
    """
    match = _SIZE.fullmatch(text)
    if match is None or (match[3] and not match[2]):
        raise EvaluationError(f"memory must be a size such as 500M, 2G or 1.5GiB, got {text!r}")
    size = int(float(match[1]) * (1024 if match[3] else 1000) ** _POWERS[match[2].lower()])
    check(size >= LEAST_BYTES, "memory", f"be at least {LEAST_BYTES // 10**6}M, which the program needs", text)
    return size


def shown_size(size: float) -> str:
    """Return a number of bytes as people write it.  O(1).

    >>> shown_size(1_610_612_736), shown_size(500)
    ('1.6 GB', '500 bytes')
    """
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}" if size < 10 * unit else f"{size / unit:.0f} {name}"
    return f"{size:.0f} bytes"


def machine_memory() -> int | None:
    """Return the bytes of memory of the machine or its container, None if the system does not say.  O(1)."""
    try:
        pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
    if pages <= 0 or size <= 0:
        return None
    limits = [pages * size]
    for path in _CONTROL_GROUPS:
        with suppress(OSError, ValueError), open(path, encoding="ascii") as file:  # there is none, or it says "max"
            limits.append(int(file.read()))
    return min(limits)


def default_memory() -> int | None:
    """Return the memory limit where none is given, half of the machine's memory in bytes; None if unknown.  O(1)."""
    machine = machine_memory()
    return None if machine is None else machine // 2


def check_room(needed: int, limit: int | None, what: str, way_out: str = "") -> None:
    """Raise EvaluationError if a number of bytes exceeds a limit that was asked for, or else `default_memory`.  O(1).

    >>> check_room(10**9, 256_000_000, "the trees take", "count fewer")
    Traceback (most recent call last):
    evalcore.errors.EvaluationError: the trees take 1.0 GB, and the limit is 256 MB, of which the program takes \
160 MB; allow more memory (--memory SIZE), or count fewer
    """
    ways = ["allow more memory (--memory SIZE)"] * (limit is not None) + [way_out] * bool(way_out)
    limit = default_memory() if limit is None else limit
    if limit is not None and needed + PROGRAM_BYTES > limit:
        room = f"the limit is {shown_size(limit)}, of which the program takes {shown_size(PROGRAM_BYTES)}"
        way_out = ", or ".join(ways) or "use a machine with more memory"
        raise EvaluationError(f"{what} {shown_size(needed)}, and {room}; {way_out}")
