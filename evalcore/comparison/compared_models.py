"""The models of a comparison: what each is called, and which column of which table it is."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from evalcore.comparison.question import CompareQuestion


class ComparedModel(NamedTuple):
    """A column of scores or of predicted classes."""

    name: str
    table: str | None
    """The new table that has it; None for the old one."""
    column: str


def compared_models(question: CompareQuestion, old_name: str, new_names: Collection[str]) -> list[ComparedModel]:
    """Return the models, the old one first, with names of their own.  O(models).

    Models of one table are called as their columns.  Others are called as their tables and, where new tables hold
    several models, also as their columns.

    >>> [model.name for model in compared_models(CompareQuestion("late", ("a", "b"), "base"), "old", [])]
    ['base', 'a', 'b']
    >>> [model.name for model in compared_models(CompareQuestion("late", ("score",)), "old", ["May", "June"])]
    ['old', 'May', 'June']
    >>> [model.name for model in compared_models(CompareQuestion("late", ("a", "b"), "base"), "old", ["new"])]
    ['old', 'a', 'b']
    """
    old = ComparedModel(old_name if new_names else question.old_column, None, question.old_column)
    if not new_names:
        return [old, *(ComparedModel(column, None, column) for column in question.columns)]
    found = [
        ComparedModel(_name(table, column, len(new_names), len(question.columns)), table, column)
        for table in new_names
        for column in question.columns
    ]
    return [old, *(model._replace(name=name) for model, name in zip(found, distinct_names(
        [model.name for model in found], {old.name}), strict=True))]  # fmt: skip


def _name(table: str, column: str, tables: int, columns: int) -> str:
    if columns == 1:
        return table
    return column if tables == 1 else f"{table} {column}"


def distinct_names(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return names with a number behind those that an earlier one has.  O(names).

    >>> distinct_names(["model", "model", "model 2"])
    ['model', 'model 2', 'model 2 2']
    """
    found, used = [], set(taken)
    for name in names:
        own, count = name, 1
        while own in used:
            count += 1
            own = f"{name} {count}"
        used.add(own)
        found.append(own)
    return found
