"""From runs of a source to runs of the server: each is made once, under an id that follows from what it is."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Callable

from tuneplane.moving.attempt import AttemptWriter
from tuneplane.moving.delivery import PartDelivery
from tuneplane.moving.protobuf import Torn
from tuneplane.moving.source import RefusedRun, SourceRefused
from tuneplane.moving.standing import BrokenOff, RunRefused, attempts, part_of, standing
from tuneplane.moving.tally import Tally
from tuneplane.opening import NotOpened
from tuneplane.persistence import Patience
from tuneplane.redaction import redacted
from tuneplane.series_keys import SeriesKeys
from tuneplane.terminal import NowAndThen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tuneplane.moving.source import Found, SourceRun
    from tuneplane.opening import Server

IMPORTED = "imported"
_NAME_CHARS = 256
_TAGS, _TAG_CHARS = 32, 64
_NOTES_CHARS = 16_384
_TRIES = 6
_TAKEN = 409


class MovingIn:
    """`tell` gets a line for the person watching. `label` makes other runs of the same source."""

    def __init__(self, server: Server, tell: Callable[[str], None], *, label: str = "") -> None:
        self._server = server
        self._tell = tell
        self._label = label
        self._now_and_then = NowAndThen()
        self._seen: dict[str, str] = {}
        self._writers: dict[tuple[str, int], AttemptWriter] = {}
        """Kept for the next time, so that following a log needs one token for each attempt."""

    def bring(self, runs: Iterable[Found]) -> list[Tally]:
        """Imports each run; one that is refused stops no other. May be called again. Raises BrokenOff."""
        self._seen.clear()
        return [_refused(run) if isinstance(run, RefusedRun) else self._one(run) for run in runs]

    def _one(self, run: SourceRun) -> Tally:
        run_id = run_id_of(run, self._label)
        tally = Tally(run.name, self._server.page(run_id))
        try:
            self._see(run, run_id)
            self._deliver(run, run_id, tally)
        except (RunRefused, SourceRefused) as problem:
            tally.refusal = str(problem)
        except Torn as problem:
            tally.refusal = f"this file is none of its kind: {problem}"
        except OSError as problem:
            tally.refusal = f"{problem.filename}: {problem.strerror}"
        return tally

    def _see(self, run: SourceRun, run_id: str) -> None:
        if run_id in self._seen:
            raise RunRefused(f"the same run as {self._seen[run_id]!r}, which is in this source, too")
        self._seen[run_id] = run.name

    def _deliver(self, run: SourceRun, run_id: str, tally: Tally) -> None:
        held = attempts(self._server, run_id)
        if held is None:
            self._make(run, run_id, tally)
            held = {}
        keys = SeriesKeys()
        for number, part in enumerate(run.parts):
            stored = standing(self._server, run_id, number, held[number]) if number in held else None
            writer = self._writers.get((run_id, number))
            if writer is None:
                writer = AttemptWriter(self._server, run_id, number)
            told = self._teller(run.name, tally)
            try:
                PartDelivery(run.tracker, part, stored, writer, keys, tally, told).run()
            finally:
                writer.close()
            if writer.is_open:
                self._writers[run_id, number] = writer
            tally.attempts += 1
        beyond = [number for number in held if number >= len(run.parts) and part_of(self._server, run_id, number)]
        if beyond:  # one that says no part was opened by an import that another one was ahead of
            imported = len(run.parts) + len(beyond)
            raise RunRefused(f"{imported} attempts were imported, and the source holds {len(run.parts)} parts now")

    def _teller(self, name: str, tally: Tally) -> Callable[[], None]:
        def told() -> None:
            if self._now_and_then.due():
                self._tell(f"{name}: {tally.points:,} points sent, {tally.before:,} were there")

        return told

    def _make(self, run: SourceRun, run_id: str, tally: Tally) -> None:
        fields, patience = _fields(run, run_id, tally), Patience(_TRIES)
        while True:
            try:
                self._server.make_run(fields)
            except NotOpened as problem:
                if problem.status == _TAKEN:
                    return  # by ourselves, and the answer was lost
                if not problem.transient:
                    raise RunRefused(f"no run was made: {problem}") from None
                if not patience.wait(problem.wait):
                    raise BrokenOff(str(problem)) from None
            else:
                return


def _refused(run: RefusedRun) -> Tally:
    return Tally(run.name, refusal=run.reason)


def run_id_of(run: SourceRun, label: str = "") -> str:
    """The id of a source run here: the same whenever and wherever it is imported."""
    parts = [run.tracker, run.identity, *([label] if label else [])]
    return f"{run.tracker}-{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]}"


def _fields(run: SourceRun, run_id: str, tally: Tally) -> dict[str, Any]:
    tags = list(dict.fromkeys([IMPORTED, run.tracker, *map(redacted, run.tags)]))
    fitting = [tag for tag in tags if 1 <= len(tag) <= _TAG_CHARS and tag.isprintable()][:_TAGS]
    if len(fitting) < len(tags):
        tally.leave("tag", len(tags) - len(fitting))
    notes = redacted("\n".join(part for part in (run.notes, *run.said) if part))
    notes = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in notes)
    if len(notes) > _NOTES_CHARS:
        tally.notes.append(f"its notes have {len(notes)} characters: the first {_NOTES_CHARS - 1} are kept")
        notes = f"{notes[: _NOTES_CHARS - 1]}…"
    return {"name": _name(redacted(run.name)), "run_id": run_id, "tags": fitting, "notes": notes}


def _name(text: str) -> str:
    shown = "".join(c if c.isprintable() else "\ufffd" for c in text) or "unnamed"
    return shown if len(shown) <= _NAME_CHARS else f"{shown[: _NAME_CHARS - 1]}…"


def faults(tallies: Sequence[Tally]) -> int:
    """What was not read or refused, in all runs."""
    return sum(one.faults() for one in tallies)
