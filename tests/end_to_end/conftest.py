"""One server for all end-to-end tests, and an administrator's token for it."""

from collections.abc import Iterator

import pytest

from tests.end_to_end.api import Api, Job
from tests.end_to_end.installation import ServerProcess, a_server


@pytest.fixture(scope="session")
def server() -> Iterator[ServerProcess]:
    with a_server() as started:
        yield started


@pytest.fixture(scope="session")
def api(server: ServerProcess) -> Api:
    return Api(server.url, server.command("token", "create", "admin").strip())


@pytest.fixture
def job(api: Api) -> Job:
    return api.open_run()
