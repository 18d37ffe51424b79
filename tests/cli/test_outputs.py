"""What the command writes: no existing file is lost, and every error is one line, printed early."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

import evalcore
from evalcore.cli import main
from evalcore.report.charts.plots import Plot

CASES = "late,model\n1,0.5\n0,0.5\n0,0.25\n1,0.75\n"
ASKED = ("--label", "late", "--score", "model")

needs_unix = pytest.mark.skipif(os.name == "nt", reason="no named pipes, no /dev/fd, no shell")


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("cases.csv").write_text(CASES)
    return lambda *arguments: CliRunner().invoke(main, ["report", *arguments, *ASKED], prog_name="evalcore")


EMPTY = Plot("roc", "Nothing.", lambda ax: ax.set_axis_off())
"""A plot keeps its images, so that all tests use one drawing."""


@pytest.fixture
def one_plot(monkeypatch):
    """Write one empty plot on the page and in the folder: others are written as it is."""
    for module in ("page.document", "charts.plots"):
        monkeypatch.setattr(f"evalcore.report.{module}.plots_of", lambda answer, question: [EMPTY])


def unread(monkeypatch):
    """Let reading fail, so that an error must come before."""
    for name in ("answer_on", "inspect_files"):
        monkeypatch.setattr(f"evalcore.batched.files.{name}", lambda *asked: pytest.fail("something was read"))


def one_line(outcome):
    assert (outcome.exit_code, outcome.stdout, outcome.stderr.count("\n")) == (2, "", 1), outcome.output
    return outcome.stderr.removeprefix("evalcore: ").removesuffix("\n")


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


OVERWRITING = {
    "the file": (["cases.csv", "--html", "cases.csv"], "cases.csv", "page"),
    "another spelling": (["cases.csv", "--html", "x/../cases.csv"], "x/../cases.csv", "page"),
    "the full name": (["cases.csv", "--html", "FOLDER/cases.csv"], "FOLDER/cases.csv", "page"),
    "a glob": (["*.csv", "--html", "cases.csv"], "cases.csv", "page"),
    "a link": (["cases.csv", "--html", "link"], "link", "page"),
    "a hard link": (["cases.csv", "--html", "hard"], "hard", "page"),
    "a link that is read": (["link.csv", "--html", "cases.csv"], "cases.csv", "page"),
    "a file of a folder": (["d", "--html", "d/0.parquet"], "d/0.parquet", "page"),
    "JSON by a link": (["cases.csv", "--json-out", "link"], "link", "json"),
    "plots that are links": (["cases.csv", "--plots", "plots"], "plots/roc.svg", "plots"),
}


@needs_unix
@pytest.mark.parametrize("case", OVERWRITING)
def test_nothing_takes_the_place_of_a_file_to_read(run, tmp_path, monkeypatch, case):
    arguments, named, option = OVERWRITING[case]
    for folder in ("x", "d", "plots"):
        Path(folder).mkdir()
    Path("d/0.parquet").write_text("something")
    for name, make in (("link", os.symlink), ("hard", os.link), ("plots/roc.svg", os.link)):
        make("cases.csv", name)
    if case == "a link that is read":
        os.symlink("cases.csv", "link.csv")
    before = contents(tmp_path)
    unread(monkeypatch)
    arguments, named = json.loads(json.dumps([arguments, named]).replace("FOLDER", str(tmp_path)))
    way = {"page": "name another (--html OUT)", "json": "name another (--json-out FILE)"}
    assert one_line(run(*arguments)) == (
        f"{named} is one of the files to read; {way.get(option, 'name another folder (--plots DIR)')}"
    )
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--html", "run", "--json-out", "x/../run"], "x/../run is also the page; name another (--json-out FILE)"),
        (
            ["--html", "out", "--plots", "x/../out"],
            "out may be a plot or the plot folder; name another (--html OUT)",
        ),
        (
            ["--html", "p/roc.svg", "--plots", "p"],
            "p/roc.svg may be a plot or the plot folder; name another (--html OUT)",
        ),
        (
            ["--json-out", "old", "--plots", "x"],
            "old may be a plot or the plot folder; name another (--json-out FILE)",
        ),
    ],
)
def test_two_outputs_are_two_files(run, tmp_path, monkeypatch, arguments, message):
    Path("x").mkdir()
    Path("old").write_text("")
    os.link("old", "x/roc.png")
    unread(monkeypatch)
    assert one_line(run("cases.csv", *arguments)) == message
    assert {path.name for path in tmp_path.iterdir()} == {"cases.csv", "x", "old"}


def test_a_saved_object_is_replaced_by_no_page(run, tmp_path, monkeypatch):
    evalcore.ScoredPrecisionRecallEvaluation().save("evaluation")
    before = contents(tmp_path)
    unread(monkeypatch)
    message = "evaluation is a saved evalcore object; name another (--html OUT)"
    assert one_line(run("cases.csv", "--html", "evaluation")) == message
    assert contents(tmp_path) == before


@needs_unix
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--html", "."], ".: cannot be written: Is a directory"),
        (["--html", ""], "--html OUT must not be empty"),
        (["--plots", ""], "--plots DIR must not be empty"),
        (["--html", "no/out.html"], "no/out.html: cannot be written: No such file or directory"),
        (["--html", "x/../no/out.html"], "x/../no/out.html: cannot be written: No such file or directory"),
        (["--html", "cases.csv/out"], "cases.csv/out: cannot be written: Not a directory"),
        (["--plots", "cases.csv"], "cases.csv: cannot be written: Not a directory"),
        (["--plots", "cases.csv/x/y"], "cases.csv/x/y: cannot be written: Not a directory"),
    ],
)
def test_an_unwritable_output_is_refused_before_anything_is_read(run, tmp_path, monkeypatch, arguments, message):
    Path("x").mkdir()
    unread(monkeypatch)
    assert one_line(run("cases.csv", *arguments)) == message
    assert {path.name for path in tmp_path.iterdir()} == {"cases.csv", "x"}


@pytest.mark.parametrize("arguments", [["--html", "out.html"], ["--plots", "a/b"]])
def test_an_unwritable_folder_is_refused_before_anything_is_read(run, tmp_path, monkeypatch, arguments):
    def refuse(path, **asked):
        raise PermissionError(13, "Permission denied", str(path))

    unread(monkeypatch)
    monkeypatch.setattr(Path, "touch", refuse)
    assert one_line(run("cases.csv", *arguments)) == f"{arguments[1]}: cannot be written: Permission denied"


@pytest.mark.parametrize(
    ("arguments", "module", "extra"),
    [
        (["--html", "out.html"], "jinja2", "html"),
        (["--html", "out.html"], "matplotlib", "plots"),
        (["--plots", "out"], "matplotlib", "plots"),
    ],
)
def test_a_missing_library_is_named_before_anything_is_read(run, monkeypatch, arguments, module, extra):
    unread(monkeypatch)
    monkeypatch.setitem(sys.modules, module, None)
    assert (
        one_line(run("cases.csv", *arguments)) == f"{module} is not installed; pip install 'evalcore-metrics[{extra}]'"
    )


def test_a_hyphen_is_no_page(run):
    outcome = run("cases.csv", "--html", "-")
    assert (
        outcome.exit_code,
        "--html OUT must be a file, got -; standard output is /dev/stdout" in outcome.stderr,
    ) == (
        2,
        True,
    )
    assert not Path("-").exists()


@pytest.mark.usefixtures("one_plot")
@pytest.mark.process
@needs_unix
def test_a_page_goes_through_pipes_links_and_descriptors(run, tmp_path):
    os.mkfifo("pipe")
    Path("real.html").write_text("old")
    os.chmod("real.html", 0o604)
    os.symlink("real.html", "link.html")
    assert run("cases.csv", "--html", "link.html").exit_code == 0
    page = Path("real.html").read_bytes()
    assert (page[:15], Path("link.html").is_symlink(), os.stat("real.html").st_mode & 0o777) == (
        b"<!DOCTYPE html>",
        True,
        0o604,
    )
    came = []
    reading = threading.Thread(target=lambda: came.append(Path("pipe").read_bytes()))
    reading.start()
    assert run("cases.csv", "--html", "pipe").exit_code == 0
    reading.join()
    assert (came, Path("pipe").is_fifo()) == ([page], True)
    outcome = shell("report cases.csv --html >(cat >through) --label late --score model && wait $!", tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    table, page = outcome.stdout, Path("through").read_bytes()  # of another process, with all plots
    assert page[:15] == b"<!DOCTYPE html>"
    outcome = shell("report cases.csv --html /dev/stdout --label late --score model >out", tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    assert Path("out").read_bytes() == table + page


COMMAND = f"{sys.executable} -m evalcore report ../cases.csv --label late --score model"


def shell(command, folder, **more):
    """Run the command in a shell, without the name of the program."""
    line = f"{sys.executable} -m evalcore {command}"
    environment = os.environ | {"PYTHONPATH": str(Path(evalcore.__file__).parents[1])}
    return subprocess.run(["bash", "-c", line], capture_output=True, check=False, cwd=folder, env=environment, **more)


@pytest.mark.process
@needs_unix
def test_a_reader_that_goes_away_is_no_error_and_the_page_is_written(run, tmp_path):
    for style, page in (("table", "--html out.html"), ("csv", "")):
        asked = f"report cases.csv --label late --score model --format {style} {page} | true"
        assert shell(asked, tmp_path).stderr == b""
    assert Path("out.html").read_bytes()[:15] == b"<!DOCTYPE html>"


@pytest.mark.usefixtures("one_plot")
@pytest.mark.process
@needs_unix
def test_a_full_disk_is_one_line(run, tmp_path, monkeypatch):
    import resource

    def none():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    outcome = shell("report cases.csv --label late --score model >out", tmp_path, preexec_fn=none)
    assert (outcome.returncode, outcome.stderr) == (
        2,
        b"evalcore: standard output: cannot be written: File too large\n",
    )

    def full(descriptor):
        raise OSError(28, "No space left on device")

    Path("out.html").write_text("before")
    before = contents(tmp_path)
    monkeypatch.setattr(os, "fsync", full)
    for arguments, name in (
        (["--html", "out.html"], "out.html"),
        (["--plots", "p"], "p/roc.png"),
    ):
        outcome = run("cases.csv", *arguments)
        assert outcome.exit_code == 2
        assert outcome.stderr == f"evalcore: {name}: cannot be written: No space left on device\n"
        assert "ROC area" in outcome.stdout
    assert contents(tmp_path) == before


@pytest.mark.process
@needs_unix
@pytest.mark.parametrize("command", ["--version", "report cases.csv --label late --score model --html out.html"])
def test_closed_standard_output_is_one_line(run, tmp_path, command):
    outcome = shell(f"{command} >&-", tmp_path)
    assert (outcome.returncode, outcome.stderr) == (2, b"evalcore: standard output is closed\n")
    assert {path.name for path in tmp_path.iterdir()} == {"cases.csv"}


@pytest.mark.process
@needs_unix
def test_closed_standard_error_hides_nothing_else(run, tmp_path):
    outcome = shell("report cases.csv --label late --score model 2>&-", tmp_path)
    assert (outcome.returncode, b"ROC area" in outcome.stdout) == (0, True)
    outcome = shell("report nowhere.csv --label late --score model 2>&-", tmp_path)
    assert (outcome.returncode, outcome.stdout) == (2, b"")


@pytest.mark.process
@needs_unix
@pytest.mark.parametrize("module", ["numpy", "click", "pyarrow"])
def test_ctrl_c_while_modules_load_is_one_line(run, tmp_path, module):
    Path("stubs").mkdir()
    Path(f"stubs/{module}.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    code = "import sys; sys.path.insert(0, 'stubs'); from evalcore.__main__ import main; main()"
    environment = os.environ | {"PYTHONPATH": str(Path(evalcore.__file__).parents[1])}
    outcome = subprocess.run(
        [sys.executable, "-c", code, "report", "cases.csv", *ASKED], capture_output=True, check=False, env=environment
    )
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (130, b"", b"evalcore: stopped\n")


@pytest.mark.usefixtures("one_plot")
@pytest.mark.parametrize(
    "where",
    [
        "io.memory.memory_size",
        "batched.files.answer_on",
        "cli.output.as_table",
        "report.page.document.as_html",
    ],
)
def test_ctrl_c_anywhere_is_one_line(run, tmp_path, monkeypatch, where):
    monkeypatch.setattr(f"evalcore.{where}", lambda *asked, **more: signal.raise_signal(signal.SIGINT))
    outcome = run("cases.csv", "--html", "out.html", "--memory", "1G")
    assert (outcome.exit_code, outcome.stderr) == (130, "evalcore: stopped\n")
    assert {path.name for path in tmp_path.iterdir()} == {"cases.csv"}


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "memory ran out; --memory SIZE sets a limit: what exceeds it is summarised or refused"),
        (OSError(5, "Input/output error", "cases.csv"), "cases.csv: Input/output error"),
        (OSError("strange"), "strange"),
        (ImportError("libspam.so: cannot open"), "libspam.so: cannot open"),
    ],
)
def test_what_a_machine_cannot_do_is_one_line(run, monkeypatch, error, message):
    def fail(*asked, **more):
        raise error

    monkeypatch.setattr("evalcore.batched.files.answer_on", fail)
    assert one_line(run("cases.csv")) == message


@pytest.mark.usefixtures("one_plot")
@needs_unix
def test_names_of_any_bytes_are_read_named_and_written(run, tmp_path):
    strange = os.fsdecode(b"a\xff\nb.csv")
    assert one_line(run(strange)) == r"a\udcff\nb.csv: no such file"
    Path(strange).write_text(CASES)
    outcome = run(strange, "--html", f"{strange}.html", "--plots", f"{strange}.plots")
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert rb"a\udcff" in Path(f"{strange}.html").read_bytes()
    assert json.loads(run(strange, "--format", "json").stdout)["file"] == strange
    assert "4" in run(strange).stdout


@pytest.mark.process
@needs_unix
def test_letters_that_standard_output_lacks_are_escaped_and_tell_names_apart(tmp_path):
    (tmp_path / "x.csv").write_text("late,modèle,modéle\n0,1,1\n1,2,0\n", encoding="utf-8")
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(evalcore.__file__).parents[1])}
    command = [sys.executable, "-m", "evalcore", "report", "x.csv", "--label", "late"]
    printed = {
        style: subprocess.run(
            [*command, "--score", "modèle", "--score", "modéle", "--format", style],
            capture_output=True,
            env=environment,
            check=True,
            cwd=tmp_path,
        ).stdout.decode("ascii")
        for style in ("table", "json", "csv")
    }
    assert "-----" in printed["table"]
    assert all(name in printed["table"] for name in (r"mod\xe8le", r"mod\xe9le"))
    assert list(json.loads(printed["json"])["scores"]) == ["modèle", "modéle"]
    assert {row["score"] for row in csv.DictReader(io.StringIO(printed["csv"]))} == {r"mod\xe8le", r"mod\xe9le"}


@pytest.mark.process
@needs_unix
def test_a_folder_that_is_gone_is_named(run, tmp_path):
    outcome = shell("--version && mkdir gone && cd gone && rmdir ../gone && " + COMMAND, tmp_path)
    assert (outcome.returncode, outcome.stderr) == (2, b"evalcore: the current folder does not exist any more\n")


@pytest.mark.usefixtures("one_plot")
def test_plots_of_an_earlier_run_are_replaced_and_other_files_stay(run, tmp_path):
    Path("p").mkdir()
    for name in ("roc.png", "groups.png", "mine.txt"):
        Path("p", name).write_text("before")
    assert run("cases.csv", "--plots", "p").exit_code == 0
    assert Path("p/roc.png").read_bytes()[1:4] == b"PNG"
    assert Path("p/groups.png").read_text() == Path("p/mine.txt").read_text() == "before"


@pytest.mark.usefixtures("one_plot")
def test_a_folder_that_vanishes_is_one_line_after_the_table(run, tmp_path, monkeypatch):
    Path("out").mkdir()
    read = evalcore.batched.files.read_columns
    monkeypatch.setattr("evalcore.batched.files.read_columns", lambda *asked: os.rmdir("out") or read(*asked))
    outcome = run("cases.csv", "--html", "out/page.html")
    assert (outcome.exit_code, "ROC area" in outcome.stdout) == (2, True)
    assert outcome.stderr == "evalcore: out/page.html: cannot be written: No such file or directory\n"
