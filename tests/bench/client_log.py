"""How long `tuneplane.report.log` holds up a training loop: server up, hung and dead.

    python tests/bench/client_log.py [--url http://127.0.0.1:8420/api/ingest]

Prints microseconds for one call with 10 scalars, beside the floor: one JSON line to a buffered
file, measured in the same run. Without `--url` a small server of its own answers.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CALLS = 20_000
WORK_SECONDS = 100e-6
"""Work between two calls, done in the interpreter: a harder case than waiting for a GPU."""

SERVER = """
import http.server, sys
class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
print(server.server_port, flush=True)
server.serve_forever()
"""

LOOP = """
import json, sys, time
from tests.bench.client_log import loop
from tuneplane import report
report.init(monitor_hardware=False)
times = loop(lambda metrics, step: report.log(metrics, step=step), int(sys.argv[1]))
session = report._here.session
print(json.dumps({"times": times, "refused": session.outbox.refused_points}), flush=True)
import os
os._exit(0)
"""


def loop(call: Any, calls: int) -> list[float]:
    """Seconds of each of `calls` calls, with a little work in between."""
    metrics = {f"train/metric_{index}": 0.1 * index for index in range(10)}
    clock = time.perf_counter
    times = []
    for step in range(calls):
        metrics["train/metric_0"] = 1.0 / (step + 1)
        started = clock()
        call(metrics, step)
        ended = clock()
        times.append(ended - started)
        while clock() - ended < WORK_SECONDS:
            pass
    return times


def summary(times: list[float]) -> dict[str, float]:
    """Microseconds."""
    rising = sorted(times)
    return {
        "median_us": round(rising[len(rising) // 2] * 1e6, 2),
        "p99_us": round(rising[int(len(rising) * 0.99)] * 1e6, 2),
        "p999_us": round(rising[int(len(rising) * 0.999)] * 1e6, 2),
        "max_us": round(rising[-1] * 1e6, 1),
    }


def floor(calls: int) -> dict[str, float]:
    """One JSON line a call to a buffered file."""
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "floor").open("w") as file:
        gc.collect()
        return summary(loop(lambda metrics, step: file.write(json.dumps({"step": step, **metrics}) + "\n"), calls))


def with_endpoint(endpoint: str, calls: int, token: str = "tp_ing_bench") -> dict[str, float]:
    """`log` in a process of its own that reports to this address."""
    root = Path(__file__).resolve().parents[2]
    job = {
        "TUNEPLANE_JOB_ENABLED": "1",
        "TUNEPLANE_JOB_ENDPOINT": endpoint,
        "TUNEPLANE_JOB_RUN_ID": os.environ.get("TUNEPLANE_JOB_RUN_ID", "bench"),
        "TUNEPLANE_JOB_TOKEN": os.environ.get("TUNEPLANE_JOB_TOKEN", token),
        "PYTHONPATH": f"{root / 'sdk'}{os.pathsep}{root}",
    }
    done = subprocess.run(
        [sys.executable, "-c", LOOP, str(calls)],
        env={**os.environ, **job},
        stdout=subprocess.PIPE,
        check=True,
        timeout=120,
    )
    found = json.loads(done.stdout)
    return {**summary(found["times"]), "refused_points": found["refused"]}


@contextlib.contextmanager
def answering() -> Iterator[str]:
    """A server that takes everything, in a process of its own."""
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/api/ingest"
        finally:
            server.kill()


@contextlib.contextmanager
def hanging() -> Iterator[str]:
    """An address that accepts connections and never answers."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/api/ingest"


@contextlib.contextmanager
def dead() -> Iterator[str]:
    """An address where nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/api/ingest"


def measure(url: str | None = None, calls: int = CALLS) -> dict[str, dict[str, float]]:
    """Microseconds by state of the server; `url` is an ingest address in place of our own server."""
    found = {"floor": floor(calls)}
    with contextlib.nullcontext(url) if url else answering() as endpoint:
        found["up"] = with_endpoint(endpoint, calls)
    with hanging() as endpoint:
        found["hung"] = with_endpoint(endpoint, calls)
    with dead() as endpoint:
        found["dead"] = with_endpoint(endpoint, calls)
    for state in ("up", "hung", "dead"):
        found[state]["median_to_floor"] = round(found[state]["median_us"] / found["floor"]["median_us"], 2)
    return found


def main() -> None:
    """Prints a line for each state, then all of it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="ingest address; TUNEPLANE_JOB_RUN_ID and _TOKEN name the run")
    parser.add_argument("--calls", type=int, default=CALLS)
    args = parser.parse_args()
    found = measure(args.url, args.calls)
    for state, numbers in found.items():
        print(f"{state:6}", "  ".join(f"{name} {number:g}" for name, number in numbers.items()))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
