"""Conditions that stop a release, such as "roc_auc drops by 0.005", and how they are read.

A condition is `[MODEL:] [SCOPE:] MEASURE RELATION NUMBER`:

MODEL
    The name of a model, such as a column of scores; without one, all models, of which one is enough.
SCOPE
    COLUMN=VALUE, the group where a column has a value; `any COLUMN`, each group of a column; `any COLUMN with N cases`,
    each group of at least N cases; without a scope, all cases.  Groups by several columns are written with commas:
    `carrier=AA, month=3`, `any carrier, month` or `any carrier=AA, month`, each month of one carrier.
MEASURE
    A name such as roc_auc, with a threshold where it needs one: recall@0.3.
RELATION
    <, <=, > or >= compare the measure with NUMBER.  `drops by` and `rises by` say that it changed by at least NUMBER,
    which is above 0, from the old model to the new one; of a loss too, they are about the number itself.

What holds spaces or one of `, : = < > [ ] ' "` goes in quotes, single or double; a quote inside them is doubled.
Brackets that are closed, as in recall[white ash], need none.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from evalcore.errors import EvaluationError, check, check_type, did_you_mean
from evalcore.evaluation.catalogue import measure_name
from evalcore.kernels.thresholds import plain_number

BELOW, AT_MOST, ABOVE, AT_LEAST = COMPARISONS = "<", "<=", ">", ">="
DROPS, RISES = CHANGES = "drops by", "rises by"
_RELATION_WORDS = {"drops": DROPS, "rises": RISES}
_MEANT = {
    **dict.fromkeys(("falls", "decreases", "declines", "fall", "decrease", "lowers"), "drops"),
    **dict.fromkeys(("grows", "increases", "increase", "climbs", "raises"), "rises"),
    **dict.fromkeys(("=<", "≤"), "<="),
    **dict.fromkeys(("=>", "≥"), ">="),
    "below": "<",
    "above": ">",
}
"""What people write, and what it is called here."""
_ANY, _WITH, _CASES, _BY = "any", "with", "cases", "by"
_WORD = r"(?:[^\s:=<>\[\]'\"]|\[[^\]]*\])+"
_TOKEN = re.compile(rf"""\s*(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|=<|=>|[<>]=?|[:=]|{_WORD})""")
_IS_WORD = re.compile(_WORD)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_WHOLE_NUMBER = re.compile(r"\d{1,15}")


class Scope(NamedTuple):
    """Which cases a condition is about; all of them by default."""

    columns: tuple[str, ...] = ()
    """The columns of groups; none for all cases."""
    values: tuple[str | None, ...] = ()
    """The value of each column in the group; None for each value."""
    min_cases: int = 0
    """The fewest cases of each group."""

    @property
    def column(self) -> str | None:
        """The columns as reports name the grouping; None for all cases.  O(columns)."""
        return ", ".join(self.columns) if self.columns else None

    @property
    def value(self) -> str | None:
        """The one group as reports name it; None for each group of the columns.  O(columns)."""
        values = [value for value in self.values if value is not None]
        return ", ".join(values) if self.columns and len(values) == len(self.columns) else None

    def holds(self, group: str) -> bool:
        """Whether the scope has a group of its columns, by the name that reports have for it.  O(letters)."""
        wanted = (".*" if value is None else re.escape(value) for value in self.values)
        return re.fullmatch(", ".join(wanted), group, re.DOTALL) is not None

    def in_order_of(self, groupings: Iterable[str]) -> "Scope":
        """Return the scope with its columns in the order of a grouping of these, if there is one.  O(groupings)."""
        for grouping in groupings:
            pairs = sorted(
                zip(self.columns, self.values, strict=True), key=lambda pair: f", {grouping}, ".find(f", {pair[0]}, ")
            )
            if pairs and ", ".join(column for column, _ in pairs) == grouping:
                columns, values = zip(*pairs, strict=True)
                return self._replace(columns=columns, values=values)
        return self

    def __str__(self) -> str:
        values = ("" if value is None else f"={_quoted(value, ',')}" for value in self.values)
        named = ", ".join(_quoted(column, ",") + value for column, value in zip(self.columns, values, strict=True))
        least = f" with {self.min_cases} cases" if self.min_cases else ""
        return f"{'any ' * (None in self.values)}{named}{least}"


ALL_CASES = Scope()


class Condition(NamedTuple):
    """When a gate fails."""

    scope: Scope
    measure: str
    """Its name in reports, with its threshold if it has one, such as "recall@0.3"."""
    relation: str
    """One of `COMPARISONS` or `CHANGES`."""
    number: float
    model: str | None = None
    """The model that it is about; None for each."""

    @property
    def of_change(self) -> bool:
        """Whether it is about how the measure changed.  O(1)."""
        return self.relation in CHANGES

    @property
    def is_least(self) -> bool:
        """Whether too small a number meets it.  O(1)."""
        return self.relation in (BELOW, AT_MOST, DROPS)

    def __str__(self) -> str:
        model = "" if self.model is None else f"{_quoted(self.model, ',', _ANY)}: "
        scope = f"{self.scope}: " if self.scope.columns else ""
        return f"{model}{scope}{_quoted(self.measure)} {self.relation} {plain_number(self.number)}"


class _Token(NamedTuple):
    """A name, a sign or a number of a condition."""

    text: str
    """Without quotes."""
    start: int
    quoted: bool = False

    def is_sign(self, *signs: str) -> bool:
        """Whether it is one of these signs, or words without quotes.  O(signs)."""
        return self.text in signs and not self.quoted

    def number(self, pattern: re.Pattern[str]) -> float:
        """Return it as a number of this form; NaN for anything else.  O(letters)."""
        return float(self.text) if not self.quoted and pattern.fullmatch(self.text) else math.nan


_END = _Token("", -1)


def parse_conditions(given: Any, *, as_typed: bool = False) -> tuple[Condition, ...]:
    """Return one condition or several, each a text or a condition already; EvaluationError for none.  O(letters).

    as_typed: whether names of measures stay, and are not those that reports have for them.

    >>> [str(condition) for condition in parse_conditions(["auc<.73", "any carrier: recall@0.30 drops by 2e-2"])]
    ['roc_auc < 0.73', 'any carrier: recall@0.3 drops by 0.02']
    """
    several = [given] if isinstance(given, str | Condition) or not isinstance(given, Iterable) else [*given]
    check(several, "conditions", "hold at least one", "none: a gate without conditions always passes")
    return tuple(each if isinstance(each, Condition) else parse_condition(each, as_typed=as_typed) for each in several)


def parse_condition(text: Any, *, as_typed: bool = False) -> Condition:
    """Return the condition that a text says; EvaluationError tells what it must have, and where.  O(letters).

    >>> parse_condition("carrier='United Air': roc_auc < 0.73").scope
    Scope(columns=('carrier',), values=('United Air',), min_cases=0)
    """
    check_type(isinstance(text, str), "condition", "be a string", text)
    reader = _Reader(text)
    model, scope = reader.model(), reader.scope()
    measure = reader.name("the name of a measure, such as roc_auc or recall@0.3")
    measure = measure if as_typed else measure_name(measure).name
    relation = reader.relation(measure)
    number = reader.number(relation)
    reader.take(lambda token: token is _END, "nothing after the number (write each condition on its own)")
    return Condition(scope, measure, relation, number, model)


class _Reader:
    """Reads the tokens of a condition, one after the other."""

    def __init__(self, text: str) -> None:
        self._text, self._next = text, 0
        tokens = list(_tokens_of(text))
        scopes = max((index for index, token in enumerate(tokens) if token.is_sign(":")), default=0)
        before = (part for token in tokens[:scopes] for part in _parted(token))
        self._tokens = [*before, *tokens[scopes:], _END, _END]

    def model(self) -> str | None:
        """Read the name of a model and its colon, if there is one."""
        if not self._sees(":", ahead=1) or self._sees(_ANY, ":"):
            return None
        name = self.name("the name of a model before the colon")
        self._next += 1
        return name

    def scope(self) -> Scope:
        """Read the cases that the condition is about, and the colon, if there is another one."""
        if not any(token.is_sign(":") for token in self._tokens[self._next :]):
            return ALL_CASES
        of_each = self._sees(_ANY) and not self._sees("=", ahead=1)
        self._next += of_each
        first = "the name of a column after 'any'" if of_each else "MODEL, COLUMN=VALUE or 'any COLUMN' before a colon"
        pairs = [self._column(first, of_each)]
        while self._sees(","):
            self._next += 1
            pairs.append(self._column("the name of a column after ','", of_each))
        columns, values = zip(*pairs, strict=True)
        least = self._least_cases() if None in values and self._sees(_WITH) else 0
        if None in values:
            self._word(":", "':' after the cases" if least else "'with N cases' or ':' after the column", _WITH)
        else:
            self._word(":", "':' after the value (quote what holds spaces or signs)")
        return Scope(columns, values, least)

    def _column(self, expected: str, of_each: bool) -> tuple[str, str | None]:
        """Read the name of a column, and its value, which may lack if the scope is of each group."""
        column = self.name(expected)
        if of_each and not self._sees("="):
            return column, None
        self._word("=", f"'=' and a value after {column!r}, or 'any' before it")
        return column, self.name(f"a value after '{column}='")

    def _least_cases(self) -> int:
        """Read `with N cases`."""
        self._next += 1
        count = self.take(lambda token: token.number(_WHOLE_NUMBER) >= 1, "a whole number from 1 on after 'with'")
        if self._sees(","):
            raise self._error("a number without commas after 'with', such as 1000")
        self._word(_CASES, f"'cases' after 'with {count}'")
        return int(count)

    def relation(self, measure: str) -> str:
        """Read how the measure is compared, or how it changes."""
        known, expected = (*COMPARISONS, *_RELATION_WORDS), f"<, <=, >, >=, 'drops by' or 'rises by' after {measure!r}"
        of_class = f"; a class stands in brackets, as in {measure}[CLASS]" if self._sees("of") else ""
        found = self.take(lambda token: token.is_sign(*known), expected, [*_RELATION_WORDS], of_class)
        if found in _RELATION_WORDS:
            self._word(_BY, f"'by' after {found!r}")
        return _RELATION_WORDS.get(found, found)

    def number(self, relation: str) -> float:
        """Read the number, which is above 0 if it is a change."""
        least, above = (0.0, "above 0 ") if relation in CHANGES else (-math.inf, "")
        hint, expected = _meant_number(self._tokens[self._next]), f"a number {above}after {relation!r}"
        text = self.take(lambda token: least < token.number(_NUMBER) < math.inf, expected, hint=hint)
        return float(text) + 0.0  # -0.0 becomes 0.0

    def name(self, expected: str) -> str:
        """Read a name, in quotes or without."""
        return self.take(lambda token: bool(token.text and (token.quoted or _IS_WORD.fullmatch(token.text))), expected)

    def _word(self, word: str, expected: str, *others: str) -> None:
        """Read a word or sign of the grammar; others: words that may stand before it."""
        self.take(lambda token: token.is_sign(word), expected, [word, *others])

    def take(self, fits: Callable[[_Token], bool], expected: str, words: Sequence[str] = (), hint: str = "") -> str:
        """Read a token that fits; else raise EvaluationError, which may say which of some words is meant."""
        if not fits(self._tokens[self._next]):
            raise self._error(expected, words, hint)
        self._next += 1
        return self._tokens[self._next - 1].text

    def _sees(self, *signs: str, ahead: int = 0) -> bool:
        return self._tokens[self._next + ahead].is_sign(*signs)

    def _error(self, expected: str, words: Sequence[str] = (), hint: str = "") -> EvaluationError:
        token = self._tokens[self._next]
        if token is _END:
            return EvaluationError(f"condition must have {expected}, got the end of {self._text!r}")
        meant = _MEANT.get(token.text)
        near = f"; did you mean {meant!r}?" if meant and words else did_you_mean(token.text, words)
        where = f"got {token.text!r} at letter {token.start + 1} of {self._text!r}"
        return EvaluationError(f"condition must have {expected}, {where}{hint or near}")


def _tokens_of(text: str) -> Iterator[_Token]:
    """Yield the tokens of a text; EvaluationError for a quote or bracket that is not closed."""
    start = 0
    while left := text[start:].lstrip():
        found = _TOKEN.match(text, start)
        if found is None:
            sign = "quote" if left[0] in "'\"" else "bracket"
            got = f"{left[0]!r} at letter {len(text) - len(left) + 1} of {text!r}"
            raise EvaluationError(f"condition must close each {sign} or quote the name around it, got {got}")
        word = found[0].lstrip()
        quoted = word[0] in "'\""
        name = word[1:-1].replace(word[0] * 2, word[0]) if quoted else word
        yield _Token(name, found.end() - len(word), quoted)
        start = found.end()


def _parted(token: _Token) -> list[_Token]:
    """Return what a token is where commas separate names.  O(letters)."""
    if token.quoted:
        return [token]
    return [_Token(part[0], token.start + part.start()) for part in re.finditer(",|[^,]+", token.text)]


def _meant_number(token: _Token) -> str:
    """Return a hint for per cent and for a decimal comma; empty for others."""
    text = "" if token.quoted else token.text
    number = text.removesuffix("%").replace(",", ".")
    if number == text or not _NUMBER.fullmatch(number):
        return ""
    return f"; did you mean {float(number) / (100 if text.endswith('%') else 1):g}?"


def _quoted(name: str, *reserved: str) -> str:
    """Return a name as a condition has it: in quotes where it needs them; reserved: names and signs that do too."""
    if _IS_WORD.fullmatch(name) and name not in reserved and not ("," in reserved and "," in name):
        return name
    quote = '"' if "'" in name and '"' not in name else "'"
    return f"{quote}{name.replace(quote, quote * 2)}{quote}"
