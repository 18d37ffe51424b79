"""Libraries that read tables, imported when something of them is asked for."""

from evalcore.optional import Library

pa = Library("pyarrow", "report")
pa_csv = Library("pyarrow.csv", "report")
pa_json = Library("pyarrow.json", "report")
pc = Library("pyarrow.compute", "report")
pq = Library("pyarrow.parquet", "report")
dataset = Library("pyarrow.dataset", "report")
fs = Library("pyarrow.fs", "report")
duckdb = Library("duckdb", "sql")
