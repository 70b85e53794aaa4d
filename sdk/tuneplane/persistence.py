"""Requests that are repeated: until the server has answered for good, or until their sender gives up."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import threading

    from tuneplane.transport import Outcome, Transport

FIRST_RETRY_SECONDS = 0.2
LONGEST_RETRY_SECONDS = 5.0


class Patience:
    """The pauses between the tries of one request, each twice as long as the one before."""

    def __init__(self, tries: int) -> None:
        self._left = tries
        self._delay = FIRST_RETRY_SECONDS

    def wait(self, asked: float = 0.0) -> bool:
        """Waits after a try that failed, at least the `asked` seconds; False, at once, where it was the last one."""
        self._left -= 1
        if self._left <= 0:
            return False
        time.sleep(max(self._delay, asked))
        self._delay = min(self._delay * 2, LONGEST_RETRY_SECONDS)
        return True


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
