"""The table of jobs over views in memory: what is shown, met, sorted, paged, and what it does not claim."""

import pytest

from adapters.memory.reading import MemoryReading
from application.projections.registry import PROJECTIONS
from application.queries.job_column import columns, sort
from application.queries.job_notes import MetricCell
from application.queries.job_table import Asked, JobTable
from domain.errors import Refused
from domain.ids import Micros, RunId
from tests import factories as a
from tests.queries.points import Points
from tests.queries.reports import Reports
from tests.queries.test_transport import beat

SECOND = 1_000_000


class Team:
    """Jobs by name, in the order they were made."""

    def __init__(self, reports: Reports) -> None:
        self.reports = reports
        self.table = JobTable()

    def job(self, name: str, *, attempts: int = 1, params=None, contract=None, **metrics: float) -> "Team":
        run = RunId(name)
        self.reports.of(a.a_run(run=run, name=name, owner="ada" if name < "m" else "grace", tags=(name[:1],)))
        for attempt in range(attempts):
            self.reports.of(a.an_execution(run=run, attempt=attempt, token_id=f"{name}-{attempt}"))
        if params is not None:
            self.reports.of(a.hyperparameters(run=run, params=params))
        if contract is not None:
            self.reports.of(a.a_contract(run=run, contract={"semantics": contract}))
        for key, value in metrics.items():
            self.reports.scalars.put(key, 9.0, 1.0, value, run=run)
        return self

    def asked(self, *names: str, order: str = "", where=(), page: int = 1, size: int = 50, later: int = 0, **more):
        """`later`: seconds after the last report."""
        views, now = self.reports.views, Micros(self.reports.now + later * SECOND)
        asked = Asked(columns=columns(list(names)), sort=sort(order), where=tuple(where), **more)
        return self.table.numbered(views, asked, now=now, page=page, size=size)

    def names(self, **asked) -> list[str]:
        return [row.run.name for row in self.asked(**asked).rows]


@pytest.fixture
def team(nothing: Reports) -> Team:
    return Team(nothing)


@pytest.fixture
def four(team: Team) -> Team:
    team.job("a", params={"lr": 1e-3, "model": "small"}, loss=0.5)
    team.job("b", params={"lr": 1e-5, "model": "Large"}, loss=0.25)
    team.job("c", params={"lr": "auto"})
    return team.job("z")


def test_without_a_wish_the_newest_job_comes_first(four):
    table = four.asked()
    assert [row.run.name for row in table.rows] == ["z", "c", "b", "a"]
    assert (table.met, table.jobs, table.first) == (4, 4, 0)


def test_what_was_read_ahead_is_not_read_again(four, monkeypatch):
    four.table.read_ahead(four.reports.views)
    monkeypatch.delattr(Points, "across")
    row = four.asked("last:loss", where=["name = a"]).rows[0]
    assert [cell.value for cell in row.cells] == [0.5]


def test_columns_are_facts_hyperparameters_and_statistics_of_series(four):
    (row,) = four.asked("owner", "tags", "config:lr", "last:loss", "max:loss", "min:loss", where=["name = a"]).rows
    assert row.cells[:3] == ["ada", ("a",), 1e-3]
    values = [cell.value for cell in row.cells[3:] if isinstance(cell, MetricCell)]
    assert values == [0.5, 9.0, 0.5]


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("last:loss", ["b", "a", "z", "c"]),
        ("-last:loss", ["a", "b", "z", "c"]),
        ("config:lr", ["b", "a", "c", "z"]),
        ("-config:lr", ["c", "a", "b", "z"]),
        ("config:model", ["b", "a", "z", "c"]),
        ("-config:model", ["a", "b", "z", "c"]),
        ("name", ["a", "b", "c", "z"]),
        ("owner", ["c", "b", "a", "z"]),
        ("-owner", ["z", "c", "b", "a"]),
        ("created", ["a", "b", "c", "z"]),
        ("started", ["z", "c", "b", "a"]),
    ],
)
def test_what_is_unknown_is_last_both_ways_and_equals_stay_newest_first(four, order, names):
    assert four.names(order=order) == names


@pytest.mark.parametrize(
    ("where", "names"),
    [
        (["lr < 1e-4"], ["b"]),
        (["lr <= 1e-5"], ["b"]),
        (["lr < 1e-5"], []),
        (["lr>1e-5"], ["a"]),
        (["lr = auto"], ["c"]),
        (["lr = 0.001"], ["a"]),
        (["lr != 0.001"], ["c", "b"]),
        (["lr = unknown"], ["z"]),
        (["lr != unknown"], ["c", "b", "a"]),
        (["loss >= 0.25"], ["b", "a"]),
        (["loss > 0.25"], ["a"]),
        (["max:loss > 8", "lr > 1e-4"], ["a"]),
        (["config:loss > 0"], []),
        (["model = large"], []),
        (["model ~ LARGE"], ["b"]),
        (["tags = z"], ["z"]),
        (["owner != ada"], ["z"]),
        (["status = created"], ["z", "c", "b", "a"]),
        (["nobody = 1"], []),
        (['"loss" > 0.3'], ["a"]),
        (['lr = "0.001"'], ["a"]),
    ],
)
def test_conditions_are_met_by_what_is_known(four, where, names):
    assert four.names(where=where) == names


def test_a_name_that_nobody_knows_is_named(four):
    assert four.asked(where=["nobody = 1", "lr > 0"]).nobody_knows == ["nobody"]


def test_a_name_is_a_hyperparameter_before_it_is_a_series(team):
    team.job("both", params={"x": 1}, x=5.0).job("series", x=5.0)
    assert [str(column) for _, column in team.asked(where=["x > 0"]).conditions] == ["config:x"]
    assert team.names(where=["x > 0"]) == ["both"]
    assert team.names(where=["last:x > 0"]) == ["series", "both"]


@pytest.mark.parametrize(
    "where", ["lr", "lr <", "< 3", "lr < high", "status > created", "heard > soon", "duration < long", "last: > 3"]
)
def test_what_cannot_be_understood_is_refused(four, where):
    with pytest.raises(Refused):
        four.asked(where=[where])


def test_filters_are_met_together(four):
    assert four.names(q="A") == ["a"]
    assert four.names(owner="ada") == ["c", "b", "a"]
    assert four.names(owner="ada", tag="b") == ["b"]
    assert four.names(owner="ada", status="running") == []


def test_pages_are_cut_from_the_whole_order(four):
    table = four.asked(order="last:loss", page=2, size=3)
    assert [row.run.name for row in table.rows] == ["c"]
    assert (table.first, table.met) == (3, 4)


@pytest.mark.parametrize("order", ["", "last:loss", "-last:loss", "-config:lr", "owner", "-name", "started"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_behind_each_cursor_the_same_order_goes_on(four, order, size):
    asked = Asked(columns=(), sort=sort(order))
    found, cursor = [], None
    for _ in range(4):
        part = four.table.behind(four.reports.views, asked, now=four.reports.now, cursor=cursor, limit=size)
        found += [row.run.name for row in part.rows]
        cursor = part.next_cursor
        if cursor is None:
            break
    assert found == four.names(order=order)


def test_a_cursor_of_another_order_is_refused(four):
    views, now = four.reports.views, four.reports.now
    first = four.table.behind(views, Asked(sort=sort("name")), now=now, cursor=None, limit=1)
    with pytest.raises(Refused):
        four.table.behind(views, Asked(sort=sort("-name")), now=now, cursor=first.next_cursor, limit=1)


def test_what_is_reported_later_is_seen_at_once(four):
    assert four.names(where=["lr < 1e-4"]) == ["b"]
    assert four.names(where=["status = running"]) == []
    four.reports.of(a.hyperparameters(run=RunId("z"), params={"lr": 0}))
    four.reports.of(a.a_lifecycle("running", run=RunId("z")))
    four.job("y", params={"lr": 0})
    assert four.names(where=["lr < 1e-4"]) == ["y", "z", "b"]
    assert four.names(where=["status = running"]) == ["z"]


def test_a_metric_is_renewed_for_the_jobs_that_reported(four):
    assert four.names(order="-last:loss", where=["loss != unknown"]) == ["a", "b"]
    four.reports.scalars.put("loss", 7.0, run=RunId("c"))
    four.reports.of(a.a_log("x\n", run=RunId("c")))
    assert four.names(order="-last:loss", where=["loss != unknown"]) == ["c", "a", "b"]


def test_the_configuration_is_the_latest_attempts(four):
    four.reports.of(a.an_execution(run=RunId("a"), attempt=1, token_id="again"))
    assert four.names(where=["lr > 1e-4"]) == []
    four.reports.of(a.hyperparameters(run=RunId("a"), attempt=1, params={"lr": 5}))
    assert four.names(where=["lr > 1e-4"]) == ["a"]


def test_views_that_are_behind_what_is_kept_take_nothing_back(four, monkeypatch):
    no_series = MemoryReading(four.reports.log, PROJECTIONS, scalars=Points, hardware=Points)
    with no_series.now() as behind:
        pass
    four.reports.of(a.a_lifecycle("running", run=RunId("z")))
    assert four.names(where=["status = running"]) == ["z"]
    # PostgreSQL's log may be ahead of the views in one snapshot.
    monkeypatch.setattr(behind, "changed", lambda *_: {RunId("z")})
    asked = Asked(where=("status = running",))
    assert four.table.numbered(behind, asked, now=four.reports.now, page=1, size=9).met == 1


def test_what_a_later_snapshot_took_away_is_unknown(team):
    team.job("a", params={"opt": {"eps": 1}})
    assert team.names(where=["opt.eps != unknown"]) == ["a"]
    team.reports.of(a.hyperparameters(run=RunId("a"), params={"opt": {"lr": 2}}))
    assert team.names(where=["opt.eps = unknown", "opt.lr = 2"]) == ["a"]


def test_duration_runs_on_until_the_job_ends(team):
    team.job("done").job("going").job("idle")
    for name, ends in (("done", True), ("going", False)):
        team.reports.of(a.a_lifecycle("running", run=RunId(name)))
        if ends:
            team.reports.of(a.a_lifecycle("succeeded", run=RunId(name)))
    rows = {row.run.name: row.cells[0] for row in team.asked("duration").rows}
    assert rows == {"done": SECOND, "going": 0, "idle": None}
    assert team.names(where=["duration >= 1s"]) == ["done"]
    assert team.names(where=["duration > 1s"]) == []
    team.reports.of(a.a_log("x", run=RunId("idle")))
    assert team.names(where=["duration > 0.5s"]) == ["going", "done"]


def test_the_duration_of_a_silent_job_ends_where_it_was_last_heard(team):
    team.job("silent").job("waits")
    team.reports.of(a.a_lifecycle("running", run=RunId("silent")), a.a_log("x", run=RunId("silent")))
    seen = {later: team.asked("duration", where=["name = silent"], later=later).rows[0] for later in (59, 60, 7200)}
    assert {later: row.cells for later, row in seen.items()} == {59: [60 * SECOND], 60: [SECOND], 7200: [SECOND]}
    assert [row.run.silent_since is not None for row in seen.values()] == [False, True, True]


def test_transport_health_is_ok_or_lossy_and_otherwise_unknown(team):
    team.job("loses").job("quiet").job("well")
    beats = [("loses", 0, "t"), ("loses", 0, "u"), ("well", 0, "t"), ("well", 0, "u")]
    team.reports.of(*(beat(0, dropped, f"{run}-{stream}", run=RunId(run)) for run, dropped, stream in beats))

    def told(**more):
        return {row.run.name: row.cells[0] for row in team.asked("transport", **more).rows}

    assert told() == {"loses": "ok", "quiet": None, "well": "ok"}
    team.reports.of(beat(1, 7, "loses-t", run=RunId("loses")))
    assert told() == {"loses": "lossy", "quiet": None, "well": "ok"}
    assert told(later=60) == {"loses": "lossy", "quiet": None, "well": None}
    assert team.names(where=["transport = lossy"]) == ["loses"]
    assert team.names(where=["transport = unknown"]) == ["quiet"]
    assert team.names(order="transport")[0] == "loses"
    team.reports.of(beat(2, 0, "loses-t", run=RunId("loses")))
    assert told()["loses"] == "ok"  # the latest words of each reporter count, and no earlier ones


def test_times_are_compared_as_utc(four):
    created = four.asked(where=["name = a"]).rows[0].run.created_at
    assert four.names(where=[f"created <= {created}"]) == ["a"]
    assert four.names(where=[f"created < {created[:-1]}"]) == []
    assert four.names(where=["created > 2000-01-01"]) == ["z", "c", "b", "a"]
    assert four.names(where=["started > 2000-01-01"]) == []


ACC = {"acc": {"comparison_id": "suite-1", "display": "ratio"}}


@pytest.mark.parametrize(
    ("contracts", "verdict", "without", "identities"),
    [
        ([ACC, ACC], "same", 0, 1),
        ([ACC, {"acc": {"comparison_id": "suite-2"}}], "different", 0, 2),
        ([ACC, {"acc": {"display": "ratio"}}], "absent", 1, 1),
        ([ACC, None], "absent", 1, 1),
        ([None, None], "absent", 2, 0),
    ],
)
def test_what_the_shown_jobs_assert_of_their_comparison_is_told(team, contracts, verdict, without, identities):
    for at, contract in enumerate(contracts):
        team.job(f"job {at}", contract=contract, acc=0.5)
    team.job("no value", contract=ACC)
    (note,) = team.asked("last:acc").notes
    assert (note.comparison, note.jobs, note.without_identity, note.identities) == (verdict, 2, without, identities)


def test_one_job_alone_compares_nothing(team):
    assert team.job("one", acc=0.5).asked("last:acc").notes == []


def test_a_metric_comes_with_what_its_job_says_of_it(team):
    (row,) = team.job("one", contract=ACC, acc=0.5).asked("last:acc", "last:loss").rows
    assert row.cells == [MetricCell(value=0.5, descriptor={**ACC["acc"]}), MetricCell(value=None, descriptor=None)]


def test_keys_to_choose_from_are_those_that_any_job_reported(four):
    def found(q: str, limit: int = 9):
        return four.table.known_keys(four.reports.views, q, limit)

    assert found("") == (["lr", "model"], ["loss"])
    assert found("L") == (["lr", "model"], ["loss"])
    assert found("lo") == ([], ["loss"])
    assert found("", 1) == (["lr"], ["loss"])
    four.job("later", params={"alpha": 1}, kl=0.5)
    assert found("") == (["alpha", "lr", "model"], ["kl", "loss"])
    for number in range(17):
        four.job(f"many {number}", params={f"n{number}": 1})
    assert len(found("n", 99)[0]) == 17


@pytest.mark.parametrize("name", ["", "nothing", "config:", "last", "median:loss", "-status", "last:" + "k" * 1025])
def test_what_is_no_column_is_refused(name):
    with pytest.raises(Refused):
        columns([name])


def test_too_many_columns_are_refused():
    assert len(columns([f"config:{n}" for n in range(32)])) == 32
    with pytest.raises(Refused):
        columns([f"config:{n}" for n in range(33)])
