"""Faults, as often as one asks for: `make test` runs a few rounds, `make bench` fifty.

Each scenario runs writers on a run of its own, does its damage `rounds` times, and ends with the one checker; what it
returns is for people. The moments are random: a round waits for a random number of acknowledgements, and with four
writers a fault then meets requests in every state.
"""

from __future__ import annotations

import csv
import io
import os
import random
import signal
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
from msgspec import Struct

from tests.end_to_end.api import Api, Job
from tests.end_to_end.installation import ServerProcess, is_gone
from tests.end_to_end.live_reader import LiveReader
from tests.end_to_end.waiting import until
from tests.faults.acknowledgements import AcknowledgementLog, check, check_chain, stored_of
from tests.faults.load import WRITERS, Load

_MOST_BETWEEN = 60
"""Acknowledgements between two faults."""
_ENOUGH = 3 * WRITERS
"""Acknowledgements after a fault that show that every writer goes on."""
_LISTENER = "SELECT min(position)%"
"""The last statement of a session in which a server listens for the projector."""

_TERMINATE = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND query LIKE %s"""


class Outcome(Struct, frozen=True, kw_only=True):
    """What a scenario met."""

    rounds: int
    acknowledged: int
    refused: int
    """Answers 503."""
    unanswered: int
    """Requests that no answer came to."""


def server_killed(server: ServerProcess, api: Api, folder: Path, *, rounds: int, seed: int = 1) -> Outcome:
    """F1: kill -9 of the server; the next one takes over the living database, and no projector is left behind."""
    dice = random.Random(seed)
    job = api.open_run("server killed")
    with _writing(job, folder) as (load, log):
        for _ in range(rounds):
            load.await_acknowledged(dice.randint(1, _MOST_BETWEEN))
            database, projector = server.postmaster(), server.projector()
            server.kill()
            assert database is not None
            assert not is_gone(database), "the database went with the server"
            server.start()
            assert server.postmaster() == database, "the living database was not taken over"
            _await_end_of(projector)
            load.await_acknowledged(_ENOUGH)
    return _checked(job, log, load, server.dsn(), rounds)


def database_killed(server: ServerProcess, api: Api, folder: Path, *, rounds: int, seed: int = 2) -> Outcome:
    """F2: kill -9 of the postmaster or of one of its sessions, in turn; a live reader misses and repeats nothing."""
    dice = random.Random(seed)
    job = api.open_run("database killed")
    with LiveReader(api, job.run_id) as reader:
        with _writing(job, folder) as (load, log):
            for number in range(rounds):
                load.await_acknowledged(dice.randint(1, _MOST_BETWEEN))
                postmaster = server.postmaster()
                if number % 2:
                    os.kill(_a_session(server.dsn()), signal.SIGKILL)
                else:
                    assert postmaster is not None
                    os.kill(postmaster, signal.SIGKILL)
                    _await_another_than(postmaster, server)
                load.await_acknowledged(_ENOUGH)
        assert load.unanswered == 0, "the server, which nobody killed, left a request without an answer"
        assert set(load.statuses) <= {200, 503}, load.statuses
        _told_everything(job, reader)
    return _checked(job, log, load, server.dsn(), rounds)


def listeners_terminated(server: ServerProcess, api: Api, folder: Path, *, rounds: int, seed: int = 3) -> Outcome:
    """F3: the session in which the server listens is ended, or every one, in turn; readers catch up."""
    dice = random.Random(seed)
    job = api.open_run("listeners terminated")
    with LiveReader(api, job.run_id) as reader:
        with _writing(job, folder) as (load, log):
            reader.await_lines(1)
            for number in range(rounds):
                load.await_acknowledged(dice.randint(1, _MOST_BETWEEN))
                which = _LISTENER if number % 2 == 0 else "%"
                _terminate(server.dsn(), which)
                told = len(reader.lines())
                load.await_acknowledged(_ENOUGH)
                reader.await_lines(told + 1)
        _told_everything(job, reader)
    assert reader.connections == 1, "the reader had to come again"
    return _checked(job, log, load, server.dsn(), rounds)


def one_of_two_servers_killed(
    servers: Sequence[ServerProcess], api: Api, folder: Path, *, rounds: int, seed: int = 4
) -> Outcome:
    """F13: two servers, each with a projector, on one database; one of them is killed, in turn, and started again."""
    dice = random.Random(seed)
    job = api.open_run("two servers")
    urls = [one.url for one in servers]
    with LiveReader(api, job.run_id) as reader:
        with _writing(job, folder, urls) as (load, log):
            for number in range(rounds):
                load.await_acknowledged(dice.randint(1, _MOST_BETWEEN))
                victim = servers[number % len(servers)]
                projector = victim.projector()
                victim.kill()
                load.await_acknowledged(_ENOUGH)
                _await_end_of(projector)
                victim.start()
        _told_everything(job, reader)
    return _checked(job, log, load, servers[0].dsn(), rounds)


@contextmanager
def _writing(job: Job, folder: Path, urls: Sequence[str] = ()) -> Iterator[tuple[Load, AcknowledgementLog]]:
    log = AcknowledgementLog(folder / f"{job.run_id}.jsonl")
    with closing(log), Load(job, log, urls) as load:
        load.await_acknowledged(WRITERS)
        yield load, log


def _checked(job: Job, log: AcknowledgementLog, load: Load, dsn: str, rounds: int) -> Outcome:
    """The checker on the log, and the views against the log: what is stored is answered once, too."""
    stored = stored_of(dsn, job.run_id)
    check(log, stored)
    check_chain(dsn)
    job.position = max(stored.positions.values())
    found = job.get()
    assert found["faults"] == []
    assert found["counts"]["points"] == sum(map(len, stored.points.values()))
    text = job.api.call("GET", f"/api/runs/{job.run_id}/logs.txt").body
    assert text == stored.text
    rows = csv.DictReader(io.StringIO(job.api.call("GET", f"/api/runs/{job.run_id}/series.csv").body))
    answered: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        answered.setdefault(row["key"], []).append((int(row["step"]), float(row["value"])))
    assert answered == {key: sorted(points) for key, points in stored.points.items()}
    (round_,) = job.get("/validation/rounds")["items"]
    assert round_["reported"] == stored.outcomes
    return Outcome(rounds=rounds, acknowledged=log.count(), refused=load.statuses[503], unanswered=load.unanswered)


def _told_everything(job: Job, reader: LiveReader) -> None:
    """Ends the log, and compares what the reader was told with what is read back."""
    job.post("logs", chunks=[], eof=True)
    until(lambda: reader.ended, "the end of the live stream")
    cursor: dict[str, str] = {}
    lines: list[tuple[int, int, str]] = []
    while True:
        page = job.get("/logs", limit=1000, **cursor)
        lines += [(0, line["n"], line["text"]) for line in page["lines"]]
        if page["next_cursor"] is None:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert [line[1] for line in lines] == list(range(len(lines)))
    assert reader.lines() == lines, "a gap or a repeat in the live stream"


def _await_end_of(projector: int) -> None:
    until(lambda: is_gone(projector), "the end of the orphaned projector")


def _await_another_than(postmaster: int, server: ServerProcess) -> None:
    until(lambda: server.postmaster() not in {None, postmaster}, "another postmaster")


def _a_session(dsn: str) -> int:
    """A session of the server's or the projector's."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() "
            "ORDER BY random() LIMIT 1"
        ).fetchone()
    assert row is not None
    return int(row[0])


def _terminate(dsn: str, statement: str) -> None:
    """Ends the sessions whose last statement was like this one, once there are any."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        until(lambda: connection.execute(_TERMINATE, (statement,)).fetchall(), "a session that listens")
