"""What a busy team's server holds after a year: 10,000 jobs, and two of them with everything there is much of."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from tuneplane.contract import trajectory_id

from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from application.event_log.settlement import as_candidate
from application.series.columns import Batch, pack
from domain.events import Event, MetricsReported
from domain.hyperparameters import report_hyperparameters
from domain.ids import RunId
from domain.lifecycle import report_lifecycle
from domain.log import report_numbered as report_log
from domain.observation import report_observation
from domain.outcome import report_outcome
from domain.placement import Placement
from domain.population import declare_population
from domain.protocol import declare_protocol
from domain.run import create_run, open_execution
from domain.series import open_series, report_numbered
from domain.trajectory import store_trajectory
from tests import factories as a
from tests.bench.stack import Stack

_AT_ONCE = 64
KEYS = ("train/loss", "eval/accuracy")
STATUSES = ("success", "failure", "infra_error", "unscored")


class Large(msgspec.Struct, frozen=True):
    """How much there is of everything."""

    jobs: int
    series: int
    trials: int
    trajectories: int
    lines: int


def fill_pages(stack: Stack, large: Large) -> tuple[RunId, RunId]:
    """Appends it all, waits for the views, and answers the two large jobs, the newest."""
    database = Database(stack.server.dsn())
    log = PostgresEventLog(database)
    try:
        requests: list[list[Placement]] = []
        for request in _everything(large):
            requests.append(request)
            if len(requests) == _AT_ONCE:
                _append(log, requests)
        _append(log, requests)
    finally:
        log.close()
        database.close()
    stack.settled()
    stack.ask("VACUUM ANALYZE")
    return RunId("large-0"), RunId("large-1")


def _append(log: PostgresEventLog, requests: list[list[Placement]]) -> None:
    log.append([[as_candidate(placement) for placement in request] for request in requests])
    requests.clear()


def _everything(large: Large) -> Iterator[list[Placement]]:
    for number in range(large.jobs):
        yield _small_job(RunId(f"small-{number}"), number)
    for number in range(2):
        yield from _large_job(RunId(f"large-{number}"), number, large)


def _small_job(run: RunId, number: int) -> list[Placement]:
    params = {"lr": 1e-5 * (number % 97), "batch": 2 ** (number % 9), "model": f"model-{number % 13}"}
    event = a.hyperparameters(run=run, params=params)
    lost = {"dropped_points": int(number % 50 == 0), "dropped_events": 0, "send_failures": 0}
    beat = a.an_observation(run=run, id="beat", kind="health", name="transport", values=lost)
    said = [report_hyperparameters(event), report_observation(beat)]
    return [*_opened(run, number), *said, *_points(run, KEYS, number, 20)]


def _large_job(run: RunId, number: int, large: Large) -> Iterator[list[Placement]]:
    yield _opened(run, number)
    keys = [f"group-{at % 40}/metric-{at}" for at in range(large.series)]
    yield _points(run, keys, number, 20)
    lines = [
        f"step {at} of {large.lines}: all is well with the gradients, or so it seems\n" for at in range(large.lines)
    ]
    for at in range(0, large.lines, 10_000):
        piece = a.a_log("".join(lines[at : at + 10_000]), run=run)
        yield [report_log(piece, "bench", at // 10_000 + 1)]
    of_round = {"run": run, "round_id": "heldout"}
    yield [declare_population(a.a_population(large.trials, **of_round)), declare_protocol(a.a_protocol(**of_round))]
    for at in range(large.trials):
        # The two jobs differ in every seventh trial.
        status = STATUSES[(at + (number if at % 7 == 0 else 0)) % 4]
        yield [report_outcome(a.an_outcome(**of_round, trial_id=f"task-{at}", status=status))]
    for at in range(large.trajectories):
        named = trajectory_id("validation", "heldout", f"task-{at}", 0)
        yield [store_trajectory(a.a_trajectory(**of_round, trial_id=f"task-{at}", trajectory_id=named))]


def _opened(run: RunId, number: int) -> list[Placement]:
    made = a.a_run(run=run, name=f"{run} on maths", owner=f"user-{number % 20}", tags=(f"team-{number % 5}",))
    opened = a.an_execution(run=run, token_id=f"token-{run}")
    return [create_run(made), open_execution(opened), report_lifecycle((), a.a_lifecycle("succeeded", run=run))]


def _points(run: RunId, keys: list[str] | tuple[str, ...], number: int, steps: int) -> list[Placement]:
    """`steps` points of each series, in one event."""
    rng = np.random.default_rng(number)
    many = len(keys)
    batch = Batch(
        numbers=np.arange(1, many + 1),
        counts=np.full(many, steps),
        steps=np.tile(np.arange(steps), many),
        times=np.tile(a.NOON + np.arange(steps) * 1_000_000, many),
        values=rng.random(many * steps),
    )
    event: Event = MetricsReported(run=run, attempt=a.FIRST, points=many * steps, columns=pack(batch))
    assert isinstance(event, MetricsReported)
    return [*open_series(run, "scalar", {}, list(keys)), report_numbered(event, "bench", 1)]
