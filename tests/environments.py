"""Environments of their own for real packages that are too large for the development lock.

`environment` makes one with pinned releases, or skips the test with the reason. It lives as long as the test run;
with TUNEPLANE_TEST_ENVIRONMENTS=FOLDER it is kept there, and later runs begin at once.
"""

import atexit
import contextlib
import fcntl
import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

_INSTALL_SECONDS = 900
_QUESTION_SECONDS = 60


def environment(name: str, *requirements: str, python: str = sys.executable) -> Path:
    """The python of a virtual environment that holds `requirements` (`"lm_eval==0.4.13"`) and nothing of ours.

    `python` is a path, or a name such as `python3.12` that is looked for on PATH, among pyenv's and with uv. Asked for
    again, by this process or another of the run, it is the same environment. Skips the test, saying why, where the
    interpreter is not here or the packages cannot be installed.
    """
    interpreter = _interpreter(python)
    if interpreter is None:
        pytest.skip(f"the environment {name!r} needs {python}, which is neither on PATH nor known to pyenv or uv")
    made_of = hashlib.sha256("\n".join([interpreter, *requirements]).encode()).hexdigest()
    folder = _folder() / f"{name}-{made_of[:12]}"
    ready, found = folder / "ready", folder / "bin" / "python"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            shutil.rmtree(folder, ignore_errors=True)
            problem = _make(folder, interpreter, requirements)
            if problem:
                shutil.rmtree(folder, ignore_errors=True)
                pytest.skip(f"the environment {name!r} ({', '.join(requirements)}) could not be made: {problem}")
            ready.touch()
    return found


def clean_variables(**more: str) -> dict[str, str]:
    """This process's environment variables without TunePlane's and without its module path, and `more`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("TUNEPLANE_", "PYTHONPATH"))}
    return {**kept, **more}


def _make(folder: Path, interpreter: str, requirements: tuple[str, ...]) -> str | None:
    """What went wrong; None when it is made. Installed with this interpreter's pip, which is pinned and quick.

    Modules are compiled when they are imported: a large package has thousands that no test does.
    """
    begun = time.monotonic()
    _say(f"making an environment with {', '.join(requirements) or 'nothing'}; a large package takes a minute")
    problem = _run(interpreter, "-m", "venv", "--without-pip", str(folder))
    if problem is None and requirements:
        pip = ("-m", "pip", "--disable-pip-version-check", "--python", str(folder / "bin" / "python"))
        problem = _run(
            sys.executable, *pip, "install", "--quiet", "--no-input", "--no-compile", "--retries", "1", *requirements
        )
    _say(f"{'failed' if problem else 'made'} after {time.monotonic() - begun:.0f} s")
    return problem


def _run(*command: str) -> str | None:
    """The end of what a command that failed said; None where it succeeded."""
    try:
        done = subprocess.run(
            command, env=clean_variables(), capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return str(problem)
    return None if done.returncode == 0 else " ".join(done.stderr.split())[-500:] or f"exit code {done.returncode}"


def _say(text: str) -> None:
    """Shown with `-s`, and where a test fails."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


@functools.cache
def _interpreter(python: str) -> str | None:
    """The real path of an interpreter that runs; a shim may stand for one that is not installed."""
    return next((found for candidate in _candidates(python) if (found := _answer(candidate))), None)


def _candidates(python: str) -> Iterator[str]:
    if found := shutil.which(python):
        yield found
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from map(str, sorted(pyenv.glob(f"*/bin/{python}"), reverse=True))
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        asked = [uv, "python", "find", "--no-python-downloads", python]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=_QUESTION_SECONDS, check=False)
        if done.returncode == 0:
            yield done.stdout.strip()


def _answer(candidate: str) -> str | None:
    question = [candidate, "-c", "import sys, venv; print(sys.executable)"]
    try:
        done = subprocess.run(question, capture_output=True, text=True, timeout=_QUESTION_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


@functools.cache
def _folder() -> Path:
    """Where environments are kept: the folder of the setting, else one that all processes of this run share."""
    if kept := os.environ.get("TUNEPLANE_TEST_ENVIRONMENTS"):
        folder = Path(kept).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or str(os.getpid())
    folder = Path(tempfile.gettempdir()) / f"tuneplane-environments-{os.getuid()}-{run}"
    folder.mkdir(mode=0o700, exist_ok=True)
    _removed_by_the_last(folder)
    return folder


def _removed_by_the_last(folder: Path) -> None:
    """Each process of the run holds a shared lock until it ends; who can have it alone is the last one."""
    used = (folder / "used").open("a")
    fcntl.flock(used, fcntl.LOCK_SH)

    def leave() -> None:
        with used:
            try:
                fcntl.flock(used, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(leave)
