import hashlib
import json
import re

import pytest
from tuneplane import contract, observations

from application.queries.round import Round
from entrypoints.http.console.pages.rounds import round_view
from tests.console.conftest import Site
from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE

TS = "2026-01-01T00:00:00Z"


def identity(*parts: object) -> str:
    return "validation:" + hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()


def outcome(
    round_id: str, trial: str, status: str, trial_attempt: int = 0, eligible: bool = False
) -> dict[str, object]:
    name = "validation.outcome"
    values = {"round_id": round_id, "trial_id": trial, "trial_attempt": trial_attempt, "status": status}
    return {
        "id": identity(name, round_id, trial, trial_attempt),
        "kind": "event",
        "name": name,
        "ts": TS,
        "values": {**values, "training_eligible": eligible},
    }


def population(round_id: str, expected: int) -> dict[str, object]:
    name = "validation.population"
    return {
        "id": identity(name, round_id),
        "kind": "event",
        "name": name,
        "ts": TS,
        "values": {"round_id": round_id, "expected": expected},
    }


def metric(round_id: str, key: str, value: float) -> dict[str, object]:
    name = "validation.metric"
    return {
        "id": identity(name, round_id, key),
        "kind": "event",
        "name": name,
        "ts": TS,
        "values": {"round_id": round_id, "key": key, "value": value, "unit": "native"},
    }


def protocol(round_id: str) -> dict[str, object]:
    name = "validation.protocol"
    digests = {f"{one}_digest": "0123456789abcdef" * 4 for one in ("dataset", "cohort", "verifier", "settings")}
    return {
        "id": identity(name, round_id),
        "kind": "event",
        "name": name,
        "ts": TS,
        "values": {"round_id": round_id, **digests, "split": "heldout", "checkpoint": "step-100"},
    }


def send(job, *events: dict[str, object]) -> None:
    for start in range(0, len(events), contract.EVENTS_PER_CALL):
        answer = job.post("observations", events=list(events[start : start + contract.EVENTS_PER_CALL]), contract=None)
        assert answer.status_code == 200, answer.text


@pytest.fixture
def evaluated(job):
    """10 planned: 5 right, 1 wrong, 1 that broke, 1 unscored; 2 not reported."""
    send(
        job,
        population("r1", 10),
        *(outcome("r1", f"t{n}", "success", eligible=n < 2) for n in range(5)),
        outcome("r1", "t5", "failure"),
        outcome("r1", "t6", "infra_error"),
        outcome("r1", "t7", "unscored"),
        metric("r1", "loss", 0.25),
        protocol("r1"),
    )
    return job


def page(site: Site, job, query: str = "") -> str:
    return site.page(f"/runs/{job.run_id}/validation{query}")


def test_counts_and_rates_of_a_round_stand_with_their_denominators(site, evaluated):
    html = page(site, evaluated)
    text = text_of(html)
    assert "8 reported, 10 planned" in text
    assert "success rate 83.3 %: 5 of 6 scored (successes and failures)" in text
    assert "scoring coverage 60.0 %: 6 scored of 10 planned" in text
    assert "2 marked training-eligible by the producer, which promotes nothing" in text
    assert "loss 0.25 in its own unit" in text
    assert 'aria-label="5 success, 1 failure, 1 execution error, 1 unscored, 2 not reported"' in html
    bars = re.findall(r'<rect class="(\w+)" x="([\d.]+)" y="0" width="([\d.]+)"', html)
    assert [(kind, float(x), float(width)) for kind, x, width in bars] == [
        ("success", 0, 50),
        ("failure", 50, 10),
        ("infra_error", 60, 10),
        ("unscored", 70, 10),
        ("not_reported", 80, 20),
    ]


def test_a_few_failures_beside_thousands_that_were_not_reported_can_be_seen(site, job):
    send(job, population("r1", 5_000), *(outcome("r1", f"t{at}", "failure") for at in range(10)))
    html = page(site, job)
    bars = re.findall(r'<rect class="(\w+)" x="[\d.]+" y="0" width="([\d.]+)"', html)
    assert [kind for kind, _ in bars] == ["failure", "not_reported"]
    assert 0.9 < float(bars[0][1]) < 1.1, "10 of 5,000 are 0.2 %: less than the line between the two"
    assert sum(float(width) for _, width in bars) == pytest.approx(100)
    assert 'aria-label="10 failure, 4,990 not reported"' in html


def test_without_points_the_charts_page_says_where_the_evaluation_is(site, job):
    send(job, population("r1", 5))
    job.post("lifecycle", event="succeeded", ts=TS)
    html = site.page(f"/runs/{job.run_id}")
    assert f'No point was reported. Its evaluation: <a href="/runs/{job.run_id}/validation">' in html


def a_round(**changes) -> Round:
    given = {
        "round_id": "r",
        "attempt": 0,
        "expected": 10,
        "reported": 8,
        "success": 5,
        "failure": 1,
        "infra_error": 1,
        "unscored": 1,
        "not_reported": 2,
        "training_eligible": 0,
        "retried": 0,
        "success_rate": 5 / 6,
        "scoring_coverage": 0.6,
        "population": "declared",
        "protocol": None,
        "metrics": [],
        "set_aside": 0,
    }
    return Round(**{**given, **changes})


def test_where_there_is_no_rate_the_reason_stands_in_its_place():
    nothing = round_view(a_round(success=0, failure=0, success_rate=None, scoring_coverage=0.0))
    assert nothing.rate == "unknown: nothing is scored"
    assert nothing.coverage == "0 %: 0 scored of 10 planned"
    unplanned = round_view(a_round(expected=None, not_reported=None, scoring_coverage=None, population="unknown"))
    assert unplanned.coverage == "unknown: nobody declared how many trials were planned"
    exceeded = round_view(a_round(expected=7, not_reported=None, scoring_coverage=None, population="exceeded"))
    assert exceeded.coverage == "unknown: 8 trials were reported, more than the 7 planned"
    empty = round_view(a_round(expected=0, reported=0, scoring_coverage=None))
    assert empty.coverage == "unknown: no trials were planned"


def test_a_round_that_only_sent_samples_is_unknown_and_not_zero(site, job):
    answer = job.post("validation", step=3, samples=[{"idx": 0, "user": "secret q", "assistant": "a"}])
    assert answer.status_code == 200, answer.text
    text = text_of(page(site, job))
    assert "Outcomes unknown" in text
    assert "reported: unknown, planned: unknown" in text
    assert "0 success" not in text
    assert "secret q" not in text


def test_a_job_without_rounds_is_unknown_and_says_how_to_report_one(site, job):
    text = text_of(page(site, job))
    assert "unknown, not zero" in text
    assert "validation_outcome(" in text


def test_a_round_without_a_protocol_says_so_and_one_with_it_does_not_certify_it(site, evaluated):
    assert "declared by the producer and not certified" in page(site, evaluated)
    send(evaluated, outcome("r2", "t", "success"))
    assert "No protocol was declared" in page(site, evaluated)


def test_the_newest_round_comes_first_and_older_ones_are_paged(site, job):
    for number in range(12):
        send(job, population(f"round {number}", 1))
    first = page(site, job)
    found = re.findall(r"<h2><bdi>(round \d+)</bdi></h2>", first)
    assert found == [f"round {number}" for number in range(11, 1, -1)]
    older = re.search(r'href="([^"]*)">Older rounds', first)
    assert older is not None
    assert re.findall(r"<h2><bdi>(round \d+)</bdi></h2>", site.page(older[1].replace("&amp;", "&"))) == [
        "round 1",
        "round 0",
    ]


def trial_ids(html: str) -> list[str]:
    return re.findall(r'title="Its attempts"><bdi>([^<]*)</bdi>', html)


def test_trials_are_filtered_by_their_current_outcome(site, evaluated):
    assert trial_ids(page(site, evaluated, "?round_id=r1")) == [f"t{n}" for n in range(8)]
    assert trial_ids(page(site, evaluated, "?round_id=r1&status=infra_error")) == ["t6"]
    send(evaluated, outcome("r1", "t6", "success", trial_attempt=1))
    assert trial_ids(page(site, evaluated, "?round_id=r1&status=infra_error")) == []
    assert "t6" in trial_ids(page(site, evaluated, "?round_id=r1&status=success"))
    assert site.get(f"/runs/{evaluated.run_id}/validation?round_id=r1&status=lost").status_code == 422
    assert site.get(f"/runs/{evaluated.run_id}/validation?round_id=nothing").status_code == 404


def test_more_than_fifty_trials_come_in_pages(site, job):
    send(job, *(outcome("r1", f"t{n:03}", "success") for n in range(60)))
    first = page(site, job, "?round_id=r1&status=success")
    more = re.search(r'href="([^"]*)#trials">More trials', first)
    assert more is not None
    assert len(trial_ids(first)) == 50
    assert trial_ids(site.page(more[1].replace("&amp;", "&"))) == [f"t{n:03}" for n in range(50, 60)]


def attempts_shown(html: str) -> list[tuple[str, str]]:
    """The attempts of the opened trial: what stands at their heads, and their outcomes."""
    part = re.search(r'<section class="retries".*?</section>', html, re.DOTALL)
    assert part is not None
    rows = re.findall(r'<th scope="row">(.*?)</th>\s*<td>\s*<span class="outcome (\w+)">', part[0])
    return [(text_of(head).strip(), status) for head, status in rows]


def test_the_retries_of_a_trial_show_what_counts_and_what_was_set_aside(site, evaluated):
    end = len(site.events())
    send(evaluated, outcome("r1", "t6", "success", trial_attempt=1), outcome("r1", "t6", "failure", trial_attempt=0))
    listed = page(site, evaluated, "?round_id=r1")
    assert 'class="retries"' not in listed
    address = re.search(r'hx-get="([^"]*trial_id=t6)"', listed)
    assert address is not None
    html = site.page(address[1].replace("&amp;", "&"))
    assert attempts_shown(html) == [("1 counts", "success"), ("0", "infra_error"), ("set aside", "failure")]
    assert 'aria-expanded="true" title="Its attempts"><bdi>t6</bdi>' in html
    events = re.findall(r'href="([^"]*)#event-(\d+)"', html)
    assert [position for _, position in events] == [str(end + 1), str(end - 3), str(end + 2)]
    for address, position in events:
        assert re.findall(r'<tr id="event-(\d+)"', site.page(address.replace("&amp;", "&")))[0] == position
    assert "The highest 100 attempts are shown" not in html


def test_a_trial_that_the_page_does_not_list_is_shown_above_it(site, evaluated):
    html = page(site, evaluated, "?round_id=r1&status=failure&trial_id=t6")
    assert attempts_shown(html) == [("0 counts", "infra_error")]
    assert trial_ids(html) == ["t5"]
    assert site.get(f"/runs/{evaluated.run_id}/validation?round_id=r1&trial_id=t99").status_code == 404


def test_the_highest_hundred_attempts_are_shown_and_it_says_so(site, job):
    send(job, *(outcome("r1", "t", "infra_error", trial_attempt=n) for n in range(103)))
    html = page(site, job, "?round_id=r1&trial_id=t")
    shown = attempts_shown(html)
    assert (len(shown), shown[0][0], shown[-1][0]) == (100, "102 counts", "3")
    assert "The highest 100 attempts are shown" in html


def test_retried_trials_and_reports_set_aside_are_counted_and_found(site, evaluated):
    assert "retried" not in text_of(page(site, evaluated, "?round_id=r1"))
    send(evaluated, outcome("r1", "t6", "success", trial_attempt=1), outcome("r1", "t0", "failure"))
    html = page(site, evaluated, "?round_id=r1")
    assert "1 trial retried: the highest attempt is the outcome" in text_of(html)
    assert "retried 1" in text_of(html)
    assert "with a report set aside 1" in text_of(html)
    assert trial_ids(page(site, evaluated, "?round_id=r1&only=retried")) == ["t6"]
    assert trial_ids(page(site, evaluated, "?round_id=r1&only=set_aside")) == ["t0"]
    assert site.get(f"/runs/{evaluated.run_id}/validation?round_id=r1&only=lost").status_code == 422


def test_trials_are_searched_by_a_part_of_their_id_and_filters_keep_it(site, evaluated):
    send(evaluated, outcome("r1", "Maths/1", "success"), outcome("r1", "maths/2", "failure"))
    html = page(site, evaluated, "?round_id=r1&q=MATHS")
    assert trial_ids(html) == ["Maths/1", "maths/2"]
    assert "2 trials with this in the id" in text_of(html)
    failures = re.search(r'href="([^"]*status=failure[^"]*)#trials"', html)
    assert failures is not None
    assert trial_ids(site.page(failures[1].replace("&amp;", "&"))) == ["maths/2"]
    assert "No trial of this round meets this now" in page(site, evaluated, "?round_id=r1&q=nothing")
    assert site.get(f"/runs/{evaluated.run_id}/validation?round_id=r1&q=%00").status_code == 422


def trace(trial: str, **more) -> dict[str, object]:
    message = {"role": "user", "content": "a secret question"}
    return {
        "scope": "validation",
        "round_id": "r1",
        "trial_id": trial,
        "trial_attempt": 0,
        "messages": [message],
        "total_messages": 1,
        "complete": True,
        "capture_policy": "all",
        **more,
    }


def test_a_trial_leads_to_its_text_and_says_why_it_ended_where_the_producer_did(site, evaluated):
    assert (
        evaluated.post("trajectory", trace=trace("t6", termination="VerifierTimeoutError: <b>60 s")).status_code == 200
    )
    html = page(site, evaluated, "?round_id=r1&status=infra_error")
    name = contract.trajectory_id("validation", "r1", "t6", 0)
    assert f'href="/runs/{evaluated.run_id}/trajectories/{name}">trajectory</a>' in html
    assert "VerifierTimeoutError: &lt;b&gt;60 s" in html
    assert "a secret question" not in html
    assert "no reason given" in page(site, evaluated, "?round_id=r1&status=unscored")
    assert "no reason given" not in page(site, evaluated, "?round_id=r1&status=failure")


def test_a_trial_without_text_says_why_it_ended_where_an_observation_does(site, evaluated):
    reason = observations.trial_reason("r1", "t6", 0, "EnvironmentStartTimeoutError: <b>60 s")
    assert evaluated.post("observations", events=[reason]).status_code == 200

    said = "EnvironmentStartTimeoutError: &lt;b&gt;60 s"
    assert said in page(site, evaluated, "?round_id=r1&status=infra_error")
    assert page(site, evaluated, "?round_id=r1&trial_id=t6&status=infra_error").count(said) == 2, "in its history, too"
    assert said not in page(site, evaluated, "?round_id=r1&status=success")


def test_planned_trials_that_nobody_reported_are_named_as_a_number_alone(site, evaluated):
    assert "2 planned trials not reported: how many were planned is known, not which" in text_of(
        page(site, evaluated, "?round_id=r1")
    )


def test_a_round_leads_to_a_comparison_with_another(site, job):
    send(job, outcome("a/b c", "t", "success"))
    assert f'href="/review/rounds?left={job.run_id}:a%2Fb%20c"' in page(site, job)


def test_one_round_needs_no_overview_and_several_stand_in_the_order_in_which_they_began(site, evaluated):
    assert "in the order in which they began" not in page(site, evaluated)
    send(evaluated, outcome("r2", "t", "failure"), protocol("r2"), population("r3", 4), population("r2", 1))
    assert evaluated.post("validation", step=9, samples=[{"idx": 0, "user": "q", "assistant": "a"}]).status_code == 200
    html = page(site, evaluated)
    table = re.search(r'<section class="overview">.*?</section>', html, re.DOTALL)
    assert table is not None
    rows = [text_of(row).strip() for row in re.findall(r"<tr>(.*?)</tr>", table[0], re.DOTALL)][1:]
    assert rows == [
        "r1 step-100 83.3 % 5 of 6 scored 60.0 % 6 of 10 planned A",
        "r2 step-100 0 % 0 of 1 scored 100 % 1 of 1 planned A",
        "r3 unknown unknown 0 % 0 of 4 planned none",
        "9 unknown unknown unknown unknown none",
    ]
    assert "without a claim of a trend or a ranking" in text_of(html)


def test_digests_are_shown_whole_in_the_page_and_field_by_field(site, evaluated):
    html = page(site, evaluated)
    assert html.count(f'<tp-digest><code class="digest">{"0123456789abcdef" * 4}</code></tp-digest>') == 4
    text = text_of(html)
    assert "split heldout" in text
    assert "checkpoint step-100" in text


def test_the_page_can_be_asked_of_an_attempt_and_of_the_past(site, evaluated):
    then = len(site.events()) - 5  # before the last five: t5, t6, t7, loss and the protocol
    again = site.open_attempt(evaluated.run_id)
    send(again, outcome("r1", "new", "failure"))
    assert trial_ids(page(site, evaluated, "?round_id=r1")) == ["new"]
    html = page(site, evaluated, "?round_id=r1&attempt=0&q=t6")
    assert trial_ids(html) == ["t6"]
    assert '<input type="hidden" name="attempt" value="0">' in html
    assert all("attempt=0" in one for one in re.findall(r'href="([^"]*)#trials"', html))
    past = page(site, evaluated, f"?round_id=r1&as_of={then}")
    assert trial_ids(past) == ["t0", "t1", "t2", "t3", "t4"]
    assert f'<input type="hidden" name="as_of" value="{then}">' in past
    assert all(f"as_of={then}" in one for one in re.findall(r'href="([^"]*)#trials"', past))


def test_names_of_rounds_and_trials_stay_text_and_find_their_way_back(site, job):
    send(job, outcome(HOSTILE, f"{HOSTILE}&x=1#/?", "success"))
    html = page(site, job)
    assert "<script>alert" not in html
    inspect = re.search(r'<a href="([^"]*)#trials"', html)
    assert inspect is not None
    trials = site.page(inspect[1].replace("&amp;", "&"))
    assert "<script>alert" not in trials
    history = re.search(r'hx-get="([^"]*trial_id=[^"]*)"', trials)
    assert history is not None
    opened = site.page(history[1].replace("&amp;", "&"))
    assert attempts_shown(opened) == [("0 counts", "success")]
    assert "<script>alert" not in opened
