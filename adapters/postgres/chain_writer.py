"""The one critical section of the log, for all processes: lock the head, look up, number, insert, commit.

A writer that found the head where it left it does the same in one statement, which does nothing where the head moved
meanwhile or a place is taken; then the lock decides. A private connection, so that preparing the statements pays and
no other work waits behind a writer.
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
from application.event_log.settlement import Addition, Place, Settlement, Standing
from application.ports.event_log import Candidate, Head, Placed
from domain.errors import DomainFault
from domain.ids import Micros, StreamId

CHANNEL = "appended"
"""NOTIFY channel; the payload is the last position."""

_SESSION = (
    # Whoever holds the head and stops (a suspended process, a cut network) is thrown out, the others go on.
    "SET idle_in_transaction_session_timeout = '5s'",
    "SET lock_timeout = '10s'",
    "SET statement_timeout = '60s'",
    # After a wait for the head, what counts is the head as it is then.
    "SET default_transaction_isolation = 'read committed'",
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
_ADD = """
    INSERT INTO stored_events (recorded_at, originator_id, originator_version, topic, state, notification_id, run,
                               digest, hash)
    SELECT %b::int8, * FROM unnest(%b::uuid[], %b::int8[], %b::text[], %b::bytea[], %b::int8[], %b::text[],
                                   %b::bytea[], %b::bytea[])"""
# Everything that is new, the new head, and the call to the readers, in one statement.
_INSERT = f"""
    WITH added AS ({_ADD}), called AS MATERIALIZED (SELECT pg_notify(%b, %b))
    UPDATE chain_head SET position = %b::int8, hash = %b FROM called WHERE name = 'log'"""  # noqa: S608 - made of constants
# The same by itself, where nobody wrote since the head was read and all places are free; else it changes nothing. What
# was looked up since then is right, too: whoever writes moves the head. The update waits for whoever holds the head,
# and then sees where it is.
_INSERT_UNDISTURBED = f"""
    WITH taken AS (
        SELECT FROM unnest(%b::uuid[], %b::int8[]) AS k (stream, version)
        JOIN stored_events e ON e.originator_id = k.stream AND e.originator_version = k.version LIMIT 1
    ), moved AS (
        UPDATE chain_head SET position = %b::int8, hash = %b
        WHERE name = 'log' AND hash = %b AND NOT EXISTS (SELECT FROM taken)
        RETURNING pg_notify(%b, %b)
    ), added AS ({_ADD} WHERE EXISTS (SELECT FROM moved))
    SELECT count(*) FROM moved"""  # noqa: S608 - made of constants


_MOST_REMEMBERED = 10_000
"""Streams."""


class ChainWriter:
    """Appends groups of requests, one after the other; threads wait for each other here, processes at the head."""

    def __init__(self, database: Database, clock: Callable[[], Micros]) -> None:
        self._database = database
        self._clock = clock
        self._turn = threading.Lock()
        self._connection: Connection[TupleRow] | None = None
        self._left: Head | None = None
        """The head as this writer left it."""
        self._undisturbed = False
        """Whether the last append found the head there and every place free: then the next one will, too."""
        self._latest: dict[StreamId, Standing] = {}
        """Of streams whose rule does not look at contents: what was appended last, all of it without the lock."""

    def append(self, requests: Sequence[Sequence[Candidate]]) -> list[tuple[Placed, ...] | DomainFault]:
        """See `EventLog.append`."""
        with self._turn, asking_again():
            lost = None
            try:
                settlement = self._append_undisturbed(requests)
            except psycopg.OperationalError as error:
                if not _gone(error):
                    raise
                settlement, lost = None, error
            if settlement is None:
                settlement = self._append_locked(requests, lost)
        return settlement.answers()

    def close(self) -> None:
        """Closes the connection; a later append opens another."""
        with self._turn:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _append_undisturbed(self, requests: Sequence[Sequence[Candidate]]) -> Settlement | None:
        """Without the lock; None where that cannot be, and then nothing was written."""
        connection, head = self._connection, self._left
        if not self._undisturbed or head is None or connection is None or connection.closed:
            return None
        self._undisturbed = False
        settlement = Settlement(requests)
        with _closed_on_error(connection):
            left = _write_undisturbed(connection, settlement, head, self._latest, self._clock)
        if left is None:
            return None
        self._left, self._undisturbed = left, True
        return settlement

    def _append_locked(
        self, requests: Sequence[Sequence[Candidate]], lost: psycopg.OperationalError | None
    ) -> Settlement:
        """`lost`: a connection ended while it wrote them; raised where the head moved, since they may be there."""
        self._latest.clear()
        settlement = Settlement(requests)
        connection, known = self._enter(settlement)
        with _closed_on_error(connection):
            if lost is not None and known.head != self._left:
                raise lost
            left = _write(connection, settlement, known, self._clock)
        self._undisturbed = self._left in {None, known.head} and not known.holders
        self._left = left
        return settlement

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
        places = settlement.places
        holders = _by_place(_ask_holders(connection, places)) if places else {}
        return _Known(Head(*row), holders, _latest(connection, settlement, {}))


def _write(
    connection: Connection[TupleRow], settlement: Settlement, known: _Known, clock: Callable[[], Micros]
) -> Head:
    """Settles the group, inserts what is new, commits; where the head is then."""
    set_aside = settlement.settle(known.holders, known.latest, lambda stream: _find_latest(connection, stream))
    if set_aside:
        settlement.on_record(_by_place(_ask_holders(connection, [(*place, b"") for place in set_aside])))
    recorded_at = clock()
    additions, head = settlement.number(known.head, recorded_at)
    if additions:
        _insert(connection, additions, head, recorded_at)
    connection.execute("COMMIT")
    return head


def _write_undisturbed(
    connection: Connection[TupleRow],
    settlement: Settlement,
    known: Head,
    remembered: dict[StreamId, Standing],
    clock: Callable[[], Micros],
) -> Head | None:
    """Inserts the group where its places are free and the head is still `known`; where it is then.

    None where nothing was inserted.
    """
    latest = _latest(connection, settlement, remembered)
    set_aside = settlement.settle({}, latest, lambda stream: _find_latest(connection, stream))
    recorded_at = clock()
    additions, head = settlement.number(known, recorded_at)
    if set_aside or not additions:
        return None
    places = (
        _UuidArray([stream.bytes for stream, _, _ in settlement.places]),
        Int8Array([_int8(version) for _, version, _ in settlement.places]),
    )
    moved = (head.position, head.hash, known.hash, CHANNEL, str(head.position))
    arguments = (*places, *moved, recorded_at, *_columns(additions))
    if connection.execute(_INSERT_UNDISTURBED, arguments, prepare=True).fetchone() != (1,):
        return None
    _remember(remembered, additions)
    return head


def _remember(remembered: dict[StreamId, Standing], additions: Sequence[Addition]) -> None:
    """What streams now end with, where the next version was asked for and not one by number."""
    if len(remembered) > _MOST_REMEMBERED:
        remembered.clear()
    for one in additions:
        placement = one.candidate.placement
        if placement.version is None:
            last = Standing(one.version, one.candidate.tag, one.digest, one.position, one.hash, None)
            remembered[placement.stream] = last
        else:
            remembered.pop(placement.stream, None)


def _latest(
    connection: Connection[TupleRow], settlement: Settlement, remembered: Mapping[StreamId, Standing]
) -> dict[StreamId, Standing]:
    """Of the streams the group asks for. What is remembered has no body: it serves rules that look at none."""
    looked_at = {stream for stream, digest in settlement.streams if digest}
    found = {stream: remembered[stream] for stream, _ in settlement.streams if stream in remembered}
    missing = [(stream, digest) for stream, digest in settlement.streams if stream in looked_at or stream not in found]
    if missing:
        found.update((stream, one) for (stream, _), one in _by_place(_ask_latest(connection, missing)).items())
    return found


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
    called = (CHANNEL, str(head.position))
    arguments = (recorded_at, *_columns(additions), *called, head.position, head.hash)
    connection.execute(_INSERT, arguments, prepare=True)


def _columns(additions: Sequence[Addition]) -> tuple[BinaryArray, ...]:
    """Of new events, as `_ADD` takes them."""
    candidates = [one.candidate for one in additions]
    return (
        _UuidArray([one.placement.stream.bytes for one in candidates]),
        Int8Array([_int8(one.version) for one in additions]),
        TextArray([one.tag.encode() for one in candidates]),
        ByteaArray([one.payload for one in candidates]),
        Int8Array([_int8(one.position) for one in additions]),
        TextArray([one.placement.event.run.encode() for one in candidates]),
        ByteaArray([one.digest for one in candidates]),
        ByteaArray([one.hash for one in additions]),
    )
