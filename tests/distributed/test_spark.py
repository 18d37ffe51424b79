"""Data frames of Spark get the answers that arrays in memory do."""

import doctest
import math
import re
import shutil
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evalcore import Contingency, EvaluationError, EvaluationTypeError, distributed, evaluate, metrics
from evalcore.distributed import groups as distributed_groups
from evalcore.errors import UndefinedMetricWarning

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed (the extra spark)")
functions = pytest.importorskip("pyspark.sql.functions")

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs a JRE, and there is no java"),
    pytest.mark.skipif(sys.platform == "win32", reason="Spark needs Hadoop's winutils on Windows"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # py4j's sockets
    pytest.mark.filterwarnings("ignore:distutils Version classes:DeprecationWarning"),  # of pyspark 3.5
    pytest.mark.filterwarnings("ignore:is_datetime64tz_dtype is deprecated:DeprecationWarning"),  # too
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),  # of pyspark 4.3
]
SIZE = 5000
RNG = np.random.default_rng(0)
LATE = RNG.random(SIZE) < 0.3
CASES = pd.DataFrame(
    {
        "late": LATE,
        "model": np.round(RNG.normal(LATE), 2),
        "weight": RNG.gamma(1, size=SIZE),
        "times": RNG.integers(0, 3, SIZE),
        "carrier": RNG.choice(["AA", "B, inc", "C"], SIZE, p=[0.7, 0.2, 0.1]),
        "month": RNG.integers(1, 4, SIZE),
    }
)
AREA = metrics.roc_auc_score(CASES.late, CASES.model)


@pytest.fixture(scope="module")
def spark(tmp_path_factory):
    """A session of two threads, which leaves nothing behind."""
    folder = tmp_path_factory.mktemp("spark")
    builder = pyspark.sql.SparkSession.builder.master("local[2]")
    for name, value in settings(folder).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def settings(folder):
    return {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "3",
    }


@pytest.fixture(scope="module")
def frame(spark):
    """The cases in six partitions of unequal sizes, the last ones empty."""
    batches = [CASES[:10], CASES[10:4000], CASES[4000:]]
    parts = [spark.createDataFrame(part).coalesce(1) for part in batches]
    empty = parts[0].where("month > 12").repartition(3)
    whole = parts[0].union(parts[1]).union(parts[2]).union(empty).cache()
    assert whole.count() == SIZE
    return whole


@pytest.fixture
def small_parts(monkeypatch):
    """Several chunks in a partition, and several ranges of scores, whose borders meet ties."""
    monkeypatch.setattr(distributed.on_spark, "CHUNK", 1000)
    monkeypatch.setattr(distributed.on_spark, "_CASES_OF_A_RANGE", 700)


AREAS = [
    (distributed.roc_auc_score, metrics.roc_auc_score),
    (distributed.average_precision_score, metrics.average_precision_score),
]
ASKED = {
    "plain": ("true", "model", None, 0),
    "few values": ("true", "if(times = 0, -0.0D, round(model))", None, 0),
    "few rows": ("carrier = 'B, inc' and month = 1", "model", None, 0),
    "whole weights": ("true", "model", "times", 0),
    "weights": ("true", "model", "weight", 1e-14),
}


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize(("condition", "scores", "weight", "tolerance"), ASKED.values(), ids=ASKED)
def test_areas_are_those_of_arrays(frame, condition, scores, weight, tolerance):
    asked = frame.where(condition).selectExpr("late", f"{scores} as model", f"{weight or 1} as weight")
    asked = asked if (condition, scores) == ("true", "model") else asked.repartition(5)
    late, model, weights = map(np.array, zip(*asked.collect(), strict=True))
    given = {"data": asked, "sample_weight": weight and "weight"}
    for function, in_memory in AREAS:
        expected = in_memory(late, model, sample_weight=weights)
        exact, bounded = (function("late", "model", **given, **how) for how in ({"exact": True}, {"capacity": 64}))
        assert exact == pytest.approx(expected, rel=tolerance, abs=0)
        assert exact.low <= expected <= exact.high
        assert bounded.low <= expected <= bounded.high
        assert bounded.high - bounded.low < 4 / 64


@pytest.mark.usefixtures("small_parts")
def test_curves_are_those_of_arrays(frame):
    curve = distributed.roc_curve("late", "model", data=frame, exact=True, tolerance=0.01)
    tpr = metrics.roc_curve(CASES.late, CASES.model, drop_intermediate=False)[1]
    assert set(curve.tpr.tolist()) < set(tpr.tolist())
    assert distributed.precision_recall_curve("late", "model", data=frame).recall[0] == 1.0


def test_tables_are_those_of_arrays(frame):
    found = distributed.confusion_matrix("carrier", "carrier", data=frame.withColumn("other", functions.lit("C")))
    np.testing.assert_array_equal(found, metrics.confusion_matrix(CASES.carrier, CASES.carrier))
    found = distributed.confusion_matrix("late", "month", data=frame, sample_weight="times")
    np.testing.assert_array_equal(found, metrics.confusion_matrix(CASES.late, CASES.month, sample_weight=CASES.times))
    lists = frame.select(functions.array("carrier").alias("assigned"), functions.array("carrier").alias("correct"))
    tally = Contingency(["AA", "B, inc", "C"])
    tally.add_results([[name] for name in CASES.carrier], [[name] for name in CASES.carrier])
    assert distributed.contingency(["AA", "B, inc", "C"], "assigned", "correct", data=lists) == tally


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("options", [{}, {"sample_weight": "times", "weight_type": "frequency"}])
def test_a_report_on_groups_is_that_of_a_table_in_memory(frame, options, monkeypatch):
    monkeypatch.setattr(distributed_groups, "LARGEST_TOGETHER", 2000)
    monkeypatch.setattr(distributed_groups, "_CASES_OF_A_BUCKET", 500)
    found = distributed.evaluate("late", "model", data=frame, by="carrier", exact=True, **options)
    in_memory = {{"sample_weight": "weight"}.get(name, name): value for name, value in options.items()}
    expected = evaluate(CASES, label="late", score="model", by="carrier", **in_memory)
    for group, items in found.sections[0].records.items():
        values = {item.name: item.value for item in expected.sections[0].records[group]}
        assert {item.name: item.value for item in items} == {item.name: values[item.name] for item in items}


ONCE = {
    "exact": lambda data: distributed.roc_auc_score("late", "model", data=data, exact=True),
    "certified": lambda data: distributed.average_precision_score("late", "model", data=data, sample_weight="weight"),
    "curve": lambda data: distributed.roc_curve("late", "model", data=data, exact=True),
    "two models by group": lambda data: distributed.evaluate(
        "late", ["model", "weight"], data=data, by="carrier", sample_weight="times"
    ),
    "classes": lambda data: distributed.confusion_matrix("carrier", "carrier", data=data),
    "invalid": lambda data: distributed.roc_auc_score("month", "model", data=data),
}


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("ask", ONCE.values(), ids=ONCE)
def test_a_frame_is_computed_once_and_given_back(spark, frame, ask):
    computed = spark.sparkContext.accumulator(0)

    def counted(batches):
        for batch in batches:
            computed.add(batch.num_rows)
            yield batch

    data = frame.select("late", "model", "weight", "times", "carrier", "month").mapInArrow(counted, frame.schema)
    with suppress(EvaluationError):
        ask(data)
    assert computed.value == SIZE
    kept = [frame.storageLevel, data.select("late", "model").storageLevel]
    assert [level.useDisk or level.useMemory for level in kept] == [True, False]
    assert len(spark.sparkContext._jsc.getPersistentRDDs()) == 1  # that of the test


def test_only_columns_of_files_and_what_is_kept_are_read_anew(spark, frame, tmp_path):
    path = str(tmp_path / "cases")
    frame.write.parquet(path)
    files = spark.read.parquet(path)
    plain = [files, files.where("late").selectExpr("late", "-model as model"), frame, frame.selectExpr("late", "model")]
    one = functions.udf(lambda score: score, "double")
    lasting = [files.withColumn("model", one("model")), files.repartition(2), files.union(files), frame.union(frame)]
    for data in (*plain, *lasting):
        with distributed.on_spark.computed_once(data, ("late", "model", None)) as kept:
            assert (kept is data) == any(data is each for each in plain)
            assert kept is data or (kept.columns == ["late", "model"] and kept.storageLevel.useDisk)
        assert kept is data or not kept.storageLevel.useDisk


LIMITS = {
    "default": ({}, str(2**31 - 1)),
    "bytes": ({0: "1m"}, "1m"),
    "any rows": ({1: "0"}, None),
    "many rows": ({1: "1000000"}, None),
}


@pytest.mark.parametrize(("own", "expected"), LIMITS.values(), ids=LIMITS)
def test_batches_have_no_limit_of_bytes_but_that_of_the_session(spark, frame, own, expected):
    names = distributed.on_spark._LIMITS

    def limit(batches):
        for _ in batches:
            yield 0, pyspark.TaskContext.get().getLocalProperty(names[0])

    try:
        for number, value in own.items():
            spark.conf.set(names[number], value)
        parts = distributed.on_spark.run_on_partitions(frame.select("late"), limit)
        assert set(distributed.on_spark.collect(parts)) == {expected}
    finally:
        for name in names:
            spark.conf.unset(name)
    assert spark.sparkContext.getLocalProperty(names[0]) is None


def test_columns_may_have_any_type_that_numbers_have(frame):
    rounded = CASES.model.astype(np.float32)
    typed = frame.select(
        functions.col("late").cast("int").alias("label"),
        functions.when(functions.col("late"), "yes").otherwise("no").alias("name"),
        functions.col("model").cast("decimal(10, 2)").alias("a.decimal"),
        functions.col("model").cast("float").alias("single"),
        functions.col("month").cast("short").alias("short"),
    )
    assert distributed.roc_auc_score("label", "a.decimal", data=typed, exact=True) == AREA
    assert distributed.roc_auc_score(
        "name", "single", data=typed, pos_label="yes", exact=True
    ) == metrics.roc_auc_score(CASES.late, rounded)
    found = distributed.roc_auc_score("label", "short", data=typed)
    assert (found.low, found.high) == (metrics.roc_auc_score(CASES.late, CASES.month),) * 2


def test_one_class_and_no_rows_are_as_in_memory(frame):
    with pytest.warns(UndefinedMetricWarning, match="Only one class is present"):
        assert math.isnan(distributed.roc_auc_score("late", "model", data=frame.where("late"), exact=True))
    for exact in (True, False):
        with pytest.raises(EvaluationError, match=r"^Found array with 0 sample\(s\) .* column 'late' is empty\.$"):
            distributed.roc_auc_score("late", "model", data=frame.where("month > 12"), exact=exact)


def with_scores(frame, condition, value):
    scores = functions.when(functions.expr(condition), functions.lit(value)).otherwise(functions.col("model"))
    return frame.withColumn("model", scores)


def with_column(name, value):
    return lambda frame: frame.withColumn(name, functions.expr(value))


INVALID = [
    (lambda frame: with_scores(frame, "month = 3", None), {}, r"^partition \d: nulls in column 'model': \d"),
    (lambda frame: with_scores(frame, "month = 3", math.nan), {}, r"^partition \d: column 'model' at .* is NaN"),
    (with_column("model", "null"), {}, r"^partition \d: nulls in column 'model': [\d,]+, the first at index 0"),
    (with_column("model", "9007199254740993L"), {}, r"^partition \d: .* is an integer that float64 cannot hold"),
    (with_column("model", "string(model)"), {}, r"^partition \d: column 'model' must hold float64 or float32 numbers"),
    (with_column("model", "X'ff'"), {}, r"^partition \d: column 'model' must hold text in UTF-8, got other bytes"),
    (
        with_column("model", "array(model)"),
        {},
        r"^partition \d: column 'model' must hold one value in each row, got list<element: double>",
    ),
    (with_column("model", "late"), {}, r"^partition \d: column 'model' holds Booleans, which are labels"),
    (with_column("late", "month"), {}, r"^partition \d: column 'late' at index \d+ .* is 2"),
    (with_column("late", "carrier"), {}, "column 'late' must hold Booleans, or .* got names .* which is positive"),
    (lambda frame: frame.drop("model"), {}, "^no column 'model'; the columns are"),
    (with_column("weight", "-weight"), {"sample_weight": "weight"}, r"^partition \d: .* weights must not be negative"),
    (lambda frame: frame.select("*", "model"), {}, "2 columns are called 'model'"),
    (lambda frame: frame, {"pos_label": "late"}, "pos_label='late' is not a valid label"),
]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("change", "options", "message"), INVALID)
def test_invalid_columns_are_named_in_one_error(frame, change, options, message, exact):
    with pytest.raises((EvaluationError, EvaluationTypeError), match=message) as raised:
        distributed.roc_auc_score("late", "model", data=change(frame), exact=exact, **options)
    assert raised.value.__cause__ is None
    assert len(str(raised.value).splitlines()) == 1


def test_frames_that_cannot_be_evaluated_are_refused_before_a_job_runs(spark, frame):
    from pyspark.ml.linalg import Vectors

    vectors = spark.createDataFrame([(1, Vectors.dense([0.1, 0.9]))], ["late", "model"])
    with pytest.raises(EvaluationTypeError, match=r"got vectors of Spark; take one number of each, such as .*to_array"):
        distributed.roc_auc_score("late", "model", data=vectors)
    months = with_column("month", "make_ym_interval(1, month)")(frame)
    with pytest.raises(EvaluationTypeError, match="got years and months of Spark; cast it to a string"):
        distributed.evaluate("late", "model", data=months, by="month")
    with pytest.raises(EvaluationError, match="data must be a frame with an end, got a stream"):
        distributed.roc_auc_score("timestamp", "value", data=spark.readStream.format("rate").load())
    with pytest.raises(EvaluationTypeError, match="y_true must be the name of a column of data, got Column"):
        distributed.roc_auc_score(functions.col("late"), "model", data=frame)


def test_the_guide_prints_what_it_says(spark, monkeypatch):
    root = Path(__file__).parents[2]
    monkeypatch.chdir(root)
    chapter = (root / "notebooks/on-a-cluster.md").read_text("utf-8").partition("## Spark")[2].partition("## dask")[0]
    examples = "\n".join(re.findall(r"```python\n(.*?)```", chapter, re.DOTALL))
    test = doctest.DocTestParser().get_doctest(examples, {"spark": spark}, "guide", None, 0)
    printed = []
    failed, tried = doctest.DocTestRunner().run(test, out=printed.append)
    assert (failed, tried) == (0, 6), "".join(printed)
