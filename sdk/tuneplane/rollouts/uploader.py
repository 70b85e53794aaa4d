"""Sends the samples of finished steps in the background; the training waits for none of it.

One thread reads a step's files and sends what it chose, one sample after another, trying again while the server is
away. Meanwhile a few more steps may wait; what comes then is not read at all, is counted, and is said in the log and on
the job's page. Its files stay where they are.
"""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Callable, Generic, NamedTuple, TypeVar

from tuneplane.persistence import FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS
from tuneplane.reporter import Reporter, ReporterError

WAITING_STEPS = 4
FINISH_SECONDS = 10.0
STEPS_DROPPED = "rollout/dropped"
"""Observation: how many steps' text was not sent so far, and why."""
_log = logging.getLogger("tuneplane")
Step = TypeVar("Step")


class Batch(NamedTuple):
    """What a step gives to send."""

    traces: Iterable[Mapping[str, Any]]
    events: Iterable[Mapping[str, Any]] = ()
    calls: Iterable[Callable[[Reporter], bool]] = ()
    """Whatever else is sent; each may be repeated."""


class Uploader(Generic[Step]):
    """`read` makes a step's batches, in the background; `observe` tells of losses and never waits.

    After a fork, the child's copy takes nothing: the steps are the parent's.
    """

    def __init__(
        self,
        reporter: Reporter,
        read: Callable[[Step], Iterable[Batch]],
        observe: Callable[[str, Mapping[str, Any]], object],
        room: int = WAITING_STEPS,
    ) -> None:
        """`reporter` is this uploader's own, with one try a call: it tries again itself."""
        self._reporter = reporter
        self._read = read
        self._observe = observe
        self._waiting: queue.Queue[Step | None] = queue.Queue(room)
        self._given_up = threading.Event()
        self._process = os.getpid()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._counting = threading.Lock()
        self.sent = 0
        """Samples that the server has, repeats included."""
        self.refused = 0
        """Samples that it will not take."""
        self.lost = 0
        """Samples that were read and could not be delivered before the end."""
        self.dropped = 0
        """Steps that were not read, or not sent to their end."""

    def put(self, step: Step) -> bool:
        """Leaves a finished step to the background; False where it is dropped, which is counted."""
        if self._closed or os.getpid() != self._process:
            return False
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="tuneplane-rollouts", daemon=True)
            self._thread.start()
        try:
            self._waiting.put_nowait(step)
        except queue.Full:
            self._drop(1, f"{self._waiting.maxsize} steps were waiting already")
            return False
        return True

    def close(self, seconds: float = FINISH_SECONDS) -> None:
        """Sends what waits, for at most `seconds`, and says what is left. Later steps are not taken."""
        if self._closed or os.getpid() != self._process:
            return
        self._closed = True
        if self._thread is not None:
            ender = threading.Timer(seconds, self._given_up.set)
            ender.daemon = True
            ender.start()
            try:
                self._waiting.put(None, timeout=seconds)
                self._thread.join(seconds)
            except queue.Full:
                pass
            ender.cancel()
            self._given_up.set()
            self._drop(self._left() + self._thread.is_alive(), "the end came before they were delivered")
            self._waiting.put_nowait(None)
        if self.lost or self.refused:
            _log.warning("tuneplane: %d samples were refused, %d were not delivered", self.refused, self.lost)

    def _left(self) -> int:
        """Empties the queue; how many steps were in it."""
        count = 0
        while True:
            try:
                count += self._waiting.get_nowait() is not None
            except queue.Empty:
                return count

    def _drop(self, steps: int, reason: str) -> None:
        if steps:
            with self._counting:
                self.dropped += steps
            _log.warning("tuneplane: rollouts of %d steps are not sent: %s", self.dropped, reason)
            self._observe(STEPS_DROPPED, {"steps": self.dropped, "reason": reason})

    def _work(self) -> None:
        while True:
            step = self._waiting.get()
            if step is None:
                break
            try:
                for batch in self._read(step):
                    self._send(batch)
            except Exception as problem:  # noqa: BLE001 - one step must not end the others
                self._drop(1, f"{type(problem).__name__}: {problem}"[:400])
        self._reporter.close()

    def _send(self, batch: Batch) -> None:
        for trace in batch.traces:
            if self._delivered(partial(self._reporter.trajectory, trace)):
                self.sent += 1
            elif self._given_up.is_set():
                self.lost += 1
            else:
                self.refused += 1
        for call in batch.calls:
            self._delivered(partial(call, self._reporter))
        events = list(batch.events)
        if events:
            self._delivered(partial(self._reporter.observations, {"events": events}))

    def _delivered(self, send: Callable[[], bool]) -> bool:
        delay = FIRST_RETRY_SECONDS
        while not self._given_up.is_set():
            try:
                return send()
            except ReporterError as problem:
                if not problem.transient:
                    if not self.refused:
                        _log.warning("tuneplane: the server refuses a rollout: %s", problem)
                    return False
            self._given_up.wait(delay)
            delay = min(delay * 2, LONGEST_RETRY_SECONDS)
        return False
