"""Files of judgements and runs of TREC as arrays, and joined for `evalcore.ranking.evaluate`.

The other modules read files of predictions for reports.  They import pyarrow only when they need it.
"""

from evalcore.io.trec import Joined, Judgements, Run, joined, read_qrels, read_run

__all__ = ["Joined", "Judgements", "Run", "joined", "read_qrels", "read_run"]
__dir__ = __all__.copy
