"""Commands in processes of their own, and the most memory that they held."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

_COMMAND = """
import sys
from evalcore.cli import main
try:
    main(sys.argv[1:], prog_name="evalcore")
finally:
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    print(status["VmHWM"].split()[0], file=sys.stderr)  # of this program alone, unlike ru_maxrss
"""
needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc tells the peak of memory")


def peak_of(*arguments):
    """Return the JSON that a command writes in a process of its own, and the most bytes that it held."""
    done = _run(*arguments, "--format", "json")
    done.check_returncode()
    return json.loads(done.stdout), int(done.stderr) * 1024


def refusal_of(*arguments):
    """Return the error that a command writes in a process of its own, and the most bytes that it held."""
    done = _run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    message, peak = done.stderr.splitlines()
    return message, int(peak) * 1024


def _run(*arguments):
    command = [sys.executable, "-c", _COMMAND, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
