"""Who opens what: one row for each route, and what is sent to try it.

A new route: add its row to `ROWS`, with what a page's form or the API's body needs to get past decoding;
`test_who_opens_what.py` then tries it with every kind of credential. A template with a new `{name}` needs a value in
`World.names`.
"""

import enum

import msgspec


class Who(enum.Enum):
    """Which people a route is for, once they are proven."""

    SIGNED_IN = "everybody who is signed in"
    MEMBER = "everybody but viewers"
    OWNER = "the job's owner, unless a viewer, and administrators"
    CONTENT = "who has the content permission"
    AUDIT = "who has the audit and the content permission"
    ADMIN = "administrators"


class How(enum.Enum):
    """By what people and programs are proven."""

    NOTHING = "open to everybody"
    LINK = "whoever has the link of a share"
    INGEST = "a good ingest token of the run, and nothing else"
    SIGNED_ADDRESS = "a signed address, and nothing else"
    API = "a personal token, or a session (which repeats its CSRF token to change something)"
    PAGE = "a session alone (which repeats its CSRF token to change something)"


class Row(msgspec.Struct, frozen=True):
    how: How
    who: Who = Who.SIGNED_IN
    query: dict[str, str | tuple[str, ...]] = {}
    """Values may hold `{names}` of the world; several are sent one after another."""
    body: dict[str, object] = {}
    """JSON of the API and of ingest, fields of a page's form; `csrf` is added to the latter."""
    of: str = "one"
    """The job whose names are used: `spare` where it is changed or used up, `other` where it must have ended."""


EVERYONE, LINK, UPLOAD = Row(How.NOTHING), Row(How.LINK), Row(How.SIGNED_ADDRESS)


def ingest(**body: object) -> Row:
    return Row(How.INGEST, body=body)


def api(
    who: Who = Who.SIGNED_IN, *, of: str = "one", body: dict[str, object] | None = None, **query: str | tuple[str, ...]
) -> Row:
    return Row(How.API, who, query, body or {}, of)


def page(
    who: Who = Who.SIGNED_IN, *, of: str = "one", form: dict[str, object] | None = None, **query: str | tuple[str, ...]
) -> Row:
    return Row(How.PAGE, who, query, form or {}, of)


TS = "2026-01-01T00:00:00Z"
POINT = {"key": "loss", "step": 1, "value": 0.5, "ts": TS}
SHA256 = "0" * 64
TRACE = {
    "scope": "validation",
    "round_id": "r",
    "trial_id": "t",
    "trial_attempt": 0,
    "messages": [{"role": "user", "content": "c"}],
    "total_messages": 1,
    "complete": True,
    "capture_policy": "all",
}
JOB = "/runs/{run_id}"
RUN = "/api/runs/{run}"
ROUND = f"{RUN}/validation/rounds/{{round_id}}"

ROWS: dict[tuple[str, str], Row] = {
    # Nobody has to be proven.
    ("GET", "/healthz"): EVERYONE,
    ("GET", "/readyz"): EVERYONE,
    ("GET", "/metrics"): EVERYONE,
    ("GET", "/schema"): EVERYONE,
    ("GET", "/schema/openapi.json"): EVERYONE,
    ("GET", "/schema/{path}"): EVERYONE,
    ("GET", "/static/{digest}/{name}"): EVERYONE,
    ("GET", "/login"): EVERYONE,
    ("POST", "/login"): Row(How.NOTHING, body={"name": "nobody", "password": "x"}),
    ("GET", "/s/{token}"): LINK,
    ("GET", "/s/{token}/series"): LINK,
    ("GET", "/s/{token}/series/data"): Row(How.LINK, query={"key": "loss"}),
    # Jobs.
    ("PUT", "/api/uploads/{key}"): UPLOAD,
    ("POST", "/api/ingest/artifact"): ingest(kind="log", path="/out/log.txt", format="text"),
    ("POST", "/api/ingest/artifact/upload-url"): ingest(kind="log", filename="l", size_bytes=1, sha256=SHA256),
    ("POST", "/api/ingest/benchmark"): ingest(
        runner="r", model="m", scores=[{"benchmark": "b", "metric": "acc", "value": 0.5}]
    ),
    ("POST", "/api/ingest/environment"): ingest(overview={}, hardware={}, packages=""),
    ("POST", "/api/ingest/environment/nodes"): ingest(nodes=[{"node_id": "n", "hostname": "h"}]),
    ("POST", "/api/ingest/hardware"): ingest(points=[{"key": "cpu.pct", "value": 1.0, "ts": TS, "hostname": "h"}]),
    ("POST", "/api/ingest/hparams"): ingest(params={"lr": 0.1}),
    ("POST", "/api/ingest/lifecycle"): ingest(event="running", ts=TS),
    ("POST", "/api/ingest/logs"): ingest(chunks=["line\n"], eof=False),
    ("POST", "/api/ingest/metrics"): ingest(points=[POINT]),
    ("POST", "/api/ingest/observations"): ingest(events=[{"id": "o", "kind": "event", "name": "n", "ts": TS}]),
    ("POST", "/api/ingest/trajectory"): ingest(trace=TRACE),
    ("POST", "/api/ingest/validation"): ingest(step=9, samples=[]),
    # Programs, and what pages read.
    ("GET", "/api/runs"): api(),
    ("POST", "/api/runs"): api(Who.MEMBER, body={"name": "x"}),
    ("GET", RUN): api(),
    ("POST", f"{RUN}/executions"): api(Who.OWNER, of="spare"),
    ("POST", f"{RUN}/executions/{{attempt}}/tokens"): api(Who.OWNER, of="spare"),
    ("DELETE", f"{RUN}/tokens"): api(Who.OWNER, of="spare"),
    ("POST", f"{RUN}/share"): api(Who.OWNER, of="spare"),
    ("GET", f"{RUN}/share"): api(Who.OWNER),
    ("DELETE", f"{RUN}/share"): api(Who.OWNER, of="spare"),
    ("GET", f"{RUN}/series"): api(),
    ("GET", f"{RUN}/series/data"): api(key="loss"),
    ("GET", f"{RUN}/series/superseded"): api(key="loss"),
    ("GET", f"{RUN}/series.csv"): api(key="loss"),
    ("GET", f"{RUN}/hparams"): api(),
    ("GET", f"{RUN}/hparams.csv"): api(),
    ("GET", f"{RUN}/packages.csv"): api(),
    ("GET", f"{RUN}/environment"): api(),
    ("GET", f"{RUN}/artifacts"): api(),
    ("GET", f"{RUN}/artifacts/{{artifact_id}}/bytes"): api(),
    ("GET", f"{RUN}/benchmarks"): api(),
    ("GET", f"{RUN}/benchmarks/{{score_id}}/versions"): api(),
    ("GET", f"{RUN}/hardware"): api(),
    ("GET", f"{RUN}/hardware/data"): api(key="h/cpu.pct"),
    ("GET", f"{RUN}/hardware/devices"): api(),
    ("GET", f"{RUN}/hardware/hosts"): api(),
    ("GET", f"{RUN}/logs"): api(),
    ("GET", f"{RUN}/logs.txt"): api(),
    ("GET", f"{RUN}/logs/search"): api(q="line"),
    ("GET", f"{RUN}/logs/at"): api(time=TS),
    ("GET", f"{RUN}/logs/line"): api(n="0", attempt="0"),
    ("GET", f"{RUN}/live"): api(of="other"),
    ("GET", f"{RUN}/observations"): api(),
    ("GET", f"{RUN}/histograms"): api(name="n"),
    ("GET", f"{RUN}/reporters"): api(),
    ("GET", f"{RUN}/delivery"): api(),
    ("GET", f"{RUN}/coverage"): api(),
    ("GET", f"{RUN}/validation/rounds"): api(),
    ("GET", f"{ROUND}/trials"): api(),
    ("GET", f"{ROUND}/trials/{{trial_id}}/attempts"): api(),
    ("GET", f"{ROUND}/samples"): api(Who.CONTENT),
    ("GET", f"{RUN}/trajectories"): api(),
    ("GET", f"{RUN}/trajectories/{{trajectory_id}}"): api(Who.CONTENT),
    ("DELETE", f"{RUN}/trajectories/{{trajectory_id}}"): api(Who.OWNER, of="spare"),
    ("GET", f"{RUN}/events"): api(),
    ("GET", f"{RUN}/events/{{position}}"): api(),
    ("GET", "/api/events.ndjson"): api(Who.AUDIT),
    ("GET", "/api/review"): api(left="{run}", right="{run}"),
    ("GET", "/api/review/rounds"): api(left="{run}:{round_id}", right="{run}:{round_id}"),
    # Pages.
    ("GET", "/"): page(),
    ("GET", "/jobs/columns"): page(),
    ("GET", "/jobs.csv"): page(),
    ("GET", "/jobs/compare"): page(job=("one", "other")),
    ("GET", "/review"): page(),
    ("GET", "/review/rounds"): page(left="{run}:{round_id}", right="{run}:{round_id}"),
    ("GET", "/review/trajectories"): page(left="{run}:{trajectory_id}", right="{run}:{trajectory_id}"),
    ("GET", "/help"): page(),
    ("POST", "/logout"): page(),
    ("GET", "/account"): page(),
    ("POST", "/account/password"): page(form={"old": "x" * 12, "new": "y" * 12, "again": "z" * 12}),
    ("POST", "/account/sessions/end"): page(form={"id": "0" * 16}),
    ("POST", "/account/sessions/end-all"): page(),
    ("POST", "/account/tokens"): page(form={"name": "n", "days": "1"}),
    ("POST", "/account/tokens/end"): page(form={"id": "0" * 16}),
    ("GET", "/shares"): page(run_id="{run_id}"),
    ("POST", "/shares"): page(Who.OWNER, form={"run_id": "spare", "name": "n", "days": "1"}),
    ("POST", "/shares/withdraw"): page(Who.OWNER, form={"run_id": "spare", "share_id": "absent"}),
    ("GET", "/people"): page(Who.ADMIN),
    ("POST", "/people"): page(Who.ADMIN, form={"name": "somebody", "role": "viewer"}),
    ("POST", "/people/rights"): page(Who.ADMIN, form={"name": "bystander", "role": "viewer"}),
    ("POST", "/people/password"): page(Who.ADMIN, form={"name": "bystander"}),
    ("POST", "/people/end"): page(Who.ADMIN, form={"name": "bystander"}),
    ("POST", "/people/disable"): page(Who.ADMIN, form={"name": "bystander"}),
    ("POST", "/people/enable"): page(Who.ADMIN, form={"name": "bystander"}),
    ("GET", JOB): page(),
    ("GET", f"{JOB}/head"): page(),
    ("GET", f"{JOB}/observations"): page(),
    ("GET", f"{JOB}/observations/coverage"): page(),
    ("GET", f"{JOB}/observations/histograms"): page(),
    ("GET", f"{JOB}/observations/histogram"): page(),
    ("GET", f"{JOB}/observations/events"): page(),
    ("GET", f"{JOB}/observations/health"): page(),
    ("GET", f"{JOB}/logs"): page(),
    ("GET", f"{JOB}/logs/found"): page(q="line"),
    ("GET", f"{JOB}/logs/lines"): page(attempt="0", first="0"),
    ("GET", f"{JOB}/validation"): page(round_id="{round_id}"),
    ("GET", f"{JOB}/validation/samples"): page(round_id="{round_id}"),
    ("GET", f"{JOB}/trajectories"): page(),
    ("GET", f"{JOB}/trajectories/{{trajectory_id}}"): page(),
    ("GET", f"{JOB}/trajectories/{{trajectory_id}}/text"): page(),
    ("GET", f"{JOB}/trajectories/{{trajectory_id}}/delete"): page(Who.OWNER),
    ("POST", f"{JOB}/trajectories/{{trajectory_id}}/delete"): page(Who.OWNER, of="spare"),
    ("GET", f"{JOB}/config"): page(),
    ("GET", f"{JOB}/hardware"): page(),
    ("GET", f"{JOB}/artifacts"): page(),
    ("GET", f"{JOB}/benchmarks"): page(),
    ("GET", f"{JOB}/history"): page(),
    ("GET", f"{JOB}/history/past"): page(at="1"),
    ("GET", f"{JOB}/history/{{position}}"): page(),
}
