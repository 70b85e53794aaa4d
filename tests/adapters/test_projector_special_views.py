"""Views that keep tables of their own are carried along like all others: same transaction, same faults, tidied up."""

from collections.abc import Iterator
from functools import partial

import psycopg
import pytest
from psycopg import Connection

from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.projection_store import PostgresProjectionStore
from adapters.postgres.projector import BATCH
from adapters.postgres.projector_tracking import Factories, factories
from application.commands.compare_projection import compare_projection
from application.commands.rebuild_projection import rebuild_projection
from application.ports.event_log import RecordedEvent
from domain.events import Event, LogReported, tag_of
from domain.ids import RunId
from tests import factories as make
from tests.adapters.projecting import COUNTING, Poison, a_log, all_at, append, ask, projecting, tallies, wait_until


class Words:
    """Counts words in a table of its own; remembers the counts, which a rolled back transaction makes wrong."""

    name = "words"
    version = 1
    reads = frozenset({tag_of(make.a_log())})

    def __init__(self, tidied: list[int] | None = None) -> None:
        self._counts: dict[str, int] = {}
        self._tidied = tidied if tidied is not None else []
        self._untidy = 2

    def create(self, conn: Connection, schema: str) -> None:
        conn.execute(f"CREATE TABLE {schema}.word (word text PRIMARY KEY, count int)")

    def project(self, conn: Connection, schema: str, events: list[tuple[RecordedEvent, Event]]) -> None:
        for _, event in events:
            assert isinstance(event, LogReported)
            for word in event.pieces:
                count = self._counts.get(word)
                if count is None:
                    row = conn.execute(f"SELECT count FROM {schema}.word WHERE word = %s", (word,)).fetchone()
                    count = row[0] if row else 0
                self._counts[word] = count + 1
                upsert = "VALUES (%s, %s) ON CONFLICT (word) DO UPDATE SET count = excluded.count"
                conn.execute(f"INSERT INTO {schema}.word {upsert}", (word, count + 1))
                if word == "bad":
                    raise Poison
                if word == "huge":
                    conn.execute("SELECT repeat('x', 2000000000)")

    def idle(self, conn: Connection, schema: str) -> bool:
        assert conn.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        if not self._untidy:
            return False
        self._untidy -= 1
        self._tidied.append(self._untidy)
        if not self._untidy:
            raise Poison
        return True

    def reset_cache(self) -> None:
        self._counts.clear()

    def fingerprint(self, conn: Connection, schema: str) -> Iterator[tuple[str, bytes]]:
        for word, count in conn.execute(f'SELECT word, count FROM {schema}.word ORDER BY word COLLATE "C"'):
            yield word, str(count).encode()


class Untidy(Words):
    """Fails whenever it is to tidy up; or only counts how often it was asked."""

    def __init__(self, name: str, asked: list[str], *, fails: bool) -> None:
        super().__init__()
        self.name = name
        self._asked = asked
        self._fails = fails

    def idle(self, conn: Connection, schema: str) -> bool:
        self._asked.append(self.name)
        if self._fails:
            raise Poison
        return False


VIEWS = factories((COUNTING,), (Words,))
Place = tuple[Database, PostgresEventLog]


@pytest.fixture
def log(dsn: str) -> Iterator[Place]:
    with a_log(dsn) as both:
        yield both


def at_least(count: int, asked: list[str], name: str) -> bool:
    return asked.count(name) >= count


def words(dsn: str) -> dict[str, int]:
    return dict(ask(dsn, "SELECT word, count FROM proj_words_v1.word"))


def test_it_follows_the_log_with_the_others(dsn, log):
    with projecting(log, VIEWS):
        append(log[1], *(make.a_log("a", "b") for _ in range(BATCH + 3)))
        append(log[1], make.a_log("b"))
        wait_until(all_at(dsn, BATCH + 4))
    assert words(dsn) == {"a": BATCH + 3, "b": BATCH + 4}
    assert tallies(dsn) == {"run-1": (2 * BATCH + 7, BATCH + 4)}


def test_a_fault_in_it_stops_its_run_in_it_alone(dsn, log):
    with projecting(log, VIEWS):
        append(log[1], make.a_log("a"), make.a_log("a", "bad"), make.a_log("a"), make.a_log("a", run=RunId("other")))
        wait_until(all_at(dsn, 4))
        append(log[1], make.a_log("a", run=RunId("other")))
        wait_until(all_at(dsn, 5))
    assert words(dsn) == {"a": 3}
    assert tallies(dsn) == {"run-1": (4, 3), "other": (2, 5)}
    assert ask(dsn, "SELECT name, run, position FROM projection_fault") == [("words", "run-1", 2)]


def test_what_is_too_large_for_the_database_is_a_fault_and_no_outage(dsn, log):
    with projecting(log, VIEWS):
        append(log[1], make.a_log("huge"), make.a_log("a", run=RunId("other")))
        wait_until(all_at(dsn, 2))
    assert words(dsn) == {"a": 1}
    ((error,),) = ask(dsn, "SELECT error FROM projection_fault")
    assert error.startswith("ProgramLimitExceeded 54000 at ")


def test_a_fault_of_another_view_leaves_it_right(dsn, log):
    with projecting(log, VIEWS):
        append(log[1], make.a_log("a"), make.a_log("poison"), make.a_log("a"))
        wait_until(all_at(dsn, 3))
    assert words(dsn) == {"a": 2, "poison": 1}
    assert tallies(dsn) == {"run-1": (1, 1)}


def test_it_is_tidied_up_when_nothing_is_to_be_read_and_a_failure_there_stops_nothing(dsn, log):
    tidied: list[int] = []
    views: Factories = factories((COUNTING,), (lambda: Words(tidied),))
    with projecting(log, views):
        append(log[1], make.a_log("a"))
        wait_until(lambda: tidied == [1, 0])
        append(log[1], make.a_log("a"))
        wait_until(all_at(dsn, 2))
    assert words(dsn) == {"a": 2}


def test_a_view_that_fails_to_tidy_up_is_left_in_peace_for_a_while(dsn, log):
    asked: list[str] = []
    views = factories((), (lambda: Untidy("failing", asked, fails=True), lambda: Untidy("sound", asked, fails=False)))
    with projecting(log, views):
        for position in (1, 2, 3):
            append(log[1], make.a_log("a"))
            wait_until(partial(at_least, position, asked, "sound"))
    assert asked.count("failing") == 1


def test_it_is_rebuilt_and_compared_like_the_others(log):
    store = PostgresProjectionStore(log[0], log[1], VIEWS)
    with projecting(log, VIEWS):
        append(log[1], make.a_log("a", "b"), make.a_log("b"))
        wait_until(store.versions)
        rebuild_projection(store, "words", lambda *_: None)
        found = compare_projection(store, "words", lambda *_: None)
    assert (found.position, found.compared, found.differences) == (2, 2, 0)


def test_two_views_of_one_name_are_refused():
    with pytest.raises(ValueError, match="same name"):
        factories((COUNTING, COUNTING))
