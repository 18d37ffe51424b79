"""The options of gates, which `evalcore report` and `evalcore compare` share."""

from evalcore.cli.completion import completed_paths
from evalcore.cli.options import repeatable, single, switch, under

GATE = under(
    "Gate",
    repeatable(
        "--fail-if",
        "conditions",
        metavar="CONDITION",
        adds=True,
        help='Exit with code 1 if CONDITION is true: [SCOPE:] MEASURE RELATION NUMBER, such as "roc_area < 0.73",'
        ' "roc_area drops by 0.005" or "any carrier with 1000 cases: recall@0.3 drops by 0.02". SCOPE is COLUMN=VALUE'
        " (a group), any COLUMN (each group) or any COLUMN with N cases (each group of at least N); without it, all"
        " cases count. recall@0.3 is recall at the threshold 0.3, recall[ash] that of the class ash. RELATION is <, <=,"
        " > or >=, of the value; or drops by, rises by: it changed from the old model to the new one by at least"
        ' NUMBER, also where lower is better: "log_loss rises by 0.01". Names with spaces or one of : = < > go in'
        " quotes. Its measures and thresholds need not be asked for otherwise, nor its groups by evalcore compare, but"
        " evalcore report needs --at-k 7 for precision_at_7, --costs for expected_cost@0.5, --threshold-for"
        " precision=0.9 for 'recall@precision=0.9', --by COLUMN for groups and --baseline for changes; errors say"
        " which. Of several models or groups, one is enough. Whether a failure is certain is said beside it. A number"
        " that is NaN, missing or not known well enough (--memory), and a group of the baseline that is gone, are"
        " errors (exit code 2), never a pass. Repeatable; those of --config are added.",
    ),
    switch(
        "--confident",
        help="Fail only for what is certain: the condition is true of the whole interval (--ci), not only of the"
        " estimate.",
    ),
    single(
        "--junit",
        metavar="FILE",
        shell_complete=completed_paths,
        help="Also write the result of --fail-if as JUnit XML, a test case for each condition, or the error that"
        " ended the command.",
    ),
)
"""When the command fails, and where it says so."""
