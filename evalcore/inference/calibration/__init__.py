"""How sure calibration is: intervals of bins and errors, recalibration, and tests without bins."""
