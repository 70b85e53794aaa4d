"""One file of completions that TRL wrote: what of it is reported, and as what."""

from __future__ import annotations

import importlib
import io
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tuneplane import report
from tuneplane.foreign import Foreign
from tuneplane.integrations.histogram import histogram
from tuneplane.integrations.rollouts import Rollout, exchange, most_a_step, trajectories
from tuneplane.integrations.validation_samples import sample, send_samples

if TYPE_CHECKING:
    from tuneplane.integrations.trl_completions import Logged
    from tuneplane.reporter import Reporter

_TEXTS = frozenset(("prompt", "completion"))


def report_table(reporter: Reporter, table: bytes, logged: Logged) -> None:
    """Sends what is kept of a table. Raises ReporterError, and whatever pyarrow raises for what is no table."""
    report_rows(reporter, importlib.import_module("pyarrow.parquet").read_table(io.BytesIO(table)).to_pylist(), logged)


def report_rows(reporter: Reporter, rows: Sequence[Mapping[str, Any]], logged: Logged) -> None:
    """Sends what is kept of the rows of a table. Raises ReporterError."""
    if logged.evaluation:
        evaluated = rows[max(len(rows) - (logged.rows or 0), 0) :]
        samples = [_sample(at, row, logged) for at, row in enumerate(evaluated)]
        send_samples(reporter, logged.step, samples, whole_round=False)
        return
    for name in (*logged.rewards, "advantage"):
        _distribution(name, rows, logged.step)
    rollouts = [_rollout(at, row, logged) for at, row in enumerate(rows)]
    # The file holds the last batch that was generated; a step may have had more.
    for trace in trajectories(rollouts, logged.step, most_a_step(), whole_step=False):
        reporter.trajectory(trace)


def _rollout(at: int, row: Mapping[str, Any], logged: Logged) -> Rollout:
    messages, inferred = exchange(row.get("prompt"), row.get("completion"))
    return Rollout(at, messages, _reward(row, logged), inferred)


def _reward(row: Mapping[str, Any], logged: Logged) -> float | None:
    """The trainer's reward of a completion: the weighted sum of what its reward functions said.

    Functions that said nothing count nothing; where none said anything there is no reward.
    """
    if logged.weights is None:
        return None
    said = [_finite(row.get(name)) for name in logged.rewards]
    parts = [weight * one for weight, one in zip(logged.weights, said) if one is not None]
    return math.fsum(parts) if parts else None


def _sample(at: int, row: Mapping[str, Any], logged: Logged) -> dict[str, Any]:
    messages, _ = exchange(row.get("prompt"), row.get("completion"))
    spoken = [one for one in messages if one["role"] == "assistant"]
    asked = messages[: messages.index(spoken[0])] if spoken else messages
    return sample(
        at,
        user="\n\n".join(one["content"] for one in asked),
        assistant="\n\n".join(one["content"] for one in messages[len(asked) :]),
        reward=_reward(row, logged),
        extra={name: value for name, value in row.items() if name not in _TEXTS},
    )


def _distribution(name: str, rows: Sequence[Mapping[str, Any]], step: int) -> None:
    """Every value of a column, in one histogram: what is kept of the texts is a biased choice, this is not."""
    numbers = [one for one in (_finite(row.get(name)) for row in rows) if one is not None]
    if not numbers:
        return
    bounds, counts = histogram(numbers)
    values = {"rows": len(rows), "without_value": len(rows) - len(numbers)}
    report.observe(f"rollout/{name}"[:256], step=step, bounds=bounds, counts=counts, values=values)


def _finite(value: Foreign) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)
