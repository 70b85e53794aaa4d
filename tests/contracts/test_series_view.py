"""What every adapter of the series view promises, against a model that is a dict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection

from adapters.postgres.series.tables import Limits
from domain.events.series import Family
from domain.ids import RunId
from tests.series.model import Model, check_chart, same_summary
from tests.series.reports import RUN, Log, a_ramp, a_report, big_reports, small_reports
from tests.series.subjects import LOG, MemorySubject, PostgresSubject, add_to_log, connected

ANY_FIXTURE: dict[str, Any] = {
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    "deadline": None,
}
SMALL = Limits(events=4, points_a_series=20, idle_points_a_series=3)


@pytest.fixture(params=["memory", "postgres"])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def conn(kind: str, request: pytest.FixtureRequest) -> Iterator[Connection | None]:
    if kind == "memory":
        yield None
        return
    with connected(request.getfixturevalue("dsn")) as conn:
        yield conn


@pytest.fixture
def view(conn: Connection | None) -> Story:
    return Story(conn, SMALL)


class Story:
    """A log, the view that has taken it in, and the model."""

    def __init__(self, conn: Connection | None, limits: Limits | None = None, family: Family = "scalar") -> None:
        self.log = Log(family)
        self.conn = conn
        self.subject: MemorySubject | PostgresSubject
        if conn is None:
            self.subject = MemorySubject(family)
        else:
            conn.execute(LOG)
            self.subject = PostgresSubject(conn, family, limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if isinstance(self.subject, PostgresSubject):
            self.subject.drop()

    def tell(self, *reports, run=RUN) -> Story:
        """Each report is a batch of its own."""
        for one in reports:
            self.take_in(self.log.report(one, run))
        return self

    def take_in(self, events) -> None:
        if self.conn is not None:
            add_to_log(self.conn, events)
        self.subject.take_in(events)

    @property
    def model(self) -> Model:
        return self.log.models.setdefault(RUN, Model())

    def check(self, charts: tuple[tuple[int, int | None, int | None], ...] = ((1000, None, None),)) -> None:
        """Everything the model knows."""
        model = self.model
        if isinstance(self.subject, PostgresSubject):
            assert (self.subject.overlaps(), self.subject.miscounted()) == (0, 0)
        with self.subject.reader() as reader:
            assert reader.keys(RUN) == model.names()
            assert reader.series_count(RUN) == len(model.names())
            for attempt in (None, *model.attempts()):
                found = reader.summaries(RUN, model.names(), attempt)
                expected = [one for key in model.names() if (one := model.summary(key, attempt))]
                assert [one.key for one in found] == [one.key for one in expected]
                if attempt is not None:
                    assert reader.reported_keys(RUN, attempt) == [one.key for one in expected]
                for one, other in zip(found, expected, strict=True):
                    assert same_summary(one, other), (one, other)
                rows = [row for piece in reader.points(RUN, model.names(), attempt) for row in piece]
                assert rows == model.rows(model.names(), attempt)
            self.check_across(reader)
            for attempt in (None, *model.attempts()):
                for key in model.names():
                    for buckets, low, high in charts:
                        chart = reader.chart(RUN, key, attempt=attempt, buckets=buckets, first_step=low, last_step=high)
                        assert chart is not None
                        expected_points = model.points(key, attempt, low or 0, 2**63 - 1 if high is None else high)
                        check_chart(chart, [point for _, point in expected_points], buckets)

    def check_across(self, reader) -> None:
        """What is said of a key in all runs is what is said of it in each."""
        keys = sorted({key for model in self.log.models.values() for key in model.names()})
        assert reader.known_keys(limit=1000) == keys
        for key in keys:
            found = reader.across(key)
            told = {run: model.summary(key, None) for run, model in self.log.models.items()}
            assert found.keys() == {run for run, one in told.items() if one is not None and one.count}
            for run, one in found.items():
                values = {name: getattr(one, name) for name in one.__struct_fields__}
                expected = told[run]
                assert expected is not None
                assert same_summary(msgspec.structs.replace(expected, **values), expected)
            some = sorted(found)[:1]
            assert reader.across(key, [*some, RunId("nobody")]) == {run: found[run] for run in some}


@settings(max_examples=40, **ANY_FIXTURE)
@given(
    reports=st.lists(st.tuples(small_reports, st.booleans(), st.booleans()), max_size=14),
    limits=st.sampled_from([SMALL, Limits(events=1), Limits(events=7, points_a_series=3, idle_points_a_series=1)]),
    low=st.one_of(st.none(), st.integers(0, 200)),
    high=st.one_of(st.none(), st.integers(0, 200)),
)
def test_odd_points_are_told_as_the_model_tells_them(conn, reports, limits, low, high):
    with Story(conn, limits) as story:
        for report, idle, looked_at in reports:
            story.tell(report)
            if idle:
                story.subject.tidy()
            if looked_at:
                story.check(charts=())
        story.check(charts=((1000, None, None), (3, None, None), (5, low, high)))


@settings(max_examples=30, **ANY_FIXTURE)
@given(
    reports=st.lists(st.tuples(small_reports, st.sampled_from(["a", "b", "c"]), st.booleans()), max_size=14),
    limits=st.sampled_from([SMALL, Limits(events=1), Limits(events=7, points_a_series=3, idle_points_a_series=1)]),
)
def test_a_key_across_runs_is_told_as_each_run_tells_it(conn, reports, limits):
    with Story(conn, limits) as story:
        for report, run, idle in reports:
            story.tell(report, run=RunId(run))
            if idle:
                story.subject.tidy()
        with story.subject.reader() as reader:
            story.check_across(reader)


@settings(max_examples=12, **ANY_FIXTURE)
@given(
    reports=st.lists(st.tuples(big_reports, st.booleans()), min_size=1, max_size=12),
    limits=st.sampled_from([Limits(events=1), Limits(events=3, idle_points_a_series=1), Limits()]),
    low=st.one_of(st.none(), st.integers(0, 12_000)),
    high=st.one_of(st.none(), st.integers(0, 12_000)),
)
def test_full_chunks_are_told_as_the_model_tells_them(conn, reports, limits, low, high):
    with Story(conn, limits) as story:
        for report, idle in reports:
            story.tell(report)
            if idle:
                story.subject.tidy()
        story.check(charts=((1000, None, None), (50, low, high)))


def test_a_corrected_step_repairs_extrema_mean_last_and_count(view):
    view.tell(a_report(("loss", [(1, 5.0, 10), (2, 9.0, 20), (3, 1.0, 30)])))
    view.subject.tidy()
    view.tell(a_report(("loss", [(2, 2.0, 40), (3, 3.0, 50)])))

    with view.subject.reader() as reader:
        found = reader.summaries(RUN, ["loss"])[0]
    assert (found.count, found.min, found.max, found.last, found.last_at) == (3, 2.0, 5.0, 3.0, 50)
    assert found.mean == pytest.approx(10 / 3)


@pytest.mark.parametrize("points", [3, 4095, 4096, 5000])
def test_a_correction_of_nothing_but_the_last_step_is_no_new_step(conn, points):
    with Story(conn, Limits(events=1)) as story:
        story.tell(*(a_report(("loss", a_ramp(at, min(2048, points - at)))) for at in range(0, points, 2048)))
        story.tell(a_report(("loss", [(points - 1, 7.5, 70), (points, 8.5, 80)])))
        story.check()


@pytest.mark.parametrize("step", [0, 4095, 4096, 8191, 8192])
@pytest.mark.parametrize("limits", [Limits(events=1), Limits()])
def test_a_correction_at_the_edge_of_a_full_chunk_is_no_new_step(conn, step, limits):
    with Story(conn, limits) as story:
        story.tell(*(a_report(("loss", a_ramp(at, 2048))) for at in range(0, 3 * 4096, 2048)))
        story.tell(a_report(("loss", [(step, 7.5, 70), (8192, 6.5, 80)])))
        story.check(charts=((1000, None, None), (1000, step, step), (1000, step + 1, step + 9)))


def test_the_later_entry_of_one_batch_wins_its_step(view):
    view.tell(a_report(("loss", [(1, 1.0, 1), (1, 2.0, 2)]), ("loss", [(1, 3.0, 3)])))

    with view.subject.reader() as reader:
        assert [(row.value, row.time) for piece in reader.points(RUN, ["loss"]) for row in piece] == [(3.0, 3)]


def test_a_restart_supersedes_what_it_did_again_and_hides_nothing(view):
    view.tell(
        a_report(("loss", a_ramp(0, 100, seed=1))),
        a_report(("loss", a_ramp(50, 10, seed=2)), attempt=1),
    )
    with view.subject.reader() as reader:
        lineage = reader.summaries(RUN, ["loss"])[0]
        first = reader.summaries(RUN, ["loss"], 0)[0]
    assert (lineage.count, lineage.last_step) == (60, 59)
    assert (first.count, first.last_step) == (100, 99)
    view.check()


@pytest.mark.parametrize("first", [0, 98, 99, 100])
def test_a_restart_at_the_edge_of_what_was_done_supersedes_just_that(view, first):
    view.tell(a_report(("loss", a_ramp(0, 100, seed=1))))
    view.subject.tidy()
    view.tell(a_report(("loss", a_ramp(first, 1, seed=2)), attempt=1))
    view.check()


def test_values_near_the_largest_number_keep_a_finite_mean(view):
    huge = 1.7e308
    view.tell(a_report(("loss", [(step, huge, step) for step in range(200)])))
    view.subject.tidy()

    with view.subject.reader() as reader:
        assert reader.summaries(RUN, ["loss"])[0].mean == huge
        assert reader.chart(RUN, "loss", buckets=10).mean == [huge] * 10


def test_what_is_not_finite_is_in_no_count(view):
    view.tell(a_report(("loss", [(4, 1.0, 1)]), invalid=[("loss", 2, "nan"), ("loss", 9, "neg_inf"), ("kl", 1, "nan")]))

    with view.subject.reader() as reader:
        loss, kl = reader.summaries(RUN, ["loss", "kl"])
        assert reader.chart(RUN, "kl").step == []
    assert (loss.count, loss.invalid.nan, loss.invalid.neg_inf, loss.invalid.first_step) == (1, 1, 1, 2)
    assert (kl.count, kl.min, kl.mean, kl.last_at, kl.invalid.nan) == (0, None, None, None, 1)


def test_unknown_runs_and_keys_are_unknown(view):
    view.tell(a_report(("loss", a_ramp(0, 3))))

    with view.subject.reader() as reader:
        assert reader.chart(RUN, "nope") is None
        assert reader.chart("nope", "loss") is None
        assert reader.summaries(RUN, ["nope"]) == []
        assert reader.summaries(RUN, ["loss"], 7) == []
        assert list(reader.points(RUN, ["nope"])) == []
        assert (reader.keys("nope"), reader.series_count("nope")) == ([], 0)


@pytest.mark.parametrize("odd", ["a\0b", "\ud800"])
def test_what_no_name_can_be_is_unknown(view, odd):
    view.tell(a_report(("loss", a_ramp(0, 3))))

    with view.subject.reader() as reader:
        assert reader.chart(RUN, odd) is None
        assert reader.chart(odd, "loss") is None
        assert [one.key for one in reader.summaries(RUN, [odd, "loss"])] == ["loss"]
        assert list(reader.points(RUN, [odd])) == []
        assert (reader.keys(odd), reader.reported_keys(odd, 0), reader.series_count(odd)) == ([], [], 0)
        assert reader.keys(RUN, after=odd, q=odd) == []
        assert reader.keys(RUN, after=odd) == [key for key in ["loss"] if key > odd]


def test_keys_are_found_by_any_part_in_any_case_literally(view):
    for key in ("a%b", "axb", "LOSS", "val/Loss", "straße"):
        view.tell(a_report((key, a_ramp(0, 1))))

    with view.subject.reader() as reader:
        assert reader.keys(RUN) == ["LOSS", "a%b", "axb", "straße", "val/Loss"]
        assert reader.keys(RUN, q="loss") == ["LOSS", "val/Loss"]
        assert reader.keys(RUN, q="%") == ["a%b"]
        assert reader.keys(RUN, q="STRASSE") == ["straße"]
        assert reader.keys(RUN, after="a%b", limit=2) == ["axb", "straße"]
        assert reader.keys(RUN, q="loss", limit=1) == ["LOSS"]


def test_the_bounds_of_a_chart_are_inclusive(view):
    view.tell(a_report(("loss", a_ramp(0, 500, stride=2))))
    view.subject.tidy()
    view.tell(a_report(("loss", a_ramp(1, 10, stride=2))))

    with view.subject.reader() as reader:
        assert reader.chart(RUN, "loss", first_step=4, last_step=8).step == [4, 5, 6, 7, 8]
        assert reader.chart(RUN, "loss", first_step=5, last_step=4).step == []
        assert reader.chart(RUN, "loss", first_step=998, last_step=2**63 - 1).step == [998]


def test_runs_do_not_mix(view):
    view.tell(a_report(("loss", a_ramp(0, 30, seed=1))))
    view.tell(a_report(("kl", a_ramp(0, 40, seed=2)), ("loss", a_ramp(5, 3, seed=3))), run="run-2")
    view.subject.tidy()

    view.check()
    with view.subject.reader() as reader:
        assert reader.keys("run-2") == ["kl", "loss"]
        assert [one.count for one in reader.summaries("run-2", ["kl", "loss"])] == [40, 3]


def test_hardware_is_a_family_of_its_own(conn):
    with Story(conn, SMALL, family="hardware") as story:
        story.tell(a_report(("host/gpu.0.pct", a_ramp(1_700_000_000_000_000, 30, stride=10_000_000))))
        story.take_in([])
        story.check()
        other = Log("scalar")
        story.subject.take_in(other.report(a_report(("loss", a_ramp(0, 3)))))
        story.check()


def test_many_series_in_one_batch(view):
    for start in range(0, 12, 3):
        view.tell(a_report(*((f"k{at:03}", a_ramp(start, 3, seed=at + start)) for at in range(80))))
    view.subject.tidy()
    view.tell(a_report(*((f"k{at:03}", a_ramp(11, 3, seed=at)) for at in range(0, 80, 2))))

    with view.subject.reader() as reader:
        found = reader.summaries(RUN, view.model.names())
    assert len(found) == 80
    assert all(same_summary(one, view.model.summary(one.key, None)) for one in found)
    view.check()
