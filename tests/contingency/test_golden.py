"""Golden values of the original Contingency, what documents say, and random experiments through the original."""

import functools
import io
import json
import os
import re
import shutil
import subprocess
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from evalcore import Contingency
from evalcore.contingency import significant_digits
from tests.contingency.experiments import (
    AVERAGES,
    FIGURES,
    STATISTICS,
    answers,
    assert_answers,
    entries,
    replay,
    replayed,
)
from tests.differences import collected, every
from tests.lingpipe import golden

DATA = golden.load("contingency")
EXPERIMENTS = DATA["experiments"]
ERRORS = {record["op"]: record for record in DATA["errors"]}
FORMATTED = [
    record for record in DATA["sig_figs"] if isinstance(record["result"], str) and not record["result"].startswith("%")
]
NOT_FORMATTED = [record for record in DATA["sig_figs"] if record not in FORMATTED]


@every("record", EXPERIMENTS)
def test_golden_experiment(record):
    actual = answers(replayed(record))
    assert_answers(actual, record["results"])
    assert list(actual["category_stats"]) == list(dict.fromkeys(record["categories"]))
    same = actual["macro_accuracy"] == pytest.approx(actual["micro_accuracy"], rel=1e-12)
    assert same == record["macro_equals_micro_accuracy"]


@every("record", EXPERIMENTS[::4])
def test_categories_as_keys_of_a_mapping_answer_the_same(record):
    assert answers(replayed({**record, "categories": dict.fromkeys(record["categories"])})) == answers(replayed(record))


@every("record", FORMATTED)
def test_significant_digits_alone_and_in_a_table(record):
    assert significant_digits(record["number"], record["figs"]) == record["result"]
    fraction = Fraction(record["number"]).limit_denominator(10**10)
    if float(fraction) == record["number"] <= 1:  # others are no statistics, or no quotients of small counts
        experiment = Contingency(["a"])
        experiment.set_entries(0, fraction.numerator, 0, fraction.denominator - fraction.numerator)
        assert experiment.stats_table(record["figs"]).splitlines()[2].split()[-2] == record["result"]


def test_the_original_refuses_what_is_refused_here():
    assert {record["number"] for record in NOT_FORMATTED} == {-0.5, 100, 123.456, 1000, 12345.678}
    record = ERRORS["new(categories=>[]), add_result('sports','politics')"]
    experiment = Contingency([])
    experiment.add_result("sports", "politics")
    assert_answers(answers(experiment), record["results"])
    assert "Unknown type" in ERRORS["add_result(scalar reference, ...)"]["result"]["die"]  # as is any object
    assert "Mandatory parameter 'categories' missing" in ERRORS["new()"]["result"]["die"]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'categories'"):
        Contingency()
    assert "not one of the allowed types" in ERRORS["new(categories=>undef)"]["result"]["die"]  # None is refused


def test_entries_left_out_are_the_type_error_of_missing_arguments_and_negative_ones_are_refused():
    assert ERRORS["set_entries(1,-1,0,0): micro_accuracy"]["result"]["die"] == "Illegal division by zero"
    record = ERRORS["set_entries() without arguments"]
    assert record["results"]["entries"] == [None] * 4
    experiment = Contingency(["a"])
    with pytest.raises(TypeError, match="missing 4 required positional arguments: 'a', 'b', 'c', and 'd'"):
        experiment.set_entries()
    assert_answers(answers(experiment), {**record["results"], "entries": [0] * 4})


def add_printed_results(experiment):
    experiment.add_result("a", ["b"], "doc1")
    experiment.add_result([], {}, "doc2")
    experiment.add_result(["zz"], "a")


def test_verbose_output_goes_to_the_writer_or_to_standard_output_and_only_if_asked(capsys):
    written, silent = io.StringIO(), io.StringIO()
    add_printed_results(Contingency(["a", "b"], verbose=True, writer=written))
    add_printed_results(Contingency(["a", "b"], writer=silent))
    assert (written.getvalue(), silent.getvalue(), capsys.readouterr().out) == (DATA["verbose_output"], "", "")
    add_printed_results(Contingency(["a", "b"], True))
    assert capsys.readouterr().out == DATA["verbose_output"]


def pooled(*cells):
    experiment = Contingency(["sports", "politics"])
    experiment.set_entries(*cells)
    return experiment


def test_entries_leave_the_categories_alone_and_are_integers_of_any_size():
    experiment = pooled(5, 3, 2, 10)
    assert [getattr(experiment, f"macro_{name}")() for name in STATISTICS] == [1, 0, 1, 1, 1]
    experiment.add_result("sports", "politics")
    assert entries(experiment) == [5, 4, 3, 10]
    experiment.category_stats()["sports"]["a"] = 100  # what is answered is a copy
    experiment.category_stats().clear()
    assert [experiment.category_stats()["sports"][cell] for cell in "abcd"] == [0, 1, 0, 0]
    experiment.set_entries(0.5, 0, 0, 0)
    experiment.add_results(["sports", []], ["sports", []])
    assert entries(experiment) == [1.5, 0, 0, 3]
    experiment = pooled(2.0, 2**53 + 1, 10**30, True)
    assert repr(experiment) == f"Contingency(categories=2, results=0, a=2, b={2**53 + 1}, c={10**30}, d=1)"


@every("cells", [(2**128,) * 4, (2.0**128, 0.5, 2.0**128, 2.0**128)])
def test_the_largest_tables_have_statistics(cells):
    experiment, total = pooled(*cells), sum(map(int, cells))
    assert experiment.micro_accuracy() == pytest.approx((int(cells[0]) + int(cells[3])) / total, rel=1e-12)
    assert experiment.micro_error() == pytest.approx((int(cells[1]) + int(cells[2])) / total, rel=1e-12)


@every(
    "given",
    "sports",
    ["sports"],
    ("sports",),
    {"sports"},
    frozenset(["sports"]),
    {"sports": 0}.keys(),
    {"sports": 1, "politics": 0},
    {"sports": "0", "politics": ""},
    ["sports", "sports"],
    ["weather", "sports"],
    ["sports", None],
)
def test_ways_to_name_categories(given):
    ways = (given, [], [0, 1, 0, 1]), (None, given, [0, 0, 1, 1]), (given, given, [1, 0, 0, 1])
    for assigned, correct, cells in ways:
        experiment = Contingency(["sports", "politics"])
        experiment.add_result(assigned, correct)
        assert entries(experiment) == cells
        assert experiment.category_stats()["politics"]["d"] == 1


def test_names_can_be_anything_that_hashes_and_their_order_costs_no_digit():
    names = [0, "0", ("a", "b"), b"0", None, 1.5, ""]
    experiment = Contingency(names)
    for name in names:
        experiment.add_result([name], (name,))
    stats = experiment.category_stats()
    assert list(stats) == names
    assert all((stats[name]["a"], stats[name]["d"]) == (1, 6) for name in names)
    for repeating in (["b", "a", "b"], iter("bab")):  # which collapse in order
        assert list(Contingency(repeating).category_stats()) == ["b", "a"]
    assigned, correct = (["abc", "abd", "a", "cde", "b", "be", "de"], ["ab", "ade", "bc", "ce", "a", "bc", "e"])
    found = set()
    for names in permutations("abcde"):
        experiment = Contingency(list(names))
        experiment.add_results(list(map(list, assigned)), list(map(list, correct)))
        found.add((*(getattr(experiment, name)() for name in AVERAGES), experiment.stats_table(2)))
    assert len(found) == 1


def test_what_is_printed_of_results_and_tables():
    experiment = Contingency(["sports", "politics"])
    experiment.add_result(["sports"], ["sports", "politics"])
    assert experiment.stats_table() == (
        "+---------------------------------------------+\n"
        "|   maR   maP  maF1    miR   miP  miF1    Err |\n"
        "| 0.500 0.500 0.500  0.500 1.000 0.667  0.500 |\n"
        "+---------------------------------------------+\n"
    )
    assert printed("a", None) == printed(["a"], [], None) == printed(["a"], [], "") == ": assigned=(a) correct=()\n"
    assert printed("a", "b", 0) == "0: assigned=(a) correct=(b)\n"
    assert printed(["zz", "a"], 3, "doc") == "doc: assigned=(zz a) correct=(3)\n"  # unknown names too
    assert printed(["a", "zz", "a"], [], "doc") == "doc: assigned=(a zz) correct=()\n"
    assert printed({"a": 1, "b": 0}, {"a": ""}, "doc") == "doc: assigned=(a b) correct=(a)\n"


@every("figs", [1, 2, 3, 7, 20])
@every("cells", [(7, 3, 5, 0), (1, 0, 99999, 5), (1, 999, 0, 0)])
def test_layout_of_the_table(figs, cells):
    text = pooled(*cells).stats_table(figs)
    rule, heading, row, other_rule, end = text.split("\n")
    values = row.split()[1:-1]
    width = max(map(len, values))
    assert end == ""
    assert rule == other_rule == "+" + "-" * (10 + 7 * width) + "+"
    space = " " * (width - 4)
    assert heading == f"| {space} maR {space} maP{space} maF1  {space} miR {space} miP{space} miF1  {space} Err |"
    assert row == "| {} {} {}  {} {} {}  {} |".format(*(value.rjust(width) for value in values))
    assert len(rule) == len(row)
    experiment = pooled(1, 9, 9, 1)
    assert experiment.stats_table(0) == experiment.stats_table() == experiment.stats_table(3)
    assert experiment.stats_table(figs=2) != experiment.stats_table()


@every(("wrong", "cell"), [(1, "0.100"), (10, "0.01000"), (100, "0.0100")])
def test_decimals_are_cut_from_the_logarithm(wrong, cell):
    total = {1: 10, 10: 1000, 100: 10000}[wrong]
    digits = 4 if wrong == 10 else 3
    assert pooled(0, wrong, 0, total - wrong).stats_table(digits).splitlines()[2].split()[-2] == cell


@every("name", [name for name in AVERAGES if name.startswith("micro")])
def test_micro_statistics_need_no_categories(name):
    experiment = Contingency({})
    experiment.add_results([["sports"]] * 3, [[]] * 3)
    assert getattr(experiment, name)() == (0 if name == "micro_error" else 1)
    assert repr(experiment) == "Contingency(categories=0, results=3, a=0, b=0, c=0, d=0)"


def printed(assigned, correct, *name):
    writer = io.StringIO()
    Contingency(["a", "b"], verbose=True, writer=writer).add_result(assigned, correct, *name)
    return writer.getvalue()


SCRIPT = Path(__file__).with_name("experiments.pl")
PERL = shutil.which("perl")
NEEDED = ["-MJSON::PP", "-MStatistics::Contingency", "-e1"]

RANDOM = 600
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
    records = [some_experiment(seed) for seed in range(RANDOM)]
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


def told(text):
    """Take lines apart; the original prints names in the order of a hash."""
    return [[name, *(sorted(names.split(" ")) for names in both)] for name, *both in map(parts_of, text.splitlines())]


def parts_of(line):
    return LINE.fullmatch(line).groups()


@pytest.mark.process
def test_the_original_prints_the_same():
    for record, original in experiments():
        writer = io.StringIO()
        replay(Contingency(record["categories"], verbose=True, writer=writer), record["operations"])
        assert told(writer.getvalue()) == told(original["printed"])
