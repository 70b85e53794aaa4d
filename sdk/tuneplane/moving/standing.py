"""What the server holds already of a run that is imported again: the place to go on from.

No state is kept on this side. An attempt's stored points are a prefix of its part's points, since they are sent in the
order they were written and each is accepted once; how many there are is where the next one belongs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from tuneplane.persistence import Patience

if TYPE_CHECKING:
    from tuneplane.opening import Server

SOURCE = "import.source"
"""Event: which part of the source an attempt holds; sent before its first point."""
PROGRESS = "import.progress"
"""Event: how far a part was imported, with a digest of it; sent behind its last point."""
_TRIES = 6
_NOT_FOUND = 404


class BrokenOff(RuntimeError):
    """The server cannot be reached, or refuses the token. Sending again later goes on where this ended."""


class RunRefused(ValueError):
    """The run cannot be imported, or not any further: the reason, and what to do."""


class Progress(NamedTuple):
    """What the last complete import of a part said."""

    points: int
    digest: str
    """Of the first `points` points."""
    events: int
    said: str
    """Digest of configuration, life and final results."""


class Standing(NamedTuple):
    """What the server holds of one attempt."""

    points: int
    """Finite or not."""
    part: str
    """The part's identity; empty where it was never said."""
    progress: Progress | None


def attempts(server: Server, run_id: str, position: int = 0) -> list[Mapping[str, Any]] | None:
    """The run's attempts as the server shows them, once it has taken in its log up to `position`; None: no such run.

    Raises BrokenOff.
    """
    found = read(server, f"api/runs/{quote(run_id, safe='')}?min_position={position}")
    return None if found is None else list(found.get("attempts") or ())


def stored_points(attempt: Mapping[str, Any]) -> int:
    """Points of an attempt as the server shows it, finite or not."""
    received = attempt["received"]
    return int(received["points"]) + int(received["invalid_points"])


def standing(server: Server, run_id: str, attempt: Mapping[str, Any]) -> Standing:
    """What is stored of one of the run's attempts. Raises BrokenOff."""
    number = int(attempt["attempt"])
    done = _latest(server, run_id, number, PROGRESS)
    return Standing(
        points=stored_points(attempt),
        part=part_of(server, run_id, number),
        progress=None
        if not done
        else Progress(int(done["points"]), str(done["digest"]), int(done["events"]), str(done["said"])),
    )


def part_of(server: Server, run_id: str, number: int) -> str:
    """Which part of the source an attempt holds; empty where nobody has said it. Raises BrokenOff."""
    return str(_latest(server, run_id, number, SOURCE).get("part", ""))


def read(server: Server, path: str) -> Mapping[str, Any] | None:
    """An answer of the read API; None where there is no such thing. Raises BrokenOff."""
    patience = Patience(_TRIES)
    while not (outcome := server.get(path)).delivered:
        if outcome.status == _NOT_FOUND:
            return None
        if not (outcome.transient and patience.wait(outcome.wait)):
            raise BrokenOff(f"{server.address}/{path}: {outcome.reason}")
    try:
        answer = json.loads(outcome.body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise BrokenOff(f"{server.address}/{path} answered something else than a TunePlane server does")
    return answer


def _latest(server: Server, run_id: str, attempt: int, name: str) -> Mapping[str, Any]:
    path = f"api/runs/{quote(run_id, safe='')}/observations?name={name}&attempt={attempt}&limit=1"
    items = (read(server, path) or {}).get("items") or ()
    return items[0]["values"] if items else {}
