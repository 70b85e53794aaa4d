"""lm_eval 0.4.13 itself, with its dummy model on local tasks: what it returned and what it wrote are imported alike."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tuneplane.integrations.lm_eval import Choices, report_folder
from tuneplane.reporter import Reporter

from tests.environments import clean_variables, environment

HERE = Path(__file__).parent
SDK = HERE.parents[1] / "sdk"
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}

pytestmark = [pytest.mark.packages, pytest.mark.usefixtures("outside_a_job")]


@pytest.fixture(scope="module")
def lm_eval() -> Path:
    return environment("lm-eval", "lm_eval==0.4.13")


def outcomes(events: list[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Status by trial, by round without its hash."""
    found: dict[str, dict[str, str]] = {}
    for values in (event["values"] for event in events if event["name"] == "validation.outcome"):
        found.setdefault(values["round_id"].rpartition(":")[0], {})[values["trial_id"]] = values["status"]
    return found


def test_a_real_run_is_imported_from_memory_and_from_its_files_as_the_same_rounds(lm_eval, tmp_path, ingest):
    env = clean_variables(**OFFLINE, PYTHONPATH=str(SDK), HF_HOME=str(tmp_path / "hf"))
    command = [lm_eval, HERE / "real_run.py", tmp_path, ingest.endpoint]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    from_memory = [one.document for one in ingest.requests]
    with Reporter(ingest.endpoint, "run-1", "token") as reporter:
        plan, _ = report_folder(tmp_path / "out", reporter, Choices())
    assert plan.refused == []
    assert [one.document for one in ingest.requests[len(from_memory) :]] == from_memory

    (samples,) = (tmp_path / "out").glob("*/samples_local_choice_*.jsonl")
    right = [json.loads(line)["acc"] == 1.0 for line in samples.read_text().splitlines()]
    events = [event for body in from_memory for event in body.get("events", ())]
    assert outcomes(events) == {
        "lm-eval:local_choice:none": {
            f"local_choice:{at}": "success" if one else "failure" for at, one in enumerate(right)
        },
        "lm-eval:local_written:first": {  # the dummy model says lol, whatever it is asked
            "local_written:0": "success",
            "local_written:1": "failure",
            "local_written:2": "failure",
        },
        "lm-eval:local_written:vowels": {
            "local_written:0": "failure",
            "local_written:1": "success",
            "local_written:2": "failure",
        },
    }
    planned = [event["values"]["expected"] for event in events if event["name"] == "validation.population"]
    assert planned == [5, 3, 3]  # the limit is 5; of the second task there are 3
    assert sum(event["name"] == "validation.protocol" for event in events) == 3
    written = [body["trace"] for body in from_memory if "trace" in body and body["trace"]["round_id"].find("first") > 0]
    assert [one["content"] for one in written[0]["messages"] if one["role"] == "assistant"] == ["lol", "lol"]
