"""Hardware, artifacts and benchmarks in a real browser."""

import hashlib
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

LIVE = 20_000
BODY = b"<script>document.title = 'run'</script>" * 9_000


def sampled(job, busy: list[float], *, host: str = "node-1") -> None:
    """One sample every ten seconds, the last of them now."""
    points = []
    for back, value in zip(range(len(busy) - 1, -1, -1), busy, strict=True):
        at = datetime.now(UTC) - timedelta(seconds=10 * back)
        metrics = {"cpu.pct": 10.0, "gpu.0.pct": value, "gpu.0.temp": 60.0}
        points.append({"hostname": host, "ts": at.isoformat(), "metrics": metrics, "gpu_uuids": {"0": "GPU-a"}})
    job.post("hardware", points=points)


def test_hardware_is_drawn_by_the_clock_and_follows_a_sample(console, served):
    job = served.open_job("hardware")
    job.post("lifecycle", event="running", ts="2026-01-01T00:00:00Z")
    sampled(job, [50.0, 75.0, 97.5])
    page = console.open(f"/runs/{job.run_id}/hardware")
    card = page.locator(".host tbody tr")
    expect(card).to_contain_text("97.5 %")
    chart = page.locator("tp-chart[data-key='node-1/gpu.0.pct']")
    expect(chart.locator(".last")).to_have_text("97.5 %")
    expect(chart.locator(".say")).to_have_text("all 3 points")
    year = str(datetime.now(UTC).year)
    expect(chart.locator(".plot")).to_have_attribute(
        "aria-label", re.compile(rf"3 samples, samples .*{year}.* last 97.5 %")
    )
    chart.get_by_role("button", name="table").click()
    expect(chart.locator("tbody th").first).to_contain_text(year)
    expect(chart.locator("thead th").first).to_have_text("time")
    sampled(job, [12.5])
    expect(card).to_contain_text("12.5 %", timeout=LIVE)
    expect(chart.locator(".last")).to_have_text("12.5 %", timeout=LIVE)


def test_the_crosshair_of_one_card_is_that_of_all(console, served):
    job = served.open_job("crosshair")
    sampled(job, [float(n) for n in range(50)])
    page = console.open(f"/runs/{job.run_id}/hardware")
    one, other = (page.locator(f"tp-chart[data-key='node-1/gpu.0.{name}']") for name in ("pct", "temp"))
    expect(other.locator("canvas")).to_be_visible()
    one.locator(".u-over").hover()
    expect(one.locator(".say")).to_have_text(re.compile(r"\d\d:\d\d:\d\d.*: 2\d$"))
    expect(other.locator(".say")).to_have_text(re.compile(r"\d\d:\d\d:\d\d.*: 60$"))
    assert one.locator(".say").inner_text().rpartition(":")[0] == other.locator(".say").inner_text().rpartition(":")[0]


def test_the_curves_of_the_training_share_the_crosshair_and_the_time(console, served):
    job = served.open_job("beside")
    sampled(job, [float(n) for n in range(50)])
    now = datetime.now(UTC)
    points = [
        {"key": "train/loss", "step": n, "value": float(n), "ts": (now - timedelta(seconds=10 * (49 - n))).isoformat()}
        for n in range(50)
    ]
    job.post("metrics", points=points)
    page = console.open(f"/runs/{job.run_id}/hardware?q=gpu.0.pct")
    page.get_by_label("Draw beside").fill("train/loss")
    page.get_by_label("Draw beside").press("Enter")
    loss, busy = (page.locator(f"tp-chart[data-key='{key}']") for key in ("train/loss", "node-1/gpu.0.pct"))
    expect(loss.locator(".say")).to_have_text("all 50 points")
    expect(busy.locator("canvas")).to_be_visible()
    loss.locator(".u-over").hover()
    expect(loss.locator(".say")).to_have_text(re.compile(r"^step 2\d: 2\d$"))
    expect(busy.locator(".say")).to_have_text(re.compile(r"\d\d:\d\d:\d\d.*: 2\d$"))
    page.get_by_role("link", name="Remove them").click()
    expect(loss).to_have_count(0)


def test_what_a_job_uploaded_is_downloaded_as_it_came(console, served):
    job = served.open_job("uploads")
    sha256 = hashlib.sha256(BODY).hexdigest()
    asked = {
        "run_id": job.run_id,
        "kind": "eval_report",
        "filename": "a.html",
        "size_bytes": len(BODY),
        "sha256": sha256,
    }
    headers = {"X-TunePlane-Token": job.token}
    permitted = served.http.post("/api/ingest/artifact/upload-url", json=asked, headers=headers).json()
    parts = urlsplit(permitted["upload_url"])
    put = served.http.put(f"{parts.path}?{parts.query}", content=BODY, headers=permitted["headers"])
    assert put.status_code == 201, put.text
    job.post("artifact", kind="eval_report", path=permitted["path"], format="html", size_bytes=len(BODY))
    job.post("artifact", kind="checkpoint", path="s3://elsewhere/1", format="huggingface")
    page = console.open(f"/runs/{job.run_id}/artifacts")
    expect(page.get_by_role("row", name="checkpoint")).to_contain_text("not here")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    path = download.value.path()
    assert Path(path).read_bytes() == BODY
    assert download.value.suggested_filename == f"{job.run_id}-eval_report-{sha256[:12]}"


def test_earlier_values_of_a_score_open_in_place_by_keyboard(console, served):
    job = served.open_job("scores")
    for value in (0.25, 0.5):
        job.post("benchmark", runner="r", model="m", scores=[{"benchmark": "b", "metric": "acc", "value": value}])
    page = console.open(f"/runs/{job.run_id}/benchmarks")
    page.get_by_role("link", name="2 values").focus()
    page.keyboard.press("Enter")
    expect(page.locator("tr.earlier")).to_have_count(2)
    expect(page.locator("tr.earlier").last).to_contain_text("0.25")
    page.go_back()
    expect(page.locator("tr.earlier")).to_have_count(0)
