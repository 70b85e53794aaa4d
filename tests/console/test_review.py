"""Two jobs side by side: what is shown, and above all what is not claimed."""

import re

import pytest

from tests.console.conftest import point
from tests.console.test_config import rows
from tests.console.test_job_page import heartbeat, text_of
from tests.console.test_jobs import HOSTILE


@pytest.fixture
def other(site, job):
    return site.open_attempt()


def page(site, left, right, query: str = "") -> str:
    return site.page(f"/review?left={left.run_id}&right={right.run_id}{query}")


def metrics(html: str) -> dict[str, list[str]]:
    found = re.search(r'<table class="reviewed">.*?</table>', html, re.DOTALL)
    listed = re.findall(r"<tr>(.*?)</tr>", found[0] if found else "", re.DOTALL)
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in listed]
    return {text_of(row[0]).strip(): [text_of(cell).strip() for cell in row[1:4]] for row in cells[1:]}


def declared(job, **descriptor):
    contract = {
        "version": 1, "recipe": "r", "framework": "f", "framework_version": "1", "method": "m",
        "capabilities": [], "primary": [], "requirements": [], "semantics": {"rate": descriptor},
    }  # fmt: skip
    answer = job.post("observations", events=[], contract=contract)
    assert answer.status_code == 200, answer.text


def test_jobs_are_chosen_by_search_one_side_after_the_other(site):
    first = site.container.create_run()(name="first needle", owner="ada").run_id
    second = site.container.create_run()(name="second needle", owner="ada").run_id
    nothing = site.page("/review")
    assert nothing.count("Choose a job") == 2
    assert f'href="/review?left={first}"' in nothing
    assert f'href="/review?right={first}"' in nothing
    half = site.page(f"/review?left={first}&find_right=second")
    assert f'href="/review?left={first}&amp;right={second}"' in half
    assert half.count("&amp;right=") == 1
    assert "No job is found by this." in site.page("/review?find_left=nothing+like+it")


def test_sides_can_be_exchanged_and_chosen_anew(site, job, other):
    html = page(site, job, other)
    assert f'href="/review?left={other.run_id}&amp;right={job.run_id}"' in html
    assert f'href="/review?right={other.run_id}" aria-label="Choose another job on the left"' in html
    assert f'href="/review?left={job.run_id}" aria-label="Choose another job on the right"' in html


def test_the_top_tells_status_silence_and_transport_of_both(site, job, other):
    job.post("observations", events=[heartbeat(dropped_points=7)], contract=None)
    other.post("lifecycle", event="succeeded", ts="2026-01-01T00:00:00Z")
    text = text_of(page(site, job, other))
    assert "transport health lossy, dropped 7 points and 0 events" in text
    assert "transport health unknown" in text
    assert "succeeded" in text
    assert "An absent heartbeat is unknown transport, no proof that training stopped." in text


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ("v1", "v2", "identities differ: no ranking"),
        ("v1", None, "no identity declared right: no ranking"),
        (None, "v1", "no identity declared left: no ranking"),
        (None, None, "no identity declared: no ranking"),
    ],
)
def test_nothing_is_ranked_where_identities_are_absent_or_differ(site, job, other, left, right, said):
    for one, identity, value in ((job, left, 0.5), (other, right, 0.9)):
        one.post("metrics", points=[point("rate", 0, value)])
        declared(one, direction="higher", **({} if identity is None else {"comparison_id": identity}))
    html = page(site, job, other)
    assert metrics(html)["rate"] == ["0.5 step 0, 0.5 to 0.5, 1 step", "0.9 step 0, 0.9 to 0.9, 1 step", said]
    told = re.sub(r'<p class="notes">.*?</p>', "", html)
    assert re.search(r"ahead|better|worse|▲|▼|↑|↓", told) is None


def test_a_side_is_ahead_only_where_both_owners_declare_one_identity_and_direction(site, job, other):
    for one, value in ((job, 0.5), (other, 0.9)):
        one.post("metrics", points=[point("rate", 0, value)])
        declared(one, direction="lower", comparison_id="suite:v3")
    assert metrics(page(site, job, other))["rate"][2] == (
        "same identity, declared by the owner suite:v3 left ahead (lower is better, as declared)"
    )
    declared(other, direction="higher", comparison_id="suite:v3")
    assert "ahead" not in metrics(page(site, job, other))["rate"][2]


def test_a_metric_of_one_side_alone_stands_beside_nothing(site, job, other):
    job.post("metrics", points=[point("mine", 4, 2.0)])
    assert metrics(page(site, job, other))["mine"][:2] == ["2 step 4, 2 to 2, 1 step", "not reported"]


def test_metrics_are_searched_paged_and_narrowed_to_those_that_differ(site, job, other):
    for one in (job, other):
        one.post("metrics", points=[point(f"m{n:03}", 0, 1.0) for n in range(60)])
    other.post("metrics", points=[point("m007", 1, 2.0)])
    first = page(site, job, other)
    more = re.search(r'href="([^"]*)#metrics">More metrics', first)
    assert more is not None
    assert (len(metrics(first)), len(metrics(site.page(more[1].replace("&amp;", "&"))))) == (50, 10)
    assert list(metrics(page(site, job, other, "&only=differing"))) == ["m007"]
    assert list(metrics(page(site, job, other, "&q=M05"))) == [f"m05{n}" for n in range(10)]
    assert "No metric differs." in text_of(page(site, job, other, "&only=differing&q=m05"))
    assert site.get(f"/review?left={job.run_id}&right={other.run_id}&only=x").status_code in {400, 422}


def test_configurations_are_compared_and_benchmarks_are_not_ranked(site, job, other):
    job.post("hparams", params={"lr": 1})
    other.post("hparams", params={"lr": 2})
    for one, value in ((job, 0.5), (other, 0.75)):
        scores = [{"benchmark": "gsm8k", "metric": "acc", "value": value}]
        one.post("benchmark", runner="lm-eval", model="m", scores=scores)
    html = page(site, job, other)
    assert rows(html, "diff-hyperparameters")[1:] == [["lr", "1", "2"]]
    (score,) = rows(html, "benchmarks")[1:]
    assert score[:3] == ["gsm8k", "acc", "lm-eval"]
    assert score[3].startswith("0.5 m, attempt 0")
    assert score[4].startswith("0.75 m, attempt 0")
    assert "side by side, not ranked: nothing asserts that they were made in one setting" in text_of(html)


def test_both_jobs_stand_at_one_earlier_moment(site, job, other):
    for one in (job, other):
        one.post("metrics", points=[point("rate", 0, 0.5)])
    then = site.container.event_log().head().position
    other.post("metrics", points=[point("rate", 1, 0.75)])
    html = page(site, job, other, f"&as_of={then}")
    assert metrics(html)["rate"][1].startswith("0.5 step 0")
    assert metrics(page(site, job, other))["rate"][1].startswith("0.75 step 1")
    assert f"Both as they were at position {then}" in text_of(html)
    assert f"/series/data?as_of={then}&amp;buckets=" in html
    assert f'href="/runs/{other.run_id}?as_of={then}"' in html
    assert "tp-poll" not in html


def test_the_api_answers_for_both_jobs_as_they_were(site, job, other):
    job.post("metrics", points=[point("rate", 0, 0.5)])
    then = site.container.event_log().head().position
    other.post("metrics", points=[point("rate", 0, 0.75)])
    asked = f"/api/review?left={job.run_id}&right={other.run_id}"
    (now,) = site.get(asked).json()["metrics"]["items"]
    (past,) = site.get(f"{asked}&as_of={then}").json()["metrics"]["items"]
    assert (now["right"]["last"], past["right"]) == (0.75, None)
    assert len(site.get(f"{asked}&only=differing").json()["metrics"]["items"]) == 1


def test_an_unknown_job_and_a_moment_that_is_none_are_refused(site, job):
    assert site.get(f"/review?left={job.run_id}&right=nothing-here").status_code == 404
    assert site.get("/review?left=%00").status_code == 404
    assert site.get("/review?as_of=x").status_code == 422


def test_names_stay_text(site, job):
    run = site.container.create_run()(name=HOSTILE[:200], owner="ada").run_id
    hostile = site.open_attempt(run)
    hostile.post("metrics", points=[point(HOSTILE[:200])])
    for address in ("/review", f"/review?left={run}", f"/review?left={run}&right={job.run_id}"):
        assert "<script>alert" not in site.page(address)


def test_values_that_are_no_numbers_stand_beside_the_last_finite_one(site, job, other):
    invalid = [{"step": 2, "ts": 0, "kind": "nan"}, {"step": 3, "ts": 0, "kind": "pos_inf"}]
    series = {"key": "loss", "steps": [1], "values": [0.5], "ts": [0], "invalid": invalid}
    assert job.post("metrics", stream="s", sequence=1, series=[series]).status_code == 200
    other.post("metrics", points=[point(step=1)])
    left, right, _ = metrics(page(site, job, other))["loss"]
    assert left == "0.5 step 1, 0.5 to 0.5, 1 step 1 NaN, 1 +∞ from step 2"
    assert right == "0.5 step 1, 0.5 to 0.5, 1 step"
    assert "loss" in metrics(page(site, job, other, "&only=differing"))


def test_transport_that_is_unknown_says_why(site, job, other):
    job.post("observations", events=[heartbeat()], contract=None)
    text = text_of(page(site, job, other))
    assert "transport health unknown, no heartbeat came" in text
    assert "transport health ok" in text


def test_jobs_to_choose_say_when_they_were_made_and_not_when_they_were_heard(site):
    site.container.create_run()(name="an old one", owner="ada")
    assert re.search(r"<small>made\s+<tp-time ago>", site.page("/review?find_left=an+old+one"))
