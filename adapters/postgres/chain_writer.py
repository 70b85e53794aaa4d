"""The one critical section of the log, for all processes: lock the head, look up, number, insert, commit.

A private connection, so that preparing the statements pays and no other work waits behind a writer.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import msgspec
import psycopg
from psycopg import Connection, Cursor
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.rows import TupleRow

from adapters.postgres.binary_arrays import BinaryArray, ByteaArray, Int8Array, TextArray, teach
from adapters.postgres.database import Database, asking_again
from application.ports.event_log import Candidate, Head, Placed
from application.event_log.settlement import Addition, Place, Settlement, Standing
from domain.errors import DomainFault
from domain.ids import Micros, StreamId

CHANNEL = "appended"
"""NOTIFY channel; the payload is the last position."""

_SESSION = (
    # Whoever holds the head and stops (a suspended process, a cut network) is thrown out, the others go on.
    "SET idle_in_transaction_session_timeout = '5s'",
    "SET lock_timeout = '10s'",
    "SET statement_timeout = '60s'",
    # Each look-up is by key, whatever the planner believes of a table that grows faster than its statistics.
    "SET enable_seqscan = off",
    "SET enable_hashjoin = off",
    "SET enable_mergejoin = off",
)
# One message of two statements. The lock is the critical section; the look-ups are statements of their own, because
# each statement sees what was committed before it began, and this one waits. Not a pipeline: psycopg ends one with a
# flush that makes the server forget its time-out for sessions that stand still, and large bodies hang in one.
_BEGIN = """
    BEGIN ISOLATION LEVEL READ COMMITTED;
    SELECT position, hash FROM chain_head WHERE name = 'log' FOR UPDATE"""
_STANDING = """e.originator_id, e.originator_version, e.topic, e.digest, e.notification_id, e.hash,
           CASE WHEN k.digest <> '' AND k.digest <> e.digest THEN e.state END"""
# What holds the places asked for. Bodies are read only where somebody says something else.
_HOLDERS = f"""
    SELECT {_STANDING}
    FROM unnest(%b::uuid[], %b::int8[], %b::bytea[]) AS k (stream, version, digest)
    JOIN stored_events e ON e.originator_id = k.stream AND e.originator_version = k.version"""  # noqa: S608 - made of constants
# The latest event of each stream asked for.
_LATEST = f"""
    SELECT {_STANDING}
    FROM unnest(%b::uuid[], %b::bytea[]) AS k (stream, digest)
    CROSS JOIN LATERAL (
        SELECT * FROM stored_events WHERE originator_id = k.stream ORDER BY originator_version DESC LIMIT 1
    ) e"""  # noqa: S608 - made of constants
# Everything that is new, the new head, and the call to the readers, in one statement.
_INSERT = """
    WITH added AS (
        INSERT INTO stored_events (recorded_at, originator_id, originator_version, topic, state, notification_id, run,
                                   digest, hash)
        SELECT %b::int8, * FROM unnest(%b::uuid[], %b::int8[], %b::text[], %b::bytea[], %b::int8[], %b::text[],
                                       %b::bytea[], %b::bytea[])
    ), called AS MATERIALIZED (SELECT pg_notify(%b, %b))
    UPDATE chain_head SET position = %b::int8, hash = %b FROM called WHERE name = 'log'"""


class ChainWriter:
    """Appends groups of requests, one after the other; threads wait for each other here, processes at the head."""

    def __init__(self, database: Database, clock: Callable[[], Micros]) -> None:
        self._database = database
        self._clock = clock
        self._turn = threading.Lock()
        self._connection: Connection[TupleRow] | None = None

    def append(self, requests: Sequence[Sequence[Candidate]]) -> list[tuple[Placed, ...] | DomainFault]:
        """See `EventLog.append`."""
        settlement = Settlement(requests)
        with self._turn, asking_again():
            connection, known = self._enter(settlement)
            with _closed_on_error(connection):
                _write(connection, settlement, known, self._clock)
        return settlement.answers()

    def close(self) -> None:
        """Closes the connection; a later append opens another."""
        with self._turn:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _enter(self, settlement: Settlement) -> tuple[Connection[TupleRow], _Known]:
        """Begins the critical section.

        A connection that was idle may have been closed by the other side; nothing was begun on it then, so a new one
        is tried at once. When a new one fails the database is away.
        """
        if self._connection is not None and not self._connection.closed:
            try:
                return self._connection, _lock(self._connection, settlement)
            except psycopg.OperationalError as error:
                if not _gone(error):
                    raise
        self._connection = self._database.connect(*_SESSION)
        teach(self._connection)
        self._connection.adapters.register_dumper(_UuidArray, _UuidArrayDumper)
        return self._connection, _lock(self._connection, settlement)


class _UuidArray(BinaryArray):
    oid, element = 2951, 2950


class _UuidArrayDumper(Dumper):
    format = Format.BINARY
    oid = _UuidArray.oid

    def dump(self, obj: _UuidArray) -> bytes:
        return obj.data


_int8 = struct.Struct(">q").pack


class _Known(msgspec.Struct, frozen=True):
    """What was read under the lock."""

    head: Head
    holders: Mapping[Place, Standing]
    latest: Mapping[StreamId, Standing]


@contextmanager
def _closed_on_error(connection: Connection[TupleRow]) -> Iterator[None]:
    """A connection is never used again after an error: its transaction and its protocol may be anywhere."""
    try:
        yield
    except BaseException:
        connection.close()
        raise


def _gone(error: psycopg.OperationalError) -> bool:
    """Whether the other side ended the connection: without a word, or as an operator does (class 57P)."""
    return error.sqlstate is None or error.sqlstate.startswith("57P")


def _lock(connection: Connection[TupleRow], settlement: Settlement) -> _Known:
    """Takes the head and looks up what the group asks for."""
    with _closed_on_error(connection):
        begun = connection.execute(_BEGIN)
        begun.nextset()
        row = begun.fetchone()
        if row is None:
            raise psycopg.InternalError("the row of the log's head is missing")
        places, streams = settlement.places, settlement.streams
        return _Known(
            Head(*row),
            _by_place(_ask_holders(connection, places)) if places else {},
            {stream: one for (stream, _), one in _by_place(_ask_latest(connection, streams)).items()}
            if streams
            else {},
        )


def _write(
    connection: Connection[TupleRow], settlement: Settlement, known: _Known, clock: Callable[[], Micros]
) -> None:
    """Settles the group, inserts what is new, commits."""
    set_aside = settlement.settle(known.holders, known.latest, lambda stream: _find_latest(connection, stream))
    if set_aside:
        settlement.on_record(_by_place(_ask_holders(connection, [(*place, b"") for place in set_aside])))
    recorded_at = clock()
    additions, head = settlement.number(known.head, recorded_at)
    if additions:
        _insert(connection, additions, head, recorded_at)
    connection.execute("COMMIT")


def _ask_holders(connection: Connection[TupleRow], places: Sequence[tuple[StreamId, int, bytes]]) -> Cursor[TupleRow]:
    columns = (
        _UuidArray([stream.bytes for stream, _, _ in places]),
        Int8Array([_int8(version) for _, version, _ in places]),
        ByteaArray([digest for _, _, digest in places]),
    )
    return connection.cursor(binary=True).execute(_HOLDERS, columns, prepare=True)


def _ask_latest(connection: Connection[TupleRow], streams: Sequence[tuple[StreamId, bytes]]) -> Cursor[TupleRow]:
    columns = (
        _UuidArray([stream.bytes for stream, _ in streams]),
        ByteaArray([digest for _, digest in streams]),
    )
    return connection.cursor(binary=True).execute(_LATEST, columns, prepare=True)


def _find_latest(connection: Connection[TupleRow], stream: StreamId) -> Standing | None:
    return next(iter(_by_place(_ask_latest(connection, [(stream, b"")])).values()), None)


def _by_place(found: Cursor[TupleRow]) -> dict[Place, Standing]:
    """By stream and version. Of a place asked for twice, the answer that holds the body."""
    result: dict[Place, Standing] = {}
    for stream, version, tag, digest, position, chain_hash, payload in found.fetchall():
        if payload is not None or (stream, version) not in result:
            result[stream, version] = Standing(version, tag, digest, position, chain_hash, payload)
    return result


def _insert(connection: Connection[TupleRow], additions: Sequence[Addition], head: Head, recorded_at: Micros) -> None:
    candidates = [one.candidate for one in additions]
    columns = (
        _UuidArray([one.placement.stream.bytes for one in candidates]),
        Int8Array([_int8(one.version) for one in additions]),
        TextArray([one.tag.encode() for one in candidates]),
        ByteaArray([one.payload for one in candidates]),
        Int8Array([_int8(one.position) for one in additions]),
        TextArray([one.placement.event.run.encode() for one in candidates]),
        ByteaArray([one.digest for one in candidates]),
        ByteaArray([one.hash for one in additions]),
    )
    connection.execute(
        _INSERT, (recorded_at, *columns, CHANNEL, str(head.position), head.position, head.hash), prepare=True
    )
