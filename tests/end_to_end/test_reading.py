"""What is read back from a real server: at once, as it was, and with every route described."""

import hashlib
import json
from urllib.parse import quote

from tests.end_to_end.api import TS


def test_a_read_with_the_position_of_a_report_holds_that_report(job):
    for value in range(30):
        job.points("loss", float(value), first_step=value)
        (found,) = job.get("/series")["items"]
        assert (found["count"], found["last"]) == (value + 1, float(value))


def test_a_read_that_cannot_wait_for_its_position_says_how_far_behind_it_is(job):
    job.points("loss", 1.0)
    job.get("/series")
    path = f"/api/runs/{job.run_id}/series?min_position={job.position + 1_000_000}"
    answer = job.api.call("GET", path)
    assert answer.status == 200
    assert int(answer.headers["x-tuneplane-behind"]) > 900_000
    assert answer.body["items"][0]["count"] == 1


def test_a_run_is_answered_as_it_was(job):
    job.post("lifecycle", event="running", ts=TS)
    job.points("loss", 3.0, 2.0)
    job.post("logs", chunks=["early\n"])
    then = job.position
    job.points("loss", 1.0, first_step=1)
    job.points("accuracy", 0.5)
    job.post("logs", chunks=["late\n"], eof=True)
    job.post("lifecycle", event="succeeded", ts=TS)
    now, was = job.get(), job.get(as_of=then)
    assert (now["status"], was["status"]) == ("succeeded", "running")
    assert (now["counts"]["points"], was["counts"]["points"]) == (4, 2)
    assert [(one["key"], one["last"]) for one in job.get("/series")["items"]] == [("accuracy", 0.5), ("loss", 1.0)]
    assert [(one["key"], one["last"]) for one in job.get("/series", as_of=then)["items"]] == [("loss", 2.0)]
    assert [line["text"] for line in job.get("/logs", as_of=then)["lines"]] == ["early"]
    assert [line["text"] for line in job.get("/logs")["lines"]] == ["early", "late"]


def test_the_history_names_every_event_and_its_place_in_the_chain(job):
    job.points("loss", 1.0)
    events = job.get("/events", limit=1000)["items"]
    assert [one["type"].partition(".")[0] for one in events] == [
        "run-created",
        "execution-opened",
        "series-opened",
        "metrics-reported",
    ]
    assert [one["position"] for one in events] == sorted(one["position"] for one in events)
    assert all(len(one["hash"]) == 64 for one in events)
    whole = job.get(f"/events/{events[-1]['position']}")
    assert whole["hash"] == events[-1]["hash"]


def test_the_schema_describes_every_route_that_the_documents_promise(api):
    paths = api.get("/schema")["paths"]
    run = "/api/runs/{run}"
    promised = {
        "/api/runs": {"get", "post"},
        run: {"get"},
        f"{run}/executions": {"post"},
        f"{run}/tokens": {"delete"},
        f"{run}/share": {"post", "delete"},
        f"{run}/series": {"get"},
        f"{run}/series/data": {"get"},
        f"{run}/series.csv": {"get"},
        f"{run}/hparams": {"get"},
        f"{run}/environment": {"get"},
        f"{run}/hardware/data": {"get"},
        f"{run}/artifacts": {"get"},
        f"{run}/benchmarks": {"get"},
        f"{run}/logs": {"get"},
        f"{run}/logs.txt": {"get"},
        f"{run}/live": {"get"},
        f"{run}/observations": {"get"},
        f"{run}/coverage": {"get"},
        f"{run}/validation/rounds": {"get"},
        f"{run}/validation/rounds/*/trials": {"get"},
        f"{run}/validation/rounds/*/trials/*/attempts": {"get"},
        f"{run}/validation/rounds/*/samples": {"get"},
        f"{run}/trajectories": {"get"},
        f"{run}/trajectories/*": {"get", "delete"},
        "/api/review": {"get"},
        "/api/review/rounds": {"get"},
        f"{run}/events": {"get"},
        f"{run}/events/*": {"get"},
        "/api/events.ndjson": {"get"},
        **{f"/api/ingest/{name}": {"post"} for name in INGEST},
    }
    described = {_with_stars(path): set(operations) for path, operations in paths.items()}
    for path, methods in promised.items():
        assert methods <= described.get(_with_stars(path), set()), path


INGEST = (
    "metrics",
    "hparams",
    "logs",
    "validation",
    "hardware",
    "lifecycle",
    "artifact",
    "benchmark",
    "environment",
    "environment/nodes",
    "observations",
    "trajectory",
    "artifact/upload-url",
)


def _with_stars(path: str) -> str:
    """The path with its parameters' names left out."""
    return "/".join("*" if part.startswith("{") else part for part in path.split("/"))


def test_a_round_named_with_a_slash_is_found(job):
    round_id = "eval/é 1"
    declared = {"round_id": round_id, "expected": 2}
    job.post("observations", events=[an_event("validation.population", declared, [round_id])], contract=None)
    assert job.get("/validation/rounds")["items"][0]["round_id"] == round_id
    assert job.get(f"/validation/rounds/{quote(round_id, safe='')}/trials")["items"] == []


def an_event(name, values, identity):
    digest = hashlib.sha256(json.dumps([name, *identity]).encode()).hexdigest()
    return {"id": f"validation:{digest}", "kind": "event", "name": name, "ts": TS, "values": values}
