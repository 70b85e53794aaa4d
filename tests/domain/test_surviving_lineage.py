from __future__ import annotations

from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.ids import Attempt
from domain.rules.surviving_lineage import bounds as bounds_of

POINTS = st.dictionaries(st.integers(0, 4), st.sets(st.integers(0, 12), min_size=1), max_size=4)


def bounds(first_steps: dict[int, int]) -> dict[Attempt, int | None]:
    return bounds_of({Attempt(attempt): step for attempt, step in first_steps.items()})


def surviving(points):
    """Each attempt in turn takes away whatever stands at its first step and after, then adds its own."""
    standing: set[tuple[int, int]] = set()
    for attempt in sorted(points):
        standing = {(a, step) for a, step in standing if step < min(points[attempt])}
        standing |= {(attempt, step) for step in points[attempt]}
    return standing


def test_a_single_attempt_survives_whole():
    assert bounds({3: 10}) == {3: None}
    assert bounds({}) == {}


def test_a_restart_replaces_what_it_did_again():
    assert bounds({0: 0, 1: 50}) == {0: 50, 1: None}


def test_a_restart_from_further_back_also_ends_the_attempts_between():
    assert bounds({0: 0, 1: 50, 2: 20}) == {0: 20, 1: 20, 2: None}


def test_a_restart_that_goes_on_further_leaves_the_earlier_bounds():
    assert bounds({0: 0, 1: 20, 2: 50}) == {0: 20, 1: 50, 2: None}


@for_all(POINTS)
def test_bounds_keep_what_survives_a_replay(points):
    found = bounds({attempt: min(steps) for attempt, steps in points.items()})
    kept = {
        (attempt, step)
        for attempt, steps in points.items()
        for step in steps
        if found[attempt] is None or step < found[attempt]
    }
    assert kept == surviving(points)
