"""What the command writes: reports by the endings of names, no file is lost, and every error is one early line."""

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

import evalcore
from tests.cli.command import command, needs_unix, refused, unread
from tests.differences import collected, every, recorded

ASKED = "--label", "late", "--score", "model"
FILES = {
    "cases.csv": "late,model,carrier\n1,0.5,AA\n0,0.5,AA\n0,0.25,=1+1\n1,0.75,=1+1\n",
    "sets.csv": "assigned,correct\nash,ash\nelm,ash\n",
    "qrels": "1 0 a 1\n1 0 b 0\n",
    "run": "1 Q0 a 1 0.5 x\n1 Q0 b 2 0.25 x\n",
}
COMMANDS = {
    "report": ["report", "cases.csv", *ASKED],
    "contingency": ["contingency", "sets.csv", "--assigned", "assigned", "--correct", "correct"],
    "trec": ["trec", "qrels", "run"],
}
STYLES = {f"a.{style}": style for style in ("csv", "markdown")}
STYLES |= {"a.JSON": "json", "a.md": "markdown", "a.txt": "table", "a": "table"}
PIPED = os.environ | {"PYTHONPATH": str(Path(evalcore.__file__).parents[1])}


def run(*arguments, **more):
    return command("report", *arguments, *ASKED, **more)


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("typed", COMMANDS.values(), ids=COMMANDS)
@every("name", STYLES)
def test_the_file_holds_what_is_printed_otherwise(typed, name):
    printed = command(*typed, "--format", STYLES[name])
    outcome = command(*typed, "--output", name)
    assert (outcome.exit_code, outcome.output) == (0, "")
    assert Path(name).read_text("utf-8") == printed.stdout
    assert command(*typed, "-o", "b.x", "--format", STYLES[name]).output == ""
    assert Path("b.x").read_text("utf-8") == printed.stdout
    assert command(*typed, "-o", "b.csv", "-o", "b.md", "--format", STYLES[name]).output == printed.output
    assert Path("b.csv").stat().st_size != Path("b.md").stat().st_size > 0
    assert command(*typed, "-o", "-", "--format", STYLES[name]).stdout == printed.stdout


def test_the_lines_of_trec_eval_go_to_a_file_too():
    printed = command(*COMMANDS["trec"], "--format", "trec").stdout
    for arguments in (["--format", "trec", "-o", "a"], ["-o", "a.trec"]):
        assert command(*COMMANDS["trec"], *arguments).output == ""
        assert Path(arguments[-1]).read_text() == printed != ""


@every(
    ("name", "file", "endings", "styles"),
    [
        *(("report", f"a.{ending}", ".csv, .html, .json, .md, .markdown or .txt", "table|json|csv|markdown|html")
          for ending in ("tsv", "csv.gz", "parquet", "trec")),
        ("contingency", "a.html", ".csv, .json, .md, .markdown or .txt", "table|json|csv|markdown"),
        ("trec", "a.html", ".csv, .json, .md, .markdown, .trec or .txt", "table|json|csv|markdown|trec"),
    ],
)  # fmt: skip
def test_an_ending_of_no_format_of_the_command_is_refused_unless_the_format_is_typed(name, file, endings, styles):
    assert refused(command(*COMMANDS[name], "-o", file)) == (
        f"--output FILE must end in {endings}, got '{file}'; name the format of other files (--format {styles})."
    )
    assert not Path(file).exists()
    outcome = command(*COMMANDS[name], "-o", file, "--format", "csv")
    if file.endswith(("trec", "html")):  # a format of another command
        assert refused(outcome)
    else:
        assert outcome.output == ""
        assert Path(file).read_text().startswith("section,")
        Path(file).unlink()


@pytest.mark.usefixtures("one_plot")
def test_a_page_goes_to_standard_output_or_to_the_file():
    page = run("cases.csv", "--format", "html")
    assert (page.exit_code, page.stdout[:15], page.stdout[-8:]) == (0, "<!DOCTYPE html>", "\n</html>")
    for arguments in (["-o", "page.html"], ["-o", "page", "--format", "html", "-o", "page.html"]):
        outcome = run("cases.csv", *arguments)
        assert (outcome.exit_code, outcome.stdout) == (0, "")
        assert Path("page.html").read_bytes() == page.stdout_bytes
    assert Path("page").read_bytes() == page.stdout_bytes
    scriptless = run("cases.csv", "--format", "html", "--no-script")
    assert (scriptless.exit_code, "<script" in page.stdout, "<script" in scriptless.stdout) == (0, True, False)


READ = "{} is one of the files to read; name another {}"


@needs_unix
def test_what_cannot_or_must_not_be_written_is_refused_before_anything_is_read(tmp_path, monkeypatch):
    for folder in ("x", "d"):
        Path(folder).mkdir()
    Path("d/0.parquet").write_text("something")
    Path("old").write_text("")
    for name, make, source in (
        ("link", os.symlink, "cases.csv"), ("hard", os.link, "cases.csv"),
        ("link.csv", os.symlink, "cases.csv"),
    ):  # fmt: skip
        make(source, name)
    before = contents(tmp_path)
    unread(monkeypatch)
    with collected() as checking:
        for typed, message in recorded("cli/outputs/refused_outputs.txt"):
            with checking(typed):
                words = typed.replace("FOLDER", str(tmp_path)).replace("-o=", "--output=").split()
                assert refused(run(*words)) == message.replace("FOLDER", str(tmp_path))
                assert contents(tmp_path) == before


@every("name", ["contingency", "trec"])
def test_no_file_that_is_read_by_other_commands_is_replaced(name, tmp_path):
    before, file = contents(tmp_path), COMMANDS[name][1]
    assert refused(command(*COMMANDS[name], "-o", f"./{file}")) == READ.format(f"./{file}", "(--output FILE)")
    assert contents(tmp_path) == before


def test_an_error_leaves_an_earlier_report_as_it_is():
    Path("a.html").write_text("before")
    assert refused(command("report", "cases.csv", "--label", "carrier", "--score", "model", "--output", "a.html"))
    assert Path("a.html").read_text() == "before"


def test_quiet_leaves_notes_out_and_errors_in():
    assert run("cases.csv", "cases.csv").stderr == "evalcore: cases.csv is named twice; it is read once\n"
    said = "there is no line break at the end, so the last cell may be cut off; check that the file is complete"
    assert run("-", input="late,model\n1,0.5\n0,0.7").stderr == f"evalcore: standard input: {said}\n"
    for quiet in ("--quiet", "-q"):
        outcome = run("cases.csv", "cases.csv", quiet)
        assert (outcome.exit_code, outcome.stderr, "ROC AUC" in outcome.stdout) == (0, "", True)
        assert refused(run("none.csv", quiet)) == "none.csv: no such file"


@every("arguments", [["-o", "out.html"], ["--plots", "a/b"]])
def test_an_unwritable_folder_is_refused_before_anything_is_read(monkeypatch, arguments):
    def refuse(path, **asked):
        raise PermissionError(13, "Permission denied", str(path))

    unread(monkeypatch)
    monkeypatch.setattr(Path, "touch", refuse)
    assert refused(run("cases.csv", *arguments)) == f"{arguments[1]}: cannot be written: Permission denied"


@pytest.mark.parametrize(
    ("option", "module", "extra"),
    [("-o", "matplotlib", "plots"), ("--plots", "matplotlib", "plots")],
)
def test_a_missing_library_is_named_before_anything_is_read(monkeypatch, option, module, extra):
    unread(monkeypatch)
    monkeypatch.setitem(sys.modules, module, None)
    said = f"{module} is not installed; pip install 'evalcore-metrics[{extra}]'"
    assert refused(run("cases.csv", option, "out.html")) == said


@pytest.mark.usefixtures("one_plot")
@pytest.mark.process
@needs_unix
def test_a_page_goes_through_pipes_links_and_descriptors(tmp_path):
    os.mkfifo("pipe")
    Path("real.html").write_text("old")
    os.chmod("real.html", 0o604)
    os.symlink("real.html", "link.html")
    assert run("cases.csv", "-o", "link.html").exit_code == 0
    page = Path("real.html").read_bytes()
    assert (page[:15], os.stat("real.html").st_mode & 0o777) == (b"<!DOCTYPE html>", 0o604)
    assert Path("link.html").is_symlink()
    came = []
    reading = threading.Thread(target=lambda: came.append(Path("pipe").read_bytes()))
    reading.start()
    assert run("cases.csv", "-o", "pipe", "--format", "html").exit_code == 0
    reading.join()
    assert (came, Path("pipe").is_fifo()) == ([page], True)
    outcome = shell("report cases.csv -o >(cat >through) --format html --label late --score model && wait $!", tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    page = Path("through").read_bytes()  # of another process, with all plots
    assert (outcome.stdout, page[:15]) == (b"", b"<!DOCTYPE html>")
    outcome = shell("report cases.csv -o /dev/stdout --format html --label late --score model >out", tmp_path)
    assert (outcome.returncode, outcome.stderr) == (0, b"")
    assert Path("out").read_bytes() == page


def shell(command, folder, **more):
    """Run the command in a shell, without the name of the program."""
    line = f"{sys.executable} -m evalcore {command}"
    return subprocess.run(["bash", "-c", line], capture_output=True, check=False, cwd=folder, env=PIPED, **more)


@pytest.mark.usefixtures("one_plot")
@pytest.mark.process
@needs_unix
def test_a_full_disk_is_refused(tmp_path, monkeypatch):
    import resource

    def none():
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    outcome = shell("report cases.csv --label late --score model >out", tmp_path, preexec_fn=none)
    assert outcome.stderr == b"evalcore: standard output: cannot be written: File too large\n"
    assert outcome.returncode == 2

    def full(descriptor):
        raise OSError(28, "No space left on device")

    Path("out.html").write_text("before")
    before = contents(tmp_path)
    monkeypatch.setattr(os, "fsync", full)
    for option, folder, name in (("-o", "out.html", "out.html"), ("--plots", "p", "p/roc.png")):
        outcome = run("cases.csv", option, folder, "--format", "table")
        assert outcome.exit_code == 2
        assert outcome.stderr.endswith(f"evalcore: {name}: cannot be written: No space left on device\n")
        assert "ROC AUC" in outcome.stdout
    assert contents(tmp_path) == before


OF_CASES = "report cases.csv --label late --score model"
AWAY = "rmdir ../gone && python -m evalcore report ../cases.csv --label late --score model"
FAILED = b"evalcore: gate failed: the condition is met\nevalcore: roc_auc of model is 0.875, above 0 (no interval)\n"
SHELL = {  # exit code, how standard output begins, standard error
    "--version >&-": (2, b"", b"evalcore: standard output is closed\n"),
    f"{OF_CASES} -o out.txt >&-": (2, b"", b"evalcore: standard output is closed\n"),
    "report - --label late --score model <&-": (2, b"", b"evalcore: -: standard input is closed\n"),
    "report - --label late --score model --format csv <cases.csv": (0, b"section,score,group,statistic,value", b""),
    f"{OF_CASES} 2>&-": (0, b"Only 2 positive cases and 2 negative cases: ", b""),
    "report nowhere.csv --label late --score model 2>&-": (2, b"", b""),
    f"{OF_CASES} --format table -o out.html | true": (0, b"", b""),
    f"{OF_CASES} --format csv | true": (0, b"", b""),
    f"{OF_CASES} --fail-if 'roc_auc > 0' --format csv": (1, b"section,", FAILED),
    f"{OF_CASES} --fail-if 'roc_auc > 0' --junit y.xml | head -c 1": (0, b"O", FAILED),
    f"--version && mkdir gone && cd gone && {AWAY}": (
        2, b"evalcore, version ", b"evalcore: the current folder no longer exists\n"
    ),
}  # fmt: skip


MADE = {"out.html": b"<!DOCTYPE html>", "y.xml": b"<?xml version"}


@pytest.mark.process
@needs_unix
@pytest.mark.parametrize("line", SHELL)
def test_streams_may_be_closed_or_end_early(tmp_path, line):
    code, printed, told = SHELL[line]
    outcome = shell(line.replace("python", sys.executable), tmp_path)
    assert (outcome.returncode, outcome.stderr) == (code, told)
    assert outcome.stdout.startswith(printed)
    assert bool(outcome.stdout) == bool(printed)
    begun = {name: Path(name).read_bytes()[: len(begin)] for name, begin in MADE.items() if name in line}
    assert begun == {name: MADE[name] for name in begun}
    assert {path.name for path in tmp_path.iterdir()} == {*FILES, *begun}


@pytest.mark.process
@needs_unix
@pytest.mark.parametrize("module", ["numpy", "click", "pyarrow"])
def test_ctrl_c_while_modules_load_is_refused(tmp_path, module):
    Path("stubs").mkdir()
    Path(f"stubs/{module}.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    code = "import sys; sys.path.insert(0, 'stubs'); from evalcore.__main__ import main; main()"
    typed = [sys.executable, "-c", code, "report", "cases.csv", *ASKED]
    outcome = subprocess.run(typed, capture_output=True, check=False, env=PIPED)
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (130, b"", b"evalcore: stopped\n")


@pytest.mark.usefixtures("one_plot")
@every(
    "where",
    "cli.asking.memory_size",
    "evaluation.files.answer_on",
    "cli.output.as_terminal",
    "document.page.report.as_html",
)
def test_ctrl_c_anywhere_is_refused(tmp_path, monkeypatch, where):
    monkeypatch.setattr(f"evalcore.{where}", lambda *asked, **more: signal.raise_signal(signal.SIGINT))
    outcome = run("cases.csv", "-o", "out.html", "--memory", "1G")
    assert (outcome.exit_code, outcome.stderr) == (130, "evalcore: stopped\n")
    assert {path.name for path in tmp_path.iterdir()} == {*FILES}


@every(
    ("error", "message"),
    (MemoryError(), "memory ran out; --memory SIZE sets a limit: data beyond it is summarised or refused"),
    (OSError(5, "Input/output error", "cases.csv"), "cases.csv: Input/output error"),
    (OSError("strange"), "strange"),
    (ImportError("libspam.so: cannot open"), "libspam.so: cannot open"),
)
def test_what_a_machine_cannot_do_is_refused(monkeypatch, error, message):
    def fail(*asked, **more):
        raise error

    monkeypatch.setattr("evalcore.evaluation.files.answer_on", fail)
    assert refused(run("cases.csv")) == message


@pytest.mark.usefixtures("one_plot")
@needs_unix
def test_names_of_any_bytes_are_read_named_and_written(tmp_path):
    strange = os.fsdecode(b"a\xff\nb.csv")
    assert refused(run(strange)) == r"a\udcff\nb.csv: no such file"
    Path(strange).write_text(FILES["cases.csv"])
    outcome = run(strange, "-o", f"{strange}.html", "--plots", f"{strange}.plots")
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert rb"a\udcff" in Path(f"{strange}.html").read_bytes()
    assert json.loads(run(strange, "--format", "json").stdout)["file"] == strange
    for ending in ("txt", "json"):
        assert run(strange, "-o", f"b.{ending}").exit_code == 0
    assert "\na\\udcff\nb.csv: late\n" in Path("b.txt").read_text("utf-8")
    assert json.loads(Path("b.json").read_text("utf-8"))["file"] == strange
    assert "4" in run(strange).stdout


@pytest.mark.process
@needs_unix
def test_letters_that_standard_output_lacks_are_escaped_and_tell_names_apart(tmp_path):
    (tmp_path / "x.csv").write_text("late,modèle,modéle\n0,1,1\n1,2,0\n", encoding="utf-8")
    typed = [sys.executable, "-m", "evalcore", "report", "x.csv", "--label", "late", "--score", "modèle"]
    typed += ["--score", "modéle", "--format"]
    given = {"capture_output": True, "env": PIPED | {"PYTHONIOENCODING": "ascii"}}
    styles = "table", "json", "csv"
    printed = {style: subprocess.run([*typed, style], check=True, **given).stdout.decode("ascii") for style in styles}
    assert "-----" in printed["table"]
    assert all(name in printed["table"] for name in (r"mod\xe8le", r"mod\xe9le"))
    assert list(json.loads(printed["json"])["scores"]) == ["modèle", "modéle"]
    assert {row["score"] for row in csv.DictReader(io.StringIO(printed["csv"]))} == {r"mod\xe8le", r"mod\xe9le"}


@pytest.mark.usefixtures("one_plot")
def test_plots_of_earlier_runs_are_replaced_and_folders_that_vanish_told(tmp_path, monkeypatch):
    Path("p").mkdir()
    for name in ("roc.png", "groups.png", "mine.txt"):
        Path("p", name).write_text("before")
    assert run("cases.csv", "--plots", "p").exit_code == 0
    assert Path("p/roc.png").read_bytes()[1:4] == b"PNG"
    assert Path("p/groups.png").read_text() == Path("p/mine.txt").read_text() == "before"
    Path("out").mkdir()
    read = evalcore.evaluation.files.read_columns
    monkeypatch.setattr("evalcore.evaluation.files.read_columns", lambda *asked: os.rmdir("out") or read(*asked))
    outcome = run("cases.csv", "-o", "out/page.html", "--format", "table")
    assert (outcome.exit_code, "ROC AUC" in outcome.stdout) == (2, True)
    assert outcome.stderr == "evalcore: out/page.html: cannot be written: No such file or directory\n"
