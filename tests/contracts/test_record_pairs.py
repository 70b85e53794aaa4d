"""Every adapter pairs records alike, and what it counts is what the rule of trial transitions would count."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Literal

import msgspec
import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.memory.record_pairs import MemoryRecordPairs
from adapters.postgres import record_sql
from adapters.postgres.record_pairs import PostgresRecordPairs
from adapters.postgres.records import RecordBatch
from application.ports.record_pairs import Pairing
from application.ports.records import RecordTable, Where
from domain.errors import Refused
from domain.rules.trial_transitions import TRANSITIONS, outcomes_of, transition, transitions


class Fruit(msgspec.Struct, frozen=True, kw_only=True):
    run: str
    basket: str
    name: str
    status: Literal["success", "failure", "infra_error", "unscored"] = "success"
    label: str | None = None


FRUIT = RecordTable(name="fruit", record=Fruit, key=("run", "basket", "name"), columns=("status", "label"))


def side(basket: str) -> tuple[Where, Where]:
    return Where("run", "=", "market"), Where("basket", "=", basket)


BASKETS = Pairing(left=side("l"), right=side("r"), by="name", of="status")


@pytest.fixture(scope="module")
def connection(postgres: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres, autocommit=True) as conn:
        conn.execute("CREATE DATABASE record_pairs_contract")
        with psycopg.connect(postgres, dbname="record_pairs_contract", autocommit=True) as own:
            own.execute("CREATE SCHEMA fruits")
            for statement in record_sql.create("fruits", FRUIT):
                own.execute(statement)
            yield own
        conn.execute("DROP DATABASE record_pairs_contract WITH (FORCE)")


Baskets = dict[str, dict[str, str]]


def in_memory(_: Any, baskets: Baskets) -> MemoryRecordPairs:
    records = MemoryRecordPairs()
    for basket, fruits in baskets.items():
        for name, status in fruits.items():
            records.put(FRUIT, Fruit(run="market", basket=basket, name=name, status=status))  # type: ignore[arg-type]
    return records


def in_postgres(conn: psycopg.Connection, baskets: Baskets) -> PostgresRecordPairs:
    batch = RecordBatch("fruits", (FRUIT,))
    conn.execute("TRUNCATE fruits.fruit")
    batch.use(conn)
    for basket, fruits in baskets.items():
        for name, status in fruits.items():
            batch.put(FRUIT, Fruit(run="market", basket=basket, name=name, status=status))  # type: ignore[arg-type]
    batch.flush()
    return PostgresRecordPairs(conn, {FRUIT: "fruits"})


@pytest.fixture(params=[in_memory, in_postgres])
def sold(request, connection):
    return lambda baskets: request.param(connection, baskets)


SOME = {
    "l": {"b": "success", "a": "failure", "é": "unscored", "Z": "success"},
    "r": {"a": "success", "b": "failure", "d": "success", "Z": "success"},
    "other": {"a": "infra_error", "x": "success"},
}


def listed(found) -> list[tuple[object, ...]]:
    return [(one.by, one.left, one.right) for one in found.items]


def test_records_of_both_sides_stand_in_order_of_code_points_and_none_is_where_there_is_none(sold):
    found = sold(SOME).pairs(FRUIT, BASKETS, limit=10)
    assert listed(found) == [
        ("Z", "success", "success"),
        ("a", "failure", "success"),
        ("b", "success", "failure"),
        ("d", None, "success"),
        ("é", "unscored", None),
    ]
    assert found.counts == dict(Counter((left, right) for _, left, right in listed(found)))


def test_a_page_goes_on_behind_the_last_and_the_counts_are_of_everything(sold):
    records = sold(SOME)
    found = records.pairs(FRUIT, BASKETS, after="a", limit=2)
    assert [one.by for one in found.items] == ["b", "d"]
    assert sum(found.counts.values()) == 5


def test_only_wanted_pairs_are_listed(sold):
    records = sold(SOME)
    wanted = [("success", "failure"), (None, "success")]
    assert [one.by for one in records.pairs(FRUIT, BASKETS, among=wanted, limit=10).items] == ["b", "d"]
    assert records.pairs(FRUIT, BASKETS, among=[], limit=10).items == []


def test_two_empty_sides_have_no_pairs(sold):
    found = sold({}).pairs(FRUIT, BASKETS, limit=10)
    assert (found.counts, found.items) == ({}, [])


def test_a_field_that_may_be_none_or_is_no_key_pairs_nothing(sold):
    records = sold(SOME)
    for by, of in (("name", "label"), ("status", "status"), ("name", "nothing")):
        with pytest.raises(TypeError):
            records.pairs(FRUIT, Pairing(left=side("l"), right=side("r"), by=by, of=of), limit=1)
    with pytest.raises(Refused):
        records.pairs(FRUIT, BASKETS, after="\0", limit=1)


SIDE = st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["success", "failure", "infra_error", "unscored"]))


@pytest.mark.parametrize("make", [in_memory, in_postgres])
@settings(max_examples=60, deadline=None)
@given(left=SIDE, right=SIDE)
def test_what_is_counted_and_listed_is_what_the_rule_says_of_each_trial(connection, make, left, right):
    records = make(connection, {"l": left, "r": right})
    counts = dict.fromkeys(TRANSITIONS, 0)
    for (one, other), many in records.pairs(FRUIT, BASKETS, limit=0).counts.items():
        counts[transition(one, other)] += many
    assert counts == transitions(left, right)
    for name in TRANSITIONS:
        found = records.pairs(FRUIT, BASKETS, among=outcomes_of(name), limit=100)
        trials = sorted(left.keys() | right.keys())
        assert [one.by for one in found.items] == [
            trial for trial in trials if transition(left.get(trial), right.get(trial)) == name
        ]
