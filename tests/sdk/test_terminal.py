"""What commands say, on terminals and streams as they are."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tuneplane.terminal import NowAndThen, shown, tell, tell_lines

SDK = Path(__file__).parents[2] / "sdk"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Größe 3", "Größe 3"),
        ("\x1b[2Jgone\nrefused: nothing", "\\x1b[2Jgone\\nrefused: nothing"),
        ("half \ud800", "half \\ud800"),
        ("turned \u202e", "turned \\u202e"),
    ],
)
def test_nothing_that_a_terminal_would_obey_is_told_as_it_is(text, told):
    assert shown(text) == told


def test_what_the_stream_has_no_letters_for_is_escaped():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    tell_lines(stream, ["é", "b"])
    assert stream.buffer.getvalue() == b"\\xe9\nb\n"


def test_a_reader_that_went_away_ends_nothing():
    reading, writing = os.pipe()
    os.close(reading)
    lines = "import sys; from tuneplane.terminal import tell_lines as t; t(sys.stdout, ['x' * 100_000]); sys.exit(7)"
    with os.fdopen(writing, "wb") as gone:
        done = subprocess.run(
            [sys.executable, "-c", lines],
            stdout=gone,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(SDK)},
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (7, b"")


@pytest.mark.parametrize("stderr", ["/dev/full", None])
def test_a_terminal_that_is_full_or_closed_ends_nothing(monkeypatch, stderr):
    with open(stderr or os.devnull, "w", encoding="utf-8") as stream:  # noqa: PTH123 - as a shell opens it
        if stderr is None:
            stream.close()
        monkeypatch.setattr(sys, "stderr", stream)
        tell("a line")
        monkeypatch.undo()
        if stderr is not None:
            with pytest.raises(OSError, match="No space left"):
                stream.close()


def test_progress_is_told_now_and_then_alone():
    assert NowAndThen(0).due()
    assert not NowAndThen(3600).due()
