"""Silence of a job: said a minute after it was last heard, of jobs that should be running alone."""

import pytest

from domain.ids import Micros
from domain.rules.job_silence import SILENT_AFTER_MICROS, silent_since

LAST = Micros(1_000_000_000)
MINUTE = 60 * 1_000_000


@pytest.mark.parametrize(
    ("status", "last", "later", "since"),
    [
        ("running", LAST, MINUTE, LAST),
        ("running", LAST, MINUTE - 1, None),
        ("starting", LAST, MINUTE, LAST),
        ("running", LAST, -MINUTE, None),
        ("running", None, MINUTE, None),
        ("created", LAST, MINUTE, None),
        ("succeeded", LAST, 999 * MINUTE, None),
        ("failed", LAST, 999 * MINUTE, None),
    ],
)
def test_a_job_that_should_be_running_is_silent_from_a_minute_on(status, last, later, since):
    assert silent_since(status, last, Micros(LAST + later)) == since


def test_a_minute_is_a_minute():
    assert SILENT_AFTER_MICROS == MINUTE
