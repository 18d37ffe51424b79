"""Pure functions on checked arrays: ordering, counting, dividing.  NumPy only.

Nothing here checks, warns, logs or changes its input.
"""
