"""`evalcore report duckdb:FILE` reads a query or the only table, writes nothing, and says what is wrong."""

from functools import partial

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.command import command, refused, reported
from tests.differences import every

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
def run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return partial(command, "report")


def scores(run, *asked):
    return reported(run(*asked, "--format", "json"))["scores"]


@every(
    ("path", "more"),
    [
        ("duckdb:one.db", ()),
        ("duckdb:two.db", ("--sql", "from flights")),
        ("duckdb:one.db", ("--sql", "select late, model, carrier from flights where model > -1;")),
        ("duckdb:", ("--sql", "from 'x.parquet'")),
    ],
)
def test_a_database_gives_what_its_file_gives(run, path, more):
    asked = (*ASKED, "--by", "carrier")
    assert scores(run, path, *asked, *more) == scores(run, "x.parquet", *asked)


@pytest.mark.usefixtures("beyond_memory")
def test_databases_are_joined_in_memory_and_read_in_batches_beyond_it(run):
    query = "select a.late, b.model from 'x.parquet' a join 'x.parquet' b on a.model = b.model and a.late = b.late"
    assert scores(run, "duckdb:", *ASKED, "--sql", query)["model"]["roc_auc"] == 0.75
    query = "from flights where late = 1 or model < 0.5"
    found = reported(run("duckdb:one.db", *ASKED, "--sql", query, "--format", "json"))
    assert (found["file"], found["sql"]) == ("duckdb:one.db", query)
    asked = ("duckdb:one.db", *ASKED, "--memory", "366M", "--sql", "from flights")
    assert scores(run, *asked)["model"]["cases"] == TABLE.num_rows
    assert run("duckdb:one.db", *ASKED, "--memory", "365M").stderr == (
        "evalcore: the database takes 110 MB, so memory must be at least 366M, got 365 MB; allow more (--memory SIZE)\n"
    )
    refused = run("duckdb:one.db", *ASKED, "--memory", "400M", "--where", "late = 1")
    assert refused.stderr.startswith("evalcore: --where takes 110 MB and the database takes 110 MB, so memory must be")


@every(("memory", "limit"), [("300M", "61.0 MiB"), ("1G", "119.2 MiB")])
def test_a_query_keeps_to_its_part_of_the_memory_limit(run, memory, limit):
    query = "select late, model, current_setting('memory_limit') as used from flights"
    found = scores(run, "duckdb:one.db", *ASKED, "--by", "used", "--sql", query, "--memory", memory)
    assert list(found["model"]) == [limit, "total"]


MESSAGES = {
    ("duckdb:nowhere.db",): "duckdb:nowhere.db: no such file",
    ("duckdb:two.db",): (
        'duckdb:two.db: has 2 tables ("a ""b""", "flights"); choose the rows (--sql \'select * from "a ""b"""\')'
    ),
    ("duckdb:none.db",): "duckdb:none.db: has no table; choose the rows (--sql 'select * from ...')",
    ("duckdb:old.sqlite",): "duckdb:old.sqlite: is not a database of DuckDB; it is a database of SQLite, which is not",
    ("old.sqlite",): "old.sqlite: is a database of SQLite, which is not read; write the table as CSV (sqlite3 ",
    ("duckdb:noise.db",): "duckdb:noise.db: is not a database of DuckDB; other files are read without duckdb:",
    ("duckdb:one.db", "--sql", "drop table flights"): (
        "duckdb:one.db: --sql must be one query, such as 'select * from predictions', got 'drop table flights'"
    ),
    ("duckdb:one.db", "--sql", "from flights; from flights"): (
        "duckdb:one.db: --sql must be one query, such as 'select * from predictions', got 'from flights; from flights'"
    ),
    ("duckdb:one.db", "--sql", "copy flights to 'out.csv'"): (
        "duckdb:one.db: --sql must be one query, such as 'select * from predictions', got \"copy flights to 'out.csv'\""
    ),
    ("duckdb:one.db", "--sql", "selct"): (
        "duckdb:one.db: --sql must be a query, got 'selct': Parser Error: syntax error at or near \"selct\" LINE 1: "
        "selct ^"
    ),
    ("duckdb:one.db", "--sql", "from nothing"): (
        "duckdb:one.db: --sql cannot be answered: Catalog Error: Table with name nothing does not exist!"
    ),
    ("duckdb:one.db", "--sql", "select late from flights"): "duckdb:one.db: no column 'model'; the columns are 'late'",
    ("duckdb:one.db", "--sql", "select late, null model from flights"): (
        "duckdb:one.db: nulls in column 'model': 200, the first at index 0 (from 0)"
    ),
    ("duckdb:one.db", "--sql", "select late, model from flights where false"): "duckdb:one.db: there are no rows",
    ("duckdb:one.db", "--sql", "select late, error('bad') model from flights"): (
        "duckdb:one.db: cannot be read: Invalid Input Error: bad"
    ),
    ("x.parquet", "--sql", "select 1"): "x.parquet: --sql is for databases, such as duckdb:predictions.db",
    ("duckdb:one.db", "--input-format", "csv"): ("duckdb:one.db: --input-format is for files, and this is a database"),
    (
        "duckdb:one.db",
        "-o",
        "one.db",
        "--format",
        "csv",
    ): "one.db is one of the files to read; name another (--output FILE)",
}


@every(("asked", "message"), MESSAGES.items())
def test_errors_are_one_line_that_says_what_to_do(run, asked, message):
    assert refused(run(*asked, *ASKED)).startswith(message)
