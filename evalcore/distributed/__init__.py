"""Evaluation of data larger than the memory of one machine: data frames of Spark and dask, and Parquet files.

Every function takes two columns by their names in `data`: a Spark DataFrame, a dask DataFrame or Parquet files; or dask
arrays or Series in their place.  Spark works where the frame is.  The tasks of dask run on the workers of the current
client, or in threads of this process if there is none.

>>> import dask.array as da
>>> y_true = da.from_array([0, 0, 1, 1], chunks=2)
>>> y_score = da.from_array([0.1, 0.4, 0.35, 0.8], chunks=2)
>>> roc_auc_score(y_true, y_score, exact=True)
0.75
"""

from evalcore.distributed.curves import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve
from evalcore.distributed.reports import evaluate
from evalcore.distributed.tables import confusion_matrix, contingency

__all__ = [
    "average_precision_score",
    "confusion_matrix",
    "contingency",
    "evaluate",
    "precision_recall_curve",
    "roc_auc_score",
    "roc_curve",
]
__dir__ = __all__.copy
