"""The panels that explain the numbers: how they were computed, and what they mean."""

import numpy as np

from evalcore._version import __version__
from evalcore.report.catalogue import interval_methods, meanings
from evalcore.report.page.panels import Panel, View


def computation_panel(view: View) -> Panel:
    """Return what decides the numbers, by headings.  O(statistics)."""
    answer, entries = view.answer, {**view.computed, **view.question.described()}
    if answer.positive is not None:
        entries |= {"Scores": ", ".join(answer.scores), "Cases": f"{answer.positive.size:,}"}
    entries["Program"] = f"evalcore {__version__}, NumPy {np.__version__}"
    if methods := interval_methods(view.question.shown(answer.sections)):
        entries["Intervals"] = methods
    return Panel("computed", "How it was computed", {"entries": entries}, collapsed=True)


def meanings_panel(view: View) -> Panel:
    """Return what each statistic means.  O(statistics)."""
    entries = meanings(view.question.shown(view.answer.sections))
    return Panel("meanings", "What the numbers mean", {"entries": entries}, collapsed=True)
