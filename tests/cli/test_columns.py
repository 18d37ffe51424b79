"""`evalcore columns` says what files hold, and suggests the command."""

import shlex
from functools import partial

import numpy as np
import pytest

from tests.cli.command import FLIGHTS, command, refused
from tests.differences import every

run = partial(command, "columns")
FILES = {
    "cases.csv": "id,late,model,code,note\n1,0,0.5,07,\n2,1,0.25,08,yes\n",
    "classes.tsv": "truth\tguess\nash\tash\nelm\tash\noak\telm\n",
    "texts.jsonl": '{"topic": "a b", "words": "x"}\n',
    "empty.csv": "late,model\n",
    "large.csv": "late,model\n1,1e300\n0,2e300\n",
    "nothing.csv": "",
    "missing.csv": "late,model,code\n1,nan,NA\nNA,0.5,CH\n0,,UK\n",
    "twice.csv": "late,late\n1,0\n",
    "weighted.csv": "late,model,Weight\n1,0.5,2.0\n0,1.0,1.0\n",
    "equal.csv": "late,a=b,b\n1,0.5,0.25\n0,0.25,0.5\n",
    "semicolons.csv": "late;model\n1;0.5\n0;0.25\n",
    "tabs.csv": "late\tmodel\n1\t0.5\n0\t0.25\n",
}


def test_columns_have_types_nulls_and_first_values():
    lines = run("cases.csv").stdout.splitlines()
    assert lines[0] == "cases.csv: about 2 rows"
    assert [line.split() for line in lines[3:8]] == [
        ["id", "int64", "0", "1,", "2"],
        ["late", "int64", "0", "0,", "1"],
        ["model", "double", "0", "0.5,", "0.25"],
        ["code", "text", "0", "07,", "08"],
        ["note", "text", "1", "yes"],
    ]
    assert run("weighted.csv").stdout.splitlines()[5].split() == ["Weight", "double", "0", "2.0,", "1.0"]
    lines = run("missing.csv").stdout.splitlines()[3:6]
    assert [line.split()[:4] for line in lines] == [
        *(["late", "int64", "1", "1,"], ["model", "double", "2", "0.5"], ["code", "text", "0", "NA,"])
    ]
    np.savez("missing.npz", x=[np.nan, 1, 2])
    assert run("missing.npz").stdout.splitlines()[3].split() == ["x", "double", "1", "1.0,", "2.0"]
    each = [run(name).stdout for name in ("cases.csv", "classes.tsv")]
    assert run("cases.csv", "classes.tsv").stdout == "\n".join(each)
    assert run(FLIGHTS).stdout.startswith(f"{FLIGHTS}: 327,346 rows; of the first 65,536:\n")


@every(
    ("file", "suggestion"),
    [
        ("weighted.csv", "evalcore report weighted.csv --label late --score model"),
        ("semicolons.csv --delimiter ;", "evalcore report semicolons.csv --delimiter ';' --label late --score model"),
        ("semicolons.csv", "The header seems to have semicolons between the names of columns: add --delimiter ';'."),
        ("tabs.csv", "The header seems to have tabs between the names of columns: add --delimiter tab."),
        ("equal.csv", "Rename column 'a=b': in --score, what precedes = is a class."),
        ("cases.csv", "evalcore report cases.csv --label late --score model"),
        ("large.csv", "evalcore report large.csv --label late --score model"),
        ("classes.tsv", "evalcore report classes.tsv --label truth --predicted guess"),
        ("scores.npz", "evalcore report scores.npz --label y --score p"),
        ("texts.jsonl", "No column holds labels of 0 and 1 or Booleans beside one of scores: name yours, evalcore "),
        ("empty.csv", "No column holds labels of 0 and 1 or Booleans beside one of scores: name yours, evalcore "),
    ],
)
def test_a_command_is_suggested_and_runs(file, suggestion):
    np.savez("scores.npz", p=[0.5, 0.25], y=[True, False])
    outcome = run(*file.split())
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert outcome.stdout.splitlines()[-1].startswith(suggestion)
    if suggestion.startswith("evalcore"):
        assert command(*shlex.split(suggestion)[1:]).exit_code == 0


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("-", "columns needs a file, which is read again, got '-'; write it to a file first"),
        ("none.csv", "none.csv: no such file"),
        ("nothing.csv", "nothing.csv: there are no rows"),
        ("twice.csv", "twice.csv: 2 columns are called 'late'"),
    ],
)
def test_what_cannot_be_looked_at_is_refused(typed, said):
    assert refused(run(typed)) == said
