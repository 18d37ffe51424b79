"""Every golden value of the original, its errors, and what it prints."""

import io
from fractions import Fraction

import pytest

from evalcore import Contingency, EvaluationError, EvaluationTypeError
from evalcore.contingency import significant_digits
from tests.contingency.experiments import answers, assert_answers, replayed, unchanged
from tests.differences import collected, every
from tests.lingpipe import golden

DATA = golden.load("contingency")
EXPERIMENTS = DATA["experiments"]
ERRORS = {record["op"]: record for record in DATA["errors"]}
FORMATTED = [
    record for record in DATA["sig_figs"] if isinstance(record["result"], str) and not record["result"].startswith("%")
]
NOT_FORMATTED = [record for record in DATA["sig_figs"] if record not in FORMATTED]


@every("record", EXPERIMENTS)
def test_golden_experiment(record):
    actual = answers(replayed(record))
    assert_answers(actual, record["results"])
    assert list(actual["category_stats"]) == list(dict.fromkeys(record["categories"]))
    same = actual["macro_accuracy"] == pytest.approx(actual["micro_accuracy"], rel=1e-12)
    assert same == record["macro_equals_micro_accuracy"]


@every("record", EXPERIMENTS[::4])
def test_categories_as_keys_of_a_mapping_answer_the_same(record):
    assert answers(replayed({**record, "categories": dict.fromkeys(record["categories"])})) == answers(replayed(record))


def test_significant_digits():
    with collected() as checking:
        for record in FORMATTED:
            with checking(record):
                assert significant_digits(record["number"], record["figs"]) == record["result"]


def test_significant_digits_in_a_table():
    with collected() as checking:
        for record in FORMATTED:
            fraction = Fraction(record["number"]).limit_denominator(10**10)
            if float(fraction) == record["number"] <= 1:  # others are no statistics, or no quotients of small counts
                with checking(record):
                    experiment = Contingency(["a"])
                    experiment.set_entries(0, fraction.numerator, 0, fraction.denominator - fraction.numerator)
                    assert experiment.stats_table(record["figs"]).splitlines()[2].split()[-2] == record["result"]


def test_the_original_fails_to_format_only_what_is_no_statistic():
    assert {record["number"] for record in NOT_FORMATTED} == {-0.5, 100, 123.456, 1000, 12345.678}


def test_without_categories_macro_statistics_raise_the_text_of_the_original():
    record = ERRORS["new(categories=>[]), add_result('sports','politics')"]
    experiment = Contingency([])
    experiment.add_result("sports", "politics")
    assert_answers(answers(experiment), record["results"])


def test_missing_and_undefined_categories_are_type_errors():
    assert "Mandatory parameter 'categories' missing" in ERRORS["new()"]["result"]["die"]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'categories'"):
        Contingency()
    assert "not one of the allowed types" in ERRORS["new(categories=>undef)"]["result"]["die"]
    with pytest.raises(EvaluationTypeError, match=r"^categories must be a list of names or a mapping, got None"):
        Contingency(None)


def test_a_reference_to_a_scalar_is_like_any_object_a_type_error():
    assert "Unknown type" in ERRORS["add_result(scalar reference, ...)"]["result"]["die"]
    experiment = Contingency(["a"])
    message = "assigned must be a name, a list or set of names, or a mapping, got Ellipsis (ellipsis)"
    with unchanged(experiment, EvaluationTypeError, message):
        experiment.add_result(..., "a")


def test_entries_left_out_are_the_type_error_of_missing_arguments_instead_of_zeros():
    record = ERRORS["set_entries() without arguments"]
    assert record["results"]["entries"] == [None] * 4
    experiment = Contingency(["a"])
    with pytest.raises(TypeError, match="missing 4 required positional arguments: 'a', 'b', 'c', and 'd'"):
        experiment.set_entries()
    assert_answers(answers(experiment), {**record["results"], "entries": [0] * 4})


def test_negative_entries_are_refused_before_they_divide_by_zero():
    record = ERRORS["set_entries(1,-1,0,0): micro_accuracy"]
    assert record["result"]["die"] == "Illegal division by zero"
    experiment = Contingency(["a"])
    with unchanged(experiment, EvaluationError, "b must be a number of at least 0, got -1 (int)"):
        experiment.set_entries(1, -1, 0, 0)


def add_printed_results(experiment):
    experiment.add_result("a", ["b"], "doc1")
    experiment.add_result([], {}, "doc2")
    experiment.add_result(["zz"], "a")


def test_verbose_output_goes_to_the_writer_or_to_standard_output_and_only_if_asked(capsys):
    written, silent = io.StringIO(), io.StringIO()
    add_printed_results(Contingency(["a", "b"], verbose=True, writer=written))
    add_printed_results(Contingency(["a", "b"], writer=silent))
    assert (written.getvalue(), silent.getvalue(), capsys.readouterr().out) == (DATA["verbose_output"], "", "")
    add_printed_results(Contingency(["a", "b"], True))
    assert capsys.readouterr().out == DATA["verbose_output"]


def test_no_golden_key_is_left_unchecked():
    assert DATA.keys() == {"source", "experiments", "sig_figs", "errors", "verbose_output"}
    assert len(EXPERIMENTS) == 38
    keys = {"categories", "name", "operations", "results", "macro_equals_micro_accuracy"}
    assert all(record.keys() == keys for record in EXPERIMENTS)
    assert len(ERRORS) == len(DATA["errors"]) == 6
