"""What waits to be sent, in memory and bounded: the training thread puts, the sender takes.

The newest is refused when there is no room, and counted.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any, Callable

from tuneplane.contract import POINTS_PER_BATCH

if TYPE_CHECKING:
    from tuneplane.columns import Logged

CAPACITY_POINTS = 100_000
CAPACITY_EVENTS = 128
CAPACITY_SAMPLES = 128
"""Hardware samples; an hour of them."""

Event = dict[str, Any]


class Outbox:
    """Bounded queues with counters.

    `put_…` may be called by any thread and never waits for the sender; `take_…` and `settle_…`
    belong to the sender's thread. Points and events count as queued until they are settled.
    """

    def __init__(
        self,
        wake: Callable[[], None],
        capacity_points: int = CAPACITY_POINTS,
        capacity_events: int = CAPACITY_EVENTS,
    ) -> None:
        self.capacity_points = capacity_points
        self.capacity_events = capacity_events
        self.refused_points = 0
        self.refused_events = 0
        self.refused_samples = 0
        self._wake = wake
        self._prodded = False
        self._put = threading.RLock()  # among those who put: the sender does without
        self._points: deque[Logged] = deque()
        self._admitted_points = 0
        self._settled_points = 0
        self._events: deque[Event] = deque()
        self._admitted_events = 0
        self._settled_events = 0
        self._samples: deque[dict[str, Any]] = deque()
        self._hparams: dict[str, Any] = {}
        self._contract: dict[str, Any] | None = None
        self._documents = 0

    @property
    def queued_points(self) -> int:
        return self._admitted_points - self._settled_points

    @property
    def queued_events(self) -> int:
        return self._admitted_events - self._settled_events

    @property
    def admissions(self) -> int:
        """Grows with whatever is queued: tells whether anything is new."""
        return self._admitted_points + self._admitted_events + self._documents

    def put_points(self, prefix: str, step: int, ts: float, values: dict[str, float | int]) -> bool:
        """Queues one call of `log`, whole or not at all."""
        count = len(values)
        with self._put:
            queued = self._admitted_points - self._settled_points + count
            if queued > self.capacity_points:
                self.refused_points += count
                return False
            self._admitted_points += count
            self._points.append((prefix, step, ts, values))
        if queued >= POINTS_PER_BATCH and not self._prodded:
            self._prodded = True
            self._wake()
        return True

    def put_event(self, event: Event) -> bool:
        with self._put:
            if self.queued_events >= self.capacity_events:
                self.refused_events += 1
                return False
            self._admitted_events += 1
            self._events.append(event)
        self._wake()
        return True

    def put_sample(self, sample: dict[str, Any]) -> bool:
        """Queues one hardware sample."""
        with self._put:
            if len(self._samples) >= CAPACITY_SAMPLES:
                self.refused_samples += 1
                return False
            self._samples.append(sample)
            self._documents += 1
        return True

    def put_hparams(self, params: dict[str, Any]) -> None:
        """Merges over the parameters that still wait: later ones win."""
        with self._put:
            self._hparams = {**self._hparams, **params}
            self._documents += 1
        self._wake()

    def put_contract(self, contract: dict[str, Any]) -> None:
        """Replaces a contract that still waits."""
        self._contract = contract
        self._documents += 1
        self._wake()

    def has_full_batch(self) -> bool:
        return len(self._points) > 0 and self.queued_points >= POINTS_PER_BATCH

    def has_points(self) -> bool:
        return len(self._points) > 0

    def take_calls(self) -> list[Logged]:
        """The oldest calls, as many as one batch holds; one larger call comes alone."""
        self._prodded = False
        taken: list[Logged] = []
        points = 0
        while self._points:
            points += len(self._points[0][3])
            if taken and points > POINTS_PER_BATCH:
                break
            taken.append(self._points.popleft())
        return taken

    def take_events(self, limit: int, size_bytes: int, size_of: Callable[[Event], int]) -> list[Event]:
        """The oldest events: at most `limit`, and no more than `size_bytes` in all."""
        taken: list[Event] = []
        while self._events and len(taken) < limit:
            size_bytes -= size_of(self._events[0])
            if taken and size_bytes < 0:
                break
            taken.append(self._events.popleft())
        return taken

    def take_samples(self, limit: int) -> list[dict[str, Any]]:
        taken: list[dict[str, Any]] = []
        while self._samples and len(taken) < limit:
            taken.append(self._samples.popleft())
        return taken

    def take_hparams(self) -> dict[str, Any]:
        if not self._hparams:
            return {}
        with self._put:
            taken, self._hparams = self._hparams, {}
        return taken

    def take_contract(self) -> dict[str, Any] | None:
        taken, self._contract = self._contract, None
        return taken

    def settle_points(self, count: int) -> None:
        """These points wait no longer: delivered, refused for good, or found to be invalid."""
        self._settled_points += count

    def settle_events(self, count: int) -> None:
        self._settled_events += count
