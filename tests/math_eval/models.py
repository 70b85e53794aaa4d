"""Generators and verifiers that tests name on the command line."""

from __future__ import annotations

import os
import signal
from pathlib import Path

ASKED = "MATH_EVAL_TEST_ASKED"
"""Names a file that gets a line for each prompt."""
BROKEN = "MATH_EVAL_TEST_BROKEN"
"""Names a file; while it is there, the generation of `flaky` fails, and `die` kills the process."""


def scripted(prompt: str) -> object:
    """Does what the problem says, in its first line."""
    _note(prompt)
    told = prompt.partition("\n")[0]
    if told == "raise":
        raise ConnectionError("no model here")
    if told == "number":
        return 4
    if told == "die" and Path(os.environ[BROKEN]).exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return told.removeprefix("say ")


def flaky(prompt: str) -> str:
    _note(prompt)
    if Path(os.environ[BROKEN]).exists():
        raise TimeoutError("the model is loading")
    return prompt.partition("\n")[0].removeprefix("say ")


def picky(completion: str, expected: str) -> object:
    """A verifier: what it does is what the completion says."""
    if completion == "late":
        raise TimeoutError("60 s")
    if completion == "bug":
        raise ZeroDivisionError("division\nby zero")
    return {"half": 0.5, "one": 1, "none": None, "text": "yes"}.get(completion, completion == expected)


def _note(prompt: str) -> None:
    if ASKED in os.environ:
        with Path(os.environ[ASKED]).open("a") as file:
            file.write(prompt.partition("\n")[0] + "\n")
