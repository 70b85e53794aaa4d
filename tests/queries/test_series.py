import csv
import io

import pytest

from application.queries.series import series, series_csv, series_data
from domain.errors import Refused, UnknownRun, UnknownThing
from domain.ids import RunId
from tests import factories as a


def test_a_series_is_shown_with_its_numbers_and_what_the_contract_says(reports):
    reports.scalars.put("loss", 3.0, 1.0, 2.0)
    reports.scalars.put("agent/success_rate", 0.5)
    said = {"direction": "higher", "display": "ratio", "unit": "fraction"}
    reports.of(a.a_contract(contract={"version": 1, "semantics": {"agent/success_rate": said}}))

    rate, loss = series(reports.views, a.RUN).items

    assert (loss.key, loss.count, loss.min, loss.max, loss.mean) == ("loss", 3, 1.0, 3.0, 2.0)
    assert (loss.first, loss.last, loss.first_step, loss.last_step) == (3.0, 2.0, 0, 2)
    assert (loss.last_at, loss.invalid.nan, loss.descriptor) == ("1970-01-01T00:00:02.000000Z", 0, None)
    assert rate.descriptor == said


def test_the_descriptor_is_that_of_the_latest_contract(restarted):
    restarted.scalars.put("loss", 1.0)

    def descriptor(**asked):
        return series(restarted.views, a.RUN, **asked).items[0].descriptor

    def declared(unit, attempt=0):
        return a.a_contract(contract={"semantics": {"loss": {"unit": unit}}}, attempt=attempt)

    restarted.of(declared("nats"), declared("bits"))
    kept = descriptor()
    restarted.of(declared("dits", attempt=1))

    assert (kept, descriptor(), descriptor(attempt=0)) == ({"unit": "bits"}, {"unit": "dits"}, {"unit": "bits"})


def test_series_page_by_key_and_filter_by_text(reports):
    for key in ("train/loss", "val/loss", "grad", "train/LR"):
        reports.scalars.put(key, 1.0)

    first = series(reports.views, a.RUN, limit=3)
    second = series(reports.views, a.RUN, limit=3, cursor=first.next_cursor)

    assert [one.key for one in (*first.items, *second.items)] == ["grad", "train/LR", "train/loss", "val/loss"]
    assert second.next_cursor is None
    assert [one.key for one in series(reports.views, a.RUN, q="LOSS").items] == ["train/loss", "val/loss"]
    assert series(reports.views, a.RUN, q="none").items == []


def test_charts_answer_by_key_and_leave_unknown_ones_out(reports):
    reports.scalars.put("loss", 3.0, 1.0, 2.0)

    found = series_data(reports.views, a.RUN, ["loss", "none", "loss"], first_step=1, last_step=1)

    assert {key: (chart.step, chart.last, chart.exact) for key, chart in found.items()} == {"loss": ([1], [1.0], True)}


@pytest.mark.parametrize(
    ("keys", "bounds"),
    [
        ([], {}),
        ([f"k{n}" for n in range(33)], {}),
        (["loss"], {"buckets": 0}),
        (["loss"], {"buckets": 4001}),
    ],
)
def test_too_many_keys_or_buckets_are_refused(reports, keys, bounds):
    with pytest.raises(Refused):
        series_data(reports.views, a.RUN, keys, **bounds)


def test_the_most_keys_and_buckets_are_taken(reports):
    reports.scalars.put("k1", 1.0)

    assert list(series_data(reports.views, a.RUN, [f"k{n}" for n in range(32)], buckets=4000)) == ["k1"]


def test_csv_has_every_point_and_reads_back_exactly(reports):
    reports.scalars.put("train/loss", 0.1, -2.5, 1e-300)
    reports.scalars.put("x", 1.0)

    text = "".join(series_csv(reports.views, a.RUN, ["train/loss"]))

    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [(row["attempt"], row["key"], row["step"], float(row["value"])) for row in rows] == [
        ("0", "train/loss", "0", 0.1),
        ("0", "train/loss", "1", -2.5),
        ("0", "train/loss", "2", 1e-300),
    ]
    assert rows[1]["ts"] == "1970-01-01T00:00:01.000000Z"
    assert text.startswith("attempt,key,step,value,ts\r\n0,train/loss,0,0.1,")


def test_csv_without_keys_is_all_of_them(reports):
    reports.scalars.put("b", 1.0)
    reports.scalars.put("a", 1.0)

    assert "".join(series_csv(reports.views, a.RUN)).count("\r\n") == 3
    assert "".join(series_csv(reports.views, a.RUN, ["none"])) == "attempt,key,step,value,ts\r\n"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_text_that_a_spreadsheet_would_run_is_marked_and_numbers_never_are(reports, start):
    reports.scalars.put(f'{start}cmd,"x"', -1.0)

    text = "".join(series_csv(reports.views, a.RUN))

    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert (row["key"], row["value"]) == (f'\'{start}cmd,"x"', "-1.0")


def test_attempts_can_be_asked_for(restarted):
    restarted.scalars.put("loss", 1.0, 2.0)
    restarted.scalars.put("loss", 5.0, attempt=1)

    assert [one.count for one in series(restarted.views, a.RUN, attempt=1).items] == [1]
    assert series_data(restarted.views, a.RUN, ["loss"], attempt=1)["loss"].last == [5.0]
    assert "".join(series_csv(restarted.views, a.RUN, attempt=1)).split("\r\n")[1].startswith("1,loss,0,5.0,")


@pytest.mark.parametrize(
    "question", [series, lambda views, run, **asked: series_data(views, run, ["k"], **asked), series_csv]
)
def test_unknown_runs_and_attempts_are_unknown_at_once(reports, question):
    with pytest.raises(UnknownRun):
        question(reports.views, RunId("nowhere"))
    with pytest.raises(UnknownThing):
        question(reports.views, a.RUN, attempt=4)
