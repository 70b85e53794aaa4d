"""Times on the wire: what is taken is in the years that every reader of times can show, in UTC."""

import pytest

from domain.errors import Refused
from entrypoints.http.ingest.timestamps import micros


@pytest.mark.parametrize(
    ("text", "since_epoch"),
    [
        ("1970-01-01T00:00:01Z", 1_000_000),
        ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
        ("9999-12-31T23:59:59+23:00", 253_402_300_799_000_000 - 23 * 3_600_000_000),
    ],
)
def test_a_time_is_microseconds_since_the_epoch(text, since_epoch):
    assert micros("ts", text) == since_epoch


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-23:00", "0001-01-01T00:00:00+01:00"])
def test_a_time_whose_moment_in_utc_no_calendar_holds_is_refused(text):
    with pytest.raises(Refused):
        micros("ts", text)
