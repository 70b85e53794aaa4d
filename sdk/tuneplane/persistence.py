"""Requests that are repeated until the server has answered for good, or their sender gives up."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading

    from tuneplane.transport import Outcome, Transport

FIRST_RETRY_SECONDS = 0.2
LONGEST_RETRY_SECONDS = 5.0


def post_until_answered(transport: Transport, path: str, body: bytes, given_up: threading.Event) -> Outcome:
    """Sends the same bytes until they are accepted or refused for good.

    The outcome is transient where `given_up` was set before that.
    """
    delay = FIRST_RETRY_SECONDS
    while True:
        outcome = transport.post(path, body)
        if outcome.delivered or not outcome.transient:
            return outcome
        if given_up.wait(max(delay, outcome.wait)):
            return outcome
        delay = min(delay * 2, LONGEST_RETRY_SECONDS)
