from __future__ import annotations

import pytest

from domain.errors import SeriesLimitReached, StreamMovedOn
from domain.series import open_series, report_numbered, report_unnumbered
from tests.domain.given import given
from tests.factories import RUN, a_hardware_batch, a_metrics_batch, a_series, columns

OTHER = columns(values=b"other")
BATCHES = [a_metrics_batch, a_hardware_batch]


def opening(*keys, known=()):
    return open_series(RUN, "scalar", {key: number for number, key in enumerate(known, 1)}, keys)


def test_new_series_are_numbered_in_the_order_they_come():
    given().when(opening("b", "a")).then(a_series(1, "b"), a_series(2, "a"))


def test_known_series_and_repeated_keys_are_not_opened_again():
    given(opening("a")).when(opening("a", "b", "b", known=["a"])).then(a_series(2, "b"))
    given(opening("a")).when(opening("a", known=["a"])).then()


def test_two_requests_that_open_series_at_once_do_not_share_a_number():
    given(opening("a")).when(opening("b")).refused(StreamMovedOn)
    given(opening("a")).when(opening("a")).refused(StreamMovedOn)


def test_a_run_has_room_for_4096_series():
    known = [f"s/{number}" for number in range(4094)]
    assert [place.version for place in opening("x", "y", known=known)] == [4095, 4096]
    assert opening("s/0", "y", known=[*known, "x", "y"]) == []


def test_the_series_beyond_is_refused_by_name_with_its_whole_batch():
    known = [f"s/{number}" for number in range(4095)]
    with pytest.raises(SeriesLimitReached, match=r"'surplus' would be number 4,097 .* 4,096") as refusal:
        opening("last", "surplus", "more", known=known)
    assert [fault.limit for fault in refusal.value.faults] == [4096]
    with pytest.raises(SeriesLimitReached, match="'another'"):
        opening("another", known=[*known, "last"])


def test_families_are_numbered_apart():
    hardware = open_series(RUN, "hardware", {}, ["host/cpu.pct"])
    given(opening("a")).when(hardware).then(a_series(1, "host/cpu.pct", family="hardware"))


@pytest.mark.parametrize("batch", BATCHES)
def test_a_numbered_batch_sent_again_is_the_same_event(batch):
    sent = report_numbered(batch(), "nonce", 1)
    given(sent).when(report_numbered(batch(), "nonce", 1)).then(duplicates=1)


@pytest.mark.parametrize("batch", BATCHES)
def test_other_points_under_a_taken_number_are_set_aside(batch):
    late = batch(columns=OTHER)
    given(report_numbered(batch(), "nonce", 1)).when(report_numbered(late, "nonce", 1)).then(set_aside=[late])


@pytest.mark.parametrize("batch", BATCHES)
def test_the_same_points_under_another_number_or_session_are_new(batch):
    given(report_numbered(batch(), "nonce", 1)).when(
        report_numbered(batch(), "nonce", 2), report_numbered(batch(), "other", 1), report_numbered(batch(), "nonce", 9)
    ).then(batch(), batch(), batch())


@pytest.mark.parametrize("batch", BATCHES)
def test_a_body_sent_again_to_the_byte_is_the_same_event_even_where_the_time_of_receipt_differs(batch):
    given(report_unnumbered(batch(), b"digest")).when(
        report_unnumbered(batch(), b"digest"), report_unnumbered(batch(columns=OTHER), b"digest")
    ).then(duplicates=2)


@pytest.mark.parametrize("batch", BATCHES)
def test_another_body_is_new_and_so_is_a_correction(batch):
    given(report_unnumbered(batch(), b"digest")).when(report_unnumbered(batch(columns=OTHER), b"tsegid")).then(
        batch(columns=OTHER)
    )


def test_metrics_and_hardware_never_share_a_place():
    given(report_numbered(a_metrics_batch(), "nonce", 1), report_unnumbered(a_metrics_batch(), b"digest")).when(
        report_numbered(a_hardware_batch(), "nonce", 1), report_unnumbered(a_hardware_batch(), b"digest")
    ).then(a_hardware_batch(), a_hardware_batch())
