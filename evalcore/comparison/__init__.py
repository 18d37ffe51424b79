"""Two or more models compared on the same cases: joined by id, measured, tested, and judged by margins.

The order of work: `question` says what is compared; `pairing` finds the rows of one id and holds them as checked
columns; `differences` measures, tests and judges them; `model` holds what is found; `output` writes it.  A difference
is always that of the new model less the old one.
"""
