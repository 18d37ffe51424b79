"""What the help of commands says after their options: examples, exit codes, the environment and the config file."""

import click

REPORT_EXAMPLES = {
    "Two models on the same cases, with intervals": (
        "evalcore report flights.parquet --label late --score boosting --score logistic --ci 0.95"
    ),
    "Decisions at a threshold, in each country, as a page": (
        "evalcore report scores.csv --label paid --score p --threshold 0.5 --by country -o report.html"
    ),
    "Predicted classes in several files, as JSON": (
        "evalcore report 'runs/*.csv' --label species --predicted guess --format json"
    ),
    "One measure of some rows, without those that have nulls": (
        "evalcore report scores.csv --label paid --score p --where \"country = 'CH'\" --nulls drop --measure roc_area"
    ),
    "A column of scores for each class, from a pipe": ("evalcore report - --label species --scores p_ < species.csv"),
}
COMPARE_EXAMPLES = {
    "Two columns of one file": "evalcore compare flights.parquet --label late --score boosting --old-score logistic",
    "Two files, joined by id, as a gate": (
        "evalcore compare old.csv new.csv --id case --label paid --score p --fail-if 'roc_area drops by 0.005'"
    ),
    "In each country, with days as clusters, and decisions at a threshold, as a page": (
        "evalcore compare old.csv new.csv --id case --label paid --score p --threshold 0.5 --by country --cluster day"
        " -o comparison.html"
    ),
    "With a margin of 0.005, as Markdown for a pull request": (
        "evalcore compare old.csv new.csv --id case --label paid --score p --margin 0.005 --format markdown"
    ),
    "Predicted classes of two models against those of an old one": (
        "evalcore compare old.csv new.csv best=newer.csv --id case --label species --predicted guess"
    ),
    "Runs of ranked results": "evalcore compare bm25.txt dense.txt --qrels qrels.txt",
}
CONTINGENCY_EXAMPLES = {
    "Sets of categories, names separated by semicolons": (
        "evalcore contingency topics.csv --assigned found --correct true --sep ';'"
    ),
    "Each category, in a spreadsheet": (
        "evalcore contingency topics.csv --assigned found --correct true --sep ';' --per-category -o each.csv"
    ),
}
TREC_EXAMPLES = {
    "Two measures, also for each query": "evalcore trec qrels.txt run.txt -m map -m ndcg_cut_10 --per-query",
    "Two runs compared with the first, query by query": (
        "evalcore trec qrels.txt bm25.txt dense.txt hybrid.txt -m map -m 'P(rel=2)@10' --ci 0.95"
    ),
    "The lines that trec_eval prints": "evalcore trec qrels.txt run.txt -m official --ties trec --format trec",
}
_EXIT_CODES = (
    ("0", "Success."),
    ("1", "A condition of --fail-if is true, or the reader of standard output, such as head, ended first."),
    ("2", "An error in the command or in the data, or an undecided gate; standard error says which, and what to do."),
    ("130", "Stopped by Ctrl-C."),
)
_UNGATED = (
    ("1", "The reader of standard output, such as head, ended first."),
    ("2", "An error in the command or in the data; standard error says which, and what to do."),
)
"""The same of commands without --fail-if."""
_ENVIRONMENT = (
    ("EVALCORE_MEMORY", "The memory limit of report and compare where --memory is not given."),
    ("NO_COLOR", "If set, the progress bar has no colors."),
)
_CONFIG = (
    "--config FILE sets options that are not typed, in TOML. Keys are the names of options:"
    ' label = "late", score = ["boosting", "logistic"], all-groups = true. Options of report stand at the top; those of'
    " another command in its table: [trec]. Conditions of fail-if are added to those that are typed. Paths are relative"
    " to the current folder. Standard error says what the file sets. No file is read that --config does not name."
)


def write_examples(formatter: click.HelpFormatter, examples: dict[str, str]) -> None:
    """Write examples, each below what it shows.  O(letters)."""
    with formatter.section("Examples"):
        for shown, command in examples.items():
            formatter.write(f"  {shown}:\n    {command}\n")


def write_exit_codes(formatter: click.HelpFormatter, *, gated: bool = True) -> None:
    """Write what the command returns; gated: whether it has --fail-if.  O(1)."""
    codes = _EXIT_CODES if gated else (_EXIT_CODES[0], *_UNGATED, _EXIT_CODES[-1])
    with formatter.section("Exit codes"):
        formatter.write_dl(codes)


def write_surroundings(formatter: click.HelpFormatter) -> None:
    """Write which variables and files the command reads beside its arguments.  O(1)."""
    with formatter.section("Environment"):
        formatter.write_dl(_ENVIRONMENT)
    with formatter.section("Config file"):
        formatter.write(f"{click.wrap_text(_CONFIG, formatter.width, '  ', '  ')}\n")
