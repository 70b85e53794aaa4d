"""How long a command tries again."""

import time

from tuneplane.persistence import Patience


def test_each_pause_is_twice_as_long_up_to_five_seconds_and_at_least_what_the_server_asks(monkeypatch):
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    patience = Patience(9)
    assert [patience.wait(7.0 if number == 1 else 0.0) for number in range(9)] == [True] * 8 + [False]
    assert pauses == [0.2, 7.0, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0]
