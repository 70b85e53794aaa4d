"""The page of hosts and cards: what was not reported is unknown, and silence is only said."""

import re
from datetime import UTC, datetime, timedelta

from tests.console.conftest import point
from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE


def sample(job, host: str = "node-1", ago_seconds: int = 0, **metrics: float) -> int:
    """The position behind it."""
    at = datetime.now(UTC) - timedelta(seconds=ago_seconds)
    named = {name.replace("__", "."): value for name, value in metrics.items()}
    point = {"hostname": host, "ts": at.isoformat(), "metrics": named, "gpu_uuids": {"0": "GPU-a"}}
    answer = job.post("hardware", points=[{**point, "pid": 1, "gpu_attribution": "pid"}])
    assert answer.status_code == 200, answer.text
    return answer.json()["position"]


def running(job) -> None:
    job.post("lifecycle", event="running", ts="2026-01-01T00:00:00Z")


def test_hosts_and_cards_are_shown_with_the_last_of_what_they_measured(site, job):
    sample(job, cpu__pct=12.5, gpu__0__pct=97.25, gpu__0__mem__value=57_010, gpu__0__fan=3)
    text = text_of(site.page(f"/runs/{job.run_id}/hardware"))
    assert "cpu.pct 12.5 %" in text
    assert re.search(r"UUID 0 unknown unknown 97.2 % 57,010 MiB unknown unknown unknown gpu.fan 3 ", text)
    assert "GPU-a" in text
    assert "driver unknown measured: cards on which the job&#39;s process ran" in text


def test_a_host_without_cards_is_not_said_to_have_none(site, job):
    job.post("hardware", points=[{"hostname": "h", "metrics": {"cpu.pct": 1.0}}])
    assert "whether it has one is unknown" in text_of(site.page(f"/runs/{job.run_id}/hardware"))


def test_a_host_that_went_silent_says_since_when_and_nothing_of_training(site, job):
    running(job)
    sample(job, "quiet", ago_seconds=600, cpu__pct=1)
    sample(job, "talking", cpu__pct=1)
    page = site.page(f"/runs/{job.run_id}/hardware")
    quiet, talking = re.findall(r'<section class="host".*?</section>', page, re.DOTALL)
    assert "silent since" in quiet
    assert "silent since" not in talking
    assert "which says nothing of training" in text_of(page)
    job.post("lifecycle", event="succeeded", ts="2026-01-01T00:00:00Z")
    assert "silent since" not in site.page(f"/runs/{job.run_id}/hardware")


def test_the_charts_are_of_the_attempt_and_the_moment_that_are_looked_at(site, job):
    before = sample(job, cpu__pct=10)
    sample(job, cpu__pct=99)
    past = site.page(f"/runs/{job.run_id}/hardware?as_of={before}&attempt=0")
    api, asked = f"/api/runs/{job.run_id}", f"attempt=0&amp;as_of={before}"
    assert f'series="{api}/hardware?{asked}" data="{api}/hardware/data?{asked}"' in past
    assert "cpu.pct 10 %" in text_of(past)
    assert "tp-poll" not in past.partition('id="hosts"')[2]
    again = site.open_attempt(job.run_id)
    sample(again, "node-9", cpu__pct=50)
    assert "node-9" not in text_of(site.page(f"/runs/{job.run_id}/hardware?attempt=0"))
    assert "node-9" in text_of(site.page(f"/runs/{job.run_id}/hardware?attempt=1"))


def test_curves_of_the_training_stand_beside_those_of_the_hardware(site, job):
    sample(job, cpu__pct=1)
    job.post("metrics", points=[point("train/loss"), point("lr")])
    api, hardware = f"/api/runs/{job.run_id}", f"/runs/{job.run_id}/hardware"
    page = site.page(f"{hardware}?beside=train/loss&beside=none&beside=&attempt=0")
    series = f"{api}/series?attempt=0&amp;key=train%2Floss"
    assert f'series="{series}" data="{api}/series/data?attempt=0" axis="time"' in page
    assert "No series none was reported in this attempt." in text_of(page)
    assert f'<a href="{hardware}?attempt=0">Remove them</a>' in page
    assert '<option value="lr">' in page
    assert site.page(hardware).count("<tp-charts") == 1
    assert site.get(hardware + "?" + "&".join(f"beside=k{n}" for n in range(9))).status_code == 422


def test_the_charts_of_one_host_may_be_chosen(site, job):
    for host in ("a", "b"):
        sample(job, host, cpu__pct=1)
    page = site.page(f"/runs/{job.run_id}/hardware?beside=lr")
    address = re.search(r'href="([^"#]+)#charts">Charts of this host', page)[1].replace("&amp;", "&")
    assert address == f"/runs/{job.run_id}/hardware?host=a&beside=lr"
    chosen = site.page(address)
    assert f'series="/api/runs/{job.run_id}/hardware?q=a%2F"' in chosen
    assert "Charts of a alone." in text_of(chosen)


def test_many_hosts_have_pages(site, job, monkeypatch):
    monkeypatch.setattr("application.queries.hardware_hosts._SERIES", 1)
    for host in ("a", "b"):
        sample(job, host, cpu__pct=1)
    page = site.page(f"/runs/{job.run_id}/hardware")
    assert re.findall(r"<h2><bdi>(\w+)<", page) == ["a"]
    following = re.search(r'<a href="([^"]+)">More hosts', page)[1].replace("&amp;", "&")
    assert re.findall(r"<h2><bdi>(\w+)<", site.page(following)) == ["b"]


def test_hostile_names_are_text(site, job):
    name = HOSTILE.replace("/", "")
    job.post("hardware", points=[{"hostname": name, "metrics": {name: 1.0}, "gpu_uuids": {"0": name}}])
    job.post("environment/nodes", nodes=[{"node_id": "0", "hostname": name, "gpu": {"driver_version": name}}])
    page = site.page(f"/runs/{job.run_id}/hardware")
    assert name not in page


def test_a_job_that_sent_no_sample_says_how_to(site, job):
    assert "what its processors and cards did is unknown" in text_of(site.page(f"/runs/{job.run_id}/hardware"))


def test_hosts_are_read_by_programs_too(site, job):
    running(job)
    sample(job, gpu__0__power=400)
    (host,) = site.get(f"/api/runs/{job.run_id}/hardware/hosts").json()["items"]
    assert (host["host"], host["silent_since"], host["cards"][0]["uuid"]) == ("node-1", None, "GPU-a")
    (series,) = site.get(f"/api/runs/{job.run_id}/hardware").json()["items"]
    assert series["descriptor"] == {"unit": "W"}
    assert series["invalid"] == {"nan": 0, "pos_inf": 0, "neg_inf": 0, "first_step": None}
    data = site.get(f"/api/runs/{job.run_id}/hardware/data?key={series['key']}&smooth=0.5&x=time").json()
    assert data[series["key"]]["smoothed"] == [400]
