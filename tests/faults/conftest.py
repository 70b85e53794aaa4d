"""One installation for all faults: each starts with a server that runs, and leaves one that runs."""

from collections.abc import Iterator

import pytest

from tests.end_to_end.api import Api
from tests.end_to_end.installation import ServerProcess, a_server


@pytest.fixture(scope="package")
def server() -> Iterator[ServerProcess]:
    with a_server() as started:
        yield started


@pytest.fixture(scope="package")
def api(server: ServerProcess) -> Api:
    return Api(server.url, server.command("token", "create", "admin").strip())
