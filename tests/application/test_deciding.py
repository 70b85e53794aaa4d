"""Deciding again when somebody else was first: everybody gets their turn, and who never does is told so."""

import asyncio

import pytest

from application import deciding
from application.deciding import DECISIONS, decided, decided_async
from domain.errors import StreamMovedOn, TryAgain


class Stream:
    """A stream that takes an event only from one who has seen the latest."""

    def __init__(self):
        self.version = 0

    def append(self, seen):
        if seen != self.version:
            raise StreamMovedOn
        self.version += 1
        return self.version


def test_many_who_decide_on_one_stream_at_once_all_get_their_turn():
    stream = Stream()

    async def decide():
        seen = stream.version
        await asyncio.sleep(0)  # all others look now, too
        return stream.append(seen)

    async def all_at_once():
        return await asyncio.gather(*(decided_async(decide) for _ in range(4 * DECISIONS)))

    assert sorted(asyncio.run(all_at_once())) == list(range(1, 4 * DECISIONS + 1))


@pytest.mark.parametrize("way", ["thread", "loop"])
def test_who_never_gets_a_turn_is_told_to_come_back(way, monkeypatch):
    monkeypatch.setattr(deciding, "FIRST_REST_SECONDS", 0.0)
    tries = []

    def decide():
        tries.append(1)
        raise StreamMovedOn

    async def decide_later():
        decide()

    with pytest.raises(TryAgain):
        decided(decide) if way == "thread" else asyncio.run(decided_async(decide_later))
    assert len(tries) == DECISIONS
