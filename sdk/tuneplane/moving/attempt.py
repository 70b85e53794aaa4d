"""One attempt of an imported run, as the delivery writes to it: opened when there is something to send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tuneplane.bulk import batches
from tuneplane.columns import Column, encoded, invalid_kind
from tuneplane.moving import standing
from tuneplane.moving.standing import BrokenOff, RunRefused
from tuneplane.opening import NotOpened, Opened, Server
from tuneplane.parcels import Parcel, Requests, compact
from tuneplane.persistence import Patience
from tuneplane.transport import MESSAGEPACK, document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tuneplane.moving.source import Scalar
    from tuneplane.series_keys import SeriesKeys

_TRIES = 9
_NOT_FOUND = 404
_ONLY_THIS_RUN = (403, 409, 422)
"""Answers that concern one run alone: somebody else owns it."""
_FINITE = float("inf")


class AttemptWriter:
    """Sends to attempt `number` of the run. Raises BrokenOff, and RunRefused for what the server refuses."""

    def __init__(self, server: Server, run_id: str, number: int) -> None:
        self._server = server
        self._run_id = run_id
        self._number = number
        self._requests: Requests | None = None
        self.stream = f"import-{number}"
        """The writer session; its sequence counts points, so that every point has one place for ever."""
        self.set_aside = 0
        """Of what was said of its life, since the attempt was opened."""
        self._stored = 0

    @property
    def is_open(self) -> bool:
        return self._requests is not None

    def open(self) -> int:
        """Opens the attempt unless that is done; how many points of it are stored by now."""
        if self.is_open:
            return self._stored
        try:
            opened = self._opened()
        except NotOpened as problem:
            if problem.status in _ONLY_THIS_RUN:
                raise RunRefused(str(problem)) from None
            raise BrokenOff(str(problem)) from None
        self._requests = Requests(opened.credentials, self.stream, timeout=30.0)
        found = standing.attempts(self._server, self._run_id, opened.position) or {}
        self._stored = found.get(self._number, 0)
        return self._stored

    def part(self) -> str:
        """Which part the attempt holds, once it is open; empty where nobody has said it. Raises BrokenOff."""
        return standing.part_of(self._server, self._run_id, self._number)

    def _opened(self) -> Opened:
        patience = Patience(_TRIES)
        while True:
            try:
                return self._taken_up_or_opened()
            except NotOpened as problem:
                if not (problem.transient and patience.wait(problem.wait)):
                    raise

    def _taken_up_or_opened(self) -> Opened:
        """The attempt may be there: by an earlier import, by another one, or by a request whose answer was lost."""
        try:
            return self._server.open_attempt(self._run_id, self._number)
        except NotOpened as problem:
            if problem.status != _NOT_FOUND:
                raise
        opened = self._server.open_attempt(self._run_id)
        if opened.credentials.attempt != self._number:
            raise RunRefused(
                f"attempt {opened.credentials.attempt} was opened where {self._number} was due: "
                "somebody else reports to this run; import again"
            )
        return opened

    def points(self, first: int, points: Sequence[Scalar], keys: SeriesKeys) -> int:
        """Sends points in order, the first of which is number `first` (from 0); how many were there already."""
        columns: dict[str, Column] = {}
        for key, step, ts, value in points:
            column = columns.get(key)
            if column is None:
                column = columns[key] = Column(keys.size_bytes(key))
            if -_FINITE < value < _FINITE:
                column.steps.append(step)
                column.ts.append(ts)
                column.values.append(value)
            else:
                column.invalid.append((step, ts, invalid_kind(value)))
        body = encoded(self._run_id, self.stream, first + 1, columns, lambda: None)
        answer = self.send(Parcel("metrics", body, MESSAGEPACK, points=len(points)))
        if answer["set_aside"]:
            raise RunRefused(
                f"points {first + 1} to {first + len(points)} are stored otherwise already: "
                "another import of the same source may be under way; import again when it has ended"
            )
        self._stored = first + len(points)
        return int(answer["duplicates"])

    def observations(self, events: Sequence[Mapping[str, Any]]) -> int:
        """Sends events; how many were there already."""
        already = 0
        for batch in batches(events):
            body = compact({"run_id": self._run_id, "events": batch})
            already += int(self.send(Parcel("observations", body, events=len(batch)))["duplicates"])
        return already

    def configuration(self, params: dict[str, Any]) -> None:
        assert self._requests is not None  # noqa: S101 - `open` comes first
        for parcel in self._requests.pack_hparams(params):
            self.send(parcel)

    def life(self, event: str, ts: str | None) -> None:
        answer = self.send(Parcel("lifecycle", compact({"run_id": self._run_id, "event": event, "ts": ts})))
        self.set_aside += int(answer["set_aside"])

    def send(self, parcel: Parcel) -> dict[str, int]:
        """The server's counts for one request, tried again while the server is away."""
        assert self._requests is not None  # noqa: S101 - `open` comes first
        patience = Patience(_TRIES)
        while True:
            outcome = self._requests.deliver(parcel)
            if outcome.delivered:
                return _counts(parcel.path, outcome.body)
            if not outcome.transient:
                raise RunRefused(f"{parcel.path}: {outcome.reason}")
            if not patience.wait(outcome.wait):
                raise BrokenOff(f"{parcel.path}: {outcome.reason}")

    def close(self) -> None:
        """Closes the connection; the next request opens another."""
        if self._requests is not None:
            self._requests.close()


def _counts(path: str, body: bytes) -> dict[str, int]:
    """What the answer to a request says of it. Raises BrokenOff where that is no answer of such a server."""
    try:
        said = document(body) or {}
        return {name: int(said[name]) for name in ("duplicates", "set_aside")}
    except (ValueError, TypeError, KeyError, OverflowError):
        raise BrokenOff(f"{path}: answered by something else than a TunePlane server") from None
