import re

import pytest

from application.queries.run import runs
from domain.ids import Micros, Position
from domain.rules.transport_health import SILENT_AFTER_MICROS
from entrypoints.http.console.pages.jobs import is_silent
from tests.console.conftest import Site, point

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def make(site: Site, name: str, run_id: str | None = None, **more) -> str:
    return site.container.create_run()(name=name, owner=more.pop("owner", "ada"), run_id=run_id, **more).run_id


def names(html: str) -> list[str]:
    return re.findall(r'<a id="job-[^"]*" href="[^"]*"><bdi>([^<]*)</bdi>', html)


def test_an_empty_console_says_how_a_first_job_gets_in(site):
    html = site.page("/")
    assert "No jobs yet" in html
    assert "tuneplane run" in html


def test_jobs_are_listed_newest_first_and_lead_to_their_pages(site):
    make(site, "first", "r-1")
    make(site, "second", "r-2", tags=["math"])
    html = site.page("/")
    assert names(html) == ["second", "first"]
    assert 'href="/runs/r-2"' in html
    assert 'href="/?tag=math"' in html
    assert 'href="/?owner=ada"' in html


def test_search_and_filters_live_in_the_address(site):
    make(site, "grpo maths", "r-1", tags=["math"])
    make(site, "sft code", "r-2", owner="grace")
    job = site.open_attempt("r-2")
    job.post("lifecycle", event="failed", ts="2026-01-01T00:00:00Z")
    assert names(site.page("/?q=MATHS")) == ["grpo maths"]
    assert names(site.page("/?status=failed")) == ["sft code"]
    assert names(site.page("/?owner=grace")) == ["sft code"]
    assert names(site.page("/?tag=math")) == ["grpo maths"]
    assert names(site.page("/?q=nothing&status=failed")) == []
    html = site.page("/?q=nothing")
    assert "No job meets these filters" in html
    assert 'value="nothing"' in html


def test_an_unknown_status_is_refused_with_a_page_that_says_so(site):
    html = site.page("/?status=crashed", status=422)
    assert "must be one of created, starting, running, succeeded, failed" in html


def test_more_than_fifty_jobs_come_in_pages(site):
    for number in range(53):
        make(site, f"job {number}", f"r-{number}", tags=["many"])
    first = site.page("/?tag=many")
    following = re.search(r'href="([^"]*cursor=[^"]*)"', first)
    assert following is not None
    assert len(names(first)) == 50
    second = site.page(following[1].replace("&amp;", "&"))
    assert names(second) == ["job 2", "job 1", "job 0"]
    assert 'href="/?tag=many">Newest' in second


def test_whatever_a_job_is_called_stays_text(site):
    make(site, HOSTILE, "r-1", tags=[HOSTILE[:64]], recipe=HOSTILE)
    for address in ("/", "/runs/r-1", "/runs/r-1/logs", f"/?q={HOSTILE}&owner={HOSTILE}&tag={HOSTILE}"):
        html = site.page(address)
        assert "<script>alert" not in html
        assert "<img src=x" not in html


def test_a_job_that_never_reported_was_never_heard_and_is_not_silent(site):
    make(site, "quiet", "r-1")
    site.open_attempt("r-1")
    html = site.page("/")
    assert "never" in html
    assert "silent since" not in html


@pytest.mark.parametrize(
    ("status", "seconds", "silent"),
    [("running", 59.9, False), ("running", 60.0, True), ("starting", 61, True), ("succeeded", 999, False)],
)
def test_silence_is_shown_of_jobs_that_should_be_running_after_a_minute(site, job, status, seconds, silent):
    assert SILENT_AFTER_MICROS == 60_000_000
    job.post("lifecycle", event=status, ts="2026-01-01T00:00:00Z")
    with site.container.reading().now() as views:
        [item] = runs(views).items
    heard = next(e.recorded_at for e in reversed(site.container.event_log().read(Position(0), limit=1000)))
    assert is_silent(item, Micros(heard + int(seconds * 1_000_000))) is silent


def test_silence_is_no_status(site, job):
    """`silent since` stands beside the status, and statuses are the five of the lifecycle alone."""
    job.post("lifecycle", event="running", ts="2026-01-01T00:00:00Z")
    job.post("metrics", points=[point()])
    assert '<span class="status running">running</span>' in site.page("/")
    assert "<option>silent" not in site.page("/")


def test_the_list_renews_itself_at_the_address_one_is_at(site):
    make(site, "one", "r-1")
    html = site.page("/?q=one")
    assert re.search(r'<tp-poll seconds="\d" hx-get="/\?q=one" hx-select="#jobs"', html)
