"""Connections to one PostgreSQL: a bounded pool, connections of one's own, and one word for "away"."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString

import psycopg
from eventsourcing import persistence
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from domain.errors import TryAgain

CONNECT_SECONDS = 2
"""How long a new connection, or one of the pool, may take."""

_KEEPALIVE = {
    "connect_timeout": CONNECT_SECONDS,
    # A database that vanished behind a network (no RST, no FIN) is noticed within seconds.
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}

_AWAY = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.InternalError,
    persistence.OperationalError,
    persistence.InterfaceError,
    persistence.InternalError,
)


@contextmanager
def asking_again() -> Iterator[None]:
    """Inside, errors of a database that is away, overloaded or full become `TryAgain`.

    The detail names the kind of error alone: messages of the driver hold addresses and names.
    """
    try:
        yield
    except _AWAY as error:
        raise TryAgain(f"The database cannot do this right now ({type(error).__name__}). Repeat it later.") from error


def storable(text: str) -> bool:
    """Whether PostgreSQL's text can hold it: no NUL, no lone surrogates. What cannot be stored is not there either."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


class Database:
    """The way to one PostgreSQL. Connects when first asked, so it can be made while the database is away."""

    def __init__(self, dsn: str, *, pool_size: int = 8, check: bool = True) -> None:
        """Without `check` a connection is not tried before it is lent, which saves a round trip.

        After the database was away one question then fails for each connection of the pool: for a process that repeats
        everything anyway.
        """
        self._dsn = make_conninfo("", **{**_KEEPALIVE, **conninfo_to_dict(dsn)})
        self._pool: ConnectionPool[Connection[TupleRow]] = ConnectionPool(
            self._dsn,
            kwargs={"autocommit": True},
            min_size=0,
            max_size=pool_size,
            open=False,
            check=ConnectionPool.check_connection if check else None,
            timeout=CONNECT_SECONDS,
            max_waiting=200,
            # Attempts to reconnect grow apart; giving up early makes the next question connect at once.
            reconnect_timeout=1,
            name="tuneplane",
        )

    @contextmanager
    def connection(self) -> Iterator[Connection[TupleRow]]:
        """A connection of the pool, in autocommit. Raises `TryAgain` where the database is away."""
        with asking_again():
            self._pool.open()
            with self._pool.connection() as connection:
                yield connection

    @contextmanager
    def transaction(self) -> Iterator[Connection[TupleRow]]:
        """A connection of the pool, in one transaction: committed at the end, rolled back on an error."""
        with self.connection() as connection, connection.transaction():
            yield connection

    def connect(self, *settings: LiteralString) -> Connection[TupleRow]:
        """A connection of one's own, in autocommit; who asks closes it.

        `settings` are run first, as in `SET lock_timeout = '10s'`. Raises `TryAgain`.
        """
        with asking_again():
            connection = psycopg.connect(self._dsn, autocommit=True)
            try:
                for setting in settings:
                    connection.execute(setting)
            except BaseException:
                connection.close()
                raise
            return connection

    def close(self) -> None:
        """Closes the pool. May be repeated."""
        self._pool.close()
