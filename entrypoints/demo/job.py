"""The training job: run it inside `tuneplane run`, or alone, when it trains and reports nothing.

tuneplane run -- python -m entrypoints.demo.job --epochs 40
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from pathlib import Path

import numpy as np
from tuneplane import report
from tuneplane.reporter import Reporter

from entrypoints.demo import checkpoint, digits, evaluation
from entrypoints.demo.network import Network
from entrypoints.demo.sent import Sent

BATCH = 32
_EVALUATIONS = 4


def train(epochs: int, pace: float, hidden: int, peak_rate: float, seed: int) -> Sent:
    """Trains and reports; `pace` is the least time a step takes, in seconds, so that people can watch."""
    sent = Sent(hparams={"epochs": epochs, "batch": BATCH, "hidden": hidden, "peak_lr": peak_rate, "seed": seed})
    report.init(hparams=dict(sent.hparams))
    report.configure_observability(descriptors=_descriptors())
    reporter = Reporter.from_env() if "TUNEPLANE_JOB_ENABLED" in os.environ else None
    data, network = digits.load(), Network(hidden, seed)
    steps_an_epoch = math.ceil(len(data.train_labels) / BATCH)
    total, rng = epochs * steps_an_epoch, np.random.default_rng(seed)
    sent.say(f"training {sum(weight.size for weight in network.weights):,} parameters for {total:,} steps")
    with tempfile.TemporaryDirectory() as folder:
        key = evaluation.AnswerKey(Path(folder), data)
        for epoch in range(epochs):
            for batch in np.array_split(rng.permutation(len(data.train_labels)), steps_an_epoch):
                started = time.perf_counter()
                step = sent_steps(sent)
                rate = peak_rate * 0.5 * (1 + math.cos(math.pi * step / total))
                loss, accuracy, norm = network.train(data.train_images[batch], data.train_labels[batch], rate)
                time.sleep(max(0.0, pace - (time.perf_counter() - started)))
                speed = len(batch) / max(time.perf_counter() - started, 1e-9)
                _log(sent, step, **{"train/loss": loss, "train/accuracy": accuracy, "train/grad_norm": norm})
                _log(sent, step, **{"optimizer/lr": rate, "throughput/examples_per_s": speed})
            _end_epoch(sent, network, data, epoch, step)
            if (epoch + 1) % max(1, epochs // _EVALUATIONS) == 0:
                evaluation.evaluate(network, data, key, step, sent, reporter)
                loss = network.loss(data.heldout_images, data.heldout_labels)
                checkpoint.keep(network, step, loss, Path(folder), sent, reporter)
        last = int(next(reversed(sent.rounds)))
        evaluation.keep_trajectories(network, data, last, sent, reporter)
        accuracy = sent.scalars["eval/accuracy"][-1][1]
        checkpoint.score(f"digits-mlp@step-{last}", accuracy, sent, reporter)
    sent.say("done")
    report.finish()
    return sent


def sent_steps(sent: Sent) -> int:
    """Steps reported so far, which is the number of the next one."""
    return len(sent.scalars.get("train/loss", ()))


def _log(sent: Sent, step: int, **metrics: float) -> None:
    report.log(metrics, step=step)
    sent.log(metrics, step)


def _end_epoch(sent: Sent, network: Network, data: digits.Digits, epoch: int, step: int) -> None:
    right = network.probabilities(data.heldout_images).argmax(1) == data.heldout_labels
    loss, accuracy = network.loss(data.heldout_images, data.heldout_labels), float(right.mean())
    _log(sent, step, **{"eval/loss": loss, "eval/accuracy": accuracy})
    sent.say(f"epoch {epoch + 1:>3}  step {step:>5}  held-out loss {loss:.4f}  accuracy {accuracy:.4f}")


def _descriptors() -> dict[str, dict[str, str]]:
    ratio = {"direction": "higher", "display": "ratio", "unit": "fraction"}
    held_out = {"population": f"{digits.HELD_OUT} held-out digits", "comparison_id": "digits:heldout:argmax"}
    return {
        "train/loss": {"direction": "lower", "display": "number", "unit": "nats", "reduction": "mean over the batch"},
        "train/accuracy": {**ratio, "population": "training batch"},
        "eval/loss": {"direction": "lower", "display": "number", "unit": "nats", **held_out},
        "eval/accuracy": {**ratio, **held_out, "formula": "argmax equals the label"},
        "optimizer/lr": {"direction": "neutral", "display": "number"},
    }


def main() -> None:
    """Parses the command line and trains."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument(
        "--pace", type=float, default=0.0, help="least seconds a step takes (default: as fast as it goes)"
    )
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sent", type=Path, help="write what was sent to this file, as JSON")
    given = parser.parse_args()
    sent = train(given.epochs, given.pace, given.hidden, given.lr, given.seed)
    if given.sent:
        sent.save(given.sent)


if __name__ == "__main__":
    main()
