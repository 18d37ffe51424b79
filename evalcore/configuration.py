"""What this process computes with, and what NumPy must be told before it is imported.

On AMD's Zen 4, NumPy sorts with AVX-512 in four to five times the time that it takes without: the instruction that
writes some lanes of a vector to memory is microcode there (https://github.com/numpy/x86-simd-sort/issues/6).
"""

import os
import sys
import warnings
from itertools import islice

from evalcore._version import __version__

DISABLED, ENABLED = "NPY_DISABLE_CPU_FEATURES", "NPY_ENABLE_CPU_FEATURES"
"""Environment variables that NumPy reads as it is imported; it refuses to take both."""
AVX_512 = "X86_V4 AVX512_SKX AVX512_ICL AVX512_SPR"
"""What sorts with AVX-512, by the names that NumPy has from 2.4 on, and before; it ignores those it does not know."""
OPTIONAL_LIBRARIES = (
    "click", "dask", "duckdb", "fsspec", "matplotlib", "pandas", "pyarrow", "pyspark", "rich", "scipy",
)  # fmt: skip
_ZEN_4 = {*range(16, 32), *range(96, 128), *range(160, 176)}
"""Models of family 25; the others are Zen 3."""


def show_config() -> None:
    """Print processor, NumPy's vector instructions, threads and versions, and how to sort faster on this processor.

    O(1).

    Notes
    -----
    Use it in reports of errors and beside measured times.  On AMD's Zen 4 it says what to set before NumPy is imported,
    which the command `evalcore` sets for itself: ten million scores then sort in 0.14 s instead of 0.67 s.

    Examples
    --------
    >>> show_config()  # doctest: +ELLIPSIS
    processor: ...
    """
    import platform
    from importlib.metadata import PackageNotFoundError, version

    import numpy as np

    from evalcore.parallel import allowed_threads

    facts, simd = processor(), np.show_config(mode="dicts")["SIMD Extensions"]
    family = f", family {facts['cpu family']}, model {facts['model']}" if "cpu family" in facts else ""
    name = facts.get("model name") or platform.processor() or platform.machine()
    found = simd.get("found", [])  # beside the baseline, which cannot be disabled
    print(f"processor: {name}{family}; threads: {allowed_threads()}")
    print(f"vector instructions of NumPy: {' '.join([*simd['baseline'], *found])}")
    print(f"versions: evalcore {__version__}, Python {platform.python_version()}, NumPy {np.__version__}")
    versions = {}
    for library in OPTIONAL_LIBRARIES:
        try:
            versions[library] = version(library)
        except PackageNotFoundError:
            versions[library] = "not installed"
    print(f"optional libraries: {', '.join(map(' '.join, versions.items()))}")
    if sorts_slowly(facts) and not {*AVX_512.split()}.isdisjoint(found):
        print(f'advice: set {DISABLED}="{AVX_512}" before NumPy is imported; it sorts four to five times faster then')


def processor() -> dict[str, str]:
    """Return what Linux says of the first processor, such as its ``model name``; nothing elsewhere.  O(1)."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            lines = list(islice(file, 8))  # to tell of all processors takes Linux long where there are many
    except OSError:
        return {}
    return {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}


def sorts_slowly(facts: dict[str, str]) -> bool:
    """Whether this processor is one on which NumPy's sort is faster without AVX-512."""
    kind, model = (facts.get("vendor_id"), facts.get("cpu family")), facts.get("model", "")
    return kind == ("AuthenticAMD", "25") and model.isdecimal() and int(model) in _ZEN_4


def choose_vector_instructions() -> None:
    """Import NumPy without AVX-512 where that sorts slowly, unless it is imported or the user has chosen.  O(1).

    A NumPy that was built for this very processor cannot do without: the process then starts again, and lets it.
    """
    if "numpy" in sys.modules or not {DISABLED, ENABLED}.isdisjoint(os.environ) or not sorts_slowly(processor()):
        return
    os.environ[DISABLED] = AVX_512
    warnings.filterwarnings("ignore", f".*'{DISABLED}'", ImportWarning)  # of names that this NumPy does not know
    try:
        import numpy as np  # noqa: F401
    except RuntimeError:
        os.environ[DISABLED] = ""
        os.execv(sys.executable, sys.orig_argv)
