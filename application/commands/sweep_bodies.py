"""Removes bodies that are no longer wanted: expired ones, ones that were deleted, and ones that nobody knows."""

from __future__ import annotations

import itertools
import uuid
from collections import Counter
from collections.abc import Callable

import msgspec

from application.clock import Clock, now
from application.commands.store_trajectory import PREFIX
from application.ports.event_log import EventLog
from application.ports.object_store import ObjectStore, StoredObject
from application.ports.sole import Sole
from application.uploads_on_record import UploadsOnRecord
from domain.artifact import UPLOADS
from domain.events import TrajectoryStored, decode
from domain.ids import Micros, StreamId
from domain.rules import body_is_wanted
from domain.rules.body_is_wanted import Fate
from domain.trajectory import deletion_stream

_WORK = "sweep"


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """What a sweep found."""

    busy: bool
    """Another process sweeps: nothing was done."""
    looked_at: int
    expired: int
    """This and the next two were removed."""
    deleted: int
    """Bodies whose removal had failed when they were deleted."""
    orphans: int
    """Bodies that no event names: trajectories whose event never came, uploads that were never registered."""
    unfinished: int
    """Uploads that were begun and never ended."""
    kept: int
    ended_early: bool
    """It was told to stop before it had looked at everything."""


class SweepBodies:
    """May run at any time, beside everything, in any number of processes: one of them does it."""

    def __init__(self, log: EventLog, bodies: ObjectStore, sole: Sole, clock: Clock = now) -> None:
        self._log = log
        self._bodies = bodies
        self._sole = sole
        self._clock = clock
        self._uploads = UploadsOnRecord(log)

    def __call__(
        self, progress: Callable[[int], None] = lambda _: None, stop: Callable[[], bool] = lambda: False
    ) -> Swept:
        """`progress` is told how many bodies were looked at; `stop` is asked before each whether to end here.

        Raises `TryAgain` where database or store are away; what was removed by then is gone.
        """
        fates: Counter[Fate] = Counter()
        unfinished, stopped = 0, False
        with self._sole.alone(_WORK) as alone:
            if alone:
                for body in itertools.chain(self._bodies.keys(f"{PREFIX}/"), self._bodies.keys(f"{UPLOADS}/")):
                    stopped = stop()
                    if stopped:
                        break
                    fate = self._fate(body)
                    if fate not in {"kept", "young"}:
                        self._bodies.delete(body.key)
                    fates[fate] += 1
                    progress(fates.total())
                else:
                    unfinished = self._bodies.tidy((self._clock() - body_is_wanted.YOUNG_MICROS) / 1e6)
        return Swept(
            busy=not alone,
            looked_at=fates.total(),
            expired=fates["expired"],
            deleted=fates["deleted"],
            orphans=fates["orphan"],
            unfinished=unfinished,
            kept=fates["kept"] + fates["young"],
            ended_early=stopped,
        )

    def _fate(self, body: StoredObject) -> Fate:
        stored_at = Micros(int(body.stored_at * 1e6))
        if body.key.startswith(f"{UPLOADS}/"):
            registered = body.key in self._uploads
            return body_is_wanted.of_upload(registered=registered, stored_at=stored_at, now=self._clock())
        stored = self._on_record(body.key)
        if stored is None:
            return body_is_wanted.of_unknown(stored_at=stored_at, now=self._clock())
        deleted = bool(self._log.stream(deletion_stream(stored.run, stored.attempt, stored.trajectory_id)))
        return body_is_wanted.of_trajectory(expires_at=stored.expires_at, deleted=deleted, now=self._clock())

    def _on_record(self, key: str) -> TrajectoryStored | None:
        """The event that names the body; the key holds the stream that it is in."""
        name = key.rpartition("/")[2].partition("-")[0]
        try:
            stream: StreamId = uuid.UUID(hex=name)
        except ValueError:
            return None
        for recorded in self._log.stream(stream):
            if recorded.payload is None:
                continue
            event = decode(recorded.tag, recorded.payload)
            if isinstance(event, TrajectoryStored) and event.object_key == key:
                return event
        return None
