from __future__ import annotations

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.errors import StreamMovedOn
from domain.events import LifecycleReported
from domain.lifecycle import report_lifecycle
from tests.domain.given import events_of, given
from tests.factories import a_lifecycle


def history(*names):
    return [a_lifecycle(name) for name in names]


def attempt(*names):
    """An attempt that got so far."""
    return given(*(report_lifecycle(history(*names[:n]), a_lifecycle(name)) for n, name in enumerate(names)))


def reporting(name, after):
    return report_lifecycle(history(*after), a_lifecycle(name, ts="2027-01-01T00:00:00Z"))


@pytest.mark.parametrize(
    ("so_far", "name"),
    [
        ([], "starting"),
        ([], "running"),
        ([], "failed"),
        (["starting"], "running"),
        (["starting"], "succeeded"),
        (["running"], "failed"),
        (["starting", "running"], "succeeded"),
    ],
)
def test_an_attempt_moves_forward_and_may_jump(so_far, name):
    attempt(*so_far).when(reporting(name, so_far)).then(a_lifecycle(name, ts="2027-01-01T00:00:00Z"))


@pytest.mark.parametrize(
    ("so_far", "name"),
    [
        (["starting"], "starting"),
        (["starting", "running"], "running"),
        (["starting", "running"], "starting"),
        (["running", "succeeded"], "succeeded"),
        (["failed"], "failed"),
    ],
)
def test_a_repeat_is_a_duplicate_also_when_it_comes_late(so_far, name):
    attempt(*so_far).when(reporting(name, so_far)).then(duplicates=1)


@pytest.mark.parametrize(
    ("so_far", "name"),
    [
        (["running"], "starting"),
        (["succeeded"], "failed"),
        (["failed"], "succeeded"),
        (["running", "succeeded"], "running"),
        (["starting", "failed"], "starting"),
    ],
)
def test_a_step_back_and_what_contradicts_the_end_are_set_aside(so_far, name):
    late = a_lifecycle(name, ts="2027-01-01T00:00:00Z")
    attempt(*so_far).when(reporting(name, so_far)).then(set_aside=[late])


def test_two_runners_that_report_at_once_do_not_overwrite_each_other():
    attempt("starting", "running").when(reporting("failed", ["starting"])).refused(StreamMovedOn)


@for_all(st.lists(st.sampled_from(["starting", "running", "succeeded", "failed"]), max_size=8))
def test_whatever_is_reported_an_attempt_moves_forward_and_ends_once(names):
    accepted: list[LifecycleReported] = []
    placements = []
    for name in names:
        placements.append(report_lifecycle(list(accepted), a_lifecycle(name)))
        accepted = [event for event in events_of(*placements) if isinstance(event, LifecycleReported)]
    told = [event.event for event in accepted]
    assert told == sorted(set(told), key=["starting", "running", "succeeded", "failed"].index)
    assert not {"succeeded", "failed"} <= set(told)
    ends = [name for name in names if name in ("succeeded", "failed")]
    assert told[-1:] == ends[:1] or not ends
