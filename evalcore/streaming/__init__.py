"""Evaluation in one pass and constant memory, with bounds that always contain the exact value.

>>> import numpy as np
>>> from evalcore.streaming import ScoreSummary
>>> rng = np.random.default_rng(0)
>>> summary = ScoreSummary()
>>> for _ in range(3):
...     labels = rng.random(100_000) < 0.25
...     summary.update(labels, rng.normal(labels))
>>> area = summary.roc_auc()
>>> round(area, 4), area.width < 3e-5
(0.7598, True)
"""

from evalcore.measures.bounds import Certified
from evalcore.streaming.score_summary import ScoreSummary, learn_cuts

__all__ = ["Certified", "ScoreSummary", "learn_cuts"]
__dir__ = __all__.copy
