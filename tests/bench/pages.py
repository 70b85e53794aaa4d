"""Every page of the console over HTTP, with 10,000 jobs, 4,096 series and 10,000 trials behind them."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator, Mapping
from urllib.parse import quote, urlencode

from tests.bench.bench import Bench
from tests.bench.load import Connection, latencies
from tests.bench.stack import Stack
from tests.bench.table import Row, number, row

_OPENED = 40
"""Times each page is opened in one repeat."""


def measure(bench: Bench) -> Iterator[Row]:
    """The p95 of each page."""
    stack, left, right = bench.large()
    session = signed_in(stack, "reader")
    for name, path in pages(left, right).items():
        taken = [latencies(_opened(stack, path, session)) for _ in range(bench.repeats)]
        size = len(Connection(stack.port).get(path, session=session))
        note = f"median {number(taken[0].median)} ms, {size / 1e3:.0f} kB"
        yield row(f"page {name}: p95", "<= 50 ms", [one.p95 for one in taken], "ms", note=note)


def pages(left: str, right: str) -> Mapping[str, str]:
    """By name; `left` is the job that is looked at."""
    job = f"/runs/{left}"
    rounds = {"left": f"{left}:heldout", "right": f"{right}:heldout"}
    columns = [("column", "config:lr"), ("column", "last:eval/accuracy"), ("column", "max:train/loss")]
    conditions = [("where", "lr < 5e-4"), ("where", "eval/accuracy >= 0.5"), ("sort", "-last:train/loss")]
    return {
        "jobs": "/",
        "jobs, searched": "/?q=small-99",
        "jobs, with columns": f"/?{urlencode(columns)}",
        "jobs, sorted by name": "/?sort=name",
        "jobs, sorted by a hyperparameter": "/?sort=config:lr",
        "jobs, sorted by transport": "/?sort=transport&column=transport",
        "jobs, sorted and filtered by series": f"/?{urlencode(columns + conditions)}",
        "columns of jobs": "/jobs/columns?find=metric",
        "charts": job,
        "series list": f"/api/runs/{left}/series?limit=1000",
        "logs": f"{job}/logs",
        "validation": f"{job}/validation",
        "trials": f"{job}/validation?round_id=heldout",
        "failed trials": f"{job}/validation?round_id=heldout&status=failure",
        "trajectories": f"{job}/trajectories",
        "config": f"{job}/config",
        "hardware": f"{job}/hardware",
        "artifacts": f"{job}/artifacts",
        "benchmarks": f"{job}/benchmarks",
        "history": f"{job}/history",
        "history, latest first": f"{job}/history?order=latest",
        "review": f"/review?left={left}&right={right}",
        "review of rounds": f"/review/rounds?{urlencode(rounds, quote_via=quote)}",
        "shares": "/shares",
        "people": "/people",
        "account": "/account",
    }


def _opened(stack: Stack, path: str, session: str) -> list[float]:
    """Seconds of each time."""
    connection = Connection(stack.port)
    connection.get(path, session=session)
    taken = []
    for _ in range(_OPENED):
        began = time.perf_counter()
        connection.get(path, session=session)
        taken.append(time.perf_counter() - began)
    connection.close()
    return taken


def signed_in(stack: Stack, name: str) -> str:
    """The cookie of a session of a new administrator."""
    password = stack.server.command("user", "create", name, "--role", "admin").split()[-1]
    connection = http.client.HTTPConnection("127.0.0.1", stack.port)
    form = urlencode({"name": name, "password": password})
    connection.request("POST", "/login", form, {"Content-Type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    assert answer.status == 303, answer.read()
    cookie = answer.headers["Set-Cookie"].partition(";")[0]
    connection.close()
    return cookie
