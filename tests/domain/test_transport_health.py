from __future__ import annotations

import msgspec
import pytest

from domain.rules.transport_health import Heartbeat, TransportHealth, heartbeat, transport_health
from tests.factories import NOON

SECOND = 1_000_000
MINUTE = 60 * SECOND


def a_beat(ago=0, **counters) -> Heartbeat:
    given = {"queued_points": 1, "capacity_points": 100, "dropped_points": 0, "dropped_events": 0, "send_failures": 0}
    return heartbeat({"stream_id": "t", **given, **counters}, NOON - ago)


def test_without_a_heartbeat_nothing_is_known():
    known = TransportHealth(
        state="unknown",
        dropped_points=None,
        dropped_events=None,
        send_failures=None,
        queued_points=None,
        capacity_points=None,
        last_heartbeat_at=None,
    )
    assert transport_health([], NOON) == known


def test_a_reporter_that_lost_nothing_is_ok():
    assert transport_health([a_beat()], NOON) == TransportHealth(
        state="ok",
        dropped_points=0,
        dropped_events=0,
        send_failures=0,
        queued_points=1,
        capacity_points=100,
        last_heartbeat_at=NOON,
    )


@pytest.mark.parametrize("counter", ["dropped_points", "dropped_events"])
def test_anything_dropped_is_lossy(counter):
    assert transport_health([a_beat(**{counter: 1})], NOON).state == "lossy"


def test_a_failure_to_send_is_no_loss_yet():
    found = transport_health([a_beat(send_failures=3)], NOON)
    assert (found.state, found.send_failures) == ("ok", 3)


@pytest.mark.parametrize(("ago", "state"), [(MINUTE - 1, "ok"), (MINUTE, "unknown")])
def test_no_heartbeat_for_a_minute_is_unknown(ago, state):
    assert transport_health([a_beat(ago)], NOON).state == state


def test_one_reporter_that_is_heard_is_enough():
    found = transport_health([a_beat(2 * MINUTE), a_beat(SECOND)], NOON)
    assert (found.state, found.last_heartbeat_at) == ("ok", NOON - SECOND)


def test_a_silent_reporter_keeps_its_losses_and_has_no_queue():
    silent = a_beat(2 * MINUTE, dropped_points=5, dropped_events=2, send_failures=4, queued_points=50)
    found = transport_health([silent, a_beat(dropped_points=2, send_failures=1)], NOON)
    assert (found.state, found.dropped_points, found.dropped_events, found.send_failures) == ("lossy", 7, 2, 5)
    assert (found.queued_points, found.capacity_points) == (1, 100)
    alone = transport_health([silent], NOON)
    assert (alone.state, alone.dropped_points, alone.queued_points) == ("lossy", 5, None)


def test_reporters_add_up():
    found = transport_health([a_beat(queued_points=3), a_beat(queued_points=4)], NOON)
    assert (found.queued_points, found.capacity_points) == (7, 200)


@pytest.mark.parametrize("odd", ["7", True, -1])
def test_a_counter_that_is_no_number_of_things_is_not_known(odd):
    beat = heartbeat({"dropped_points": odd, "dropped_events": 2.0}, NOON)
    assert beat == Heartbeat(received_at=NOON, dropped_events=2)
    assert msgspec.structs.asdict(transport_health([beat], NOON))["dropped_points"] is None
