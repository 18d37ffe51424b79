"""The options that say how files are read, which several commands share."""

import click

from evalcore.cli.options import single

INPUT_FORMATS = "csv", "tsv", "jsonl", "parquet", "arrow", "npz"
READING = (
    single(
        "--input-format",
        type=click.Choice((*INPUT_FORMATS, "json"), case_sensitive=False),
        help="Format of files whose names do not tell it, such as .txt, or of standard input; json means jsonl."
        "  [default: by the ending"
        " of the name, and for standard input and pipes by the first bytes; CSV for text without braces]",
    ),
    single(
        "--delimiter",
        metavar="SIGN",
        help="What separates the cells of CSV and TSV, such as ';' or tab.  [default: comma, for TSV tab]",
    ),
    single(
        "--sql",
        metavar="QUERY",
        help="The rows of a DuckDB database (duckdb:FILE), as one select. duckdb: alone is an empty database, in which"
        " it may join files: \"select late, model from 'labels.csv' join 'scores.parquet' using (id)\"."
        "  [default: its only table]",
    ),
)
DECIMAL = single(
    "--decimal",
    type=click.Choice((".", ",")),
    help="Sign before the decimals of scores and weights in CSV and TSV: . or a comma.  [default: .]",
)
