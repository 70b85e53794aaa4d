"""How far each version of each projection is, who drives it, and the runs it stopped at.

A version is driven by the one process whose session holds its advisory lock; the lock ends with the session,
however that ends. Its position is changed only where it is still what the driver believes (a fence).
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow

from adapters.postgres.binary_arrays import teach
from adapters.postgres.database import Database
from adapters.postgres.projector_cohort import POSITIONS, set_apart
from adapters.postgres.projector_tracked import Fenced, Tracked, schema_of
from adapters.postgres.record_sql import quoted
from adapters.postgres.record_view import RecordView
from adapters.postgres.special_view import SpecialView
from application.projections.faults import described
from application.projections.projection import Projection
from domain.errors import TryAgain
from domain.ids import Position, RunId

ViewFactory = Callable[[], SpecialView]
Factories = Mapping[str, ViewFactory]
"""Every view by name; each call makes an object for one version."""

_PREPARING = 7_390_214_865_113_403
"""Advisory lock of whoever adds a version; any number of our own."""
# Every version, or one, and where it stands.
_ALL = f"SELECT name, version, code_version, cohort, position FROM {POSITIONS} ORDER BY name, version"  # noqa: S608
_ONE = f"SELECT cohort, position FROM {POSITIONS} WHERE name = %s AND version = %s"  # noqa: S608 - constants
_log = logging.getLogger(__name__)


def writing_connection(database: Database) -> Connection[TupleRow]:
    """A connection to write views on; who asks closes it. Raises `TryAgain`."""
    # Views can be derived again from the log, and a lost transaction takes view and position back together. So a
    # commit need not wait for the disk: after a crash of the database the projector repeats the last moments.
    conn = database.connect("SET synchronous_commit TO off")
    teach(conn)
    return conn


def factories(projections: Iterable[Projection], special: Iterable[ViewFactory] = ()) -> dict[str, ViewFactory]:
    """All views by name. Raises ValueError for a name that is taken twice."""
    made: list[tuple[str, ViewFactory]] = [(one.name, _record_view(one)) for one in projections]
    made += [(factory().name, factory) for factory in special]
    result = dict(made)
    if len(result) != len(made):
        raise ValueError("two projections have the same name")
    return result


def prepare(conn: Connection[TupleRow], views: Factories) -> None:
    """Makes the first version of every view that has none for this code, and lets it serve. May be repeated."""
    with conn.transaction():
        conn.execute("SELECT pg_advisory_xact_lock(%s)", (_PREPARING,))
        there = set(conn.execute("SELECT name, code_version FROM projection_serving").fetchall())
        for name, factory in views.items():
            view = factory()
            if (name, view.version) not in there:
                number = _add(conn, view)
                conn.execute("INSERT INTO projection_serving VALUES (%s, %s, %s)", (name, view.version, number))


def add_version(conn: Connection[TupleRow], view: SpecialView) -> int:
    """Makes one more version, empty, at position 0; its number."""
    with conn.transaction():
        conn.execute("SELECT pg_advisory_xact_lock(%s)", (_PREPARING,))
        number = _add(conn, view)
        conn.execute("NOTIFY projections")
    return number


def try_lock(conn: Connection[TupleRow], name: str, number: int) -> bool:
    """Whether this session drives the version from here on."""
    row = conn.execute("SELECT pg_try_advisory_lock(%s)", (_lock_of(name, number),)).fetchone()
    return row == (True,)


def unlock(conn: Connection[TupleRow], name: str, number: int) -> None:
    """Lets others drive it."""
    conn.execute("SELECT pg_advisory_unlock(%s)", (_lock_of(name, number),))


def claim(conn: Connection[TupleRow], views: Factories, held: Sequence[Tracked]) -> list[Tracked]:
    """The versions that this session drives from here on.

    Those are the ones it `held`, where they are still as it left them, and every other one of this code that nobody
    drives.
    """
    rows = conn.execute(_ALL).fetchall()
    there = {(name, number): (cohort, position) for name, number, _, cohort, position in rows}
    kept = {
        (one.name, one.number): one for one in held if there.get((one.name, one.number)) == (one.cohort, one.position)
    }
    for one in held:
        if (one.name, one.number) not in kept:
            unlock(conn, one.name, one.number)
    claimed = (
        kept.get((name, number)) or _take_known(conn, views, name, number, code_version)
        for name, number, code_version, *_ in rows
    )
    result = [one for one in claimed if one is not None]
    set_apart(conn, result)
    return result


def take(conn: Connection[TupleRow], view: SpecialView, number: int) -> Tracked | None:
    """The version where it stands, driven by this session alone; None where another drives it or there is none."""
    one = _take(conn, view, number)
    if one is not None:
        set_apart(conn, [one])
    return one


def stop_run(conn: Connection[TupleRow], one: Tracked, run: RunId, position: Position, error: BaseException) -> None:
    """Records that `one` could not take in the event at `position`, and leaves `run` alone from here on."""
    text = described(error)
    conn.execute(
        "INSERT INTO projection_fault VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
        (one.name, one.number, run, position, text, time.time_ns() // 1000),
    )
    one.stopped.add(run)
    _log.error("projection %s v%d stopped at run %s, event %d: %s", one.name, one.number, run, position, text)


def is_away(error: BaseException) -> bool:
    """Whether an error says that the database is away, full or busy, and not that an event cannot be taken in."""
    if isinstance(error, psycopg.OperationalError):
        # Class 54 is a value too large for an index or a row: it would be so again.
        return not (error.sqlstate or "").startswith("54")
    return isinstance(error, psycopg.InterfaceError | TryAgain | Fenced | MemoryError)


def _record_view(projection: Projection) -> ViewFactory:
    return lambda: RecordView(projection)


def _take(conn: Connection[TupleRow], view: SpecialView, number: int) -> Tracked | None:
    if not try_lock(conn, view.name, number):
        return None
    # Read behind the lock: whoever held it before has moved it.
    row = conn.execute(_ONE, (view.name, number)).fetchone()
    if row is None:
        unlock(conn, view.name, number)
        return None
    faults = conn.execute("SELECT run FROM projection_fault WHERE name = %s AND version = %s", (view.name, number))
    return Tracked(view, number, row[0], Position(row[1]), {RunId(run) for (run,) in faults.fetchall()})


def _take_known(
    conn: Connection[TupleRow], views: Factories, name: str, number: int, code_version: int
) -> Tracked | None:
    factory = views.get(name)
    view = factory() if factory else None
    return _take(conn, view, number) if view is not None and view.version == code_version else None


def _add(conn: Connection[TupleRow], view: SpecialView) -> int:
    taken = {n for (n,) in conn.execute("SELECT version FROM projection WHERE name = %s", (view.name,)).fetchall()}
    number = view.version if view.version not in taken else max(taken) + 1
    schema = schema_of(view.name, number)
    # A schema without an entry is what an interrupted removal left behind.
    conn.execute(f"DROP SCHEMA IF EXISTS {quoted(schema)} CASCADE".encode())
    conn.execute(f"CREATE SCHEMA {quoted(schema)}".encode())
    view.create(conn, schema)
    conn.execute(
        "WITH own AS (INSERT INTO projection_cohort (position) VALUES (0) RETURNING id)"
        " INSERT INTO projection (name, version, code_version, cohort) SELECT %s, %s, %s, id FROM own",
        (view.name, number, view.version),
    )
    return number


def _lock_of(name: str, number: int) -> int:
    return int.from_bytes(hashlib.sha256(f"projection {name} {number}".encode()).digest()[:8], "big", signed=True)
