"""One writer a process: takes what is waiting, appends it in one transaction, answers everybody at once.

Callers encode in their own thread. Nobody waits for company: a group is what came while the last one was
written, so a lone request goes at once and a busy server writes large groups.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future

import msgspec

from application.event_log.hash_chain import GENESIS
from application.event_log.settlement import as_candidate
from application.ports.event_log import Candidate, EventLog, Placed
from domain.errors import DomainFault, TryAgain
from domain.ids import Position
from domain.placement import Placement

GROUP_EVENTS = 64
GROUP_BYTES = 2_000_000
"""A group takes no further request past these; a single request always goes whole, however large."""
WAITING_REQUESTS = 256
WAITING_BYTES = 64_000_000


class Receipt(msgspec.Struct, frozen=True):
    """What was accepted, after COMMIT."""

    position: Position
    """The greatest of the request's own positions; 0 for a request without events."""
    hash: bytes
    """Chain hash at `position`."""
    placed: tuple[Placed, ...]
    """One for each placement, in their order."""


class Counters(msgspec.Struct, frozen=True):
    """Since the start, `queued` apart."""

    groups: int
    """Transactions tried."""
    events: int
    """Events in them, repeats and refused ones included."""
    queued: int
    """Requests waiting now."""


Outcome = Receipt | Exception


class _Loop:
    """Futures of one event loop that are resolved together: one wake-up for a group."""

    def __init__(self) -> None:
        self.resolved: list[tuple[asyncio.Future[Receipt], Outcome]] = []

    def tell(self) -> None:
        for future, outcome in self.resolved:
            if future.done():
                continue
            if isinstance(outcome, Exception):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)


class _Waiting(msgspec.Struct, frozen=True):
    candidates: tuple[Candidate, ...]
    size: int
    """Bytes of payload."""
    future: Future[Receipt] | asyncio.Future[Receipt]


class GroupCommit:
    """The way into the log for everybody in this process. `start` it, and `stop` it before the log is closed."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._changed = threading.Condition()
        self._waiting: deque[_Waiting] = deque()
        self._bytes = 0
        self._groups = 0
        self._events = 0
        self._open = False
        self._writer: threading.Thread | None = None

    def start(self) -> None:
        """Starts the writer."""
        self._open = True
        self._writer = threading.Thread(target=self._write, name="group-commit", daemon=True)
        self._writer.start()

    def stop(self) -> None:
        """Takes nothing more, writes what waits, and returns when everybody was answered."""
        with self._changed:
            self._open = False
            self._changed.notify()
        if self._writer is not None:
            self._writer.join()
            self._writer = None

    def counters(self) -> Counters:
        """For /metrics."""
        with self._changed:
            return Counters(self._groups, self._events, len(self._waiting))

    async def append(self, placements: Sequence[Placement]) -> Receipt:
        """Appends the placements whole or not at all; returns after COMMIT.

        Raises `IdentityTaken` or `StreamMovedOn` where the log refuses them, `TryAgain` where the queue is full or the
        store is away. Cancelling the caller does not take back what is queued.
        """
        if not placements:
            return _NOTHING
        future: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        self._offer(placements, future)
        return await future

    def append_now(self, placements: Sequence[Placement], timeout: float = 30.0) -> Receipt:
        """The same for a thread that may wait, at most `timeout` seconds.

        After them `TryAgain`; the events may still be written, and sending them again finds duplicates.
        """
        if not placements:
            return _NOTHING
        future: Future[Receipt] = Future()
        self._offer(placements, future)
        try:
            return future.result(timeout)
        except TimeoutError:
            raise TryAgain(
                "The log did not answer in time. Repeat the request: what was stored is recognised."
            ) from None

    def _offer(self, placements: Sequence[Placement], future: Future[Receipt] | asyncio.Future[Receipt]) -> None:
        candidates = tuple(map(as_candidate, placements))
        size = sum(len(one.payload) for one in candidates)
        with self._changed:
            if not self._open:
                raise TryAgain("The server is stopping. Repeat the request later.")
            if self._waiting and (len(self._waiting) >= WAITING_REQUESTS or self._bytes + size > WAITING_BYTES):
                raise TryAgain("Too many requests are waiting to be written. Repeat the request later.")
            self._waiting.append(_Waiting(candidates, size, future))
            self._bytes += size
            self._changed.notify()

    def _write(self) -> None:
        while group := self._next_group():
            _answer(group, self._append(group))

    def _next_group(self) -> list[_Waiting]:
        """What waits, as far as one transaction takes it; empty when the writer is to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or not self._open)
            group: list[_Waiting] = []
            events = size = 0
            while self._waiting:
                one = self._waiting[0]
                events += len(one.candidates)
                size += one.size
                if group and (events > GROUP_EVENTS or size > GROUP_BYTES):
                    break
                group.append(self._waiting.popleft())
                self._bytes -= one.size
            if group:
                self._groups += 1
                self._events += sum(len(one.candidates) for one in group)
            return group

    def _append(self, group: Sequence[_Waiting]) -> list[Outcome]:
        """One outcome a request. An error nobody expected concerns one request: each is then tried alone."""
        try:
            return [_receipt(answer) for answer in self._log.append([one.candidates for one in group])]
        except TryAgain as away:
            return [TryAgain(away.detail) for _ in group]
        except Exception as error:  # noqa: BLE001 - the one who asked gets it, and the writer lives on
            if len(group) == 1:
                return [error]
            return [outcome for one in group for outcome in self._append([one])]


_NOTHING = Receipt(Position(0), GENESIS, ())


def _receipt(answer: tuple[Placed, ...] | DomainFault) -> Outcome:
    if isinstance(answer, DomainFault):
        return answer
    last = max(answer, key=lambda placed: placed.position)
    return Receipt(last.position, last.hash, answer)


def _answer(group: Sequence[_Waiting], outcomes: Sequence[Outcome]) -> None:
    loops: dict[asyncio.AbstractEventLoop, _Loop] = {}
    for waiting, outcome in zip(group, outcomes, strict=True):
        future = waiting.future
        if isinstance(future, asyncio.Future):
            loops.setdefault(future.get_loop(), _Loop()).resolved.append((future, outcome))
        elif isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
    for loop, told in loops.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(told.tell)
