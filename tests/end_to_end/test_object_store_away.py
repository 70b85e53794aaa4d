"""F6: a real server, and a real object store that stands still, comes back, and dies."""

import os
import signal
import threading
from collections.abc import Iterator
from functools import partial

import pytest
from tuneplane.reporter import Reporter, ReporterError

from entrypoints.http.ingest.threads import THREADS
from tests.end_to_end.api import Api, Job
from tests.end_to_end.installation import ServerProcess, a_folder
from tests.end_to_end.waiting import until
from tests.seaweed import BUCKET, REGION, Seaweed, seaweed

SENDERS = 4 * THREADS
"""More than may wait for the store at one time, and enough to take every thread of ingest again and again."""


@pytest.fixture
def store() -> Iterator[Seaweed]:
    with seaweed() as started:
        yield started


@pytest.fixture
def server_of_bucket(dsn, store) -> Iterator[ServerProcess]:
    settings = {"TUNEPLANE_S3_BUCKET": BUCKET, "TUNEPLANE_S3_ENDPOINT": store.endpoint, "TUNEPLANE_S3_REGION": REGION}
    with a_folder() as folder:
        started = ServerProcess(folder, dsn, **settings, **store.environment())
        try:
            started.start()
            yield started
        finally:
            started.close()


@pytest.fixture
def job_of_files(api) -> Job:
    """Of a server that keeps bodies as files."""
    return api.open_run()


@pytest.fixture
def job(server_of_bucket) -> Job:
    server = server_of_bucket
    return Api(server.url, server.command("token", "create", "admin").strip()).open_run()


def trace(trial: int) -> dict[str, object]:
    return {
        "scope": "validation",
        "round_id": "r",
        "trial_id": f"t{trial}",
        "trial_attempt": 0,
        "messages": [{"role": "user", "content": f"text {trial}"}],
        "total_messages": 1,
        "complete": True,
        "capture_policy": "all",
    }


NEW = 500
"""Different series; opening one needs a thread, too."""


class Senders:
    """Many trajectories sent at once."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.answers: dict[int, int] = {}
        self.asked_to_come_back: set[int] = set()
        self.given_up = False
        """Whether one has waited for the store until the server gave it up."""
        self._threads = [threading.Thread(target=self._send, args=(trial,)) for trial in range(SENDERS)]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """Returns once all have an answer."""
        for thread in self._threads:
            thread.join()

    def _send(self, trial: int) -> None:
        body = {"run_id": self._job.run_id, "trace": trace(trial)}
        answer = self._job.api.call("POST", "/api/ingest/trajectory", body, self._job.token)
        self.answers[trial] = answer.status
        self.given_up = self.given_up or "is away" in answer.body.get("detail", "")
        if "retry-after" in answer.headers:
            self.asked_to_come_back.add(trial)


def catch_up(job: Job) -> None:
    """What was reported beside it is in its next answers, too."""
    job.position = job.api.get("/readyz")["position"]


def texts(job: Job) -> set[str]:
    """What is read of every trajectory."""
    items = job.get("/trajectories", limit=1000)["items"]
    pages = [job.get(f"/trajectories/{one['trajectory_id']}") for one in items]
    return {page["messages"][0]["content"] for page in pages}


def test_a_store_that_stands_still_or_dies_holds_up_bodies_alone_and_loses_nothing(server_of_bucket, store, job):
    job.post("trajectory", trace=trace(SENDERS))

    os.kill(store.pid, signal.SIGSTOP)  # it still takes connections, and never answers
    senders, points = Senders(job), 0
    until(lambda: senders.answers, "a first answer")
    while not senders.given_up:  # by the store: the first answers come from a queue that is full
        assert job.points("loss", float(points), first_step=points)["accepted"] == 1
        assert job.points(f"new-{points % NEW}", 0.0, first_step=points)["accepted"] == 1
        points += 1
    assert points > THREADS
    senders.join()
    assert set(senders.answers.values()) == {503}
    assert senders.asked_to_come_back == set(range(SENDERS))

    os.kill(store.pid, signal.SIGCONT)
    with Reporter(job.endpoint, job.run_id, job.token) as reporter:
        for trial in range(SENDERS):
            until(partial(delivered, reporter, trial), "the delivery")
    catch_up(job)
    assert texts(job) == {f"text {trial}" for trial in range(SENDERS + 1)}

    os.kill(store.pid, signal.SIGKILL)
    known = job.get("/trajectories", limit=1)["items"][0]["trajectory_id"]
    for method, path, body in (
        ("POST", "/api/ingest/trajectory", {"run_id": job.run_id, "trace": trace(SENDERS + 1)}),
        ("POST", "/api/ingest/artifact/upload-url", {"run_id": job.run_id, **UPLOAD}),
    ):
        answer = job.api.call(method, path, body, job.token)
        assert (answer.status, "retry-after" in answer.headers) == (503, True)
    assert job.api.call("GET", f"/api/runs/{job.run_id}/trajectories/{known}").status == 503
    assert job.get("/trajectories", limit=1)["items"][0]["state"] == "retained"
    job.points("loss", 0.0, first_step=points)

    counts = {one["key"]: one["count"] for one in job.get("/series", limit=1000)["items"]}
    assert counts.pop("loss") == points + 1
    assert (len(counts), sum(counts.values())) == (min(NEW, points), points)
    assert job.get()["counts"]["trajectories"] == SENDERS + 1
    assert server_of_bucket.stop() == 0


def kept_artifacts(job: Job) -> list[tuple[str, int | None, bytes]]:
    """Path, size and bytes of each."""
    items = job.get("/artifacts")["items"]
    asked = [f"/api/runs/{job.run_id}/artifacts/{one['artifact_id']}/bytes" for one in items]
    return [
        (one["path"], one["size_bytes"], job.api.call("GET", path).body.encode())
        for one, path in zip(items, asked, strict=True)
    ]


@pytest.mark.parametrize("bodies", ["files", "bucket"])
def test_an_artifact_is_uploaded_registered_and_read_back_wherever_bodies_are(bodies, request, tmp_path):
    job = request.getfixturevalue("job" if bodies == "bucket" else "job_of_files")
    text = "weights\n" * 200_000
    (tmp_path / "model.txt").write_text(text)
    with Reporter(job.endpoint, job.run_id, job.token, attempt=job.attempt) as reporter:
        path = reporter.upload_artifact("log", tmp_path / "model.txt", format="text")
        catch_up(job)
        once = job.get("/events")["items"]
        assert reporter.upload_artifact("log", tmp_path / "model.txt", format="text") == path
        catch_up(job)
        assert job.get("/events")["items"] == once
        lost = path[:-64] + "0" * 64
        with pytest.raises(ReporterError, match="nothing was uploaded there"):
            reporter.artifact("log", lost, format="text")
    assert kept_artifacts(job) == [(path, len(text), text.encode())]


UPLOAD = {"kind": "log", "filename": "l", "size_bytes": 1, "sha256": "0" * 64}


def delivered(reporter: Reporter, trial: int) -> bool:
    """Whether it is on record now; else the server asked to come back."""
    try:
        return reporter.trajectory(trace(trial))
    except ReporterError as problem:
        if not problem.transient:
            raise
        return False
