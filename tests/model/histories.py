"""Random histories of a run: repeated, corrected, rewound, restarted, projected in pieces, rebuilt at any moment."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from tuneplane.contract import validation_event_id

from tests.end_to_end.api import TS
from tests.model.answers import answers
from tests.model.model import Model, Report
from tests.model.systems import MemorySystem, PostgresSystem

_COMMON = settings(deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("quick", _COMMON, max_examples=60, stateful_step_count=30)
settings.register_profile("long", _COMMON, max_examples=2_000, stateful_step_count=60)

KEYS = ("loss", "acc")
_ATTEMPTS = 3
_few = st.integers(0, 3)
_steps = st.integers(0, 9)
_values = st.integers(-8, 8).map(lambda number: number / 4)
_column = st.lists(st.tuples(_steps, _values), max_size=4)


def _published(points: list[tuple[str, int, float]]) -> dict[str, Any]:
    return {"points": [{"key": key, "step": step, "value": value, "ts": TS} for key, step, value in points]}


def _columnar(
    sequence: int, columns: dict[str, list[tuple[int, float]]], bad: list[tuple[str, int]]
) -> dict[str, Any] | None:
    series = [
        {
            "key": key,
            "steps": [step for step, _ in rows],
            "values": [value for _, value in rows],
            "ts": [1.5] * len(rows),
            "invalid": [{"step": step, "ts": 1.5, "kind": "nan"} for name, step in bad if name == key],
        }
        for key, rows in columns.items()
    ]
    held = any(one["steps"] or one["invalid"] for one in series)
    return {"stream": "s", "sequence": sequence, "series": series} if held else None


def _log(chunks: list[str], eof: bool, number: int) -> dict[str, Any]:
    """Numbered where the number is not 0."""
    numbered = {"stream": "l", "sequence": number} if number else {}
    return {"chunks": chunks, "eof": eof, **numbered}


def _population(round_id: str, expected: int) -> dict[str, Any]:
    values = {"round_id": round_id, "expected": expected}
    return _event("validation.population", values, round_id)


def _outcome(round_id: str, trial: str, trial_attempt: int, status: str, eligible: bool) -> dict[str, Any]:
    values = {
        "round_id": round_id,
        "trial_id": trial,
        "trial_attempt": trial_attempt,
        "status": status,
        "training_eligible": eligible and status in ("success", "failure"),
    }
    return _event("validation.outcome", values, round_id, trial, trial_attempt)


def _event(name: str, values: dict[str, Any], *identity: object) -> dict[str, Any]:
    event = {"id": validation_event_id(name, *identity), "kind": "event", "name": name, "ts": TS, "values": values}
    return {"events": [event]}


_trials = st.sampled_from(["t1", "t2", "t3"])
_rounds = st.sampled_from(["r1", "r2"])
_bodies = st.one_of(
    st.tuples(
        st.just("metrics"),
        st.lists(st.tuples(st.sampled_from(KEYS), _steps, _values), min_size=1, max_size=4).map(_published),
    ),
    st.tuples(
        st.just("metrics"),
        st.builds(
            _columnar,
            st.integers(1, 4),
            st.dictionaries(st.sampled_from([*KEYS, "lr"]), _column, min_size=1, max_size=2),
            st.lists(st.tuples(st.sampled_from(KEYS), _steps), max_size=1),
        ).filter(bool),
    ),
    st.tuples(
        st.just("logs"),
        st.builds(_log, st.lists(st.sampled_from(["a", "b\n", "é\nc", "\n"]), max_size=3), st.just(value=False), _few),
    ),
    st.tuples(st.just("logs"), st.builds(_log, st.just([]), st.just(value=True), _few)),
    st.tuples(st.just("observations"), st.builds(_population, _rounds, st.integers(0, 3))),
    st.tuples(
        st.just("observations"),
        st.builds(
            _outcome,
            _rounds,
            _trials,
            st.integers(0, 2),
            st.sampled_from(["success", "failure", "infra_error", "unscored"]),
            st.booleans(),
        ),
    ),
    st.tuples(
        st.just("lifecycle"),
        st.sampled_from(["starting", "running", "succeeded", "failed"]).map(lambda one: {"event": one, "ts": TS}),
    ),
)
_verdicts = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["success", "failure", "infra_error", "unscored"]), st.booleans()),
    min_size=2,
    max_size=4,
)
"""(trial attempt, status, eligible): what retries of one trial bring, in any order."""
_reports = st.builds(lambda attempt, what: Report(attempt, *what), st.integers(0, _ATTEMPTS - 1), _bodies)


class Histories(RuleBasedStateMachine):
    """Whatever a run's jobs report, in whatever order: each answer is the model's, and so is every view."""

    def new_system(self) -> MemorySystem | PostgresSystem:
        raise NotImplementedError

    def __init__(self) -> None:
        super().__init__()
        self.system = self.new_system()
        self.model = Model()
        self.told: list[Report] = []
        self.moments: list[tuple[Any, int, dict[str, Any]]] = []

    @initialize()
    def begin(self) -> None:
        self.system.ingest.begin()
        self.restart()

    @precondition(lambda self: self.model.attempts < _ATTEMPTS)
    @rule()
    def restart(self) -> None:
        """Another execution attempt; earlier ones may go on reporting."""
        self.system.ingest.open_attempt()
        self.model.open_attempt()

    @rule(group=st.lists(_reports, min_size=1, max_size=6))
    def report(self, group: list[Report]) -> None:
        reports = [one._replace(attempt=one.attempt % self.model.attempts) for one in group]
        # What a runner says is decided on what it read: two of them at once have no order that a model could know.
        for alone, some in groupby(reports, key=lambda one: one.path == "lifecycle"):
            for together in [[one] for one in some] if alone else [list(some)]:
                for report, fate in self.system.ingest.tell(together):
                    assert fate == self.model.tell(report), report
                    self.told.append(report)

    @rule(attempt=st.integers(0, _ATTEMPTS - 1), round_id=_rounds, trial=_trials, verdicts=_verdicts)
    def retry(self, attempt: int, round_id: str, trial: str, verdicts: list[tuple[int, str, bool]]) -> None:
        self.report([Report(attempt, "observations", _outcome(round_id, trial, *one)) for one in verdicts])

    @precondition(lambda self: self.told)
    @rule(which=st.lists(st.integers(0, 1_000), min_size=1, max_size=3))
    def report_again(self, which: list[int]) -> None:
        self.report([self.told[number % len(self.told)] for number in which])

    @rule(events=st.integers(1, 9))
    def project(self, events: int) -> None:
        self.system.project(events)

    @rule()
    def remember(self) -> None:
        moment = (self.system.log.head().position, self.model.attempts, self.model.document())
        self.moments = [*self.moments[-1:], moment]

    @rule()
    def compare(self) -> None:
        self.system.catch_up()
        with self.system.views() as views:
            assert answers(views, self.system.run, self.model.attempts) == self.model.document()

    @rule(dice=st.integers(0, 1_000))
    def rebuild(self, dice: int) -> None:
        self.system.rebuild(dice)

    def teardown(self) -> None:
        if self.model.attempts:
            self.compare()
            self.rebuild(len(self.told))
            self.compare()
            for position, attempts, document in self.moments:
                with self.system.at(position) as views:
                    assert answers(views, self.system.run, attempts) == document
        self.system.close()
