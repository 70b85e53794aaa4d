import pytest

from domain.ids import Micros
from domain.rules.host_silence import SILENT_AFTER_MICROS, silent_since

LAST = Micros(1_000_000)


@pytest.mark.parametrize(
    ("last_at", "passed", "under_way", "silent"),
    [
        (LAST, SILENT_AFTER_MICROS, True, LAST),
        (LAST, SILENT_AFTER_MICROS - 1, True, None),
        (LAST, SILENT_AFTER_MICROS, False, None),
        (LAST, -SILENT_AFTER_MICROS, True, None),
        (None, SILENT_AFTER_MICROS, True, None),
    ],
)
def test_a_host_is_silent_where_samples_are_missed(last_at, passed, under_way, silent):
    assert silent_since(last_at, Micros(LAST + passed), under_way=under_way) == silent


def test_silence_is_three_minutes():
    assert SILENT_AFTER_MICROS == 3 * 60 * 1_000_000
