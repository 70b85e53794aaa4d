"""Brings one part of a source run to one attempt: what the server holds is passed over, the rest is sent."""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any, Callable

from tuneplane.columns import BATCH_BYTES, INVALID_BYTES, POINT_BYTES, SERIES_BYTES
from tuneplane.contract import EVENT_TEXT_CHARS, EVENT_VALUES, EVENTS_PER_CALL, POINTS_PER_BATCH
from tuneplane.hyperparameters import flat_parameters
from tuneplane.moving.prefix import Prefix
from tuneplane.moving.source import Configuration, Distribution, Final, LeftOut, Stage, Unread, Waiting
from tuneplane.moving.standing import PROGRESS, SOURCE, Progress, RunRefused, Standing
from tuneplane.moving.tally import kinds
from tuneplane.observations import observation
from tuneplane.redaction import kept
from tuneplane.times import iso, iso_or_none

if TYPE_CHECKING:
    from tuneplane.moving.attempt import AttemptWriter
    from tuneplane.moving.source import Item, Part, Scalar
    from tuneplane.moving.tally import Tally
    from tuneplane.series_keys import SeriesKeys

_EARLIEST, _LATEST = -62_135_596_800.0, 253_402_300_800.0
"""Seconds since the epoch that a time may have: years 1 to 9999."""


class PartDelivery:
    """`told` is called now and then while it goes on."""

    def __init__(
        self,
        tracker: str,
        part: Part,
        held: Standing | None,
        writer: AttemptWriter,
        keys: SeriesKeys,
        tally: Tally,
        told: Callable[[], None],
    ) -> None:
        self._tracker = tracker
        self._part = part
        self._identity = part.identity[-EVENT_TEXT_CHARS:].encode("utf-8", "replace").decode()
        """As it can be sent: the name of a file may be no Unicode."""
        self._held = held or Standing(0, "", None)
        self._writer = writer
        self._keys = keys
        self._tally = tally
        self._told = told
        self._there = self._held.points
        """Points that need not be sent."""
        self._prefix = Prefix()
        self._batch: list[Scalar] = []
        self._batch_bytes = 0
        self._batch_keys: set[str] = set()
        self._events: list[dict[str, Any]] = []
        self._events_read = 0
        self._configuration: dict[str, Any] = {}
        self._stages: list[Stage] = []
        self._finals: dict[str, bool | int | float | str] = {}

    def run(self) -> None:
        """Reads the part to its end. Raises RunRefused, BrokenOff, SourceRefused."""
        self._refuse_another(self._held.part)
        for item in self._part.items():
            if type(item) is tuple:
                self._point(item)  # type: ignore[arg-type]  # points alone are plain tuples
            else:
                self._other(item)
        self._flush()
        if self._prefix.points < self._held.points:
            raise RunRefused(
                f"the source holds {self._prefix.points} points where {self._held.points} were imported: it was cut or "
                "written anew. Import it as another run with --label"
            )
        self._end()

    def _refuse_another(self, part: str) -> None:
        if part not in ("", self._identity):
            raise RunRefused(
                f"this attempt holds {part!r}, and {self._identity!r} comes in its place now: a part "
                "was added before others that were imported. Import it as other runs with --label"
            )

    def _point(self, point: Scalar) -> None:
        key, step, ts, value = point
        size = self._keys.size_bytes(key)
        if not size:
            self._tally.miss(self._keys.why_not(key))
        elif not 0 <= step < 2**63:
            self._tally.miss(f"{key!r}: step {step}; steps are 0 to 2**63 - 1")
        elif not _EARLIEST <= ts < _LATEST:
            self._tally.miss(f"{key!r}: time {ts}; times are in the years 1 to 9999")
        else:
            finite = math.isfinite(value)
            weight = POINT_BYTES if finite else INVALID_BYTES
            if key not in self._batch_keys:
                weight += SERIES_BYTES + size
            if self._batch_bytes + weight > BATCH_BYTES or len(self._batch) >= self._room():
                self._flush()
                weight = SERIES_BYTES + size + (POINT_BYTES if finite else INVALID_BYTES)
            self._batch.append(point)
            self._batch_keys.add(key)
            self._batch_bytes += weight
            self._tally.invalid += not finite

    def _room(self) -> int:
        """Points until the batch is full, or must end to be compared with what is stored."""
        marks = [self._there, self._held.progress.points if self._held.progress else 0]
        ahead = [mark - self._prefix.points for mark in marks if mark > self._prefix.points]
        return min([POINTS_PER_BATCH, *ahead])

    def _flush(self) -> None:
        batch, self._batch, self._batch_bytes, self._batch_keys = self._batch, [], 0, set()
        if batch and self._prefix.points >= self._there:
            self._begin()
        first = self._prefix.points
        known = min(max(self._there - first, 0), len(batch))
        self._prefix.take(batch)
        self._tally.before += known
        self._check()
        if known < len(batch):
            already = self._writer.points(first + known, batch[known:], self._keys)
            self._tally.points += len(batch) - known - already
            self._tally.before += already
            self._told()

    def _begin(self) -> None:
        """Opens the attempt before the first thing is sent; meanwhile another import may have sent more."""
        first_time = not self._writer.is_open
        self._there = max(self._there, self._writer.open())
        if first_time and not self._held.part:
            self._refuse_another(self._writer.part())  # of an import so recent that it could not be seen at first
            values = {"tracker": self._tracker, "part": self._identity}
            self._writer.observations([_event(SOURCE, values)])

    def _check(self) -> None:
        """What was imported must be the beginning of what is read now."""
        done = self._held.progress
        if done is not None and self._prefix.points == done.points and self._prefix.digest() != done.digest:
            raise RunRefused(
                f"the first {done.points} points are not those that were imported: the source was written anew. "
                "Import it as another run with --label"
            )

    def _other(self, item: Item) -> None:
        if isinstance(item, Distribution):
            self._distribution(item)
        elif isinstance(item, LeftOut):
            self._tally.leave(item.kind, item.times)
        elif isinstance(item, Unread):
            self._tally.miss(item.reason, item.times)
        elif isinstance(item, Configuration):
            self._configuration.update(flat_parameters(item.params))
        elif isinstance(item, Stage):
            self._stages.append(item)
        elif isinstance(item, Final):
            self._finals[item.key] = item.value
        elif isinstance(item, Waiting):
            self._tally.notes.append(item.reason)

    def _distribution(self, item: Distribution) -> None:
        place = [self._identity, self._events_read, item.name, item.step]
        values = {"joined_from": item.joined_from} if item.joined_from else None
        try:
            event = observation(
                item.name,
                values=values,
                step=item.step,
                event_id=_identity(place),
                bounds=item.bounds,
                counts=item.counts,
                ts=iso(item.ts),
            )
        except (ValueError, OverflowError, OSError) as problem:
            self._tally.miss(f"histogram {item.name!r:.200}: {problem}")
            return
        self._events_read += 1
        self._tally.joined += bool(item.joined_from)
        done = self._held.progress
        if done is None or self._events_read > done.events:
            self._events.append(event)
            if len(self._events) == EVENTS_PER_CALL:
                self._flush_events()

    def _flush_events(self) -> None:
        if self._events:
            self._begin()
            self._tally.histograms += len(self._events) - self._writer.observations(self._events)
            self._events = []
            self._told()

    def _end(self) -> None:
        """Sends what the part says as a whole, unless the last import said the same."""
        self._flush_events()
        finals = self._final_events()
        stages = _in_order(self._stages)
        said = _identity([self._configuration, stages, [event["values"] for event in finals]])
        now = Progress(self._prefix.points, self._prefix.digest(), self._events_read, said)
        if now == self._held.progress:
            return
        self._begin()
        if self._configuration and not (self._held.progress and self._held.progress.said == said):
            self._writer.configuration(self._configuration)
        for event, ts in stages:
            self._writer.life(event, ts)
        values = {"tracker": self._tracker, "part": self._identity, **now._asdict()}
        if self._tally.left_out:
            values["left_out"] = kinds(self._tally.left_out)[:EVENT_TEXT_CHARS]
        self._writer.observations([*finals, _event(PROGRESS, values)])
        if self._writer.set_aside:
            self._tally.notes.append("its end was recorded before: what the source says of its state now is set aside")

    def _final_events(self) -> list[dict[str, Any]]:
        """Results without a step, as many in an event as one may carry; what cannot be carried is counted."""
        carried: dict[str, bool | int | float | str] = {}
        for key, value in self._finals.items():
            clean = kept(key, value) if isinstance(value, str) else value
            try:
                observation("final", values={key: clean})
            except (ValueError, OverflowError):
                self._tally.leave("final result")
            else:
                carried[key] = clean
        names = sorted(carried)
        groups = [names[at : at + EVENT_VALUES] for at in range(0, len(names), EVENT_VALUES)]
        return [_event(f"{self._tracker}.summary", {name: carried[name] for name in group}) for group in groups]


def _in_order(stages: list[Stage]) -> list[tuple[str, str | None]]:
    """The beginning, then the last end that the source says."""
    began = [one for one in stages if one.event in ("starting", "running")][:1]
    ended = [one for one in stages if one.event in ("succeeded", "failed")][-1:]
    return [(one.event, iso_or_none(one.ts)) for one in [*began, *ended]]


def _event(name: str, values: dict[str, Any]) -> dict[str, Any]:
    return observation(name, values=values, event_id=_identity([name, values]))


def _identity(parts: object) -> str:
    text = json.dumps(parts, sort_keys=True, default=str)
    return "import:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
