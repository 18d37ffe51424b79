"""Judgements and runs as trec_eval reads them: lines of fields separated by blanks, with strings as ids."""

import itertools
import operator
import shlex
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from evalcore.errors import EvaluationError, EvaluationTypeError, check, refuse
from evalcore.io.formats import reading
from evalcore.io.matching_ids import matched_rows
from evalcore.io.opening import Source, blocks_of_lines
from evalcore.typing import AnyArray, FloatArray, IntArray

_BLANKS = b" \t\n\r\v\f"
"""The bytes at which `bytes.split` splits."""
_BLOCK_BYTES = 1 << 20
_PAIR = "queries", "documents"
"""What no two lines have both in common."""


class Judgements(NamedTuple):
    """Relevance judgements (qrels): a row for each query and document."""

    queries: AnyArray
    """Ids of queries, shape (n,), strings as objects."""
    documents: AnyArray
    """Ids of documents, shape (n,), strings as objects."""
    grades: IntArray
    """Above 0 relevant, 0 not relevant, below 0 not judged; shape (n,)."""


class Run(NamedTuple):
    """Retrieved documents: a row for each query and document."""

    queries: AnyArray
    """Ids of queries, shape (n,), strings as objects."""
    documents: AnyArray
    """Ids of documents, shape (n,), strings as objects."""
    scores: FloatArray
    """Higher is better, shape (n,); infinite ones too."""
    tag: str = ""
    """The name of the run, from its last line."""


class Joined(NamedTuple):
    """A run with its judgements, as `evalcore.ranking.evaluate` takes them."""

    groups: AnyArray
    """Query of each retrieved document, shape (n,)."""
    relevance: AnyArray
    """Its grade, -1 if it was not judged, shape (n,)."""
    scores: AnyArray
    """Its score, shape (n,)."""
    documents: AnyArray
    """Its id, shape (n,)."""
    misses: tuple[AnyArray, AnyArray]
    """Queries and grades of judged documents that were not retrieved, shape (m,) each."""


def read_qrels(path: str) -> Judgements:
    r"""Read relevance judgements (qrels) of TREC.

    Each line holds a query, an iteration (not used), a document and a grade, separated by any blanks.  Empty lines are
    skipped.

    Parameters
    ----------
    path : str
        A file, pipe or URL, plain or compressed (gzip, bzip2, xz, zstd); ``-`` is standard input.

    Returns
    -------
    Judgements
        Queries, documents and grades, shape (n,) each, strings as objects and int64 grades.

    Raises
    ------
    EvaluationError
        If the file cannot be read, a line is invalid, or a document is judged twice for a query; the message has the
        number of the line.

    Notes
    -----
    O(bytes).  The format is that of trec_eval 9.0.8.  Use `joined` to evaluate a run by these judgements.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"7 0 d1 1\n7 0\td2  0\n")
    ...     file.flush()
    ...     read_qrels(file.name).documents
    array(['d1', 'd2'], dtype=object)
    """
    lines = _Lines(path, "query iteration document grade")
    queries, documents = lines.text("query"), lines.text("document")
    grades = lines.numbers("grade", int, np.int64, "an integer")
    lines.check_distinct(queries, documents)
    return Judgements(queries, documents, grades)


def read_run(path: str) -> Run:
    r"""Read a run of TREC: the documents that a system retrieved.

    Each line holds a query, Q0, a document, a rank, a score and a tag, separated by any blanks.  Q0 and the rank are
    not used.  Empty lines are skipped.

    Parameters
    ----------
    path : str
        A file, pipe or URL, plain or compressed (gzip, bzip2, xz, zstd); ``-`` is standard input.

    Returns
    -------
    Run
        Queries, documents and scores, shape (n,) each, strings as objects and float64 scores, and the tag.

    Raises
    ------
    EvaluationError
        If the file cannot be read, a line is invalid, or a document is retrieved twice for a query; the message has the
        number of the line.

    Notes
    -----
    O(bytes).  The format is that of trec_eval 9.0.8.  Use `joined` to evaluate the run by judgements.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"7 Q0 d2 1 0.75 mine\n")
    ...     file.flush()
    ...     read_run(file.name)
    Run(queries=array(['7'], dtype=object), documents=array(['d2'], dtype=object), scores=array([0.75]), tag='mine')
    """
    lines = _Lines(path, "query Q0 document rank score tag", more=True)
    queries, documents = lines.text("query"), lines.text("document")
    scores = lines.numbers("score", float, np.float64, "a number")
    nan = np.isnan(scores)
    if nan.any():
        lines.fail(int(nan.argmax()), "score must be a number, got NaN")
    lines.check_distinct(queries, documents)
    return Run(queries, documents, scores, lines.tokens_of("tag")[-1].decode(errors="backslashreplace"))


def joined(judgements: Judgements, run: Run, *, complete: bool = False) -> Joined:
    """Join a run with its judgements by query and document.

    Parameters
    ----------
    judgements : Judgements
        From `read_qrels`, m of them.
    run : Run
        From `read_run`, n retrieved documents.
    complete : bool, default False
        Whether judged queries without retrieved documents count, with misses alone.

    Returns
    -------
    Joined
        The arguments of `evalcore.ranking.evaluate`.  Queries without judgements are left out, as in trec_eval.

    Raises
    ------
    EvaluationError
        If no query is in both.
    EvaluationTypeError
        If an argument is of another type, such as one in the place of the other.

    Notes
    -----
    Use it for files of TREC; lists of ids in memory go to `evalcore.ranking.from_ids`.

    O((n + m) log(n + m)).

    Examples
    --------
    >>> ids = np.array(["d1", "d2", "d3"], object)
    >>> judged = Judgements(np.array(["7", "7", "8"], object), ids, np.array([1, 0, 1]))
    >>> run = Run(np.array(["7", "7", "9"], object), ids[[2, 1, 1]], np.array([0.5, 0.25, 0.5]))
    >>> found = joined(judged, run)
    >>> found.groups, found.relevance, found.misses
    (array(['7', '7'], dtype=object), array([-1,  0]), (array(['7'], dtype=object), array([1])))
    >>> joined(judged, run, complete=True).misses[0]
    array(['7', '8'], dtype=object)
    """
    for name, given, kind in (("judgements", judgements, Judgements), ("run", run, Run)):
        check(isinstance(given, kind), name, f"be a {kind.__name__}", f"a {type(given).__name__}", EvaluationTypeError)
    judged, ran = (set(each.queries.tolist()) for each in (judgements, run))
    refuse({"no query of the run has judgements": judged.isdisjoint(ran)})
    kept = np.fromiter(map(judged.__contains__, run.queries.tolist()), np.bool_, run.queries.size)
    documents, pairs = run.documents[kept], (judgements.queries, judgements.documents)
    rows = matched_rows([run.queries[kept], documents], pairs, _PAIR).rows
    rows = np.arange(documents.size) if rows is None else rows
    found = rows >= 0
    retrieved = (complete or query in ran for query in judgements.queries.tolist())
    missed = np.fromiter(retrieved, np.bool_, judgements.queries.size)
    missed[rows[found]] = False
    grades = np.where(found, judgements.grades[rows], -1)
    misses = judgements.queries[missed], judgements.grades[missed]
    return Joined(run.queries[kept], grades, run.scores[kept], documents, misses)


class _Lines:
    """The fields of all lines of a file, one after another."""

    def __init__(self, path: str, names: str, more: bool = False) -> None:
        self._path = path
        self._fields = names.split()
        with reading(path), Source(path).stream() as file:
            self._content = b"".join(block for _, block in blocks_of_lines(file, _BLOCK_BYTES))
        self._tokens = self._content.split()
        refuse({f"{path}: there are no lines": not self._tokens})
        counts = _tokens_of_lines(self._content)
        fields = len(self._fields)
        # a tag may have several words; trec_eval takes the first
        wrong = (counts != 0) & ((counts < fields) if more else (counts != fields))
        if wrong.any():
            line = int(wrong.argmax())
            instead = "" if counts[:line].any() else _what_to_do(path, self._content, fields, counts[line])
            why = f"{path}, line {line + 1}: must have {fields} fields ({names}), got {counts[line]}{instead}"
            raise EvaluationError(why)
        counts = counts[counts != 0]
        if counts.size * fields < len(self._tokens):
            kept = (np.cumsum(counts) - counts)[:, np.newaxis] + np.arange(fields)
            self._tokens = list(map(self._tokens.__getitem__, kept.ravel().tolist()))

    def text(self, field: str) -> AnyArray:
        tokens = self.tokens_of(field)
        try:
            return np.fromiter(map(bytes.decode, tokens), object, len(tokens))
        except UnicodeDecodeError:
            self._fail_at_first(tokens, bytes.decode, f"{field} must be UTF-8")

    def numbers(self, field: str, parse: Callable[[bytes], Any], dtype: Any, kind: str) -> AnyArray:
        tokens = self.tokens_of(field)
        try:
            if b"_" in self._content and any(map(operator.contains, tokens, itertools.repeat(b"_"))):
                # only Python reads 1_000 as a number
                raise ValueError
            return np.fromiter(map(parse, tokens), dtype, len(tokens))
        except (ValueError, OverflowError):
            self._fail_at_first(tokens, lambda text: dtype(parse(text.replace(b"_", b"?"))), f"{field} must be {kind}")

    def check_distinct(self, queries: AnyArray, documents: AnyArray) -> None:
        repeated = matched_rows([queries, documents], [queries[:0], documents[:0]], _PAIR).repeated_old
        if repeated.size:
            row = int(repeated[0])
            self.fail(row, f"document {documents[row]!r} is listed twice for query {queries[row]!r}")

    def fail(self, row: int, why: str) -> NoReturn:
        line = np.flatnonzero(_tokens_of_lines(self._content))[row] + 1
        raise EvaluationError(f"{self._path}, line {line}: {why}")

    def tokens_of(self, field: str) -> list[bytes]:
        return self._tokens[self._fields.index(field) :: len(self._fields)]

    def _fail_at_first(self, tokens: Sequence[bytes], parse: Callable[[bytes], Any], allowed: str) -> NoReturn:
        for row, token in enumerate(tokens):  # ends at the token that has already failed once
            try:
                parse(token)
            except (ValueError, OverflowError):
                self.fail(row, f"{allowed}, got {token.decode(errors='backslashreplace')!r}")
        raise AssertionError("a field failed before, and now none does")


def _what_to_do(path: str, content: bytes, fields: int, got: int) -> str:
    """Say what a file seems to be whose first line has another number of fields, and what to do; empty if unknown."""
    if content.lstrip()[:1] in (b"{", b"["):
        return "; JSON is not read: load it in Python, and call evalcore.ranking.from_ids"
    if {fields, got} == {4, 6}:
        return f"; {got} fields are {'a run' if got == 6 else 'judgements'}: QRELS comes first, then RUN"
    if got != 3:
        return ""
    *_, last = content.split(None, 3)[:3]
    try:
        header, _ = "", float(last)
    except ValueError:
        header = "NR > 1 "
    columns = "$1, 0, $2, $3" if fields == 4 else '$1, "Q0", $2, 0, $3, "run"'
    return f"; convert query, document and number by awk '{header}{{print {columns}}}' {shlex.quote(path)}"


def _tokens_of_lines(content: bytes) -> IntArray:
    """Count the fields of each line."""
    letters, solid = np.frombuffer(content, np.uint8), np.ones(256, np.bool_)
    solid[list(_BLANKS)] = False
    inside = solid[letters]
    begins = inside.copy()
    begins[1:] &= ~inside[:-1]
    ends = np.append(np.flatnonzero(letters == ord("\n")), letters.size)
    return np.diff(np.flatnonzero(begins).searchsorted(ends), prepend=0)
