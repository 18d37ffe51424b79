"""What R and its packages say, where they are installed."""

import shutil
import subprocess
from functools import cache

import pytest

LIBRARY = "suppressMessages(library({}))\n"
READ = """
show <- function(...) cat(sprintf("%.17g", as.numeric(c(...))), "\\n")
data <- read.csv(file("stdin"))
"""


@cache
def has_package(name):
    """Tell whether R and a package of it are installed."""
    program = shutil.which("Rscript")
    script = f'quit(status = !requireNamespace("{name}", quietly = TRUE))'
    return (
        program is not None
        and subprocess.run([program, "-e", script], check=False, capture_output=True).returncode == 0
    )


def shown_by_r(packages, script, columns):
    """Return the lines of numbers that a script shows of `data`, which has these columns; skip without a package."""
    for name in packages:
        if not has_package(name):
            pytest.skip(f"R or its package {name} is not installed")
    rows = zip(*(map(repr, column.tolist()) for column in columns.values()), strict=True)
    table = "\n".join([",".join(columns), *map(",".join, rows)])
    script = "".join(map(LIBRARY.format, packages)) + READ + script
    run = subprocess.run(["Rscript", "-e", script], input=table, capture_output=True, text=True, check=True)
    return [tuple(map(float, line.split())) for line in run.stdout.splitlines()]
