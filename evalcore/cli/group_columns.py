"""The columns that --by names: several between commas are those of combinations."""

import csv
from collections.abc import Sequence
from itertools import chain

import click


def columns_of_groups(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names of columns, of which a value may hold several between commas, quoted as in CSV.

    >>> columns_of_groups(["carrier, origin", '"a,b"'])
    ('carrier', 'origin', 'a,b')
    """
    names = tuple(chain.from_iterable(csv.reader(values, skipinitialspace=True)))
    if len(names) < len(values) or "" in names:
        raise click.UsageError(f"--by must name columns, got {' and '.join(map(repr, values))}.")
    return names
