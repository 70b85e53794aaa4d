"""What was sent and what was acknowledged, on file; and the one checker of what the log holds then.

Acknowledged is a subset of stored, stored is a subset of sent, nothing twice, order kept for each stream, positions as
they were acknowledged. Source: RELIABILITY "Faults survived".
"""

from __future__ import annotations

import json
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import IO

import psycopg

from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from application.commands.verify_log import verify_log
from application.series.columns import unpack
from domain.events import Event, LogReported, MetricsReported, OutcomeReported, SeriesOpened, decode

Mark = tuple[str, int]
"""(stream, number in it): names one report of one writer."""


class AcknowledgementLog:
    """One line for each fact, written before the next step is taken. For all threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] = path.open("a", encoding="utf-8")
        self._lock = threading.Lock()
        self._acknowledged = 0

    def sending(self, mark: Mark, content: str) -> None:
        """Said before the first byte leaves. `content` is what the stored event must say."""
        self._write(["sent", *mark, content])

    def acknowledged(self, mark: Mark, position: int) -> None:
        """Said after a success was read."""
        self._write(["acknowledged", *mark, position])
        with self._lock:
            self._acknowledged += 1

    def count(self) -> int:
        """Acknowledgements so far."""
        with self._lock:
            return self._acknowledged

    def close(self) -> None:
        self._file.close()

    def read(self) -> tuple[dict[Mark, str], dict[Mark, int]]:
        """What was sent, and where what was acknowledged stands."""
        sent: dict[Mark, str] = {}
        acknowledged: dict[Mark, int] = {}
        with self._path.open(encoding="utf-8") as lines:
            for line in lines:
                what, stream, number, more = json.loads(line)
                if what == "sent":
                    assert sent.setdefault((stream, number), more) == more, "a writer sent two things under one mark"
                else:
                    acknowledged[stream, number] = more
        return sent, acknowledged

    def _write(self, fact: list[str | int]) -> None:
        with self._lock:
            self._file.write(json.dumps(fact) + "\n")
            self._file.flush()


class Stored:
    """What the log holds of one run, in order of position."""

    def __init__(self) -> None:
        self.positions: dict[Mark, int] = {}
        self.contents: dict[Mark, str] = {}
        self.times: Counter[Mark] = Counter()
        self.text = ""
        """Everything printed."""
        self.points: dict[str, list[tuple[int, float]]] = defaultdict(list)
        """(step, value) of each series, in order of position."""
        self.outcomes = 0

    def take(self, position: int, event: Event, keys: Mapping[int, str]) -> None:
        for mark, content in self._marks(event, keys):
            self.positions[mark] = position
            self.contents[mark] = content
            self.times[mark] += 1

    def _marks(self, event: Event, keys: Mapping[int, str]) -> Iterator[tuple[Mark, str]]:
        match event:
            case LogReported():
                text = "".join(event.pieces)
                self.text += text
                if not text:
                    return  # the end mark alone
                stream, _, number = text.strip().rpartition(" ")
                yield (stream, int(number)), text
            case MetricsReported():
                batch = unpack(event.columns)
                (key,) = [keys[number] for number in batch.numbers.tolist()]
                steps = batch.steps.tolist()
                points = list(zip(steps, batch.values.tolist(), strict=True))
                self.points[key] += points
                yield (key, steps[0] // len(steps)), json.dumps(points)
            case OutcomeReported():
                self.outcomes += 1
                stream, _, number = event.trial_id.rpartition("-")
                yield (stream, int(number)), event.status


def stored_of(dsn: str, run: str) -> Stored:
    """Read from the table itself, without the code that answers readers."""
    found = Stored()
    keys: dict[int, str] = {}
    with psycopg.connect(dsn, autocommit=True) as connection:
        rows = connection.execute(
            "SELECT notification_id, topic, state FROM stored_events WHERE run = %s ORDER BY notification_id", (run,)
        ).fetchall()
        gaps = connection.execute("SELECT max(notification_id) - count(*) FROM stored_events").fetchone()
    assert gaps == (0,), "positions have gaps"
    for position, tag, payload in rows:
        event = decode(tag, payload)
        if isinstance(event, SeriesOpened):
            assert event.key not in keys.values(), "one series has two numbers"
            keys[event.number] = event.key
        found.take(position, event, keys)
    return found


def check(log: AcknowledgementLog, stored: Stored) -> None:
    """The one checker."""
    sent, acknowledged = log.read()
    assert acknowledged, "nothing was acknowledged: this shows nothing"
    lost = acknowledged.keys() - stored.positions.keys()
    assert not lost, f"acknowledged and lost: {sorted(lost)[:5]}"
    made_up = stored.positions.keys() - sent.keys()
    assert not made_up, f"stored and never sent: {sorted(made_up)[:5]}"
    twice = {mark for mark, times in stored.times.items() if times > 1}
    assert not twice, f"stored twice: {sorted(twice)[:5]}"
    altered = {mark for mark, content in stored.contents.items() if sent[mark] != content}
    assert not altered, f"stored other than sent: {sorted(altered)[:5]}"
    moved = {mark for mark, position in acknowledged.items() if stored.positions[mark] != position}
    assert not moved, f"not where it was acknowledged: {sorted(moved)[:5]}"
    order: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for (stream, number), position in stored.positions.items():
        order[stream].append((number, position))
    for stream, places in order.items():
        positions = [position for _, position in sorted(places)]
        assert positions == sorted(positions), f"out of order: {stream}"


def check_chain(dsn: str) -> None:
    """The whole log is as it was appended."""
    with closing(Database(dsn)) as database, closing(PostgresEventLog(database)) as log:
        assert verify_log(log).fault is None
