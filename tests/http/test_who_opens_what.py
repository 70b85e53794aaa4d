"""Every route against every kind of credential. A route without a row here fails."""

import re

import pytest

from application.credentials import mint
from application.ports.accounts import Account, Secret
from domain.ids import Micros
from entrypoints.http.signed_in import SignedIn
from tests.http.people import personal_token, session

PUBLIC = {
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/metrics"),
    ("GET", "/schema"),
    ("GET", "/schema/openapi.json"),
    ("GET", "/schema/{path}"),
    ("GET", "/login"),
    ("POST", "/login"),
    ("GET", "/s/{token}"),
    ("GET", "/s/{token}/series/data"),
    ("GET", "/s/{token}/series"),
    ("GET", "/static/{digest}/{name}"),
}
"""For anyone; what they show is decided elsewhere."""
SIGNED_URL = {("PUT", "/api/uploads/{key}")}
INGEST = "/api/ingest"


def routes(server):
    """(method, path template) of every handler, as in `/api/runs/{run}/series`."""
    return {
        (method, route.path_format)
        for route in server.client.app.routes
        for method in route.methods
        if method not in {"OPTIONS", "HEAD"}
    }


def address(template: str) -> str:
    """An address under the template; positions and pages are numbers."""
    return re.sub(r"\{\w+\}", "1", template)


@pytest.fixture
def credentials(server, job):
    admin = personal_token(server, "root", role="admin")
    return {
        "none": {},
        "nonsense": {"Authorization": "Bearer tp_pat_nonsense"},
        "ingest": {"Authorization": f"Bearer {job.token}"},
        "ingest beside a session": {"Authorization": f"Bearer {job.token}", "Cookie": session(server, "root").cookie},
        "truncated": {"Authorization": f"Bearer {admin[:-1]}"},
        "session of nobody": {"Cookie": f"tuneplane_session={mint('ses').text}"},
    }


def test_every_route_is_public_for_ingest_signed_or_refuses_strangers(server, credentials):
    unexpected = []
    for method, template in sorted(routes(server)):
        if (method, template) in PUBLIC | SIGNED_URL or template.startswith(INGEST):
            continue
        for kind, headers in credentials.items():
            answer = server.client.request(method, address(template), headers=headers, json={}, follow_redirects=False)
            to_sign_in = answer.status_code in {302, 303} and answer.headers["location"].startswith("/login")
            if answer.status_code not in {401, 403} and not to_sign_in:
                unexpected.append((method, template, kind, answer.status_code))
    assert not unexpected


def test_ingest_refuses_everything_but_ingest_tokens(server, job, credentials):
    signed = {
        "personal": {"Authorization": f"Bearer {personal_token(server, 'root2', role='admin')}"},
        "session": {"Cookie": session(server, "root").cookie, "X-CSRF-Token": session(server, "root").csrf},
    }
    refused = {kind: headers for kind, headers in (credentials | signed).items() if "ingest" not in kind}
    unexpected = []
    for method, template in sorted(routes(server)):
        if not template.startswith(INGEST):
            continue
        for kind, headers in refused.items():
            answer = server.client.request(method, address(template), headers=headers, json={"run_id": job.run_id})
            if answer.status_code != 401:
                unexpected.append((method, template, kind, answer.status_code))
    assert not unexpected


def test_a_personal_token_that_has_expired_opens_nothing(server):
    token = personal_token(server, "late", expires_at=1)
    assert server.client.get("/api/runs", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_a_token_that_was_taken_back_opens_nothing(server):
    token = personal_token(server, "gone")
    headers = {"Authorization": f"Bearer {token}"}
    assert server.client.get("/api/runs", headers=headers).status_code == 200
    server.container.accounts().drop_secret(token.split("_")[2])
    assert server.client.get("/api/runs", headers=headers).status_code == 401


def test_a_session_token_is_no_personal_token(server):
    signed_in = session(server, "mixed")
    token = signed_in.cookie.partition("=")[2]
    assert server.client.get("/api/runs", headers={"Authorization": f"Bearer {token}"}).status_code == 401


def test_a_secret_kept_for_something_else_opens_nothing(server):
    minted = mint("pat")
    accounts = server.container.accounts()
    accounts.add(Account(name="kind", role="admin"))
    accounts.add_secret(
        Secret(id=minted.id, secret_hash=minted.secret_hash, subject="kind", kind="session", created_at=Micros(0))
    )
    assert server.client.get("/api/runs", headers={"Authorization": f"Bearer {minted.text}"}).status_code == 401


def test_a_session_reads_but_writes_only_with_its_csrf_token(server):
    signed_in = session(server, "carol", role="member")
    headers = {"Cookie": signed_in.cookie}
    assert server.client.get("/api/runs", headers=headers).status_code == 200
    body = {"name": "by hand"}
    assert server.client.post("/api/runs", headers=headers, json=body).status_code == 403
    wrong = headers | {"X-CSRF-Token": session(server, "dave").csrf}
    assert server.client.post("/api/runs", headers=wrong, json=body).status_code == 403
    good = headers | {"X-CSRF-Token": signed_in.csrf}
    assert server.client.post("/api/runs", headers=good, json=body).status_code == 201


@pytest.mark.parametrize("role", ["member", "viewer"])
def test_only_its_owner_or_an_administrator_changes_a_run(server, job, role):
    headers = {"Authorization": f"Bearer {personal_token(server, f'other-{role}', role=role)}"}
    for method, path in (("POST", "/executions"), ("DELETE", "/tokens"), ("POST", "/share"), ("DELETE", "/share")):
        answer = server.client.request(method, f"/api/runs/{job.run_id}{path}", headers=headers, json={})
        assert answer.status_code == 403, (method, path)
    assert server.client.get(f"/api/runs/{job.run_id}", headers=headers).status_code == 200


def test_a_viewer_makes_no_run(server):
    headers = {"Authorization": f"Bearer {personal_token(server, 'eve', role='viewer')}"}
    assert server.client.post("/api/runs", headers=headers, json={"name": "x"}).status_code == 403


def test_text_of_samples_and_trajectories_needs_the_content_permission(server, job):
    job.post("validation", step=1, samples=[{"idx": 0, "user": "q", "assistant": "a"}])
    plain = {"Authorization": f"Bearer {personal_token(server, 'plain', role='member')}"}
    granted = {"Authorization": f"Bearer {personal_token(server, 'reader', permissions=frozenset({'content'}))}"}
    samples = f"/api/runs/{job.run_id}/validation/rounds/1/samples"
    assert server.client.get(samples, headers=plain).status_code == 403
    assert server.client.get(samples, headers=granted).json()["items"][0]["assistant"] == "a"
    events = server.client.get(f"/api/runs/{job.run_id}/events?type=samples-reported", headers=plain).json()["items"]
    whole = f"/api/runs/{job.run_id}/events/{events[0]['position']}"
    assert server.client.get(whole, headers=plain).status_code == 403
    assert server.client.get(whole, headers=granted).status_code == 200


def test_the_whole_log_needs_the_audit_permission(server):
    plain = {"Authorization": f"Bearer {personal_token(server, 'plain2', permissions=frozenset({'content'}))}"}
    admin = {"Authorization": f"Bearer {personal_token(server, 'root3', role='admin')}"}
    assert server.client.get("/api/events.ndjson", headers=plain).status_code == 403
    assert server.client.get("/api/events.ndjson", headers=admin).status_code == 200


def test_no_session_changes_anything_without_its_csrf_token(server):
    """On every route that is not for tokens alone."""
    cookie = {"Cookie": session(server, "carl").cookie}
    unexpected = []
    for method, template in sorted(routes(server)):
        if method == "GET" or (method, template) in PUBLIC | SIGNED_URL or template.startswith(INGEST):
            continue
        for body in ({"json": {"name": "x"}}, {"data": {"name": "x", "csrf": "guessed"}}):
            answer = server.client.request(method, address(template), headers=cookie, follow_redirects=False, **body)
            if answer.status_code != 403:
                unexpected.append((method, template, answer.status_code))
    assert not unexpected


def test_no_repr_shows_a_hash_or_a_csrf_token():
    account = Account(name="ada", role="member", password_hash="kept-hash")
    secret = Secret(
        id="i", secret_hash=b"kept-hash", subject="ada", kind="session", created_at=Micros(0), csrf="kept-csrf"
    )
    who = SignedIn(account=account, secret_id="i", kind="session", csrf="kept-csrf")
    assert "kept" not in f"{account!r} {secret!r} {who!r}"
