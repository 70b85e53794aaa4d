"""Three jobs alike, people of every kind, and every kind of credential, good and bad."""

import base64
import hashlib
import json
import time
from typing import Any

import msgspec

from application.credentials import mint, presented
from application.ports.accounts import Account, Permission, Role
from domain.artifact import upload_key
from domain.ids import Attempt, Micros, Position, RunId, stream_id
from tests.console.test_validation import outcome
from tests.http.conftest import Job, Server
from tests.http.people import keep, know
from tests.http.who_opens import TS, How, Row, Who

Headers = dict[str, str]
CSRF = "x-csrf-token"
MESSAGE = {"role": "user", "content": "a message"}


class Person(msgspec.Struct, frozen=True):
    name: str
    role: Role = "member"
    permissions: frozenset[Permission] = frozenset()

    def is_for(self, who: Who) -> bool:
        """Whether a route for `who` is for this person; written down apart from the code that decides it."""
        admin = self.role == "admin"
        return {
            Who.SIGNED_IN: True,
            Who.MEMBER: self.role != "viewer",
            Who.OWNER: admin or (self.name == "ada" and self.role == "member"),
            Who.CONTENT: admin or "content" in self.permissions,
            Who.AUDIT: admin or {"content", "audit"} <= self.permissions,
            Who.ADMIN: admin,
        }[who]


PEOPLE = (
    Person("ada"),
    Person("mia"),
    Person("vic", "viewer"),
    Person("rita", "viewer", frozenset({"content"})),
    Person("otto", "member", frozenset({"audit"})),
    Person("aud", "member", frozenset({"content", "audit"})),
    Person("root", "admin"),
)
"""Ada owns the jobs, and has no permission beside."""


class World:
    """What a route is tried in."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.accounts = server.container.accounts()
        for person in PEOPLE:
            know(self.accounts, Account(name=person.name, role=person.role, permissions=person.permissions))
        know(self.accounts, Account(name="bystander", role="viewer"))
        self.jobs = {name: self._job(name) for name in ("one", "other", "spare")}
        log, share = server.container.event_log(), server.container.share_run().share
        self.links = {name: share(RunId(name), shared_by="ada").token for name in self.jobs}
        self.positions = {name: str(log.read(Position(0), run=RunId(name), limit=1)[0].position) for name in self.jobs}
        self.older = self.jobs["one"]
        self.job = server.open_attempt(RunId("one"))
        self.upload_url = self.job.post(
            "artifact/upload-url", kind="log", filename="l", size_bytes=1, sha256="0" * 64
        ).json()["upload_url"]

    def _job(self, name: str) -> Job:
        run = self.server.container.create_run()(name=name, owner="ada", run_id=name).run_id
        job = self.server.open_attempt(run)
        job.post("metrics", points=[{"key": "loss", "step": 1, "value": 0.5, "ts": TS}])
        job.post("logs", chunks=[f"a line of {name}\n"] * 3, eof=True)
        job.post("hardware", points=[{"key": "cpu.pct", "value": 1.0, "ts": TS, "hostname": "h"}])
        events = [outcome(f"round-{name}", f"trial-{name}", "success")]
        assert job.post("observations", events=events, contract=None).status_code == 200
        sample = {"idx": 0, "user": f"question of {name}", "assistant": "a"}
        job.post("validation", step=1, round_id=f"round-{name}", samples=[sample])
        trace = {"scope": "validation", "round_id": f"round-{name}", "trial_id": f"trial-{name}", "trial_attempt": 0}
        kept = {"messages": [MESSAGE], "total_messages": 1, "complete": True, "capture_policy": "all"}
        assert job.post("trajectory", trace={**trace, **kept}).status_code == 200
        score = {"benchmark": "b", "metric": "acc", "value": 0.5}
        job.post("benchmark", runner="r", model="m", scores=[score])
        self.server.container.bodies().put(_upload(name), name.encode(), _upload(name)[-64:])
        assert job.post("artifact", kind="log", path=_upload(name), format="text").status_code == 200
        job.post("lifecycle", event="succeeded", ts=TS)
        return job

    def _identity(self, job: str, kind: str, *parts: str) -> str:
        """How a thing of the job's first attempt is called."""
        return stream_id(RunId(job), Attempt(0), kind, *parts).hex

    def names(self, job: str = "one") -> dict[str, str]:
        """A value for each `{name}` of a template."""
        parts = ["validation", f"round-{job}", f"trial-{job}", 0]
        return {
            "run": job,
            "run_id": job,
            "attempt": "0",
            "round_id": f"round-{job}",
            "trial_id": f"trial-{job}",
            "trajectory_id": hashlib.sha256(json.dumps(parts).encode()).hexdigest(),
            "artifact_id": self._identity(
                job,
                "artifact",
                "log",
                "none",
                upload_key(RunId(job), Attempt(0), hashlib.sha256(job.encode()).hexdigest()),
            ),
            "score_id": self._identity(job, "benchmark", "r", "m", "b", "acc"),
            "position": self.positions[job],
            "token": self.links[job],
            "key": "artifacts/none/none",
            "digest": "any",
            "name": "css/console.css",
            "path": "openapi.json",
        }

    def ask(self, method: str, template: str, row: Row, headers: Headers, csrf: str = "", **names: str):
        """Sends what the row says, with the names of its job unless others are given."""
        known = {**self.names(row.of), **names}
        query: Any = [(name, one.format(**known)) for name, given in row.query.items() for one in several(given)]
        more: dict[str, Any] = {}
        if method in {"POST", "PUT", "DELETE"} and row.how in {How.PAGE, How.NOTHING}:
            more["data"] = {"csrf": csrf, **row.body}
        elif method in {"POST", "PUT"}:
            more["json"] = {"run_id": "one", **row.body} if row.how is How.INGEST else row.body
            headers = {**headers, **({CSRF: csrf} if csrf else {})}
        elif csrf:
            headers = {**headers, CSRF: csrf}
        self.server.client.cookies.clear()
        return self.server.client.request(
            method, template.format(**known), params=query, headers=headers, follow_redirects=False, **more
        )

    def token(self, name: str) -> str:
        """A new personal token."""
        return keep(self.accounts, name, "personal").text

    def session(self, name: str) -> tuple[str, str]:
        """A new session's cookie, and its CSRF token."""
        minted = keep(self.accounts, name, "session")
        return f"tuneplane_session={minted.text}", f"csrf-of-{minted.id}"

    def ingest_token(self, **changes: object) -> str:
        """Another token of the job, changed."""
        tokens, minted = self.server.container.ingest_tokens(), mint("ing")
        shown = presented(self.job.token, "ing")
        assert shown is not None
        kept = tokens.find(shown.id)
        assert kept is not None
        tokens.add(msgspec.structs.replace(kept, token_id=minted.id, secret_hash=minted.secret_hash, **changes))
        return minted.text

    def tokens_of_jobs(self) -> dict[str, str]:
        """Good ones and bad ones; which is which depends on the run that is spoken of."""
        past = Micros(time.time_ns() // 1_000 - 1)
        return {
            "ingest token of the job": self.job.token,
            "ingest token of another job": self.jobs["other"].token,
            "ingest token of an older attempt": self.older.token,
            "expired ingest token": self.ingest_token(expires_at=past),
            "revoked ingest token": self.ingest_token(revoked=True),
        }

    def bad_tokens(self) -> dict[str, str]:
        """Nobody's."""
        good = self.token("root")
        head, payload = (
            base64.urlsafe_b64encode(one).decode().rstrip("=") for one in (b'{"alg":"none"}', b'{"sub":"root"}')
        )
        ended = keep(self.accounts, "root", "personal", expires_at=Micros(1)).text
        gone = keep(self.accounts, "root", "personal")
        self.accounts.drop_secret(gone.id)
        return {
            "empty token": "",
            "garbage": "tp_pat_nonsense",
            "truncated token": good[:-1],
            "lengthened token": good + "A",
            "token of another secret": good[:-43] + "A" * 43,
            "token without an algorithm": f"{head}.{payload}.",
            "expired personal token": ended,
            "personal token that was taken back": gone.text,
            "session as a token": keep(self.accounts, "root", "session").text,
            "share link as a token": self.names()["token"],
            "upload address as a token": self.upload_url.rpartition("signature=")[2],
        }

    def strangers(self) -> dict[str, Headers]:
        """Headers that open nothing that people open."""
        found: dict[str, Headers] = {"nobody": {}}
        for kind, token in {**self.tokens_of_jobs(), **self.bad_tokens()}.items():
            found[kind] = {"Authorization": f"Bearer {token}"}
            found[f"{kind}, in the header of jobs"] = {"X-TunePlane-Token": token}
            found[f"{kind}, as a cookie"] = {"Cookie": f"tuneplane_session={token}"}
        del found["session as a token, as a cookie"]  # which is what a session is
        cookie, _ = self.session("root")
        found["truncated session"] = {"Cookie": cookie[:-1]}
        found["session of nobody"] = {"Cookie": f"tuneplane_session={mint('ses').text}"}
        found["ingest token beside a session"] = {"Cookie": cookie, "Authorization": f"Bearer {self.job.token}"}
        found["garbage beside a session"] = {"Cookie": cookie, "Authorization": "Bearer x"}
        found["basic"] = {"Authorization": "Basic " + base64.b64encode(b"root:x").decode()}
        return found


def several(given: str | tuple[str, ...]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else given


def _upload(job: str) -> str:
    """Where the job's first attempt has uploaded a body."""
    return upload_key(RunId(job), Attempt(0), hashlib.sha256(job.encode()).hexdigest())
