"""Commands that are wrong end with exit code 2 and one line that says what to give, or what the data lack."""

import shlex

from tests.cli.command import FLIGHTS, command, refused
from tests.differences import every

FILES = {
    "cases.csv": 'late,model,other,class\n1,0.5,3,yes\n0,0.5,1,no\n0,0.25,2,"no"\n1,0.75,0,yes\n',
    "odd.csv": "y,a=b,e\u0301\n1.0,0.5,0.5\n0.0,0.2,0.5\n",
    "v1.feather": "FEA1" + "x" * 100,
    "trees.csv": "tree,guess,s_ash,s_elm\nash,ash,2,1\nelm,ash,1,2\nash,ash,3,0\n",
    "nothing.csv": "",
    "twice.csv": "late,late\n1,0\n",
    "empty.csv": "given,right\n,\n",
    "header.csv": "given,right\n",
    "qrels": "1 0 a 1\n1 0 b 2\n2 0 a 1\n",
    **dict.fromkeys(("run", "again"), "1 Q0 a 1 0.5 t\n2 Q0 a 1 0.5 t\n"),
    "other": "3 Q0 a 1 0.5 t\n",
    "weights.parquet": {"late": [1, 0], "model": [0.5, 0.1], "site": ["y", "x"], "part": [1.5, 2.0]},
    "forest.parquet": {"tree": ["ash", "elm"], "guess": ["ash", "ash"], "code": [0, 1], "s_ash": [2, 1],
                       "s_birch": [1, 2], "s_elm": [0, 3]},
}  # fmt: skip
POSITIVE = "; name the positive one (--positive VALUE)"
OF_SCORES = {  # after: report cases.csv --label late --score model
    "--threshold nan": "--threshold must be a number, got nan",
    "--threshold 0.5,0.2": "--threshold must be a number, got '0.5,0.2'; repeat --threshold for several",
    "--threshold 50%": "--threshold must be a number, got '50%'; 0.5 is 50%",
    "--threshold half": "--threshold must be a number, got 'half'",
    "--costs 1,-5": "--costs must be two numbers of at least 0, the costs of a false positive and of a false negative,"
    " got '1,-5'",
    "--costs 1,2,3": "--costs must be two numbers of at least 0, the costs of a false positive and of a false negative,"
    " got '1,2,3'",
    "--ci 0": "--ci must be above 0 and below 1, got 0.0",
    "--ci 1": "--ci must be above 0 and below 1, got 1.0…",
    "--ci nan": "--ci must be above 0 and below 1, got nan",
    "--versus all": "--versus needs --ci, the level of the intervals",
    "--versus all --ci 0.9 --measure average_precision": "--versus compares models by roc_auc; name this measure too",
    "--ci 0.95 --versus each": "Invalid value for '--versus': 'each' is not one of 'first', 'best', 'all', 'none'.",
    "--ci-method delong": "--ci-method needs --ci, the level of the intervals",
    "--measure roc_aera": "--measure must be one of the names of --list-measures, got 'roc_aera'; did you mean 'roc_a…",
    "--measure recall": "measure 'recall' is not in this report: it needs --threshold",
    "--measure expected_cost": "measure 'expected_cost' is not in this report: it needs --costs",
    "--measure confusion_matrix": "measure 'confusion_matrix' is not in this report: it needs --predicted or scores of"
    " classes",
    "--at-k 10,x": "--at-k must be whole numbers from 1 on, got '10,x'",
    "--at-k 0": "--at-k must be whole numbers from 1 on, got '0'",
    "--digits 0": "--digits must be between 1 and 15, got 0",
    "--digits 16": "--digits must be between 1 and 15, got 16",
    "--digits -1": "--digits must be between 1 and 15, got -1",
    "--by ''": "--by must name columns, got ''.",
    "--by class,": "--by must name columns, got 'class,'.",
    "--by ,class": "--by must name columns, got ',class'.",
    "--by clas": "cases.csv: no column 'clas'; did you mean 'class'?",
    "--groups=9": "No such option: --groups; it is --max-groups now. See evalcore report --help.",
    "--html x": "No such option: --html; it is -o FILE.html now. See evalcore report --help.",
    "--text class": "No such option: --text; it is --as-text now. See evalcore report --help.",
    "--all-groups": "--all-groups needs --by COL.",
    "--full-matrix": "--full-matrix needs --predicted COL or scores of classes.",
    "--no-matrix": "--no-matrix needs --predicted COL or scores of classes.",
    "--no-script": "--no-script needs --output FILE.html or --format html.",
    "--sample 0": "--sample must be at least 1, got 0",
    "--sample 1 --seed -1": "--seed must be from 0 to 18446744073709551615, got -1",
    "--seed 1": "--seed needs --sample N.",
    "--weight late": "--weight must be a column of its own, got 'late', which has another role",
    "--weight model": "--weight must be a column of its own, got 'model', which has another role",
    "--weight class --by class": "--weight must be a column of its own, got 'class', which has another role",
    "--weight-type frequency": "--weight-type needs --weight, which names the column of weights",
    "--weight other --target-prevalence 1": "--target-prevalence must be above 0 and below 1, got 1.0; write 0.01 for"
    " 1%",
    "--weight other --weight-type frequency --target-prevalence 0.1": "--target-prevalence needs sampling weights"
    " (--weight-type sampling), got 'frequency'",
    "--weight weights": "cases.csv: no column 'weights'; the columns are 'late', 'model', 'other', 'class'",
    "--fail-if 'auc < 1' --confident": "--confident needs intervals (--ci LEVEL)",
    "--fail-if 'log_loss < 1' --confident --ci 0.9": "condition must have intervals to be certain, got 'log_loss < 1':"
    " log_loss of model has no interval",
    "--fail-if 'precision_at_1000 < 1'": "condition must be about numbers, got 'precision_at_1000 < 1':"
    " precision_at_1000 of model is NaN",
    "--fail-if 'class=ye: cases < 1'": "value of class must be one of 'no', 'yes', got 'ye' in condition"
    " 'class=ye: cases < 1'; did you mean 'yes'?",
    "--fail-if 'modl: auc < 1'": "model must be one of 'model', got 'modl' in condition 'modl: roc_auc < 1'; did you"
    " mean 'model'?",
    "--by class --fail-if 'class: auc < 1'": "model must be one of 'model', got 'class' in condition"
    " 'class: roc_auc < 1'; for groups write 'any class'",
    **{
        f"--fail-if '{condition} < 1'": f"--fail-if '{condition} < 1' needs {needed}"
        for condition, needed in {
            "expected_cost@0.5": "--costs FP,FN",
            "minimum_expected_cost": "--costs FP,FN",
            "recall[1]": "--predicted COL or scores of classes (--scores PREFIX)",
            "calibration_slope": "--measure calibration_slope, and --ci LEVEL",
        }.items()
    },
    "--memory lots": "--memory must be a size such as 500M, 2G or 1.5GiB, got 'lots'",
    "--memory 100M": "--memory must be at least 256M, which the program needs, got 100M",
    "--min-cases 2": "--min-cases needs --by, which names the column of groups",
    "--sort name": "--sort needs --by, which names the column of groups",
    "--label class": "--label may be given only once, got 'late' and 'class'.",
    "--predicted a --predicted b": "--predicted may be given only once, got 'a' and 'b'.",
    "--digits 2 --digits 3": "--digits may be given only once, got 2 and 3.",
    "--format csv --format json": "--format may be given only once, got 'csv' and 'json'.",
    "--ci 0.9 --ci 0.9": "--ci may be given only once, got 0.9 and 0.9.",
}
OF_CLASSES = {  # after: report trees.csv --label tree
    "": "Give one of --score COL, --score CLASS=COL, --scores PREFIX and --predicted COL.",
    "--score s_ash --predicted guess": "Give only one of --score s_ash and --predicted guess.",
    "--scores s_ --predicted guess": "Give only one of --scores s_ and --predicted guess.",
    "--score ash=s_ash --score ash=s_elm": "Give only one --score for each class.",
    "--score ash=s_elm --scores s_": "trees.csv: each class must have one column of scores, got two for 'ash'…",
    "--score ash=s_ash --score s_elm": "Give all --score options as CLASS=COL, or none.",
    "--predicted guess --threshold 0.5": "--threshold needs --score COL.",
    "--predicted guess --versus all --ci 0.95": "--versus needs --score COL.",
    "--scores s_ --positive ash": "--positive needs --score COL.",
    "--predicted guess --at-k 3": "--at-k needs scores, got predicted classes",
    "--predicted guess --measure rank_counts": "measure 'rank_counts' is not in this report: it needs scores of"
    " classes",
    "--predicted guess --measure confusion_matrix --measure accuracy --no-matrix": "measure 'confusion_matrix' is not"
    " in this report: --no-matrix leaves it out",
    "--scores s_ --full-matrix --no-matrix": "--no-matrix leaves out what --full-matrix shows; give only one of them.",
}
OF_TREES = {  # after: report forest.parquet --label tree
    "--scores S_": "forest.parquet: no column begins with 'S_'; did you mean 's_'?",
    "--scores z_": "forest.parquet: no column begins with 'z_'; the columns are 'tree', 'guess', …",
    "--score ash=s_asch": "forest.parquet: no column 's_asch'; did you mean 's_ash' or 's_birch'?",
    "--score ash=guess": "forest.parquet: column 'guess' must hold numbers, got …",
    "--predicted guss": "forest.parquet: no column 'guss'; did you mean 'guess'?",
    "--predicted code": "forest.parquet: columns 'tree' and 'code' must hold labels of one kind, got str and int; read"
    " the numbers as text (--as-text COLUMN)",
}
UNKNOWN = "measure must be one of the names of --list-measures, got {!r}"
OF_RUNS = {  # after: trec qrels
    "run -m elephants": UNKNOWN.format("elephants"),
    "run -m mapp": UNKNOWN.format("mapp") + "; did you mean 'map'…",
    "run -m recip_rnak": UNKNOWN.format("recip_rnak") + "; did you mean 'recip_rank'…",
    "run -m ndgc_cut_10": UNKNOWN.format("ndgc_cut_10") + "; did you mean 'ndcg_cut_10'…",
    "run -m P10": UNKNOWN.format("P10") + "; did you mean 'P@10'…",
    "run -m oficial": UNKNOWN.format("oficial") + "; did you mean 'official'…",
    "run -m precision": "measure 'precision' must be written P@k…",
    "run -m P_0": "measure 'P_0' must have a depth of at least 1, got 0",
    "run -m P.5,0": "depths of measure 'P.5,0' must be at least 1, got 0",
    "run -m P.5,1.5": "measure must be written P.NUMBER,NUMBER, got 'P.5,1.5'…",
    "nowhere": "nowhere: no such file",
    "other": "other, qrels: no query of the run has judgements",
    "run --ci 0.95 --format trec": "--ci needs --format table, json, csv or markdown; lines of trec_eval have no"
    " intervals.",
    "run again --versus all": "--versus needs --ci LEVEL.",
    "run --method t": "--method needs --ci LEVEL.",
    "run --ci 0.95 --versus all": "--versus needs several runs.",
    "run --ci 1.5": "--ci must be above 0 and below 1, got 1.5",
    "run -l 0": "--relevance-level must be at least 1, got 0",
    "run again --ci 0.95 -m num_q": "no measure is a mean over queries: add others…",
    "run nowhere": "nowhere: no such file",
    "run -m 'ERR(max_rel=1)@5'": "max_rel of ERR must be the largest grade, 2 or more, got 1; write ERR(max_rel=2)@5",
    "run -m 'AP(rell=1)'": "arguments of measure 'AP(rell=1)' must be rel=..., judged_only=...…",
    "m=run m=again": "runs must have different names, got 'm' twice.",
    "": "Missing argument 'RUN...'.…",
}
COMMANDS = {
    "rport": "No such command 'rport'.…",
    "report": "Missing argument 'FILES...'. See evalcore report --help.",
    "report x.csv": "Missing option '--label'. See evalcore report --help.",
    "--config x.toml report": "No such option: --config; it stands behind the command: evalcore report --config ... See"
    " evalcore --help.",
    "--qrels x": "No such option: --qrels; it stands behind the command: evalcore compare --qrels ... See evalcore"
    " --help.",
    "report cases.csv --label late --score a=other": "cases.csv: class '1' of column 'late' must have a column of"
    " scores, got columns for 'a'; for scores of one label give --score other; a column whose name holds = must be"
    " renamed",
    "report x.csv --labl a": "No such option '--labl'.…",
    "report x.csv --label a --ci x": "Invalid value for '--ci': 'x' is not a valid float.",
    "trec x": "Missing argument 'RUN…",
    "compare": "Missing argument 'OLD'. See evalcore compare --help.",
    "contingency x.csv --assigned a --correct b --weight w": "No such option '--weight'. See evalcore contingency"
    " --help. evalcore report takes weights of scores and of predicted classes.",
    "contingency x.csv --assigned a --correct b --sep ''": "--sep must not be empty.",
    "report odd.csv --label y --score a=b": "odd.csv: no column 'b'; the table has 'a=b', but what precedes = in"
    " --score is a class: rename the column",
    "report odd.csv --label y --score \u00e9": "odd.csv: no column '\u00e9'; the table spells it with other code"
    " points for the same letters (Unicode NFC and NFD); copy the name from the table",
    "report odd.csv --label y --positive 1 --score e\u0301": "odd.csv: no row of column 'y' equals '1': it holds 2"
    " values (0.0, 1.0); did you mean '1.0'?",
    "report v1.feather --label y --score p": "v1.feather: is Feather V1, which is not read; write it as Feather V2,"
    " Arrow or Parquet",
    "report cases.csv --label late --score model --measure AUCC": "--measure must be one of the names of"
    " --list-measures, got 'AUCC'; did you mean 'roc_auc' or 'average_precision'?",
    "report nope.csv --label late --score model": "nope.csv: no such file",
    "report cases.csv --label lat --score model": "cases.csv: no column 'lat'; did you mean 'late'?",
    "report cases.csv --label class --score model": "cases.csv: column 'class' must hold 0 and 1, or Booleans, got 2"
    f" values (no, yes){POSITIVE}",
    "report cases.csv --label other --score model": "cases.csv: column 'other' must hold 0 and 1, or Booleans, got 4"
    f" values (0, 1, 2, 3){POSITIVE}",
    f"report {FLIGHTS} --label month --score boosting": f"{FLIGHTS}: column 'month' must hold 0 and 1, or Booleans, got"
    f" 12 values (1, 2, 3, 4, 5, 6, ...){POSITIVE}",
    "report cases.csv --label class --positive Yes --score model": "cases.csv: no row of column 'class' equals 'Yes':"
    " it holds 2 values (no, yes); did you mean 'yes'?",
    "report cases.csv --label late --positive yes --score model": "cases.csv: no row of column 'late' equals 'yes': it"
    " holds 2 values (0, 1)",
    f"report {FLIGHTS} --label late --positive yes --score boosting": f"{FLIGHTS}: no row of column 'late' equals"
    " 'yes': it holds 2 values (False, True)",
    "report cases.csv --label late --score class": "cases.csv: line 2: column 'class' must hold numbers, got 'yes'",
    "columns -": "columns needs a file, which is read again, got '-'; write it to a file first",
    "columns none.csv": "none.csv: no such file",
    "columns nothing.csv": "nothing.csv: there are no rows",
    "columns twice.csv": "twice.csv: 2 columns are called 'late'",
    "contingency empty.csv --assigned given --correct right": "no document has a category, assigned or correct",
    "contingency empty.csv --assigned given --correct rigth": "empty.csv: no column 'rigth'; did you mean 'right'?",
    "contingency header.csv --assigned given --correct right": "header.csv: there are no rows",
    "trec - -": "QRELS and RUN must not both be -: standard input can be read only once",
    "trec run run": "run, line 1: must have 4 fields…",
    "trec tape://b/qrels run": "tape://b/qrels: tape:// cannot be read; copy the file to this machine…",
    "report weights.parquet --label late --score model --weight site": "weights.parquet: column 'site' must hold"
    " numbers, got 'y' (str) at index 0 (from 0)",
    "report weights.parquet --label late --score model --weight part --weight-type frequency": "weights.parquet: column"
    " 'part' at index 0 (from 0) is 1.5; frequencies must be whole numbers (for other weights: --weight-type sampling)",
}
ALL = {
    **COMMANDS,
    **{f"report forest.parquet --label tree {typed}": said for typed, said in OF_TREES.items()},
    **{f"trec qrels {typed}": said for typed, said in OF_RUNS.items()},
    **{f"report cases.csv --label late --score model {typed}": said for typed, said in OF_SCORES.items()},
    **{f"report trees.csv --label tree {typed}": said for typed, said in OF_CLASSES.items()},
}


@every("typed", ALL)
def test_a_wrong_command_is_told_in_one_line(typed):
    said, (told, more, _) = refused(command(*shlex.split(typed))), ALL[typed].partition("…")
    assert said == told or (more and said.startswith(told)), said
