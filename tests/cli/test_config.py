"""The config file: any option by its name, no file that is not named, and one line for what does not fit."""

import json
import shlex
from pathlib import Path

import click

from evalcore.cli import main
from evalcore.cli.option_parsing import is_single
from tests.cli.command import command, refused
from tests.differences import every, recorded

FILES = {"cases.csv": "late,model,other\n1,0.5,3\n0,0.5,1\n0,0.25,2\n1,0.75,0\n"}


def configured(*arguments):
    return command(*arguments, "--config", "evalcore.toml")


def scores(outcome):
    assert outcome.exit_code == 0, outcome.stderr
    return json.loads(outcome.stdout)["scores"]


def test_a_team_types_the_file_alone_and_what_is_typed_wins():
    Path("evalcore.toml").write_text('label = "late"\nscore = ["model", "other"]\nci = 0.9\nformat = "json"\n')
    outcome = configured("report", "cases.csv")
    typed = ("--label", "late", "--score", "model", "--score", "other", "--ci", "0.9", "--format", "json")
    assert outcome.stdout == command("report", "cases.csv", *typed).stdout
    said = f"evalcore: evalcore.toml sets {shlex.join(typed)}\n"
    assert outcome.stderr == said
    assert configured("report", "cases.csv", "--quiet").stderr == said
    Path("evalcore.toml").write_text('label = "late"\nscore = ["model", "other"]\nformat = "json"\n')
    outcome = configured("report", "cases.csv", "--score", "other", "--format", "csv")
    assert {line.split(",")[1] for line in outcome.stdout.splitlines()[1:]} == {"other"}
    assert outcome.stderr == "evalcore: evalcore.toml sets --label late\n"
    Path("evalcore.toml").write_text(
        'label = "late"\nscore = "model"\npositive = 1\nthreshold = [0.5]\nthreshold-for = "recall=0.5"\n'
        'costs = [1, 2]\nci = 0.9\nversus = "all"\nformat = "json"\n'
    )
    outcome = configured("report", "cases.csv", "--predicted", "late")
    said = "evalcore: evalcore.toml sets --label late --ci 0.9 --format json\n"
    assert (outcome.exit_code, outcome.stderr) == (0, said)
    Path("evalcore.toml").write_text('label = "late"\npredicted = "other"\nformat = "json"\nci = false\n')
    assert list(scores(configured("report", "cases.csv", "--score", "model"))) == ["model"]


def test_what_is_typed_decides_where_the_report_goes_and_in_which_format():
    Path("evalcore.toml").write_text('label = "late"\nscore = "model"\nformat = "json"\n')
    assert configured("report", "cases.csv", "-o", "x.csv").exit_code == 0
    assert Path("x.csv").read_text().startswith("section,score,group,")
    assert configured("report", "cases.csv").stdout.startswith("{")
    Path("evalcore.toml").write_text('label = "late"\nscore = "model"\noutput = "y.csv"\n')
    assert configured("report", "cases.csv", "--format", "json").stdout.startswith("{")
    assert Path("y.csv").read_text() == Path("x.csv").read_text()


def test_values_are_lists_or_of_other_commands_and_a_mark_is_no_part_of_them():
    Path("evalcore.toml").write_text('\ufefflabel = "late"\nscore = "model"\n', "utf-8")
    assert configured("report", "cases.csv").exit_code == 0
    Path("evalcore.toml").write_text('label = "late"\nscore = "model"\ncosts = [1, 5]\nformat = "json"\n')
    typed = ("--label", "late", "--score", "model", "--costs", "1,5", "--format", "json")
    assert scores(configured("report", "cases.csv")) == scores(command("report", "cases.csv", *typed))
    Path("evalcore.toml").write_text('label = "late"\n[report]\nscore = "model"\n[trec]\nmeasure = "P"\n')
    said = "evalcore: evalcore.toml sets --label late --score model\n"
    assert configured("report", "cases.csv").stderr == said
    Path("qrels").write_text("1 0 a 1\n")
    Path("run").write_text("1 Q0 a 1 0.5 x\n")
    outcome = configured("trec", "qrels", "run", "--format", "csv")
    assert outcome.stderr == "evalcore: evalcore.toml sets --measure P\n"
    assert "P_5" in outcome.stdout


def test_a_file_that_is_damaged_or_for_another_command_is_refused():
    Path("evalcore.toml").write_text("label = \n")
    assert refused(configured("report", "cases.csv")).startswith("evalcore.toml: cannot be read: Invalid value (at l")
    assert refused(command("report", "cases.csv", "--config", "none.toml")) == "none.toml: No such file or directory"
    both = command("report", "cases.csv", "--config", "a.toml", "--config", "b.toml")
    assert refused(both) == "--config may be given only once, got 'a.toml' and 'b.toml'."
    assert configured("report", "--help").exit_code == 0
    Path("evalcore.toml").write_text('label = "late"\nfail-if = "roc_auc < 2"\n')
    said = refused(configured("compare", "cases.csv", "--old-score", "other", "--score", "model"))
    assert said == "evalcore.toml: options of evalcore compare must be in a table [compare], got none"


def test_no_file_is_read_that_nobody_names(monkeypatch):
    Path("a").mkdir()
    for name in ("evalcore.toml", "a/evalcore.toml"):
        Path(name).write_text('positive = 0\nscore = "other"\noutput = "cases.csv"\nfail-if = "roc_auc < 2"\n')
    Path("pyproject.toml").write_text("[tool.evalcore]\nsample = 1\n")
    asked = "report", "../cases.csv", "--label", "late", "--score", "model", "--format", "json"
    monkeypatch.chdir("a")
    outcome = command(*asked)
    assert (outcome.stderr, list(scores(outcome))) == ("", ["model"])
    assert "positive" not in json.loads(outcome.stdout)
    assert command(*asked, "--no-config").exit_code == 2


def test_the_file_is_named_whatever_it_sets_and_may_be_quiet():
    Path("evalcore.toml").write_text('label = "late"\nscore = "model"\nfail-if = "roc_auc < 2"\n')
    outcome = configured("report", "cases.csv", "--fail-if", "roc_auc < 0.01", "--format", "json", "--quiet")
    gate = json.loads(outcome.stdout)["gate"]
    assert [each["condition"] for each in gate["conditions"]] == ["roc_auc < 2", "roc_auc < 0.01"]
    assert outcome.exit_code == 1
    said = "evalcore: evalcore.toml sets --label late --score model --fail-if 'roc_auc < 2'"
    assert outcome.stderr.splitlines()[:2] == [said, "evalcore: gate failed: 1 of 2 conditions is met"]
    Path("evalcore.toml").write_text('score = "other"\n')
    outcome = configured("report", "cases.csv", "--label", "late", "--score", "model", "--quiet")
    assert outcome.stderr == "evalcore: evalcore.toml sets no option of evalcore report\n"
    Path("evalcore.toml").write_text('label = "late"\nscore = "model"\nquiet = true\n')
    outcome = configured("report", "cases.csv", "cases.csv")
    said = "evalcore: evalcore.toml sets --label late --score model --quiet\n"
    assert (outcome.exit_code, outcome.stderr) == (0, said)
    Path("evalcore.toml").write_text("no-matrix = false\n")
    outcome = configured("report", "cases.csv", "--label", "late", "--score", "model")
    assert (outcome.exit_code, outcome.stderr) == (0, "evalcore: evalcore.toml sets no option of evalcore report\n")


def sample(option):
    """Return a value of an option, as TOML and as typed."""
    if option.is_flag:
        return "true", []
    if isinstance(option.type, click.Choice):
        return f'"{option.type.choices[0]}"', [str(option.type.choices[0])]
    if option.type in (click.FLOAT, click.INT):
        number = {click.FLOAT: "0.25", click.INT: "7"}[option.type]
        return number, [number]
    return '"0.25"', ["0.25"]


@every("name", main.commands)
def test_every_option_of_every_command_can_be_configured(name):
    known = main.commands[name]
    options = [each for each in known.params if isinstance(each, click.Option) and not each.is_eager]
    files = ["a.csv"] * sum(isinstance(each, click.Argument) for each in known.params)

    def parsed(*arguments):
        with main.make_context("evalcore", [name], resilient_parsing=True) as group:
            return known.make_context(name, [*files, *arguments], parent=group).params

    for option in options:
        flag = max(option.opts, key=len)
        written, typed = sample(option)
        others = [word for each in options if each.required and each is not option for word in (each.opts[0], "0.25")]
        expected = parsed(flag, *typed, *others)
        for key in {flag[2:], flag[2:].replace("-", "_")}:
            Path("evalcore.toml").write_text((f"[{name}]\n" if name != "report" else "") + f"{key} = {written}\n")
            assert parsed("--config", "evalcore.toml", *others) == expected, key
        if not is_single(option) and not option.is_flag:
            Path("evalcore.toml").write_text(f"[{name}]\n{flag[2:]} = [{written}, {written}]\n")
            assert parsed("--config", "evalcore.toml", *others) == parsed(flag, *typed, flag, *typed, *others), flag


@every(("text", "said"), recorded("cli/outputs/refused_config_files.txt"))
def test_what_does_not_fit_is_refused(text, said):
    Path("evalcore.toml").write_text(text + "\n")
    assert refused(configured("report", "cases.csv", "--label", "late", "--score", "model")) == said
