"""A body that ends before its end, or does not come, is its sender's fault on every route that reads one."""

import asyncio

import pytest

from entrypoints.http import request
from tests.http.people import personal_token

ROUTES = ["/api/ingest/metrics", "/api/ingest/trajectory", "/api/runs", "/login"]


def answered(server, path, headers, pieces, behind):
    """The status and body answered to a sender of `pieces`, behind which `behind` is all that comes."""
    arrives = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    sent = []

    async def receive():
        return arrives.pop(0) if arrives else await behind()

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"localhost"), *((name.encode(), value.encode()) for name, value in headers.items())],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }
    with server.client.portal() as portal:
        portal.call(server.client.app, scope, receive, send)
    return sent[0]["status"], b"".join(one.get("body", b"") for one in sent[1:])


def sender(server, job, path):
    """The headers of one who may send to `path`."""
    if path == "/login":
        return {"content-type": "application/x-www-form-urlencoded"}
    token = job.token if path.startswith("/api/ingest") else personal_token(server, "sender")
    return {"content-type": "application/json", "content-length": "1000", "authorization": f"Bearer {token}"}


async def gone():
    return {"type": "http.disconnect"}


async def silent():
    await asyncio.Event().wait()


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("pieces", [(), (b"{",), (b"{", b'"run_id"')])
def test_a_torn_body_is_400_and_stores_nothing(server, job, stored, path, pieces):
    status, body = answered(server, path, sender(server, job, path), pieces, gone)
    assert status == 400
    assert b"ended before its end" in body
    assert not stored()


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("pieces", [(), (b"{",)])
def test_a_body_that_does_not_come_in_time_is_408_and_stores_nothing(server, job, stored, path, pieces, monkeypatch):
    monkeypatch.setattr(request, "BODY_SECONDS", 0.01)
    status, body = answered(server, path, sender(server, job, path), pieces, silent)
    assert status == 408
    assert b"did not arrive in time" in body
    assert not stored()
