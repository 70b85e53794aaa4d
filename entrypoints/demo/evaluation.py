"""The held-out evaluation: one trial an example, each reported with what became of it."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from tuneplane import contract, report
from tuneplane.reporter import Reporter

from entrypoints.demo.digits import Digits, Floats, picture
from entrypoints.demo.network import Network
from entrypoints.demo.sent import Round, Sent

CONFIDENCE_BOUNDS = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
_TRAJECTORIES = 8
_SAMPLES = 12
_SETTINGS = {"decoding": "argmax", "repeats": 1}


class AnswerKey:
    """The digits held back, one file each, as a verifier service would keep them."""

    def __init__(self, folder: Path, digits: Digits) -> None:
        self._folder = folder
        self._digits = digits
        folder.mkdir(parents=True, exist_ok=True)
        for number in range(1, len(digits.heldout_labels)):
            self.publish(number)

    def publish(self, number: int) -> None:
        """Makes the answer of one example available. Number 0 is late: its first trial finds nothing."""
        (self._folder / f"{number}.txt").write_text(str(self._digits.heldout_labels[number]))

    def answer(self, number: int) -> int:
        """The digit. Raises OSError where it cannot be read."""
        return int((self._folder / f"{number}.txt").read_text())


def evaluate(
    network: Network, digits: Digits, key: AnswerKey, step: int, sent: Sent, reporter: Reporter | None
) -> None:
    """Scores every held-out example after `step` and reports the round."""
    round_id = round_of(step)
    probabilities = network.probabilities(digits.heldout_images)
    found = sent.rounds[round_id] = Round(expected=len(probabilities))
    report.validation_population(round_id, len(probabilities))
    report.validation_protocol(round_id, **_protocol(digits), split="heldout", checkpoint=f"digits-mlp@step-{step}")
    events = []
    for number, row in enumerate(probabilities):
        status = _score(key, number, row)
        events.append(_outcome(round_id, number, 0, status))
        if status == "infra_error":
            sent.say(f"step {step}: the verifier had no answer for example {number}; trying again")
            key.publish(number)
            found.retried.append(f"digit-{number}")
            _keep(_unanswered(digits, number, round_id), sent, reporter)
            status = _score(key, number, row)
            events.append(_outcome(round_id, number, 1, status))
        setattr(found, status, getattr(found, status) + 1)
    if reporter is not None:
        for start in range(0, len(events), contract.EVENTS_PER_CALL):
            reporter.observations({"events": events[start : start + contract.EVENTS_PER_CALL], "contract": None})
    report.validation_metric(
        round_id, "loss", network.loss(digits.heldout_images, digits.heldout_labels), unit="native"
    )
    _confidence(probabilities, step, sent)
    _samples(probabilities, digits, step, sent, reporter)


def round_of(step: int) -> str:
    """The round after `step`: named as the client names the round of samples."""
    return str(step)


def keep_trajectories(network: Network, digits: Digits, step: int, sent: Sent, reporter: Reporter | None) -> None:
    """Retains what was asked and answered for the examples that the network got wrong, the least sure first."""
    round_id, probabilities = round_of(step), network.probabilities(digits.heldout_images)
    wrong = np.flatnonzero(probabilities.argmax(1) != digits.heldout_labels)
    for number in wrong[probabilities[wrong].max(1).argsort()][:_TRAJECTORIES].tolist():
        _keep(_trace(probabilities[number], digits, number, round_id, sent), sent, reporter)


def _keep(trace: dict[str, Any], sent: Sent, reporter: Reporter | None) -> None:
    if reporter is not None and reporter.trajectory(trace):
        sent.trajectories.append(
            contract.trajectory_id("validation", trace["round_id"], trace["trial_id"], trace["trial_attempt"])
        )


def _unanswered(digits: Digits, number: int, round_id: str) -> dict[str, Any]:
    """The execution that the verifier could not judge."""
    messages = [
        {"role": "user", "content": picture(digits.heldout_images[number])},
        {"role": "system", "content": "verifier: the answer key has no answer for this example"},
    ]
    return {
        "scope": "validation",
        "round_id": round_id,
        "trial_id": f"digit-{number}",
        "trial_attempt": 0,
        "messages": messages,
        "total_messages": len(messages),
        "complete": True,
        "capture_policy": "sampled",
        "termination": "verifier had no answer",
    }


def _trace(row: Floats, digits: Digits, number: int, round_id: str, sent: Sent) -> dict[str, Any]:
    trial_id, best = f"digit-{number}", row.argsort()[::-1][:3]
    answer = ", ".join(f"{digit}: {row[digit]:.3f}" for digit in best)
    messages = [
        {"role": "system", "content": "Name the handwritten digit."},
        {"role": "user", "content": picture(digits.heldout_images[number])},
        {"role": "assistant", "content": f"{best[0]}\n\nmost likely: {answer}"},
        {"role": "system", "content": f"verifier: the digit is {digits.heldout_labels[number]}"},
    ]
    return {
        "scope": "validation",
        "round_id": round_id,
        "trial_id": trial_id,
        "trial_attempt": int(trial_id in sent.rounds[round_id].retried),
        "messages": messages,
        "total_messages": len(messages),
        "complete": True,
        "capture_policy": "sampled",
        "termination": f"answered {best[0]}, the digit is {digits.heldout_labels[number]}",
    }


def _samples(probabilities: Floats, digits: Digits, step: int, sent: Sent, reporter: Reporter | None) -> None:
    """The first held-out examples to read, and how sure the network was of all of them."""
    right = probabilities.argmax(1) == digits.heldout_labels
    buckets = np.bincount(np.minimum((probabilities.max(1) * 10).astype(int), 9), minlength=10)
    samples = [
        {
            "idx": number,
            "user": f"Name the handwritten digit.\n\n{picture(digits.heldout_images[number])}",
            "assistant": str(int(probabilities[number].argmax())),
            "reward": float(right[number]),
            "extra": {"confidence": float(probabilities[number].max()), "digit": int(digits.heldout_labels[number])},
        }
        for number in range(_SAMPLES)
    ]
    if reporter is not None:
        reporter.validation(
            step,
            samples,
            avg_reward=float(right.mean()),
            accuracy=float(right.mean()),
            dist=[{"confidence": f"{at / 10:.1f}", "count": int(many)} for at, many in enumerate(buckets)],
            total_samples=len(right),
        )
    sent.samples[round_of(step)] = len(samples)


def _score(key: AnswerKey, number: int, row: Floats) -> str:
    try:
        return "success" if int(row.argmax()) == key.answer(number) else "failure"
    except OSError:
        return "infra_error"


def _outcome(round_id: str, number: int, attempt: int, status: str) -> dict[str, Any]:
    trial_id = f"digit-{number}"
    return {
        "id": contract.validation_event_id(contract.OUTCOME, round_id, trial_id, attempt),
        "kind": "event",
        "name": contract.OUTCOME,
        "ts": dt.datetime.now(dt.UTC).isoformat(),
        "values": {
            "round_id": round_id,
            "trial_id": trial_id,
            "trial_attempt": attempt,
            "status": status,
            "training_eligible": False,
        },
    }


def _protocol(digits: Digits) -> dict[str, str]:
    cohort = [f"digit-{number}" for number in range(len(digits.heldout_labels))]
    return {
        "dataset_digest": digits.digest,
        "cohort_digest": _sha256(cohort),
        "verifier_digest": _sha256("equal to the published digit"),
        "settings_digest": _sha256(_SETTINGS),
    }


def _confidence(probabilities: Floats, step: int, sent: Sent) -> None:
    buckets = np.searchsorted(CONFIDENCE_BOUNDS, probabilities.max(1), side="left")
    counts = np.bincount(buckets, minlength=len(CONFIDENCE_BOUNDS) + 1).tolist()
    report.observe(
        "heldout/confidence", step=step, bounds=CONFIDENCE_BOUNDS, counts=counts, values={"unit": "probability"}
    )
    sent.histograms.append(counts)


def _sha256(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
