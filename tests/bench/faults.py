"""Acknowledged data through kill -9 of server and database, again and again."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

from tests.bench.bench import Bench
from tests.bench.table import Row, row
from tests.end_to_end.api import Api
from tests.end_to_end.installation import a_folder, a_server
from tests.faults import scenarios

_ROUNDS = 50


def measure(bench: Bench) -> Iterator[Row]:
    """The scenarios of the fault tests; each ends with their checker, which stops at the first thing that is wrong."""
    kills: dict[str, Callable[..., scenarios.Outcome]] = {
        "server": scenarios.server_killed,
        "database": scenarios.database_killed,
    }
    rounds = 3 if bench.quick else _ROUNDS
    for what, scenario in kills.items():
        with a_folder() as folder, a_server() as server:
            api = Api(server.url, server.command("token", "create", "admin").strip())
            began, wrong, note = time.perf_counter(), 0, ""
            try:
                met = scenario(server, api, folder, rounds=rounds)
                note = f"{met.acknowledged:,} acknowledged, {met.refused:,} refused, {met.unanswered:,} unanswered"
            except AssertionError as found:
                wrong, note = 1, "the checker: " + " ".join(str(found).split())[:200]
                print(found, file=sys.stderr)
        taken = f"{(time.perf_counter() - began) / rounds:.1f} s a round"
        line = f"checks failed after kill -9 of the {what}, {rounds} times"
        yield row(line, "0 lost or doubled", [wrong], "", note=f"{note}, {taken}")
