"""A comparison as one HTML file."""

from collections.abc import Mapping, Sequence

from evalcore.comparison.model import ComparisonAnswer
from evalcore.comparison.output.page.charts import comparison_plots
from evalcore.comparison.output.page.panels import Shown, comparison_panels
from evalcore.comparison.output.tables import comparison_title
from evalcore.comparison.question import CompareQuestion
from evalcore.gate.checks import GateResult
from evalcore.report.charts.images import Plot
from evalcore.report.page.html_page import html_page


def as_comparison_html(
    answer: ComparisonAnswer,
    question: CompareQuestion,
    *,
    gate: GateResult | None = None,
    computed: Mapping[str, str] | None = None,
    drawn: Sequence[Plot] | None = None,
    script: bool = True,
) -> str:
    """Write a comparison as an HTML page: verdict, gate, measures, charts, groups, changed cases, notes and meanings.

    computed: how it was computed, by headings; drawn: the charts, if they exist already; script: whether the page may
    hold a script.  All names are escaped.  Of more than 40 groups, the first 20 and the last 20 are shown.
    O(n log n) for each model.  Raises MissingLibraryError if Jinja2 or matplotlib is missing.
    """
    plots = list(comparison_plots(answer, question)) if drawn is None else drawn
    shown = Shown(answer, question, gate, computed or {})
    panels = [
        panel._replace(plots=[plot for plot in plots if plot.panel == panel.name]) for panel in comparison_panels(shown)
    ]
    filled = [panel for panel in panels if panel.plots or not panel.template or any(panel.content.values())]
    models = len(answer.models) + 1
    return html_page(comparison_title(answer, question), filled, models=models, script=script, templates=__package__)
