"""What the server holds already of a run that is imported again: the place to go on from.

No state is kept on this side. An attempt's stored points are a prefix of its part's points, since they are sent in the
order they were written and each is accepted once; how many there are is where the next one belongs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from tuneplane.persistence import Patience
from tuneplane.transport import document

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


def attempts(server: Server, run_id: str, position: int = 0) -> dict[int, int] | None:
    """The points, finite or not, of each of the run's attempts; None: no such run.

    As the server shows them, once it has taken in its log up to `position`. Raises BrokenOff.
    """
    found = read(server, f"api/runs/{quote(run_id, safe='')}?min_position={position}")
    if found is None:
        return None
    with _understood(server):
        return {
            int(one["attempt"]): int(one["received"]["points"]) + int(one["received"]["invalid_points"])
            for one in found["attempts"]
        }


def standing(server: Server, run_id: str, number: int, points: int) -> Standing:
    """What is stored of one of the run's attempts, which holds so many points. Raises BrokenOff."""
    done = _latest(server, run_id, number, PROGRESS)
    part = part_of(server, run_id, number)
    if not done:
        return Standing(points, part, None)
    with _understood(server):
        progress = Progress(int(done["points"]), str(done["digest"]), int(done["events"]), str(done["said"]))
    return Standing(points, part, progress)


def part_of(server: Server, run_id: str, number: int) -> str:
    """Which part of the source an attempt holds; empty where nobody has said it. Raises BrokenOff."""
    return str(_latest(server, run_id, number, SOURCE).get("part", ""))


@contextmanager
def _understood(server: Server) -> Iterator[None]:
    """Raises BrokenOff where an answer is none of a TunePlane server."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise BrokenOff(f"{server.address} answered something else than a TunePlane server does") from None


def read(server: Server, path: str) -> Mapping[str, Any] | None:
    """An answer of the read API; None where there is no such thing. Raises BrokenOff."""
    patience = Patience(_TRIES)
    while not (outcome := server.get(path)).delivered:
        if outcome.status == _NOT_FOUND:
            return None
        if not (outcome.transient and patience.wait(outcome.wait)):
            raise BrokenOff(f"{server.address}/{path}: {outcome.reason}")
    return document(outcome.body)


def _latest(server: Server, run_id: str, attempt: int, name: str) -> Mapping[str, Any]:
    path = f"api/runs/{quote(run_id, safe='')}/observations?name={name}&attempt={attempt}&limit=1"
    found = read(server, path)
    with _understood(server):
        items = found["items"] if found else ()
        return dict(items[0]["values"]) if items else {}
