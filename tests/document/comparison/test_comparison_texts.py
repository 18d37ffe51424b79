"""A comparison as a table, Markdown, JSON and CSV says what it found, and shows names as they are."""

import json
import math
from pathlib import Path

import jsonschema
import numpy as np

from evalcore.document.comparison import document_of_comparison
from evalcore.document.documents import FULL, Shown
from evalcore.document.exports import (
    as_comparison_csv,
    as_comparison_json,
    comparison_tree,
)
from evalcore.document.markdown import as_markdown
from evalcore.document.terminal import as_notebook, as_terminal
from evalcore.document.words.comparison import MISSING, difference_texts
from evalcore.evaluation.differences import ModelDifferences
from evalcore.evaluation.wording import p_text
from tests.differences import check_output, every
from tests.document.comparison import answers
from tests.document.comparison.answers import WICKED, answer, difference, gate, question

COMMENT = Shown(folds=True)
FAILING = "any carrier: roc_auc drops by 0.02"
SCHEMA = json.loads((Path(__file__).parent / "comparison.schema.json").read_text("utf-8"))


def several():
    model = answer().models[0]
    return answer(models=[model, model._replace(model="forest")])


def grouped(groups, name="a", by="carrier", **more):
    """Return the comparison of one model in groups; more: what else changed."""
    return answer(models=[ModelDifferences(name, answers.measures(), {by: groups} if groups else {}, **more)])


@every(
    ("old", "new", "half", "texts"),
    (0.7142349, 0.7325148, 0.0012, ("0.7142", "0.7325", "+0.0183", "[0.0171, 0.0195]")),
    (0.5, 0.5000123, 0.0012, ("0.50000", "0.50001", "+0.00001", "[-0.00119, 0.00121]")),
    (0.5, 0.5, 0.0, ("0.5000", "0.5000", "+0.0000", "[0.0000, 0.0000]")),
    (0.5, 0.52, 0.01999, ("0.50000", "0.52000", "+0.02000", "[0.00001, 0.03999]")),
    (0.5, 0.4, math.nan, ("0.5000", "0.4000", "-0.1000", "")),
    (math.nan, math.nan, math.nan, (MISSING, MISSING, MISSING, "")),
    (3612.0, 3610.0, 5.0, ("3612.0000", "3610.0000", "-2.0000", "[-7.0000, 3.0000]")),
)
def test_numbers_have_as_many_decimals_as_tell_old_and_new_apart(old, new, half, texts):
    assert difference_texts(difference("f1", "F1", old, new, half))[:4] == texts


@every(("value", "text"), [(0.0, "< 0.001"), (0.00099, "< 0.001"), (0.5, "0.5000"), (0.001, "0.0010")])
def test_p_values_are_short_and_never_zero(value, text):
    assert p_text(value) == text


def unsure(count):
    """Return groups whose differences chance explains."""
    return [each._replace(differences=[each.differences[0]._replace(holm=0.06)]) for each in answers.groups(count)]


ALONE = answer().models[0]
OF_WICKED = answer(models=[ModelDifferences(WICKED, answers.measures(), {"carrier": answers.groups(wicked=True)})],
                   old="a\nb|c")  # fmt: skip
LOSSES = [group._replace(differences=group.differences[1:]) for group in answers.groups()]
OUTPUTS = {
    "failed": ("txt 100.txt md full.md csv html", answer(), question(), {"gate": gate(FAILING)}),
    "passed": ("txt md", answer(), question(), {"gate": gate()}),
    "models": ("txt md csv html", several(), question(), {}),
    "groups": ("txt md csv", grouped(answers.groups(45), "boosting"), question(), {}),
    "unsure": ("md", grouped(unsure(50)), question(), {}),
    "losses": ("md", grouped(LOSSES), question(), {}),
    "classes": ("txt", grouped([], changes=[answers.changes()._replace(threshold=None)]), question(), {}),
    "scores": ("txt md", answer(models=[ALONE._replace(changes=[])]), question(on=("id",), changed=7), {}),
    "rows": ("txt", answer(models=[ALONE._replace(changes=[])]), question(), {}),  # without ids
    "names": ("md", OF_WICKED, question(), {}),
    "notebook": ("html", grouped(answers.groups(wicked=True), WICKED, changes=[answers.changes()]), question(), {}),
    "nan": (
        "txt md csv html",
        answer(models=[ModelDifferences("a", [difference("f1", "F1", np.nan, np.nan)])]),
        question(),
        {},
    ),
}


def table_of(made, asked, width, **gated):
    """Write a comparison for a terminal of so many letters, on which the tables fit."""
    return as_terminal(document_of_comparison(made, asked, Shown(width=width), **gated), width)


WRITERS = {
    "txt": lambda *asked, **gated: table_of(*asked, None, **gated),
    "100.txt": lambda *asked, **gated: table_of(*asked, 100, **gated),
    "md": lambda *asked, **gated: as_markdown(document_of_comparison(*asked, COMMENT, **gated)),
    "full.md": lambda *asked, **gated: as_markdown(document_of_comparison(*asked, FULL, **gated), full=True),
    "csv": lambda made, asked, **gated: as_comparison_csv(made),
    "html": lambda *asked, **gated: as_notebook(document_of_comparison(*asked)),
}


@every("name", OUTPUTS)
def test_every_format_says_what_a_person_has_read(name):
    endings, made, asked, gated = OUTPUTS[name]
    for ending in endings.split():
        check_output(f"document/comparison/outputs/{name}.{ending}", WRITERS[ending](made, asked, **gated))


@every("width", [40, 80, 100, 120, 130])
def test_a_narrow_table_leaves_out_columns_or_has_parts_and_says_so(width):
    text = table_of(answer(), question(), width)
    assert max(map(len, text.splitlines())) <= width
    check_output(f"document/comparison/outputs/width_{width}.txt", text)


def test_names_are_no_markup_and_a_comment_is_no_longer_than_github_takes():
    for line in as_markdown(document_of_comparison(OF_WICKED, question(), COMMENT)).splitlines():
        assert "<script" not in line.replace("\\<", "")
        if line.startswith("| "):
            assert line.replace("\\|", "").count("|") in {3, 4, 5, 7, 8, 9, 10}
    assert "<script" not in as_notebook(document_of_comparison(*OUTPUTS["notebook"][1:3]))
    groupings = {f"column {index}": answers.groups(100) for index in range(25)}
    model = ModelDifferences("boosting", answers.measures(), groupings)
    text = as_markdown(document_of_comparison(answer(models=[model]), question(), COMMENT, gate=gate()))
    assert len(text) < 65_536
    assert "are too long for a comment; JSON and CSV have all numbers." in text
    assert "<summary>Notes</summary>" in text


def test_json_follows_its_schema_and_has_every_entry_of_it():
    for made in (answer(), several(), answer(models=[ModelDifferences("a", [difference("f1", "F1", 0.5, math.nan)])])):
        for found in (None, gate(), gate(FAILING)):
            tree = json.loads(as_comparison_json(made, question(by=(), margin=0.02), gate=found))
            jsonschema.Draft202012Validator(SCHEMA).validate(tree)
            assert ("gate" in tree) == (found is not None)
    measured = tree["models"]["a"]["measures"]["f1"]
    assert measured["old"] == 0.5
    assert measured["new"] is None
    tree = comparison_tree(
        answer(), question(on=("id",), cluster="tail", fold=("fold",), method="bootstrap", resamples=99, seed=7)
    )
    assert (tree["resamples"], tree["seed"]) == (99, 7)
    assert {*SCHEMA["properties"]} - {*tree} == {"gate", "weight", "weight_type"}
    model = tree["models"]["boosting"]
    assert {*SCHEMA["$defs"]["model"]["properties"]} == {*model}
    assert {*SCHEMA["$defs"]["difference"]["properties"]} == {*model["measures"]["roc_auc"]}
    case = {"id": ["AA", 1], "label": False, "old": 0.25, "new": 0.75, "shown": {}}
    assert model["changes"][0]["newly_wrong"][1] == case
    assert list(model["groups"]["carrier"]) == ["C0", "C1", "C2", "C3"]
