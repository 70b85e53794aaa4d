"""Every page in a real browser: it opens, shows the right numbers, follows what comes, and keeps hostile text text."""

import re

import pytest
from axe_core_python.sync_playwright import Axe
from playwright.sync_api import expect
from tuneplane.contract import trajectory_id

from tests.browser.test_trajectories import CALL, keep, said
from tests.console.test_validation import metric, outcome, population, protocol

pytestmark = pytest.mark.browser

HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
SERIOUS = {"serious", "critical"}
TABLE = "/?pin=owner&column=config:lr&column=last:lr&column=tags&sort=-last:train/loss&where=duration+!=+unknown&find=l"
LIVE = 15_000
"""Milliseconds that something live may take on a busy machine."""
LOOK_AWAY = """(hidden) => {
  Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
  document.dispatchEvent(new Event('visibilitychange'));
}"""


@pytest.fixture(scope="module")
def job(served):
    """A job with something on every page."""
    job = served.open_job(f"maths {HOSTILE}", tags=["demo", "<b>"], recipe="grpo", framework="trl")
    job.post("lifecycle", event="running", ts="2026-01-01T00:00:00Z")
    job.points("train/loss", [1 / (n + 1) for n in range(500)])
    job.points("train/<b>bold</b>", [1.0, -2.0, 3.0])
    job.points("lr", [0.25])
    job.post("logs", chunks=[f"line {n}\n" for n in range(1200)], eof=False)
    job.post("logs", chunks=[f"{HOSTILE}\n", "ValueError: shape mismatch\n", "half a line"], eof=False)
    host = HOSTILE.replace("/", "")
    metrics = {"cpu.pct": 12.5, "gpu.0.pct": 97.0, "gpu.0.temp": 61.0, HOSTILE[:40]: 1.0}
    job.post("hardware", points=[{"hostname": host, "metrics": metrics, "gpu_uuids": {"0": HOSTILE}}])
    job.post("artifact", kind="log", path=HOSTILE + "x" * 300, format=HOSTILE, metrics={HOSTILE: "<b>"})
    for value in (0.5, 0.75):
        score = {"benchmark": HOSTILE, "metric": HOSTILE, "value": value}
        job.post("benchmark", runner=HOSTILE, model="m" * 200, scores=[score])
    sample = {"idx": 0, "user": HOSTILE, "assistant": "a" * 3000, "extra": {"chosen": "x" * 200, "rejected": HOSTILE}}
    job.post("validation", step=5, samples=[sample], dist=[{"reward": HOSTILE, "count": 1}], total_chunks=2)
    node = {"node_id": "0", "hostname": HOSTILE, "cpu": {"cores": 8}, "gpu": {"devices": [{"name": HOSTILE}]}}
    job.post("hparams", params={"optim": {"lr": 1e-05}, "long": "x" * 3000, HOSTILE: HOSTILE, "api_key": "[redacted]"})
    job.post("environment", overview={"python": "3.11.9"}, hardware={"gpu": node["gpu"]}, packages="torch==2.6.0\n")
    job.post("environment/nodes", nodes=[node, {**node, "node_id": "1", "cpu": {"cores": 9}}])
    events = [population("heldout", 10), *(outcome("heldout", f"t{n}", "success") for n in range(5))]
    events += [outcome("heldout", HOSTILE[:100], "failure"), outcome("heldout", "t6", "infra_error")]
    events += [metric("heldout", "loss", 0.25), protocol("heldout")]
    histogram = {"id": "h", "kind": "histogram", "name": "rollout/policy_age", "ts": "2026-01-01T00:00:00Z", "step": 3}
    job.post(
        "observations", events=[*events, {**histogram, "bounds": [0, 1, 2], "counts": [5, 3, 0, 1]}], contract=None
    )
    keep(job, HOSTILE[:100], [said(HOSTILE, **CALL), said("42", "tool", tool_call_id="c1"), said("x" * 3_000)] * 9)
    return job


def pages_of(job) -> list[str]:
    run = f"/runs/{job.run_id}"
    observations = [f"{run}/observations", f"{run}/observations?kind=health"]
    validation = [f"{run}/validation", f"{run}/validation?round_id=heldout&trial_id=t0"]
    validation += [f"{run}/validation/samples", f"{run}/validation/samples?round_id=5"]
    text = trajectory_id("validation", "r1", HOSTILE[:100], 0)
    texts = [f"{run}/trajectories", f"{run}/trajectories/{text}?q=img", f"{run}/trajectories/{text}/delete"]
    texts += [f"/review/trajectories?left={job.run_id}:{text}&right="]
    large = f"{run}?series=train/loss&series=lr&smooth=0.9"
    people = ["/people", "/account", "/shares", f"/shares?run_id={job.run_id}"]
    both = f"left={job.run_id}&right={job.run_id}"
    rounds = f"left={job.run_id}:heldout&right={job.run_id}:heldout&transition=all"
    review = ["/review", f"/review?left={job.run_id}", f"/review?{both}", f"/review/rounds?{both}"]
    review += [f"/review/rounds?{rounds}", f"{run}/config", f"{run}/config?against={job.run_id}"]
    made = [f"{run}/logs", f"{run}/logs?line=700&q=img", f"{run}/hardware?beside=lr", f"{run}/artifacts"]
    made += [f"{run}/benchmarks"]
    return [
        "/",
        TABLE,
        "/help",
        *people,
        run,
        large,
        *made,
        *observations,
        *validation,
        *texts,
        *review,
        "/runs/none",
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 860), (390, 800)], ids=["desk", "phone"])
def test_every_page_opens_fits_and_can_be_used_by_everybody(opening, job, scheme, size):
    watched = opening(color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
    for path in pages_of(job):
        page = watched.open(path)
        if path == f"/runs/{job.run_id}":
            page.wait_for_selector("tp-chart canvas")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{path} is wider than the screen"
        found = Axe().run(page)["violations"]
        serious = [(one["id"], [node["html"] for node in one["nodes"]]) for one in found if one["impact"] in SERIOUS]
        assert serious == [], path
        page.close()
    watched.complaints = [one for one in watched.complaints if "404" not in one]  # the job that there is not


def test_the_sign_in_page_lets_in_and_says_when_it_does_not(opening, served):
    watched = opening(signed_in=False)
    page = watched.open("/?q=maths")
    expect(page).to_have_url(re.compile(r"/login\?next="))
    assert [one for one in Axe().run(page)["violations"] if one["impact"] in SERIOUS] == []
    page.get_by_label("Name").fill("admin")
    page.get_by_label("Password").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("do not belong together")
    page.get_by_label("Password").fill(served.password)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/\?q=maths$"))
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile(r"/login$"))
    watched.complaints = [one for one in watched.complaints if "401" not in one]  # the wrong password


def test_the_list_shows_a_new_job_by_itself_and_is_searched_without_a_reload(console, served, job):
    page = console.open("/")
    fresh = served.open_job("brand new")
    expect(page.get_by_role("link", name="brand new")).to_be_visible(timeout=LIVE)
    page.get_by_label("Search").fill("brand")
    expect(page).to_have_url(re.compile(r"q=brand"))
    expect(page.get_by_role("link", name="maths")).to_have_count(0)
    page.reload()
    expect(page.get_by_label("Search")).to_have_value("brand")
    page.get_by_role("link", name="brand new").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{served.address}/runs/{fresh.run_id}")


def test_times_are_in_the_readers_zone_with_utc_beside_them(console, job):
    page = console.open(f"/runs/{job.run_id}")
    time = page.locator(".signals time").first
    utc = time.get_attribute("title")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", utc or "")
    hour = (int((utc or "")[11:13]) + 9) % 24
    expect(time).to_contain_text(f"{hour:02}{(utc or '')[13:19]}")


def chart(page, key: str):
    return page.locator(f"tp-chart[data-key={key!r}]")


def test_charts_show_the_numbers_that_were_sent(console, job):
    page = console.open(f"/runs/{job.run_id}")
    loss = chart(page, "train/loss")
    expect(loss.locator(".last")).to_have_text("0.002")
    expect(loss.locator(".say")).to_have_text("all 500 points")
    expect(loss.locator(".plot")).to_have_attribute(
        "aria-label", re.compile(r"train/loss: 500 steps, steps 0 to 499, last 0.002, least 0.002, .*greatest 1")
    )
    expect(loss.locator("canvas")).to_be_visible()
    expect(page.locator("tp-chart bdi", has_text="<b>bold</b>")).to_be_visible()
    loss.get_by_role("button", name="table").click()
    expect(loss.locator("tbody tr")).to_have_count(200)
    expect(loss.locator("tbody tr").first).to_contain_text("499")
    assert "key=train%2Floss" in (loss.get_by_role("link", name="CSV").get_attribute("href") or "")
    assert "onerror" not in page.title().replace(HOSTILE, "")


def test_a_chart_follows_a_point_that_comes(console, job):
    page = console.open(f"/runs/{job.run_id}")
    rate = chart(page, "lr")
    expect(rate.locator(".last")).to_have_text("0.25")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    job.points("lr", [0.125], first=1)
    expect(rate.locator(".last")).to_have_text("0.125", timeout=LIVE)
    job.points("new/series", [7.0])
    expect(chart(page, "new/series").locator(".last")).to_have_text("7", timeout=LIVE)


def test_dragging_over_a_chart_reads_its_detail_and_the_zoom_can_be_reset(console, job):
    job.points("long/curve", [float(n % 17) for n in range(6_000)])
    page = console.open(f"/runs/{job.run_id}")
    page.get_by_label("Search series").fill("long/")
    long = chart(page, "long/curve")
    expect(long.locator(".say")).to_have_text(re.compile(r"[\d,]+ buckets of 6,000 points"))
    box = long.locator(".u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 30, steps=4)
    with page.expect_request(re.compile(r"from=\d+&to=\d+")):
        page.mouse.up()
    expect(long.locator(".say")).to_have_text(re.compile(r"all [56]\d\d points"))
    page.get_by_role("button", name="Reset zoom").click()
    expect(long.locator(".say")).to_have_text(re.compile(r"buckets of 6,000 points"))
    page.get_by_label("Axis").select_option("time")
    expect(long.locator(".say")).to_have_text(re.compile(r"buckets of 6,000 points"))


def test_what_a_logarithmic_axis_cannot_show_is_said(console, job):
    page = console.open(f"/runs/{job.run_id}")
    page.get_by_label("Search series").fill("bold")
    page.get_by_label("log", exact=True).check()
    expect(chart(page, "train/<b>bold</b>").locator(".say")).to_contain_text("1 not positive, not on a log axis")


def test_invalid_values_are_counted_on_their_chart_and_never_drawn_as_zero(console, served):
    job = served.open_job("invalid")
    series = {"key": "loss", "steps": [0, 1], "values": [1.0, 2.0], "ts": [1.0, 2.0]}
    invalid = [{"step": 2, "ts": 3.0, "kind": "nan"}, {"step": 3, "ts": 4.0, "kind": "pos_inf"}]
    only = {"key": "never", "steps": [], "values": [], "ts": [], "invalid": [{"step": 5, "ts": 1.0, "kind": "neg_inf"}]}
    job.post("metrics", stream="s", sequence=1, series=[{**series, "invalid": invalid}, only])
    page = console.open(f"/runs/{job.run_id}")
    expect(chart(page, "loss").locator(".invalid")).to_have_text("1 NaN, 1 +∞ from step 2")
    expect(chart(page, "loss").locator(".last")).to_have_text("2")
    expect(chart(page, "never").locator(".say")).to_have_text("No finite value.")


def test_the_log_follows_a_line_that_comes_and_a_half_line_that_grows(console, job):
    page = console.open(f"/runs/{job.run_id}/logs")
    expect(page.locator(".line")).to_have_count(500)
    expect(page.locator(".line.partial .text")).to_have_text("half a line")
    expect(page.locator(".line.error .text")).to_have_text("ValueError: shape mismatch")
    expect(page.locator(".line .text", has_text=HOSTILE)).to_have_count(1)
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    job.post("logs", chunks=[" is whole now\n", "and one more\n"], eof=False)
    expect(page.locator(".line").last.locator(".text")).to_have_text("and one more", timeout=LIVE)
    expect(page.locator(".line .text", has_text="half a line is whole now")).to_have_count(1)
    expect(page.locator(".line .text", has_text="half a line")).to_have_count(1)
    expect(page.locator(".line").last).to_be_in_viewport()


def test_scrolling_up_pauses_and_earlier_lines_come_without_gaps(console, job):
    page = console.open(f"/runs/{job.run_id}/logs")
    page.get_by_role("button", name="Load earlier lines").click()
    expect(page.locator(".line").first).to_have_attribute("data-n", "0")
    numbers = page.eval_on_selector_all(".line", "lines => lines.map((line) => Number(line.dataset.n))")
    assert numbers == list(range(len(numbers)))
    expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "false")
    page.get_by_label("Find").fill("line 7")
    expect(page.locator("output[name=found]")).to_have_text("111 lines of those loaded")
    page.get_by_label("Find").press("Enter")
    expect(page.locator(".line.now .text")).to_have_text("line 7")
    expect(page.locator(".line.now")).to_be_in_viewport()
    page.get_by_role("button", name="Next error").click()
    expect(page.locator(".line.error.marked")).to_be_in_viewport()
    page.get_by_role("button", name="Follow").click()
    expect(page.locator(".line").last).to_be_in_viewport()


def test_a_page_that_nobody_looked_at_goes_on_where_it_was(console, served):
    """It closes its stream when hidden, and resumes at its cursor: no line is missing, none comes twice."""
    job = served.open_job("hidden")
    job.post("logs", chunks=["one\n"], eof=False)
    page = console.open(f"/runs/{job.run_id}/logs")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    job.post("logs", chunks=["two\n"], eof=False)
    expect(page.locator(".line")).to_have_count(2, timeout=LIVE)
    page.evaluate(LOOK_AWAY, True)
    job.post("logs", chunks=["three\n", "four\n"], eof=True)
    page.evaluate(LOOK_AWAY, False)
    expect(page.locator("tp-live")).to_have_attribute("state", "ended", timeout=LIVE)
    assert page.locator(".line .text").all_inner_texts() == ["one", "two", "three", "four"]
    expect(page.locator(".log .end")).to_contain_text("nothing follows")


def test_validation_follows_outcomes_and_opens_a_trials_retries(console, job):
    page = console.open(f"/runs/{job.run_id}/validation")
    rounds = page.locator(".round")
    expect(rounds.first).to_contain_text("83.3 %: 5 of 6 scored")
    expect(page.locator("tp-live")).to_have_attribute("state", "live", timeout=LIVE)
    page.get_by_role("link", name="Inspect trial results").click()
    expect(page).to_have_url(re.compile("round_id=heldout"))
    page.get_by_role("link", name="t6", exact=True).click()
    expect(page.locator(".retries")).to_contain_text("execution error")
    again = outcome("heldout", "t6", "success", trial_attempt=1)
    job.post("observations", events=[again], contract=None)
    expect(rounds.first).to_contain_text("85.7 %: 6 of 7 scored", timeout=LIVE)
    page.get_by_role("link", name="execution error").click()
    expect(page.locator("#trials")).to_contain_text("No trial of this round meets this now.")
    page.go_back()
    expect(page.get_by_role("link", name="t6", exact=True)).to_be_visible()


def test_the_status_changes_while_one_looks(console, served):
    job = served.open_job("quick")
    page = console.open(f"/runs/{job.run_id}")
    job.post("lifecycle", event="failed", ts="2026-01-01T00:00:00Z")
    expect(page.locator("#head .status")).to_have_text("failed", timeout=LIVE)


def test_a_public_link_is_made_on_the_page_and_opens_for_strangers(console, opening, job):
    page = console.open(f"/runs/{job.run_id}")
    page.get_by_label("ends after").select_option("a week")
    page.get_by_label("for", exact=True).fill("a reviewer")
    page.get_by_role("button", name="Make a public link").click()
    link = page.get_by_label("Public link").input_value()
    stranger = opening(signed_in=False)
    public = stranger.open("/s/" + link.rpartition("/s/")[2])
    expect(public.locator("h1")).to_contain_text("maths")
    expect(chart(public, "train/loss").locator(".last")).to_have_text("0.002")
    assert [one for one in Axe().run(public)["violations"] if one["impact"] in SERIOUS] == []
    page.goto(f"{console.served.address}/shares?run_id={job.run_id}")
    page.get_by_role("row", name="a reviewer").get_by_role("button", name="Take back").click()
    expect(page.get_by_role("status")).to_contain_text("taken back")
    expect(page.get_by_role("row", name="a reviewer")).to_have_count(0)
    assert stranger.context.request.get(public.url).status == 404
