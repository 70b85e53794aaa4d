import pytest

from application.queries.run import run, runs
from domain.errors import Refused, UnknownRun
from domain.events.series import InvalidPoint
from domain.ids import Micros, RunId
from tests import factories as a

AT = "2026-01-01T00:00:{:02}.000000Z".format


def named(run_id: str, **changes):
    return a.a_run(run=RunId(run_id), **changes)


def ids(page):
    return [one.run_id for one in page.items]


def test_a_new_run_knows_nothing_yet(reports):
    found = run(reports.views, a.RUN, now=reports.now)

    assert (found.status, found.attempt, found.started_at, found.finished_at) == ("created", 0, None, None)
    assert (found.last_event_at, found.created_at) == (None, AT(1))
    assert (found.transport.state, found.transport.dropped_points) == ("unknown", None)
    assert found.transport.last_heartbeat_at is None
    assert found.faults == []


def test_a_run_without_attempts_has_none(nothing):
    nothing.of(a.a_run())

    found = run(nothing.views, a.RUN, now=nothing.now)

    assert (found.status, found.attempt, found.attempts) == ("created", None, [])


def test_an_unknown_run_is_unknown(nothing):
    with pytest.raises(UnknownRun):
        run(nothing.views, a.RUN, now=a.NOON)


def test_each_lifecycle_event_is_seen(reports):
    seen = []
    for event in ("starting", "running", "running", "succeeded"):
        reports.of(a.a_lifecycle(event))
        found = run(reports.views, a.RUN, now=reports.now)
        seen.append((found.status, found.started_at, found.finished_at))

    assert seen == [
        ("starting", AT(3), None),
        ("running", AT(3), None),
        ("running", AT(3), None),
        ("succeeded", AT(3), AT(6)),
    ]


@pytest.mark.parametrize("late", ["failed", "running", "starting"])
def test_the_first_terminal_event_stands_and_what_comes_later_is_in_the_history(reports, late):
    reports.of(a.a_lifecycle("running"), a.a_lifecycle("succeeded"), a.a_lifecycle(late), a.a_lifecycle(late))

    found = run(reports.views, a.RUN, now=reports.now)

    assert (found.status, found.finished_at) == ("succeeded", AT(4))
    assert [(one.event, one.set_aside) for one in found.attempts[0].lifecycle] == [
        ("running", False),
        ("succeeded", False),
        (late, True),
    ]


def test_an_attempt_that_only_says_its_end_has_an_unknown_start(reports):
    reports.of(a.a_lifecycle("failed"))

    found = run(reports.views, a.RUN, now=reports.now)

    assert (found.status, found.started_at, found.finished_at) == ("failed", None, AT(3))


def test_a_new_attempt_starts_again(reports):
    reports.of(a.a_lifecycle("running"), a.a_lifecycle("succeeded"), a.an_execution(attempt=1, token_id="t2"))
    opened = run(reports.views, a.RUN, now=reports.now)
    reports.of(a.a_lifecycle("starting", attempt=1))

    found = run(reports.views, a.RUN, now=reports.now)

    assert (opened.status, opened.attempt, opened.started_at, opened.finished_at) == ("created", 1, None, None)
    assert (found.status, found.attempt) == ("starting", 1)
    assert [(one.attempt, one.status) for one in found.attempts] == [(0, "succeeded"), (1, "starting")]


def test_what_an_older_attempt_says_later_is_its_own(restarted):
    restarted.of(a.a_lifecycle("running", attempt=1), a.a_lifecycle("running"), a.a_lifecycle("failed"))

    found = run(restarted.views, a.RUN, now=restarted.now)

    assert (found.status, found.attempt, found.finished_at) == ("running", 1, None)
    assert [one.status for one in found.attempts] == ["failed", "running"]


def test_an_attempt_says_when_each_channel_was_first_heard(reports):
    beat = a.an_observation(kind="health", name="transport", values={"stream_id": "s"})
    reports.of(
        a.a_log(""), a.a_log(), a.a_log(), a.a_metrics_batch(), a.a_metrics_batch(), beat, a.an_observation(id="e2")
    )

    (attempt,) = run(reports.views, a.RUN, now=reports.now).attempts

    assert (attempt.first_log_at, attempt.first_point_at, attempt.first_heartbeat_at) == (AT(4), AT(6), AT(8))
    assert (attempt.opened_at, attempt.opened_by) == (AT(2), "ada")


def test_revoked_tokens_and_their_expiry_show_on_the_attempt(restarted):
    restarted.of(a.a_revocation(token_ids=("t1",)), a.a_revocation(token_ids=("t1", "t2")))

    first, second = run(restarted.views, a.RUN, now=restarted.now).attempts

    assert (first.token_revoked_at, second.token_revoked_at) == (AT(4), AT(5))
    assert first.token_expires_at == AT(0)


def test_a_share_shows_until_it_is_taken_back(reports):
    def shared():
        return run(reports.views, a.RUN, now=reports.now).shared

    states = [shared()]
    for event in (a.a_share(), a.a_withdrawal(), a.a_share(share_id="s2")):
        reports.of(event)
        states.append(shared())

    assert states == [False, True, False, True]


def test_a_run_is_shared_while_any_of_its_links_is_open(reports):
    """Each is taken back alone, and some end by themselves."""
    end = reports.now + 1_000_000_000
    reports.of(a.a_share(share_id="s1"), a.a_share(share_id="s2", expires_at=end), a.a_share(share_id="s3"))

    def shared(now: int) -> bool:
        return run(reports.views, a.RUN, now=Micros(now)).shared

    states = [shared(end)]
    for share_id in ("s1", "s3"):
        reports.of(a.a_withdrawal(share_id=share_id))
        states += [shared(end - 1), shared(end)]

    assert states == [True, True, True, True, False]


def test_counts_are_of_everything_that_was_accepted(restarted):
    restarted.scalars.put("loss", 1.0, 2.0)
    restarted.scalars.put("accuracy", 0.5)
    restarted.of(
        a.a_metrics_batch(points=10),
        a.a_metrics_batch(points=5, invalid=(InvalidPoint(1, 3, "nan", 0), InvalidPoint(1, 4, "nan", 0)), attempt=1),
        a.a_log("é\n", "ab"),
        a.a_log("c", attempt=1),
        a.an_observation(),
        a.an_observation(),
        a.an_observation(values={"turns": 9}),
        a.an_observation(attempt=1),
        a.an_artifact(),
        a.an_artifact(size_bytes=7),
        a.an_artifact(attempt=1),
        a.an_outcome(),
        a.an_outcome(round_id="r2"),
        a.an_outcome(attempt=1),
        a.a_trajectory(),
        a.a_trajectory(attempt=1),
        a.a_trajectory_deletion(),
    )

    counts = run(restarted.views, a.RUN, now=restarted.now).counts

    # By hand: é is two bytes; the repeated observation is no second one, the different one is set aside; an artifact
    # reported twice by one attempt is one; a round and a trajectory of two attempts are one.
    assert (counts.series, counts.points, counts.invalid_points) == (2, 15, 2)
    assert (counts.log_bytes, counts.observations, counts.set_aside) == (6, 2, 1)
    assert (counts.artifacts, counts.rounds, counts.trajectories) == (2, 2, 1)


def test_only_what_a_job_reports_is_a_sign_of_life(reports):
    reports.of(a.a_log(), a.a_share(), a.a_withdrawal(), a.a_revocation(), a.an_execution(attempt=1, token_id="t2"))

    assert run(reports.views, a.RUN, now=reports.now).last_event_at == AT(3)
    assert runs(reports.views, now=a.NOON).items[0].last_event_at == AT(3)


def test_a_run_can_be_read_as_it_was(reports):
    before = reports.of(a.a_lifecycle("running"), a.a_metrics_batch(points=3))[-1]
    reports.of(a.a_lifecycle("failed"), a.a_metrics_batch(points=4))

    found = run(reports.views_at(before), a.RUN, now=reports.now)

    assert (found.status, found.finished_at, found.counts.points) == ("running", None, 3)


def test_runs_come_newest_first_and_page_without_gap_or_repeat(nothing):
    nothing.of(*(named(f"r{n}") for n in range(7)))

    first = runs(nothing.views, now=a.NOON, limit=3)
    nothing.of(named("later"))
    second = runs(nothing.views, now=a.NOON, limit=3, cursor=first.next_cursor)
    third = runs(nothing.views, now=a.NOON, limit=3, cursor=second.next_cursor)

    assert [ids(page) for page in (first, second, third)] == [["r6", "r5", "r4"], ["r3", "r2", "r1"], ["r0"]]
    assert third.next_cursor is None


def test_a_last_page_that_is_full_says_that_nothing_follows(nothing):
    nothing.of(*(named(f"r{n}") for n in range(3)))

    assert runs(nothing.views, now=a.NOON, limit=3).next_cursor is None


def test_runs_are_found_by_status_owner_tag_and_text(nothing):
    nothing.of(
        named("a", name="GRPO on maths", tags=("baseline", "h200")),
        named("b", owner="bob", name="sft", recipe="Recipe-One"),
        named("c", name="50% _done", tags=("h200",), framework="nemo-rl"),
    )
    nothing.of(a.an_execution(run=RunId("b")), a.a_lifecycle("failed", run=RunId("b")))
    views = nothing.views

    assert ids(runs(views, now=a.NOON, status="failed")) == ["b"]
    assert ids(runs(views, now=a.NOON, status="created")) == ["c", "a"]
    assert ids(runs(views, now=a.NOON, owner="bob")) == ["b"]
    assert ids(runs(views, now=a.NOON, tag="h200")) == ["c", "a"]
    assert ids(runs(views, now=a.NOON, tag="h2")) == []
    assert ids(runs(views, now=a.NOON, q="grpo ON")) == ["a"]
    assert ids(runs(views, now=a.NOON, q="recipe-one")) == ["b"]
    assert ids(runs(views, now=a.NOON, q="NeMo")) == ["c"]
    assert ids(runs(views, now=a.NOON, q="0% _")) == ["c"]
    assert ids(runs(views, now=a.NOON, q="%")) == ["c"]
    assert ids(runs(views, now=a.NOON, tag="h200", owner="ada", q="maths", status="created")) == ["a"]


def test_no_text_of_a_run_can_stop_its_view(nothing):
    nothing.of(named("a", name="n\0ul", owner="o\0", tags=("t\0",), recipe="r\0", notes="\0"))

    found = run(nothing.views, RunId("a"), now=nothing.now)

    assert (found.faults, found.name, found.notes) == ([], "n\0ul", "\0")
    assert ids(runs(nothing.views, now=a.NOON, q="ul", tag="t\ufffd")) == ["a"]


def test_a_run_in_the_list_is_what_it_is_alone(reports):
    reports.of(a.a_lifecycle("running"))

    (item,) = runs(reports.views, now=a.NOON).items
    whole = run(reports.views, a.RUN, now=Micros(a.NOON))

    assert item == type(item)(**{name: getattr(whole, name) for name in item.__struct_fields__})


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_outside_1_to_1000_is_refused(nothing, limit):
    with pytest.raises(Refused):
        runs(nothing.views, now=a.NOON, limit=limit)
