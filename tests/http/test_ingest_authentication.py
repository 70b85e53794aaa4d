"""Ingest tokens open /api/ingest and nothing else does."""

import ast
import threading
import time
from pathlib import Path

import anyio.to_thread
import msgspec
import pytest

from adapters.memory.ingest_tokens import MemoryIngestTokens
from application.credentials import mint, presented
from domain.ids import Micros
from entrypoints.http.ingest.authentication import KEPT_SECONDS, KnownTokens
from tests.http.test_ingest_bodies import CAPS

ROOT = Path(__file__).parents[2]


def send(job, **headers):
    body = {"run_id": job.run_id, "points": [{"key": "a", "step": 1, "value": 1.0}]}
    return job.server.client.post("/api/ingest/metrics", json=body, headers=headers)


@pytest.mark.parametrize("path", CAPS)
def test_every_path_needs_a_token(job, stored, path):
    answer = job.server.client.post(f"/api/ingest/{path}", json={"run_id": job.run_id})
    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    assert stored() == []


@pytest.mark.parametrize("form", ["X-TunePlane-Token: {}", "Authorization: Bearer {}", "Authorization: bearer  {} "])
def test_both_headers_open_it(job, form):
    name, _, value = form.partition(": ")
    assert send(job, **{name: value.format(job.token)}).status_code == 200


def wrong_tokens(job):
    kind, _, rest = job.token.partition("_ing_")
    identity, _, secret = rest.partition("_")
    return {
        "empty": "",
        "nonsense": "nonsense",
        "truncated": job.token[:-1],
        "longer": job.token + "x",
        "other secret": f"{kind}_ing_{identity}_{'A' * len(secret)}",
        "other id": f"{kind}_ing_{'0' * 16}_{secret}",
        "personal": mint("pat").text,
        "session": mint("ses").text,
        "share": mint("shr").text,
        "kind swapped": job.token.replace("_ing_", "_pat_"),
        "line": job.token + "\t",
        "none algorithm": "eyJhbGciOiJub25lIn0.e30.",
    }


@pytest.mark.parametrize(
    "which",
    [
        "empty",
        "nonsense",
        "truncated",
        "longer",
        "other secret",
        "other id",
        "personal",
        "session",
        "share",
        "kind swapped",
        "none algorithm",
    ],
)
@pytest.mark.parametrize("header", ["X-TunePlane-Token", "Authorization"])
def test_no_other_credential_opens_it(job, stored, which, header):
    token = wrong_tokens(job)[which]
    answer = send(job, **{header: f"Bearer {token}" if header == "Authorization" else token})
    assert answer.status_code == 401
    assert stored() == []
    assert job.token not in answer.text


def test_a_cookie_of_a_session_opens_nothing(job):
    job.server.client.cookies.set("tuneplane_session", mint("ses").text)
    try:
        assert send(job).status_code == 401
    finally:
        job.server.client.cookies.clear()


def test_a_revoked_token_is_403_within_a_second_and_other_runs_go_on(job, server):
    other = server.open_attempt()
    assert send(job, Authorization=f"Bearer {job.token}").status_code == 200
    server.container.revoke_tokens()(job.run_id, revoked_by="ada")
    deadline = time.monotonic() + KEPT_SECONDS + 5
    while (answer := send(job, Authorization=f"Bearer {job.token}")).status_code == 200:
        assert time.monotonic() < deadline
    assert answer.status_code == 403
    assert send(other, Authorization=f"Bearer {other.token}").status_code == 200
    again = server.open_attempt(job.run_id)
    assert send(again, Authorization=f"Bearer {again.token}").status_code == 200


def with_token(job, **changes) -> str:
    """Another token of the job, changed."""
    tokens, minted = job.server.container.ingest_tokens(), mint("ing")
    shown = presented(job.token, "ing")
    assert shown is not None
    kept = tokens.find(shown.id)
    tokens.add(msgspec.structs.replace(kept, token_id=minted.id, secret_hash=minted.secret_hash, **changes))
    return minted.text


def test_a_second_good_token_works(job):
    assert send(job, Authorization=f"Bearer {with_token(job)}").status_code == 200


@pytest.mark.parametrize(
    "changes", [{"expires_at": Micros(time.time_ns() // 1000 - 1)}, {"scope": "read"}, {"revoked": True}]
)
def test_a_token_that_is_over_or_for_something_else_is_403(job, stored, changes):
    assert send(job, Authorization=f"Bearer {with_token(job, **changes)}").status_code == 403
    assert stored() == []


def test_an_older_attempts_token_keeps_working_for_its_own_attempt(job, server, stored):
    again = server.open_attempt(job.run_id)
    assert (job.attempt, again.attempt) == (0, 1)
    for one in (job, again):
        assert one.post("lifecycle", event="running").status_code == 200
    assert [event.attempt for event in stored() if hasattr(event, "event")] == [0, 1]


@pytest.mark.anyio
async def test_a_look_up_is_believed_for_a_moment_only(server, job):
    now, asked = [0.0], []
    tokens = server.container.ingest_tokens()

    class Counting(MemoryIngestTokens):
        def find(self, token_id):
            asked.append(token_id)
            return tokens.find(token_id)

    known = KnownTokens(Counting(), clock=lambda: now[0])
    for at in (0.0, KEPT_SECONDS * 0.99, KEPT_SECONDS):
        now[0] = at
        assert (await known.source(job.token)).run == job.run_id
    assert len(asked) == 2


@pytest.fixture
def anyio_backend():
    return "asyncio"


def test_a_credential_is_no_part_of_what_is_printed():
    minted = mint("ing")
    secret = minted.text.split("_", 3)[3]
    assert secret not in repr(minted)
    assert secret not in repr(presented(minted.text, "ing"))


def test_every_minted_credential_is_recognised_and_proves_itself_alone():
    for _ in range(200):
        minted, other = mint("pat"), mint("pat")
        shown = presented(minted.text, "pat")
        assert shown is not None
        assert shown.id == minted.id
        assert shown.proves(minted.secret_hash)
        assert not shown.proves(other.secret_hash)
        assert presented(minted.text, "ing") is None


SECRET_NAMES = {"secret", "secret_hash", "token", "password", "signature", "kept_hash", "csrf", "password_hash"}


def named(node):
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize("path", sorted(p for p in ROOT.glob("[ae]*/**/*.py") if p.parts[-1] != "memory"), ids=str)
def test_no_secret_is_compared_with_equality(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
            sides = {named(side) for side in (node.left, *node.comparators)}
            assert not sides & SECRET_NAMES, f"{path}:{node.lineno}"


def test_reports_go_on_while_readers_hold_every_thread(server, job):
    taken, released = threading.Event(), threading.Event()
    in_time = []

    def read():
        taken.set()
        in_time.append(released.wait(10))

    async def readers():
        """All threads that there are for readers: one."""
        limiter = anyio.to_thread.current_default_thread_limiter()
        before, limiter.total_tokens = limiter.total_tokens, 1
        await anyio.to_thread.run_sync(read)
        limiter.total_tokens = before

    with server.client.portal() as portal:
        holding = portal.start_task_soon(readers)
        assert taken.wait(10)
        answer = job.post("lifecycle", event="running", ts="2026-01-01T00:00:00Z")  # its token is new, too
        released.set()
        holding.result()
    assert answer.status_code == 200
    assert in_time == [True]
