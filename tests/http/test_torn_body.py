"""A body that ends before its end is the sender's fault on every route that reads one."""

import pytest

from tests.http.people import personal_token

ROUTES = ["/api/ingest/metrics", "/api/ingest/trajectory", "/api/runs", "/login"]


def torn(server, path, headers, *pieces):
    """The status and body answered to a sender who goes away behind `pieces`."""
    arrives = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    arrives.append({"type": "http.disconnect"})
    answered = []

    async def receive():
        return arrives.pop(0) if arrives else {"type": "http.disconnect"}

    async def send(message):
        answered.append(message)

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
    return answered[0]["status"], b"".join(one.get("body", b"") for one in answered[1:])


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("pieces", [(), (b"{",), (b"{", b'"run_id"')])
def test_a_torn_body_is_400_and_stores_nothing(server, job, stored, path, pieces):
    token = personal_token(server, "sender")
    headers = {"content-type": "application/json", "content-length": "1000", "authorization": f"Bearer {token}"}
    if path.startswith("/api/ingest"):
        headers |= {"authorization": f"Bearer {job.token}"}
    if path == "/login":
        headers = {"content-type": "application/x-www-form-urlencoded"}
    status, body = torn(server, path, headers, *pieces)
    assert status == 400
    assert b"ended before its end" in body
    assert not stored()
