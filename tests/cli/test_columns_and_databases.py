"""`evalcore columns` says what files hold, and `evalcore report duckdb:FILE` reads a query or the only table."""

import shlex
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.command import FLIGHTS, check_refused, command, reported
from tests.differences import BESIDE_THE_GUIDE, check_output, every, recorded

run = partial(command, "columns")
FILES = {
    "cases.csv": "id,late,model,code,note\n1,0,0.5,07,\n2,1,0.25,08,yes\n",
    "classes.tsv": "truth\tguess\nash\tash\nelm\tash\noak\telm\n",
    "texts.jsonl": '{"topic": "a b", "words": "x"}\n',
    "commas.jsonl": '{"late": 1, "model": "0,5"}\n',
    "empty.csv": "late,model\n",
    "large.csv": "late,model\n1,1e300\n0,2e300\n",
    "missing.csv": "late,model,code\n1,nan,NA\nNA,0.5,CH\n0,,UK\n",
    "holes.csv": "late,model\n1,nan\nNA,0.5\n0,0.25\n1,0.75\n",
    "weighted.csv": "late,model,Weight\n1,0.5,2.0\n0,1.0,1.0\n",
    "equal.csv": "late,a=b,b\n1,0.5,0.25\n0,0.25,0.5\n",
    "semicolons.csv": "late;model\n1;0.5\n0;0.25\n",
    "c.csv": "late;model;note\n1;0,5;1.5\n0;0,25;0,5\n",
    "words.csv": "churned,model\nno,0.5\nyes,0.25\nno,0.75\n",
    "judged.jsonl": '{"judge": "PASS", "human": "PASS"}\n{"judge": "FAIL", "human": "FAIL"}\n{"judge": "FAIL"}\n',
    "people.jsonl": '{"grade": 4, "human_grade": 4}\n{"grade": 5, "human_grade": 5}\n{"grade": 4}\n',
    "answers.jsonl": '{"doc_id": 0, "filtered_resps": ["4"], "filter": "none", "acc": 1.0}\n',
    "named.jsonl": '{"filtered_resps": ["4"], "filter": "it\'s", "acc": 1.0}\n',
    "spliced.jsonl": '{"filtered_resps": ["4"], "filter": "$(x)", "acc": 1.0}\n',
    "tabs.csv": "late\tmodel\n1\t0.5\n0\t0.25\n",
    "texts.parquet": {"late": [1, 0], "model": ["0.5", "0.25"]},
}


@BESIDE_THE_GUIDE
def test_columns_have_types_nulls_and_first_values():
    np.savez("missing.npz", x=[np.nan, 1, 2])
    found = run("cases.csv", "weighted.csv", "missing.csv").stdout
    check_output("cli/outputs/columns.txt", f"{found}\n{run('missing.npz').stdout}")
    each = [run(name).stdout for name in ("cases.csv", "classes.tsv")]
    assert run("cases.csv", "classes.tsv").stdout == "\n".join(each)
    assert run(FLIGHTS).stdout.startswith(f"{FLIGHTS}: 327,346 rows; of the first 65,536:\n")


@every(
    ("file", "suggestion"),
    ("weighted.csv", "evalcore report weighted.csv --label late --score model"),
    ("semicolons.csv --delimiter ;", "evalcore report semicolons.csv --delimiter ';' --label late --score model"),
    ("c.csv --delimiter ; --decimal ,", "evalcore report c.csv --delimiter ';' --decimal , --label late --score model"),
    ("commas.jsonl", "No column holds labels of 0 and 1 or Booleans beside one of scores"),
    ("c.csv --delimiter ;", "Column 'model' seems to hold numbers with decimal commas: add --decimal ','."),
    ("words.csv", "evalcore report words.csv --label churned --score model --positive yes"),
    ("judged.jsonl", "evalcore report judged.jsonl --label human --predicted judge --nulls drop"),
    ("people.jsonl", "evalcore report people.jsonl --label human_grade --predicted grade --nulls drop"),
    ("answers.jsonl", "evalcore report answers.jsonl --value acc --ci 0.95"),
    ("named.jsonl", "evalcore report named.jsonl --value acc --where \"filter = 'it''s'\" --ci 0.95"),
    ("spliced.jsonl", """evalcore report spliced.jsonl --value acc --where 'filter = '"'"'$(x)'"'"'' --ci 0.95"""),
    ("semicolons.csv", "The header seems to have semicolons between the names of columns: add --delimiter ';'."),
    ("tabs.csv", "The header seems to have tabs between the names of columns: add --delimiter tab."),
    ("equal.csv", "Rename column 'a=b': in --score, what precedes = is a class."),
    ("cases.csv", "evalcore report cases.csv --label late --score model"),
    ("holes.csv", "evalcore report holes.csv --label late --score model --nulls drop"),
    ("large.csv", "evalcore report large.csv --label late --score model"),
    ("classes.tsv", "evalcore report classes.tsv --label truth --predicted guess"),
    ("scores.npz", "evalcore report scores.npz --label y --score p"),
    ("texts.jsonl", "No column holds labels of 0 and 1 or Booleans beside one of scores: name yours, evalcore "),
    ("texts.parquet", "No column holds labels of 0 and 1 or Booleans beside one of scores: name yours, evalcore "),
    ("empty.csv", "No column holds labels of 0 and 1 or Booleans beside one of scores: name yours, evalcore "),
)
def test_a_command_is_suggested_and_runs(file, suggestion):
    np.savez("scores.npz", p=[0.5, 0.25], y=[True, False])
    outcome = run(*file.split())
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert outcome.stdout.splitlines()[-1].startswith(suggestion)
    if suggestion.startswith("evalcore"):
        assert command(*shlex.split(suggestion)[1:]).exit_code == 0


def test_epochs_are_suggested_to_be_samples_of_an_id():
    log = str(Path(__file__).parents[1] / "data" / "harnesses" / "inspect_ai" / "epochs.eval")
    suggestion = run(log).stdout.splitlines()[-1]
    assert "--id task --id id --repeats mean" in suggestion
    assert "3 cases" in command(*shlex.split(suggestion)[1:]).stdout


def test_decimal_commas_do_not_hide_that_a_header_has_semicolons(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("late;model\n1;0,5\n", "utf-8")
    outcome = run(str(path))
    way_out = "the header seems to have semicolons (--delimiter ';')"
    assert outcome.stderr == f"evalcore: {path}: line 2: must have 1 cell, got 2: 1;0,5; {way_out}\n"
    assert "about 1 row" in run(str(path), "--delimiter", ";").stdout


TABLE = pa.table(
    {
        "late": [1, 0, 0, 1] * 50,
        "model": [0.9, 0.1, 0.8, 0.7] * 50,
        "carrier": ["AA", "UA"] * 100,
        "other": [[1]] * 200,
    }
)
ASKED = "--label", "late", "--score", "model"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write databases, and their rows as Parquet."""
    path = tmp_path_factory.mktemp("databases")
    pq.write_table(TABLE, path / "x.parquet")
    (path / "noise.db").write_bytes(b"noise " * 10_000)
    (path / "old.sqlite").write_bytes(b"SQLite format 3\0" * 100)
    for name, tables in {"one.db": ["flights"], "two.db": ["flights", 'a "b"'], "none.db": []}.items():
        with duckdb.connect(str(path / name)) as connection:
            for table in tables:
                quoted = table.replace('"', '""')
                connection.sql(f"create table \"{quoted}\" as from '{path / 'x.parquet'}'")
    return path


@pytest.fixture
def of_report(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return partial(command, "report")


def scores(of_report, *asked):
    return reported(of_report(*asked, "--format", "json"))["scores"]


@every(
    ("path", "more"),
    ("duckdb:one.db", ()),
    ("duckdb:two.db", ("--sql", "from flights")),
    ("duckdb:one.db", ("--sql", "select late, model, carrier from flights where model > -1;")),
    ("duckdb:", ("--sql", "from 'x.parquet'")),
)
def test_a_database_gives_what_its_file_gives(of_report, path, more):
    asked = (*ASKED, "--by", "carrier")
    assert scores(of_report, path, *asked, *more) == scores(of_report, "x.parquet", *asked)


@pytest.mark.usefixtures("beyond_memory")
def test_databases_are_joined_in_memory_and_read_in_batches_beyond_it(of_report):
    query = "select a.late, b.model from 'x.parquet' a join 'x.parquet' b on a.model = b.model and a.late = b.late"
    assert scores(of_report, "duckdb:", *ASKED, "--sql", query)["model"]["roc_auc"] == 0.75
    query = "from flights where late = 1 or model < 0.5"
    found = reported(of_report("duckdb:one.db", *ASKED, "--sql", query, "--format", "json"))
    assert (found["file"], found["sql"]) == ("duckdb:one.db", query)
    asked = ("duckdb:one.db", *ASKED, "--memory", "366M", "--sql", "from flights")
    assert scores(of_report, *asked)["model"]["cases"] == TABLE.num_rows
    assert of_report("duckdb:one.db", *ASKED, "--memory", "365M").stderr == (
        "evalcore: the database takes 110 MB, so memory must be at least 366M, got 365 MB; allow more (--memory SIZE)\n"
    )
    refused = of_report("duckdb:one.db", *ASKED, "--memory", "400M", "--where", "late = 1")
    assert refused.stderr.startswith("evalcore: --where takes 110 MB and the database takes 110 MB, so memory must be")


@every(("memory", "limit"), [("300M", "61.0 MiB"), ("1G", "119.2 MiB")])
def test_a_query_keeps_to_its_part_of_the_memory_limit(of_report, memory, limit):
    query = "select late, model, current_setting('memory_limit') as used from flights"
    found = scores(of_report, "duckdb:one.db", *ASKED, "--by", "used", "--sql", query, "--memory", memory)
    assert list(found["model"]) == [limit, "total"]


@every(("typed", "said"), recorded("cli/outputs/refused_databases.txt"))
def test_errors_are_one_line_that_says_what_to_do(of_report, typed, said):
    check_refused(of_report(*shlex.split(typed), *ASKED), said)
