"""A projection is filled again beside the one that serves, compared with it, promoted, taken back and removed."""

from collections.abc import Iterator

import psycopg
import pytest

from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.projection_store import PostgresProjectionStore
from adapters.postgres.projector_tracking import factories, prepare
from application.commands.compare_projection import compare_projection
from application.commands.drop_projection import drop_projection
from application.commands.promote_projection import promote_projection
from application.commands.rebuild_projection import rebuild_projection
from domain.errors import Refused, UnknownThing
from domain.ids import Position, RunId
from tests import factories as make
from tests.adapters.projecting import (
    COUNTING,
    KEEPING,
    a_log,
    all_at,
    append,
    ask,
    positions,
    projecting,
    tallies,
    wait_until,
)

VIEWS = factories((COUNTING, KEEPING))
Place = tuple[Database, PostgresEventLog]


@pytest.fixture
def log(dsn: str) -> Iterator[Place]:
    with a_log(dsn) as both:
        yield both


@pytest.fixture
def store(log: Place) -> PostgresProjectionStore:
    with log[0].connection() as conn:
        prepare(conn, VIEWS)
    return PostgresProjectionStore(*log, VIEWS)


def quietly(at: Position, of: Position) -> None:
    assert 0 <= at <= of


def serving(store: PostgresProjectionStore) -> dict[str, int]:
    return {one.name: one.version for one in store.versions() if one.serving}


def test_the_first_version_of_every_view_serves(store):
    found = [(one.name, one.version, one.serving, one.position, one.faults) for one in store.versions()]
    assert found == [("counting", 1, True, 0, 0), ("keeping", 1, True, 0, 0)]
    assert all(one.size_bytes > 0 for one in store.versions())


def test_a_rebuild_fills_the_next_version_while_the_first_serves(dsn, log, store):
    append(log[1], *(make.a_log("x") for _ in range(1100)))
    seen: list[tuple[int, int]] = []
    with projecting(log, VIEWS):
        wait_until(all_at(dsn, 1100))
        rebuilt = rebuild_projection(store, "counting", lambda at, of: seen.append((at, of)))
    assert (rebuilt.version, rebuilt.position) == (2, 1100)
    assert tallies(dsn, 2) == tallies(dsn, 1) == {"run-1": (1100, 1100)}
    assert serving(store) == {"counting": 1, "keeping": 1}
    assert seen[-1] == (1100, 1100)


def test_without_a_projector_the_rebuild_fills_by_itself_and_in_steps(dsn, log, store):
    append(log[1], *(make.a_log("x") for _ in range(1100)))
    seen: list[int] = []
    rebuild_projection(store, "counting", lambda at, _: seen.append(at))
    assert seen == sorted(seen)
    assert seen[0] == 0
    assert {512, 1024, 1100} <= set(seen)
    assert positions(dsn) == {("counting", 1): 0, ("counting", 2): 1100, ("keeping", 1): 0}


def test_one_view_is_filled_without_those_that_moved_with_it(dsn, log, store):
    with projecting(log, VIEWS):
        append(log[1], make.a_log("x"))
        wait_until(all_at(dsn, 1))
    append(log[1], make.a_log("y"))
    assert store.fill("counting", 1, quietly) == 2
    assert positions(dsn) == {("counting", 1): 2, ("keeping", 1): 1}
    with projecting(log, VIEWS):
        wait_until(all_at(dsn, 2))
    assert ask(dsn, "SELECT count(*) FROM proj_keeping_v1.piece") == [(2,)]


def test_a_rebuilt_version_keeps_up_with_the_log(dsn, log, store):
    append(log[1], make.a_log("x"))
    rebuild_projection(store, "counting", quietly)
    with projecting(log, VIEWS):
        append(log[1], make.a_log("y"))
        wait_until(all_at(dsn, 2))
        append(log[1], make.a_log("z"))
        wait_until(all_at(dsn, 3))
    assert tallies(dsn, 1) == tallies(dsn, 2) == {"run-1": (3, 3)}


def test_equal_versions_compare_equal_at_one_position(log, store):
    append(log[1], make.a_log("x"), make.a_log("y", run=RunId("run-2")))
    rebuild_projection(store, "counting", quietly)
    found = compare_projection(store, "counting", quietly)
    assert (found.left, found.right, found.position, found.compared) == (1, 2, 2, 2)
    assert (found.differences, found.named) == (0, ())


def test_versions_meet_while_the_log_goes_on(dsn, log, store):
    with projecting(log, VIEWS):
        append(log[1], make.a_log("x"))
        rebuild_projection(store, "counting", quietly)
        append(log[1], *(make.a_log("y") for _ in range(700)))
        found = compare_projection(store, "counting", quietly)
    assert (found.position, found.compared, found.differences) == (701, 1, 0)


def test_every_kind_of_difference_is_named(dsn, log, store):
    append(log[1], *(make.a_log("x", run=RunId(f"run-{n}")) for n in range(4)))
    rebuild_projection(store, "counting", quietly)
    compare_projection(store, "counting", quietly)
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("DELETE FROM proj_counting_v1.tally WHERE run = 'run-3'")
        conn.execute("DELETE FROM proj_counting_v2.tally WHERE run = 'run-0'")
        conn.execute("UPDATE proj_counting_v2.tally SET body = '\\x80' WHERE run = 'run-2'")
    found = compare_projection(store, "counting", quietly)
    assert (found.compared, found.differences) == (4, 3)
    assert found.named == (
        ('tally ["run-0"]', "left only"),
        ('tally ["run-2"]', "differs"),
        ('tally ["run-3"]', "right only"),
    )


def test_a_promoted_version_serves_and_can_be_taken_back(store):
    rebuild_projection(store, "counting", quietly)
    assert promote_projection(store, "counting") == 2
    assert serving(store) == {"counting": 2, "keeping": 1}
    assert promote_projection(store, "counting") == 1
    assert serving(store) == {"counting": 1, "keeping": 1}


def test_a_version_that_is_behind_is_not_promoted(log, store):
    append(log[1], make.a_log("x"))
    store.add("counting")
    store.fill("counting", 1, quietly)
    with pytest.raises(Refused, match="behind"):
        promote_projection(store, "counting")
    assert serving(store)["counting"] == 1


def test_a_version_that_serves_is_not_dropped(store):
    with pytest.raises(Refused):
        drop_projection(store, "counting", 1)
    with pytest.raises(Refused):
        store.drop("counting", 1)
    assert serving(store)["counting"] == 1


def test_a_dropped_version_is_gone_and_the_projector_goes_on(dsn, log, store):
    with projecting(log, VIEWS):
        rebuild_projection(store, "counting", quietly)
        append(log[1], make.a_log("x"))
        wait_until(all_at(dsn, 1))
        assert drop_projection(store, "counting") == 2
        append(log[1], make.a_log("y"))
        wait_until(all_at(dsn, 2))
    assert positions(dsn) == {("counting", 1): 2, ("keeping", 1): 2}
    assert ask(dsn, "SELECT to_regnamespace('proj_counting_v2')") == [(None,)]
    assert ask(dsn, "SELECT * FROM projection_fault") == []


def test_a_number_that_is_free_again_begins_from_nothing(dsn, log, store):
    with projecting(log, VIEWS):
        append(log[1], make.a_log("x"))
        for _ in range(2):
            assert rebuild_projection(store, "counting", quietly).version == 2
            drop_projection(store, "counting", 2)
        rebuild_projection(store, "counting", quietly)
        append(log[1], make.a_log("y"))
        wait_until(all_at(dsn, 2))
    assert tallies(dsn, 2) == {"run-1": (2, 2)}


def test_which_version_to_drop_must_be_said_where_there_are_several(store):
    store.add("counting")
    store.add("counting")
    with pytest.raises(Refused, match="2, 3"):
        drop_projection(store, "counting")
    assert drop_projection(store, "counting", 3) == 3


def test_a_fault_of_a_version_goes_with_it(dsn, log, store):
    append(log[1], make.a_log("poison"))
    rebuild_projection(store, "counting", quietly)
    assert {one.version: one.faults for one in store.versions("counting")} == {1: 0, 2: 1}
    drop_projection(store, "counting")
    assert ask(dsn, "SELECT * FROM projection_fault") == []


@pytest.mark.parametrize("use", [rebuild_projection, compare_projection])
def test_an_unknown_projection_is_said_to_be_unknown(store, use):
    with pytest.raises(UnknownThing):
        use(store, "nothing", quietly)


def test_there_must_be_another_version_to_compare_promote_or_drop(store):
    for use in (
        lambda: compare_projection(store, "counting", quietly),
        lambda: promote_projection(store, "counting"),
        lambda: drop_projection(store, "counting"),
        lambda: promote_projection(store, "counting", 7),
        lambda: store.fill("counting", 7, quietly),
    ):
        with pytest.raises(UnknownThing):
            use()
