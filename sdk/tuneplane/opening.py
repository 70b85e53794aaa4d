"""Opening a run and its execution attempt on a server, for a command started by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tuneplane.credentials import Credentials
from tuneplane.parcels import compact
from tuneplane.redaction import redacted
from tuneplane.transport import Outcome, Transport, document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SERVER = "TUNEPLANE_SERVER"
TOKEN = "TUNEPLANE_TOKEN"  # noqa: S105 - the variable's name


class NotOpened(RuntimeError):
    """The server did not open a run for us."""

    def __init__(self, message: str, *, transient: bool = False, status: int = 0, wait: float = 0.0) -> None:
        super().__init__(message)
        self.transient = transient
        """Whether another try may succeed."""
        self.status = status
        """Of the server's answer; 0 where there was none."""
        self.wait = wait
        """Seconds the server asked to be left alone; 0 where it asked nothing."""


@dataclass(frozen=True)
class Opened:
    """A run with one open attempt. The token shows in no repr."""

    credentials: Credentials
    env: Mapping[str, str] = field(repr=False)
    """What the job is to find in its environment."""
    page: str
    """Address of the run's page."""
    position: int = 0
    """Of the opening in the server's log."""


class Server:
    """The read and run API of one server, with a personal token."""

    def __init__(self, address: str, token: str, *, timeout: float = 10.0) -> None:
        self.address = redacted(address.rstrip("/"))
        """To be shown, too: a password that stands in it is not used."""
        self.token = token.strip()
        try:
            self._transport = Transport(address, self.token, timeout=timeout)
        except ValueError as problem:
            message = f"{SERVER}: {problem}"
            raise NotOpened(message) from None

    def close(self) -> None:
        self._transport.close()

    def get(self, path: str) -> Outcome:
        return self._transport.request("GET", path)

    def open(self, name: str, tags: Sequence[str], run_id: str | None = None) -> Opened:
        """Makes a run, or takes up an existing one, and opens an attempt. Raises NotOpened."""
        if run_id is None:
            run_id = self.make_run({"name": name, "tags": list(tags)})
        return self.open_attempt(run_id)

    def make_run(self, fields: dict[str, Any]) -> str:
        """Makes a run of these fields (`name`, `run_id`, `tags`, …); its id. Raises NotOpened: 409 for a taken id."""
        found = self._made("api/runs", fields).get("run_id")
        if not isinstance(found, str):
            raise self._something_else("api/runs")
        return found

    def open_attempt(self, run_id: str, attempt: int | None = None) -> Opened:
        """Opens the run's next attempt, or takes up one that is open already. Raises NotOpened."""
        path = f"api/runs/{quote(run_id, safe='')}/executions"
        path = path if attempt is None else f"{path}/{attempt}/tokens"
        opened = self._made(path, {})
        try:
            env = {str(key): str(value) for key, value in (opened.get("env") or {}).items()}
            credentials = Credentials(
                endpoint=str(opened["endpoint"]).rstrip("/"),
                run_id=run_id,
                token=str(opened["token"]),
                attempt=opened.get("attempt"),
            )
            Transport(credentials.endpoint, credentials.token)  # an address?
        except (KeyError, AttributeError, ValueError):
            raise self._something_else(path) from None
        position = opened.get("position")
        return Opened(
            credentials,
            {**_job_env(credentials), **env},
            self.page(run_id),
            position if isinstance(position, int) else 0,
        )

    def page(self, run_id: str) -> str:
        return f"{self.address}/runs/{quote(run_id, safe='')}"

    def _made(self, path: str, fields: dict[str, Any]) -> dict[str, Any]:
        self._transport.close()  # where a kept connection has gone a request is repeated, and this one would open two
        outcome = self._transport.post(path, compact(fields))
        if not outcome.delivered:
            message = f"{self.address}/{path}: {outcome.reason}"
            raise NotOpened(message, transient=outcome.transient, status=outcome.status, wait=outcome.wait)
        return document(outcome.body) or {}

    def _something_else(self, path: str) -> NotOpened:
        return NotOpened(f"{self.address}/{path} answered something else than a TunePlane server does")


def _job_env(credentials: Credentials) -> dict[str, str]:
    return {
        "TUNEPLANE_JOB_ENABLED": "1",
        "TUNEPLANE_JOB_ENDPOINT": credentials.endpoint,
        "TUNEPLANE_JOB_RUN_ID": credentials.run_id,
        "TUNEPLANE_JOB_TOKEN": credentials.token,
        "TUNEPLANE_JOB_ATTEMPT": str(credentials.attempt or 0),
    }
