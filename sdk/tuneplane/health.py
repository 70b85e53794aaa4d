"""What the client knows of its own losses, and the health observations that tell it."""

from __future__ import annotations

import os
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

from tuneplane.answers import Answered
from tuneplane.contract import EVENT_TEXT_CHARS, INVALID_METRICS_HEALTH, TRANSPORT_HEALTH
from tuneplane.observations import observation
from tuneplane.redaction import redacted

if TYPE_CHECKING:
    from tuneplane.outbox import Outbox

HEARTBEAT_SECONDS = 15.0


class Health:
    """Counters of one writer session. `invalid` may be called by any thread, the rest by the sender."""

    def __init__(self, outbox: Outbox, stream: str, events: Answered | None = None) -> None:
        self.rejected_points = 0
        """Refused by the server for good."""
        self.rejected_events = 0
        self.invalid_points = 0
        """Values that were no number, or whose key or step cannot be reported."""
        self.first_reason = ""
        self.send_failures = 0
        self.last_success_unix = 0.0
        self.points = Answered("points")
        """What the server answered; of events, contracts included and health left out."""
        self.events = events or Answered("events")
        self._node = (socket.gethostname() or "localhost")[:EVENT_TEXT_CHARS]
        self._outbox = outbox
        self._stream = stream
        self._count = threading.RLock()
        self._beats = 0
        self._told_invalid = 0

    @property
    def dropped_points(self) -> int:
        return self._outbox.refused_points + self.rejected_points

    @property
    def dropped_events(self) -> int:
        return self._outbox.refused_events + self.rejected_events

    def invalid(self, key: str, reason: str, count: int = 1) -> None:
        """Counts values that cannot be reported; the first reason is kept."""
        with self._count:
            self.invalid_points += count
            if not self.first_reason:
                text = redacted(f"{key}: {reason}").encode("utf-8", "replace").decode()
                self.first_reason = text[:EVENT_TEXT_CHARS]

    def heartbeat(self, *, finished: bool = False) -> list[dict[str, Any]]:
        """The events to send now: transport health, and invalid metrics where there are new ones.

        `finished`: everything queued was delivered, and nothing follows but what is logged after `finish`.
        """
        self._beats += 1
        values: dict[str, Any] = {
            "stream_id": self._stream,
            "queued_points": self._outbox.queued_points,
            "capacity_points": self._outbox.capacity_points,
            "dropped_points": self.dropped_points,
            "dropped_events": self.dropped_events,
            "send_failures": self.send_failures,
            "last_success_unix": self.last_success_unix,
            "node": self._node,
            "pid": os.getpid(),
            "finished": finished,
            **self.points.values(),
            **self.events.values(),
        }
        events = [self._event(TRANSPORT_HEALTH, values)]
        if self.invalid_points != self._told_invalid:
            self._told_invalid = self.invalid_points
            values = {
                "invalid": self.invalid_points,
                "dropped": self.dropped_points,
                "first_reason": self.first_reason,
            }
            events.append(self._event(INVALID_METRICS_HEALTH, values))
        return events

    def succeeded(self) -> None:
        self.last_success_unix = time.time()

    def _event(self, name: str, values: dict[str, Any]) -> dict[str, Any]:
        event_id = f"{name}:{self._stream}:{self._beats}"
        return observation(name, values=values, event_id=event_id, kind="health")
