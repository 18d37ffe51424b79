"""Tables of text are those of rich, which draws them only where cells need several lines."""

from hypothesis import example, given
from hypothesis import strategies as st

from evalcore.report import rendering
from evalcore.text_tables import MARKDOWN, TERMINAL, ruled_lines

CELLS = st.text(st.sampled_from("aZ 0.|é日\u0301"), max_size=5).map(str.rstrip)
SHAPES = st.tuples(st.integers(1, 4), st.integers(1, 4))
ROWS = SHAPES.flatmap(
    lambda shape: st.lists(
        st.lists(CELLS, min_size=shape[0], max_size=shape[0]), min_size=shape[1] + 1, max_size=shape[1] + 1
    )
)


@given(ROWS, st.sampled_from([TERMINAL, MARKDOWN]), st.sampled_from([None, 12, 30]))
@example([["", ""], ["", ""]], TERMINAL, None)
@example([["a", "b"], ["a\nb", "1"]], MARKDOWN, None)
def test_a_table_of_plain_lines_is_that_of_rich(rows, style, width):
    assert rendering._drawn(rows, style, width) == rendering._folded(rows, style, width)


def test_the_first_columns_are_aligned_to_the_left():
    rows = [["label", "predicted", "cases"], ["ash", "elm", "3"]]
    assert ruled_lines(rows, TERMINAL, names=2) == [
        "  label   predicted   cases  ",
        " ─────────────────────────── ",
        "  ash     elm             3  ",
    ]
