"""One keep-alive connection to the ingest address, and what its answers mean for a sender.

Speaks to the host that the address names: proxy variables and redirects are not followed, so the
token goes nowhere else.
"""

from __future__ import annotations

import encodings.idna  # noqa: F401 - looked up by the first connection; a fork amid that would hang the child
import http.client
import json
import os
import ssl
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tuneplane.redaction import redacted

JSON = "application/json"
MESSAGEPACK = "application/msgpack"
left_behind: list[object] = []
"""Of a parent process, never to be closed or collected here."""
_ANSWER_BYTES = 1024 * 1024
_REASON_CHARS = 500
_LONGEST_WAIT = 30.0
_TOO_MANY_REQUESTS = 429
_SERVER_ERRORS = 500


class Outcome(NamedTuple):
    """What became of one request."""

    delivered: bool
    transient: bool
    """Not delivered, and sending the same bytes again may succeed."""
    reason: str = ""
    """For people; holds no token."""
    wait: float = 0.0
    """Seconds the server asked to be left alone; 0 where it asked nothing."""
    status: int = 0
    """0 where no answer came."""
    body: bytes = b""


class Transport:
    """Posts to one address, one request at a time. Not to be shared by threads."""

    def __init__(self, endpoint: str, token: str, *, timeout: float = 10.0) -> None:
        parts = urlsplit(endpoint)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            message = f"{redacted(endpoint)!r} is no http(s) address"
            raise ValueError(message)
        self._host = parts.hostname
        self._port = parts.port
        self._secure = parts.scheme == "https"
        self._path = parts.path.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._connection: http.client.HTTPConnection | None = None

    def __repr__(self) -> str:
        return f"Transport({self._host!r}, port={self._port!r})"

    def post(self, path: str, body: bytes, content_type: str = JSON) -> Outcome:
        """Sends one request; never raises for what the network or the server does."""
        return self.request("POST", path, body, content_type)

    def request(self, method: str, path: str, body: bytes | None = None, content_type: str = JSON) -> Outcome:
        """Sends one request below the address. Repeats it once where a kept connection had gone."""
        reused = self._connection is not None
        try:
            return self._exchange(method, path, body, content_type)
        except (ConnectionError, http.client.RemoteDisconnected) as problem:
            self.close()
            if not reused:
                return _no_answer(problem)
        except (OSError, http.client.HTTPException, ValueError) as problem:
            self.close()
            return _no_answer(problem)
        try:
            return self._exchange(method, path, body, content_type)
        except (OSError, http.client.HTTPException, ValueError) as problem:
            self.close()
            return _no_answer(problem)

    def close(self) -> None:
        """Closes the connection; the next request opens another."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def abandon(self) -> None:
        """In a forked child: lets go of the parent's connection without a word on it.

        Its objects are kept: a lock in them may have been held by a thread that the child does not
        have, and would be waited for when they are closed.
        """
        connection, self._connection = self._connection, None
        if connection is not None:
            left_behind.append(connection)
            if connection.sock is not None:
                os.close(connection.sock.detach())

    def _exchange(self, method: str, path: str, body: bytes | None, content_type: str) -> Outcome:
        connection = self._connection
        if connection is None:
            connection = self._connection = self._connect()
        headers = {"User-Agent": "tuneplane/0.5", "Authorization": f"Bearer {self._token}"}
        if body is not None:
            headers["Content-Type"] = content_type
        target = f"{self._path}/{path}"
        try:
            connection.request(method, target, body, headers)
        except (BrokenPipeError, ConnectionResetError):
            # Refused before the whole body was read: the answer may be there all the same.
            if connection.sock is None:
                raise
        answer = connection.getresponse()
        content = answer.read(_ANSWER_BYTES)
        if answer.will_close or not answer.isclosed():
            self.close()
        return _judged(answer.status, content, answer)

    def _connect(self) -> http.client.HTTPConnection:
        if not self._secure:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        return http.client.HTTPSConnection(
            self._host, self._port, timeout=self._timeout, context=ssl.create_default_context()
        )


def _judged(status: int, content: bytes, answer: http.client.HTTPResponse) -> Outcome:
    if 200 <= status < 300:  # noqa: PLR2004 - the class of success
        if document(content) is not None:
            return Outcome(delivered=True, transient=False, status=status, body=content)
        reason = f"HTTP {status}, from something else than a TunePlane server (a proxy?): {_said(content)}"
        return Outcome(delivered=False, transient=True, reason=reason, status=status)
    transient = status == _TOO_MANY_REQUESTS or status >= _SERVER_ERRORS
    said = _said(content)
    if status // 100 == 3:  # noqa: PLR2004 - the class of redirects
        place = redacted(answer.getheader("Location") or "no place")[:_REASON_CHARS]
        said = f"redirects are not followed; where it points to, {place}, has to be named as the server's address"
    return Outcome(
        delivered=False,
        transient=transient,
        reason=f"HTTP {status}: {said}",
        wait=_seconds(answer.getheader("Retry-After")) if transient else 0.0,
        status=status,
        body=content,
    )


def document(content: bytes) -> dict[str, Any] | None:
    """The JSON object that every answer of a TunePlane server is; None for anything else."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _no_answer(problem: Exception) -> Outcome:
    reason = redacted(f"no answer: {type(problem).__name__}: {problem}")
    return Outcome(delivered=False, transient=True, reason=reason)


def _said(content: bytes) -> str:
    """The server's own words: the detail of a problem document, else the start of the text."""
    text = content.decode("utf-8", "replace")
    problem = document(content)
    if problem is not None:
        words = [str(problem.get("detail") or problem.get("title") or "")]
        errors = problem.get("errors")
        if isinstance(errors, list):
            words += [f"{e.get('path')}: {e.get('message')}" for e in errors[:3] if isinstance(e, dict)]
        text = "; ".join(word for word in words if word) or text
    return redacted(" ".join(text.split()))[:_REASON_CHARS] or "no explanation"


def _seconds(retry_after: str | None) -> float:
    try:
        return min(max(float(retry_after or 0), 0.0), _LONGEST_WAIT)
    except ValueError:
        return 0.0
