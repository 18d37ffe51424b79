"""The values of --margin: one number for all measures, or NAME=M for each of some."""

from collections.abc import Sequence

import click


def margin_of(given: Sequence[str]) -> float | dict[str, float] | None:
    """Return the margin of all measures, or those of some by name; None for none.  O(margins).

    >>> margin_of(["0.01"]), margin_of(["roc_area=0.005", "recall=0.02"])
    (0.01, {'roc_area': 0.005, 'recall': 0.02})
    """
    found = dict(map(_named_margin, given))
    if len(found) < len(given) or ("" in found and len(found) > 1):
        raise click.UsageError(
            f"--margin must be one number, or NAME=M once for each measure, got {' and '.join(map(repr, given))}."
        )
    return found.get("", found or None)


def _named_margin(text: str) -> tuple[str, float]:
    """Return the measure that a margin is of, empty for all, and the margin.  O(letters)."""
    name, _, number = text.rpartition("=")
    try:
        return name.strip(), float(number if name.strip() else text)  # which is no number where a name lacks
    except ValueError:
        way_out = "; repeat --margin for several measures" if "," in text else ""
        raise click.UsageError(
            f"--margin must be a number, or NAME=M such as roc_area=0.005, got {text!r}{way_out}."
        ) from None
