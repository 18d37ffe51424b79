"""Two or more models compared on the same cases: joined by id, measured, tested, and judged by margins.

The order of work: `question` says what is compared; `joining` finds the rows of one id; `cases` holds them as checked
columns; the modules of differences measure and test; `model` holds what they find; `tables`, `rendering` and `page`
write it.  A difference is always that of the new model less the old one.
"""
