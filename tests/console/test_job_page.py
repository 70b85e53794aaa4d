"""The top of a job's pages, its charts and its logs."""

import re

import msgspec
import pytest

from application.clock import now
from application.queries.observation_contract import coverage
from application.queries.run import ViewFault, run
from domain.ids import DAY_MICROS, Micros
from entrypoints.http.console.contexts.job import JobHead, JobHeadPart
from entrypoints.http.console.look import Look
from entrypoints.http.console.pages.job_head import _warnings, is_loopback
from entrypoints.http.console.rendering import rendered
from tests.console.conftest import point
from tests.console.test_jobs import HOSTILE
from tests.http.conftest import Job


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html)).replace(" ,", ",")


def test_an_unknown_job_is_a_page_that_says_so(site):
    for path in ("", "/logs", "/validation", "/head"):
        html = site.page(f"/runs/nothing-here{path}", status=404)
        assert "There is no such run." in html
    assert site.get("/runs/%00").status_code == 404


def test_an_unknown_attempt_is_refused(site, job):
    assert "no attempt 7" in site.page(f"/runs/{job.run_id}?attempt=7", status=404)
    assert site.get(f"/runs/{job.run_id}?attempt=-1").status_code == 422
    assert site.get(f"/runs/{job.run_id}?attempt=x").status_code == 422
    assert site.get(f"/runs/{job.run_id}?attempt={'9' * 30}").status_code == 422


def test_the_first_signals_are_told_apart(site, job):
    """The four come by paths of their own and can fail apart."""

    def heard() -> dict[str, bool]:
        found = re.findall(
            r'<li class="(heard|missing)"><a href="/help#\w+">([^<]*)</a>', site.page(f"/runs/{job.run_id}")
        )
        return {name: state == "heard" for state, name in found}

    assert heard() == {"Token opened": True, "First log line": False, "First point": False, "First heartbeat": False}
    job.post("metrics", points=[point()])
    assert heard()["First point"]
    assert not heard()["First log line"]
    job.post("logs", chunks=["hello\n"], eof=False)
    assert heard() == {"Token opened": True, "First log line": True, "First point": True, "First heartbeat": False}
    job.post("observations", events=[heartbeat()], contract=None)
    assert all(heard().values())


def heartbeat(**values) -> dict[str, object]:
    said = {"stream_id": "s", "queued_points": 3, "capacity_points": 100_000, "dropped_points": 0, "dropped_events": 0}
    said |= {"send_failures": 0, "last_success_unix": 1.0, **values}
    return {"id": "h1", "kind": "health", "name": "transport", "ts": "2026-01-01T00:00:00Z", "values": said}


def test_what_is_missing_says_what_to_check(site, job):
    html = site.page(f"/runs/{job.run_id}")
    assert "Does the script call log" in html
    for anchor in re.findall(r'href="/help#(\w+)"', html):
        assert f'id="{anchor}"' in site.page("/help")


def test_a_job_without_an_attempt_says_how_to_open_one(site):
    run = site.container.create_run()(name="no attempt", owner="ada").run_id
    assert f"POST /api/runs/{run}/executions" in site.page(f"/runs/{run}")


def test_losses_are_counted_on_the_page(site, job):
    job.post("observations", events=[heartbeat(dropped_points=1_234, dropped_events=5)], contract=None)
    text = text_of(site.page(f"/runs/{job.run_id}"))
    assert "Transport health: lossy, dropped 1,234 points and 5 events" in text
    assert "queued points 3 of 100,000" in text


def test_heartbeats_that_ended_with_the_job_are_not_held_against_it(site, job):
    job.post("observations", events=[heartbeat()], contract=None)
    job.post("lifecycle", event="succeeded", ts="2026-01-01T00:00:00Z")
    text = head_a_day_later(site, job)
    assert "Transport health: unknown, as heartbeats end with the job; none dropped, as last told" in text


def test_a_job_that_is_not_heard_and_did_not_end_says_why_its_transport_is_unknown(site, job):
    assert "Transport health: unknown, no heartbeat came" in head_a_day_later(site, job)
    job.post("observations", events=[heartbeat()], contract=None)
    assert "unknown, no heartbeat for a minute; none dropped, as last told" in head_a_day_later(site, job)


def test_who_told_no_counts_of_drops_is_not_taken_for_one_that_dropped_none(site, job):
    told = heartbeat()
    told["values"] = {"stream_id": "s"}
    assert job.post("observations", events=[told], contract=None).status_code == 200
    text = head_a_day_later(site, job)
    assert "Transport health: unknown, no heartbeat for a minute" in text
    assert "none dropped" not in text


def head_a_day_later(site, job) -> str:
    with site.container.reading().now() as views:
        later = run(views, job.run_id, now=Micros(now() + DAY_MICROS))
        covered = coverage(views, job.run_id)
    head = JobHead(
        run=later,
        look=Look(run_id=job.run_id),
        tab="charts",
        position=1,
        as_of=None,
        warnings=[],
        signals=[],
        shown=None,
        coverage=covered,
        receipt=None,
        may_change=False,
    )
    return text_of(rendered(JobHeadPart(title="", head=head)).content.decode())


def test_counters_that_nobody_sent_are_unknown_and_not_zero(site, job):
    text = text_of(site.page(f"/runs/{job.run_id}"))
    assert "Transport health: unknown" in text
    assert "dropped points unknown" in text


def test_an_ingest_address_that_only_this_machine_reaches_is_warned_of(site, job):
    assert "which only this machine reaches" in site.page(f"/runs/{job.run_id}")
    job.post("metrics", points=[point()])
    assert "which only this machine reaches" not in site.page(f"/runs/{job.run_id}"), "its job has found the way"


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("http://127.0.0.1:8420", True),
        ("http://localhost", True),
        ("http://a.localhost", True),
        ("http://[::1]:1", True),
        ("http://127.3.4.5", True),
        ("https://tuneplane.example.org", False),
        ("http://10.0.0.7:8420", False),
        ("http://localhost.example.org", False),
    ],
)
def test_loopback_addresses_are_recognised(address, loopback):
    assert is_loopback(address) is loopback


@pytest.mark.parametrize(
    ("days", "event", "warned"), [(1, "running", True), (2, "running", False), (1, "succeeded", False)]
)
def test_a_token_that_ends_soon_under_a_running_job_is_warned_of(site, days, event, warned):
    run = site.container.create_run()(name="long", owner="ada").run_id
    opened = site.container.open_execution()(run, opened_by="ada", token_days=days)
    Job(site, opened).post("lifecycle", event=event, ts="2026-01-01T00:00:00Z")
    assert ("expires within a day" in site.page(f"/runs/{run}")) is warned


def test_a_revoked_token_is_warned_of(site, job):
    site.container.revoke_tokens()(job.run_id, revoked_by="ada")
    assert "was revoked" in site.page(f"/runs/{job.run_id}")


def test_the_charts_page_names_where_its_script_reads(site, job):
    job.post("metrics", points=[point()])
    html = site.page(f"/runs/{job.run_id}?attempt=0")
    assert f'series="/api/runs/{job.run_id}/series?attempt=0"' in html
    assert f'data="/api/runs/{job.run_id}/series/data?attempt=0"' in html
    live = re.search(r'<tp-live src="([^"]*)"', html)
    assert live is not None
    assert "streams=metrics,lifecycle,validation,observations&amp;cursor=" in live[1]
    assert 'placeholder="1 series"' in html


def test_without_points_the_charts_page_says_what_to_check(site, job):
    assert "No point yet." in site.page(f"/runs/{job.run_id}")
    assert "Its evaluation" not in site.page(f"/runs/{job.run_id}")


def test_the_latest_histogram_of_each_name_is_shown_with_its_intervals(site, job):
    for number, counts in enumerate(([9, 9, 9], [1, 0, 4])):
        event = {
            "id": f"e{number}",
            "kind": "histogram",
            "name": "age<b>",
            "ts": "2026-01-01T00:00:00Z",
            "step": number,
        }
        job.post("observations", events=[{**event, "bounds": [0, 2], "counts": counts}], contract=None)
    html = site.page(f"/runs/{job.run_id}/observations/histograms")
    assert "(-∞, 0]: 1; (0, 2]: 0; (2, ∞): 4" in html
    assert "5 counted" in html
    assert "27 counted" not in html
    assert "age<b>" not in html


def test_attempts_can_be_chosen_and_stay_chosen_from_tab_to_tab(site, job):
    site.open_attempt(job.run_id)
    html = site.page(f"/runs/{job.run_id}?attempt=0")
    assert '<option value="0" selected>' in html
    assert f'href="/runs/{job.run_id}/logs?attempt=0"' in html
    assert "surviving lineage" in html
    assert "attempt 1 of 2" in html


def test_the_log_page_holds_the_last_lines_and_goes_on_behind_them(site, job):
    job.post("logs", chunks=[f"line {n}\n" for n in range(700)] + ["half"], eof=False)
    html = site.page(f"/runs/{job.run_id}/logs")
    shown = [int(n) for n in re.findall(r'data-n="(\d+)"', html)]
    assert shown == list(range(401, 701))
    assert re.search(r'class="line partial" [^>]*data-n="700"', html)
    live = re.search(r'<tp-live src="([^"]*)"', html)
    assert live is not None
    stream = live[1].replace("&amp;", "&")
    assert "streams=logs,lifecycle,validation" in stream
    job.post("logs", chunks=[" done\n"], eof=True)
    with site.client.stream("GET", stream) as answer:
        sent = "".join(answer.iter_text())
    assert [line["n"] for line in news(sent)] == [700]
    assert news(sent)[0]["text"] == "half done"


def news(sent: str) -> list[dict[str, object]]:
    """Lines of the `logs` messages of a stream."""
    found = []
    for message in sent.split("\n\n"):
        if "event: logs\n" in message:
            found += msgspec.json.decode(message.partition("data: ")[2])["lines"]
    return found


def test_what_a_job_prints_stays_text(site, job):
    job.post("logs", chunks=[f"{HOSTILE}\n", "bell\x07 nul\x00 bidi\u202e\n", "\x1b[31mred\x1b[0m\n"], eof=False)
    html = site.page(f"/runs/{job.run_id}/logs")
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "\x00" not in html
    assert "\x07" not in html
    assert "bell\ufffd" in html
    assert '<bdi class="text">red</bdi>' in html


def test_the_log_of_an_earlier_attempt_is_not_followed(site, job):
    job.post("logs", chunks=["old\n"], eof=False)
    newer = site.open_attempt(job.run_id)
    newer.post("logs", chunks=["new\n"], eof=False)
    assert "<tp-live src=" not in site.page(f"/runs/{job.run_id}/logs?attempt=0")
    html = site.page(f"/runs/{job.run_id}/logs")
    assert "new" in html
    assert "<tp-live src=" in html


def test_a_viewer_and_who_owns_another_job_are_not_offered_to_share_it(site, job):
    assert "<tp-share" in site.page(f"/runs/{job.run_id}")
    other = site.container.create_run()(name="of grace", owner="grace").run_id
    assert "<tp-share" not in site.page(f"/runs/{other}")


def test_the_head_alone_can_be_renewed(site, job):
    html = site.page(f"/runs/{job.run_id}/head?tab=logs")
    assert html.strip().startswith('<section id="head"')
    assert "<html" not in html


def test_a_fault_of_a_view_shows_on_its_job(site, job):
    """What a view lacks is said where it is looked at."""
    with site.container.reading().now() as views:
        found = run(views, job.run_id, now=Micros(0))
    fault = ViewFault(projection="round", position=5, error="KeyError", at="2026-01-01T00:00:00.000000Z")
    faulty = msgspec.structs.replace(found, faults=[fault])
    warnings = list(_warnings(faulty, None, "https://tuneplane.example.org", Micros(0)))
    assert len(warnings) == 1
    assert "The view round could not take in event 5 (KeyError)" in warnings[0]


def test_a_job_that_lost_reports_says_so_in_the_table_whatever_its_columns(site):
    lossy, whole = site.open_attempt(), site.open_attempt()
    lossy.post("observations", events=[heartbeat(dropped_points=1)], contract=None)
    whole.post("observations", events=[heartbeat(dropped_points=0)], contract=None)
    rows = dict(re.findall(r'<tr id="row-([^"]*)">(.*?)</tr>', site.page("/?column=tags"), re.DOTALL))
    assert "lossy" in text_of(rows[lossy.run_id])
    assert "lossy" not in text_of(rows[whole.run_id])
