"""What every adapter that lets one process work at a time promises (`application/ports/sole.py`)."""

import pytest

from adapters.memory.sole import MemorySole
from adapters.postgres.database import Database
from adapters.postgres.sole import PostgresSole


@pytest.fixture(params=["memory", "postgres"])
def soles(request):
    """Of two processes."""
    if request.param == "memory":
        same = MemorySole()
        yield same, same
        return
    databases = [Database(request.getfixturevalue("dsn")) for _ in range(2)]
    yield tuple(PostgresSole(one) for one in databases)
    for one in databases:
        one.close()


def test_one_works_and_the_other_is_told_so_until_it_is_done(soles):
    one, other = soles
    with one.alone("sweep") as first, other.alone("sweep") as second:
        assert (first, second) == (True, False)
    with other.alone("sweep") as later:
        assert later


def test_who_was_refused_gives_nothing_free(soles):
    one, other = soles
    with one.alone("sweep"):
        with other.alone("sweep") as second:
            assert not second
        with other.alone("sweep") as third:
            assert not third


def test_other_work_goes_on(soles):
    one, other = soles
    with one.alone("sweep"), other.alone("backup") as free:
        assert free


def test_work_that_failed_is_free_again(soles):
    one, other = soles
    with pytest.raises(RuntimeError), one.alone("sweep"):
        raise RuntimeError
    with other.alone("sweep") as free:
        assert free
