"""Many observations, in as few requests as the contract allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tuneplane import observations
from tuneplane.bulk import batches, send_observations, send_text
from tuneplane.reporter import ReporterError


class Kept:
    """Takes observations as a Reporter does; refuses from request `refused` on."""

    def __init__(self, refused: int | None = None) -> None:
        self.requests: list[list[str]] = []
        self._refused = refused

    def observations(self, payload: Mapping[str, Any]) -> bool:
        if len(self.requests) == self._refused:
            message = "observations: refused"
            raise ReporterError(message)
        self.requests.append([event["id"] for event in payload["events"]])
        return True


def some(count: int, letters: int = 1) -> list[dict[str, Any]]:
    texts = {f"k{n}": "x" * letters for n in range(30)}
    return [observations.observation("scored", event_id=f"e{n}", values=texts, ts="2026-01-01") for n in range(count)]


def test_thirty_two_events_go_into_a_request_and_the_rest_into_the_last():
    kept = Kept()
    told: list[int] = []
    assert send_observations(kept, iter(some(70)), told.append) == 70
    assert [len(one) for one in kept.requests] == [32, 32, 6]
    assert [one for request in kept.requests for one in request] == [f"e{n}" for n in range(70)]
    assert told == [32, 64, 70]


def test_nothing_is_no_request():
    kept = Kept()
    assert send_observations(kept, []) == 0
    assert kept.requests == []


def test_large_events_are_parted_before_the_body_is_larger_than_is_taken():
    # 30 texts of 500 letters are some 15,300 bytes an event: 25 of them are under 385,024 bytes, 26 are over.
    assert [len(batch) for batch in batches(some(40, letters=500))] == [25, 15]


def test_what_was_sent_before_a_refusal_stands():
    kept = Kept(refused=1)
    with pytest.raises(ReporterError):
        send_observations(kept, some(40))
    assert [len(one) for one in kept.requests] == [32]


def test_an_event_keeps_the_time_it_is_given():
    assert observations.population("r", 3, ts="2026-01-01T00:00:00Z")["ts"] == "2026-01-01T00:00:00Z"
    trial = observations.outcome("r", "t", status="success", training_eligible=False, trial_attempt=0, ts="then")
    assert trial["ts"] == "then"


@pytest.mark.parametrize(("status", "kept"), [(200, True), (409, False), (422, None), (0, None)])
def test_a_text_that_is_kept_otherwise_stands_and_any_other_refusal_is_raised(status, kept):
    class Texts(Kept):
        def trajectory(self, trace: Mapping[str, Any]) -> bool:
            if status != 200:
                message = "trajectory: refused"
                raise ReporterError(message, status=status)
            return True

    if kept is None:
        with pytest.raises(ReporterError):
            send_text(Texts(), {})
    else:
        assert send_text(Texts(), {}) is kept
