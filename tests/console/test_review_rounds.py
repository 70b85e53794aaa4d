"""Matched evaluation evidence: a difference only where it may be shown, else why not, and what became of each trial."""

import re
from typing import Any

import pytest
from tuneplane.contract import trajectory_id

from tests.console.test_config import rows
from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE
from tests.console.test_validation import outcome, population, protocol, send


@pytest.fixture
def other(site, job):
    return site.open_attempt()


def report(job, round_id: str, statuses: list[str | None], planned: int | None = None, *, declared=True, **digests):
    said: dict[str, Any] = protocol(round_id)
    said["values"].update(digests)
    events = [outcome(round_id, f"t{n}", status) for n, status in enumerate(statuses) if status]
    if planned is not None:
        events.append(population(round_id, planned))
    send(job, *events, *([said] if declared else []))


def address(left: Any, right: Any, query: str = "", round_id: str = "r1") -> str:
    return f"/review/rounds?left={left.run_id}:{round_id}&right={right.run_id}:{round_id}{query}"


def test_a_difference_of_matched_and_completely_scored_rounds_is_shown_as_observed(site, job, other):
    report(job, "r1", ["failure", "success", "failure", "success"], 4)
    report(other, "r1", ["success", "success", "failure", "success"], 4)
    text = text_of(site.page(address(job, other)))
    assert "Matched : the four digests are the same on both sides, as their producers declare them" in text
    assert "right minus left +25.00 percentage points an observed difference, no statistical proof" in text
    back = text_of(site.page(address(other, job)))
    assert "right minus left -25.00 percentage points" in back


@pytest.mark.parametrize("name", ["dataset", "cohort", "verifier", "settings"])
def test_a_digest_that_differs_is_named_and_shows_no_difference(site, job, other, name):
    report(job, "r1", ["failure"], 1)
    report(other, "r1", ["success"], 1, **{f"{name}_digest": "f" * 64})
    html = site.page(address(job, other))
    text = text_of(html)
    assert "Not matched : declared digests differ" in text
    assert f"The {name} digests differ." in text
    assert "percentage points" not in text
    known = {row[0]: row[3] for row in digests(html)}
    assert known == {**dict.fromkeys(("dataset", "cohort", "verifier", "settings"), "equal"), name: "differs"}
    assert "f" * 64 in html


def digests(html: str) -> list[list[str]]:
    table = re.search(r'<table class="digests">.*?</table>', html, re.DOTALL)
    assert table is not None
    found = re.findall(r"<tr>(.*?)</tr>", table[0], re.DOTALL)[1:]
    return [
        [text_of(cell).strip() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)] for row in found
    ]


@pytest.mark.parametrize(
    ("left", "right", "lacking", "said"),
    [
        (True, False, "missing right", "No protocol was declared for the right round"),
        (False, True, "missing left", "No protocol was declared for the left round"),
        (False, False, "missing on both", "No protocol was declared for the left and the right round"),
    ],
)
def test_a_side_without_a_protocol_is_missing_and_not_different(site, job, other, left, right, lacking, said):
    report(job, "r1", ["failure"], 1, declared=left)
    report(other, "r1", ["success"], 1, declared=right)
    html = site.page(address(job, other))
    assert {row[3] for row in digests(html)} == {lacking}
    assert said in text_of(html)
    assert "digests differ" not in html


@pytest.mark.parametrize(
    ("statuses", "planned", "said"),
    [
        (["success"], None, "nobody declared how many trials were planned"),
        (["success"], 3, "2 trials planned and not reported"),
        (["success", "success"], 1, "1 trial reported beyond the planned population"),
        (["success", "infra_error"], 2, "1 trial ended in an execution error"),
        (["success", "unscored", "unscored"], 3, "2 trials completed without a score"),
        ([None], 0, "nothing is scored"),
    ],
)
def test_a_round_that_is_not_completely_scored_says_what_it_lacks(site, job, other, statuses, planned, said):
    report(job, "r1", ["success"], 1)
    report(other, "r1", statuses, planned)
    text = text_of(site.page(address(job, other)))
    assert "Matched : " in text
    assert f"The right round is not completely scored: {said}." in text
    assert "The left round is not completely scored" not in text
    assert "percentage points" not in text


PLAN: list[tuple[str | None, str | None]] = [
    ("success", "failure"),
    ("success", "failure"),
    ("failure", "success"),
    ("success", "success"),
    (None, "success"),
    ("infra_error", "failure"),
]


@pytest.fixture
def planned(job, other):
    report(job, "r1", [left for left, _ in PLAN], 6)
    report(other, "r1", [right for _, right in PLAN], 6)
    return job, other


def trials(html: str) -> list[list[str]]:
    table = re.search(r'<table class="pairs">.*?</table>', html, re.DOTALL)
    found = re.findall(r"<tr>(.*?)</tr>", table[0], re.DOTALL)[1:] if table else []
    return [
        [text_of(cell).strip() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)] for row in found
    ]


def links(html: str) -> list[tuple[str, str]]:
    return re.findall(r'#trials"[^>]*>([^<]*) <b>([\d,]+)</b></a></li>', html)


def test_regressions_come_first_and_every_transition_is_counted(site, planned):
    html = site.page(address(planned[0], planned[1]))
    assert links(html) == [
        ("success → failure", "2"),
        ("failure → success", "1"),
        ("failure on both", "0"),
        ("success on both", "1"),
        ("not scored on a side", "1"),
        ("missing left", "1"),
        ("missing right", "0"),
        ("all trials", "6"),
    ]
    assert [row[:3] for row in trials(html)] == [
        ["t0", "success trial attempt 0", "failure trial attempt 0"],
        ["t1", "success trial attempt 0", "failure trial attempt 0"],
    ]
    assert "observed transitions from left to right, no statistical proof" in text_of(html)


def test_execution_errors_read_as_such_and_missing_trials_as_missing(site, planned):
    found = trials(site.page(address(planned[0], planned[1], "&transition=all")))
    assert found[4][1:4] == ["missing", "success trial attempt 0", "missing left"]
    assert found[5][1:4] == ["execution error trial attempt 0", "failure trial attempt 0", "not scored on a side"]


def test_the_matrix_counts_each_pair_of_outcomes(site, planned):
    found = rows(site.page(address(planned[0], planned[1])), "trials")
    matrix = {row[0]: row[1:] for row in found if len(row) == 6}
    assert matrix["left"] == ["success", "failure", "execution error", "unscored", "missing"]
    assert matrix["success"] == ["1", "2", "0", "0", "0"]
    assert matrix["execution error"] == ["0", "1", "0", "0", "0"]
    assert matrix["missing"][:4] == ["1", "0", "0", "0"]


def test_a_retry_names_the_attempt_that_counts(site, planned):
    send(planned[0], outcome("r1", "t2", "success", trial_attempt=1))
    found = {row[0]: row[1] for row in trials(site.page(address(planned[0], planned[1], "&transition=both_success")))}
    assert found["t2"] == "success trial attempt 1, 2 reported"


def test_a_trial_leads_to_both_trajectories_or_says_that_none_was_sent(site, planned):
    left, right = planned
    for job, trial in ((left, "t0"), (right, "t0"), (right, "t1")):
        trace = {
            "scope": "validation", "round_id": "r1", "trial_id": trial, "trial_attempt": 0,
            "messages": [{"role": "user", "content": "q"}], "total_messages": 1, "complete": True,
            "capture_policy": "sampled",
        }  # fmt: skip
        assert job.post("trajectory", trace=trace).status_code == 200
    html = site.page(address(left, right))
    one, other = (trajectory_id("validation", "r1", trial, 0) for trial in ("t0", "t1"))
    both = f"/review/trajectories?left={left.run_id}:{one}&amp;right={right.run_id}:{one}"
    assert f'<a href="{both}" title="t0">both trajectories</a>' in html
    assert f'<a href="/review/trajectories?right={right.run_id}:{other}" title="t1">right trajectory</a>' in html
    assert "none sent" in text_of(site.page(address(left, right, "&transition=both_success")))
    assert "Missing text does not mean that a trial failed" in text_of(html)
    past = site.page(address(left, right, f"&as_of={site.container.event_log().head().position}"))
    assert re.search(r'/review/trajectories\?[^"]*as_of=', past) is not None


def test_many_trials_come_in_pages(site, job, other):
    report(job, "r1", ["success"] * 60, 60)
    report(other, "r1", ["failure"] * 60, 60)
    first = site.page(address(job, other))
    more = re.search(r'href="([^"]*)#trials">More trials', first)
    assert more is not None
    second = site.page(more[1].replace("&amp;", "&"))
    assert (len(trials(first)), len(trials(second))) == (50, 10)
    assert links(second)[0] == ("success → failure", "60")


def test_rounds_are_chosen_explicitly_from_lists_with_their_counts(site, planned):
    left, right = planned
    send(left, outcome("r2", "x", "success"))
    html = site.page(f"/review?left={left.run_id}&right={right.run_id}")
    assert " checked" not in html
    assert f'name="left" value="{left.run_id}:r2"' in html
    text = text_of(html)
    assert "r1 5 reported, 6 planned, 3 of 4 scored succeeded; protocol declared" in text
    assert "r2 1 reported, planned unknown, 1 of 1 scored succeeded; no protocol" in text
    half = site.page(f"/review/rounds?left={left.run_id}:r1&right={right.run_id}")
    assert "Choose a round of each job" in half
    assert half.count(" checked") == 1
    assert "percentage points" not in half


def test_a_round_that_is_not_among_the_latest_is_still_shown_as_chosen(site, planned):
    for number in range(9):
        send(planned[0], population(f"later {number}", 1))
    html = site.page(address(planned[0], planned[1]))
    assert html.count(" checked") == 2
    assert "Older rounds" in html


def test_both_rounds_stand_at_one_earlier_moment(site, planned):
    then = site.container.event_log().head().position
    send(planned[1], outcome("r1", "t0", "success", trial_attempt=1))
    assert len(trials(site.page(address(planned[0], planned[1])))) == 1
    past = site.page(address(planned[0], planned[1], f"&as_of={then}"))
    assert len(trials(past)) == 2
    assert f"as_of={then}&amp;transition=all#trials" in past
    api = site.get(f"/api{address(planned[0], planned[1], f'&as_of={then}')}").json()
    assert api["transitions"]["success_to_failure"] == 2
    assert site.get(f"/api{address(planned[0], planned[1])}").json()["transitions"]["success_to_failure"] == 1


def test_checkpoints_stand_apart_from_the_match(site, job, other):
    report(job, "r1", ["success"], 1)
    report(other, "r1", ["success"], 1, checkpoint="another checkpoint")
    text = text_of(site.page(address(job, other)))
    assert "checkpoint step-100" in text
    assert "checkpoint another checkpoint" in text
    assert "right minus left 0.00 percentage points" in text


def test_what_does_not_exist_is_said(site, planned):
    assert site.get(address(planned[0], planned[1], round_id="none")).status_code == 404
    assert site.get(address(planned[0], planned[1], "&transition=lost")).status_code == 422
    assert site.get(address(planned[0], planned[1], "&cursor=junk")).status_code == 422
    assert site.get("/review/rounds").headers["location"] == "/review"


def test_a_round_alone_is_kept_and_offered_the_rounds_of_its_own_job(site, job):
    report(job, "r1", ["success"], 1)
    report(job, "r2", ["failure"], 1)
    led = site.get(f"/review/rounds?left={job.run_id}:r1&right=").headers["location"]
    assert led == f"/review/rounds?left={job.run_id}:r1&right={job.run_id}"
    led = site.get(f"/review/rounds?left=&right={job.run_id}:r1").headers["location"]
    assert led == f"/review/rounds?left={job.run_id}&right={job.run_id}:r1"


def test_names_stay_text_and_find_their_way_back(site, job, other):
    name = f"{HOSTILE[:80]}:&x=1#/?"
    send(job, outcome(name, HOSTILE[:100], "success"))
    send(other, outcome(name, HOSTILE[:100], "failure"))
    chosen = re.findall(
        r'name="(left|right)" value="([^"]*)"', site.page(f"/review?left={job.run_id}&right={other.run_id}")
    )
    html = site.client.get(
        "/review/rounds", params={side: _plain(value) for side, value in chosen if ":" in value}
    ).text
    assert "<script>alert" not in html
    assert len(trials(html)) == 1
    every = re.search(r'href="([^"]*transition=all)#trials"', html)
    assert every is not None
    assert len(trials(site.page(_plain(every[1])))) == 1


def _plain(value: str) -> str:
    for sign, name in (("<", "lt"), (">", "gt"), ('"', "#34"), ("'", "#39"), ("&", "amp")):
        value = value.replace(f"&{name};", sign)
    return value


def test_outcomes_that_nobody_reported_are_unknown_and_no_trial_is_counted_as_unchanged(site, job, other):
    for side in (job, other):
        send_samples(side)
    html = site.page(address(job, other, round_id="5"))
    text = text_of(html)
    assert "success rate unknown: no outcome was reported" in text
    assert "The left round is not completely scored: no outcome was reported." in text
    assert "Unknown: no outcome of the left and the right round was reported. Unknown is not zero." in text
    assert "nothing is scored" not in text
    assert "success → failure" not in text


def test_a_side_without_outcomes_leaves_open_what_became_of_the_trials_of_the_other(site, job, other):
    send_samples(job)
    report(other, "5", ["success", "failure"], 2)
    text = text_of(site.page(address(job, other, round_id="5")))
    assert "Unknown: no outcome of the left round was reported." in text
    assert "missing left 2" in text


def send_samples(job) -> None:
    assert job.post("validation", step=5, samples=[{"idx": 0, "user": "q", "assistant": "a"}]).status_code == 200


@pytest.mark.parametrize(
    ("right", "said"),
    [
        (["success", "success"], "No trial was seen to make this transition."),
        (["success", "unscored"], "seen to make this transition; 1 trial without a verdict on both sides may have."),
        ([None, "infra_error"], "seen to make this transition; 2 trials without a verdict on both sides may have."),
    ],
)
def test_where_no_regression_was_seen_those_without_a_verdict_are_not_cleared(site, job, other, right, said):
    report(job, "r1", ["success", "success"], 2)
    report(other, "r1", right, 2)
    text = text_of(site.page(address(job, other)))
    assert said in text
    unlisted = text_of(site.page(address(job, other, "&transition=missing_left")))
    assert "No trial is counted here." in unlisted


def test_the_heading_says_matched_of_matched_rounds_alone(site, job, other):
    report(job, "r1", ["success"], 1)
    report(other, "r1", ["success"], 1, verifier_digest="f" * 64)
    report(other, "r2", ["success"], 1)
    matched = "<h1>Matched evaluation evidence</h1>"
    assert matched in site.page(address(job, job))
    assert matched not in site.page(address(job, other))
    assert matched not in site.page(f"/review/rounds?left={job.run_id}&right={other.run_id}")


def test_an_outcome_leads_to_the_attempts_of_its_own_trial(site, job, other):
    report(job, "r1", ["success", "success"], 2)
    report(other, "r1", ["success", "failure"], 2)
    html = site.page(address(job, other))
    for side in (job, other):
        assert f'href="/runs/{side.run_id}/validation?round_id=r1&amp;trial_id=t1#trials"' in html
