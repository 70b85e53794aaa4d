"""Training rollouts as their reader sends them: looked for in the whole index, never in a page of it."""

import html as markup
import math
import re
from collections import Counter
from pathlib import Path

from tuneplane.integrations.nemo_rollouts import StepFile, read_step

from tests.console.conftest import Site
from tests.console.test_job_page import text_of
from tests.http.conftest import Job
from tests.sdk.nemo_logs import SAMPLES, a_sample, written

FIRST_STEP = [math.nan] * 3 + [0.0] * 5 + [1.0] * 12
LATER_STEPS = range(2, 8)
"""Thirty ordinary samples each: with the first step, 200."""


def send(job: Job, file: StepFile) -> None:
    found = read_step(file, 32)
    for trace in found.traces:
        assert job.post("trajectory", trace=trace).status_code == 200
    assert job.post("observations", events=[found.event], contract=None).status_code == 200


def two_hundred(job: Job, folder) -> None:
    for step, rewards in [(1, FIRST_STEP), *((step, [1.0] * 30) for step in LATER_STEPS)]:
        path = written(folder, f"train_data_step{step}.jsonl", (a_sample(n, one) for n, one in enumerate(rewards)))
        send(job, StepFile(path, training=True, step=step))


def rows(html: str) -> list[str]:
    return re.findall(r'id="row-\w+"><bdi>([^<]*)</bdi>', html)


def every_page(site: Site, address: str) -> list[list[str]]:
    """The rows of each page, the latest first."""
    pages = []
    following: str | None = address
    while following is not None:
        html = site.page(following)
        pages.append(rows(html))
        earlier = re.search(r'href="([^"]*)">Earlier</a>', html)
        following = None if earlier is None else markup.unescape(earlier[1])
    return pages


def test_a_category_is_found_though_none_of_it_is_on_the_first_page(site, job, tmp_path):
    two_hundred(job, tmp_path)
    index = f"/runs/{job.run_id}/trajectories?scope=training"
    table = re.search(r'<table class="trajectories">.*</table>', site.page(index), re.DOTALL)
    assert table is not None
    assert len(rows(site.page(index))) == 50
    assert "anomaly" not in text_of(table[0])
    assert "low reward" not in text_of(table[0])
    assert [len(one) for one in every_page(site, f"{index}&diagnostic=anomaly")] == [3]
    assert [len(one) for one in every_page(site, f"{index}&diagnostic=low_reward")] == [5]
    assert [len(one) for one in every_page(site, f"{index}&diagnostic=representative")] == [50, 50, 50, 42]
    assert [len(one) for one in every_page(site, f"{index}&diagnostic=failure")] == [0]


def test_a_step_and_a_category_together_are_looked_for_in_the_whole_index(site, job, tmp_path):
    two_hundred(job, tmp_path)
    index = f"/runs/{job.run_id}/trajectories?scope=training"
    assert [len(one) for one in every_page(site, f"{index}&step=1")] == [20]
    assert [len(one) for one in every_page(site, f"{index}&step=1&diagnostic=low_reward")] == [5]
    assert [len(one) for one in every_page(site, f"{index}&step=2&diagnostic=low_reward")] == [0]
    html = site.page(f"{index}&step=1")
    counted = dict(re.findall(r'<a href="[^"]*"[^>]*>([\w ]+) <b>(\d+)</b></a>', html))
    assert list(counted.values()) == ["20", "0", "3", "5", "12", "0"]
    assert list(counted) == ["all", "failure", "anomaly", "low reward", "representative", "none"]


def test_the_api_filters_before_it_pages_too(site, job, tmp_path):
    two_hundred(job, tmp_path)
    address = f"/api/runs/{job.run_id}/trajectories?scope=training&limit=4"
    newest = site.get(address).json()["items"]
    assert {one["diagnostic"] for one in newest} == {"representative"}
    low = site.get(f"{address}&diagnostic=low_reward").json()
    assert [one["diagnostic"] for one in low["items"]] == ["low_reward"] * 4
    assert {one["step"] for one in low["items"]} == {1}
    rest = site.get(f"{address}&diagnostic=low_reward&cursor={low['next_cursor']}").json()
    assert ([one["diagnostic"] for one in rest["items"]], rest["next_cursor"]) == (["low_reward"], None)


def test_the_real_files_show_what_a_hand_count_finds(reader, job):
    for step in (1, 2):
        send(job, StepFile(SAMPLES / f"train_data_step{step}.jsonl", training=True, step=step))
    address = f"/api/runs/{job.run_id}/trajectories?scope=training"
    items = reader.get(address).json()["items"]
    assert Counter((one["step"], one["diagnostic"]) for one in items) == {
        (1, "low_reward"): 1,
        (1, "representative"): 3,
        (2, "anomaly"): 1,
        (2, "low_reward"): 1,
        (2, "representative"): 2,
    }
    (odd,) = [one for one in items if one["diagnostic"] == "anomaly"]
    assert (odd["reward"], odd["collection_policy"], odd["consumption_policy"]) == (None, None, None)
    page = text_of(reader.page(f"/runs/{job.run_id}/trajectories/{odd['trajectory_id']}"))
    assert "Roles inferred: the source named none" in page
    assert "policy that collected it unknown policy that consumed it unknown" in page
    assert "outcome a rollout has none" in page
    assert "Ünïcode? 数学" in page
    observations = text_of(reader.page(f"/runs/{job.run_id}/observations"))
    assert "rollout/samples" in observations


def test_what_the_document_shows_for_any_framework_is_taken_and_found(site, job):
    text = (Path(__file__).parents[2] / "docs" / "nemo-rl.md").read_text(encoding="utf-8")
    shown = re.search(r"reporter\.trajectory\((.*?)\n\)", text, re.DOTALL)
    assert shown is not None
    trace = eval(f"dict({shown[1]})")
    assert job.post("trajectory", trace=trace).status_code == 200
    address = f"/api/runs/{job.run_id}/trajectories?scope=training&diagnostic=low_reward&step=120"
    (found,) = site.get(address).json()["items"]
    assert (found["trial_id"], found["collection_policy"], found["roles_inferred"]) == (
        "prompt-7:sample-3",
        None,
        False,
    )
