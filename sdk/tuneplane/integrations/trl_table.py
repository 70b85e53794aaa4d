"""One file of completions that TRL wrote: what of it is reported, and as what."""

from __future__ import annotations

import importlib
import io
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tuneplane import report
from tuneplane.flatten import finite
from tuneplane.integrations.histogram import histogram
from tuneplane.integrations.rollouts import Rollout, exchange, trajectories
from tuneplane.integrations.validation_samples import sample, send_samples
from tuneplane.rollouts.cap import rollout_cap
from tuneplane.rollouts.uploader import Batch

_TEXTS = frozenset(("prompt", "completion"))


class Logged(NamedTuple):
    """One call of the trainer's `log` whose completions are written next."""

    step: int
    evaluation: bool
    path: Path
    rewards: tuple[str, ...]
    """Names of the reward functions: their columns in the table."""
    weights: tuple[float, ...] | None
    """One per reward; None where the reward of a completion is not their weighted sum."""
    rows: int | None
    """The last rows of the table that are surely of this log; None: all. Before them may stand rows of the training."""


class Table(NamedTuple):
    content: bytes
    """Of a Parquet file."""
    logged: Logged


def read_table(table: Table) -> list[Batch]:
    """What is sent of a table. Raises whatever pyarrow raises for what is none."""
    parquet = importlib.import_module("pyarrow.parquet")
    return [read_rows(parquet.read_table(io.BytesIO(table.content)).to_pylist(), table.logged)]


def read_rows(rows: Sequence[Mapping[str, Any]], logged: Logged) -> Batch:
    """What is sent of the rows of a table."""
    if logged.evaluation:
        evaluated = rows[max(len(rows) - (logged.rows or 0), 0) :]
        samples = [_sample(at, row, logged) for at, row in enumerate(evaluated)]
        return Batch((), calls=[lambda reporter: send_samples(reporter, logged.step, samples, rows=None) >= 0])
    for name in (*logged.rewards, "advantage"):
        _distribution(name, rows, logged.step)
    rollouts = [_rollout(at, row, logged) for at, row in enumerate(rows)]
    # The file holds the last batch that was generated; a step may have had more.
    return Batch(trajectories(rollouts, logged.step, rollout_cap(os.environ), whole_step=False))


def _rollout(at: int, row: Mapping[str, Any], logged: Logged) -> Rollout:
    messages, inferred = exchange(row.get("prompt"), row.get("completion"))
    return Rollout(at, messages, _reward(row, logged), inferred)


def _reward(row: Mapping[str, Any], logged: Logged) -> float | None:
    """The trainer's reward of a completion: the weighted sum of what its reward functions said.

    Functions that said nothing count nothing; where none said anything there is no reward.
    """
    if logged.weights is None:
        return None
    said = [finite(row.get(name)) for name in logged.rewards]
    parts = [weight * one for weight, one in zip(logged.weights, said) if one is not None]
    return math.fsum(parts) if parts else None


def _sample(at: int, row: Mapping[str, Any], logged: Logged) -> dict[str, Any]:
    messages, _ = exchange(row.get("prompt"), row.get("completion"))
    spoken = [one for one in messages if one.role == "assistant"]
    asked = messages[: messages.index(spoken[0])] if spoken else messages
    return sample(
        at,
        user="\n\n".join(one.text for one in asked),
        assistant="\n\n".join(one.text for one in messages[len(asked) :]),
        reward=_reward(row, logged),
        extra={name: value for name, value in row.items() if name not in _TEXTS},
    )


def _distribution(name: str, rows: Sequence[Mapping[str, Any]], step: int) -> None:
    """Every value of a column, in one histogram: what is kept of the texts is a biased choice, this is not."""
    numbers = [one for one in (finite(row.get(name)) for row in rows) if one is not None]
    if numbers:
        bounds, counts = histogram(numbers)
        values = {"rows": len(rows), "without_value": len(rows) - len(numbers)}
        report.observe(f"rollout/{name}"[:256], step=step, bounds=bounds, counts=counts, values=values)
