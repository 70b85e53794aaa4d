import subprocess
import sys

import pytest

from tests.environments import environment


def test_an_environment_holds_nothing_of_ours_and_is_made_once(tmp_path):
    python = environment("empty")
    listed = "import importlib.metadata as m, sys; print([d.name for d in m.distributions()], sys.version_info[:2])"
    done = subprocess.run([python, "-c", listed], cwd=tmp_path, capture_output=True, text=True, check=True, env={})
    assert done.stdout.strip() == f"[] {sys.version_info[:2]}"
    made = (python.parents[1] / "ready").stat().st_mtime_ns
    assert environment("empty") == python
    assert (python.parents[1] / "ready").stat().st_mtime_ns == made


def test_an_interpreter_that_is_not_here_skips_the_test_and_is_named():
    with pytest.raises(pytest.skip.Exception, match=r"needs python9\.99, which is neither on PATH"):
        environment("later", python="python9.99")


def test_what_cannot_be_installed_skips_the_test_with_what_pip_said(tmp_path):
    nowhere = str(tmp_path / "nowhere-1.0-py3-none-any.whl")
    with pytest.raises(pytest.skip.Exception, match=r"'absent' .* could not be made: .*nowhere"):
        environment("absent", nowhere)
