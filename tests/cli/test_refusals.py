"""Commands that are wrong end with exit code 2 and one line that says what to give, or what the data lack."""

import shlex

from tests.cli.command import FLIGHTS, check_refused, command, unread
from tests.differences import BESIDE_THE_GUIDE, every, recorded

FILES = {
    "cases.csv": 'late,model,other,class\n1,0.5,3,yes\n0,0.5,1,no\n0,0.25,2,"no"\n1,0.75,0,yes\n',
    "odd.csv": "y,a=b,e\u0301\n1.0,0.5,0.5\n0.0,0.2,0.5\n",
    "v1.feather": "FEA1" + "x" * 100,
    "trees.csv": "tree,guess,s_ash,s_elm\nash,ash,2,1\nelm,ash,1,2\nash,ash,3,0\n",
    "nothing.csv": "",
    "old.csv": "case,late,score,team\na,1,0.6,x\nb,0,0.5,x\nc,1,0.4,y\nd,0,0.2,y\ne,1,0.9,y\n",
    "new.csv": "case,score\ne,0.8\nd,0.1\nc,0.7\nb,0.3\na,0.9\n",
    "flights.csv": "late,good,poor,carrier\n1,0.5,0.25,UA\n0,0.25,0.5,AA\n",
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
ACCENTS = {
    "report odd.csv --label y --score \u00e9": "odd.csv: no column '\u00e9'; the table spells it with other code"
    " points for the same letters (Unicode NFC and NFD); copy the name from the table",
    "report odd.csv --label y --positive 1 --score e\u0301": "odd.csv: no row of column 'y' equals '1': it holds 2"
    " values (0.0, 1.0); did you mean '1.0'?",
}


@BESIDE_THE_GUIDE
@every(("typed", "said"), [*recorded("cli/outputs/refused_of_files.txt"), *ACCENTS.items()])
def test_a_wrong_command_is_told_in_one_line(typed, said):
    check_refused(command(*shlex.split(typed.replace("FLIGHTS", FLIGHTS))), said)


@every(("typed", "said"), recorded("cli/outputs/refused_before_reading.txt"))
def test_what_the_words_alone_show_to_be_wrong_is_told_before_anything_is_read(monkeypatch, typed, said):
    unread(monkeypatch)
    check_refused(command(*shlex.split(typed)), said)
