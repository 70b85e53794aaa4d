"""The floor of ingest: the same points as rows of an indexed table, sent in binary by 4 connections."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
import numpy as np
import psycopg
from psycopg import pq

from tests.bench import processes
from tests.bench.bodies import POINTS
from tests.bench.load import Background
from tests.bench.stack import Stack

CONNECTIONS = 4
_TABLE = """
    DROP TABLE IF EXISTS floor;
    CREATE TABLE floor (series int4 NOT NULL, step int8 NOT NULL, value float8 NOT NULL, ts float8 NOT NULL,
                        PRIMARY KEY (series, step))"""
_INSERT = b"INSERT INTO floor SELECT * FROM unnest($1::int4[], $2::int8[], $3::float8[], $4::float8[])"
_ARRAY_OIDS = (1007, 1016, 1022, 1022)
_SERIES = 10


class Floor(msgspec.Struct, frozen=True):
    points_a_second: float
    cpu: float
    """CPU seconds of PostgreSQL for 1 M points."""
    bytes_a_point: float


def floor(stack: Stack, batches: int) -> Floor:
    """`batches` of 2,048 points a connection, each in a transaction of its own; the table is removed again."""
    stack.database.execute(_TABLE)
    stack.ask("CHECKPOINT")
    dsn = stack.server.dsn()
    before = processes.tree_cpu(stack.postmaster)
    results = Background([_client(dsn, number, batches) for number in range(CONNECTIONS)]).results()
    cpu = processes.tree_cpu(stack.postmaster) - before
    points = CONNECTIONS * batches * POINTS
    size = stack.sizes(["floor"])
    stack.ask("DROP TABLE floor")
    seconds = max(ended for _, ended in results) - min(began for began, _ in results)
    return Floor(points / seconds, cpu / points * 1e6, size / points)


def _client(dsn: str, number: int, batches: int) -> Callable[[], Callable[[], tuple[float, float]]]:
    def prepare() -> Callable[[], tuple[float, float]]:
        rng = np.random.default_rng(number)
        made = []
        for batch in range(batches):
            place = np.arange(batch * POINTS, (batch + 1) * POINTS)
            series, steps = number * _SERIES + place % _SERIES, place // _SERIES
            columns = (
                (23, ">i4", series),
                (20, ">i8", steps),
                (701, ">f8", rng.standard_normal(POINTS)),
                (701, ">f8", steps * 0.1),
            )
            made.append([binary_array(*column) for column in columns])
        connection = psycopg.connect(dsn, autocommit=True)
        connection.pgconn.prepare(b"floor", _INSERT, _ARRAY_OIDS)
        return lambda: _insert(connection, made)

    return prepare


def _insert(connection: psycopg.Connection, made: list[list[bytes]]) -> tuple[float, float]:
    began = time.perf_counter()
    for columns in made:
        result = connection.pgconn.exec_prepared(b"floor", columns, [1] * len(columns))
        assert result.status == pq.ExecStatus.COMMAND_OK, result.error_message
    ended = time.perf_counter()
    connection.close()
    return began, ended


def binary_array(element: int, kind: str, values: np.ndarray) -> bytes:
    """PostgreSQL's binary array of elements of the type with oid `element`."""
    rows = np.empty(len(values), [("length", ">i4"), ("value", kind)])
    rows["length"], rows["value"] = np.dtype(kind).itemsize, values
    return np.array([1, 0, element, len(values), 1], ">i4").tobytes() + rows.tobytes()
