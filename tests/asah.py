"""113 patients with a haemorrhage of the brain, of the R package pROC: a poor outcome, and what predicts it."""

import csv
from pathlib import Path

import numpy as np

with (Path(__file__).parent / "data" / "asah.csv").open(encoding="utf-8") as lines:
    _ROWS = list(csv.DictReader(lines))
POOR = np.array([row["outcome"] == "Poor" for row in _ROWS])
S100B, NDKA, WFNS = (np.array([float(row[name]) for row in _ROWS]) for name in ("s100b", "ndka", "wfns"))
