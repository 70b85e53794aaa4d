"""Imports over a line on which every other answer is lost, false or late: all arrives, and each of it once."""

import http.client
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.end_to_end.api import Api, Job
from tests.end_to_end.installation import environment
from tests.end_to_end.waiting import until
from tests.lm_eval.written import dummy_run
from tests.moving.samples import SAMPLES, beginning, event_file, scalar

SDK = Path(__file__).parents[2] / "sdk"
TROUBLES = ("lost answer", 429, "lost request", 500, "half an answer", 502, "sign-in page")


class Line(http.server.ThreadingHTTPServer):
    """Passes on to a server; of two requests one gets into trouble, each kind in its turn."""

    def __init__(self, url: str) -> None:
        super().__init__(("127.0.0.1", 0), _Passing)
        self.there = urlsplit(url).netloc
        self.here = f"127.0.0.1:{self.server_port}"
        self.requests = 0
        self.counting = threading.Lock()

    def trouble(self) -> object:
        with self.counting:
            self.requests += 1
            half, odd = divmod(self.requests, 2)
            return TROUBLES[half % len(TROUBLES)] if odd else None


class _Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Line

    def pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        trouble = self.server.trouble()
        if isinstance(trouble, int):
            self._answer(trouble, b"<html>trouble</html>", {"Retry-After": "0"})
            return
        if trouble == "sign-in page":
            self._answer(200, b"<html>sign in</html>", {})
            return
        self.close_connection = trouble is not None
        if trouble == "lost request":
            return
        status, content = self._there(body)
        if trouble == "half an answer":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + content[:10])
        elif trouble is None:
            self._answer(status, content, {"Content-Type": "application/json"})

    def do_GET(self) -> None:
        self.pass_on()

    def do_POST(self) -> None:
        self.pass_on()

    def _there(self, body: bytes) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.server.there, timeout=60)
        try:
            names = ("Authorization", "Content-Type")
            kept = {name: self.headers[name] for name in names if name in self.headers}
            connection.request(self.command, self.path, body or None, kept)
            answer = connection.getresponse()
            # The server names itself as the place to report to.
            return answer.status, answer.read().replace(self.server.there.encode(), self.server.here.encode())
        finally:
            connection.close()

    def _answer(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def line(api: Api) -> Iterator[str]:
    """Its address."""
    passing = Line(api.url)
    thread = threading.Thread(target=passing.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://{passing.here}"
    finally:
        passing.shutdown()
        thread.join()
        passing.server_close()


def started(module: str, *words: object, **env: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", module, *map(str, words)]
    outcome = subprocess.PIPE
    paths = os.pathsep.join([str(SDK), str(SDK / "examples"), str(SDK.parent)])
    return subprocess.Popen(
        command, env=environment(**env, PYTHONPATH=paths), stdout=outcome, stderr=outcome, text=True
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    out, err = process.communicate(timeout=120)
    return process.returncode, out + err


def over(line: str, job: Job) -> dict[str, str]:
    return {**job.env, "TUNEPLANE_JOB_ENDPOINT": f"{line}/api/ingest"}


def moved(api: Api, url: str, *words: object) -> tuple[int, str]:
    return ended(started("tuneplane.integrations.tensorboard", *words, TUNEPLANE_SERVER=url, TUNEPLANE_TOKEN=api.token))


def held(api: Api, job_or_run: str) -> dict[str, int]:
    """What the server counts of a run, once it has taken in its log."""
    position = api.get("/readyz")["position"]
    counts = api.get(f"/api/runs/{job_or_run}", min_position=position)["counts"]
    return {name: counts[name] for name in ("points", "invalid_points", "observations", "set_aside")}


def runs_in(table: str) -> list[str]:
    return sorted(word.rpartition("/")[2] for line in table.splitlines() for word in line.split() if "/runs/" in word)


def test_a_history_comes_over_whole_and_once(api, line):
    logs = SAMPLES / "tensorboard" / "real"
    code, said = moved(api, line, logs, "--label", "troubled")
    assert (code, len(runs_in(said))) == (0, 4), said
    code, plain = moved(api, api.url, logs, "--label", "plain")
    assert code == 0
    by_line, directly = ([held(api, run) for run in runs_in(table)] for table in (said, plain))
    assert sorted(map(str, by_line)) == sorted(map(str, directly))
    assert sum(one["points"] for one in by_line) == 23
    code, again = moved(api, api.url, logs, "--label", "troubled")
    assert code == 0
    assert [held(api, run) for run in runs_in(again)] == by_line


@pytest.mark.parametrize("producer", ["lm_eval", "verl", "nemo_rl", "math_eval"])
def test_results_come_over_whole_and_once(api, line, tmp_path, producer):
    words: list[object]
    if producer == "lm_eval":
        module, words = "tuneplane.integrations.lm_eval", [dummy_run(tmp_path)]
    elif producer == "verl":
        folder = SAMPLES / "verl"
        module = "tuneplane.integrations.verl"
        words = [folder / "metrics.jsonl", "--rollouts", folder / "rollouts", "--validation", folder / "validation"]
    elif producer == "nemo_rl":
        module, words = "tuneplane.integrations.nemo_rl", [SAMPLES / "nemo-rl", "--settle", "0"]
    else:
        problems = tmp_path / "problems.jsonl"
        problems.write_text("".join(json.dumps({"problem": f"say {n}", "answer": "7"}) + "\n" for n in range(50)))
        words = ["--problems", problems, "--output", tmp_path / "evidence", "--upload"]
        module, words = "common.eval.math_eval", [*words, "--generator", "tests.math_eval.models:scripted"]
    asked = {"MATH_EVAL_TEST_ASKED": str(tmp_path / "asked")}
    direct, troubled = api.open_run(), api.open_run()
    first = ended(started(module, *words, **direct.env, **asked))
    code, said = ended(started(module, *words, **over(line, troubled), **asked))
    assert (code, troubled.env["TUNEPLANE_JOB_TOKEN"] in said) == (first[0], False), said
    assert held(api, troubled.run_id) == held(api, direct.run_id)
    rounds = [api.get(f"/api/runs/{job.run_id}/validation/rounds", limit=100)["items"] for job in (direct, troubled)]
    names = ("expected", "reported", "success", "failure", "infra_error", "unscored", "set_aside")
    counted = [[{name: one[name] for name in names} for one in found] for found in rounds]
    assert counted[0] == counted[1]


def test_two_imports_of_one_folder_at_once_leave_each_point_once(api, tmp_path):
    event_file(tmp_path, beginning(1.0), *(scalar(f"k{n % 7}", n // 7, float(n)) for n in range(35_000)))
    env = {"TUNEPLANE_SERVER": api.url, "TUNEPLANE_TOKEN": api.token}
    both = [started("tuneplane.integrations.tensorboard", tmp_path, **env) for _ in range(2)]
    ends = [ended(one) for one in both]
    assert {code for code, _ in ends} <= {0, 1}
    assert "Traceback" not in ends[0][1] + ends[1][1]
    code, said = moved(api, api.url, tmp_path)
    assert code == 0, said
    (run,) = runs_in(said)
    counts = held(api, run)
    assert (counts["points"], counts["invalid_points"]) == (35_000, 0)


def test_an_import_that_was_killed_goes_on_over_any_line(api, line, tmp_path):
    event_file(tmp_path, beginning(2.0), *(scalar("k", n, float(n)) for n in range(20_000)))
    env = {"TUNEPLANE_SERVER": line, "TUNEPLANE_TOKEN": api.token}
    killed = started("tuneplane.integrations.tensorboard", tmp_path, **env)
    until(lambda: begun(api, 2048))
    killed.send_signal(signal.SIGKILL)
    ended(killed)
    code, said = moved(api, line, tmp_path)
    assert code == 0, said
    (run,) = runs_in(said)
    assert held(api, run) == {"points": 20_000, "invalid_points": 0, "observations": 2, "set_aside": 0}


def begun(api: Api, points: int) -> bool:
    """Whether the newest job has as many points."""
    newest = api.get("/api/runs", limit=1)["items"][0]["run_id"]
    return newest.startswith("tensorboard-") and held(api, newest)["points"] >= points
