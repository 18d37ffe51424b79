"""Compare the ratios of the benchmarks with those that were frozen on the same kind of processor.

    python -m benchmarks.frozen write [PYTEST ARGUMENTS]   # of this processor, into frozen.json
    python -m benchmarks.frozen check [PYTEST ARGUMENTS]   # fail if a ratio is more than a tenth above the frozen one

Ratios of different processors cannot be compared: `np.sort` alone differs by a factor of ten.  What seems slower is
measured twice more, and its least ratio counts, since other work on the machine only ever adds time.
"""

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from evalcore import configuration

HERE = Path(__file__).parent
TABLE = HERE / "frozen.json"
SLOWER = 1.1
SLOWER_WITH_WEIGHTS = 1.3
"""One statistic of a large weighted ranking may cost this much more: runs carry the sums of all of them."""
TRIES = 3


def processor() -> str:
    """Return the processor's name with family and model, which tell generations apart where names do not."""
    facts = configuration.processor()
    try:
        return f"{facts['model name']}, family {facts['cpu family']}, model {facts['model']}"
    except KeyError:
        return platform.processor() or platform.machine()


def measured(arguments: list[str]) -> dict[str, float]:
    """Return the ratio of each benchmark that pytest runs; one that fails has none."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "benchmarks.json"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--benchmark-json={path}"]
        subprocess.run([*command, *(arguments or [str(HERE)])], check=False, cwd=HERE.parent)
        found = json.loads(path.read_text("utf-8"))["benchmarks"] if path.exists() else []
    infos = {each["fullname"].removeprefix("benchmarks/"): each["extra_info"] for each in found}
    return {name: info["ratio to peer"] for name, info in infos.items() if "ratio to peer" in info}


def limit(name: str) -> float:
    """Return how many times the frozen ratio a benchmark may take."""
    return SLOWER_WITH_WEIGHTS if "weight" in name else SLOWER


def slower(ratios: dict[str, float], frozen: dict[str, float]) -> list[str]:
    """Return the benchmarks that take more than they may, or were not measured."""
    return [name for name, before in frozen.items() if ratios.get(name, np.inf) > limit(name) * before]


def main() -> int:
    """Write or check the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["write", "check"])
    action, arguments = (options := parser.parse_known_args())[0].action, options[1]
    tables = json.loads(TABLE.read_text("utf-8")) if TABLE.exists() else {}
    ratios = measured(arguments)
    if action == "write":
        commit = subprocess.run(
            ["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True, cwd=HERE
        ).stdout.strip()
        versions = {"commit": commit, "python": platform.python_version(), "numpy": np.__version__}
        tables[processor()] = versions | {"ratios": {name: round(ratio, 4) for name, ratio in ratios.items()}}
        TABLE.write_text(json.dumps(tables, indent=1) + "\n", "utf-8")
        return 0
    if processor() not in tables:
        parser.error(f"{TABLE.name} must hold the ratios of {processor()}, got {list(tables)}; write them first")
    frozen = tables[processor()]["ratios"]
    if arguments:
        frozen = {name: frozen[name] for name in ratios if name in frozen}
    for _ in range(TRIES - 1):
        if again := slower(ratios, frozen):
            repeated = measured([f"benchmarks/{name}" for name in again])
            ratios |= {name: min(ratio, ratios.get(name, np.inf)) for name, ratio in repeated.items()}
    for name, before in frozen.items():
        now = ratios.get(name, np.nan)
        print(f"{before:9.3f} {now:9.3f} {now / before:6.2f}  {name}")
    late = slower(ratios, frozen)
    print(f"{len(frozen)} ratios, {len(late)} beyond what they may take")
    return 1 if late else 0


if __name__ == "__main__":
    sys.exit(main())
