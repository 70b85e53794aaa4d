"""What the demonstration keeps of its network: a file a round, with what proves that it is complete, and its score."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from tuneplane import contract
from tuneplane.reporter import Reporter

from entrypoints.demo.network import Network
from entrypoints.demo.sent import Sent

_RUNNER = "digits-demo"


def keep(network: Network, step: int, loss: float, folder: Path, sent: Sent, reporter: Reporter | None) -> None:
    """Writes the weights, and registers them."""
    path = folder / f"step-{step}.npz"
    np.savez(path, *network.weights)
    content = path.read_bytes()
    shown = f"checkpoints/{path.name}"
    if reporter is not None:
        reporter.artifact(
            "checkpoint",
            shown,
            format="npz",
            step=step,
            size_bytes=len(content),
            metrics={"eval/loss": loss},
            completion=_completion(content, step, reporter),
        )
    sent.artifacts.append(shown)


def score(model: str, accuracy: float, sent: Sent, reporter: Reporter | None) -> None:
    """The held-out accuracy of the last checkpoint, as a benchmark score."""
    if reporter is not None:
        reporter.benchmark(_RUNNER, model, [{"benchmark": "digits-heldout", "metric": "accuracy", "value": accuracy}])
    sent.scores[model] = accuracy


def _completion(content: bytes, step: int, reporter: Reporter) -> dict[str, object]:
    evidence: dict[str, object] = {
        "apiVersion": contract.COMPLETION_VERSION,
        "run_id": reporter.run_id,
        "attempt": reporter.attempt or 0,
        "kind": "checkpoint",
        "step": step,
        "shape": "file",
        "evidence": "producer-notification",
        "files": [{"path": "content", "size_bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}],
    }
    return {**evidence, "digest": contract.completion_digest(evidence)}
