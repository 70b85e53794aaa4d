"""`tuneplane doctor`: whether reports from this machine arrive and can be read back."""

from __future__ import annotations

import http.client
import ipaddress
import json
import socket
import ssl
import time
import uuid
from typing import TYPE_CHECKING, Callable
from urllib.parse import quote, urlencode, urlsplit

from tuneplane.credentials import Credentials, CredentialsUnusable, found_credentials
from tuneplane.opening import SERVER, TOKEN, NotOpened, Server
from tuneplane.redaction import redacted
from tuneplane.reporter import Reporter, ReporterError
from tuneplane.transport import Transport

if TYPE_CHECKING:
    from collections.abc import Mapping

KEY = "tuneplane.doctor"
_REACH_SECONDS = 5.0
_BACK_SECONDS = 10.0
_LIVE_SECONDS = 8.0
_REFUSED_TOKEN = (401, 403)
_SET_INGEST = "set TUNEPLANE_INGEST_URL on the server to an address that this machine reaches, and start the job again"

_NEW_TOKEN = "a personal token is made on the server: tuneplane-server token create USER"  # noqa: S105 - advice
_TRUST = "install the authority's certificate here, or point SSL_CERT_FILE at it"


class Examination:
    """Prints one line a step and remembers whether one failed."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self.failed = False

    def passed(self, step: str) -> bool:
        self._say(f"ok    {redacted(step)}")
        return True

    def warned(self, step: str, advice: str) -> None:
        self._say(f"warn  {redacted(step)}\n      {redacted(advice)}")

    def failure(self, step: str, advice: str) -> bool:
        self.failed = True
        self._say(f"FAIL  {redacted(step)}\n      {redacted(advice)}")
        return False


def examine(env: Mapping[str, str], say: Callable[[str], None] = print) -> int:
    """Goes through the steps; returns the exit code."""
    found = Examination(say)
    server = _server(env, found)
    try:
        credentials, own = _credentials(env, server, found)
        if credentials is not None:
            _examine_job(credentials, server, found, own=own)
    finally:
        if server is not None:
            server.close()
    say("something is wrong; see above" if found.failed else "all is well")
    return 1 if found.failed else 0


def _examine_job(credentials: Credentials, server: Server | None, found: Examination, *, own: bool) -> None:
    _loopback(credentials.endpoint, found)
    if not _reachable(credentials.endpoint, found) or not _token_good(credentials, found):
        return
    if server is None:
        found.warned(
            "not checked: whether a log line and a point come back",
            f"set {SERVER} and {TOKEN} (a personal token) to check it",
        )
        return
    with Reporter(credentials.endpoint, credentials.run_id, credentials.token) as reporter:
        try:
            _come_back(reporter, server, found)
            _live(reporter, server, env_token=server.token, found=found)
            if own:
                reporter.logs([], eof=True)
                reporter.lifecycle("succeeded")
        except ReporterError as problem:
            found.failure(f"sending: {problem}", "see the server's log for this moment")


def _server(env: Mapping[str, str], found: Examination) -> Server | None:
    address, token = env.get(SERVER), env.get(TOKEN)
    if not address or not token:
        return None
    try:
        return Server(address, token, timeout=_REACH_SECONDS)
    except NotOpened as problem:
        found.failure(str(problem), f"{SERVER} is the server's address, as in https://tuneplane.example")
        return None


def _credentials(env: Mapping[str, str], server: Server | None, found: Examination) -> tuple[Credentials | None, bool]:
    """The job's credentials, or those of a run opened for this, and whether it was."""
    try:
        credentials = found_credentials(env)
    except CredentialsUnusable as problem:
        found.failure(str(problem), "a launcher sets these variables; see the run's page")
        return None, False
    if credentials is not None:
        found.passed(f"job credentials are there: run {credentials.run_id}, {credentials.endpoint}")
        return credentials, False
    if env.get("TUNEPLANE_JOB_ENABLED") == "0":
        found.failure("reporting is switched off", "set TUNEPLANE_JOB_ENABLED=1")
        return None, False
    if server is None:
        found.failure(
            "no credentials in the environment",
            f"run this inside a job, or set {SERVER} and {TOKEN}; {_NEW_TOKEN}",
        )
        return None, False
    try:
        opened = server.open("tuneplane doctor", ["doctor"])
    except NotOpened as problem:
        found.failure(f"no run could be opened: {problem}", _advice(problem))
        return None, False
    found.passed(f"a run was opened for this: {opened.page}")
    return opened.credentials, True


def _advice(problem: NotOpened) -> str:
    """What to do where no run could be opened."""
    said = str(problem)
    if problem.status in _REFUSED_TOKEN:
        return f"put a good token into {TOKEN}; {_NEW_TOKEN}"
    if problem.status == http.client.NOT_FOUND:
        return f"{SERVER} is the server's address alone, without a path, as in https://tuneplane.example"
    if problem.status:
        return "see the server's log for this moment, and whatever stands between here and it"
    if "CERTIFICATE_VERIFY_FAILED" in said:
        return _TRUST
    if "SSL" in said:
        return f"no TLS is spoken there: {SERVER} may have to begin with http://"
    return f"check {SERVER}, host and port, and that the server runs: it prints its address when it starts"


def _loopback(endpoint: str, found: Examination) -> None:
    host = urlsplit(endpoint).hostname or ""
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost" or host.endswith(".localhost")
    if loopback:
        found.warned(f"{host} is a loopback address: only jobs on the server's own machine reach it", _SET_INGEST)


def _reachable(endpoint: str, found: Examination) -> bool:
    parts = urlsplit(endpoint)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((host, port), timeout=_REACH_SECONDS) as plain:
            if parts.scheme == "https":
                with ssl.create_default_context().wrap_socket(plain, server_hostname=host):
                    pass
    except ssl.SSLError as problem:
        return found.failure(
            f"{host}:{port} does not speak acceptable TLS: {problem}",
            _TRUST,
        )
    except socket.gaierror as problem:
        return found.failure(f"{host} is not known here: {problem}", _SET_INGEST)
    except OSError as problem:
        return found.failure(
            f"{host}:{port} does not answer: {problem}",
            f"open that port from here to the server, or {_SET_INGEST}",
        )
    return found.passed(f"{host}:{port} is reachable")


def _token_good(credentials: Credentials, found: Examination) -> bool:
    """Sends a batch without points: refused for that, it stores nothing, but the token is read first."""
    transport = Transport(credentials.endpoint, credentials.token, timeout=_REACH_SECONDS)
    body = json.dumps({"run_id": credentials.run_id, "points": []}).encode()
    try:
        outcome = transport.post("metrics", body)
    finally:
        transport.close()
    if outcome.status in _REFUSED_TOKEN:
        return found.failure(
            f"the ingest token is refused, {outcome.reason}",
            "open another attempt of the run: it comes with a fresh token",
        )
    if outcome.transient:
        return found.failure(
            f"ingest does not take reports now, {outcome.reason}",
            "check `tuneplane-server doctor` on the server, and any proxy in between",
        )
    if outcome.status in (400, 422) or outcome.delivered:
        return found.passed("the ingest token is good")
    return found.failure(
        f"no ingest at {credentials.endpoint}, {outcome.reason}",
        "the address has to end in /api/ingest, and a proxy has to pass /api on",
    )


def _come_back(reporter: Reporter, server: Server, found: Examination) -> None:
    mark = f"tuneplane doctor {uuid.uuid4().hex}"
    step = int(time.time())
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(step))
    reporter.logs([f"{mark}\n"])
    reporter.metrics_points([{"key": KEY, "step": step, "value": 1.0, "ts": stamp}])
    run = f"api/runs/{quote(reporter.run_id, safe='')}"
    series = f"{run}/series/data?{urlencode({'key': KEY, 'from': step, 'to': step})}"
    advice = "check that a projector runs: `tuneplane-server projections status` on the server"
    for what, path, wanted in (
        ("a log line", f"{run}/logs?tail=200", mark),
        ("a point", series, f"{step}"),
    ):
        missing = _awaited(server, path, wanted)
        if missing:
            found.failure(f"{what} did not come back within {_BACK_SECONDS:.0f} s{missing}", advice)
        else:
            found.passed(f"{what} came back")


def _awaited(server: Server, path: str, wanted: str) -> str:
    """Empty once `wanted` is in the answer; else why it never was."""
    deadline = time.monotonic() + _BACK_SECONDS
    while True:
        outcome = server.get(path)
        if outcome.delivered and wanted.encode() in outcome.body:
            return ""
        if time.monotonic() >= deadline or outcome.status in _REFUSED_TOKEN:
            return f": {outcome.reason}" if outcome.reason else ""
        time.sleep(0.2)


def _live(reporter: Reporter, server: Server, *, env_token: str, found: Examination) -> None:
    """Opens the live stream, sends a line, and sees whether it comes through at once."""
    parts = urlsplit(server.address)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=_LIVE_SECONDS)
    path = f"{parts.path}/api/runs/{quote(reporter.run_id, safe='')}/live?streams=logs"
    mark = f"tuneplane doctor live {uuid.uuid4().hex}"
    try:
        headers = {"Authorization": f"Bearer {env_token}", "Accept": "text/event-stream"}
        connection.request("GET", path, headers=headers)
        reporter.logs([f"{mark}\n"])
        answer = connection.getresponse()
        if answer.status != http.client.OK:
            found.failure(f"live logs: HTTP {answer.status}", f"check {TOKEN} and the server's log")
        elif _arrives(answer, mark.encode()):
            found.passed("live logs arrive at once")
        else:
            raise socket.timeout
    except (OSError, http.client.HTTPException):
        found.failure(
            f"a live log line did not arrive within {_LIVE_SECONDS:.0f} s: a proxy holds it back",
            "in nginx: `proxy_buffering off;` and a long `proxy_read_timeout` for /api",
        )
    finally:
        connection.close()


def _arrives(answer: http.client.HTTPResponse, mark: bytes) -> bool:
    deadline = time.monotonic() + _LIVE_SECONDS
    seen = b""
    while mark not in seen:
        more = answer.read1(65536)
        if not more or time.monotonic() > deadline:
            return False
        seen = (seen + more)[-1_000_000:]
    return True
