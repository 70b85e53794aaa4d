"""The outermost layer: which hosts are answered, the security headers of every answer, and a count of answers.

Outside of routing, so that unknown addresses get the same treatment.
"""

from __future__ import annotations

import http
import re
from collections.abc import Collection
from urllib.parse import quote, urlsplit

import msgspec
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from entrypoints.http.counters import Counters
from entrypoints.http.errors import PROBLEM_JSON, Problem
from entrypoints.http.paths import routed
from entrypoints.settings import Settings

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
_HOST = re.compile(r"\A(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[^\s:@/?#\[\],]+))(?::[0-9]*)?\Z")
SECURITY_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (
        b"content-security-policy",
        b"default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
    ),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


def allowed_hosts(settings: Settings) -> frozenset[str]:
    """Names this installation answers to, without ports; `*` is any."""
    names = {*LOOPBACK_NAMES, *settings.allowed_hosts, settings.host.lower()}
    if settings.ingest_url:
        names.add((urlsplit(settings.ingest_url).hostname or "").lower())
    return frozenset(names - {""})


class Gate:
    """An ASGI application around another."""

    def __init__(self, inner: ASGIApp, hosts: Collection[str], counters: Counters) -> None:
        self._inner = inner
        self._hosts = hosts
        self._counters = counters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on what is let in."""
        if scope["type"] != ScopeType.HTTP:
            await self._inner(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                more = (header for header in SECURITY_HEADERS if header[0] not in present)
                message["headers"] = [*message["headers"], *more]
                self._counters.answered(scope["path"], message["status"])
            await send(message)

        host, path = _host(scope), routed(scope.get("raw_path") or quote(scope["path"]).encode())
        if "*" not in self._hosts and host not in self._hosts:
            await _refuse(400, _wrong_host(host), with_headers)
        elif path is None:
            await _refuse(404, "There is nothing at this address.", with_headers)
        else:
            scope["path"] = path
            await self._inner(scope, receive, with_headers)


def _host(scope: Scope) -> str:
    """The name in the Host header, lower case, without port and brackets; what is there, where that is no one host."""
    value = b", ".join(value for name, value in scope["headers"] if name == b"host").decode("latin-1").lower()
    found = _HOST.match(value)
    return found["six"] or found["name"] if found else value


def _wrong_host(host: str) -> str:
    return f"This server does not answer to the name {host[:128]!r}; TUNEPLANE_ALLOWED_HOSTS names those it answers to."


async def _refuse(status: int, detail: str, send: Send) -> None:
    title = http.HTTPStatus(status).phrase
    body = msgspec.json.encode(Problem(type="about:blank", title=title, status=status, detail=detail))
    headers = [(b"content-type", PROBLEM_JSON.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})
