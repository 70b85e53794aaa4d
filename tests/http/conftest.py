"""The whole application over adapters in memory, and one run with an open attempt."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from dependency_injector import providers
from litestar.testing import TestClient

from adapters.memory.accounts import MemoryAccounts
from adapters.memory.event_log import MemoryEventLog
from adapters.memory.ingest_tokens import MemoryIngestTokens
from adapters.memory.object_store import MemoryObjectStore
from adapters.memory.reading import MemoryReading
from adapters.memory.series_view import MemorySeriesView
from application.commands.open_execution import OpenedExecution
from application.projections.registry import PROJECTIONS
from domain.events import Event, decode
from domain.ids import Position, RunId
from entrypoints.container import Container
from entrypoints.http.app import create_app
from entrypoints.settings import Settings


class Server:
    """The application as its clients and its log see it."""

    def __init__(self, container: Container, client: TestClient) -> None:
        self.container = container
        self.client = client

    def open_attempt(self, run: RunId | None = None) -> "Job":
        """An attempt of `run`, or of a new run."""
        if run is None:
            run = self.container.create_run()(name="a run", owner="ada").run_id
        opened = self.container.open_execution()(run, opened_by="ada")
        return Job(self, opened)

    def events(self) -> list[Event]:
        """Everything in the log."""
        recorded = self.container.event_log().read(Position(0), limit=100_000, max_bytes=1 << 40)
        return [decode(one.tag, one.payload) for one in recorded if one.payload is not None]


class Job:
    """What a launcher hands to a training job."""

    def __init__(self, server: Server, opened: OpenedExecution) -> None:
        self.server = server
        self.run_id, self.attempt, self.token = opened.run_id, opened.attempt, opened.token
        self.env = opened.env

    def post(self, path: str, /, **body: Any):
        return self.send(path, msgspec.json.encode({"run_id": self.run_id, **body}))

    def send(self, path: str, raw: bytes, kind: str = "application/json", **headers: str):
        sent = {"X-TunePlane-Token": self.token, "Content-Type": kind, **headers}
        return self.server.client.post(f"/api/ingest/{path}", content=raw, headers=sent)

    def packed(self, path: str, /, **body: Any):
        raw = msgspec.msgpack.encode({"run_id": self.run_id, **body})
        return self.send(path, raw, "application/msgpack")


@pytest.fixture(scope="module")
def container(tmp_path_factory) -> Container:
    folder = tmp_path_factory.mktemp("data")
    return in_memory(Settings(database_url="unused", data=folder, allowed_hosts=("testserver.local",)))


def in_memory(settings: Settings) -> Container:
    """A container whose ports meet adapters in memory."""
    made = Container(settings=settings)
    log = MemoryEventLog()
    made.event_log.override(providers.Object(log))
    made.reading.override(
        providers.Object(
            MemoryReading(
                log,
                PROJECTIONS,
                scalars=lambda: MemorySeriesView("scalar"),
                hardware=lambda: MemorySeriesView("hardware"),
            )
        )
    )
    made.ingest_tokens.override(providers.Object(MemoryIngestTokens()))
    made.accounts.override(providers.Object(MemoryAccounts()))
    made.bodies.override(providers.Object(MemoryObjectStore()))
    return made


@pytest.fixture(scope="module")
def server(container) -> Iterator[Server]:
    with TestClient(create_app(container)) as client:
        yield Server(container, client)


@pytest.fixture
def job(server):
    return server.open_attempt()


@pytest.fixture
def stored(server, job):
    """The events of the log behind what the fixtures put there."""
    mark = len(server.events())
    return lambda: server.events()[mark:]
