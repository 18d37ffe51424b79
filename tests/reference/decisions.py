"""Slow twins for decisions on categories: every number straight from its definition, in plain Python.

A document is a pair of sets of names: assigned and correct.  Ratios are `Fraction`.
"""

from fractions import Fraction


def column_sums(rows, categories):
    """Count the true cells of each column of a list of rows."""
    return [sum(bool(row[code]) for row in rows) for code in range(categories)]


def matrix_counts(assigned, correct, categories):
    """Count for each column the documents with both, assigned, correct."""
    both = [[a and c for a, c in zip(*rows, strict=True)] for rows in zip(assigned, correct, strict=True)]
    return [column_sums(rows, categories) for rows in (both, assigned, correct)]


def listed_counts(assigned, correct, categories):
    """Count for each category the distinct keys, document x categories + code, with both, assigned, correct."""
    sets = set(assigned) & set(correct), set(assigned), set(correct)
    return [[sum(key % categories == code for key in keys) for code in range(categories)] for keys in sets]


def table(documents, name):
    """Count the documents a, b, c, d of one category."""
    pairs = [(name in assigned, name in correct) for assigned, correct in documents]
    return [pairs.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))]


def pooled(documents, categories):
    """Add up the tables of all categories."""
    return [sum(cells) for cells in zip([0] * 4, *(table(documents, name) for name in categories), strict=True)]


def fraction(part, whole, otherwise):
    """Divide, with another answer for an empty whole."""
    return Fraction(part) / Fraction(whole) if whole else Fraction(otherwise)


def statistics(a, b, c, d):
    """Give every statistic of a table, with the document's edge cases."""
    return {
        "accuracy": fraction(a + d, a + b + c + d, 1),
        "error": fraction(b + c, a + b + c + d, 0),
        "precision": fraction(a, a + b, 0 if c else 1),
        "recall": fraction(a, a + c, 1),
        "F1": fraction(2 * a, 2 * a + b + c, 1),
    }


def answers(documents, categories):
    """Give every micro and macro statistic."""
    micro = statistics(*pooled(documents, categories))
    per_category = [statistics(*table(documents, name)) for name in categories]
    macro = {key: sum(each[key] for each in per_category) / len(categories) for key in micro}
    return {f"{kind}_{key}": value for kind, of in (("micro", micro), ("macro", macro)) for key, value in of.items()}
