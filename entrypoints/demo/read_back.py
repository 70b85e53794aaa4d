"""Reads over the API what the demonstration job says it sent, and names every difference."""

from __future__ import annotations

import csv
import json
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from entrypoints.demo.sent import Sent

Get = Callable[[str, dict[str, str]], str]
"""(path below the run, query) -> body."""


class Finding(msgspec.Struct, frozen=True):
    """One thing compared."""

    what: str
    sent: int
    """How many were sent."""
    found: int
    """How many of them came back equal, less what came back and was never sent."""

    @property
    def good(self) -> bool:
        return self.sent == self.found


def reader(address: str, token: str, run: str, position: int) -> Get:
    """Reads the run with a personal token, each answer at least as new as `position`."""

    def get(path: str, query: dict[str, str]) -> str:
        url = f"{address}/api/runs/{quote(run)}{path}?" + urlencode({**query, "min_position": str(position)})
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})  # noqa: S310 - our own server
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            return str(answer.read().decode())

    return get


def compare(sent: Sent, get: Get) -> list[Finding]:
    """Everything that was sent against everything that comes back."""
    return [
        *_scalars(sent, get),
        _hparams(sent, get),
        *_rounds(sent, get),
        _histograms(sent, get),
        _lines(sent, get),
        _trajectories(sent, get),
        _samples(sent, get),
        _artifacts(sent, get),
        _scores(sent, get),
        _receipts(get),
    ]


def _scalars(sent: Sent, get: Get) -> list[Finding]:
    findings = []
    for key, points in sent.scalars.items():
        rows = csv.DictReader(get("/series.csv", {"key": key}).splitlines())
        found = {(int(row["step"]), float(row["value"])) for row in rows}
        same, strange = len(found & set(points)), len(found - set(points))
        findings.append(Finding(f"points of {key}", len(points), same - strange))
    return findings


def _hparams(sent: Sent, get: Get) -> Finding:
    found = json.loads(get("/hparams", {}))["params"]
    same = [name for name, value in sent.hparams.items() if found.get(name) == value]
    return Finding("hyperparameters", len(sent.hparams), len(same))


def _rounds(sent: Sent, get: Get) -> list[Finding]:
    found = {item["round_id"]: item for item in json.loads(get("/validation/rounds", {"limit": "1000"}))["items"]}
    same = [
        round_id
        for round_id, counted in sent.rounds.items()
        if all(found.get(round_id, {}).get(name) == getattr(counted, name) for name in _COUNTS)
    ]
    retried = [(round_id, trial) for round_id, counted in sent.rounds.items() for trial in counted.retried]
    attempts = [trial for trial in retried if _statuses(get, *trial)[:1] == ["infra_error"]]
    return [
        Finding("evaluation rounds with their counts", len(sent.rounds), len(same)),
        Finding("trials that failed for the infrastructure and were retried", len(retried), len(attempts)),
    ]


_COUNTS = ("expected", "success", "failure", "infra_error")


def _statuses(get: Get, round_id: str, trial_id: str) -> list[str]:
    path = f"/validation/rounds/{quote(round_id, safe='')}/trials/{quote(trial_id, safe='')}/attempts"
    attempts = json.loads(get(path, {}))["items"]
    return [item["status"] for item in sorted(attempts, key=_attempt) if len(attempts) > 1]


def _attempt(item: dict[str, Any]) -> int:
    return int(item["trial_attempt"])


def _histograms(sent: Sent, get: Get) -> Finding:
    items = json.loads(get("/observations", {"kind": "histogram"}))["items"]
    found = [item["counts"] for item in items]
    return Finding("histograms", len(sent.histograms), sum(counts in found for counts in sent.histograms))


def _lines(sent: Sent, get: Get) -> Finding:
    found = get("/logs.txt", {}).splitlines()
    return Finding("log lines", len(sent.lines), sum(line in found for line in sent.lines))


def _trajectories(sent: Sent, get: Get) -> Finding:
    items = json.loads(get("/trajectories", {"limit": "1000"}))["items"]
    found = {item["trajectory_id"] for item in items if item["state"] == "retained"}
    return Finding("trajectories", len(sent.trajectories), len(found & set(sent.trajectories)))


def _samples(sent: Sent, get: Get) -> Finding:
    path = "/validation/rounds/{}/samples"
    found = [len(json.loads(get(path.format(quote(one, safe="")), {"limit": "1000"}))["items"]) for one in sent.samples]
    return Finding("validation samples", sum(sent.samples.values()), sum(found))


def _artifacts(sent: Sent, get: Get) -> Finding:
    found = [item["path"] for item in json.loads(get("/artifacts", {"limit": "1000"}))["items"]]
    return Finding("artifacts", len(sent.artifacts), len(set(found) & set(sent.artifacts)))


def _scores(sent: Sent, get: Get) -> Finding:
    items = json.loads(get("/benchmarks", {"limit": "1000"}))["items"]
    same = [item for item in items if sent.scores.get(item["model"]) == item["value"]]
    return Finding("benchmark scores", len(sent.scores), len(same))


def _receipts(get: Get) -> Finding:
    """Of the one attempt: everything that its reporters counted is stored."""
    receipts = json.loads(get("/delivery", {}))["items"]
    return Finding("receipts that reconcile", 1, sum(one["verdict"] == "reconciled" for one in receipts))
