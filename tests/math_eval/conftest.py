"""Problems, an evidence file, and the job that the results go to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from common.eval import math_eval
from tests.math_eval import models
from tests.sdk.conftest import job_env
from tests.sdk.ingest_stub import Ingest

Evaluate = Callable[..., int]


@pytest.fixture(autouse=True)
def _no_job(outside_a_job: None) -> None:
    """What runs the tests may be a job itself."""


@pytest.fixture
def _job(monkeypatch, ingest) -> None:
    for name, value in job_env(ingest.endpoint).items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def asked(tmp_path, monkeypatch) -> Callable[[], list[str]]:
    """The first lines of the prompts so far."""
    path = tmp_path / "asked"
    path.touch()
    monkeypatch.setenv(models.ASKED, str(path))
    return lambda: path.read_text().splitlines()


@pytest.fixture
def evaluate(tmp_path) -> Evaluate:
    """Runs the command over these problems; `more` goes to it as it is."""

    def run(problems: list[dict[str, Any]], *more: str, generator: str = "scripted") -> int:
        path = problem_file(tmp_path, problems)
        return math_eval.main(
            [
                *("--problems", str(path), "--output", str(tmp_path / "evidence.jsonl")),
                *(() if "--endpoint" in more else ("--generator", f"tests.math_eval.models:{generator}")),
                *more,
            ]
        )

    return run


def problem_file(folder: Path, problems: list[dict[str, Any]]) -> Path:
    path = folder / "problems.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in problems))
    return path


def a_problem(does: str = r"say \boxed{4}", answer: Any = "4", **more: Any) -> dict[str, Any]:
    return {"problem": does, "answer": answer, **more}


def executions(folder: Path) -> list[dict[str, Any]]:
    """The lines of the evidence behind its first."""
    return [json.loads(line) for line in (folder / "evidence.jsonl").read_text().splitlines()[1:]]


def values(ingest: Ingest, name: str) -> list[dict[str, Any]]:
    return [event["values"] for event in ingest.events() if event["name"] == name]
