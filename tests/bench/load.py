"""Clients in processes of their own: raw sockets, bodies made beforehand, one request in flight each."""

from __future__ import annotations

import multiprocessing
import queue
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from multiprocessing.process import BaseProcess
from typing import Any

import msgspec
import numpy as np

from tests.bench import bodies
from tests.bench.bodies import Shape
from tests.end_to_end.api import Job

_FORK = multiprocessing.get_context("fork")
PATIENCE_SECONDS = 600.0


class Connection:
    """One kept alive; costs a client as little as HTTP can."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self._socket.makefile("rb", 1 << 16)

    def post(self, path: str, body: bytes, token: str, content_type: str = "application/json") -> bytes:
        """The body of an answer that is 200."""
        head = f"Authorization: Bearer {token}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n"
        return self._ask(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}\r\n".encode() + body)

    def get(self, path: str, token: str = "", *, session: str = "") -> bytes:
        """The body of an answer that is 200, for a program by its token, for a person by the cookie of a session."""
        head = f"Authorization: Bearer {token}\r\n" if token else ""
        head += f"Cookie: {session}\r\n" if session else ""
        return self._ask(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}\r\n".encode())

    def close(self) -> None:
        self._answers.close()
        self._socket.close()

    def _ask(self, request: bytes) -> bytes:
        self._socket.sendall(request)
        status, length = self._answers.readline(), 0
        while (line := self._answers.readline()) not in {b"\r\n", b""}:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        answer: bytes = self._answers.read(length)
        assert status.split()[1:2] == [b"200"], (status, answer[:300])
        return answer


class Latencies(msgspec.Struct, frozen=True):
    """Milliseconds."""

    median: float
    p95: float
    p99: float
    worst: float
    count: int


def latencies(seconds: Sequence[float]) -> Latencies:
    millis = np.array(seconds) * 1e3
    median, p95, p99 = (float(np.percentile(millis, at)) for at in (50, 95, 99))
    return Latencies(median, p95, p99, float(millis.max()), len(millis))


class Loaded(msgspec.Struct, frozen=True):
    """What a load came to."""

    points_a_second: float
    seconds: float
    requests: Latencies
    client_cpu: float
    """Seconds of all clients, bodies not counted."""
    body: float
    """Bytes of a request, on average."""


class Background:
    """Work in processes of their own; `results` waits for them. All begin their work together."""

    def __init__(self, work: Sequence[Callable[[], Callable[[], Any]]]) -> None:
        """Each prepares itself, and gives what is then timed."""
        self._together = _FORK.Barrier(len(work) + 1)
        self._results: multiprocessing.Queue[tuple[bool, Any]] = _FORK.Queue()
        self._processes: list[BaseProcess] = [_FORK.Process(target=self._run, args=(one,)) for one in work]
        for process in self._processes:
            process.start()
        self._together.wait(PATIENCE_SECONDS)

    def results(self) -> list[Any]:
        """What each came to, in the order they ended."""
        found = []
        for _ in self._processes:
            try:
                fine, result = self._results.get(timeout=PATIENCE_SECONDS)
            except queue.Empty:
                raise TimeoutError("a client never ended") from None
            if not fine:
                raise RuntimeError(result)
            found.append(result)
        for process in self._processes:
            process.join()
        return found

    def _run(self, prepare: Callable[[], Callable[[], Any]]) -> None:
        try:
            work = prepare()
            self._together.wait(PATIENCE_SECONDS)
            self._results.put((True, work()))
        except BaseException as problem:  # noqa: BLE001 - told to the parent, which fails
            self._together.abort()
            self._results.put((False, f"{type(problem).__name__}: {problem}"))


def load(port: int, jobs: Sequence[Job], shape: Shape, first: int, count: int) -> Loaded:
    """`count` batches of each job, by one client each, as fast as it goes."""
    return loaded(started(port, jobs, shape, first, count))


def started(port: int, jobs: Sequence[Job], shape: Shape, first: int, count: int, every: float = 0) -> Background:
    """The same in the background; with `every` a batch each so many seconds."""

    def client(job: Job) -> Callable[[], Callable[[], Any]]:
        def prepare() -> Callable[[], Any]:
            made = bodies.batches(job.run_id, shape, first, count)
            return lambda: _send(port, job, made, bodies.content_type(shape), every)

        return prepare

    return Background([client(job) for job in jobs])


def loaded(background: Background, points: int = bodies.POINTS) -> Loaded:
    """What a started load came to; `points` of each batch."""
    results = background.results()
    seconds = max(one["ended"] for one in results) - min(one["began"] for one in results)
    taken = [each for one in results for each in one["taken"]]
    return Loaded(
        points_a_second=len(taken) * points / seconds,
        seconds=seconds,
        requests=latencies(taken),
        client_cpu=sum(one["cpu"] for one in results),
        body=sum(one["bytes"] for one in results) / len(taken),
    )


def sending(port: int, job: Job, made: Iterable[bytes]) -> Background:
    """One client that sends these MessagePack bodies."""
    return Background([lambda: lambda: _send(port, job, made, "application/msgpack", 0)])


def small_writes(port: int, job: Job, seconds: float, pause: float) -> Callable[[], Callable[[], list[float]]]:
    """Work for `Background`: seconds each small durable write took, with a pause between them."""

    def work() -> list[float]:
        connection, body, taken = Connection(port), bodies.log_piece(job.run_id), []
        until = time.perf_counter() + seconds
        while (began := time.perf_counter()) < until:
            connection.post("/api/ingest/logs", body, job.token)
            taken.append(time.perf_counter() - began)
            if pause:
                time.sleep(pause)
        connection.close()
        return taken

    return lambda: work


def _send(port: int, job: Job, made: Iterable[bytes], content_type: str, every: float) -> dict[str, Any]:
    connection, taken, size = Connection(port), [], 0
    cpu, began = time.process_time(), time.perf_counter()
    due = began
    for body in made:
        if every:
            due = max(due + every, time.perf_counter())
            time.sleep(max(0.0, due - time.perf_counter()))
        asked = time.perf_counter()
        connection.post("/api/ingest/metrics", body, job.token, content_type)
        taken.append(time.perf_counter() - asked)
        size += len(body)
    connection.close()
    result = {"began": began, "ended": time.perf_counter(), "taken": taken, "bytes": size}
    return {**result, "cpu": time.process_time() - cpu}
