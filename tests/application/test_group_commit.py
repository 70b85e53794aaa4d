"""One writer a process: what a group is, who is answered what, and when the queue refuses."""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from adapters.memory.event_log import MemoryEventLog
from application.event_log import group_commit
from application.event_log.group_commit import GROUP_BYTES, GROUP_EVENTS, WAITING_REQUESTS, GroupCommit, Receipt
from application.event_log.hash_chain import GENESIS
from application.ports.event_log import Candidate, Fate, Placed
from domain.errors import DomainFault, StreamMovedOn, TryAgain
from domain.ids import Position
from domain.placement import Placement
from tests.contracts.event_log import OPTIMISTIC, placed, wait_until


class HeldLog(MemoryEventLog):
    """Remembers the groups it was given; does not take one while it is held."""

    def __init__(self) -> None:
        super().__init__()
        self.groups: list[list[int]] = []
        """Events of each request of each group."""
        self.free = threading.Event()
        self.free.set()
        self.away = False

    def append(self, requests: Sequence[Sequence[Candidate]]) -> list[tuple[Placed, ...] | DomainFault]:
        self.groups.append([len(request) for request in requests])
        assert self.free.wait(20)
        if self.away:
            raise TryAgain("away")
        if any(one.payload.endswith(b"poison") for request in requests for one in request):
            raise ValueError("poison")
        return super().append(requests)


@pytest.fixture
def log() -> HeldLog:
    return HeldLog()


@pytest.fixture
def commits(log: HeldLog) -> Iterator[GroupCommit]:
    commits = GroupCommit(log)
    commits.start()
    yield commits
    log.free.set()
    commits.stop()


def waiting(commits: GroupCommit, count: int) -> None:
    wait_until(lambda: commits.counters().queued == count, f"{count} requests wait")


class Callers:
    """Threads that each append one request while the writer is held with another."""

    def __init__(self, log: HeldLog, commits: GroupCommit) -> None:
        self._log, self._commits = log, commits
        self._pool = ThreadPoolExecutor(WAITING_REQUESTS + 2)
        log.free.clear()
        before = len(log.groups)
        self.first = self._ask([placed("first", 1_000_000)])
        wait_until(lambda: len(log.groups) == before + 1, "the writer holds the first request")
        self.count = 0

    def _ask(self, request: Sequence[Placement]):
        return self._pool.submit(self._commits.append_now, request)

    def ask(self, *request: Placement):
        """Returns once the request waits."""
        future = self._ask(request)
        self.count += 1
        waiting(self._commits, self.count)
        return future

    def release(self) -> None:
        self._log.free.set()
        self._pool.shutdown()


@pytest.fixture
def callers(log: HeldLog, commits: GroupCommit) -> Iterator[Callers]:
    callers = Callers(log, commits)
    yield callers
    callers.release()


class TestGroups:
    def test_a_lone_request_goes_at_once(self, log, commits):
        receipt = commits.append_now([placed("a"), placed("b", 2)])
        assert log.groups == [[2]]
        assert receipt == Receipt(Position(2), log.head().hash, receipt.placed)
        assert [(one.fate, one.position) for one in receipt.placed] == [(Fate.ACCEPTED, 1), (Fate.ACCEPTED, 2)]

    def test_what_came_while_one_group_was_written_is_the_next(self, log, callers):
        futures = [callers.ask(placed(f"{n}", n)) for n in range(1, 6)]
        callers.release()
        assert log.groups == [[1], [1, 1, 1, 1, 1]]
        assert [future.result().position for future in futures] == [2, 3, 4, 5, 6]

    def test_a_group_takes_no_more_than_64_events(self, log, callers):
        assert GROUP_EVENTS == 64
        for n, size in enumerate((30, 34, 1)):
            callers.ask(*(placed("x", n * 100 + one) for one in range(1, size + 1)))
        callers.release()
        assert log.groups == [[1], [30, 34], [1]]

    def test_a_group_takes_no_more_than_2_mb(self, log, callers):
        assert GROUP_BYTES == 2_000_000
        for n in range(1, 4):
            callers.ask(placed("x" * 900_000, n))
        callers.release()
        assert log.groups == [[1], [1, 1], [1]]

    def test_a_request_over_every_size_goes_whole_and_alone(self, log, callers):
        callers.ask(placed("before"))
        big = callers.ask(*(placed("x" * 40_000, n) for n in range(2, 102)))
        callers.ask(placed("after", 200))
        callers.release()
        assert log.groups == [[1], [1], [100], [1]]
        assert len(big.result().placed) == 100


class TestAnswers:
    def test_the_position_is_the_greatest_of_the_requests_own(self, log, commits):
        commits.append_now([placed("a"), placed("b", 2), placed("c", 3)])
        receipt = commits.append_now([placed("b", 2), placed("a")])
        assert receipt.position == 2
        assert receipt.hash == log.at([Position(2)])[0].hash
        assert [one.position for one in receipt.placed] == [2, 1]

    def test_a_request_without_events_is_answered_without_the_log(self, log, commits):
        assert commits.append_now([]) == Receipt(Position(0), GENESIS, ())
        assert asyncio.run(commits.append([])) == Receipt(Position(0), GENESIS, ())
        assert log.groups == []

    def test_a_refused_request_is_told_so_and_the_others_of_its_group_are_not(self, log, callers):
        accepted = callers.ask(placed("a", settle=OPTIMISTIC))
        refused = callers.ask(placed("b", settle=OPTIMISTIC), placed("c", 2))
        also = callers.ask(placed("d", 2))
        callers.release()
        assert log.groups == [[1], [1, 2, 1]]
        assert (accepted.result().position, also.result().position) == (2, 3)
        assert isinstance(refused.exception(), StreamMovedOn)

    def test_a_store_that_is_away_is_told_to_everybody_of_the_group_and_then_forgotten(self, log, commits, callers):
        futures = [callers.first, callers.ask(placed("a")), callers.ask(placed("b", 2))]
        log.away = True
        callers.release()
        errors = [future.exception() for future in futures]
        assert [type(error) for error in errors] == [TryAgain] * 3
        assert len(set(map(id, errors))) == 3
        log.away = False
        assert commits.append_now([placed("a")]).position == 1

    def test_an_error_that_nobody_expected_concerns_its_own_request_alone(self, log, commits, callers):
        before, poison, after = (
            callers.ask(placed("a")),
            callers.ask(placed("poison", 2)),
            callers.ask(placed("b", 3)),
        )
        callers.release()
        assert (before.result().position, after.result().position) == (2, 3)
        assert isinstance(poison.exception(), ValueError)
        assert commits.append_now([placed("c", 4)]).position == 4

    def test_a_caller_that_waited_too_long_is_told_to_try_again(self, log, commits):
        log.free.clear()
        with pytest.raises(TryAgain, match="in time"):
            commits.append_now([placed("a")], timeout=0)
        log.free.set()
        wait_until(lambda: log.head().position == 1, "it is written all the same")

    def test_what_was_asked_for_with_await_is_answered_in_its_loop(self, log, commits):
        async def ask() -> list[Receipt]:
            log.free.clear()
            asking = [asyncio.create_task(commits.append([placed(f"{n}", n)])) for n in range(1, 51)]
            await asyncio.sleep(0)
            log.free.set()
            return list(await asyncio.gather(*asking))

        receipts = asyncio.run(ask())
        assert sorted(receipt.position for receipt in receipts) == list(range(1, 51))

    def test_a_group_wakes_a_loop_once(self, log, commits, monkeypatch):
        async def ask() -> int:
            loop = asyncio.get_running_loop()
            woken: list[object] = []
            original = loop.call_soon_threadsafe

            def counted(*call: Any) -> asyncio.Handle:
                woken.append(call)
                return original(*call)

            monkeypatch.setattr(loop, "call_soon_threadsafe", counted)
            log.free.clear()
            first = asyncio.create_task(commits.append([placed("first", 99)]))
            await asyncio.to_thread(wait_until, lambda: bool(log.groups), "the writer is held")
            others = [asyncio.create_task(commits.append([placed(f"{n}", n)])) for n in range(1, 51)]
            await asyncio.sleep(0)
            woken.clear()
            log.free.set()
            await asyncio.gather(first, *others)
            return len(woken)

        assert asyncio.run(ask()) == len(log.groups) == 2

    def test_refusals_are_raised_where_they_are_awaited(self, commits):
        async def ask() -> None:
            await commits.append([placed("a", settle=OPTIMISTIC)])
            await commits.append([placed("b", settle=OPTIMISTIC)])

        with pytest.raises(StreamMovedOn):
            asyncio.run(ask())

    def test_a_cancelled_caller_holds_nobody_up_and_its_events_are_written(self, log, commits):
        async def ask() -> None:
            log.free.clear()
            cancelled = asyncio.create_task(commits.append([placed("a")]))
            kept = asyncio.create_task(commits.append([placed("b", 2)]))
            await asyncio.sleep(0)
            cancelled.cancel()
            await asyncio.sleep(0)
            log.free.set()
            await kept
            assert cancelled.cancelled()

        asyncio.run(ask())
        wait_until(lambda: log.head().position == 2, "both are written")

    def test_a_loop_that_ended_meanwhile_holds_nobody_up(self, log, commits):
        async def leave() -> None:
            asyncio.create_task(commits.append([placed("a")]))  # noqa: RUF006 - it is left behind
            await asyncio.sleep(0)

        log.free.clear()
        asyncio.run(leave())
        log.free.set()
        assert commits.append_now([placed("b", 2)]).position == 2


class TestBounds:
    def test_the_257th_request_that_would_wait_is_refused_at_once(self, log, commits, callers):
        assert WAITING_REQUESTS == 256
        futures = [callers.ask(placed(f"{n}", n)) for n in range(1, 257)]
        with pytest.raises(TryAgain, match="waiting"):
            commits.append_now([placed("x", 257)])
        callers.release()
        assert sorted(future.result().position for future in futures) == list(range(2, 258))
        assert commits.append_now([placed("x", 257)]).position == 258

    def test_bytes_that_would_wait_are_bounded_too(self, commits, callers, monkeypatch):
        monkeypatch.setattr(group_commit, "WAITING_BYTES", 100_000)
        callers.ask(placed("a" * 60_000))
        with pytest.raises(TryAgain, match="waiting"):
            commits.append_now([placed("b" * 60_000, 2)])
        callers.ask(placed("c" * 30_000, 3))

    def test_bytes_that_were_written_do_not_count(self, log, commits, monkeypatch):
        monkeypatch.setattr(group_commit, "WAITING_BYTES", 100_000)
        commits.append_now([placed("a" * 60_000)])
        callers = Callers(log, commits)
        callers.ask(placed("b", 2))
        callers.ask(placed("c" * 60_000, 3))
        callers.release()

    def test_a_request_over_the_bound_is_taken_when_nothing_waits(self, commits, callers, monkeypatch):
        monkeypatch.setattr(group_commit, "WAITING_BYTES", 10)
        assert callers.ask(placed("a" * 60_000)) is not None


class TestStopping:
    def test_stopping_writes_what_waits_and_refuses_what_comes(self, log, commits, callers):
        futures = [callers.ask(placed(f"{n}", n)) for n in range(1, 101)]
        stopper = threading.Thread(target=commits.stop)
        stopper.start()
        wait_until(lambda: not commits._open, "it is closing")
        with pytest.raises(TryAgain, match="stopping"):
            commits.append_now([placed("late", 999)])
        callers.release()
        stopper.join()
        assert sorted(future.result().position for future in futures) == list(range(2, 102))
        assert log.head().position == 101

    def test_stopping_twice_is_stopping_once(self, commits):
        commits.stop()
        commits.stop()


def test_counters_count_groups_events_and_what_waits(log, commits, callers):
    callers.ask(placed("a"), placed("b", 2))
    callers.ask(placed("a"))
    assert commits.counters().queued == 2
    callers.release()
    counters = commits.counters()
    assert (counters.groups, counters.events, counters.queued) == (2, 4, 0)
