"""What computes is printed, and AVX-512 is switched off on the processors where it sorts slowly."""

import os
import platform
import re
import subprocess
import sys
import warnings
from importlib.metadata import version
from unittest import mock

import numpy as np
import pytest

import evalcore
from evalcore import configuration
from tests.differences import every
from tests.test_release import EXTRAS

GENOA, MILAN, GRANITE = ("AuthenticAMD", "25", "17"), ("AuthenticAMD", "25", "1"), ("GenuineIntel", "6", "173")


def cpuinfo(vendor, family, model):
    """Return a beginning of what Linux says of a processor."""
    facts = {"processor": "0", "vendor_id": vendor, "cpu family": family, "model": model, "model name": "A: B @ 2 GHz"}
    return "".join(f"{name}\t: {value}\n" for name, value in facts.items()) + "stepping\t: 1\n\n" * 4


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Return what tells Linux's facts of a processor, and returns what is set before NumPy is imported."""

    def tell(text, **environment):
        path = tmp_path / "cpuinfo"
        path.write_text(text, "utf-8")
        fresh = {name: module for name, module in sys.modules.items() if name != "numpy"}
        with (
            mock.patch.object(configuration, "open", lambda *_, **options: path.open(**options), create=True),
            mock.patch.dict(os.environ, environment),
            mock.patch.object(configuration.sys, "modules", fresh),
            warnings.catch_warnings(),
        ):
            configuration.choose_vector_instructions()
            return os.environ.get(configuration.DISABLED)

    for name in (configuration.DISABLED, configuration.ENABLED):
        monkeypatch.delenv(name, raising=False)
    return tell


@every(
    ("facts", "is_told"),
    (GENOA, True), (("AuthenticAMD", "25", "16"), True), (("AuthenticAMD", "25", "31"), True),
    (("AuthenticAMD", "25", "97"), True), (("AuthenticAMD", "25", "127"), True), (("AuthenticAMD", "25", "160"), True),
    (("AuthenticAMD", "25", "175"), True), (MILAN, False), (("AuthenticAMD", "25", "32"), False),
    (("AuthenticAMD", "25", "95"), False), (("AuthenticAMD", "25", "128"), False),
    (("AuthenticAMD", "25", "176"), False), (("AuthenticAMD", "26", "17"), False), (GRANITE, False),
    (("GenuineIntel", "25", "17"), False),
)  # fmt: skip
def test_zen_4_alone_is_told_to_sort_without_avx_512(told, facts, is_told):
    assert told(cpuinfo(*facts)) == (configuration.AVX_512 if is_told else None)


def test_what_the_user_has_set_stays_and_other_systems_are_told_nothing(told):
    genoa = cpuinfo(*GENOA)
    assert told(genoa, **{configuration.DISABLED: ""}) == ""
    assert told(genoa, **{configuration.DISABLED: "X86_V3"}) == "X86_V3"
    assert told(genoa, **{configuration.ENABLED: "X86_V3"}) is None  # NumPy refuses both
    assert told("processor\t: 0\nBogoMIPS\t: 50.00\nCPU implementer\t: 0x41\n") is None
    assert told("") is None
    with mock.patch.object(configuration, "open", side_effect=FileNotFoundError, create=True):
        assert configuration.processor() == {}


def test_a_process_that_has_imported_numpy_is_told_nothing(monkeypatch):
    monkeypatch.setattr(configuration, "processor", lambda: pytest.fail("asked in vain"))
    before = dict(os.environ)
    configuration.choose_vector_instructions()
    assert os.environ == before


@pytest.mark.process
def test_numpy_takes_what_is_set_without_a_word():
    script = f"""
import os, sys
from evalcore import configuration
configuration.processor = lambda: dict(zip(("vendor_id", "cpu family", "model"), {GENOA!r}))
sys.argv = ["evalcore", "--version"]
try:
    from evalcore.__main__ import main
    main()
except SystemExit:
    pass
import numpy as np
from numpy._core._multiarray_umath import __cpu_features__ as has
assert os.environ["{configuration.DISABLED}"] == configuration.AVX_512
assert not any(has.get(name) for name in configuration.AVX_512.split()), has
np.sort(np.random.default_rng(0).random(1000))
"""
    for options in ([], ["-W", "error"]):
        run = subprocess.run([sys.executable, *options, "-c", script], capture_output=True, text=True, check=False)
        assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.process
@pytest.mark.skipif((sys.platform, platform.machine()) != ("linux", "x86_64"), reason="NumPy's baseline is that of x86")
def test_a_numpy_that_was_built_with_avx_512_keeps_it():
    script = f"""
import os
from evalcore import configuration
configuration.processor = lambda: dict(zip(("vendor_id", "cpu family", "model"), {GENOA!r}))
configuration.AVX_512 = "SSE2 X86_V2"  # what every NumPy is built with
configuration.choose_vector_instructions()
import numpy as np
print(repr(os.environ[configuration.DISABLED]), np.sort([2, 1]))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "'' [1 2]\n", "")


def test_what_computes_is_printed(capsys, monkeypatch):
    evalcore.show_config()
    printed = capsys.readouterr().out
    assert f"NumPy {np.__version__}" in printed
    assert f"evalcore {evalcore.__version__}" in printed
    assert re.search(r"^processor: .+; threads: \d+$", printed, re.MULTILINE)
    assert f"scipy {version('scipy')}" in printed
    assert printed.count("advice") == 0
    simd = {"SIMD Extensions": {"baseline": ["X86_V2"], "found": ["X86_V3", "X86_V4"]}}
    monkeypatch.setattr(np, "show_config", lambda mode: simd)
    monkeypatch.setattr(configuration, "processor", lambda: {"model name": "X", "vendor_id": "AuthenticAMD",
                                                             "cpu family": "25", "model": "17"})  # fmt: skip
    monkeypatch.setattr(configuration, "OPTIONAL_LIBRARIES", ("no_such_library",))
    with evalcore.threads(3):
        evalcore.show_config()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "processor: X, family 25, model 17; threads: 3"
    assert lines[1] == "vector instructions of NumPy: X86_V2 X86_V3 X86_V4"
    assert lines[3] == "optional libraries: no_such_library not installed"
    assert lines[4].startswith(
        f'advice: set {configuration.DISABLED}="{configuration.AVX_512}" before NumPy is imported'
    )
    simd["SIMD Extensions"]["baseline"] += simd["SIMD Extensions"].pop("found")  # NumPy refuses to disable these
    evalcore.show_config()
    assert "advice" not in capsys.readouterr().out


def test_the_optional_libraries_are_those_of_the_extras():
    needs = {re.split(r"[\[><=]", need)[0] for extra in EXTRAS.values() for need in extra}
    assert sorted(needs - {"evalcore-metrics"}) == list(configuration.OPTIONAL_LIBRARIES)
