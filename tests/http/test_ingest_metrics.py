"""Scalar points over HTTP: both shapes, their limits, and what is refused."""

import math
import struct

import msgspec
import numpy as np
import pytest

from application.series.columns import unpack
from domain.events import MetricsReported, SeriesOpened

TS = "2026-01-01T00:00:00Z"
NOON = 1_767_225_600_000_000


def point(**changes):
    return {"key": "loss", "step": 1, "value": 0.5, "ts": TS, **changes}


def a_series(**changes):
    return {"key": "loss", "steps": [1, 2], "values": [0.5, 0.25], "ts": [1.5, 2.5], **changes}


def batch_of(events):
    (event,) = [one for one in events if isinstance(one, MetricsReported)]
    return event, unpack(event.columns)


def refusal(answer, status=422):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == status
    assert body["detail"]
    return body


def fault(answer):
    (only,) = refusal(answer)["errors"]
    return only


def test_points_are_sorted_by_series_and_keep_their_order(job, stored):
    sent = [
        point(),
        point(key="acc", step=7, value=-0.0),
        point(step=2, value=5e-324, ts="2026-01-01T01:00:00.25+01:00"),
    ]
    answer = job.post("metrics", points=sent)
    head = job.server.container.event_log().head()
    assert answer.json() == {"position": head.position, "accepted": 3, "duplicates": 0, "set_aside": 0}
    events = stored()
    assert [event.key for event in events if isinstance(event, SeriesOpened)] == ["loss", "acc"]
    event, batch = batch_of(events)
    assert event.points == 3
    assert (batch.numbers.tolist(), batch.counts.tolist(), batch.steps.tolist()) == ([1, 2], [2, 1], [1, 2, 7])
    assert batch.times.tolist() == [NOON, NOON + 250_000, NOON]
    assert [math.copysign(1, value) * value for value in batch.values] == [0.5, 5e-324, 0.0]
    assert math.copysign(1, batch.values[2]) == -1


def test_the_answer_repeats_position_and_head(job):
    answer = job.post("metrics", points=[point()])
    head = job.server.container.event_log().head()
    assert answer.headers["x-tuneplane-position"] == str(answer.json()["position"]) == str(head.position)
    assert answer.headers["x-tuneplane-head"] == head.hash.hex()


def test_the_same_body_again_is_a_duplicate_and_stores_nothing(job, stored):
    for counts in ((1, 0), (0, 1)):
        answer = job.post("metrics", points=[point()])
        assert (answer.json()["accepted"], answer.json()["duplicates"]) == counts
    assert len(stored()) == 2


def test_a_point_without_a_time_gets_the_time_of_receipt(job, stored):
    sent = point()
    del sent["ts"]
    job.post("metrics", points=[sent])
    assert batch_of(stored())[1].times[0] > NOON


@pytest.mark.parametrize("packed", [False, True])
def test_columns_are_stored_as_they_are(job, stored, packed):
    invalid = [{"step": 3, "ts": 3.5, "kind": "nan"}]
    sent = [a_series(), a_series(key="acc", steps=[9], values=[1], ts=[4], invalid=invalid)]
    send = job.packed if packed else job.post
    answer = send("metrics", stream="s", sequence=1, series=sent)
    assert (answer.status_code, answer.json()["accepted"]) == (200, 4), answer.text
    event, batch = batch_of(stored())
    assert (batch.steps.tolist(), batch.values.tolist()) == ([1, 2, 9], [0.5, 0.25, 1.0])
    assert batch.times.tolist() == [1_500_000, 2_500_000, 4_000_000]
    assert [(one.step, one.kind, one.time) for one in event.invalid] == [(3, "nan", 3_500_000)]


@pytest.mark.parametrize("count", [1, 15, 16, 300, 2048])
def test_packed_columns_of_any_length_come_out_as_they_went_in(job, stored, count):
    values = [n * 0.1 - 7 for n in range(count)]
    sent = [a_series(steps=list(range(count)), values=values, ts=[1.7e9 + n for n in range(count)])]
    assert job.packed("metrics", stream="s", sequence=1, series=sent).status_code == 200
    batch = batch_of(stored())[1]
    assert (batch.steps.tolist(), batch.values.tolist()) == (list(range(count)), values)


def test_packed_columns_may_mix_integers_and_floats(job, stored):
    job.packed("metrics", stream="s", sequence=1, series=[a_series(values=[1, 0.5]), a_series(key="b", values=[2, 3])])
    assert batch_of(stored())[1].values.tolist() == [1.0, 0.5, 2.0, 3.0]


def test_packed_columns_with_another_head_are_read_all_the_same(job, stored):
    column = b"\xdd" + struct.pack(">I", 2) + b"\xcb" + struct.pack(">d", 0.5) + b"\xcb" + struct.pack(">d", 1.5)
    raw = msgspec.msgpack.encode(
        {
            "run_id": job.run_id,
            "stream": "s",
            "sequence": 1,
            "series": [{"key": "a", "steps": [1, 2], "values": msgspec.Raw(column), "ts": [1.0, 2.0]}],
        }
    )
    assert job.send("metrics", raw, "application/msgpack").status_code == 200
    assert batch_of(stored())[1].values.tolist() == [0.5, 1.5]


def test_columns_whose_lengths_are_swapped_between_series_are_refused(job, stored):
    sent = [a_series(steps=[1], ts=[1.0]), a_series(key="b", steps=[1, 2, 3], ts=[1.0, 2.0, 3.0])]
    refusal(job.packed("metrics", stream="s", sequence=1, series=sent))
    assert stored() == []


def test_a_numbered_batch_sent_again_is_one_event_and_other_content_is_set_aside(job):
    fates = []
    for value in (1.0, 1.0, 2.0):
        answer = job.post("metrics", stream="s", sequence=4, series=[a_series(values=[value, value])]).json()
        fates.append([name for name in ("accepted", "duplicates", "set_aside") if answer[name]])
    assert fates == [["accepted"], ["duplicates"], ["set_aside"]]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"key": ""}, "points[1].key"),
        ({"key": "k" * 513}, "points[1].key"),
        ({"key": "a\0b"}, "points[1].key"),
        ({"key": "a\nb"}, "points[1].key"),
        ({"step": -1}, "points[1].step"),
        ({"step": 2**63}, "points[1].step"),
        ({"step": 10**400}, "points[1].step"),
        ({"step": 1.5}, "points[1].step"),
        ({"step": True}, "points[1].step"),
        ({"step": "1"}, "points[1].step"),
        ({"value": True}, "points[1].value"),
        ({"value": "1"}, "points[1].value"),
        ({"value": None}, "points[1].value"),
        ({"ts": "2026-01-01T00:00:00"}, "points[1].ts"),
        ({"ts": "2026-W01-1T00:00:00Z"}, "points[1].ts"),
        ({"ts": "2026-001T00:00:00Z"}, "points[1].ts"),
        ({"ts": "20260101T000000Z"}, "points[1].ts"),
        ({"ts": "2026-02-30T00:00:00Z"}, "points[1].ts"),
        ({"ts": "2026-01-01T00:00:00+99:99"}, "points[1].ts"),
        ({"ts": "٢٠٢٦-01-01T00:00:00Z"}, "points[1].ts"),
        ({"ts": ""}, "points[1].ts"),
        ({"ts": 5}, "points[1].ts"),
    ],
)
def test_one_bad_point_refuses_the_batch_and_is_named(job, stored, changes, path):
    assert fault(job.post("metrics", points=[point(), point(**changes)]))["path"] == path
    assert stored() == []
    assert job.post("metrics", points=[point()]).status_code == 200


@pytest.mark.parametrize(
    "value", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" + "0" * 400, "01", "0x1", "1_0", ".5"]
)
def test_number_literals_that_are_no_finite_number_are_refused(job, stored, value):
    raw = f'{{"run_id":"{job.run_id}","points":[{{"key":"a","step":1,"value":{value},"ts":"{TS}"}}]}}'
    assert job.send("metrics", raw.encode()).status_code in {400, 422}
    assert stored() == []


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("shape", ["points", "values", "ts", "invalid"])
def test_non_finite_numbers_in_messagepack_are_refused_by_name(job, stored, value, shape):
    if shape == "points":
        answer = job.packed("metrics", points=[point(value=value)])
        assert fault(answer)["path"] == "points[0].value"
    elif shape == "invalid":
        sent = a_series(invalid=[{"step": 1, "ts": value, "kind": "nan"}])
        answer = job.packed("metrics", stream="s", sequence=1, series=[sent])
        assert fault(answer)["path"] == "series[0].invalid[0].ts"
    else:
        sent = [a_series(key="good"), a_series(**{shape: [1.0, value]})]
        answer = job.packed("metrics", stream="s", sequence=1, series=sent)
        assert fault(answer)["path"] == f"series[1].{shape}[1]"
    assert stored() == []


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"series": [a_series(steps=[1])]}, "series[0].values"),
        ({"series": [a_series(ts=[1.0])]}, "series[0].ts"),
        ({"series": [a_series(), a_series()]}, "series[1].key"),
        ({"series": [a_series(steps=[-1, 2])]}, "series[0].steps[0]"),
        ({"series": [a_series(key="")]}, "series[0].key"),
        ({"series": [a_series(ts=[1.0, 1e18])]}, "series[0].ts[1]"),
        ({"series": [a_series(values=["1", 2.0])]}, "series[0].values[0]"),
        ({"series": [a_series(values=[True, 2.0])]}, "series[0].values[0]"),
        ({"series": [a_series(invalid=[{"step": 1, "ts": 1.0, "kind": "zero"}])]}, "series[0].invalid[0].kind"),
        ({"series": []}, "series"),
        ({"series": [a_series(steps=[], values=[], ts=[])]}, "series"),
        ({"sequence": 0}, "sequence"),
        ({"sequence": 2**63}, "sequence"),
        ({"stream": "a b"}, "stream"),
        ({"stream": "a\n"}, "stream"),
        ({"stream": "s" * 129}, "stream"),
        ({"points": [point()]}, "points"),
        ({"stream": None}, "stream"),
        ({"sequence": None}, "sequence"),
        ({"attempt": 1}, "attempt"),
    ],
)
def test_wrong_columns_are_refused_by_name(job, stored, packed, changes, path):
    send = job.packed if packed else job.post
    answer = send("metrics", **{"stream": "s", "sequence": 1, "series": [a_series()], **changes})
    assert fault(answer)["path"] == path
    assert stored() == []


def test_neither_shape_is_refused(job):
    assert fault(job.post("metrics"))["path"] == "points"


@pytest.mark.parametrize(("count", "status"), [(0, 422), (2048, 200), (2049, 422)])
def test_a_batch_has_1_to_2048_points(job, stored, count, status):
    answer = job.post("metrics", points=[point(step=step) for step in range(count)])
    assert answer.status_code == status
    assert bool(stored()) == (status == 200)
    if status != 200:
        assert fault(answer)["limit"] == 2048


def test_columns_without_times_are_of_the_time_of_receipt_and_to_the_byte_the_same_report_again(job, stored):
    timeless = {"key": "loss", "steps": [1, 2], "values": [0.5, 0.25], "invalid": [{"step": 3, "kind": "nan"}]}
    first = job.post("metrics", series=[timeless]).json()
    event, batch = batch_of(stored())
    assert batch.times.min() > NOON
    assert [(one.step, one.kind) for one in event.invalid] == [(3, "nan")]
    assert event.invalid[0].time > NOON
    again = job.post("metrics", series=[timeless]).json()
    assert (first["accepted"], again["accepted"], again["duplicates"]) == (3, 0, 3)
    assert len([one for one in stored() if isinstance(one, MetricsReported)]) == 1


def test_points_and_invalid_measurements_count_together(job):
    invalid = [{"step": n, "ts": 1.0, "kind": "pos_inf"} for n in range(2047)]
    refusal(job.post("metrics", stream="s", sequence=1, series=[a_series(invalid=invalid)]))
    answer = job.post("metrics", stream="s", sequence=1, series=[a_series(invalid=invalid[1:])])
    assert answer.json()["accepted"] == 2048


def test_2048_keys_of_512_characters_are_taken(job):
    answer = job.post("metrics", points=[point(key=f"{n:0>512}") for n in range(2048)])
    assert (answer.status_code, answer.json()["accepted"]) == (200, 2048)


def test_the_4097th_series_is_refused_by_name_with_its_whole_batch(job, stored):
    for start in (0, 2048):
        assert job.post("metrics", points=[point(key=f"s/{start + n}") for n in range(2048)]).status_code == 200
    mark = len(stored())
    answer = job.post("metrics", points=[point(key="s/0", step=5), point(key="s/surplus")])
    assert "s/surplus" in fault(answer)["message"]
    assert fault(answer)["limit"] == 4096
    assert len(stored()) == mark
    assert job.post("metrics", points=[point(key="s/0", step=5)]).status_code == 200


def test_of_a_repeated_key_the_last_one_counts(job, stored):
    raw = f'{{"run_id":"{job.run_id}","points":[],"points":[{{"key":"a","key":"b","step":1,"value":2,"ts":"{TS}"}}]}}'
    assert job.send("metrics", raw.encode()).status_code == 200
    assert stored()[0].key == "b"


def test_the_last_int64_step_is_an_ordinary_step(job, stored):
    job.post("metrics", points=[point(step=2**63 - 1), point(step=3)])
    assert batch_of(stored())[1].steps.tolist() == [2**63 - 1, 3]


def test_unknown_fields_are_ignored(job):
    assert job.post("metrics", points=[point(host="a")], colour="red").status_code == 200


def test_numpy_columns_are_ordinary_float64(job, stored):
    job.packed("metrics", stream="s", sequence=1, series=[a_series()])
    assert batch_of(stored())[1].values.dtype == np.dtype("<f8")


def test_many_points_keep_the_order_they_came_in_within_each_series(job, stored):
    job.post("metrics", points=[point(key=f"k{n % 3}", step=n % 5, value=float(n)) for n in range(2048)])
    batch = batch_of(stored())[1]
    assert batch.values.tolist() == [float(n) for first in range(3) for n in range(first, 2048, 3)]


def test_packed_integers_of_eight_bytes_are_numbers_too(job, stored):
    job.packed("metrics", stream="s", sequence=1, series=[a_series(values=[2**63, 2**40])])
    assert batch_of(stored())[1].values.tolist() == [2.0**63, 2.0**40]


def test_columns_whose_bytes_would_fit_other_lengths_are_refused(job, stored):
    # Two floats, then two: as many bytes as one float and three, with a marker where the second head would be.
    crafted = struct.unpack(">d", bytes([0x93, 0xCB]) + b"\xcb" * 6)[0]
    sent = [
        a_series(steps=[1], values=[crafted, crafted], ts=[1.0]),
        a_series(key="b", steps=[1, 2, 3], values=[crafted, crafted], ts=[1.0, 2.0, 3.0]),
    ]
    assert fault(job.packed("metrics", stream="s", sequence=1, series=sent))["path"] == "series[0].values"
    assert stored() == []
