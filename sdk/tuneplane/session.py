"""One process's reporting: what the functions of `report` do once it is known where to report."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from tuneplane.flatten import NoNumber, as_step, flattened
from tuneplane.foreign import Foreign
from tuneplane.health import Health
from tuneplane.hyperparameters import flat_parameters
from tuneplane.outbox import Outbox
from tuneplane.sender import Sender

if TYPE_CHECKING:
    from tuneplane.answers import Answered
    from tuneplane.hardware import Monitor
    from tuneplane.parcels import Carrier

log = logging.getLogger("tuneplane")

FINISH_SECONDS = 10.0
_LOOK_SECONDS = 1.0
_PLAIN = frozenset((float, int))
_now = time.time


def fresh_stream() -> str:
    """A writer session's name, different for each process."""
    return uuid.uuid4().hex


class Session:
    """Queues in memory, delivers in the background. Raises nothing that the training should see."""

    def __init__(
        self,
        carrier: Callable[[str], Carrier],
        stream: str | None = None,
        *,
        heartbeat: bool = True,
        events: Answered | None = None,
    ) -> None:
        """`events` counts what others of this process send, too; None: nobody else does."""
        self.stream = stream or fresh_stream()
        wake = threading.Event()
        self.outbox = Outbox(wake.set)
        self.health = Health(self.outbox, self.stream, events)
        self.sender = Sender(self.outbox, carrier(self.stream), self.health, wake, heartbeat=heartbeat)
        self.monitor: Monitor | None = None
        self._next_step = 0
        self._look_at = 0.0
        self._finished_at = -1

    def log(self, metrics: Foreign, step: Foreign = None, prefix: str = "") -> None:
        """Queues numbers. Plain dicts of numbers are only copied; the rest is read now."""
        ts = _now()
        if type(metrics) is dict:
            values = metrics.copy()
            if not _PLAIN.issuperset(map(type, values.values())):
                values = self._captured(values, prefix)
        else:
            values = self._captured(metrics, prefix)
        if type(step) is not int or not 0 <= step < 2**63:
            step = self._step(step, len(values))
            if step < 0:
                return
        self._next_step = step + 1
        if values:
            self.outbox.put_points(prefix, step, ts, values)
        if ts >= self._look_at:
            self._look_at = ts + _LOOK_SECONDS
            self.sender.start()

    def log_hparams(self, params: Mapping[Any, Any]) -> None:
        self.outbox.put_hparams(flat_parameters(params))
        self.sender.start()

    def observe(self, event: dict[str, Any]) -> bool:
        """Queues an event that keeps the rules; False where the queue is full."""
        queued = self.outbox.put_event(event)
        self.sender.start()
        return queued

    def refuse_event(self) -> None:
        """Counts an event that breaks a rule."""
        self.outbox.refused_events += 1

    def declare(self, contract: dict[str, Any]) -> None:
        self.outbox.put_contract(contract)
        self.sender.start()

    def start(self) -> None:
        self.sender.start()

    def watch(self, monitor: Monitor) -> None:
        """Samples hardware from now on, unless it already does."""
        if self.monitor is None:
            self.monitor = monitor
            monitor.start(self.outbox.put_sample)

    def finish(self, seconds: float = FINISH_SECONDS) -> None:
        """Delivers what is queued, for at most `seconds`, and says what is left."""
        deadline = time.monotonic() + seconds
        if self.monitor is not None:
            self.monitor.stop()
            self.monitor = None
        if self._queued_ever() == self._finished_at:
            return
        if self.outbox.queued_points or self.outbox.queued_events:
            self.sender.start()
        done = self.sender.flush(seconds)
        self._finished_at = self._queued_ever()
        self.sender.stop(min(deadline - time.monotonic(), 1.0))
        if not done and (self.outbox.queued_points or self.outbox.queued_events):
            log.warning(
                "tuneplane: %d points and %d events were not delivered in %.0f s: %s",
                self.outbox.queued_points,
                self.outbox.queued_events,
                seconds,
                self.sender.last_failure or "no answer came",
            )

    def abandon(self) -> None:
        """In a forked child: the parent's queue is the parent's to send."""
        self.sender.abandon()

    def _queued_ever(self) -> int:
        return self.outbox.admissions

    def _captured(self, metrics: Foreign, prefix: str) -> dict[str, float]:
        if not isinstance(metrics, Mapping):
            self.health.invalid(prefix, f"a {type(metrics).__name__} is no dict of metrics")
            return {}
        return flattened(metrics, lambda key, why: self.health.invalid(f"{prefix}{key}", why))

    def _step(self, step: Foreign, count: int) -> int:
        """The step to report under; -1 where the one given cannot be one."""
        if step is None:
            return self._next_step
        try:
            return as_step(step)
        except (NoNumber, TypeError, ValueError, OverflowError) as problem:
            self.health.invalid("step", str(problem), count)
            return -1
