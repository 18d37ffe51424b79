"""Two or more models compared on the same cases, as an answer of `evaluation`: shown, written, and put to a gate.

`text` has its tables for terminals and comments, `words` its sentences, `tree` its values and `page` its HTML.  A
difference is always that of the new model less the old one.
"""
