import json
from typing import Any

import pytest

from application.queries.run import run
from application.queries.trajectory import as_it_is, trajectory, trajectory_of
from application.queries.trajectory_index import (
    DIAGNOSTICS,
    TrajectoryFilter,
    diagnostic_counts,
    neighbours,
    other_attempts,
    trajectories,
)
from application.queries.trajectory_text import read_text
from domain.errors import Refused, UnknownThing
from domain.ids import Micros
from tests import factories as a
from tests.bodies import keep
from tests.queries.reports import SECOND

DAY = 24 * 3600 * SECOND
CALL: dict[str, Any] = {"tool_name": "calc", "tool_call_id": "c1", "duration_ms": 1.5, "tokens": 3}
MESSAGES: list[dict[str, Any]] = [{"role": "user", "content": f"message {n}"} for n in range(44)]
MESSAGES.append({"role": "tool", "content": "42", **CALL})


def kept(reports, name="a", *, messages=MESSAGES, **changes):
    """A trajectory with its body in the store."""
    body = json.dumps({"messages": messages, "scope": "validation"}).encode()
    event = a.a_trajectory(
        trajectory_id=name * 64,
        object_key=f"trajectories/{name}",
        total_messages=len(messages),
        retained_messages=len(messages),
        expires_at=Micros(a.NOON + 7 * DAY),
        **changes,
    )
    keep(reports.bodies, event.object_key, body)
    reports.of(event)
    return event.trajectory_id


def opened(reports, name, **asked):
    now, attempt = asked.pop("now", reports.now), asked.pop("attempt", None)
    known = trajectory_of(reports.views, a.RUN, name, attempt)
    return trajectory(known, read_text(reports.bodies, known.stored.object_key), now=now, **asked)


def listed(reports, wanted=None, **asked):
    filters = TrajectoryFilter(**(wanted or {}))
    page = trajectories(reports.views, a.RUN, filters, **{"now": reports.now, **asked})
    return [one.trajectory_id[0] for one in page.items]


def test_messages_come_20_a_page(reports):
    name = kept(reports)

    pages = [opened(reports, name, page=number) for number in (1, 2, 3, 4)]

    assert [len(one.messages) for one in pages] == [20, 20, 5, 0]
    assert [message.content for one in pages for message in one.messages] == [one["content"] for one in MESSAGES]
    last = pages[2].messages[-1]
    assert (last.tool_name, last.tool_call_id, last.duration_ms, last.tokens) == ("calc", "c1", 1.5, 3)
    assert {one.pages for one in pages} == {3}
    assert (pages[0].page, pages[0].state, pages[0].messages[0].tool_name) == (1, "retained", None)


def test_what_was_sampled_and_cut_is_said(reports):
    cut = {"scope": "training", "complete": False, "capture_policy": "sampled", "diagnostic": "low_reward"}
    reports.of(a.a_trajectory(**cut, reward=-1.0, step=3, total_messages=2000, retained_messages=60))

    page = trajectories(reports.views, a.RUN, TrajectoryFilter(diagnostic="low_reward"), now=a.NOON)

    (item,) = page.items
    assert (item.scope, item.total_messages, item.retained_messages, item.complete) == ("training", 2000, 60, False)
    assert (item.capture_policy, item.reward, item.step, item.collection_policy) == ("sampled", -1.0, 3, None)


def test_filters_search_the_whole_index_before_paging(reports):
    kept(reports, "a", scope="training", diagnostic="failure", step=1, round_id="r1", trial_id="t1")
    kept(reports, "b", scope="training", diagnostic="low_reward", step=2, round_id="r1", trial_id="t2")
    kept(reports, "c", round_id="r2", trial_id="t1", step=0)
    for name in "defg":
        kept(reports, name, round_id="r3", trial_id="t9", step=9)

    assert listed(reports, {"scope": "training"}, limit=2) == ["b", "a"]
    assert listed(reports, {"diagnostic": "failure"}, limit=1) == ["a"]
    assert listed(reports, {"step": 2}) == ["b"]
    assert listed(reports, {"step": 0}) == ["c"]
    assert listed(reports, {"round_id": "r1"}) == ["b", "a"]
    assert listed(reports, {"trial_id": "t1"}) == ["c", "a"]
    assert listed(reports, {"trial_id": "t1", "scope": "validation"}) == ["c"]
    assert listed(reports, {"scope": "training", "diagnostic": "representative"}) == []


def test_none_is_the_category_of_what_was_picked_for_none(reports):
    kept(reports, "a", diagnostic="failure")
    kept(reports, "b")

    assert listed(reports, {"diagnostic": "none"}) == ["b"]


def test_each_category_is_counted_under_the_other_filters(reports):
    for name, diagnostic in zip("abcd", ["failure", "failure", None, "anomaly"], strict=True):
        kept(reports, name, diagnostic=diagnostic, scope="training")
    kept(reports, "e", diagnostic="failure")

    def counts(**wanted):
        return diagnostic_counts(reports.views, a.RUN, TrajectoryFilter(**wanted), now=reports.now)

    assert counts(scope="training") == {"failure": 2, "anomaly": 1, "low_reward": 0, "representative": 0, "none": 1}
    assert counts(diagnostic="anomaly")["failure"] == 3
    assert list(counts()) == list(DIAGNOSTICS)


@pytest.mark.parametrize("now", [a.NOON, a.NOON + 7 * DAY - 1, a.NOON + 7 * DAY, a.NOON + 8 * DAY])
def test_the_states_that_are_asked_for_are_the_states_that_are_told(reports, now):
    kept(reports, "a")
    kept(reports, "b")
    reports.of(a.a_trajectory(trajectory_id="c" * 64, expires_at=Micros(a.NOON + 8 * DAY)))
    reports.of(a.a_trajectory_deletion(trajectory_id="b" * 64))
    told = {one.trajectory_id[0]: one.state for one in trajectories(reports.views, a.RUN, now=Micros(now)).items}

    asked = {state: listed(reports, {"state": state}, now=Micros(now)) for state in ("retained", "expired", "deleted")}

    assert told["b"] == "deleted"
    assert {name: state for state, names in asked.items() for name in names} == told
    assert sum(map(len, asked.values())) == 3


def test_one_walks_from_a_trajectory_to_the_next_under_the_same_filters(reports):
    for name, step in zip("abcde", [1, 2, 1, 2, 1], strict=True):
        kept(reports, name, step=step)

    def beside(name, **wanted):
        known = trajectory_of(reports.views, a.RUN, name * 64)
        found = neighbours(reports.views, known, TrajectoryFilter(**wanted), now=reports.now)
        return tuple(one and one[0] for one in (found.newer, found.older))

    assert beside("c") == ("d", "b")
    assert beside("c", step=1) == ("e", "a")
    assert beside("b", step=1) == ("c", "a")
    assert (beside("e"), beside("a")) == ((None, "d"), ("b", None))


def test_the_other_attempts_of_a_trial_are_of_the_same_scope_and_round(reports):
    for name, number in zip("abc", [2, 0, 1], strict=True):
        kept(reports, name, trial_attempt=number)
    kept(reports, "d", scope="training")
    kept(reports, "e", round_id="r2")
    kept(reports, "f", trial_id="t2")

    others = other_attempts(reports.views, trajectory_of(reports.views, a.RUN, "a" * 64), now=reports.now)

    assert [(one.trajectory_id[0], one.trial_attempt) for one in others] == [("b", 0), ("c", 1)]


def test_a_text_that_was_deleted_since_is_gone_from_the_past_too(reports):
    name = kept(reports)
    before = reports.views.position
    reports.of(a.a_trajectory_deletion(trajectory_id=name))
    then = trajectory_of(reports.views_at(before), a.RUN, name)

    assert then.deleted_at is None
    assert as_it_is(reports.views, then).deleted_at is not None
    assert as_it_is(reports.views_at(before), then) == then


def test_the_index_pages_latest_first_without_gap_or_repeat(reports):
    for name in "abcde":
        kept(reports, name)

    first = trajectories(reports.views, a.RUN, now=reports.now, limit=2)
    second = trajectories(reports.views, a.RUN, now=reports.now, limit=3, cursor=first.next_cursor)

    assert [one.trajectory_id[0] for one in (*first.items, *second.items)] == ["e", "d", "c", "b", "a"]
    assert second.next_cursor is None


def test_deletion_keeps_the_record_and_the_counts(reports):
    name = kept(reports)
    reports.of(a.a_trajectory_deletion(trajectory_id=name, object_key="trajectories/a"))

    found = opened(reports, name)

    assert (found.state, found.total_messages, found.messages, found.pages) == ("deleted", 45, [], 0)
    assert found.deleted_at == "2026-01-01T00:00:04.000000Z"
    assert trajectories(reports.views, a.RUN, now=reports.now).items[0].state == "deleted"
    assert run(reports.views, a.RUN, now=reports.now).counts.trajectories == 1


def test_a_text_expires_at_its_moment_swept_or_not(reports):
    name = kept(reports)
    end = a.NOON + 7 * DAY

    before, after = (opened(reports, name, now=Micros(moment)) for moment in (end - 1, end))

    assert (before.state, len(before.messages)) == ("retained", 20)
    assert (after.state, after.messages, after.expires_at) == ("expired", [], "2026-01-08T00:00:00.000000Z")
    assert listed(reports, now=Micros(end)) == ["a"]


@pytest.mark.parametrize(
    "body", [None, b"", b"{", b"\xff\xfe", b'{"messages": 1}', b"[]", b'{"deep":' + b"[" * 100_000]
)
def test_a_body_that_is_not_there_or_none_is_missing(reports, body):
    name = kept(reports)
    reports.bodies.delete("trajectories/a")
    if body is not None:
        keep(reports.bodies, "trajectories/a", body)

    found = opened(reports, name)

    assert (found.state, found.messages, found.total_messages) == ("missing", [], 45)


def test_a_trajectory_of_several_attempts_is_shown_as_the_highest_sent_it(restarted):
    name = kept(restarted, "a", messages=MESSAGES[:2], attempt=1)
    kept(restarted, "b")
    restarted.of(a.a_trajectory(trajectory_id=name, object_key="trajectories/old", total_messages=7))

    found = trajectories(restarted.views, a.RUN, now=restarted.now).items

    assert [(one.trajectory_id[0], one.attempt, one.total_messages) for one in found] == [("b", 0, 45), ("a", 1, 2)]
    assert listed(restarted, attempt=0) == ["a", "b"]
    assert opened(restarted, name).total_messages == 2
    assert opened(restarted, name, attempt=0).total_messages == 7


def test_a_higher_attempt_takes_over_when_it_comes(restarted):
    name = kept(restarted)
    kept(restarted, attempt=1)

    assert [one.attempt for one in trajectories(restarted.views, a.RUN, now=restarted.now).items] == [1]
    restarted.of(a.a_trajectory_deletion(trajectory_id=name, attempt=0))
    assert opened(restarted, name).state == "retained"
    assert opened(restarted, name, attempt=0).state == "deleted"


def test_what_does_not_exist_is_unknown_and_pages_count_from_1(reports):
    name = kept(reports)

    with pytest.raises(UnknownThing):
        opened(reports, "0" * 64)
    with pytest.raises(UnknownThing):
        opened(reports, name, attempt=3)
    with pytest.raises(Refused):
        opened(reports, name, page=0)
