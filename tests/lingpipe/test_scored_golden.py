"""Every golden value of ScoredPrecisionRecallEvaluation."""

from evalcore import ScoredPrecisionRecallEvaluation
from tests.differences import every
from tests.lingpipe import golden

DATA = golden.load("scored")
RECORDS = DATA["records"]
NOT_IN_LINGPIPE_3_9_2 = {"addCases", "addNegativeMisses", "merge", "numPositiveRef", "numNegativeRef", "rPrecision",
                         "elevenPtInterpPrecision"}  # fmt: skip
PRINTING = {"toString", "printPrecisionRecallCurve"}


@every("record", RECORDS)
def test_golden_values(record):
    golden.assert_answers(golden.scored(record), record["values"])


def test_no_golden_key_is_left_unchecked():
    assert DATA.keys() == {"source", "records"}
    assert all(record.keys() == {"name", "cases", "misses", "values"} for record in RECORDS)


def test_golden_values_reach_every_documented_statistic():
    asked = {golden.method_of(question) for record in RECORDS for question in record["values"]}
    public = golden.documented_names(ScoredPrecisionRecallEvaluation)
    assert asked == public - NOT_IN_LINGPIPE_3_9_2 - PRINTING - {"addCase", "addMisses"}
