"""Sizes that people write."""

from evalcore.io import memory
from evalcore.io.memory import machine_memory, memory_size, shown_size
from tests.differences import every, refused

SIZES = {
    "500M": 500_000_000, "500 MB": 500_000_000, "2G": 2_000_000_000, "2g": 2_000_000_000, "1.5GiB": 3 << 29,
    "1.5Gi": 3 << 29, "300000k": 300_000_000, "262144KiB": 1 << 28, "1T": 10**12, "256000000": 256_000_000,
    "256000000B": 256_000_000, "256M": 256_000_000,
}  # fmt: skip


@every(("text", "size"), SIZES.items())
def test_sizes(text, size):
    assert memory_size(text) == size


NO_SIZES = ["", "much", "-1G", "1e9", "G", "1,5G", "500iB", "1GG", "½G", "٣G", "nan", "1 0G"]


@every(
    ("text", "why"),
    [*((text, f"a size such as 500M, 2G or 1.5GiB, got {text!r}") for text in NO_SIZES),
     *((text, f"at least 256M, which the program needs, got {text}") for text in ("255M", "0", "255999999", "100 kB"))],
)  # fmt: skip
def test_an_invalid_size_or_too_little_is_refused(text, why):
    with refused(f"memory must be {why}"):
        memory_size(text)


@every(
    ("size", "text"),
    (0, "0 bytes"), (999, "999 bytes"), (1500, "1.5 kB"), (300_000_000, "300 MB"), (1.66e9, "1.7 GB"),
     (2e13, "20 TB"),
)  # fmt: skip
def test_sizes_for_people(size, text):
    assert shown_size(size) == text


def test_a_container_may_have_less_than_its_machine(tmp_path, monkeypatch):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_CONTROL_GROUPS", (str(limit),))
    monkeypatch.setattr(memory.os, "sysconf", {"SC_PHYS_PAGES": 1_000_000, "SC_PAGE_SIZE": 4096}.get, raising=False)
    assert machine_memory() == 4_096_000_000
    limit.write_text("max\n")
    assert machine_memory() == 4_096_000_000
    limit.write_text("300000000\n")
    assert machine_memory() == 300_000_000


@every("said", [lambda name: -1, "".index])
def test_a_machine_that_does_not_say(monkeypatch, said):
    monkeypatch.setattr(memory.os, "sysconf", said, raising=False)
    assert machine_memory() is None
