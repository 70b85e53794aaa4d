"""Lifecycle events of a run, in order, each repeated until the server has answered for good."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Any, Callable

from tuneplane.observations import now_iso
from tuneplane.parcels import compact
from tuneplane.persistence import post_until_answered
from tuneplane.transport import Transport

if TYPE_CHECKING:
    from tuneplane.credentials import Credentials


class StrictReports:
    """A thread that sends small documents in order, so that a server away never holds up the job."""

    def __init__(self, credentials: Credentials, tell: Callable[[str], None], *, timeout: float = 10.0) -> None:
        self._run_id = credentials.run_id
        self._tell = tell
        self._transport = Transport(credentials.endpoint, credentials.token, timeout=timeout)
        self._waiting: queue.SimpleQueue[tuple[str, bytes] | None] = queue.SimpleQueue()
        self._given_up = threading.Event()
        self._undelivered: list[str] = []
        self._thread = threading.Thread(target=self._work, name="tuneplane-reports", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def lifecycle(self, event: str) -> None:
        """Queues an event with the present time; returns at once."""
        self.put("lifecycle", {"event": event, "ts": now_iso()})

    def put(self, path: str, fields: dict[str, Any]) -> None:
        """Queues any document; returns at once."""
        self._waiting.put((path, compact({"run_id": self._run_id, **fields})))

    def close(self) -> None:
        """No more is queued."""
        self._waiting.put(None)

    def done(self) -> bool:
        """Whether everything queued has been accepted or refused."""
        return not self._thread.is_alive()

    def give_up(self) -> None:
        """Leaves what has not been accepted yet."""
        self._given_up.set()

    def undelivered(self) -> list[str]:
        """Why something was not accepted, in words; empty where all was."""
        return [*self._undelivered, *([] if self.done() else ["no answer yet"])]

    def _work(self) -> None:
        try:
            one = self._waiting.get()
            while one is not None:
                self._deliver(*one)
                one = self._waiting.get()
        finally:
            self._transport.close()

    def _deliver(self, path: str, body: bytes) -> None:
        outcome = post_until_answered(self._transport, path, body, self._given_up)
        if not outcome.delivered:
            self._undelivered.append(f"{path}: {outcome.reason}")
            if not outcome.transient:
                self._tell(f"{path} was refused, {outcome.reason}")
