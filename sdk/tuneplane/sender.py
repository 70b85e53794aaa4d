"""The thread that empties the outbox. One parcel at a time, in order, until it is delivered."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from typing import TYPE_CHECKING

from tuneplane.contract import EVENTS_PER_CALL
from tuneplane.health import HEARTBEAT_SECONDS
from tuneplane.observations import event_size
from tuneplane.parcels import parted

if TYPE_CHECKING:
    from tuneplane.health import Health
    from tuneplane.outbox import Outbox
    from tuneplane.parcels import Carrier, Parcel
    from tuneplane.transport import Outcome

log = logging.getLogger("tuneplane")

TICK_SECONDS = 0.25
LINGER_SECONDS = 0.5
"""How long points are gathered before an incomplete batch is sent."""
FIRST_RETRY_SECONDS = 0.2
LONGEST_RETRY_SECONDS = 10.0
_RETRY_WHILE_FINISHING = 0.5
_FAILURES_TOLD = 6
"""After so many in a row, some six seconds, the person watching the job is told why."""
_EVENT_BYTES = 240 * 1024
_RULE_BROKEN = 422
_SAMPLES_PER_REQUEST = 32


class Sender:
    """Delivers in the background. `start`, `flush`, `stop` may be called by any thread."""

    def __init__(
        self,
        outbox: Outbox,
        carrier: Carrier,
        health: Health,
        wake: threading.Event,
        *,
        heartbeat: bool = True,
    ) -> None:
        self._heartbeat = heartbeat
        self._outbox = outbox
        self._carrier = carrier
        self._health = health
        self._wake = wake
        self._starting = threading.RLock()
        self._thread: threading.Thread | None = None
        self._parcels: deque[Parcel] = deque()
        self._retry_at = 0.0
        self._failures_in_a_row = 0
        self._next_beat = 0.0
        self._points_at = 0.0
        self._flushing = False
        self._stopping = False
        self._flushed = threading.Event()
        self._told_refusal = ""
        self._told_overflow = False
        self.last_failure = ""
        """Why the latest report did not get through; empty where none failed."""

    def alive(self) -> bool:
        thread = self._thread
        return thread is not None and thread.is_alive()

    def start(self) -> None:
        """Starts the thread, or another where it has died. At interpreter exit it does nothing."""
        with self._starting:
            if self.alive():
                return
            self._stopping = False
            thread = threading.Thread(target=self._work, name="tuneplane-sender", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                return
            self._thread = thread

    def flush(self, seconds: float) -> bool:
        """Waits until everything queued so far is delivered and told; False at the deadline."""
        self._flushed.clear()
        self._flushing = True
        self._retry_at = 0.0
        self._wake.set()
        done = self.alive() and self._flushed.wait(seconds)
        self._flushing = False
        return done

    def stop(self, seconds: float) -> None:
        """Ends the thread; waits for it no longer than `seconds`. What is queued stays queued."""
        self._stopping = True
        self._wake.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(max(seconds, 0.0))

    def abandon(self) -> None:
        """In a forked child: lets go of what the parent sends through."""
        self._carrier.abandon()

    def _work(self) -> None:
        while not self._stopping:
            try:
                self._turn()
            except Exception:
                self._health.send_failures += 1
                log.debug("tuneplane: the sender stumbled and goes on", exc_info=True)
                self._retry_at = time.monotonic() + 1.0
        self._carrier.close()

    def _turn(self) -> None:
        """One round: wait, gather, send."""
        now = time.monotonic()
        self._tell_overflow()
        if now < self._retry_at:
            self._wake.wait(min(self._retry_at - now, TICK_SECONDS))
            self._wake.clear()
            return
        if not self._parcels:
            self._gather(now)
        if self._parcels:
            self._send(self._parcels[0])
            return
        self._carrier.rest()
        if self._flushing:
            self._finish_flush()
        self._wake.wait(TICK_SECONDS)
        self._wake.clear()

    def _gather(self, now: float) -> None:
        """The next parcels, by urgency: a heartbeat that is due, documents, events, points."""
        outbox, carrier = self._outbox, self._carrier
        if now >= self._next_beat:
            self._next_beat = now + HEARTBEAT_SECONDS
            self._add_heartbeat()
        params = outbox.take_hparams()
        if params:
            self._parcels += carrier.pack_hparams(params)
        contract = outbox.take_contract()
        events = outbox.take_events(EVENTS_PER_CALL, _EVENT_BYTES, event_size)
        if events or contract is not None:
            packed = carrier.pack_events(events, contract)
            self._parcels += [one._replace(events=_share(len(events), packed, one)) for one in packed]
        samples = outbox.take_samples(_SAMPLES_PER_REQUEST)
        if samples:
            self._parcels += carrier.pack_samples(samples)
        due = now >= self._points_at + LINGER_SECONDS or self._flushing
        if outbox.has_full_batch() or (due and outbox.has_points()):
            self._points_at = now
            self._pack_points()

    def _pack_points(self) -> None:
        calls = self._outbox.take_calls()
        packed = self._carrier.pack_points(calls, self._health.invalid)
        total = sum(len(call[3]) for call in calls)
        self._outbox.settle_points(total - sum(one.points for one in packed))
        self._parcels += packed

    def _add_heartbeat(self, *, finished: bool = False) -> None:
        if not self._heartbeat:
            return
        packed = self._carrier.pack_events(self._health.heartbeat(finished=finished))
        self._parcels += [one._replace(perishable=True) for one in packed]

    def _send(self, parcel: Parcel) -> None:
        outcome = self._carrier.deliver(parcel)
        if outcome.delivered:
            self._succeeded(parcel, outcome)
            self._failures_in_a_row = 0
            self._retry_at = 0.0
            self._settle(parcel)
        elif outcome.transient:
            self._health.send_failures += 1
            self.last_failure = outcome.reason
            self._put_off(outcome.wait)
            if self._failures_in_a_row == _FAILURES_TOLD:
                self._tell_refusal(f"reports do not get through, trying on: {outcome.reason}")
            if parcel.perishable:
                self._settle(parcel)
                self._next_beat = self._retry_at
        elif outcome.status == _RULE_BROKEN and (parts := parted(parcel)):
            self._health.send_failures += 1
            self._parcels.popleft()
            self._parcels.extendleft(reversed(parts))
        else:
            self._health.send_failures += 1
            self._health.rejected_points += parcel.points
            self._health.rejected_events += parcel.events
            self._settle(parcel)
            self._tell_refusal(f"{parcel.path} refused for good, {outcome.reason}")

    def _succeeded(self, parcel: Parcel, outcome: Outcome) -> None:
        health = self._health
        health.succeeded()
        if parcel.points:
            health.points.count(parcel.points, outcome.status, outcome.body)
        if parcel.events or parcel.contracts:
            health.events.count(parcel.events + parcel.contracts, outcome.status, outcome.body)

    def _settle(self, parcel: Parcel) -> None:
        self._parcels.popleft()
        self._outbox.settle_points(parcel.points)
        self._outbox.settle_events(parcel.events)

    def _put_off(self, asked: float) -> None:
        doubled = FIRST_RETRY_SECONDS * 2 ** min(self._failures_in_a_row, 10)
        self._failures_in_a_row += 1
        longest = _RETRY_WHILE_FINISHING if self._flushing else LONGEST_RETRY_SECONDS
        self._retry_at = time.monotonic() + max(min(doubled, longest), asked)

    def _tell_refusal(self, text: str) -> None:
        """Each reason once, so that a refused series does not fill the training log."""
        if text != self._told_refusal:
            self._told_refusal = text
            log.warning("tuneplane: %s", text)

    def _tell_overflow(self) -> None:
        """Once; on this thread, since the training thread does no output."""
        if not self._told_overflow and (self._outbox.refused_points or self._outbox.refused_events):
            self._told_overflow = True
            log.warning("tuneplane: a queue is full; the newest points or events are dropped and counted")

    def _finish_flush(self) -> None:
        """All is delivered: one last heartbeat says so, tried once."""
        self._add_heartbeat(finished=True)
        while self._parcels:
            parcel = self._parcels.popleft()
            outcome = self._carrier.deliver(parcel)
            if outcome.delivered:
                self._succeeded(parcel, outcome)
        self._next_beat = time.monotonic() + HEARTBEAT_SECONDS
        self._flushing = False
        self._flushed.set()


def _share(events: int, packed: list[Parcel], one: Parcel) -> int:
    """How many queued events a parcel carries: all in one request, or one in each line."""
    if len(packed) == 1:
        return events
    return 1 if one.path == "observation" else 0
