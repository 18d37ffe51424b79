"""Judgements and runs in TREC's files, as arrays, and joined to what `evalcore.ranking.evaluate` takes.

The modules beside them read files of predictions for the command, with pyarrow, imported where it is used.
"""

from evalcore.io.trec import Joined, Judgements, Run, joined, read_qrels, read_run

__all__ = ["Joined", "Judgements", "Run", "joined", "read_qrels", "read_run"]
