"""A real installation under load: `tuneplane-server serve`, its projector and its database, and what they cost."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import psycopg

from tests.bench import processes
from tests.bench.load import Connection, load
from tests.end_to_end.api import Api, Job
from tests.end_to_end.installation import ServerProcess, a_server

TAIL = "proj_series_v2.tail"
_LAG = """
    SELECT (SELECT position FROM chain_head)
         - (SELECT min(position) FROM projection JOIN projection_cohort ON id = cohort)"""
PATIENCE_SECONDS = 600.0


class Cpu(msgspec.Struct, frozen=True):
    """Seconds."""

    server: float
    projector: float
    database: float

    @property
    def total(self) -> float:
        return self.server + self.projector + self.database

    def since(self, before: Cpu) -> Cpu:
        return Cpu(self.server - before.server, self.projector - before.projector, self.database - before.database)

    def each(self, count: float) -> Cpu:
        return Cpu(self.server / count, self.projector / count, self.database / count)

    def __str__(self) -> str:
        return f"server {self.server:.2f}, projector {self.projector:.2f}, PostgreSQL {self.database:.2f}"


class Lag(msgspec.Struct, frozen=True):
    """How far the views were behind when a load ended."""

    events: int
    millis: float
    """Until they had taken in everything."""
    tail_points: int
    """Points in the log alone, merged in by readers: not lag, but work that waits."""


class Stack:
    """One installation, empty at first."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.port = server.port
        self.api = Api(server.url, server.command("token", "create", "admin").strip())
        self.projector = server.projector()
        postmaster = server.postmaster()
        assert postmaster is not None
        self.postmaster = postmaster
        self.database = psycopg.connect(server.dsn(), autocommit=True)

    def ask(self, statement: str) -> Any:
        """The first value of the first row; None without rows."""
        cursor = self.database.execute(statement.encode())
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None

    def jobs(self, count: int) -> list[Job]:
        """Fresh runs."""
        return [self.api.open_run() for _ in range(count)]

    def warm_jobs(self, count: int) -> list[Job]:
        """Fresh runs whose 10 series are open; their next batch is number 2. The database is at rest."""
        jobs = self.jobs(count)
        load(self.port, jobs, "MessagePack", 0, 2)
        self.caught_up()
        self.ask("CHECKPOINT")
        return jobs

    def cpu(self) -> Cpu:
        """Since their start."""
        return Cpu(
            processes.own_cpu(self.server.pid),
            processes.own_cpu(self.projector),
            processes.tree_cpu(self.postmaster),
        )

    def pss(self) -> tuple[float, float]:
        """Megabytes of server and projector."""
        return processes.pss(self.server.pid), processes.pss(self.projector)

    def caught_up(self) -> Lag:
        """Waits until the views have taken in everything."""
        began = time.perf_counter()
        events = int(self.ask(_LAG))
        tail_points = int(self.ask(f"SELECT coalesce(sum(points), 0) FROM {TAIL}"))
        behind = events
        while behind:
            assert time.perf_counter() - began < PATIENCE_SECONDS, "the views never caught up"
            time.sleep(0.002)
            behind = int(self.ask(_LAG))
        return Lag(events, (time.perf_counter() - began) * 1e3, tail_points)

    def settled(self) -> None:
        """Waits until the views have tidied up too: nothing of theirs is written any more."""
        self.caught_up()
        before, since = self._written(), time.perf_counter()
        while time.perf_counter() - since < 2:
            time.sleep(0.2)
            if (now := self._written()) != before:
                before, since = now, time.perf_counter()

    def counter(self, name: str) -> float:
        """One of /metrics."""
        connection = Connection(self.port)
        try:
            lines = connection.get("/metrics").decode().splitlines()
        finally:
            connection.close()
        return next(float(line.split()[-1]) for line in lines if line.startswith(name))

    def sizes(self, relations: Sequence[str]) -> float:
        """Bytes of tables with their indexes and large values."""
        return float(sum(self.ask(f"SELECT pg_total_relation_size('{one}')") for one in relations))

    def schemas_size(self, pattern: str) -> float:
        """Bytes of all tables in schemas like `pattern`."""
        return float(
            self.ask(
                "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c"
                f" JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname LIKE '{pattern}' AND relkind = 'r'"
            )
        )

    def _written(self) -> tuple[Any, ...]:
        """Changes whenever a view is compacted or vacuumed."""
        return (
            self.ask("SELECT sum(n_tup_ins + n_tup_upd + n_tup_del + vacuum_count) FROM pg_stat_user_tables"),
            self.ask("SELECT pg_current_wal_insert_lsn()"),
        )


@contextmanager
def a_stack() -> Iterator[Stack]:
    """A fresh installation on a disk that keeps what it is told."""
    with a_server() as server:
        stack = Stack(server)
        try:
            assert stack.ask("SHOW fsync") == "on"
            stack.caught_up()
            yield stack
        finally:
            stack.database.close()
