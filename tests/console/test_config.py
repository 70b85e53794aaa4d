"""What the Config tab shows of a job, what differs from another, and what it does not pretend to know."""

import re

import pytest

from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE

GPU = {"cuda_version": "12.4", "driver_version": "550.54", "devices": [{"name": "H100", "memory_gb": 80}] * 2}


@pytest.fixture
def told(job):
    job.post("hparams", params={"optim": {"lr": 1e-05, "steps": 100}, "api_key": "[redacted]", "prompt": "x" * 500})
    job.post(
        "environment",
        overview={"python": "3.11.9", "platform": "Linux"},
        hardware={"cpu": {"cores": 8}, "gpu": GPU},
        packages="torch==2.6.0\nNumPy==1.26\n",
    )
    return job


def page(site, job, query: str = "") -> str:
    return site.page(f"/runs/{job.run_id}/config{query}")


def rows(html: str, section: str) -> list[list[str]]:
    """The cells of the tables of one section."""
    part = re.search(rf'<section[^>]* id="{section}">.*?</section>', html, re.DOTALL)
    assert part is not None
    found = re.findall(r"<tr>(.*?)</tr>", part[0], re.DOTALL)
    return [
        [text_of(cell).strip() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)] for row in found
    ]


def test_values_are_flattened_with_their_kinds_and_numbers_as_they_were_sent(site, told):
    found = rows(page(site, told), "hyperparameters")
    assert ["optim.lr", "1e-05", "number"] in found
    assert ["optim.steps", "100", "whole number"] in found


def test_a_redacted_value_says_so_and_a_long_one_is_folded(site, told):
    found = {row[0]: row[1] for row in rows(page(site, told), "hyperparameters")}
    assert found["api_key"] == "redacted by the client [redacted]"
    assert found["prompt"].startswith("x" * 96 + " … 500 characters")


def test_the_environment_names_interpreter_devices_and_packages(site, told):
    text = text_of(page(site, told))
    assert "python 3.11.9 CUDA 12.4 driver 550.54 GPUs 2 \N{MULTIPLICATION SIGN} H100 (80 GB)" in text
    assert "Packages 2 CSV numpy 1.26 torch 2.6.0" in text


def test_what_nobody_reported_is_unknown(site, job):
    text = text_of(page(site, job))
    assert "Unknown: attempt 0 reported none." in text
    assert text.count("Unknown: no environment was reported.") == 2
    assert "Unknown: no node described itself." in text
    assert "Unknown: no contract was declared." in text
    assert "recipe unknown framework unknown tags none" in text


def test_a_search_finds_names_and_values_in_every_section(site, told):
    html = page(site, told, "?q=RCH")
    text = text_of(html)
    assert "Hyperparameters 4 values, 0 found" in text
    assert "Packages 2, 1 found CSV torch 2.6.0" in text
    assert "numpy" not in text
    assert ["optim.lr", "1e-05", "number"] in rows(page(site, told, "?q=E-05"), "hyperparameters")


def test_nodes_are_listed_and_told_apart(site, job):
    nodes = [
        {"node_id": f"n{at}", "hostname": f"h{at}", "cpu": {"brand": "EPYC", "cores": 8}, "gpu": {"driver": driver}}
        for at, driver in enumerate(("550", "551", "550"))
    ]
    job.post("environment/nodes", nodes=nodes)
    found = rows(page(site, job), "nodes")
    assert ["gpu.driver", "550 2 nodes: n0, n2 551 1 node: n1"] in found
    assert [row[:3] for row in found[-3:]] == [[f"n{at}", f"h{at}", "EPYC, 8 cores"] for at in range(3)]


def test_the_contract_is_shown_as_it_was_declared(site, job):
    contract = {
        "version": 1, "recipe": "grpo", "framework": "verl", "framework_version": "0.3", "method": "grpo",
        "capabilities": ["agent"], "primary": [], "requirements": [],
        "semantics": {"agent/rate": {"direction": "higher", "comparison_id": "suite:v3"}},
    }  # fmt: skip
    answer = job.post("observations", events=[], contract=contract)
    assert answer.status_code == 200, answer.text
    html = page(site, job)
    assert "capabilities agent" in text_of(html)
    assert ["agent/rate", "comparison id suite:v3 direction higher"] in rows(html, "contract")


@pytest.fixture
def other(site, told):
    made = site.open_attempt()
    made.post("hparams", params={"optim": {"lr": 2e-05}, "api_key": "[redacted]", "seed": 1, "prompt": "x" * 500})
    made.post("environment", overview={"python": "3.11.9"}, hardware={}, packages="torch==2.7.1\nnumpy==1.26\n")
    return made


def test_what_differs_from_another_job_is_told_by_side(site, told, other):
    html = page(site, told, f"?against={other.run_id}")
    found = rows(html, "diff-hyperparameters")[1:]
    assert found == [
        ["optim.lr", "1e-05", "2e-05"],
        ["optim.steps", "100", "only left"],
        ["seed", "only right", "1"],
        ["api_key", "redacted by the client [redacted] on both sides: whether they are the same is unknown"],
    ]
    assert rows(html, "diff-packages")[1:] == [["torch", "2.6.0", "2.7.1"]]
    assert "establishes no protocol equivalence" in text_of(html)


def test_a_side_that_reported_nothing_differs_in_nothing(site, told):
    silent = site.open_attempt()
    text = text_of(page(site, told, f"?against={silent.run_id}"))
    assert text.count("The right job did not report this: what differs is unknown.") == 3
    assert "only left" not in text


def test_another_job_is_chosen_by_search_and_an_unknown_one_is_said(site, told):
    run = site.container.create_run()(name="the needle", owner="ada").run_id
    html = page(site, told, "?find=needle&q=lr")
    assert f'href="/runs/{told.run_id}/config?q=lr&amp;against={run}"' in html
    assert html.count("?q=lr&amp;against=") == 1
    assert site.get(f"/runs/{told.run_id}/config?against=nothing-here").status_code == 404


def test_another_attempt_and_an_earlier_moment_show_their_own(site, told):
    then = site.container.event_log().head().position
    again = site.open_attempt(told.run_id)
    again.post("hparams", params={"fresh": 1})
    assert ["fresh", "1", "whole number"] in rows(page(site, told), "hyperparameters")
    assert ["optim.lr", "1e-05", "number"] in rows(page(site, told, "?attempt=0"), "hyperparameters")
    past = page(site, told, f"?as_of={then}")
    assert ["optim.lr", "1e-05", "number"] in rows(past, "hyperparameters")
    assert f"/hparams.csv?as_of={then}" in past
    assert "hx-get" not in past[past.index('<div id="config"') :][:60]


def test_both_sides_of_a_comparison_stand_at_one_moment(site, told, other):
    then = site.container.event_log().head().position
    other.post("hparams", params={"seed": 2})
    now = page(site, told, f"?against={other.run_id}")
    past = page(site, told, f"?against={other.run_id}&as_of={then}")
    assert ["seed", "only right", "2"] in rows(now, "diff-hyperparameters")
    assert ["seed", "only right", "1"] in rows(past, "diff-hyperparameters")


def test_files_hold_what_the_page_shows(site, told):
    csv = site.get(f"/api/runs/{told.run_id}/hparams.csv")
    assert (csv.status_code, csv.headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert "optim.lr,number,1e-05" in csv.text
    assert site.get(f"/api/runs/{told.run_id}/packages.csv").text.splitlines() == [
        "name,version",
        "numpy,1.26",
        "torch,2.6.0",
    ]


def test_names_and_values_stay_text(site, job):
    job.post("hparams", params={HOSTILE: HOSTILE, "nested": {HOSTILE: [HOSTILE]}})
    job.post(
        "environment", overview={HOSTILE: HOSTILE}, hardware={"gpu": {"devices": [{"name": HOSTILE}]}}, packages=HOSTILE
    )
    job.post("environment/nodes", nodes=[{"node_id": "n", "hostname": HOSTILE[:200], "gpu": {"a": HOSTILE}}])
    for query in ("", f"?against={job.run_id}", "?q=<script>"):
        html = page(site, job, query)
        assert "<script>alert" not in html
        assert "onerror=alert" not in re.sub(r"&lt;.*?&gt;", "", html)
