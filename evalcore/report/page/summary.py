"""The panel that a page begins with: the report in words, and which charts it lacks."""

from evalcore.report.charts.missing import missing
from evalcore.report.page.panels import Panel, View
from evalcore.report.words.summary import sentences


def summary_panel(view: View) -> Panel | None:
    """Return the sentences of a report, and why charts are missing; None where there is neither.  O(n)."""
    said = list(sentences(view.answer, view.question))
    absent = [f"N{str(each)[1:]}." for each in missing(view.answer, view.question)]
    if not (said or absent):
        return None
    more = " ".join(map(str, said[1:]))
    return Panel("summary", "Summary", {"answer": said[:1], "sentences": more, "missing": absent})
