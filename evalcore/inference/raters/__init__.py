"""People and judges who rate: their agreement, and rates corrected for their errors."""
