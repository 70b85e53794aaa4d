"""A real server with its projector and database, and Chromium in front of it."""

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright
from psycopg.conninfo import make_conninfo

TS = "2026-01-01T00:00:00Z"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
DEADLINE_SECONDS = 60
REPLACED = ("htmx:sendAbort", "htmx:afterRequest")
"""What htmx says of a request that a newer one took the place of. One that failed is told by another name as well."""


@pytest.fixture(scope="session")
def chromium() -> str:
    """The browser's program."""
    found = next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(
            "NO BROWSER: pages were not looked at. Install one: apt-get install --no-install-recommends chromium"
        )
    return found


class Served:
    """A running server as its users have it."""

    def __init__(self, client: httpx.Client, password: str) -> None:
        self.address = str(client.base_url).rstrip("/")
        self.password = password
        self.http = client
        answer = self.http.post("/login", data={"name": "admin", "password": password})
        assert answer.status_code == 303, answer.text
        csrf = re.search(r'name="csrf" value="([^"]*)"', self._front_page())
        assert csrf is not None
        self.http.headers["X-CSRF-Token"] = csrf[1]

    def _front_page(self) -> str:
        """Once there are views to show: the projector makes them when it starts."""
        end = time.monotonic() + DEADLINE_SECONDS
        while (answer := self.http.get("/")).status_code == 503 and time.monotonic() < end:
            time.sleep(0.05)
        assert answer.status_code == 200, answer.text
        return answer.text

    def open_job(self, name: str = "a job", **more: Any) -> "Reporting":
        """A new job with an open attempt."""
        run = self.write("/api/runs", name=name, **more)["run_id"]
        return Reporting(self, run, self.write(f"/api/runs/{run}/executions")["token"])

    def write(self, path: str, **body: Any) -> dict[str, Any]:
        answer = self.http.post(path, json=body)
        assert answer.status_code < 300, answer.text
        found: dict[str, Any] = answer.json()
        return found


class Reporting:
    """What a training job sends."""

    def __init__(self, served: Served, run_id: str, token: str) -> None:
        self.served = served
        self.run_id = run_id
        self.token = token

    def post(self, path: str, /, **body: Any) -> None:
        answer = self.served.http.post(
            f"/api/ingest/{path}", json={"run_id": self.run_id, **body}, headers={"X-TunePlane-Token": self.token}
        )
        assert answer.status_code == 200, answer.text

    def points(self, key: str, values: list[float], first: int = 0) -> None:
        points = [{"key": key, "step": first + n, "value": value, "ts": TS} for n, value in enumerate(values)]
        for start in range(0, len(points), 2048):
            self.post("metrics", points=points[start : start + 2048])


@pytest.fixture(scope="session")
def served(postgres: str) -> Iterator[Served]:
    """A server process of its own, on a database of its own."""
    name = f"browser_{os.getpid()}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = tempfile.mkdtemp(prefix="tuneplane-browser-")
    environment = {**os.environ, "TUNEPLANE_DATABASE_URL": make_conninfo(postgres, dbname=name)}
    command = [sys.executable, "-m", "entrypoints.cli.main", "serve", "--port", str(port), "--data", folder]
    out = Path(folder) / "out"
    with out.open("w") as stream:
        process = subprocess.Popen(command, env=environment, stdout=stream, stderr=subprocess.STDOUT)
    try:
        password = announced(out, process)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            yield Served(client, password)
    finally:
        process.terminate()
        process.wait(30)
        shutil.rmtree(folder)


def listens(text: str) -> bool:
    """Whether the server that announces itself takes connections yet."""
    port = re.search(r"serves http://127\.0\.0\.1:(\d+)", text)
    with socket.socket() as tried:
        return port is not None and tried.connect_ex(("127.0.0.1", int(port[1]))) == 0


def announced(out: Path, process: subprocess.Popen[bytes]) -> str:
    """The admin's password, once the server serves."""
    end = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < end and process.poll() is None:
        found = re.search(r"password (\S+)", text := out.read_text())
        if found and "serves http" in text and listens(text):
            return found[1]
        time.sleep(0.05)
    pytest.fail(f"The server did not start:\n{out.read_text()}")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()


class Watched:
    """Pages that must not complain."""

    def __init__(self, context: BrowserContext, served: Served) -> None:
        self.context = context
        self.served = served
        self.complaints: list[str] = []
        context.add_init_script(
            "document.addEventListener('securitypolicyviolation', (e) => console.error(`CSP: ${e.violatedDirective}`))"
        )

    def _note(self, said: ConsoleMessage) -> None:
        if said.type in {"error", "warning"} and not said.text.startswith(REPLACED):
            self.complaints.append(said.text)

    def open(self, path: str) -> Page:
        page = self.context.new_page()
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(self.served.address + path)
        return page


@pytest.fixture
def opening(browser: Browser, served: Served) -> Iterator[Callable[..., Watched]]:
    """Makes a signed-in browser; at the end none of its pages has complained."""
    made: list[Watched] = []

    def make(*, signed_in: bool = True, **options: Any) -> Watched:
        watched = Watched(browser.new_context(timezone_id="Asia/Tokyo", locale="en-GB", **options), served)
        if signed_in:
            session = served.http.cookies["tuneplane_session"]
            watched.context.add_cookies([{"name": "tuneplane_session", "value": session, "url": served.address}])
        made.append(watched)
        return watched

    yield make
    for watched in made:
        watched.context.close()
    assert [complaint for watched in made for complaint in watched.complaints] == []


@pytest.fixture
def console(opening) -> Watched:
    watched: Watched = opening()
    return watched
