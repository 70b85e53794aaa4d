"""The console over adapters in memory: one person, one job, and a browser without scripts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from dependency_injector import providers
from litestar.testing import TestClient

from entrypoints.container import Container
from entrypoints.http.app import create_app
from entrypoints.settings import Settings
from tests.http.conftest import Job, Server, in_memory

PASSWORD = "a long enough password"


class QuickPasswords:
    """Keeps passwords as they are: hashing them well takes long, and is tested where it is done."""

    def hash(self, password: str) -> str:
        return password

    def matches(self, password: str, kept_hash: str | None) -> bool:
        return password == kept_hash


class Site(Server):
    """The server with its people."""

    def sign_in(self, name: str = "ada", password: str = PASSWORD, **headers: str):
        return self.client.post(
            "/login", data={"name": name, "password": password}, headers=headers, follow_redirects=False
        )

    def page(self, address: str, status: int = 200, **headers: str) -> str:
        """A page as HTML."""
        answer = self.client.get(address, headers=headers, follow_redirects=False)
        assert answer.status_code == status, answer.text
        return answer.text

    def get(self, address: str, **headers: str):
        return self.client.get(address, headers=headers, follow_redirects=False)


def site_of(settings: Settings) -> Iterator[Site]:
    container = in_memory(settings)
    container.passwords.override(providers.Object(QuickPasswords()))
    container.manage_accounts().create("ada", role="member", password=PASSWORD)
    with TestClient(create_app(container)) as client:
        yield Site(container, client)


def settings_in(folder: Path) -> Settings:
    return Settings(database_url="unused", data=folder, allowed_hosts=("testserver.local",))


@pytest.fixture(scope="module")
def running(tmp_path_factory) -> Iterator[Site]:
    """The site that the tests of a module share, each with jobs of its own: making one takes 0.4 s.

    Modules that cannot share take the fixture of the same name from `alone`.
    """
    yield from site_of(settings_in(tmp_path_factory.mktemp("console")))


@pytest.fixture
def closed(running: Site) -> Site:
    """Nobody is signed in."""
    running.client.cookies.clear()
    running.container.manage_accounts().grant("ada", permissions=())
    return running


@pytest.fixture
def site(closed: Site) -> Site:
    """Ada is signed in."""
    assert closed.sign_in().status_code == 303
    return closed


@pytest.fixture
def container(closed: Site) -> Container:
    return closed.container


@pytest.fixture
def reader(site: Site) -> Site:
    """Ada is signed in and may read texts."""
    site.container.manage_accounts().grant("ada", permissions={"content"})
    return site


@pytest.fixture
def job(site: Site) -> Job:
    return site.open_attempt()


def point(key: str = "loss", step: int = 0, value: float = 0.5) -> dict[str, object]:
    return {"key": key, "step": step, "value": value, "ts": "2026-01-01T00:00:00Z"}
