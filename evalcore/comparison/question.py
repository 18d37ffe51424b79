"""The question that a comparison answers: which models are compared, by what, and what difference matters."""

from typing import Literal, NamedTuple

from evalcore.comparison.options import CHANGED, RESAMPLES
from evalcore.io.columns import Reading
from evalcore.io.rows import ALL_ROWS, Rows
from evalcore.report.weighting import UNWEIGHTED, Weighting


class CompareQuestion(NamedTuple):
    """Which models are compared, by what, and what difference matters."""

    label: str
    score: tuple[str, ...] = ()
    """Columns of scores of the new models."""
    old_score: str | None = None
    """The column of scores of the old model; by default that of the new one."""
    predicted: tuple[str, ...] = ()
    """Columns of predicted classes of the new models, in place of scores."""
    old_predicted: str | None = None
    on: tuple[str, ...] = ()
    """Columns that together identify a case; none where all models are columns of one table."""
    allow: frozenset[str] = frozenset()
    """Some of `options.ALLOWED`."""
    positive: str | None = None
    measures: tuple[str, ...] = ()
    """Names of measures, such as "roc_area" or "recall@0.3"; none for those that all cases have an interval for."""
    thresholds: tuple[float, ...] = ()
    """Adds the measures of decisions at each of them, and what changed hands there."""
    by: tuple[str, ...] = ()
    """Columns of groups; each is a grouping of its own."""
    min_cases: int | None = None
    """Groups of fewer are left out."""
    cluster: str | None = None
    """The column of clusters, whose cases may depend on each other."""
    weighting: Weighting = UNWEIGHTED
    level: float = 0.95
    margin: float | None = None
    """The smallest difference that matters, in units of each measure."""
    method: Literal["analytic", "bootstrap", "permutation"] = "analytic"
    """Where intervals and p-values come from; the bootstrap serves measures that have no other."""
    resamples: int = RESAMPLES
    stratify: bool = False
    """Whether resamples keep the number of cases of each class."""
    seed: int = 0
    changed: int = CHANGED
    """Number of cases that each list of changed ones holds at most."""
    rows: Rows = ALL_ROWS
    reading: Reading = Reading()
    text: tuple[str, ...] = ()
    """Columns that are read as text, whatever their types."""
