"""A file is written whole or not at all, whatever happens to the writer."""

import contextlib
import os
import signal
import socket
import stat
import subprocess
import sys
import threading

import pytest

from evalcore import ConfusionMatrix, EvaluationTypeError
from evalcore.saving.files import check_writable, write_atomically, write_output
from tests.differences import every, refused
from tests.saving.objects import KINDS

OLD = ConfusionMatrix(["a", "b"], [[3, 1], [2, 4]])
NEW = ConfusionMatrix(["a", "b"], [[0, 0], [0, 0]])
STUCK = """
import os, sys, time
import evalcore.saving.files as files
from evalcore import ConfusionMatrix

def stuck(*args, **kwargs):
    print("stuck", flush=True)
    time.sleep(600)

class Slow:
    def __init__(self, file):
        self.file = file
    def __enter__(self):
        self.file.__enter__()
        return self
    def __exit__(self, *args):
        return self.file.__exit__(*args)
    def __getattr__(self, name):
        return getattr(self.file, name)
    def write(self, content):
        self.file.write(content[: len(content) // 2])
        self.file.flush()
        stuck()

def slow_open(*args):
    return Slow(open(*args))

where, path = sys.argv[1:]
if where == "write":
    files.open = slow_open
else:
    setattr(os, where, stuck)
ConfusionMatrix(["a", "b"]).save(path)
"""


def started(script, *arguments):
    return subprocess.Popen([sys.executable, "-c", script, *map(str, arguments)], stdout=subprocess.PIPE, text=True)


def parts(folder):
    return [path for path in folder.iterdir() if path.suffix == ".part"]


@every("name", KINDS)
def test_a_file_holds_what_was_saved_and_nothing_lies_beside_it(name, tmp_path):
    saved = KINDS[name].example()
    path = tmp_path / "state.evalcore"
    for form in (path, str(path), os.fsencode(path)):
        saved.save(form)
        loaded = KINDS[name].cls.load(form)
        assert (type(loaded), loaded) == (KINDS[name].cls, saved)
    assert path.read_bytes() == saved.to_bytes()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.process
@pytest.mark.parametrize("where", ["write", "fsync", "replace"])
def test_a_writer_that_is_killed_leaves_the_old_file(where, tmp_path):
    path = tmp_path / "state.evalcore"
    OLD.save(path)
    with started(STUCK, where, path) as writer:
        assert writer.stdout.readline() == "stuck\n"
        (part,) = parts(tmp_path)
        assert part.stat().st_size > 0
        assert ConfusionMatrix.load(path).to_bytes() == OLD.to_bytes()  # a reader meanwhile
        os.kill(writer.pid, signal.SIGKILL)
        assert writer.wait() == -signal.SIGKILL
    assert ConfusionMatrix.load(path).to_bytes() == OLD.to_bytes()
    assert parts(tmp_path) == [part]
    NEW.save(path)  # what the killed one left is in nobody's way
    assert ConfusionMatrix.load(path).totalCount() == 0


def test_readers_see_one_whole_content_or_the_other(tmp_path):
    path = tmp_path / "state"
    contents = [b"a" * 600_000, b"b" * 200_000]
    write_atomically(path, contents[0])
    done = threading.Event()

    def write():
        for turn in range(20):
            write_atomically(path, contents[turn % 2])
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not done.is_set():
        assert path.read_bytes() in contents
    writer.join()
    assert list(tmp_path.iterdir()) == [path]


@every("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()])
@every("where", ["fsync", "replace"])
def test_an_error_leaves_the_old_file_and_nothing_beside_it(where, error, tmp_path, monkeypatch):
    path = tmp_path / "state.evalcore"
    OLD.save(path)

    def fail(*args):
        raise error

    monkeypatch.setattr(os, where, fail)
    told = isinstance(error, OSError)
    expected = refused(f"{path}: cannot be written: No space left on device") if told else pytest.raises(type(error))
    with expected:
        NEW.save(path)
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == [path]
    assert ConfusionMatrix.load(path).to_bytes() == OLD.to_bytes()


def test_file_and_folder_are_flushed_the_file_before_it_has_the_name(tmp_path, monkeypatch):
    steps = []
    real_fsync, real_replace = os.fsync, os.replace

    def fsync(descriptor):
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        real_fsync(descriptor)

    def replace(*paths):
        steps.append("replace")
        real_replace(*paths)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    write_atomically(tmp_path / "state", b"content")
    assert steps == ["file", "replace", "folder"]


def test_files_keep_their_permissions_on_disks_that_flush_no_folders(tmp_path, monkeypatch):
    before = os.umask(0o027)
    try:
        path = tmp_path / "state"
        write_atomically(path, b"old")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        write_atomically(path, b"new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(before)
    real = os.fsync

    def fsync(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(22, "Invalid argument")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    OLD.save(tmp_path / "state")
    assert ConfusionMatrix.load(tmp_path / "state").totalCount() == 10


def test_a_link_stays_a_link_and_names_may_be_long_or_without_a_folder(tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "state", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    for path in (link, tmp_path / ("n" * 255), tmp_path / ("ü" * 127)):
        write_atomically(path, b"content")
        assert path.read_bytes() == b"content"
    assert link.is_symlink()
    assert target.read_bytes() == b"content"
    monkeypatch.chdir(tmp_path)
    OLD.save("state")
    assert ConfusionMatrix.load("state").totalCount() == 10


@every(("call", "done"), [(OLD.save, "written"), (ConfusionMatrix.load, "read")])
def test_a_path_that_is_none_is_told(call, done, tmp_path):
    nowhere = tmp_path / "nowhere" / "state"
    missing = "cannot be written: No such file or directory" if done == "written" else "no such file"
    for path, text in (
        (nowhere, f"{nowhere}: {missing}"),
        (tmp_path, f"{tmp_path}: cannot be {done}: Is a directory"),
        ("a\0b", "path must not hold a null character, got 'a\\x00b' (str)"),
    ):
        with refused(text):
            call(path)
    for path, text in ((3, "3 (int)"), (None, "None (NoneType)")):
        with refused(f"path must be a path, got {text}", EvaluationTypeError):
            call(path)


def test_a_file_that_holds_something_else_is_told_by_its_path(tmp_path):
    path, whole = tmp_path / "state", OLD.to_bytes()
    for content, text in (
        (b"", "is cut short: 0 bytes"),
        (whole[:-1], f"is cut short: {len(whole) - 1} of {len(whole)} bytes"),
        (whole + b"\n", "is damaged: 1 bytes follow its end"),
        (b"late,score\n1,0.5\n", "is not a saved evalcore object"),
        (KINDS["Contingency"].example().to_bytes(), "holds a Contingency, not a ConfusionMatrix"),
    ):
        path.write_bytes(content)
        with refused(f"{path} {text}"):
            ConfusionMatrix.load(path)


needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


@contextlib.contextmanager
def reader(open_pipe):
    """Yield a list that holds what came through a pipe, once the block has ended."""
    came = []

    def read():
        with open_pipe() as stream:
            came.append(stream.read())

    thread = threading.Thread(target=read)
    thread.start()
    yield came
    thread.join()


@needs_pipes
def test_pipes_are_refused_for_states_and_written_to_for_outputs(tmp_path):
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        for write in (lambda path: write_atomically(path, b"content"), OLD.save):
            with refused(f"{path}: cannot be written: it is a pipe or a device, not a file"):
                write(path)
        check_writable(path)
        with reader(lambda: open(pipe, "rb")) as came:
            write_output(path, b"content")
        assert came == [b"content"]
    assert pipe.is_fifo()
    assert link.is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {"pipe", "link"}
    gone = threading.Thread(target=lambda: open(pipe, "rb").close())
    gone.start()
    with pytest.raises(BrokenPipeError):
        write_output(pipe, bytes(1 << 20))
    gone.join()


@needs_pipes
@every("kind", ["pipe", "socket", "file", "deleted file"])
def test_open_descriptors_are_written_to_and_never_replaced(kind, tmp_path):
    file = tmp_path / "file"
    if kind == "pipe":
        end, descriptor = os.pipe()
    elif kind == "socket":
        end, descriptor = (each.detach() for each in socket.socketpair())
    else:
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT)
        end = os.open(file, os.O_RDONLY)
        if kind == "deleted file":
            file.unlink()
    before = {path.name for path in tmp_path.iterdir()}
    os.write(descriptor, b"table, ")
    link = tmp_path / "link"
    link.symlink_to(f"/dev/fd/{descriptor}")
    for path in (f"/dev/fd/{descriptor}", link):
        check_writable(path)
        write_output(path, b"page, ")
        with refused(f"{path}: cannot be written: it is a pipe or a device, not a file"):
            write_atomically(path, b"state")
    link.unlink()
    os.close(descriptor)
    assert os.read(end, 100) == b"table, page, page, "
    os.close(end)
    assert {path.name for path in tmp_path.iterdir()} == before
    with refused(f"/dev/fd/{descriptor}: cannot be written: Bad file descriptor"):
        check_writable(f"/dev/fd/{descriptor}")


@pytest.mark.process
def test_the_file_of_standard_output_is_written_to_where_it_is(tmp_path):
    code = "import os, sys; from evalcore.saving.files import write_output; os.write(1, b'table, ')\n"
    code += "for name in sys.argv[1:]: write_output(name, b'page, ')"
    path, link = tmp_path / "out", tmp_path / "link"
    link.symlink_to(path)
    with open(path, "wb") as out:
        subprocess.run([sys.executable, "-c", code, "/dev/stdout", str(path), str(link)], stdout=out, check=True)
    assert path.read_bytes() == b"table, page, page, page, "
    assert link.is_symlink()


def as_disk(found, is_one):
    return os.stat_result((stat.S_IFBLK | 0o660, *found[1:])) if is_one else found


def test_devices_stay_devices_and_disks_are_refused(tmp_path, monkeypatch):
    main, terminal = os.openpty()
    write_output(os.ttyname(terminal), b"page")
    assert os.read(main, 100) == b"page"
    os.close(main)
    os.close(terminal)
    path = tmp_path / "disk"
    path.write_bytes(b"all there is")
    real = os.stat
    monkeypatch.setattr(os, "stat", lambda name, **more: as_disk(real(name, **more), str(name) == str(path)))
    for write in (write_atomically, write_output):
        with refused(f"{path}: cannot be written: it is a pipe or a device, not a file"):
            write(path, b"page")
    monkeypatch.undo()
    assert path.read_bytes() == b"all there is"


@every("write", [write_atomically, write_output])
def test_owners_are_kept_where_that_is_allowed(write, tmp_path, monkeypatch):
    path, asked = tmp_path / "state", []
    path.write_bytes(b"old")

    def chown(part, user, group):
        asked.append((user, group))
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", chown)
    write(path, b"new")
    assert asked == [(-1, path.stat().st_gid), (path.stat().st_uid, -1)]
    assert path.read_bytes() == b"new"


def test_what_may_not_be_written_is_told_before_and_stays(tmp_path, monkeypatch):
    path, loop = tmp_path / "state", tmp_path / "loop"
    path.write_bytes(b"old")
    loop.symlink_to(loop)
    for check in (check_writable, lambda path: write_atomically(path, b""), lambda path: write_output(path, b"")):
        for wrong, why in (
            (loop, "Too many levels of symbolic links"),
            (tmp_path / "no" / "x", "No such file or directory"),
            (path / "x", "Not a directory"),
            (".", "Is a directory"),
        ):
            with refused(f"{wrong}: cannot be written: {why}"):
                check(wrong)
        with refused("path must not be empty"):
            check("")
        with monkeypatch.context() as patched:
            patched.setattr(os, "access", lambda *asked: False)
            with refused(f"{path}: cannot be written: Permission denied"):
                check(path)
    check_writable(path)
    assert path.read_bytes() == b"old"
    assert {each.name for each in tmp_path.iterdir()} == {"state", "loop"}
