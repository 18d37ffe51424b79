from evalcore.kernels.blocks import blocks
from tests.differences import every
from tests.strategies import block_size


@every("size", [0, 1, 2, 3, 6, 7, 8])
@every("most", [1, 2, 3, 7])
def test_blocks_hold_every_index_once_in_order_and_none_is_empty_or_too_long(size, most):
    with block_size(most):
        pieces = [range(size)[block] for block in blocks(size)]
    assert [index for piece in pieces for index in piece] == list(range(size))
    assert all(len(piece) == most for piece in pieces[:-1])
    assert all(1 <= len(piece) <= most for piece in pieces)


def test_stops_stay_within_the_size():
    with block_size(4):
        assert [block.stop for block in blocks(6)] == [4, 6]
