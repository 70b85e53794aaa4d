import pytest

from domain.ids import DAY_MICROS, Micros
from domain.rules.token_expiry import token_notice


@pytest.mark.parametrize(
    ("ran", "left", "notice"),
    [
        (0, 1, "ample"),
        (0, 0.99, "soon"),
        (0, 0, "expired"),
        (40, 10, "ample"),
        (40, 9.99, "soon"),
        (4, 1, "ample"),
        (100, -1, "expired"),
    ],
)
def test_a_token_must_outlive_the_job_by_a_day_and_by_a_quarter_of_what_it_has_run(ran, left, notice):
    now = 1_000 * DAY_MICROS
    found = token_notice(
        running_since=Micros(int(now - ran * DAY_MICROS)),
        expires_at=Micros(int(now + left * DAY_MICROS)),
        now=Micros(now),
    )
    assert found == notice
