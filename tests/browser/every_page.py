"""A job with something on every page, and the look at every page that all screens and colours share."""

import pytest
from axe_core_python.sync_playwright import Axe
from tuneplane.contract import trajectory_id

from tests.browser.test_trajectories import CALL, keep, said
from tests.console.test_validation import metric, outcome, population, protocol

HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
SERIOUS = {"serious", "critical"}
COLOURS: dict[str, list[str]] = {"runOnly": ["color-contrast"]}
LOOKS: tuple[tuple[str, int, dict[str, list[str]]], ...] = (
    ("light", 1280, {}),
    ("dark", 1280, COLOURS),
    ("dark", 390, {}),
    ("light", 390, COLOURS),
)
"""Colours, width of the screen, and which rules: all, or those that other colours alone can break."""
FITS = """async () => {
  const wide = () => document.documentElement.scrollWidth > innerWidth;
  for (let frames = 0; frames < 60 && wide(); frames++) await new Promise(requestAnimationFrame);
  return !wide();
}"""
"""Charts learn of a new width with the next frames."""
TABLE = "/?pin=owner&column=config:lr&column=last:lr&column=tags&sort=-last:train/loss&where=duration+!=+unknown&find=l"


@pytest.fixture(scope="module")
def job(served):
    """A job with something on every page."""
    job = served.open_job(f"maths {HOSTILE}", tags=["demo", "<b>"], recipe="grpo", framework="trl")
    job.post("lifecycle", event="running", ts="2026-01-01T00:00:00Z")
    job.points("train/loss", [1 / (n + 1) for n in range(500)])
    job.points("train/<b>bold</b>", [1.0, -2.0, 3.0])
    job.points("lr", [0.25])
    job.post("logs", chunks=[f"line {n}\n" for n in range(60)], eof=False)
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


def tabs_of(job) -> list[str]:
    """The pages of one job."""
    run = f"/runs/{job.run_id}"
    observations = [f"{run}/observations", f"{run}/observations?kind=health"]
    validation = [f"{run}/validation", f"{run}/validation?round_id=heldout&trial_id=t0"]
    validation += [f"{run}/validation/samples", f"{run}/validation/samples?round_id=5"]
    text = f"{run}/trajectories/{text_of(job)}"
    texts = [f"{run}/trajectories", f"{text}?q=img", f"{text}/delete"]
    large = f"{run}?series=train/loss&series=lr&smooth=0.9"
    made = [f"{run}/logs", f"{run}/logs?line=30&q=img", f"{run}/hardware?beside=lr", f"{run}/artifacts"]
    return [run, large, *made, f"{run}/benchmarks", *observations, *validation, *texts]


def pages_around(job) -> list[str]:
    """The pages of no job, of two, and of the one that there is not."""
    run = f"/runs/{job.run_id}"
    people = ["/people", "/account", "/shares", f"/shares?run_id={job.run_id}"]
    both = f"left={job.run_id}&right={job.run_id}"
    rounds = f"left={job.run_id}:heldout&right={job.run_id}:heldout&transition=all"
    review = ["/review", f"/review?left={job.run_id}", f"/review?{both}", f"/review/rounds?{both}"]
    review += [f"/review/rounds?{rounds}", f"/review/trajectories?left={job.run_id}:{text_of(job)}&right="]
    return ["/", TABLE, "/help", *people, *review, f"{run}/config", f"{run}/config?against={job.run_id}", "/runs/none"]


def text_of(job) -> str:
    """The trajectory that `job` keeps."""
    return trajectory_id("validation", "r1", HOSTILE[:100], 0)


def each_opens_fits_and_can_be_used_by_everybody(opening, job, paths: list[str]) -> None:
    watched = opening(reduced_motion="reduce")  # else the colours are on their way when they are looked at
    for path in paths:
        page = watched.open(path)
        if path == f"/runs/{job.run_id}":
            page.wait_for_selector("tp-chart canvas")
        page.evaluate(Axe().axe_script)
        for scheme, width, rules in LOOKS:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": 860})
            assert page.evaluate(FITS), f"{path} is wider than a screen of {width}"
            found = page.evaluate(
                "async (o) => (await axe.run(o)).violations", {**rules, "resultTypes": ["violations"]}
            )
            serious = [
                (one["id"], [node["html"] for node in one["nodes"]]) for one in found if one["impact"] in SERIOUS
            ]
            assert serious == [], f"{path}, {scheme}, {width} wide: {serious}"
        page.close()
    watched.complaints = [one for one in watched.complaints if "404" not in one]  # the job that there is not
