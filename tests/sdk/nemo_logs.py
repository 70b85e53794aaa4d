"""NeMo-RL's log folder, written as its logger writes it, and a stand-in for that logger.

python nemo_logs.py DIR STEPS SAMPLES     a training: its steps' files, each said to be finished; "over" at the end
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tuneplane.contract import trajectory_id

SAMPLES = Path(__file__).parents[1] / "samples" / "nemo-rl"


def a_sample(number: int = 0, reward: Any = 1.0, *texts: str, **more: Any) -> dict[str, Any]:
    """A row as the GRPO recipe writes it: every field in a list of one, `idx` bare."""
    said = list(texts) or [f"question {number}", f"answer {number}"]
    return {"content": [said], "rewards": [reward], "token_ids": [[1, 2, 0]], **more, "idx": number}


def written(folder: Path, name: str, samples: Iterable[Mapping[str, Any]]) -> Path:
    path = folder / name
    with path.open("w", encoding="utf-8") as file:
        for one in samples:
            file.write(json.dumps(one) + "\n")
    return path


def identity(trace: Mapping[str, Any]) -> str:
    return trajectory_id(trace["scope"], trace["round_id"], trace["trial_id"], trace["trial_attempt"])


class Logger:
    """What NeMo-RL's `Logger` is to those attached to it."""

    def __init__(self, folder: Path) -> None:
        self.loggers: list[Any] = []
        self.base_log_dir = str(folder)

    def log_metrics(
        self, metrics: Any, step: int, prefix: str = "", step_metric: str | None = None, step_finished: bool = False
    ) -> None:
        for one in self.loggers:
            one.log_metrics(metrics, step, prefix, step_metric, step_finished)


def train(folder: Path, steps: int, samples: int) -> None:
    from tuneplane.integrations.nemo_rl import attach  # noqa: PLC0415 - of the process that trains

    logger = Logger(folder)
    attach(logger, monitor_hardware=False)
    for step in range(1, steps + 1):
        written(folder, f"train_data_step{step}.jsonl", (a_sample(n, float(n % 3)) for n in range(samples)))
        logger.log_metrics({"loss": 1.0 / step}, step, "train")
        logger.log_metrics({"total": 1.0}, step, "timing/train", step_finished=True)
    sys.stdout.write("over\n")
    sys.stdout.flush()


if __name__ == "__main__":
    train(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
