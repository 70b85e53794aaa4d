"""Whatever is accepted comes back from the log as it was sent: decode, store and read together change nothing."""

import json
import math
from contextlib import closing
from datetime import datetime, timedelta, timezone

import msgspec
import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.conninfo import make_conninfo

from adapters.memory.event_log import MemoryEventLog
from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from adapters.postgres.migrations.runner import migrate
from application.commands.report_metrics import ReportMetrics
from application.event_log.settlement import as_candidate
from application.ports.event_log import Placed
from application.series.columns import unpack
from application.series.numbers import SeriesNumbers
from domain.errors import DomainFault
from domain.events import MetricsReported, SeriesOpened, decode
from domain.ids import Attempt, RunId
from entrypoints.http.ingest.source import Source
from entrypoints.http.ingest.wire import hparams, logs, metrics, observations, validation
from tests.http.test_ingest_observations import an_event

MICROS = 1_000_000
numbers = st.floats(allow_nan=False, allow_infinity=False)
steps = st.integers(0, 2**63 - 1)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40)
integers = st.integers(-(2**63), 2**63 - 1)
values = st.recursive(
    st.none() | st.booleans() | integers | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
times = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=zones)  # noqa: DTZ001 - zones are drawn
seconds = st.integers(-62_135_596_800, 253_402_300_799)


@st.composite
def columns(draw):
    keys = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    series = []
    for key in keys:
        count = draw(st.integers(0, 20))
        take = lambda of, n=count: draw(st.lists(of, min_size=n, max_size=n))  # noqa: E731
        series.append({"key": key, "steps": take(steps), "values": take(numbers), "ts": take(seconds.map(float))})
    series[0]["invalid"] = [
        {"step": draw(steps), "ts": 1.5, "kind": draw(st.sampled_from(["nan", "pos_inf", "neg_inf"]))}
    ]
    return series


@pytest.fixture(scope="module", params=["memory", "postgres"])
def log(request):
    if request.param == "memory":
        yield MemoryEventLog()
        return
    dsn = request.getfixturevalue("module_dsn")
    migrate(dsn)
    with closing(Database(dsn)) as database, closing(PostgresEventLog(database)) as made:
        yield made


@pytest.fixture(scope="module")
def module_dsn(postgres):
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS round_trip")
        connection.execute("CREATE DATABASE round_trip")
        yield make_conninfo(postgres, dbname="round_trip")
        connection.execute("DROP DATABASE round_trip WITH (FORCE)")


runs = iter(range(10**9))


def a_source():
    return Source(RunId(f"run-{next(runs)}"), Attempt(0))


def stored(log, placements):
    """What the log gives back for events that were appended."""
    (answer,) = log.append([[as_candidate(one) for one in placements]])
    assert not isinstance(answer, DomainFault)
    positions = [placed.position for placed in answer if isinstance(placed, Placed)]
    return [decode(one.tag, one.payload) for one in log.at(positions) if one.payload is not None]


def told(log, raw, source, *, packed):
    report = metrics.report_of(raw, source, packed=packed)
    events = stored(log, ReportMetrics(log, SeriesNumbers()).with_new_series(report))
    keys = {event.number: event.key for event in events if isinstance(event, SeriesOpened)}
    (event,) = (one for one in events if isinstance(one, MetricsReported))
    batch = unpack(event.columns)
    named = [keys[number] for number in batch.numbers.tolist()]
    series = [key for key, count in zip(named, batch.counts.tolist(), strict=True) for _ in range(count)]
    found = list(zip(series, batch.steps.tolist(), batch.values.tolist(), batch.times.tolist(), strict=True))
    return found, [(keys[one.number], one.step, one.kind, one.time) for one in event.invalid]


def exactly(points):
    """Told apart down to the sign of zero."""
    return [(key, step, value, math.copysign(1, value), time) for key, step, value, time in points]


bounded = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("packed", [False, True])
@bounded
@given(series=columns())
def test_columns_come_back_as_they_were_sent(log, packed, series):
    source = a_source()
    body = {"run_id": source.run, "stream": "s", "sequence": 1, "series": series}
    raw = msgspec.msgpack.encode(body) if packed else json.dumps(body).encode()
    found, invalid = told(log, raw, source, packed=packed)
    sent = [
        (one["key"], step, value, round(at * MICROS))
        for one in series
        for step, value, at in zip(one["steps"], one["values"], one["ts"], strict=True)
    ]
    assert exactly(found) == exactly(sent)
    assert invalid == [(series[0]["key"], one["step"], one["kind"], 1_500_000) for one in series[0]["invalid"]]


@pytest.mark.parametrize("packed", [False, True])
@bounded
@given(points=st.lists(st.tuples(names, steps, numbers, times), min_size=1, max_size=40))
def test_points_come_back_as_they_were_sent(log, packed, points):
    source = a_source()
    sent = [{"key": key, "step": step, "value": value, "ts": at.isoformat()} for key, step, value, at in points]
    body = {"run_id": source.run, "points": sent}
    raw = msgspec.msgpack.encode(body) if packed else json.dumps(body).encode()
    found, _ = told(log, raw, source, packed=packed)
    expected = [(key, step, value, micros(at)) for key, step, value, at in points]
    assert sorted(exactly(found)) == sorted(exactly(expected))
    for key in {key for key, *_ in points}:
        assert [one for one in found if one[0] == key] == [one for one in expected if one[0] == key]


def micros(at):
    """By another road than the code under test: the calendar's own timestamp, in whole seconds."""
    whole = at.replace(microsecond=0)
    return round(whole.timestamp()) * MICROS + at.microsecond


@pytest.mark.parametrize("packed", [False, True])
@bounded
@given(params=st.dictionaries(names, values, max_size=6))
def test_free_form_values_come_back_as_they_were_sent(log, packed, params):
    source = a_source()
    body = {"run_id": source.run, "params": params}
    raw = msgspec.msgpack.encode(body) if packed else json.dumps(body).encode()
    (event,) = stored(log, hparams.placements(hparams.BODY.decode(raw, source, packed=packed), source))
    assert json.dumps(event.params, sort_keys=True) == json.dumps(params, sort_keys=True)


@bounded
@given(pieces=st.lists(texts, max_size=6), eof=st.booleans())
def test_log_pieces_come_back_as_they_were_sent(log, pieces, eof):
    source = a_source()
    raw = json.dumps({"run_id": source.run, "chunks": pieces, "eof": eof}).encode()
    (event,) = stored(log, logs.placements(logs.BODY.decode(raw, source, packed=False), source))
    assert (list(event.pieces), event.eof) == (pieces, eof)


@bounded
@given(said=st.dictionaries(names, st.booleans() | integers | numbers | texts, max_size=8), step=st.none() | steps)
def test_observations_come_back_as_they_were_sent(log, said, step):
    source = a_source()
    raw = json.dumps({"run_id": source.run, "events": [an_event(values=said, step=step)]}).encode()
    (event,) = stored(
        log, observations.observed(observations.BODY.decode(raw, source, packed=False), source).placements
    )
    assert json.dumps([event.values, event.step]) == json.dumps([said, step])


@bounded
@given(user=texts, reward=st.none() | numbers, extra=st.dictionaries(names, values, max_size=3))
def test_samples_come_back_as_they_were_sent(log, user, reward, extra):
    source = a_source()
    sample = {"idx": 0, "user": user, "assistant": user[::-1], "reward": reward, "extra": extra}
    raw = json.dumps({"run_id": source.run, "step": 1, "samples": [sample]}).encode()
    (event,) = stored(log, validation.placements(validation.BODY.decode(raw, source, packed=False), source))
    (found,) = event.samples
    assert json.dumps([found.user, found.assistant, found.reward, found.extra], sort_keys=True) == json.dumps(
        [user, user[::-1], reward, extra], sort_keys=True
    )
