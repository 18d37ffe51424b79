"""The variance of ROC AUCs of clustered cases, as Obuchowski (1997) writes it."""


def _placement(score, others, higher):
    return sum((score > other) == higher if score != other else 0.5 for other in others) / len(others)


def roc_auc_covariance(y_true, first, second, clusters):
    """Return the covariance of the areas of two columns of scores, from S10, S01 and S11 over the clusters."""
    names = sorted(set(clusters))
    totals = []
    for scores in (first, second):
        positives = [score for label, score in zip(y_true, scores, strict=True) if label]
        negatives = [score for label, score in zip(y_true, scores, strict=True) if not label]
        area = sum(_placement(score, negatives, True) for score in positives) / len(positives)
        x = dict.fromkeys(names, 0.0)
        y = dict.fromkeys(names, 0.0)
        for label, score, cluster in zip(y_true, scores, clusters, strict=True):
            if label:
                x[cluster] += _placement(score, negatives, True) - area
            else:
                y[cluster] += _placement(score, positives, False) - area
        totals.append((x, y))
    (x1, y1), (x2, y2) = totals
    m, n = sum(y_true), len(y_true) - sum(y_true)
    i10 = len({cluster for label, cluster in zip(y_true, clusters, strict=True) if label})
    i01 = len({cluster for label, cluster in zip(y_true, clusters, strict=True) if not label})
    i = len(names)
    s10 = i10 / ((i10 - 1) * m) * sum(x1[name] * x2[name] for name in names)
    s01 = i01 / ((i01 - 1) * n) * sum(y1[name] * y2[name] for name in names)
    s11 = i / (i - 1) * sum(x1[name] * y2[name] + y1[name] * x2[name] for name in names)
    return s10 / m + s01 / n + s11 / (m * n)
