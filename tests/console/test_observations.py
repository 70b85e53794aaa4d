"""What a job observed beside its curves: coverage by capability, histograms, events, and reporting health."""

import re

import pytest

from tests.console.conftest import point
from tests.console.test_job_head import CONTRACT
from tests.console.test_job_page import heartbeat, text_of
from tests.console.test_jobs import HOSTILE

TS = "2026-01-01T00:00:00Z"
PARTS = ("coverage", "histograms", "histogram", "events", "health")


def observe(job, *events, contract=None):
    answer = job.post("observations", events=list(events), contract=contract)
    assert answer.status_code == 200, answer.text
    return answer.json()["position"]


def event(n: int = 0, name: str = "agent/terminal", **more) -> dict[str, object]:
    return {"id": f"{name}:{n}", "kind": "event", "name": name, "ts": TS, **more}


def histogram(n: int = 0, name: str = "age", counts=(1, 0, 4), bounds=(0, 2), **more) -> dict[str, object]:
    return {**event(n, name), "kind": "histogram", "counts": list(counts), "bounds": list(bounds), **more}


def part(site, job, name: str, query: str = "") -> str:
    return text_of(site.page(f"/runs/{job.run_id}/observations/{name}{query}"))


def rows(html: str, table: str) -> list[str]:
    """The rows of the table that is called so."""
    found = re.search(rf'aria-label="{table}">(.*?)</table>', html, re.DOTALL)
    whole = re.findall(r"<tr.*?</tr>", found[1], re.DOTALL) if found else []
    return [text_of(row).strip() for row in whole[1:]]


def test_everything_stands_below_the_charts_and_on_a_page_of_its_own(site, job):
    observe(job, event(), histogram(), heartbeat(), contract=CONTRACT)
    for address in (f"/runs/{job.run_id}", f"/runs/{job.run_id}/observations"):
        html = site.page(address)
        for anchor in ("coverage", "histograms", "events", "reporting"):
            assert f'id="{anchor}"' in html
            assert f'href="#{anchor}"' in html


def test_empty_parts_say_what_to_do_and_that_nothing_is_known(site, job):
    text = text_of(site.page(f"/runs/{job.run_id}/observations"))
    assert "coverage is unknown. configure_observability(" in text
    assert "No histogram was reported. observe(" in text
    assert "Nothing was observed. observe(" in text
    assert "No heartbeat was heard: the health of reporting is unknown, which is no proof that training" in text


def test_coverage_is_told_by_capability_with_what_matched(site, job):
    observe(job, event(), contract=CONTRACT)
    job.post("metrics", points=[point("loss")])
    text = part(site, job, "coverage")
    assert "2 of 3 enabled requirements reported, 1 missing 1 not enabled" in text
    assert "every run asked, 1 of 2 reported" in text
    assert "agent enabled, 1 of 1 reported" in text
    assert "moe not enabled, 0 of 1 reported" in text
    assert "core/loss reported loss undeclared" in text
    assert "core/kl missing undeclared" in text
    assert "moe/balance not enabled undeclared" in text


def test_a_capability_that_asks_for_nothing_is_told(site, job):
    observe(job, contract={**CONTRACT, "capabilities": ["agent", "async"]})
    assert "async enabled, asks for nothing" in part(site, job, "coverage")


def test_of_many_matches_the_first_are_shown_and_the_rest_counted(site, job):
    asked = [{"id": "moe/balance", "candidates": ["moe/*"]}]
    observe(job, contract={"version": 1, "requirements": asked})
    job.post("metrics", points=[point(f"moe/{n:02}") for n in range(70)])
    assert "moe/07 and 56 more, at least" in part(site, job, "coverage")


def test_an_event_is_shown_with_all_that_was_said_and_what_was_not_as_unknown(site, job):
    observe(job, event(1, step=7, policy_version=3, values={"reason": "max_turns", "turns": 4, "ok": True}), event(2))
    second, first = rows(site.page(f"/runs/{job.run_id}/observations/events"), "Events")
    assert re.search(r"agent/terminal event 7 3 reason max_turns turns 4 ok true 0 agent/terminal:1 at \d+", first)
    assert re.search(r"agent/terminal event none unknown 0 agent/terminal:2 at \d+", second)


def test_events_are_filtered_by_name_and_kind_before_the_latest_100(site, job):
    observe(job, event(0, "rare"), heartbeat())
    for start in range(0, 120, 60):
        observe(job, *(event(n, "common") for n in range(start, start + 60)))
    html = site.page(f"/runs/{job.run_id}/observations/events")
    assert len(rows(html, "Events")) == 100
    assert "Older ones are in the history" in text_of(html)
    assert len(rows(site.page(f"/runs/{job.run_id}/observations/events?name=rare"), "Events")) == 1
    assert len(rows(site.page(f"/runs/{job.run_id}/observations/events?kind=health"), "Events")) == 1
    assert "Nothing was observed under this name" in part(site, job, "events", "?name=rare&kind=histogram")


def test_filters_work_by_links_and_forms_alone(site, job):
    observe(job, event(0, "rare"), event(0, "common"))
    html = site.page(f"/runs/{job.run_id}/observations?name=rare&kind=event")
    assert len(rows(html, "Events")) == 1
    assert 'value="rare" list="event-names"' in html
    assert '<option value="event" selected>' in html
    assert '<option value="common">' in html


def test_the_health_of_each_reporter_stays_whatever_came_after_it(site, job):
    observe(job, heartbeat(node="node-7", pid=42, dropped_points=3, send_failures=2))
    for start in range(0, 120, 60):
        observe(job, *(event(n) for n in range(start, start + 60)))
    html = site.page(f"/runs/{job.run_id}/observations/health")
    (row,) = rows(html, "Reporters")
    assert row.startswith("node-7 process 42 s heard")
    assert "3 of 100,000" in row
    assert "3 points, 0 events 2 0" in row
    assert '<b class="lost">3 points' in html


def test_a_reporter_that_has_finished_is_not_silent(site, job):
    observe(job, heartbeat(finished=True))
    assert "node unknown s finished" in part(site, job, "health")


def test_other_health_is_shown_with_its_values(site, job):
    observe(job, {**heartbeat(invalid=3, first_reason="nan"), "name": "invalid_metrics"})
    assert "invalid_metrics" in part(site, job, "health")
    assert "first_reason nan" in part(site, job, "health")


def test_the_queue_and_failed_sends_of_a_reporter_are_drawn_over_its_heartbeats(site, job):
    for n, (queued, failures) in enumerate(((0, 0), (50_000, 1), (100_000, 2))):
        observe(job, {**heartbeat(queued_points=queued, send_failures=failures), "id": f"h{n}"})
    html = site.page(f"/runs/{job.run_id}/observations/health")
    assert re.findall(r'points="([^"]*)"', html) == ["0.0,19.0 50.0,10.0 100.0,1.0"] * 2
    assert "Queue over the latest 3 heartbeats" in html


def test_a_histogram_is_chosen_by_its_name_and_drawn_from_its_own_numbers(site, job):
    observe(job, histogram(0, "a"), histogram(0, "b/ä&name=x"), event())
    html = site.page(f"/runs/{job.run_id}/observations")
    assert f'source="/api/runs/{job.run_id}/histograms?name=a"' in html
    chosen = site.page(f"/runs/{job.run_id}/observations/histogram?histogram=b/%C3%A4%26name%3Dx")
    assert "histograms?name=b%2F%C3%A4%26name%3Dx" in chosen
    assert "selected>b/ä&amp;name=x</option>" in chosen


def test_of_many_names_a_dozen_histograms_are_shown_and_all_can_be_chosen(site, job):
    observe(job, *(histogram(0, f"n{n:02}") for n in range(15)))
    html = site.page(f"/runs/{job.run_id}/observations")
    assert "12 of 15 names" in text_of(html)
    assert html.count("<figcaption>") == 12
    assert html.count('<option value="n') == 15 + 15


def test_the_numbers_of_a_histogram_are_read_by_programs(site, job):
    observe(job, histogram(0, step=1), histogram(1, step=2, bounds=(0, 3)))
    found = site.get(f"/api/runs/{job.run_id}/histograms?name=age").json()
    assert [(one["bounds"], one["reports"][0]["counts"]) for one in found["sets"]] == [
        ([0, 3], [1, 0, 4]),
        ([0, 2], [1, 0, 4]),
    ]
    assert found["sets"][0]["intervals"] == ["(-∞, 0]", "(0, 3]", "(3, ∞)"]
    assert site.get(f"/api/runs/{job.run_id}/histograms").status_code in {400, 422}


@pytest.mark.parametrize("name", PARTS)
def test_parts_are_of_the_chosen_attempt_and_moment_and_follow_only_the_present(site, job, name):
    before = observe(job, event(0, "first"), histogram(0, "h-first"), heartbeat(stream_id="r-first"))
    newer = site.open_attempt(job.run_id)
    observe(newer, event(0, "second"), histogram(0, "h-second"), heartbeat(stream_id="r-second"))
    whole = site.page(f"/runs/{job.run_id}/observations/{name}")
    of_first = site.page(f"/runs/{job.run_id}/observations/{name}?attempt=0")
    past = site.page(f"/runs/{job.run_id}/observations/{name}?as_of={before}")
    if name != "coverage":
        assert "second" in whole
    assert "second" not in of_first
    assert "second" not in past
    assert "tp-observations" not in past
    assert " follow" not in past


def test_the_past_follows_nothing(site, job):
    before = observe(job, event(), histogram(), heartbeat(), contract=CONTRACT)
    for address in (f"/runs/{job.run_id}", f"/runs/{job.run_id}/observations"):
        assert "tp-observations" in site.page(address)
        past = site.page(f"{address}?as_of={before}")
        assert "tp-observations" not in past
        assert "<tp-live src=" not in past


@pytest.mark.parametrize("name", ["", *(f"/{one}" for one in PARTS)])
def test_an_unknown_job_or_attempt_has_no_observations(site, job, name):
    assert site.get(f"/runs/nothing/observations{name}").status_code == 404
    assert site.get(f"/runs/{job.run_id}/observations{name}?attempt=9").status_code == 404


def test_what_a_job_says_stays_text(site, job):
    asked = [{"id": HOSTILE, "candidates": [HOSTILE], "capability": None, "unit": HOSTILE[:500]}]
    observe(job, event(0, HOSTILE[:200], values={HOSTILE[:60]: HOSTILE}), histogram(1, HOSTILE[:200]))
    observe(job, heartbeat(stream_id=HOSTILE, node=HOSTILE), contract={"version": 1, "requirements": asked})
    html = site.page(f"/runs/{job.run_id}/observations")
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "&lt;" in html
