"""Pairs of a table of which PostgreSQL knows nothing yet are found as they are of one that it knows."""

import msgspec
import psycopg
import pytest

from adapters.postgres import record_sql
from adapters.postgres.record_pairs import _statement
from application.ports.record_pairs import Pair, Pairing
from application.ports.records import RecordTable, Where

A_SIDE = 2_000
SEEN = "INSERT INTO pairs.trial SELECT %s, 'trial-' || n, %s, '' FROM generate_series(1, %s) n"


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    run: str
    name: str
    status: str


TRIAL = RecordTable(
    name="trial", record=Trial, key=("run", "name"), columns=("status",), indexes=(("run", "status", "name"),)
)
BOTH = Pairing(left=(Where("run", "=", "l"),), right=(Where("run", "=", "r"),), by="name", of="status")


@pytest.fixture(scope="module")
def connection(postgres):
    with psycopg.connect(postgres, autocommit=True) as conn:
        conn.execute("CREATE DATABASE record_pairs_cost")
        with psycopg.connect(postgres, dbname="record_pairs_cost", autocommit=True) as own:
            own.execute("CREATE SCHEMA pairs")
            for statement in record_sql.create("pairs", TRIAL):
                own.execute(statement)
            own.execute("ALTER TABLE pairs.trial SET (autovacuum_enabled = false)")
            own.execute(SEEN, ("l", "success", A_SIDE))
            own.execute(SEEN, ("r", "failure", A_SIDE))
            yield own
        conn.execute("DROP DATABASE record_pairs_cost WITH (FORCE)")


@pytest.mark.parametrize(
    "among",
    [None, [("success", "failure")], [("success", None)], [(None, "failure")], [("success", "failure"), ("x", "y")]],
)
def test_no_side_is_gone_through_for_each_record_of_the_other(connection, among: list[Pair] | None):
    statement, parameters = _statement("pairs", TRIAL, BOTH, among, None, 51)
    plan = "\n".join(line for (line,) in connection.execute(b"EXPLAIN " + statement, parameters).fetchall())
    assert "Full Join" in plan
    assert "Nested Loop" not in plan
