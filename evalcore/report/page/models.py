"""The panel of models: the main numbers of each, above the curves of all."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from evalcore.report.catalogue import entry_of
from evalcore.report.formats import count
from evalcore.report.model import Statistic
from evalcore.report.model_records import MOST_TILES, leading_models, model_records
from evalcore.report.page.cells import Cell, cell_of
from evalcore.report.page.panels import Panel, View

_TILED = "roc_area", "average_precision"
_OF_PROBABILITIES = "calibration_error"


class _Tile(NamedTuple):
    """A model, and its numbers by their titles."""

    colour: int
    """Its index in the report."""
    name: str
    numbers: Mapping[str, Cell]
    """The first is the main one."""


def models_panel(view: View) -> Panel | None:
    """Return a tile for each model; none for classes.  O(models)."""
    records = model_records(view.answer.sections)
    if not records:
        return None
    shown = leading_models(view.answer.sections, list(records), MOST_TILES)
    tiles = [_Tile(index, name, _numbers(records[name])) for index, name in shown.items()]
    left_out = ""
    if len(shown) < len(records):
        tiles.sort(key=lambda tile: -records[tile.name]["roc_area"].value)
        left_out = (
            f"These are the {len(shown)} models with the largest ROC areas, the best first. "
            f"The numbers of all {count(len(records))} stand below."
        )
    heading = "The model" if len(records) == 1 else "Models"
    return Panel("models", heading, {"tiles": tiles, "left_out": left_out})


def _numbers(items: Mapping[str, Statistic]) -> dict[str, Cell]:
    shown = [items[name] for name in _TILED]
    if not math.isnan(items[_OF_PROBABILITIES].value):
        shown.append(items[_OF_PROBABILITIES])
    return {item.title: _cell(item) for item in shown}


def _cell(item: Statistic) -> Cell:
    """Return the cell of a number, or why it is not defined, in small type.  O(1)."""
    entry = entry_of(item.name)
    if entry is None or not math.isnan(item.value):
        return cell_of(item)
    return Cell("", below=f"not defined, because {entry.why_nan}")
