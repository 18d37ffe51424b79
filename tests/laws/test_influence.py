"""Every standard error follows from numeric derivatives: how much a plain measure changes with the weight of each row.

The measures below take the weights of n rows, (..., n), and know no influence value.  Derivatives are by a complex
step, which cancels nothing: W. Squire and G. Trapp, Using complex variables to estimate derivatives of real functions,
SIAM Review 40 (1998) 110-112.  What has another variance is left out: net benefit of independent cases (unseen ones),
average precision (unseen ones too; the jackknife of up to 100 clusters), exact methods of counts.
"""

from functools import cache, partial

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

import evalcore
from evalcore import inference
from tests.differences import collected
from tests.strategies import many_threads

SIZE, CLASSES, THRESHOLD, LEVEL, STEP, COSTS = 240, ("ash", "elm", "oak"), 0.4, 0.9, 1e-30, (1.0, 5.0)
KINDS = {
    "plain": {},
    "sampling": {"weight": "sampling"},
    "frequency": {"weight": "frequency", "weight_type": "frequency"},
    "prevalence": {"target_prevalence": 0.2},
    "sampling at a prevalence": {"weight": "sampling", "target_prevalence": 0.2},
}
"""By name, what is asked of weights."""
OF_CLASSES = ("plain", "sampling", "frequency")
"""Those that measures of classes and functions of `inference` take."""
SCORES = {"label": "label", "score": "new", "old_score": "old"}
GUESSES = {"label": "tree", "predicted": "new_tree", "old_predicted": "old_tree"}
every_question = pytest.mark.parametrize(
    ("asked", "kind"),
    [*((SCORES, kind) for kind in KINDS), *((GUESSES, kind) for kind in OF_CLASSES)],
    ids=lambda value: value if isinstance(value, str) else [*value][1],
)
clustered_or_not = pytest.mark.parametrize("clusters", [None, "cluster"])
close, similar = partial(pytest.approx, rel=1e-7), partial(pytest.approx, rel=1e-11, abs=1e-15)


@cache
def columns():
    """Draw rows whose scores are tied, in two groups that have cases of 110 clusters each."""
    rng = np.random.default_rng(11)
    label, tree, pair = rng.random(SIZE) < 0.4, rng.integers(0, 3, SIZE), np.arange(SIZE) // 2
    quality = rng.normal(size=SIZE) + label + rng.normal(size=110)[pair % 110]
    old, new = 1 / (1 + np.exp(1 - quality - rng.normal(size=(2, SIZE))))
    guesses = [np.where(rng.random(SIZE) < right, tree, rng.integers(0, 3, SIZE)) for right in (0.5, 0.7)]
    found = {"label": label, "old": old.round(2).clip(0.01, 0.99), "new": new.round(1).clip(0.01, 0.99)}
    found |= dict(zip(("tree", "old_tree", "new_tree"), np.array(CLASSES)[[tree, *guesses]], strict=True))
    found |= {"group": np.array(["a", "b"])[np.arange(SIZE) % 2], "cluster": pair % 110, "half": (pair + pair // 5) % 2}
    return found | {"sampling": rng.uniform(0.5, 4, SIZE), "frequency": rng.integers(1, 5, SIZE)}


def rows_of(group):
    return slice(None) if group is None else columns()["group"] == group


def beyond_chance(right, chance):
    return (right - chance) / (1 - chance)


def correlation(right, truth, guess, total):
    """Return Gorodkin's correlation from lists or arrays by class first."""
    right, truth, guess = map(np.asarray, (right, truth, guess))
    apart = (total**2 - (truth**2).sum(0)) * (total**2 - (guess**2).sum(0))
    return (total * right.sum(0) - (truth * guess).sum(0)) / np.sqrt(apart)


def measures_of_scores(label, scores, weights):
    """Return all measures of scores by name, (...)."""
    levels = scores[:, np.newaxis] == np.unique(scores)[::-1]
    own, others = (weights * label) @ levels, (weights * ~label) @ levels
    above, false = own.cumsum(axis=-1), others.cumsum(axis=-1)
    total, log_losses = weights.sum(axis=-1), -np.log(np.where(label, scores, 1 - scores))
    tp, fn, fp, tn = np.moveaxis(weights @ np.eye(4)[2 * ~label + (scores < THRESHOLD)], -1, 0)
    decided = {
        "accuracy": (tp + tn) / total,
        "recall": tp / (tp + fn),
        "specificity": tn / (fp + tn),
        "precision": tp / (tp + fp),
        "negative_predictive_value": tn / (fn + tn),
        "jaccard": tp / (tp + fn + fp),
        "f1": 2 * tp / (2 * tp + fn + fp),
        "kappa": beyond_chance((tp + tn) / total, ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)) / total**2),
        "balanced_accuracy": (tp / (tp + fn) + tn / (fp + tn)) / 2,
        "matthews_correlation": correlation([tp, tn], [tp + fn, fp + tn], [tp + fp, fn + tn], total),
        "yules_q": (tp * tn - fp * fn) / (tp * tn + fp * fn),
        "macro_f1": tp / (2 * tp + fn + fp) + tn / (2 * tn + fn + fp),
        "expected_cost": (fp * COSTS[0] + fn * COSTS[1]) / total,
        "net_benefit": (tp - fp * THRESHOLD / (1 - THRESHOLD)) / total,
    }
    return {
        "roc_auc": (others * (above - own / 2)).sum(axis=-1) / (above[..., -1] * false[..., -1]),
        "average_precision": (own * above / np.where(own == 0, 1, above + false)).sum(axis=-1) / above[..., -1],
        "log_loss": weights @ log_losses / total,
        "brier_score": weights @ (scores - label) ** 2 / total,
    } | {f"{name}@{THRESHOLD}": value for name, value in decided.items()}


def measures_of_classes(label, predicted, weights):
    """Return all measures of predicted classes by name, (...)."""
    codes = 3 * np.searchsorted(CLASSES, label) + np.searchsorted(CLASSES, predicted)
    table = (weights @ np.eye(9)[codes]).reshape(*weights.shape[:-1], 3, 3)
    right, truth, guess, total = table.diagonal(0, -2, -1), table.sum(-1), table.sum(-2), weights.sum(-1)
    each = {"recall": right / truth, "precision": right / guess, "f1": 2 * right / (truth + guess)}
    means = {f"macro_{name}": values.mean(-1) for name, values in each.items()}
    means |= {f"weighted_{name}": (values * truth).sum(-1) / total for name, values in each.items()}
    return (
        means
        | {
            "accuracy": right.sum(-1) / total,
            "balanced_accuracy": each["recall"].mean(-1),
            "micro_f1": right.sum(-1) / total,
            "matthews_correlation": correlation(*(np.moveaxis(of, -1, 0) for of in (right, truth, guess)), total),
            "kappa": beyond_chance(right.sum(-1) / total, (truth * guess).sum(-1) / total**2),
        }
        | {f"{name}[{of}]": values[..., index] for name, values in each.items() for index, of in enumerate(CLASSES)}
    )


@cache
def weights_of(kind):
    asked, positive = KINDS[kind], columns()["label"]
    weights = columns()[asked["weight"]].astype(float) if "weight" in asked else np.ones(SIZE)
    if (target := asked.get("target_prevalence")) is not None:
        weights *= np.where(positive, target / weights[positive].sum(), (1 - target) / weights[~positive].sum())
    return weights


@cache
def measured(kind, group, label, model, *, known=True, clusters=None):
    """Return each measure of the rows of a group, and what each row adds to it: its derivative times its weight, (n,).

    With clusters how much it changes without each, (u,).  Where the prevalence is known, the weights of both classes
    stay as they are, whatever a row weighs.
    """
    target, positive, weights = KINDS[kind].get("target_prevalence"), columns()["label"], weights_of(kind)
    weights, positive, truth, given = (
        each[rows_of(group)] for each in (weights, positive, columns()[label], columns()[model])
    )
    changed = weights + STEP * 1j * np.diag(weights)
    if clusters is not None:
        of_rows = columns()[clusters][rows_of(group)]
        changed = weights * (of_rows != np.unique(of_rows)[:, np.newaxis])
    for side in (positive, ~positive) if target is not None and known else ():
        changed[:, side] *= weights[side].sum() / changed[:, side].sum(axis=1, keepdims=True)
    measures = measures_of_scores if label == "label" else measures_of_classes
    values, changes = measures(truth, given, weights), measures(truth, given, changed)
    if clusters is not None:
        return {name: (float(value), value - changes[name]) for name, value in values.items()}
    return {name: (float(value), changes[name].imag / STEP) for name, value in values.items()}


class Units:
    """What is drawn by chance in a group: rows, the cases that rows stand for, or clusters."""

    def __init__(self, kind, group, clusters):
        rows = rows_of(group)
        self.label, self.decided = columns()["label"][rows], columns()["old"][rows] >= THRESHOLD
        self.times = columns()["frequency"][rows] if kind == "frequency" else np.ones(self.label.size, np.int64)
        self.clusters = None if clusters is None else np.unique(columns()[clusters][rows], return_inverse=True)[1]
        self.weights = weights_of(kind)[rows]

    def squares(self, changes, side=slice(None)):
        """Return the sum of the squares of what rows of a side add, and this times C / (C - 1) for C cases."""
        total, number = (changes[side] ** 2 / self.times[side]).sum(), self.times[side].sum()
        return total, total * number / (number - 1)

    def sides(self, name):
        """Return the rows whose placements are added up: those of each class where the measure is a ROC AUC."""
        return (self.label, ~self.label) if name == "roc_auc" else (np.ones(self.label.size, bool),)

    def spread(self, changes, name, without=None):
        """Return the standard error of an estimate, and its degrees of freedom; without: changes without each cluster.

        Those of ROC AUCs, measures of all classes, and average precisions of many clusters are by sums.
        """
        if self.clusters is None:
            return np.sqrt(sum(self.squares(changes, side)[1] for side in self.sides(name))), np.inf
        number = self.clusters.max() + 1
        exact = "@" in name or "[" in name or name in ("log_loss", "brier_score")
        if not exact and (name != "average_precision" or number > 100):
            without = np.zeros(number)
            for side in self.sides(name):
                left = 1 - np.bincount(self.clusters, side * self.weights) / (side * self.weights).sum()
                without += np.bincount(self.clusters, side * changes) / left
        sizes, squares = np.bincount(self.clusters, self.weights), without**2
        freedom = min(3 * squares.sum() ** 2 / (squares**2).sum(), sizes.sum() ** 2 / (sizes**2).sum()) - 1
        return np.sqrt(squares.sum() * (number - 1) / number), max(freedom, 1)

    def effective(self, side):
        """Return Kish's number squared over the number of cases."""
        weights, times = self.weights[side], self.times[side]
        return weights.sum() ** 4 / (weights**2 / times).sum() ** 2 / times.sum()

    def reach_of_classes(self, changes):
        """Return Student's quantile with Satterthwaite's degrees of freedom of labels or of predictions."""
        freedom = []
        for side, other in ((self.label, self.decided), (self.decided, self.label)):
            squares = [self.squares(changes, own)[0] for own in (side, ~side)]
            effective = [self.effective(own & other) + self.effective(own & ~other) for own in (side, ~side)]
            freedom.append(sum(squares) ** 2 / sum(s**2 / (n - 1) for s, n in zip(squares, effective, strict=True)))
        return scipy.stats.t.isf((1 - LEVEL) / 2, min(freedom))


def each_difference(asked, kind, clusters, frame):
    """Return what is found of each measure in all rows and in groups, its name, and the group."""
    label, model, _ = asked.values()
    names = [name for name in measured(kind, None, label, model) if clusters or not name.startswith("net_benefit")]
    options = {"measures": names, "by": "group", "cluster": clusters, "ci": LEVEL} | asked | KINDS[kind]
    options["costs"] = COSTS if asked is SCORES else None
    report = evalcore.compare(frame, **options)
    return [(report[name] if group is None else report[f"group={group}", name], name, group)
            for group in (None, "a", "b") for name in names]  # fmt: skip


@cache
def differences_of_columns(label, kind, clusters):
    """Return `each_difference` of the columns as they are."""
    return each_difference(SCORES if label == SCORES["label"] else GUESSES, kind, clusters, columns())


def differences(asked, kind, group, name, clusters=None):
    """Return the values of both models, the new one first, and the error of their difference with the reach."""
    label, *models = asked.values()
    known = group is None
    (new, of_new), (old, of_old) = (measured(kind, group, label, model, known=known)[name] for model in models)
    without = [measured(kind, group, label, model, known=known, clusters=clusters)[name][1] for model in models]
    error, freedom = Units(kind, group, clusters).spread(of_new - of_old, name, without[0] - without[1])
    return [new, old], error, scipy.stats.t.isf((1 - LEVEL) / 2, freedom)


@every_question
@clustered_or_not
def test_errors_of_differences(asked, kind, clusters):
    with collected() as checking:
        for found, name, group in differences_of_columns(asked["label"], kind, clusters):
            with checking(f"{name} of {group}"):
                values, error, _ = differences(asked, kind, group, name, clusters)
                assert [found.new, found.old] == close(values)
                assert found.error > error if name == "average_precision" else found.error == close(error)


@every_question
def test_influence_values_of_a_group_add_up_to_0(asked, kind):
    """Of two clusters, one adds as much as the other takes away."""
    label, *models = asked.values()
    with collected() as checking:
        for found, name, group in differences_of_columns(asked["label"], kind, "half"):
            with checking(f"{name} of {group}"):
                new, old = (measured(kind, group, label, model, known=group is None)[name][1] for model in models)
                assert (new - old).sum() == pytest.approx(0, abs=1e-14)
                if name != "average_precision":
                    assert found.error == close(differences(asked, kind, group, name, "half")[1])


@every_question
@clustered_or_not
def test_a_model_does_not_differ_from_itself(asked, kind, clusters):
    _, new, old = asked.values()
    with collected() as checking:
        for found, name, group in each_difference(asked, kind, clusters, columns() | {old: columns()[new].copy()}):
            with checking(f"{name} of {group}"):
                own = found.found
                assert (own.difference, own.p_value) == (0, 1)
                assert found.error >= 0
                assert name.partition("@")[1] == "" or own.low < 0 < own.high  # on unseen cases it may


@every_question
@clustered_or_not
def test_no_number_depends_on_threads_batches_or_order(asked, kind, clusters):
    def numbers(frame):
        found = [(name, each, each.found) for each, name, _ in each_difference(asked, kind, clusters, frame)]
        return {
            (place, name): ((each.new, each.old), (each.error, of.low, of.high, of.p_value))
            for place, (name, each, of) in enumerate(found)
        }

    batches = [pa.table(columns()).slice(start, 70) for start in range(0, SIZE, 70)]
    order = np.random.default_rng(1).permutation(SIZE)
    with many_threads(1, 50):
        alone = numbers(columns())
        shuffled = numbers({name: column[order] for name, column in columns().items()})
    with many_threads(3, 50):
        assert numbers(pa.concat_tables(batches)) == alone
    with collected() as checking:
        for (place, name), (values, uncertainty) in alone.items():
            with checking(f"{name}, {place}"):
                assert shuffled[place, name] == (similar(values), similar(uncertainty))
                if kind in ("plain", "frequency") and name not in ("log_loss", "brier_score"):
                    assert shuffled[place, name][0] == values  # which counts decide
                    by_placements = (name, kind, clusters) == ("roc_auc", "plain", None)  # whole numbers
                    if by_placements or name not in ("roc_auc", "average_precision"):
                        assert shuffled[place, name][1] == uncertainty


NORMAL = scipy.stats.norm.isf((1 - LEVEL) / 2)


def bounds(estimate, error, reach):
    return [estimate, estimate - reach * error, estimate + reach * error]


def wilson(p, n, z=NORMAL):
    reach = z * np.sqrt(p * (1 - p) / n + (z / n / 2) ** 2)
    return [p, *((p + z**2 / n / 2 + side * reach) / (1 + z**2 / n) for side in (-1, 1))]


def expected(name, kind, group, clusters, *, known=True):
    """Return a measure of the old model with its bounds; of F1, those of 2 j / (1 + j) of Jaccard's fraction j."""
    if name.startswith("f1"):
        return [2 * each / (1 + each) for each in expected(f"jaccard@{THRESHOLD}", kind, group, clusters, known=known)]
    value, changes = measured(kind, group, "label", "old", known=known)[name]
    stem, units, (alone, _) = (
        name.partition("@")[0],
        Units(kind, group, clusters),
        Units(kind, group, None).squares(changes),
    )
    _, without = measured(kind, group, "label", "old", known=known, clusters=clusters)[name]
    error, freedom = units.spread(changes, name, without)
    if clusters is None and stem != "roc_auc":
        error = np.sqrt(alone)
    reach = scipy.stats.t.isf((1 - LEVEL) / 2, freedom)
    if stem == "kappa":  # of (1 + kappa) / 2
        reach = units.reach_of_classes(changes) if clusters is None else reach
        return [2 * each - 1 for each in wilson((1 + value) / 2, (1 - value**2) / error**2, reach)]
    if stem == "roc_auc":
        return bounds(value, error, reach)
    trials = {"recall": units.label, "specificity": ~units.label, "precision": units.decided}
    trials["jaccard"] = units.label | units.decided
    own = trials.get(stem, np.ones(units.label.size, bool))
    cases = units.times[own].sum()
    if clusters is None:
        right = units.label == units.decided
        freedom = sum(units.effective(own & side) for side in (right, ~right)) - 1
    of_cases, reach = (scipy.stats.t.isf((1 - LEVEL) / 2, each) for each in (max(cases - 1, freedom), freedom))
    return wilson(value, value * (1 - value) / max(alone, error**2) * (of_cases / reach) ** 2)  # Korn and Graubard


DECIDED = "accuracy", "precision", "recall", "specificity", "f1", "kappa"


@pytest.mark.parametrize("kind", OF_CLASSES)
@clustered_or_not
def test_intervals(kind, clusters):
    label, old, new = (columns()[name] for name in ("label", "old", "new"))
    asked = {} if kind == "plain" else {"sample_weight": columns()[kind], "weight_type": kind}
    asked["cluster"], at_level = None if clusters is None else columns()[clusters], {"level": LEVEL}
    scored = dict.fromkeys(DECIDED, old >= THRESHOLD) | {"roc_auc": old}
    with collected() as checking:
        for name, scores in scored.items():
            with checking(name):
                delong = {"method": "delong"} if name == "roc_auc" else {}
                found = getattr(inference, f"{name}_interval")(label, scores, **asked, **at_level, **delong)
                limits = expected(f"{name}@{THRESHOLD}" if name in DECIDED else name, kind, None, clusters)
                assert [found.estimate, found.low, found.high] == close(limits)
        with checking("compare_roc_auc"):
            found = inference.compare_roc_auc(label, old, new, method="delong", **asked, **at_level)
            (new_area, old_area), error, reach = differences(SCORES, kind, None, "roc_auc", clusters)
            assert [found.difference, found.low, found.high] == close(bounds(new_area - old_area, error, reach))
        with checking("roc_auc_covariance"):
            covariance = inference.roc_auc_covariance(label, [new, old], **asked).covariance
            of_models = (measured(kind, None, "label", model)["roc_auc"][1] for model in ("new", "old"))
            of_new, of_old = (Units(kind, None, clusters).spread(each, "roc_auc")[0] ** 2 for each in of_models)
            assert covariance.ravel() == close([of_new, across := (of_new + of_old - error**2) / 2, across, of_old])
        if clusters is not None:
            with checking("mcnemar_test"):
                found = inference.mcnemar_test(label, old >= THRESHOLD, new >= THRESHOLD, **asked, **at_level)
                values, *how = differences(SCORES, kind, None, f"accuracy@{THRESHOLD}", clusters)
                assert [found.difference, found.low, found.high] == close(bounds(values[0] - values[1], *how))


@pytest.mark.parametrize("by", [None, "group"])
@pytest.mark.parametrize(
    ("kind", "clusters"), [*((kind, None) for kind in KINDS), *((kind, "cluster") for kind in OF_CLASSES)]
)
def test_intervals_of_reports(kind, clusters, by):
    """Where all rows have a known prevalence, that of a group is an estimate."""
    options = {"threshold": THRESHOLD, "ci": LEVEL, "ci_method": "delong", "cluster": clusters} | KINDS[kind]
    report = evalcore.evaluate(columns(), label="label", score="old", by=by, **options)
    found = {(row["group"], row["statistic"]): [row[each] for each in ("value", "low", "high")]
             for row in report.to_arrow().to_pylist()}  # fmt: skip
    with collected() as checking:
        for group in (None, "a", "b") if by else (None,):
            for stem in (*DECIDED, "roc_auc"):
                with checking(f"{stem} of {group}"):
                    name = "roc_auc" if stem == "roc_auc" else f"{stem}@{THRESHOLD}"
                    limits = expected(name, kind, group, clusters, known=group is None)
                    assert found[group or ("total" if by else ""), stem] == close(limits)
