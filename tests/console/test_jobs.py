import csv
import io
import re
from html import unescape
from urllib.parse import quote

import pytest

from application.clock import now
from domain.ids import RunId
from domain.rules.job_silence import SILENT_AFTER_MICROS
from entrypoints.http.console.pages import jobs as page
from tests.console.alone import running
from tests.console.conftest import Site, point

__all__ = ["running"]

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def text_of(html: str) -> str:
    """Without markup and without more than one space in a row."""
    return re.sub(r" ([,.])", r"\1", " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split()))


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
    assert len(names(first)) == 50
    assert "1 to 50 of 53 jobs that meet the filters, 53 in all" in first
    assert 'href="/?tag=many&amp;page=2">Next' in first
    second = site.page("/?tag=many&page=2")
    assert names(second) == ["job 2", "job 1", "job 0"]
    assert 'href="/?tag=many">First' in second
    assert ">Next" not in second
    assert "Nothing more" in site.page("/?page=3")


def test_whatever_a_job_is_called_stays_text(site):
    make(site, HOSTILE, "r-1", tags=[HOSTILE[:64]], recipe=HOSTILE)
    job = site.open_attempt("r-1")
    job.post("hparams", params={HOSTILE: HOSTILE})
    job.post("metrics", points=[point(HOSTILE)])
    hostile = quote(HOSTILE)
    for address in (
        "/",
        "/runs/r-1",
        "/runs/r-1/logs",
        f"/?q={hostile}&owner={hostile}&tag={hostile}",
        f"/?column=config:{hostile}&column=last:{hostile}&sort=last:{hostile}&find=script",
        f"/?where={hostile}&find={hostile}",
        f"/?where={quote(f'status = {HOSTILE}')}",
        "/jobs/columns?find=script",
    ):
        html = site.page(address)
        assert "<script>alert" not in html
        assert "<img src=x" not in html


def test_a_job_that_never_reported_was_never_heard_and_is_not_silent(site):
    make(site, "quiet", "r-1")
    site.open_attempt("r-1")
    html = site.page("/")
    assert "never" in html
    assert "silent since" not in html


def test_silence_is_no_status(site, job):
    """`silent since` stands beside the status, and statuses are the five of the lifecycle alone."""
    job.post("lifecycle", event="running", ts="2026-01-01T00:00:00Z")
    job.post("metrics", points=[point()])
    assert '<span class="status running">running</span>' in site.page("/")
    assert "<option>silent" not in site.page("/")


def test_the_list_renews_itself_at_the_address_one_is_at(site):
    make(site, "one", "r-1")
    html = site.page("/?q=one")
    assert re.search(r'<tp-jobs data-address="/\?q=one" data-seconds="\d"', html)


def cells(html: str, name: str) -> list[str]:
    """The cells of a job's row, but for its tick and its name, as text."""
    row = next(one for one in re.findall(r"<tr id=.*?</tr>", html, re.DOTALL) if f"<bdi>{name}</bdi></a>" in one)
    return [text_of(cell) for cell in re.findall(r"<td class=.*?</td>", row, re.DOTALL)[1:]]


def reporting(site: Site, name: str, *, params=None, points=(), contract=None):
    job = site.open_attempt(RunId(make(site, name, name)))
    if params:
        job.post("hparams", params=params)
    if points:
        job.post("metrics", points=[point(*one) for one in points])
    if contract:
        assert job.post("observations", contract=contract).status_code == 200
    return job


def contract(**semantics) -> dict:
    return {"version": 1, "semantics": semantics}


def test_columns_are_hyperparameters_and_series_as_the_address_names_them(site):
    reporting(site, "a", params={"lr": 1e-4, "opt": {"name": "adam"}}, points=[("loss", 0, 0.5), ("loss", 1, 0.25)])
    reporting(site, "b")
    html = site.page("/?column=config:lr&column=config:opt.name&column=last:loss&column=max:loss&column=mean:loss")
    assert cells(html, "a") == ["0.0001", "adam", "0.25", "0.5", "0.375"]
    assert cells(html, "b") == ["unknown"] * 5
    headings = [text_of(one) for one in re.findall(r'<th scope="col".*?</th>', html, re.DOTALL)]
    assert headings == ["Tick to compare", "Name", "lr config", "opt.name config", "loss last", "loss max", "loss mean"]


def test_the_table_is_sorted_both_ways_with_the_unknown_last(site):
    for name, value in (("low", 0.25), ("high", 0.75), ("none", None)):
        reporting(site, name, points=[("loss", 0, value)] if value is not None else ())
    up = site.page("/?sort=last:loss")
    assert names(up) == ["low", "high", "none"]
    assert 'aria-sort="ascending"' in up
    assert "sorted by last loss, least first, unknown last" in up
    assert cells(up, "low")[-1] == "0.25"
    following = re.search(r'href="([^"]*sort=-last[^"]*)"', up)
    assert following is not None
    assert names(site.page(following[1].replace("&amp;", "&"))) == ["high", "low", "none"]


def test_conditions_leave_those_that_meet_them(site):
    for name, lr in (("a", 1e-3), ("b", 1e-5), ("c", None)):
        reporting(site, name, params=None if lr is None else {"lr": lr})
    html = site.page("/?where=lr+%3C+1e-4")
    assert names(html) == ["b"]
    assert "1 job that meets the filters, 3 in all" in html
    assert "lr &lt; 1e-4</bdi> <small><bdi>config lr</bdi>" in html
    assert names(site.page("/?where=lr+%3C+1&where=name+%3D+a")) == ["a"]
    assert names(site.page("/?where=lr+%3D+unknown")) == ["c"]
    nothing = site.page("/?where=lrr+%3C+1")
    assert names(nothing) == []
    assert "no job reported it" in nothing
    assert "No job meets these filters (0 of 3 jobs)" in nothing


def test_a_condition_that_is_not_understood_shows_nothing_and_says_why(site):
    make(site, "a", "r-1")
    html = site.page("/?where=lr+%3C+high")
    assert names(html) == []
    assert "Not understood, so that nothing is shown" in html
    assert "needs a number, not &#39;high&#39;" in html
    assert 'href="/" aria-label="Remove the condition lr &lt; high"' in html
    assert "No job meets" not in html


ACCURACY = {"display": "ratio", "comparison_id": "suite-1"}


def test_a_silent_job_is_said_to_prove_nothing(site, job, monkeypatch):
    job.post("lifecycle", event="running", ts="2026-01-01T00:00:00Z")
    assert "silent" not in site.page("/")
    later = now() + SILENT_AFTER_MICROS
    monkeypatch.setattr(page, "now", lambda: later)
    html = site.page("/")
    assert "silent since" in html
    assert "<bdi>0 s</bdi> <small>until last heard</small>" in html
    assert "shown as silent, which is no proof that training stopped" in html
    assert '<span class="status running">running</span>' in html


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        (ACCURACY, None, "of the 2 jobs shown with acc, 1 asserts no comparison identity, the others one."),
        (None, None, "of the 2 jobs shown with acc, 2 assert no comparison identity."),
        (ACCURACY, {**ACCURACY, "comparison_id": "b"}, "with acc, 2 different comparison identities are asserted."),
        (ACCURACY, ACCURACY, "all 2 jobs shown with acc assert one comparison identity. It is their owners' assertion"),
    ],
)
def test_a_metric_is_sorted_and_not_ranked(site, left, right, said):
    for name, descriptor in (("a", left), ("b", right)):
        reporting(site, name, points=[("acc", 0, 0.5)], contract=contract(acc=descriptor) if descriptor else None)
    text = text_of(site.page("/?sort=-last:acc"))
    assert "Sorted, not ranked" in text
    assert said in text


def test_a_metric_reads_as_its_job_declared_it(site):
    declared = contract(
        ratio={"display": "ratio", "unit": "fraction"},
        percent={"display": "percent", "unit": "percent"},
        time={"display": "number", "unit": "s"},
    )
    points = [("ratio", 0, 0.5), ("percent", 0, 50.0), ("time", 0, 3.0), ("plain", 0, 2.0)]
    reporting(site, "a", points=points, contract=declared)
    html = site.page("/?" + "&".join(f"column=last:{key}" for key in ("ratio", "percent", "time", "plain", "none")))
    assert cells(html, "a") == ["0.5 = 50 %", "50 %", "3 s", "2", "unknown"]
    assert "No job shown has a point of none yet" in text_of(html)
    assert "tuneplane doctor" in html


def test_columns_are_arranged_by_links(site):
    reporting(site, "a", params={"lr": 1}, points=[("loss", 0, 1.0)])
    html = site.page("/?column=config:lr&column=last:loss&column=owner")

    def leads(label: str) -> str:
        found = re.search(rf'href="([^"]*)"[^>]*aria-label="{label}"', html)
        assert found is not None, label
        return found[1].replace("&amp;", "&")

    assert leads("Move loss left") == "/?column=last:loss&column=config:lr&column=owner"
    assert leads("Move loss right") == "/?column=config:lr&column=owner&column=last:loss"
    assert leads("Pin loss") == "/?pin=last:loss&column=config:lr&column=owner"
    assert leads("Remove loss") == "/?column=config:lr&column=owner"
    assert leads("Show the max of loss") == "/?column=config:lr&column=max:loss&column=owner"
    assert "Move lr left" not in html
    assert "Move Owner right" not in html


def test_a_pinned_column_comes_first_and_can_be_let_go(site):
    make(site, "a", "r-1")
    html = site.page("/?pin=owner&column=status")
    assert re.search(r'<th scope="col" class=" pin pin-0"><a id="sort--Owner"', html)
    assert re.search(r'href="/\?column=owner&amp;column=status" aria-label="Unpin Owner"', html)
    assert site.get("/?pin=a&pin=b").status_code == 422
    assert site.get("/?pin=owner&pin=status&pin=tags&pin=id&pin=name").status_code == 422


def test_known_keys_are_offered_as_columns(site):
    reporting(site, "a", params={"lr": 1, "seed": 2}, points=[("train/lr", 0, 1.0), ("loss", 0, 1.0)])
    part = site.page("/jobs/columns?column=config:lr&find=LR")
    assert re.findall(r"<bdi>([^<]*)</bdi>", part) == ["train/lr"]
    assert 'href="/?column=config:lr&amp;column=last:train%2Flr"' in part
    assert re.findall(r"<bdi>([^<]*)</bdi>", site.page("/jobs/columns?find=seed")) == ["seed"]
    assert "No column of that name" in site.page("/jobs/columns?find=nothing")
    assert "Add column </span><bdi>loss" in site.page("/?find=loss")


def test_the_shown_table_is_a_file_that_runs_nothing(site):
    site.container.create_run()(name="=1+1", owner="ada", run_id="a", tags=["x"])
    job = site.open_attempt("a")
    job.post("hparams", params={"lr": 1e-5, "note": "@cmd"})
    job.post("metrics", points=[point("loss", 0, -0.5)])
    make(site, "b", "b")
    answer = site.get("/jobs.csv?column=config:lr&column=config:note&column=last:loss&sort=last:loss")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in answer.headers["content-disposition"]
    assert list(csv.reader(io.StringIO(answer.text))) == [
        ["id", "name", "config:lr", "config:note", "last:loss"],
        ["a", "'=1+1", "1e-05", "'@cmd", "-0.5"],
        ["b", "b", "", "", ""],
    ]
    assert 'href="/jobs.csv?sort=last:loss"' in site.page("/?sort=last:loss")


def test_two_ticked_jobs_are_compared_and_no_other_number_of_them(site):
    answer = site.get("/jobs/compare?job=a&job=b")
    assert (answer.status_code, answer.headers["location"]) == (303, "/review?left=a&right=b")
    for address in (
        "/jobs/compare",
        "/jobs/compare?job=a",
        "/jobs/compare?job=a&job=a",
        "/jobs/compare?job=a&job=b&job=c",
    ):
        assert "tick two jobs" in site.page(address, status=422)


@pytest.mark.parametrize(
    "address", ["/?page=0", "/?page=x", "/?page=-1", "/?page=9999999999", "/?sort=x", "/?column=x"]
)
def test_an_address_that_means_nothing_is_refused_with_a_page_that_says_so(site, address):
    assert "must be" in site.page(address, status=422)


def test_more_conditions_than_anybody_means_are_refused_before_they_are_shown(site):
    assert site.get("/?" + "&".join(f"where=lr<{n}" for n in range(65))).status_code == 422
    assert site.get("/?where=" + "(" * 1_025).status_code == 422
    assert "Not understood" in text_of(site.page("/?where=lr < nan"))
