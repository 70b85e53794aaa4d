"""Histories with every kind of event: repeated, conflicting, of several attempts, placed as the server places them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import msgspec

from domain.events import Event, HardwareSampled
from domain.events.series import GpuDevices, InvalidKind
from domain.ids import Attempt, RunId, stream_id
from domain.observation import report_observation
from domain.placement import Placement
from domain.rules.append_next import place as placed_next
from tests.domain.places import PLACES
from tests.factories import a_trial_reason
from tests.series.model import Report
from tests.series.reports import Log, a_ramp

RUNS = (RunId("run-1"), RunId("run-2"))
_CHOICES: dict[str, tuple[Any, ...]] = {
    "attempt": (Attempt(0), Attempt(1)),
    "round_id": ("r1", "r2"),
    "trial_id": ("t1", "t2", "t3"),
    "trial_attempt": (0, 1, 2),
    "status": ("success", "failure", "infra_error", "unscored"),
    "expected": (2, 3),
    "id": ("e1", "e2", "e3", "e4", "e5", "e6"),
    "kind": ("event", "health"),
    "values": ({"turns": 4}, {"stream_id": "s1", "dropped_points": 3}, {"stream_id": "s2"}),
    "pieces": (("a\nb",), ("c", "\r50 %\rd\n"), ("\n",)),
    "event": ("starting", "running", "succeeded", "failed"),
    "key": ("acc", "f1"),
    "value": (0.25, 0.5),
    "chunk_index": (0, 1),
    "step": (1, 2),
    "trajectory_id": ("a" * 64, "b" * 64),
    "path": ("s3://bucket/1", "s3://bucket/2"),
    "benchmark": ("gsm8k", "mmlu"),
    "params": ({"lr": 1e-5}, {"lr": 2e-5, "batch": 8}),
}
"""Fields that vary, wherever an event has them."""
_FIXED = {"artifact": ("kind",)}
"""What must stay as it is in some kind."""
_PACKED = {"metrics session", "metrics body", "hardware session", "hardware body", "series", "collected scalar"}
"""Kinds whose columns must be real: `_measured` makes them."""


def a_whole_history(length: int, seed: int = 1) -> Iterator[list[Placement]]:
    """`length` requests after the runs were made; each kind of event comes often."""
    dice = random.Random(seed)
    logs = {family: Log(family) for family in ("scalar", "hardware")}
    kinds = [kind for kind in PLACES if kind not in _PACKED]
    kinds.append("reason")
    for run in RUNS:
        yield [_placed("run", dice, run)]
        for _ in range(2):
            yield [_placed("execution", dice, run)]
    for _ in range(length):
        kind = dice.choice([*kinds, *logs])
        run = dice.choice(RUNS)
        if kind == "reason":
            yield [_reason(dice, run)]
        else:
            yield [_placed(kind, dice, run)] if kind in PLACES else _measured(logs[kind], dice, run)


def _placed(kind: str, dice: random.Random, run: RunId) -> Placement:
    place, example, _ = PLACES[kind]
    varying = [name for name in example.__struct_fields__ if name in _CHOICES and name not in _FIXED.get(kind, ())]
    changes = {name: dice.choice(_CHOICES[name]) for name in varying}
    if kind == "execution":
        changes["attempt"] = Attempt(0)  # the next free one is given where this one is taken
    known = {name: getattr(example, name) for name in example.__struct_fields__}
    return place(type(example)(**{**known, **changes, "run": run}))


def _reason(dice: random.Random, run: RunId) -> Placement:
    """Why a trial ended, of few trials, so that some are told twice and otherwise."""
    told = {name: dice.choice(_CHOICES[name]) for name in ("attempt", "trial_id", "trial_attempt")}
    said = dice.choice(("no result.json", "the verifier timed out"))
    return report_observation(a_trial_reason(run=run, id=f"reason:{dice.randrange(40)}", reason=said, **told))


def _measured(log: Log, dice: random.Random, run: RunId) -> list[Placement]:
    points = a_ramp(dice.randrange(20), dice.randint(1, 30), seed=dice.randrange(1000))
    invalid: list[tuple[str, int, InvalidKind]] = []
    invalid += [("loss", dice.randrange(9), "nan")] if log.family == "scalar" and dice.random() < 0.2 else []
    report = Report(dice.randrange(2), [(dice.choice(("loss", "acc", "é")), points)], invalid)
    return [_next(_with_devices(event, dice)) for _, event in log.report(report, run)]


def _with_devices(event: Event, dice: random.Random) -> Event:
    if not isinstance(event, HardwareSampled):
        return event
    devices = GpuDevices(host=dice.choice(("node-1", "node-2")), gpu_uuids={"0": dice.choice(("GPU-a", "GPU-b"))})
    return msgspec.structs.replace(event, devices=(devices,))


def _next(event: Event) -> Placement:
    return placed_next(event, stream_id("measured", event.run))
