"""The checker itself: each kind of damage is noticed."""

import pytest

from tests.factories import a_log
from tests.faults.acknowledgements import AcknowledgementLog, Stored, check


@pytest.fixture
def log(tmp_path):
    made = AcknowledgementLog(tmp_path / "acknowledged.jsonl")
    for number in (1, 2, 3):
        made.sending(("w", number), f"w {number}\n")
    made.acknowledged(("w", 1), 11)
    made.acknowledged(("w", 2), 12)
    yield made
    made.close()


def stored(*places: tuple[int, str]) -> Stored:
    found = Stored()
    for position, text in places:
        found.take(position, a_log(text), {})
    return found


def test_acknowledged_is_stored_and_stored_is_sent(log):
    check(log, stored((11, "w 1\n"), (12, "w 2\n")))
    check(log, stored((11, "w 1\n"), (12, "w 2\n"), (13, "w 3\n")))  # stored, and its answer was lost


@pytest.mark.parametrize(
    ("places", "noticed"),
    [
        ([(11, "w 1\n")], "acknowledged and lost"),
        ([(11, "w 1\n"), (12, "w 2\n"), (13, "w 4\n")], "never sent"),
        ([(11, "w 1\n"), (11, "w 1\n"), (12, "w 2\n")], "stored twice"),
        ([(11, "w 1\n"), (12, "w  2\n")], "acknowledged and lost|other than sent"),
        ([(11, "w 1\n"), (13, "w 2\n")], "not where it was acknowledged"),
        ([(11, "w 1\n"), (12, "w 2\n"), (10, "w 3\n")], "out of order"),
    ],
)
def test_damage_is_noticed(log, places, noticed):
    with pytest.raises(AssertionError, match=noticed):
        check(log, stored(*places))


def test_a_load_without_an_acknowledgement_shows_nothing(tmp_path):
    empty = AcknowledgementLog(tmp_path / "empty.jsonl")
    empty.close()
    with pytest.raises(AssertionError, match="shows nothing"):
        check(empty, stored())
