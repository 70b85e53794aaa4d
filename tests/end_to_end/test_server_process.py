"""The server as a process: it starts, announces itself, stops in order, and takes its projector with it."""

import os
import signal
import threading
import time

import pytest

from tests.end_to_end.server_process import alive, children, command, serving

POINT = {"key": "a", "value": 1.0, "ts": "2026-01-01T00:00:00Z"}


@pytest.fixture
def token(dsn):
    def create() -> str:
        made = command("token", "create", "admin", TUNEPLANE_DATABASE_URL=dsn)
        assert made.returncode == 0, made.stderr
        return made.stdout.strip()

    return create


def test_a_fresh_database_gets_an_admin_whose_password_is_printed_once(dsn, tmp_path):
    with serving(dsn, tmp_path) as server:
        assert server.until(server.password)
        assert f"http://127.0.0.1:{server.port}" in server.said()
        assert server.stop() == 0
    (tmp_path / "output").unlink()
    with serving(dsn, tmp_path) as server:
        assert server.password() is None


def test_a_stop_answers_what_is_in_flight_and_ends_streams(dsn, tmp_path, token):
    """F10: SIGTERM with a live stream and posts in flight; acknowledged is stored, and nothing is stored twice."""
    with serving(dsn, tmp_path) as server:
        program = token()
        run = server.call("POST", "/api/runs", {"name": "r"}, program)[1]["run_id"]
        opened = server.call("POST", f"/api/runs/{run}/executions", {}, program)[1]
        position = opened["position"]
        server.until(lambda: server.call("GET", f"/api/runs/{run}?min_position={position}", None, program)[0] == 200)
        stream = server.connect()
        stream.request("GET", f"/api/runs/{run}/live", headers={"Authorization": f"Bearer {program}"})
        live = stream.getresponse()
        assert live.status == 200
        acknowledged, stopped = [], threading.Event()

        def post(worker: int) -> None:
            step = 0
            while not stopped.is_set():
                step += 1
                body = {"run_id": run, "points": [{**POINT, "key": f"k{worker}", "step": step}]}
                try:
                    status, _ = server.call("POST", "/api/ingest/metrics", body, opened["token"])
                except (OSError, ValueError):
                    return  # no answer: nothing was acknowledged
                if status == 200:
                    acknowledged.append((worker, step))

        workers = [threading.Thread(target=post, args=(number,)) for number in range(8)]
        for worker in workers:
            worker.start()
        server.until(lambda: len(acknowledged) > 50)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(10) == 0
        live.read()
        stream.close()
        stopped.set()
        for worker in workers:
            worker.join()
    with serving(dsn, tmp_path) as server:
        head = server.call("GET", "/readyz")[1]["position"]
        path = f"/api/runs/{run}/series?limit=1000&min_position={head}"
        counts = {item["key"]: item["count"] for item in server.call("GET", path, None, program)[1]["items"]}
    for number in range(8):
        sent = max((step for one, step in acknowledged if one == number), default=0)
        assert sent <= counts.get(f"k{number}", 0) <= sent + 1


def the_projector(server):
    (child,) = server.until(lambda: children(server.process.pid))
    return child


def test_a_projector_that_dies_is_started_again(dsn, tmp_path):
    with serving(dsn, tmp_path) as server:
        first = the_projector(server)
        os.kill(first, signal.SIGKILL)
        second = server.until(lambda: [pid for pid in children(server.process.pid) if pid != first and alive(pid)])
        assert second
        assert server.stop() == 0
        assert not alive(second[0])


def test_a_projector_dies_with_a_server_that_was_killed(dsn, tmp_path):
    with serving(dsn, tmp_path) as server:
        child = the_projector(server)
        server.process.kill()
        server.process.wait()
        end = time.monotonic() + 30
        while alive(child):
            assert time.monotonic() < end
            time.sleep(0.05)


def test_without_a_projector_there_is_none(dsn, tmp_path):
    with serving(dsn, tmp_path, "--no-projector") as server:
        assert children(server.process.pid) == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--host", "0.0.0.0"], "--tls-cert"),
        (["--host", "192.0.2.1"], "--behind-proxy"),
        (["--tls-cert", "/nothing"], "come together"),
        (["--tls-cert", "/nothing", "--tls-key", "/nothing"], "is not there"),
        (["--port", "70000"], "65,535"),
    ],
)
def test_what_is_not_safe_or_not_there_is_refused_with_what_to_do(arguments, says):
    done = command("serve", *arguments, TUNEPLANE_DATABASE_URL="unused")
    assert done.returncode == 1
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_that_is_away_is_said_plainly():
    done = command("migrate", TUNEPLANE_DATABASE_URL="host=/nothing dbname=none connect_timeout=1")
    assert done.returncode == 1
    assert "TUNEPLANE_DATABASE_URL" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_taken_port_is_said_plainly(dsn, tmp_path):
    with serving(dsn, tmp_path) as server:
        done = command("serve", "--port", str(server.port), TUNEPLANE_DATABASE_URL=dsn)
    assert done.returncode == 1
    assert str(server.port) in done.stderr
    assert "Traceback" not in done.stderr
