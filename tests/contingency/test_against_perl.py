"""Random experiments through the original module, one process for all: everything must be the same."""

import functools
import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from evalcore import Contingency
from tests.contingency.experiments import FIGURES, answers, assert_answers, replay, replayed
from tests.differences import collected

SCRIPT = Path(__file__).with_name("experiments.pl")
PERL = shutil.which("perl")
NEEDED = ["-MJSON::PP", "-MStatistics::Contingency", "-e1"]

EXPERIMENTS = 600
POOL = ["0", "00", "a", "A", "two words", " ", "naïve", "日本語", "🙂", "1.0", "x" * 40, "%s", "-1", "'\"\\", "a,b"]
UNKNOWN = ["zz", "another one", "été"]
TRUE, FALSE = [1, 2, -1, 0.5, "yes", True], [0, "", None, False, 0.0]
ORDER_OF_HASHES = {"PERL_HASH_SEED": "0", "PERL_PERTURB_KEYS": "0"}
"""Perl adds up its macro statistics in the order of a hash, which is random unless told otherwise."""
MACRO_CELLS = "macro_recall", "macro_precision", "macro_F1"


def pick(rng, values, size):
    return [values[place] for place in rng.integers(0, len(values), size)]


def some_names(rng, categories, density):
    """Draw what stands for the categories of a document: a hash, a list with repeats, a string, or nothing."""
    names = [name for name in categories if rng.random() < density] + pick(rng, UNKNOWN, rng.integers(0, 2))
    kind = rng.choice(["hash", "list", "string", "none"], p=[0.3, 0.45, 0.2, 0.05])
    if kind == "none":
        return None
    if kind == "string":
        return pick(rng, [*categories, *UNKNOWN], 1)[0]
    if kind == "list":
        names = [*names, *pick(rng, names, rng.integers(0, 3))] if names else names
        return [names[place] for place in rng.permutation(len(names))]
    given = dict(zip(names, pick(rng, TRUE, len(names)), strict=True))
    absent = [name for name in categories if name not in given]
    return {**given, **{name: pick(rng, FALSE, 1)[0] for name in absent if rng.random() < 0.3}}


def some_entries(rng):
    """Draw a pooled table: counts of any size, decimal fractions, or fractions of 17 digits; some cells empty."""
    cells = [
        rng.integers(0, 12, 4).tolist(),
        (10 ** rng.uniform(0, 12, 4)).astype(np.int64).tolist(),
        (rng.integers(0, 100, 4) / 10).tolist(),
        (rng.integers(0, 40, 4) / 8).tolist(),
        rng.random(4).tolist(),
        [1, *(10 ** rng.integers(0, 9, 3)).tolist()],
    ][rng.integers(0, 6)]
    return [0 if rng.random() < 0.15 else cell for cell in cells]


def operation(rng, number, categories, densities):
    if rng.random() < 0.03:
        return {"op": "set_entries", "args": some_entries(rng)}
    assigned, correct = (some_names(rng, categories, density) for density in densities)
    if rng.random() < 0.3:
        assigned = correct
    return {"op": "add_result", "assigned": assigned, "correct": correct, "name": f"doc {number}"}


def some_experiment(seed):
    rng = np.random.default_rng(seed)
    categories = [POOL[place] for place in rng.permutation(len(POOL))[: rng.integers(1, 9)]]
    size = int(rng.choice([0, 1, 2, 5, 20, 40]))
    densities = rng.choice([0, 0.1, 0.3, 0.7], 2)
    operations = [operation(rng, number, categories, densities) for number in range(size)]
    if rng.random() < 0.4:
        operations.append({"op": "set_entries", "args": some_entries(rng)})
    return {"categories": [*categories, *pick(rng, categories, rng.integers(0, 2))], "operations": operations}


def numbers(results):
    """Read the numbers, which Perl writes as text; tables of text stay."""
    if isinstance(results, dict):
        return {name: numbers(value) for name, value in results.items()}
    if isinstance(results, list):
        return [numbers(value) for value in results]
    return results if "\n" in results else float(results)


@functools.cache
def experiments():
    """Pair each experiment with what the original makes of it; skip the test where the original is missing."""
    if not PERL or subprocess.run([PERL, *NEEDED], capture_output=True, check=False).returncode:
        pytest.skip("needs Debian's libstatistics-contingency-perl")
    records = [some_experiment(seed) for seed in range(EXPERIMENTS)]
    given = json.dumps({"figures": FIGURES, "experiments": records})
    run = subprocess.run([PERL, str(SCRIPT)], input=given.encode(), capture_output=True, check=False,
                         env={**os.environ, **ORDER_OF_HASHES})  # fmt: skip
    assert (run.returncode, run.stderr) == (0, b"")
    return list(zip(records, json.loads(run.stdout), strict=True))


def is_on_a_rounding_boundary(value, cell):
    scaled = value * 10 ** len(cell.partition(".")[2])
    return abs(scaled - np.floor(scaled) - 0.5) < 1e-9


def assert_table(actual, expected, results):
    """Compare tables of text; a macro cell may differ where its value lies on a rounding boundary."""
    if actual != expected:
        lines, other_lines = actual.split("\n"), expected.split("\n")
        cells, other_cells = lines[2].split(), other_lines[2].split()
        assert [*lines[:2], *lines[3:]] == [*other_lines[:2], *other_lines[3:]]
        assert list(map(len, cells)) == list(map(len, other_cells))
        assert (cells[0], cells[4:]) == (other_cells[0], other_cells[4:])
        for cell, other, name in zip(cells[1:4], other_cells[1:4], MACRO_CELLS, strict=True):
            assert cell == other or is_on_a_rounding_boundary(results[name], cell), (name, results[name])


@pytest.mark.process
def test_the_original_answers_the_same():
    with collected() as checking:
        for seed, (record, original) in enumerate(experiments()):
            with checking(f"experiment {seed}"):
                assert_answers(answers(replayed(record)), numbers(original["results"]), assert_table)


LINE = re.compile(r"(.*): assigned=\((.*)\) correct=\((.*)\)", re.DOTALL)


def printed(text):
    """Take lines apart; the original prints names in the order of a hash."""
    return [[name, *(sorted(names.split(" ")) for names in both)] for name, *both in map(parts_of, text.splitlines())]


def parts_of(line):
    return LINE.fullmatch(line).groups()


@pytest.mark.process
def test_the_original_prints_the_same():
    for record, original in experiments():
        writer = io.StringIO()
        replay(Contingency(record["categories"], verbose=True, writer=writer), record["operations"])
        assert printed(writer.getvalue()) == printed(original["printed"])


@pytest.mark.process
def test_the_experiments_reach_what_they_are_meant_to_reach():
    records, originals = zip(*experiments(), strict=True)
    given = [each for record in records for operation in record["operations"] if operation["op"] == "add_result"
             for each in (operation["assigned"], operation["correct"])]  # fmt: skip
    assert {type(each) for each in given} == {type(None), str, list, dict}
    assert any(isinstance(each, list) and len(set(each)) < len(each) for each in given)
    assert any(isinstance(each, dict) and not all(each.values()) for each in given)
    micro, macro = ({float(each["results"][f"{kind}_error"]) for each in originals} for kind in ("micro", "macro"))
    assert len(micro) > EXPERIMENTS / 3
    assert len(macro) > EXPERIMENTS / 5
    assert any(value == 1 for value in micro)
