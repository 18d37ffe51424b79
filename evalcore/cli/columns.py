"""``evalcore columns``: what the columns of files hold, and the command that may suit them."""

import re
import shlex
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any

from evalcore.cli.output import Target, title_of
from evalcore.errors import refuse
from evalcore.evaluation.progress import progress_bar
from evalcore.io import formats
from evalcore.io.columns import Selection, selected_names
from evalcore.io.conditions import ColumnTypes, holds_text
from evalcore.io.datasets import expand_paths, folder_columns
from evalcore.io.formats import TEXTS, Reading, format_of, is_read_once, naming, reading_of
from evalcore.io.libraries import pa, pc
from evalcore.io.paths import steps_of
from evalcore.io.readers import is_read_in_batches, read_columns, table_batches, table_contents
from evalcore.io.rows import table_of_arrays
from evalcore.io.text_cells import CellError, with_decimal_points, without_words
from evalcore.io.text_files import NAMES_OF_DELIMITERS
from evalcore.text_tables import TERMINAL, number_text, ruled_lines

_SHOWN, _LONGEST = 3, 24
"""Values of each column, and letters of a value."""
_MOST_CLASSES, _MOST_MODELS = 50, 5
"""Distinct values of a column of classes, and models of the command."""
_LABELS = re.compile("label|target|y|y_true|truth|outcome|class|human.*|gold.*", re.IGNORECASE)
"""Names that labels often have."""
_WEIGHTS = "weight", "weights", "w", "sample_weight", "sample_weights", "frequency", "freq"
"""Names that weights often have, which are no scores."""
_OUTCOME = re.compile(r"scores\.[^.]+\.value|success|exact_match|acc|.+\.score")
"""Names that the outcomes of cases have in the logs of harnesses."""
_GRADES = "C=1,P=0.5,I=0,N=0"
"""What inspect_ai's words for outcomes are worth there: correct, partial, incorrect, no answer."""
_NO_FILTER = "none"
"""What lm-evaluation-harness calls the answers of a task without filters."""
_BINARY = {"0", "1"}, {"-1", "1"}, {"false", "true"}


def write_columns(*, files: Sequence[str], **asked: Any) -> None:
    """Print names, types, nulls and first values of the columns of each file, and a command."""
    once = next(filter(is_read_once, files), None)
    refuse({f"columns needs a file, which is read again, got {once!r}; write it to a file first": once is not None})
    how = reading_of(asked)
    options = ((f"--{name.replace('_', '-')}", value) for name, value in asked.items() if value is not None)
    given = [word for option in options for word in option]
    Target("table").write("\n\n".join(_described(file, how, given) for file in files))


def _described(file: str, how: Reading, given: Sequence[str]) -> str:
    """Return what a file, folder or glob holds, and a command; given: the options that say how it is read."""
    paths, selection = expand_paths([file], how), Selection((), prefixes=("",), reading=how, nested=True)
    contents = table_contents(paths[0], selection)
    from_folders = folder_columns(paths)[paths[0]]
    names = tuple(contents.schema.names)
    with naming(paths[0]):
        selected_names(selection._replace(names=names, prefixes=()), names)  # an error for names that occur twice
    refuse({f"{paths[0]}: there are no rows": not names})
    columns = _first_rows(paths[0], contents.schema, selection)
    sampled = max(map(len, columns.values()), default=0)
    columns |= {name: pa.chunked_array([pa.array([value] * sampled)]) for name, value in from_folders.items()}
    about = "" if contents.rows_are_counted else "about "
    looked_at = f"; of the first {sampled:,}:" if sampled < contents.rows else ""
    rows = [["column", "type", "nulls", "first values"]]
    heads = {steps_of(name)[0] for name in columns if len(steps_of(name)) > 1}
    hidden = [name for name, column in columns.items() if _is_hidden(name, column, heads)]
    for name, column in columns.items():
        if name in hidden:
            continue
        known = column.filter(pc.invert(pc.is_null(column, nan_is_null=True)))
        kind = "text" if holds_text(column.type) else str(column.type)
        texts = (" ".join(_text(value).split()) for value in known[:_SHOWN].to_pylist())
        values = ", ".join(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..." for text in texts)
        rows.append([name, kind, f"{len(column) - len(known):,}", values])
    in_first = f" in {paths[0]}" if paths[1:] else ""
    title = f"{title_of([file])}: {about}{contents.rows:,} row{'s' * (contents.rows != 1)}{in_first}{looked_at}"
    left_out = [f"Left out: {len(hidden):,} paths that hold only long text, lists or nulls."] if hidden else []
    return "\n".join([title, *ruled_lines(rows, TERMINAL, names=2), *left_out, "", suggested(file, columns, given)])


def _is_hidden(name: str, column: Any, heads: Container[str]) -> bool:
    """Whether a column is a path that holds no numbers, Booleans or words, or has nothing beside paths.

    heads: columns with paths below them.
    """
    steps = steps_of(name)
    if pa.types.is_null(column.type):
        return len(steps) > 1 or name in heads
    if len(steps) == 1 or not pa.types.is_string(column.type):
        return False
    known = column.drop_null()
    in_list = any(map(str.isdecimal, steps))
    return in_list or not len(known) or pc.max(pc.utf8_length(known)).as_py() > _LONGEST


def _first_rows(path: str, schema: Any, selection: Selection) -> dict[str, Any]:
    """Return columns of the first rows of a file, chunked arrays of pyarrow; of text files in types that they spell."""
    as_text = selection._replace(names=tuple(schema.names), prefixes=(), as_text=True)
    if is_read_in_batches(path, selection.reading):
        batch = next(table_batches(path, schema.names, as_text), None)
        table = schema.empty_table() if batch is None else pa.Table.from_batches([batch])
    else:
        with progress_bar("", shown=False) as bar:
            table = table_of_arrays(read_columns(path, as_text._replace(as_text=False), bar, needs_rows=False))
    spelled = format_of(path, selection.reading) in (*TEXTS, "eval")
    found, types = {name: table.column(name) for name in schema.names}, ColumnTypes()
    texts = {name: without_words(each)[0] for name, each in found.items() if spelled and pa.types.is_string(each.type)}
    for name, text in texts.items():
        with suppress(CellError):  # a cell with a point, as no number has
            texts[name] = with_decimal_points(text, selection.reading.decimal)
    return found | {name: types.typed(text, name, 0) for name, text in texts.items()}


def _text(value: Any) -> str:
    if not isinstance(value, float):
        return _spelled(value)
    text = number_text(value)
    return f"{text}.0" if text.lstrip("-").isdigit() else text


def suggested(file: str, columns: Mapping[str, Any], given: Sequence[str] = ()) -> str:
    """Return the command that may suit columns, chunked arrays of pyarrow; else what to type.  O(n columns).

    given: the options that say how files are read.

    >>> import pyarrow
    >>> columns = {"late": pyarrow.chunked_array([[0, 1]]), "model": pyarrow.chunked_array([[0.2, 0.7]])}
    >>> suggested("flights.csv", columns)
    'evalcore report flights.csv --label late --score model'
    >>> graded = {"task": pyarrow.chunked_array([["mmlu"]]), "scores.choice.value": pyarrow.chunked_array([["C"]])}
    >>> suggested("log.eval", graded)
    'evalcore report log.eval --value scores.choice.value --map C=1,P=0.5,I=0,N=0 --ci 0.95'
    """
    for delimiter, called in NAMES_OF_DELIMITERS.items():
        if len(columns) == 1 and delimiter != "," and delimiter in next(iter(columns)):
            typed_so = "tab" if delimiter == "\t" else repr(delimiter)
            return f"The header seems to have {called} between the names of columns: add --delimiter {typed_so}."
    is_log = "task" in columns or any(steps_of(name)[0] == "filtered_resps" for name in columns)
    value = next(filter(_OUTCOME.fullmatch, columns), None) if is_log else None
    if value is not None:  # the log of a harness
        answers = columns["filter"][0].as_py() if "filter" in columns else _NO_FILTER
        rows = ["--where", "filter = '{}'".format(answers.replace("'", "''"))] if answers != _NO_FILTER else []
        words = ["--map", _GRADES] if set(_distinct(columns[value])) & set("CPIN") else []
        repeated = "id" in columns and "epoch" in columns and len(pc.unique(columns["epoch"])) > 1
        ids = ["--id", "task", "--id", "id", "--repeats", "mean"] if repeated else []
        return _typed(["evalcore", "report", file, *given, "--value", value, *words, *rows, *ids, "--ci", "0.95"])
    flat = [name for name, column in columns.items() if not pa.types.is_nested(column.type)]
    distinct = {name: _distinct(columns[name]) for name in sorted(flat, key=lambda name: not _LABELS.fullmatch(name))}
    labels = [name for name, values in distinct.items() if values in _BINARY]
    floating = [name for name, column in columns.items() if pa.types.is_floating(column.type)]
    scores = [name for name in floating if name not in labels and name.lower() not in _WEIGHTS]
    if unnamed := next((name for name in scores if "=" in name), None):
        return f"Rename column {unnamed!r}: in --score, what precedes = is a class."
    chosen = dict.fromkeys(scores[:_MOST_MODELS], "--score") if labels else {}
    pairs = ((name, other) for name in distinct for other in distinct if name != other and distinct[other])
    pair = next((pair for pair in pairs if len(distinct[pair[0]]) > 1 and distinct[pair[1]] <= distinct[pair[0]]), None)
    if pair and not chosen:
        labels, chosen = [pair[0]], {pair[1]: "--predicted"}
    of_words = [name for name in distinct if holds_text(columns[name].type) and len(distinct[name]) == 2]
    way_out = list[str]()
    if of_words and scores and not chosen:
        counts = pc.value_counts(columns[of_words[0]].drop_null()).to_pylist()
        way_out = ["--positive", min(counts, key=itemgetter("counts"))["values"]]  # what is looked for is mostly rare
        labels, chosen = of_words, dict.fromkeys(scores[:_MOST_MODELS], "--score")
    if chosen:
        nulls = any(pc.any(pc.is_null(columns[name], nan_is_null=True)).as_py() for name in (labels[0], *chosen))
        named = [word for name, flag in chosen.items() for word in (flag, name)]
        way_out += ["--nulls", "drop"] if nulls else []
        return _typed(["evalcore", "report", file, *given, "--label", labels[0], *named, *way_out])
    others = {*formats.FORMATS.values()}.difference(formats.DELIMITERS)
    for name in columns if {*others, "--decimal"}.isdisjoint([formats.named_format(file), *given]) else ():
        texts = columns[name] if holds_text(columns[name].type) else pa.array([], "string")
        if pc.all(pc.match_substring_regex(texts, r"^[+-]?\d*,\d+$"), min_count=1).as_py():
            return f"Column {name!r} seems to hold numbers with decimal commas: add --decimal ','."
    yours = "evalcore report FILE --label COL --positive VALUE --score COL, or --predicted COL for classes"
    return f"No column holds labels of 0 and 1 or Booleans beside one of scores: name yours, {yours}."


def _typed(words: Sequence[str]) -> str:
    """Join words as a person types them: an apostrophe between double quotes, not spliced in.  O(words)."""
    unquoted = re.compile(r"""[^"$`!\\]*'[^"$`!\\]*""")
    return " ".join(f'"{word}"' if unquoted.fullmatch(word) else shlex.quote(word) for word in words)


def _distinct(column: Any) -> set[str]:
    """Return the distinct values of a column as texts, as whole numbers and Booleans are spelled."""
    values = pc.unique(column.drop_null())
    if len(values) > _MOST_CLASSES:
        return set()
    return {_spelled(value) for value in values.to_pylist()}


def _spelled(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).lower() if isinstance(value, bool) else str(value)
