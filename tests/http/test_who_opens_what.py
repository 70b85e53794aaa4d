"""Every route against every kind of credential, by the table in `who_opens.py`. A route without a row there fails."""

import re
from urllib.parse import urlsplit

import pytest
from litestar.testing import TestClient

from application.credentials import mint
from application.ports.accounts import Account, Secret
from domain.ids import Micros
from entrypoints.http.app import create_app
from entrypoints.http.signed_in import SignedIn
from entrypoints.settings import Settings
from tests.http.conftest import Server, in_memory
from tests.http.people import personal_token, session
from tests.http.who_opens import ROWS, How, Row
from tests.http.world import PEOPLE, World, several

CHANGES = {"POST", "PUT", "PATCH", "DELETE"}
TOLD = """tests/http/who_opens.py: add a row to ROWS for each of
{}
saying how one is proven (`page(…)`, `api(…)`, `ingest(…)`, EVERYONE, LINK) and whom it is for (`Who`)."""


def routes(server):
    """(method, path template) of every handler, as in `/api/runs/{run}/series`."""
    return {
        (method, route.path_format)
        for route in server.client.app.routes
        for method in route.methods
        if method not in {"OPTIONS", "HEAD"}
    }


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A server of its own: what others leave in theirs plays no part."""
    settings = Settings(
        database_url="unused", data=tmp_path_factory.mktemp("world"), allowed_hosts=("testserver.local",)
    )
    container = in_memory(settings)
    with TestClient(create_app(container)) as client:
        yield World(Server(container, client))


def rows(*hows: How):
    chosen = [(method, path, row) for (method, path), row in ROWS.items() if row.how in hows]
    return pytest.mark.parametrize(
        ("method", "path", "row"), [pytest.param(*one, id=f"{one[0]} {one[1]}") for one in chosen]
    )


def refuses(answer, *, page: bool) -> bool:
    """Whether a stranger is turned away: from a page to the sign-in page, unless they came with a token.

    Who signs out is led there too, with a cookie that ends the session.
    """
    if answer.status_code == 303 and "set-cookie" not in answer.headers:
        return page and re.match(r"/login(\?next=|$)", answer.headers["location"]) is not None
    return answer.status_code in {401, 403}


def opened(answer) -> bool:
    return answer.status_code < 500 and not refuses(answer, page=True)


def test_every_route_has_a_row_and_every_row_a_route(world):
    missing = sorted(routes(world.server) - set(ROWS))
    assert not missing, TOLD.format("\n".join(f"    {one}" for one in missing))
    assert set(ROWS) - routes(world.server) == set()


@rows(How.API, How.PAGE)
def test_strangers_are_refused(world, method, path, row):
    let_in = {
        kind: answer.status_code
        for kind, headers in world.strangers().items()
        if not refuses(answer := world.ask(method, path, row, headers), page=row.how is How.PAGE)
    }
    assert let_in == {}


@rows(How.API, How.PAGE)
def test_a_session_opens_it_for_those_whom_it_is_for(world, method, path, row):
    found = {}
    for person in PEOPLE:
        cookie, csrf = world.session(person.name)
        found[person.name] = opened(world.ask(method, path, row, {"Cookie": cookie}, csrf))
    assert found == {person.name: person.is_for(row.who) for person in PEOPLE}


@rows(How.API, How.PAGE)
def test_what_is_there_is_found_by_an_administrator(world, method, path, row):
    """So that the rows try what they mean to try: nobody is refused at an address where there is nothing."""
    if method == "GET":
        cookie, _ = world.session("root")
        answer = world.ask(method, path, row, {"Cookie": cookie})
        assert answer.status_code in {200, 303}
        assert opened(answer)


@rows(How.API)
def test_a_personal_token_opens_what_its_account_may_open(world, method, path, row):
    found = {}
    for person in PEOPLE:
        headers = {"Authorization": f"Bearer {world.token(person.name)}"}
        found[person.name] = opened(world.ask(method, path, row, headers))
    assert found == {person.name: person.is_for(row.who) for person in PEOPLE}


@rows(How.PAGE)
def test_a_personal_token_opens_no_page_even_beside_a_session(world, method, path, row):
    cookie, csrf = world.session("root")
    for headers in ({}, {"Cookie": cookie}):
        token = {"Authorization": f"Bearer {world.token('root')}"}
        assert refuses(world.ask(method, path, row, {**headers, **token}, csrf), page=True)


@rows(How.API, How.PAGE)
def test_a_session_changes_nothing_without_its_csrf_token(world, method, path, row):
    if method not in CHANGES:
        return
    for csrf in ("", "guessed", world.session("root")[1]):
        cookie, _ = world.session("root")
        assert world.ask(method, path, row, {"Cookie": cookie}, csrf).status_code == 403


@rows(How.INGEST)
def test_ingest_opens_for_a_good_token_of_the_run_alone(world, method, path, row):
    expected = {
        "ingest token of the job": 200,
        "ingest token of another job": 403,
        "ingest token of an older attempt": 200,
        "expired ingest token": 403,
        "revoked ingest token": 403,
    }
    for header, form in (("Authorization", "Bearer {}"), ("X-TunePlane-Token", "{}")):
        found = {
            kind: world.ask(method, path, row, {header: form.format(token)}).status_code
            for kind, token in world.tokens_of_jobs().items()
        }
        assert found == expected


@rows(How.INGEST)
def test_ingest_refuses_everything_but_ingest_tokens(world, method, path, row):
    cookie, csrf = world.session("root")
    tried = {kind: {"Authorization": f"Bearer {token}"} for kind, token in world.bad_tokens().items()}
    tried |= {"nobody": {}, "session": {"Cookie": cookie}, "personal": {"X-TunePlane-Token": world.token("root")}}
    found = {kind: world.ask(method, path, row, headers, csrf).status_code for kind, headers in tried.items()}
    assert set(found.values()) == {401}, found


@rows(How.INGEST)
def test_a_token_of_an_older_attempt_speaks_for_no_other(world, method, path, row):
    answer = world.ask(
        method, path, Row(row.how, body={**row.body, "attempt": 1}), {"X-TunePlane-Token": world.older.token}
    )
    assert answer.status_code == 422


@rows(How.LINK)
def test_a_public_link_opens_for_whoever_has_it_and_for_nobody_else(world, method, path, row):
    link = world.names()["token"]
    assert world.ask(method, path, row, {}).status_code == 200
    assert world.ask(method, path, row, {"Authorization": "Bearer x"}).status_code == 200
    cookie, _ = world.session("root")
    others = {**world.tokens_of_jobs(), **world.bad_tokens(), "personal": world.token("root")}
    del others["share link as a token"]
    for token in (
        *others.values(),
        link[:-1],
        link[:-43] + "A" * 43,
        mint("shr").text,
        cookie.partition("=")[2],
        "%00",
    ):
        if token:
            assert world.ask(method, path, row, {"Cookie": cookie}, token=token).status_code == 404


@rows(How.SIGNED_ADDRESS)
def test_a_signed_address_takes_what_it_was_signed_for_and_no_credential_opens_another(world, method, path, row):
    cookie, csrf = world.session("root")
    tried = [{}, {"Cookie": cookie}, *({"Authorization": f"Bearer {one}"} for one in world.tokens_of_jobs().values())]
    for headers in [*tried, {"Authorization": f"Bearer {world.token('root')}"}]:
        assert world.ask(method, path, row, headers, csrf).status_code in {400, 401, 403, 422}
    signed = urlsplit(world.upload_url)
    for query in ("", signed.query[:-1] + ("0" if signed.query[-1] != "0" else "1")):
        answer = world.server.client.request(method, f"{signed.path}?{query}", content=b"x")
        assert answer.status_code in {400, 401, 403, 422}


@rows(How.NOTHING)
def test_what_is_open_is_open_to_everybody(world, method, path, row):
    for headers in ({}, {"Authorization": "Bearer garbage"}):
        answer = world.ask(method, path, row, headers)
        assert answer.status_code < 500
        assert answer.status_code != 403
        assert (answer.status_code != 401) or path == "/login"


IDS = {"round_id": "absent", "trial_id": "absent", "trajectory_id": "f" * 64, "position": "999999"}
"""Names of things inside a job, and one that no job has."""


def swaps():
    """(method, path, row, name) where something inside a job is named."""
    for (method, path), row in ROWS.items():
        texts = path + "".join(one for given in row.query.values() for one in several(given))
        if "{run" in texts:
            for name in IDS:
                if f"{{{name}}}" in texts:
                    yield pytest.param(method, path, row, name, id=f"{method} {path} {name}")


@pytest.mark.parametrize(("method", "path", "row", "name"), list(swaps()))
def test_what_belongs_to_another_job_is_answered_as_what_there_is_not(world, method, path, row, name):
    """Ids are looked for in the job that the address names, whoever asks."""
    cookie, csrf = world.session("root")
    anothers, absent = world.names("other")[name], IDS[name]
    answers = [world.ask(method, path, row, {"Cookie": cookie}, csrf, **{name: one}) for one in (anothers, absent)]
    assert [one.status_code for one in answers] == [answers[1].status_code] * 2
    texts = [neutral(one.text, id_) for one, id_ in zip(answers, (anothers, absent), strict=True)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("method", "path", "row"),
    [pytest.param(*key, row, id=" ".join(key)) for key, row in ROWS.items() if "{run" in key[1]],
)
def test_a_job_that_there_is_not_is_404_for_everybody_with_one_body(world, method, path, row):
    for name in ("root", "mia"):
        cookie, csrf = world.session(name)
        answers = [
            world.ask(method, path, row, {"Cookie": cookie}, csrf, run=one, run_id=one) for one in ("absent", "gone")
        ]
        if all(one.status_code == 403 for one in answers):
            continue  # the permission is asked for first
        assert [one.status_code for one in answers] == [404, 404]
        assert neutral(answers[0].text, "absent") == neutral(answers[1].text, "gone")


def neutral(text: str, id_: str) -> str:
    """An answer without the id that was asked for and the session that asked."""
    return re.sub(rf"\b{re.escape(id_)}\b", "ID", re.sub(r"csrf-of-\w+", "CSRF", text))


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


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
def test_what_does_not_say_that_it_is_json_is_415_even_with_a_csrf_token(server, kind):
    signed_in = session(server, f"erin-{kind}", role="member")
    headers = {"Cookie": signed_in.cookie, "X-CSRF-Token": signed_in.csrf, "Content-Type": kind}
    assert server.client.post("/api/runs", headers=headers, content=b'{"name": "x"}').status_code == 415
    headers["Content-Type"] = "application/json; charset=utf-8"
    assert server.client.post("/api/runs", headers=headers, content=b'{"name": "x"}').status_code == 201


def test_a_request_without_a_body_need_not_say_what_it_is(server, job):
    headers = {"Authorization": f"Bearer {personal_token(server, 'root-of-all', role='admin')}"}
    assert server.client.post(f"/api/runs/{job.run_id}/share", headers=headers).status_code == 201


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


def test_no_repr_shows_a_hash_or_a_csrf_token():
    account = Account(name="ada", role="member", password_hash="kept-hash")
    secret = Secret(
        id="i", secret_hash=b"kept-hash", subject="ada", kind="session", created_at=Micros(0), csrf="kept-csrf"
    )
    who = SignedIn(account=account, secret_id="i", kind="session", csrf="kept-csrf")
    assert "kept" not in f"{account!r} {secret!r} {who!r}"
