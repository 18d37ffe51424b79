"""A comparison as a table, Markdown, JSON and CSV says what it found, and shows names as they are."""

import csv
import io
import json
import math
from pathlib import Path

import jsonschema
import numpy as np

from evalcore.comparison.text import (
    as_comparison_csv,
    as_comparison_html_tables,
    as_comparison_json,
    as_comparison_markdown,
    as_comparison_table,
    ends_of_groups,
)
from evalcore.comparison.tree import DifferenceRow, comparison_tree
from evalcore.comparison.words import MISSING, DifferenceTexts, difference_texts, p_text, short_texts
from evalcore.evaluation.differences import ModelDifferences
from tests.comparison import answers
from tests.comparison.answers import WICKED, answer, difference, gate, question
from tests.differences import every

FAILING = "any carrier: roc_auc drops by 0.02"
REASON = "roc_auc of boosting where carrier is C0 (4,000 cases) drops by 0.03 [0.02, 0.04], from 0.7 to 0.67; the \
limit is 0.02 (certain)"
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


def test_a_sentence_has_the_decimals_that_an_interval_carries():
    assert short_texts(difference("f1", "F1", 0.5, 0.4, 0.02)) == DifferenceTexts(
        "0.500", "0.400", "-0.100", "[-0.120, -0.080]", "0.100", "[0.080, 0.120]"
    )


@every(("value", "text"), [(0.0, "< 1e-300"), (2e-301, "< 1e-300"), (0.5, "0.5000"), (4.2e-7, "4.2e-07")])
def test_p_values_are_short_and_never_zero(value, text):
    assert p_text(value) == text


def test_a_table_has_the_answer_the_gate_the_numbers_and_the_notes():
    lines = as_comparison_table(answer(), question(), gate=gate(FAILING), width=None).splitlines()
    assert lines[0] == "late: boosting (new) against logistic (old)"
    assert lines[1] == "boosting is better than logistic: its ROC AUC is 0.0183 higher [0.0171, 0.0195], p < 1e-300."
    assert lines[5:7] == ["Gate failed: the condition is true", f"  {REASON}"]
    assert [line.split()[0] for line in lines[9:12]] == ["ROC", "log", "recall"]
    numbers = "0.7142 0.7325 +0.0183 [0.0171, 0.0195] better < 1e-300 < 1e-300 < 1e-300 0.0017"
    assert " ".join(lines[9].split()[2:]) == numbers
    assert "ROC AUC by carrier, the groups that got worse first" in lines
    assert "  old right     250,000       1,100" in lines
    assert lines[-2:] == [
        "Note: 327,346 cases were compared; 4 that only the new side has were left out",
        "Note: a note with *markup*",
    ]


def test_a_narrow_table_leaves_out_columns_or_has_parts_and_says_so():
    for width in (40, 80, 100, 120):
        text = as_comparison_table(answer(), question(), width=width)
        assert max(map(len, text.splitlines())) <= width
        assert "better" in text
    text = as_comparison_table(answer(), question(), width=100)
    assert "detectable" not in text.partition("\nNote: ")[0]
    left_out = "columns that do not fit on a line are left out ({}); JSON and CSV have all numbers"
    for width, heads in ((100, "p; p, Holm; p, B-H; detectable"), (130, "detectable")):
        text = as_comparison_table(answer(), question(), width=width)
        assert left_out.format(heads) in " ".join(text.split())


def test_several_models_and_many_groups_have_tables_of_their_own_and_of_their_ends():
    text = as_comparison_table(several(), question())
    assert "\nboosting against logistic\n" in text
    assert "\nforest: decisions at threshold 0.3\n" in text
    assert text.count("is better than logistic") == 2
    groups = answers.groups(2000)
    assert len(ends_of_groups(groups)) == 40
    for written in (as_comparison_table, as_comparison_markdown):
        text = written(grouped(groups, "boosting"), question())
        assert "... and 1,960 more" in text
        assert "C1999" in text
        assert "C1000" not in text
        assert len(text) < 20_000
    text = as_comparison_table(grouped([], changes=[answers.changes()._replace(threshold=None)]), question())
    assert "\nnewly wrong by predicted class\n" in text


def test_markdown_is_made_for_a_comment():
    text = as_comparison_markdown(answer(), question(), gate=gate())
    parts = text.split("\n\n")
    assert parts[0].startswith("**boosting is better than logistic: its ROC AUC is 0.0183 higher")
    said = "**Gate passed: the condition is not true (4 groups by carrier judged)**"
    assert parts[2] == f"\N{WHITE HEAVY CHECK MARK} {said}"
    head, _, first = parts[3].splitlines()[:3]
    assert " ".join(head.split()) == "| measure | old | new | difference, 95% interval | verdict | p |"
    assert "p < 1e-300" in first.replace("| \\<", "p <")
    worse = "1 of 4 groups by carrier got worse in ROC AUC by their intervals"
    assert parts[4] == f"{worse}, 1 of them also after Holm's adjustment:"
    assert text.count("<details>") == text.count("</details>") == 2
    assert text.index("<details>") > text.index("got worse in ROC AUC by")
    assert "\\*markup\\*" in text
    assert "log loss, difference" not in text
    failed = as_comparison_markdown(answer(), question(), gate=gate(FAILING))
    assert "\n\n\N{CROSS MARK} **Gate failed: the condition is true**\n\n- roc_auc of boosting where" in failed
    assert "### forest against logistic" in as_comparison_markdown(several(), question())


def test_names_are_no_markup_in_comments_and_notebooks_with_all_tables():
    model = ModelDifferences(WICKED, answers.measures(), {"carrier": answers.groups(wicked=True)})
    text = as_comparison_markdown(answer(models=[model], old="a\nb|c"), question())
    for line in text.splitlines():
        assert "<script" not in line.replace("\\<", "")
        if line.startswith("| "):
            assert line.replace("\\|", "").count("|") in {5, 7, 8, 9, 10}
    made = grouped(answers.groups(wicked=True), WICKED, changes=[answers.changes()])
    text = as_comparison_html_tables(made, question())
    assert text.startswith("<h3>late: &lt;script&gt;")
    assert "<script" not in text
    assert text.count("<table>") == 5
    assert "<p>Note: a note with *markup*</p>" in text
    groupings = {f"column {index}": answers.groups(100) for index in range(25)}
    model = ModelDifferences("boosting", answers.measures(), groupings)
    text = as_comparison_markdown(answer(models=[model]), question(), gate=gate())
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
    tree = comparison_tree(answer(), question(on=("id",), cluster="tail", method="bootstrap", resamples=99, seed=7))
    assert tree["resamples"], tree["seed"] == (99, 7)
    assert {*SCHEMA["properties"]} - {*tree} == {"gate", "weight", "weight_type"}
    model = tree["models"]["boosting"]
    assert {*SCHEMA["$defs"]["model"]["properties"]} == {*model}
    assert {*SCHEMA["$defs"]["difference"]["properties"]} == {*model["measures"]["roc_auc"]}
    assert model["changes"][0]["newly_wrong"][1] == {"id": ["AA", 1], "label": False, "old": 0.25, "new": 0.75}
    assert list(model["groups"]["carrier"]) == ["C0", "C1", "C2", "C3"]


def test_csv_has_a_line_for_each_model_group_and_measure():
    rows = list(csv.DictReader(io.StringIO(as_comparison_csv(several()))))
    assert list(rows[0]) == list(DifferenceRow._fields)
    assert len(rows) == 2 * (3 + 4 * 2)
    assert rows[0]["difference"] == repr(0.7325148 - 0.7142349)
    assert (rows[3]["grouping"], rows[3]["group"], rows[3]["cases"]) == ("carrier", "C0", "4000")
    text = as_comparison_csv(answer(models=[ModelDifferences("a", [difference("f1", "F1", np.nan, np.nan)])]))
    assert text.splitlines()[1].startswith("a,,,400,f1,,,,,,")


def test_groups_got_worse_by_chance_or_where_their_loss_rose():
    unsure = [group._replace(differences=[group.differences[0]._replace(holm=0.06)]) for group in answers.groups(50)]
    worse = "13 of 50 groups by carrier got worse in ROC AUC by their intervals, none of them also after Holm's"
    assert f"{worse} adjustment; the 10 that lost most:" in as_comparison_markdown(grouped(unsure), question())
    groups = [group._replace(differences=group.differences[1:]) for group in answers.groups()]
    text = as_comparison_markdown(grouped(groups), question())
    assert "1 of 4 groups by carrier got worse in log loss by their intervals" in text


def test_scores_that_changed_most_are_listed_with_their_ids():
    by_id = question(on=("id",), changed=7)
    model = answers.answer().models[0]._replace(changes=[])
    text = as_comparison_table(answer(models=[model]), by_id)
    risen, fallen = text.index("\nscores that rose most\n"), text.index("\nscores that fell most\n")
    rows = text[risen:fallen].splitlines()
    assert rows[2].split() == ["id", "label", "old", "new"]
    assert [row.split()[0] for row in rows[4:]] == ["UA0", "UA1", "UA2", "UA3", "UA4"]
    assert "AA, 4" in text
    assert "rose most" not in as_comparison_table(answer(models=[model]), question())  # rows have no ids
    assert "rose most" not in as_comparison_table(answer(), by_id)  # those that changed hands are listed
    listed = as_comparison_markdown(answer(models=[model]), by_id)
    assert "**scores that rose most**" in listed
    assert listed.count("| UA") == 7
