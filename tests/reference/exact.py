"""Exact twins of the measures of tables of counts, however large: fractions, and decimals for roots and logarithms.

A table is a list of rows, one for each reference.  NaN where the definition divides 0 by 0.
"""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

from tests.reference.scored_cases import f_measure, mean, quotient

DIGITS = 200
"""Two tables of counts to 2**62 may differ in the 38th digit of a fraction, and its square is what counts."""


def root(value):
    """Square root to many digits; NaN of NaN."""
    with localcontext(prec=DIGITS):
        return value if value != value else _decimal(value).sqrt()  # noqa: PLR0124  NaN alone differs from itself


def mean_bits(weights, factors):
    """Sum of the logarithms of factors over cases, in bits, for each case; infinite where a factor divides by 0."""
    used = [(weight, factor) for weight, factor in zip(weights, factors, strict=True) if weight]
    if not used or any(factor is None for _, factor in used):
        return math.inf if used else math.nan
    with localcontext(prec=DIGITS):
        total = sum(weight * _decimal(factor).ln() for weight, factor in used)
        return total / Decimal(2).ln() / sum(weights)


def binary(tp, fn, fp, tn):
    """Every statistic of a 2x2 table, by the documented names, from its definition."""
    total, right, wrong = tp + fn + fp + tn, tp + tn, fn + fp
    margins = (tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)
    agreement = _agreement(right, [tp + fn, fp + tn], [tp + fp, fn + tn])
    concordant, discordant = root(Fraction(tp * tn)), root(Fraction(fp * fn))
    with localcontext(prec=DIGITS):
        colligation = (concordant - discordant) / (concordant + discordant) if concordant or discordant else math.nan
    recall, precision = quotient(tp, tp + fn), quotient(tp, tp + fp)
    phi_squared = quotient((tp * tn - fp * fn) ** 2, margins)
    return agreement | {
        "accuracy": quotient(right, total),
        "recall": recall,
        "precision": precision,
        "rejectionRecall": quotient(tn, fp + tn),
        "rejectionPrecision": quotient(tn, fn + tn),
        "fMeasure": quotient(2 * tp, 2 * tp + fp + fn) if tp else math.nan,
        "fowlkesMallows": root(Fraction((tp + fn) * (tp + fp))) if tp else math.nan,
        "jaccardCoefficient": quotient(tp, tp + fp + fn),
        "yulesQ": quotient(tp * tn - fp * fn, tp * tn + fp * fn),
        "yulesY": colligation,
        "referenceLikelihood": quotient(tp + fn, total),
        "responseLikelihood": quotient(tp + fp, total),
        "phiSquared": phi_squared,
        "chiSquared": total * phi_squared,
        "accuracyDeviation": root(quotient(right * wrong, total**3)),
    }


def of_decisions(tp, fn, fp, tn):
    """What measures of decisions give, by their own names."""
    named, positives, found = binary(tp, fn, fp, tn), tp + fn, tp + fp
    recall, specificity = named["recall"], named["rejectionRecall"]
    phi = root(named["phiSquared"])
    return {
        "accuracy": named["accuracy"],
        "error": 1 - named["accuracy"],
        "recall": recall,
        "precision": named["precision"],
        "specificity": specificity,
        "false_positive_rate": 1 - specificity,
        "negative_predictive_value": named["rejectionPrecision"],
        "jaccard": named["jaccardCoefficient"],
        "fowlkes_mallows": tp / root(Fraction(positives * found)) if positives * found else math.nan,
        "positive_likelihood_ratio": _times(recall, 1 - specificity),
        "negative_likelihood_ratio": _times(1 - recall, specificity),
        "yules_q": named["yulesQ"],
        "yules_y": named["yulesY"],
        "kappa": named["kappa"],
        "prevalence": named["referenceLikelihood"],
        "response_rate": named["responseLikelihood"],
        "phi": phi if tp * tn > fp * fn else -phi,
        "phi_squared": named["phiSquared"],
        "chi_squared": named["chiSquared"],
        "accuracy_deviation": named["accuracyDeviation"],
    }


def confusion(table):
    """Every statistic of a table that is a ratio, a root or a logarithm, by the documented names."""
    size, total = len(table), sum(map(sum, table))
    rows, columns = list(map(sum, table)), list(map(sum, zip(*table, strict=True)))
    correct = sum(table[i][i] for i in range(size))
    cells = [(table[i][j], rows[i], columns[j]) for i in range(size) for j in range(size)]
    full = size > 1 and all(rows) and all(columns)
    chi = sum(Fraction((n * total - r * c) ** 2, r * c) for n, r, c in cells) / total if full else math.nan
    deviation = root(quotient(correct * (total - correct), total**3))
    return _agreement(correct, rows, columns) | {
        "totalAccuracy": quotient(correct, total),
        "confidence95": deviation * _exactly(1.96, deviation),
        "confidence99": deviation * _exactly(2.58, deviation),
        "referenceEntropy": mean_bits(rows, [quotient(total, n) for n in rows]),
        "responseEntropy": mean_bits(columns, [quotient(total, n) for n in columns]),
        "crossEntropy": mean_bits(rows, [Fraction(total, n) if n else None for n in columns]),
        "jointEntropy": mean_bits([n for n, _, _ in cells], [quotient(total, n) for n, _, _ in cells]),
        "conditionalEntropy": mean_bits([n for n, _, _ in cells], [quotient(r, n) for n, r, _ in cells]),
        "mutualInformation": mean_bits([n for n, _, _ in cells], [quotient(n * total, r * c) for n, r, c in cells]),
        "klDivergence": mean_bits(rows, [Fraction(r, c) if c else None for r, c in zip(rows, columns, strict=True)]),
        "chiSquared": chi,
        "phiSquared": chi / total if full else math.nan,
        "cramersV": root(chi / total / (size - 1)) if full else math.nan,
        "lambdaA": _lambda(table, columns=True),
        "lambdaB": _lambda(table, columns=False),
    }


def of_classes(table):
    """What measures of classes give that no documented statistic is, by their own names."""
    columns = list(map(sum, zip(*table, strict=True)))
    precisions = [quotient(table[code][code], total) for code, total in enumerate(columns)]
    recalls = [quotient(row[code], sum(row)) for code, row in enumerate(table)]
    each = [one_versus_all(table, code) for code in range(len(table))]
    return {
        "macro_precision": mean(precisions),
        "macro_recall": mean(recalls),
        "macro_f_measure": mean(f_measure(*pair, 1) for pair in zip(precisions, recalls, strict=True)),
        "correct": sum(table[code][code] for code in range(len(table))),
        "degrees_of_freedom": (len(table) - 1) ** 2,
        "pooled_versus_all": tuple(map(sum, zip(*each, strict=True))),
    }


def one_versus_all(table, code):
    """Count the cases by whether reference and response are the category."""
    tp, positives, found = table[code][code], sum(table[code]), sum(row[code] for row in table)
    return tp, positives - tp, found - tp, sum(map(sum, table)) - positives - found + tp


def weighted_kappa(table, power):
    """Compare disagreements with those of independent answers, |i - j|**power each."""
    size, total = len(table), sum(map(sum, table))
    rows, columns = list(map(sum, table)), list(map(sum, zip(*table, strict=True)))
    apart = [(i, j, abs(i - j) ** power) for i in range(size) for j in range(size) if i != j]
    by_chance = sum(distance * rows[i] * columns[j] for i, j, distance in apart)
    seen = sum(distance * table[i][j] for i, j, distance in apart)
    return quotient(by_chance - total * seen, by_chance)


def _agreement(correct, rows, columns):
    total = sum(rows)
    chance = quotient(sum(r * c for r, c in zip(rows, columns, strict=True)), total**2)
    pooled = quotient(sum((r + c) ** 2 for r, c in zip(rows, columns, strict=True)), 4 * total**2)
    accuracy = quotient(correct, total)
    return {
        "randomAccuracy": chance,
        "randomAccuracyUnbiased": pooled,
        "kappa": quotient(accuracy - chance, 1 - chance),
        "kappaUnbiased": quotient(accuracy - pooled, 1 - pooled),
        "kappaNoPrevalence": 2 * accuracy - 1,
    }


def _lambda(table, columns):
    lines = list(map(list, zip(*table, strict=True))) if columns else table
    guessed = max(map(sum, zip(*lines, strict=True)))
    total = sum(map(sum, table))
    return quotient(sum(map(max, lines)) - guessed, total - guessed)


def _times(one, other):
    return (math.inf if one > 0 else math.nan) if other == 0 else one / other


def _decimal(value):
    return Decimal(value.numerator) / Decimal(value.denominator)


def _exactly(number, kind):
    return Decimal(number) if isinstance(kind, Decimal) else number


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
