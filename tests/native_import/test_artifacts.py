"""No link and no trick leads out of the root, and only ordinary files of a bounded size are read."""

import os
import socket
import tempfile
from pathlib import Path

import pytest

from common.eval.artifacts import Root
from common.eval.refused import InputRefused
from tests.native_import.cohort import left


def read(root: Path, directory: str = "a", name: str = "result.json", limit: int = 100) -> bytes | None:
    with Root(root) as opened, opened.attempt(directory) as folder:
        return None if folder is None else folder.read(name, limit)


def refusal(root: Path, **asked) -> str:
    with pytest.raises(InputRefused) as refused:
        read(root, **asked)
    return str(refused.value)


def test_a_file_is_read_whole_at_its_limit_and_not_beyond(tmp_path):
    left(tmp_path, "a", b"x" * 100)

    assert read(tmp_path) == b"x" * 100
    assert refusal(tmp_path, limit=99) == f"{tmp_path}/a/result.json: is larger than 99 bytes"


def test_what_is_not_there_is_none(tmp_path):
    left(tmp_path, "a")

    assert read(tmp_path) is None
    assert read(tmp_path, name="agent/trajectory.json") is None
    assert read(tmp_path, directory="b") is None
    assert read(tmp_path, directory="b/c") is None


def test_a_root_that_is_no_folder_is_refused(tmp_path):
    (tmp_path / "file").touch()
    for name in ("file", "absent"):
        with pytest.raises(InputRefused, match="cannot be opened as a folder"):
            Root(tmp_path / name)


def test_a_link_in_place_of_a_directory_is_refused_even_to_one_beneath_the_root(tmp_path):
    left(tmp_path, "real", b"{}")
    (tmp_path / "a").symlink_to("real")
    assert "'a' is a symbolic link" in refusal(tmp_path)


def test_a_link_on_the_way_to_a_directory_is_refused(tmp_path):
    left(tmp_path, "real/a", b"{}")
    (tmp_path / "job").symlink_to(tmp_path / "real")
    assert "'job' is a symbolic link" in refusal(tmp_path, directory="job/a")


def test_a_link_in_place_of_a_result_is_refused_dangling_or_not(tmp_path):
    left(tmp_path, "a")
    (tmp_path / "secret").write_text("{}")
    (tmp_path / "a/result.json").symlink_to("../secret")
    assert "'result.json' is a symbolic link" in refusal(tmp_path)
    (tmp_path / "secret").unlink()
    assert "'result.json' is a symbolic link" in refusal(tmp_path)


def test_a_link_in_place_of_the_agents_folder_is_refused(tmp_path):
    left(tmp_path, "b", trajectory=b"{}")
    left(tmp_path, "a")
    (tmp_path / "a/agent").symlink_to("../b/agent")
    assert "'agent' is a symbolic link" in refusal(tmp_path, name="agent/trajectory.json")


def test_a_file_in_place_of_a_directory_is_refused(tmp_path):
    (tmp_path / "a").touch()
    assert "'a' is a symbolic link or no folder" in refusal(tmp_path)


def test_only_an_ordinary_file_is_read_and_a_pipe_holds_nobody_up(tmp_path):
    folder = left(tmp_path, "a")
    os.mkfifo(folder / "result.json")
    assert "is no ordinary file" in refusal(tmp_path)
    (folder / "result.json").unlink()
    (folder / "result.json").mkdir()
    assert "is no ordinary file" in refusal(tmp_path)


def test_a_socket_is_refused():
    with tempfile.TemporaryDirectory(prefix="tp-") as short, socket.socket(socket.AF_UNIX) as listening:
        left(Path(short), "a")
        listening.bind(f"{short}/a/result.json")
        assert "cannot be opened as a file" in refusal(Path(short))


def test_the_same_folder_under_another_name_is_refused(tmp_path, monkeypatch):
    left(tmp_path, "a", b"{}")
    left(tmp_path, "b", b"{}")
    told = (tmp_path / "a").stat()
    monkeypatch.setattr(os, "fstat", lambda _: told)  # as a bind mount or a case-blind disk shows it
    with Root(tmp_path) as opened:
        with opened.attempt("a"):
            pass
        with pytest.raises(InputRefused, match="is the folder 'a' under another name"), opened.attempt("b"):
            pass


def test_a_folder_that_is_replaced_by_a_link_after_it_was_opened_does_not_lead_out(tmp_path):
    left(tmp_path, "a", b"mine", trajectory=b"mine, too")
    outside = left(tmp_path, "outside", b"secret", trajectory=b"secret")
    with Root(tmp_path) as opened, opened.attempt("a") as folder:
        assert folder is not None
        (tmp_path / "a").rename(tmp_path / "moved")
        (tmp_path / "a").symlink_to(outside)
        assert folder.read("result.json", 100) == b"mine"
        assert folder.read("agent/trajectory.json", 100) == b"mine, too"


def test_a_file_that_is_written_to_while_it_is_read_is_refused(tmp_path, monkeypatch):
    file = left(tmp_path, "a", b"x" * 50) / "result.json"
    ordinary = os.read

    def read_before_the_writer(descriptor: int, count: int) -> bytes:
        piece = ordinary(descriptor, count)
        if not piece:
            file.write_bytes(b"y" * 51)
        return piece

    monkeypatch.setattr(os, "read", read_before_the_writer)
    assert "was written to while it was read" in refusal(tmp_path)


def test_nothing_stays_open(tmp_path):
    left(tmp_path, "a", b"x" * 200, trajectory=b"{}")
    before = len(list(Path("/proc/self/fd").iterdir()))
    read(tmp_path, name="agent/trajectory.json")
    read(tmp_path, directory="b/c")
    refusal(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before
