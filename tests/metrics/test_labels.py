"""Functions of labels beside scikit-learn's: values, errors, warnings and signatures; and beside exact fractions."""

import itertools
import math
import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import evalcore.metrics
from evalcore import metrics
from evalcore.validation import positive_class
from tests.differences import every
from tests.reference.exact import weighted_kappa
from tests.strategies import columns_of

FUNCTIONS = (
    "accuracy_score", "balanced_accuracy_score", "class_likelihood_ratios", "classification_report",
    "cohen_kappa_score", "confusion_matrix", "f1_score", "fbeta_score", "hamming_loss", "jaccard_score",
    "matthews_corrcoef", "multilabel_confusion_matrix", "precision_recall_fscore_support", "precision_score",
    "recall_score", "zero_one_loss",
)  # fmt: skip
SET_WISE = ("jaccard_score", "f1_score", "precision_score", "recall_score")
AVERAGES = ("binary", "micro", "macro", "weighted", "samples", None)
BUILTIN = (ZeroDivisionError, TypeError, ValueError, IndexError)


def outcome(function, *arguments, **options):
    """Return what a call gives, or the built-in bases of its error; and the kinds and subjects of its warnings."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            value = function(*arguments, **options)
        except BUILTIN as error:
            return {base for base in BUILTIN if isinstance(error, base)}, None
    kept = [warning for warning in caught if warning.category is not RuntimeWarning]  # of divisions in scikit-learn
    return value, [(warning.category.__name__, str(warning.message)[:12]) for warning in kept]


def flat(value):
    """Write numbers within tuples, dicts and arrays, and the types of arrays, as one list."""
    if isinstance(value, dict):
        return list(itertools.chain.from_iterable([key, *flat(part)] for key, part in value.items()))
    if isinstance(value, tuple):
        return list(itertools.chain.from_iterable(map(flat, value)))
    if isinstance(value, np.ndarray):
        return [value.dtype, value.shape, *value.ravel().tolist()]
    return [value]


def any_right(y_true, y_pred):
    """Whether some response is that of its reference."""
    return bool(np.any(np.ravel(np.asarray(y_true)) == np.ravel(np.asarray(y_pred))))


def any_assigned(y_true, y_pred, labels=None):
    """Whether some case has some label, or is given one, of those that are listed."""
    tables = [np.asarray(column.toarray() if sparse.issparse(column) else column) for column in (y_true, y_pred)]
    return any(np.any(table[:, labels] if labels is not None and table.ndim == 2 else table) for table in tables)


def assert_same(name, *arguments, **options):
    """Call both functions and compare."""
    theirs, their_warnings = outcome(getattr(sklearn.metrics, name), *arguments, **options)
    ours, our_warnings = outcome(getattr(evalcore.metrics, name), *arguments, **options)
    if isinstance(theirs, set):
        assert theirs <= ours  # an error may be caught by other names too
        return
    assert our_warnings == their_warnings
    ours, theirs = flat(ours), flat(theirs)
    if ours == theirs:
        return
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        if isinstance(other, np.dtype):
            # counts are counts here; there they become floats where nothing is right
            counts = one == np.int64 and other == np.float64 and not any_right(*arguments)
            # sums of weights are floats here; there whole ones become integers where no label is assigned
            sums = one == np.float64 and other == np.int64 and not any_assigned(*arguments, options.get("labels"))
            assert one == other or counts or sums
        elif isinstance(other, float | np.floating) and not math.isnan(other):
            assert one == pytest.approx(other, rel=1e-12, abs=1e-12)
        else:
            assert one == other or (math.isnan(one) and math.isnan(other))


@st.composite
def columns(draw, values=(0, 1, 2), most=12):
    n = draw(st.integers(1, most))
    used = draw(
        st.sampled_from([chosen for k in range(len(values)) for chosen in itertools.combinations(values, k + 1)])
    )
    return [draw(columns_of(used, n)) for _ in range(2)]


KINDS = {
    "ints": (0, 1, 2),
    "signed ints": (-1, 1, 7),
    "far ints": (-(2**40), 3, 2**50),
    "bools": (False, True),
    "binary": (0, 1),
    "strings": ("a", "b", "spam"),
    "floats": (0.0, 1.0, 2.0),
    "fractions": (0.5, 1.0),
    "not finite": (1.0, math.nan, math.inf),
}
ARRAYS = (list, np.array, lambda labels: np.array(labels, dtype=object), lambda labels: np.array(labels)[:, np.newaxis])


@st.composite
def targets(draw):
    true, pred = draw(columns(draw(st.sampled_from(tuple(KINDS.values())))))
    return tuple(draw(st.sampled_from(ARRAYS))(column) for column in (true, pred))


TABLES_OF_LABELS = np.ndarray.tolist, np.array, sparse.csr_matrix, sparse.csc_array


@st.composite
def indicators(draw):
    n, k = draw(st.integers(1, 6)), draw(st.integers(2, 4))
    rows = [np.reshape(draw(columns_of((0, 1), n * k)), (n, k)) for _ in "tp"]
    return tuple(map(draw(st.sampled_from(TABLES_OF_LABELS)), rows))


def weights_for(pair):
    n = pair[0].shape[0] if hasattr(pair[0], "shape") else len(pair[0])
    return st.none() | columns_of((0, 1, 2, 3), n) | columns_of((0, 1, 2, 3, 0.0, 0.25, 1.5), n)


@st.composite
def labels_for(draw, pair):
    found = {label for column in pair for label in np.ravel(np.asarray(column)).tolist()}
    others = {"z", "y"} if str in map(type, found) else {8, 9}
    return draw(st.none() | st.lists(st.sampled_from([*found, *others]), max_size=4))


EITHER, BINARY = targets() | indicators(), columns((0, 1))
AVERAGE, FLAG, ZEROS = st.sampled_from(AVERAGES), st.booleans(), ["warn", 0, 1, math.nan]
POSITIVE = [each for each in itertools.product(AVERAGES, [1, 0, "a", None]) if each != ("binary", None)]
WEIGHTED, OF_SETS = {"sample_weight": weights_for}, (*SET_WISE, "precision_recall_fscore_support")
LABELS = {"labels": st.lists(st.integers(0, 3), min_size=1, max_size=4, unique=True)}
RATIOS = st.sampled_from([np.nan, 1.0, {"LR+": 2.0, "LR-": 0.5}, {"LR+": 1}, 3.0])
TITLES = st.sampled_from([None, ["x", "yy"], ["a name as long as this", "b", "c"]])
ONE_RIGHT = columns().map(lambda pair: [[0, *column] for column in pair])
"""Where nothing is right scikit-learn writes the supports as floats."""
SEARCHED = {
    "fractions": (("accuracy_score", "zero_one_loss"), EITHER, {"normalize": FLAG, **WEIGHTED}),
    "losses": (("hamming_loss", "matthews_corrcoef"), EITHER, WEIGHTED),
    "table": (
        ("confusion_matrix",), targets(),
        {"labels": labels_for, "normalize": st.sampled_from(["true", "pred", "all", None]), **WEIGHTED},
    ),
    "tables": (("multilabel_confusion_matrix",), EITHER, {"samplewise": FLAG, **WEIGHTED}),
    "tables of labels": (
        ("multilabel_confusion_matrix",), columns().map(tuple) | indicators(),
        {"labels": st.lists(st.integers(-1, 3), min_size=1, max_size=4, unique=True)},
    ),
    "balanced": (("balanced_accuracy_score",), targets(), {"adjusted": FLAG, **WEIGHTED}),
    "kappa": (
        ("cohen_kappa_score",), targets(),
        {"labels": labels_for, "weights": st.sampled_from([None, "linear", "quadratic"]),
         "replace_undefined_by": st.sampled_from([np.nan, 0.5]), **WEIGHTED},
    ),
    "ratios": (
        ("class_likelihood_ratios",), BINARY,
        {"labels": st.sampled_from([None, [1, 0]]), "replace_undefined_by": RATIOS, **WEIGHTED},
    ),
    "sets": (
        OF_SETS, EITHER,
        {("average", "pos_label"): st.sampled_from(POSITIVE), "zero_division": st.sampled_from([*ZEROS, 2, "zero"]),
         **WEIGHTED},
    ),
    "sets of labels": (OF_SETS, columns() | indicators(), {"average": AVERAGE, **LABELS, **WEIGHTED}),
    "fbeta": (
        ("fbeta_score",), BINARY | indicators(),
        {"average": AVERAGE, "beta": st.sampled_from([0, 0.5, 2, math.inf, -1, "1"])},
    ),
    "report": (
        ("classification_report",), EITHER, {"zero_division": st.sampled_from(ZEROS), "output_dict": st.just(True)}
    ),
    "text": (
        ("classification_report",), ONE_RIGHT,
        {"digits": st.integers(0, 5), "target_names": TITLES, "labels": st.none() | LABELS["labels"], **WEIGHTED},
    ),
}  # fmt: skip
"""What is searched: functions, columns of labels, and options, which may depend on the columns."""


@pytest.mark.parametrize("searched", SEARCHED)
@given(st.data())
def test_calls_that_are_drawn(searched, data):
    names, pairs, asked = SEARCHED[searched]
    pair, options = data.draw(pairs), {}
    for name, values in asked.items():
        value = data.draw(values if isinstance(values, st.SearchStrategy) else values(pair))
        options |= zip(name, value, strict=True) if isinstance(name, tuple) else {name: value}
    for name in names:
        assert_same(name, *pair, **options)


BAD = {
    "a scalar": (1, [1, 1]), "strings": ("ab", "ab"), "a set": ({0, 1}, [0, 1]), "lengths": ([0, 1], [0, 1, 1]),
    "nothing": ([], []), "bytes": ([b"a", b"b"], [b"a", b"a"]), "strings and numbers": ([1, 2], ["a", "b"]),
    "rows of different lengths": ([(1, 2), (0, 2, 3)], [(2,), (0, 2)]), "three axes": (np.ones((2, 2, 2)),) * 2,
    "complex": (np.array([1, 1j]), [1, 0]), "columns": ([[1, 0, 1]], [[1, 0]]), "mixed": ([0, 1], [[0, 1], [1, 1]]),
    "objects": (np.array(["a", None], dtype=object), ["a", "b"]), "several outputs": ([[0, 1], [2, 1]],) * 2,
    "sparse columns": (sparse.csr_matrix([[1], [0]]),) * 2, "a scalar array": (np.array(1), np.array(1)),
}  # fmt: skip


@every("bad", BAD)
@every("name", sorted({*FUNCTIONS} - {"fbeta_score"}))
def test_bad_targets_raise_errors_of_the_same_base(name, bad):
    ours, _ = outcome(getattr(evalcore.metrics, name), *BAD[bad])
    theirs, _ = outcome(getattr(sklearn.metrics, name), *BAD[bad])
    assert isinstance(theirs, set)
    assert ours & (theirs if theirs != {IndexError} else {TypeError, ValueError})  # of what has no length


@every("weights", [[1, -1, 2], [-0.5, 1.5, 2], [1, 1, -2], [True, False, True]])
@every("name", sorted({*FUNCTIONS} - {"fbeta_score", "classification_report"}))
def test_weights_of_both_signs(name, weights):
    assert_same(name, [0, 1, 1], [0, 1, 0], sample_weight=weights)


@every("dtype", ["Int64", "boolean", "string", "category", "Float64"])
def test_columns_of_pandas(dtype):
    pandas = pytest.importorskip("pandas")
    values = ["a", "b", "a"] if dtype == "string" else [1, 0, 1]
    true, pred = (pandas.Series(column, dtype=dtype) for column in (values, values[::-1]))
    assert_same("confusion_matrix", true, pred)
    assert_same("accuracy_score", true, pred[::-1])


@pytest.fixture
def _tables_are_small(monkeypatch):
    monkeypatch.setattr(positive_class, "MOST_CELLS", 1 << 12)


@pytest.mark.usefixtures("_tables_are_small")
@every(("scale", "weighted"), itertools.product([1, 1000, 2**33], [False, True]))
def test_more_classes_than_a_table_has_room_for(scale, weighted):
    random = np.random.default_rng(0)
    true, pred = random.integers(0, 80, (2, 3000)) * scale
    pred[::2] = true[::2]
    weights = random.integers(0, 5, true.size) if weighted else None
    for name in ("accuracy_score", "confusion_matrix", "precision_recall_fscore_support"):
        assert_same(name, true, pred, sample_weight=weights)


def test_labels_beyond_float64_and_with_either_sign_stay_apart():
    unsigned, signed = np.array([2**60, 2**60 + 1], np.uint64), np.array([2**60 + 1, 2**60])
    assert evalcore.metrics.accuracy_score(unsigned, signed) == 0.0
    assert evalcore.metrics.confusion_matrix(unsigned, signed).tolist() == [[0, 1], [1, 0]]
    beyond, below = np.array([2**64 - 1, 2**64 - 2, 1], np.uint64), np.array([0, -1, 1])
    assert evalcore.metrics.accuracy_score(beyond, below) == pytest.approx(1 / 3)
    assert evalcore.metrics.confusion_matrix(beyond, below).trace() == 1
    assert len(evalcore.metrics.confusion_matrix(beyond, below)) == 5
    for name in ("accuracy_score", "hamming_loss"):  # its table of these lacks a case
        assert_same(name, np.array([2**64 - 1, 0, 1], np.uint64), np.array([0, 0, -1]))
    for name in ("confusion_matrix", "f1_score", "cohen_kappa_score"):  # unsigned labels beside floats
        assert_same(name, np.array([0, 1, 1], np.uint64), np.array([0.0, 1.0, 0.0]))


def test_small_weights_keep_the_correlation_and_tables_wrap_around_as_in_scikit_learn():
    y_true, y_pred = [0, 0, 1, 1], [0, 1, 1, 1]
    found = [evalcore.metrics.matthews_corrcoef(y_true, y_pred, sample_weight=[w] * 4) for w in (1, 1e-160, 1e-170)]
    assert found == [pytest.approx(1 / math.sqrt(3), rel=1e-12)] * 3
    assert_same("confusion_matrix", [0, 0, 1], [0, 0, 1], sample_weight=[2**62] * 3)
    assert evalcore.metrics.confusion_matrix([0, 0], [0, 1], sample_weight=[2**62] * 2, normalize="all").max() == 0.5


@every("labels", [[True, False], [True], [1.0, 0.0], np.array([1, 0], np.uint8), [1, 0, 1]])
def test_numbers_of_columns_of_any_type(labels):
    pair = np.array([[1, 0], [1, 1]]), np.array([[1, 1], [0, 1]])
    for name in ("f1_score", "jaccard_score", "precision_recall_fscore_support"):
        assert_same(name, *pair, labels=labels, average=None)
    assert_same("multilabel_confusion_matrix", *pair, labels=labels)


OF_CLASSES_ONLY = {
    "balanced_accuracy_score", "class_likelihood_ratios", "cohen_kappa_score", "confusion_matrix", "matthews_corrcoef"
}  # fmt: skip
TABLES = ("confusion_matrix", "multilabel_confusion_matrix")
CLASSES = [0, 0, 1, 1, 0], [0, 1, 1, 1, 0]
INDICATORS = np.array([[1, 0], [1, 1], [0, 1]]), np.array([[1, 1], [0, 1], [0, 1]])


@every("size", [1e308, 2e-170, 5e-324 * 2**12, -1e300])
@every("name", sorted({*FUNCTIONS} - {"fbeta_score", "classification_report"}))
def test_weights_of_any_size_give_what_common_ones_give(name, size):
    function = getattr(evalcore.metrics, name)
    options = {"average": "macro"} if name in (*SET_WISE, "precision_recall_fscore_support") else {}
    for pair in [CLASSES, INDICATORS][: 1 if name in OF_CLASSES_ONLY else 2]:
        shares = np.array([1, 0.5, 0.25, 0.5, 1])[: len(pair[0])]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = flat(function(*pair, sample_weight=shares * size, **options))
            expected = flat(function(*pair, sample_weight=shares * np.sign(size), **options))
        units = abs(size) if name in TABLES else 1
        for one, other in zip(found, expected, strict=True):
            if isinstance(other, float):
                assert one == pytest.approx(other * units, rel=1e-12, abs=0)
            else:
                assert one == other


def test_support_and_numbers_of_cases_are_in_the_units_of_the_weights():
    weights = np.array([1, 0.5, 0.25, 0.5, 1]) * 4e-200
    support = evalcore.metrics.precision_recall_fscore_support(*CLASSES, sample_weight=weights)[3]
    assert support.tolist() == pytest.approx([1e-199, 3e-200], rel=1e-12, abs=0)
    report = evalcore.metrics.classification_report(*CLASSES, sample_weight=weights, output_dict=True)
    supports = [report[row]["support"] for row in ("0", "1", "macro avg")]
    assert supports == pytest.approx([1e-199, 3e-200, 1.3e-199], rel=1e-12, abs=0)
    for name, expected in (("accuracy_score", 1.5), ("zero_one_loss", 0.5)):
        function = getattr(evalcore.metrics, name)
        assert function([0, 1, 1], [0, 1, 0], sample_weight=[5e307, 1e308, 5e307], normalize=False) == expected * 1e308
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sums = evalcore.metrics.confusion_matrix([0, 0, 1], [0, 0, 1], sample_weight=[1e308] * 3)
    assert sums.tolist() == [[math.inf, 0], [0, 1e308]]


@every("name", sorted({*FUNCTIONS} - {"fbeta_score", "classification_report", "confusion_matrix"}))
def test_whole_weights_do_not_wrap_around(name):
    true, pred = [0, 0, 1, 1, 0, 0], [0, 0, 1, 0, 1, 0]
    function = getattr(evalcore.metrics, name)
    whole = flat(function(true, pred, sample_weight=[2**62] * 6))
    for one, other in zip(whole, flat(function(true, pred, sample_weight=[2.0**62] * 6)), strict=True):
        assert one == (pytest.approx(other, rel=1e-12) if isinstance(other, float) else other)


@every("kind", ["text", "wide text", "shared objects", "own objects", "far", "floats"])
@every("classes", [2, 7, 300])
def test_labels_of_any_kind_and_number(kind, classes):
    random = np.random.default_rng(classes)
    codes = random.integers(0, classes, (2, 800))
    codes[0, ::2] = codes[1, ::2]
    names = np.array([f"{code}:{'x' * (code % 5)}" for code in range(classes)])
    made = {
        "text": lambda: names[codes],
        "wide text": lambda: (names[codes[0]], names[codes[1]].astype("U40")),
        "shared objects": lambda: names.astype(object)[codes],
        "own objects": lambda: names[codes].astype(object),
        "far": lambda: codes * 2**45 - 2**50,
        "floats": lambda: codes * 2.0**40 - 2.0**41,
    }
    columns = made[kind]()
    for name in ("accuracy_score", "confusion_matrix"):
        assert_same(name, *columns)


SIZES = [1.0, 3.0, 0.1, 1e17, 1e-17, 1e100, 1e-100, 2.0**199, 2.0**-190]
CELLS = st.tuples(st.integers(0, 2), st.integers(0, 2))
CASES = st.dictionaries(CELLS, st.sampled_from(SIZES), min_size=1)
"""Weights of one case in each of some cells, so that a cell's weight is exact."""
COUNTS = st.dictionaries(CELLS, st.integers(1, 9) | st.integers(1, 2**58), min_size=1)


def called(name, cells, **options):
    y_true, y_pred = zip(*cells, strict=True)
    return getattr(metrics, name)(y_true, y_pred, sample_weight=list(cells.values()), **options)


def matthews(cells):
    weights = {cell: Fraction(weight) for cell, weight in cells.items()}
    reference, response = Counter(), Counter()
    for (i, j), weight in weights.items():
        reference[i] += weight
        response[j] += weight
    total, right = sum(weights.values()), sum(weight for (i, j), weight in weights.items() if i == j)
    covariance = right * total - sum(weight * response[label] for label, weight in reference.items())
    spread = math.prod(total**2 - sum(part**2 for part in side.values()) for side in (reference, response))
    return math.copysign(math.sqrt(covariance**2 / spread), covariance) if spread else 0.0


def kappa(cells, power):
    # the classes that are there, in order, are what distances are counted by
    there = sorted({label for cell in cells for label in cell})
    return float(weighted_kappa([[Fraction(cells.get((i, j), 0)) for j in there] for i in there], power))


def fraction_of(cells, kept):
    return float(sum(Fraction(w) for cell, w in cells.items() if kept(*cell)) / sum(map(Fraction, cells.values())))


@pytest.mark.filterwarnings("ignore:A single label", "ignore:`y1`")
@given(CASES, COUNTS, st.sampled_from([(0, None), (1, "linear"), (2, "quadratic")]))
def test_correlation_and_kappa_are_those_of_exact_fractions(cases, counts, distance):
    # whole weights are exact to the last place; float weights to the width of the scale, which is about 1
    for cells, tolerance in ((cases, {"abs": 1e-12}), (counts, {"rel": 1e-12, "abs": 0})):
        assert called("matthews_corrcoef", cells) == pytest.approx(matthews(cells), **tolerance)
        power, weights = distance
        expected = pytest.approx(kappa(cells, power), nan_ok=True, rel=1e-12, abs=tolerance["abs"])
        assert called("cohen_kappa_score", cells, weights=weights) == expected


@given(CASES)
def test_fractions_and_tables_are_exact_whatever_dominates(cells):
    close = {"rel": 1e-12, "abs": 0}
    wrong = fraction_of(cells, lambda i, j: i != j)
    assert called("accuracy_score", cells) == pytest.approx(fraction_of(cells, lambda i, j: i == j), **close)
    assert called("zero_one_loss", cells) == pytest.approx(wrong, **close)
    assert called("hamming_loss", cells) == pytest.approx(wrong, **close)
    counted = wrong * float(sum(map(Fraction, cells.values())))
    assert called("zero_one_loss", cells, normalize=False) == pytest.approx(counted, **close)
    found = called("multilabel_confusion_matrix", cells, labels=[2, 1, 0])
    expected = [
        [[math.fsum(w for (i, j), w in cells.items() if (i == k, j == k) == (a, b)) for b in (0, 1)] for a in (0, 1)]
        for k in (2, 1, 0)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_heavy_case_costs_no_digit_of_the_light_ones_nor_do_many_classes():
    found = metrics.matthews_corrcoef([0, 0, 1, 1], [0, 1, 0, 1], sample_weight=[3, 1, 1, 1e17])
    assert found == pytest.approx(0.75, rel=1e-12)
    indicators = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[1, 0], [0, 0], [0, 1]])
    tables = metrics.multilabel_confusion_matrix(*indicators, sample_weight=[1e17, 3, 1])
    assert tables[1].tolist() == [[1e17, 0], [3, 1]]
    assert metrics.hamming_loss(*indicators, sample_weight=[1e17, 0, 1]) == pytest.approx(0.5e-17, rel=1e-12)
    labels = np.arange(1500)
    weights = np.where(labels == 7, 1e17, 3.0)
    pred = np.where(labels % 2, labels, 0)
    tables = metrics.multilabel_confusion_matrix(labels, pred, sample_weight=weights)
    assert tables[7].tolist() == [[1499 * 3.0, 0], [0, 1e17]]
    cells = dict(zip(zip(labels.tolist(), pred.tolist(), strict=True), weights.tolist(), strict=True))
    found = metrics.matthews_corrcoef(labels, pred, sample_weight=weights)
    assert found == pytest.approx(matthews(cells), rel=1e-12)
