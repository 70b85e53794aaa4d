"""What the demonstration job has sent, so that somebody else can check that it can be read back."""

from __future__ import annotations

from pathlib import Path

import msgspec


class Round(msgspec.Struct):
    """One evaluation round as the job counted it."""

    expected: int
    success: int = 0
    failure: int = 0
    infra_error: int = 0
    retried: list[str] = []


class Sent(msgspec.Struct):
    """Everything, by the names the server should know it by."""

    scalars: dict[str, list[tuple[int, float]]] = {}
    """Metric key -> (step, value) in the order of reporting."""
    hparams: dict[str, float | int | str] = {}
    rounds: dict[str, Round] = {}
    histograms: list[list[int]] = []
    """Bucket counts of each histogram."""
    lines: list[str] = []
    """Lines printed by the job."""
    trajectories: list[str] = []
    """Trajectory ids."""
    samples: dict[str, int] = {}
    """Samples kept, by round."""
    artifacts: list[str] = []
    """Paths."""
    scores: dict[str, float] = {}
    """Benchmark score by model."""

    def log(self, metrics: dict[str, float], step: int) -> None:
        """Notes one call of `tuneplane.report.log`."""
        for key, value in metrics.items():
            self.scalars.setdefault(key, []).append((step, value))

    def say(self, line: str) -> None:
        """Prints a line, and notes it."""
        print(line, flush=True)  # noqa: T201 - the job's log is what it prints
        self.lines.append(line)

    def save(self, path: Path) -> None:
        """Writes the record whole."""
        path.write_bytes(msgspec.json.encode(self))


def load(path: Path) -> Sent:
    """The record a job wrote."""
    return msgspec.json.decode(path.read_bytes(), type=Sent)
