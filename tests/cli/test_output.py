"""The report in a file: `--output`, the formats by the endings of names, and pages."""

import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import evalcore
from evalcore.cli import main
from evalcore.report.charts.plots import Plot
from tests.differences import every

CASES = "late,model,carrier\n1,0.5,AA\n0,0.5,AA\n0,0.25,=1+1\n1,0.75,=1+1\n"
ASKED = "--label", "late", "--score", "model"
SETS = "assigned,correct\nash,ash\nelm,ash\n"
COMMANDS = {
    "report": ["report", "cases.csv", *ASKED],
    "contingency": ["contingency", "sets.csv", "--assigned", "assigned", "--correct", "correct"],
    "trec": ["trec", "qrels", "run"],
}
STYLES = {
    "a.csv": "csv",
    "a.JSON": "json",
    "a.md": "markdown",
    "a.markdown": "markdown",
    "a.txt": "table",
    "a": "table",
}

EMPTY = Plot("roc", "Nothing.", lambda ax: ax.set_axis_off())


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("cases.csv").write_text(CASES)
    Path("sets.csv").write_text(SETS)
    Path("qrels").write_text("1 0 a 1\n1 0 b 0\n")
    Path("run").write_text("1 Q0 a 1 0.5 x\n1 Q0 b 2 0.25 x\n")


@pytest.fixture
def one_plot(monkeypatch):
    for module in ("page.document", "charts.plots"):  # the first imports from the second, which must be whole then
        monkeypatch.setattr(f"evalcore.report.{module}.plots_of", lambda answer, question: [EMPTY])


def run(*arguments):
    return CliRunner().invoke(main, arguments, prog_name="evalcore")


def one_line(outcome):
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1), outcome.output
    return outcome.stderr.removeprefix("evalcore: ").removesuffix("\n")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", STYLES)
def test_the_file_holds_what_is_printed_otherwise(command, name):
    printed = run(*COMMANDS[command], "--format", STYLES[name])
    outcome = run(*COMMANDS[command], "--output", name)
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert Path(name).read_text("utf-8") == printed.stdout
    assert run(*COMMANDS[command], "-o", "b.csv", "--format", STYLES[name]).output == ""
    assert Path("b.csv").read_text("utf-8") == printed.stdout
    assert run(*COMMANDS[command], "-o", "-", "--format", STYLES[name]).stdout == printed.stdout


def test_the_lines_of_trec_eval_go_to_a_file_too():
    printed = run(*COMMANDS["trec"], "--format", "trec").stdout
    for arguments in (["--format", "trec", "-o", "a.txt"], ["-o", "a.trec"]):
        assert run(*COMMANDS["trec"], *arguments).output == ""
        assert Path(arguments[-1]).read_text() == printed != ""


@pytest.mark.parametrize("name", ["a.tsv", "a.csv.gz", "a.parquet", "a.trec"])
def test_an_ending_of_no_format_is_refused_unless_the_format_is_typed(name):
    message = one_line(run(*COMMANDS["report"], "-o", name))
    assert message == (
        f"--output FILE must end in .csv, .html, .json, .md, .markdown or .txt, got '{name}'; "
        "name the format of other files (--format table|json|csv|markdown|html)."
    )
    assert not Path(name).exists()
    assert run(*COMMANDS["report"], "-o", name, "--format", "csv").output == ""
    assert Path(name).read_text().startswith("section,")


@pytest.mark.parametrize("command", ["contingency", "trec"])
def test_an_ending_of_a_format_that_a_command_lacks_is_refused(command):
    message = one_line(run(*COMMANDS[command], "-o", "page.html"))
    more = ", .trec" * (command == "trec")
    assert message.startswith(
        f"--output FILE must end in .csv, .json, .md, .markdown{more} or .txt, got 'page.html'; name the format"
    )


@pytest.mark.usefixtures("one_plot")
def test_a_page_goes_to_standard_output_or_to_the_file():
    page = run(*COMMANDS["report"], "--format", "html")
    assert (page.exit_code, page.stdout[:15], page.stdout[-8:]) == (0, "<!DOCTYPE html>", "\n</html>")
    for arguments in (["-o", "page.html"], ["-o", "page.txt", "--format", "html", "--html", "page.html"]):
        outcome = run(*COMMANDS["report"], *arguments)
        assert (outcome.exit_code, outcome.stdout) == (0, "")
        assert Path("page.html").read_bytes() == page.stdout_bytes
    assert Path("page.txt").read_bytes() == page.stdout_bytes
    scriptless = run(*COMMANDS["report"], "--format", "html", "--no-script")
    assert (scriptless.exit_code, "<script" in page.stdout, "<script" in scriptless.stdout) == (0, True, False)


def test_no_script_needs_a_page():
    message = run(*COMMANDS["report"], "--no-script").stderr.splitlines()[-1]
    assert message == "evalcore: --no-script needs --html OUT or --format html."


@pytest.mark.parametrize(
    ("name", "library", "extra"),
    [("a.html", "jinja2", "html"), ("a.html", "matplotlib", "plots")],
)
def test_a_missing_library_is_named_before_anything_is_read(monkeypatch, name, library, extra):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.setattr("evalcore.batched.files.answer_on", lambda *asked: pytest.fail("something was read"))
    assert one_line(run(*COMMANDS["report"], "-o", name)) == (
        f"{library} is not installed; pip install 'evalcore-metrics[{extra}]'"
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_no_file_that_is_read_is_replaced(command):
    name = COMMANDS[command][1]
    before = Path(name).read_text()
    message = f"./{name} is one of the files to read; name another (--output FILE)"
    assert one_line(run(*COMMANDS[command], "-o", f"./{name}")) == message
    assert Path(name).read_text() == before


@pytest.mark.skipif(os.name == "nt", reason="other words for errors")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", ""], "--output FILE must not be empty"),
        (["-o", "no/a.csv"], "no/a.csv: cannot be written: No such file or directory"),
        (["-o", "a.html", "--html", "./a.html"], "a.html is also the page; name another (--output FILE)"),
        (
            ["-o", "p/a.svg", "--plots", "p", "--format", "csv"],
            "p/a.svg may be a plot or the plot folder; name another (--output FILE)",
        ),
        (["-o", "saved"], "saved is a saved evalcore object; name another (--output FILE)"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_read(monkeypatch, arguments, message):
    evalcore.ScoredPrecisionRecallEvaluation().save("saved")
    monkeypatch.setattr("evalcore.batched.files.answer_on", lambda *asked: pytest.fail("something was read"))
    assert one_line(run(*COMMANDS["report"], *arguments)) == message


def test_names_that_are_no_text_are_escaped_in_files():
    os.rename("cases.csv", os.fsdecode(b"a\xff.csv"))
    for ending in ("txt", "json"):
        outcome = run("report", os.fsdecode(b"a\xff.csv"), *ASKED, "-o", f"b.{ending}")
        assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert Path("b.txt").read_text("utf-8").startswith("a\\udcff.csv: late\n")
    assert json.loads(Path("b.json").read_text("utf-8"))["file"] == os.fsdecode(b"a\xff.csv")


@every("option", ["--output", "--html"])
def test_an_error_leaves_an_earlier_report_as_it_is(option):
    Path("a.html").write_text("before")
    assert one_line(run("report", "cases.csv", "--label", "carrier", "--score", "model", option, "a.html"))
    assert Path("a.html").read_text() == "before"


def test_quiet_leaves_notes_out_and_errors_in():
    told = "evalcore: cases.csv is named twice; it is read once\n"
    assert run("report", "cases.csv", "cases.csv", *ASKED).stderr == told
    for quiet in ("--quiet", "-q"):
        outcome = run("report", "cases.csv", "cases.csv", *ASKED, quiet)
        assert (outcome.exit_code, outcome.stderr, "ROC area" in outcome.stdout) == (0, "", True)
        assert one_line(run("report", "none.csv", *ASKED, quiet)) == "none.csv: no such file"
