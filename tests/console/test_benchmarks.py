"""Scores on benchmarks: as reported, with their earlier values, and without a ranking."""

import re

from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE


def score(job, value: float, *, benchmark="gsm8k", metric="acc", runner="lm-eval", model="m") -> int:
    """The position behind it."""
    scores = [{"benchmark": benchmark, "metric": metric, "value": value}]
    answer = job.post("benchmark", runner=runner, model=model, scores=scores)
    assert answer.status_code == 200, answer.text
    return answer.json()["position"]


def rows(page: str) -> list[str]:
    return [text_of(row).strip() for row in re.findall(r'<tr id="score-.*?</tr>', page, re.DOTALL)]


def test_scores_stand_by_benchmark_and_name_and_not_by_their_value(site, job):
    score(job, 0.9, benchmark="mmlu")
    score(job, 0.1, metric="b")
    score(job, 0.5, metric="a", model="n")
    score(job, 0.75, metric="a")
    page = site.page(f"/runs/{job.run_id}/benchmarks")
    assert [row.split()[:4] for row in rows(page)] == [
        ["a", "0.75", "lm-eval", "m"],
        ["a", "0.5", "lm-eval", "n"],
        ["b", "0.1", "lm-eval", "m"],
        ["acc", "0.9", "lm-eval", "m"],
    ]
    assert re.findall(r'rowgroup"><bdi>(\w+)<', page) == ["gsm8k", "mmlu"]


def test_earlier_values_of_a_score_are_one_click_away(site, job):
    for value in (0.5, 0.5, 0.625, 0.25):
        score(job, value)
    benchmarks = f"/runs/{job.run_id}/benchmarks"
    page = site.page(benchmarks)
    assert "0.25" in rows(page)[0]
    address = re.search(r'<a href="([^"#]+)#score-[0-9a-f]+"[^>]*aria-expanded="false">3 values', page)[1]
    opened = site.page(address)
    earlier = [text_of(row).split()[:5] for row in re.findall(r'<tr class="earlier">.*?</tr>', opened, re.DOTALL)]
    assert [one[1] for one in earlier] == ["0.25", "0.625", "0.5"]
    assert [one[0] for one in earlier] == ["shown", "earlier", "earlier"]
    assert 'aria-expanded="true"' in opened


def test_the_past_knows_no_later_value(site, job):
    score(job, 0.5)
    before = score(job, 0.625)
    score(job, 0.25)
    identity = site.get(f"/api/runs/{job.run_id}/benchmarks").json()["items"][0]["score_id"]
    past = site.page(f"/runs/{job.run_id}/benchmarks?as_of={before}&score={identity}")
    assert "0.625" in rows(past)[0]
    assert "0.25" not in text_of(past)
    versions = site.get(f"/api/runs/{job.run_id}/benchmarks/{identity}/versions?as_of={before}").json()["items"]
    assert [(one["version"], one["value"]) for one in versions] == [(2, 0.625), (1, 0.5)]


def test_of_many_values_the_latest_are_shown(site, job, monkeypatch):
    monkeypatch.setattr("application.queries.benchmark.MOST_VERSIONS", 3)
    for value in range(5):
        score(job, value)
    identity = site.get(f"/api/runs/{job.run_id}/benchmarks").json()["items"][0]["score_id"]
    versions = site.get(f"/api/runs/{job.run_id}/benchmarks/{identity}/versions").json()["items"]
    assert [one["value"] for one in versions] == [4, 3, 2]


def test_a_score_of_another_job_is_none_of_this(site, job):
    other = site.open_attempt()
    score(other, 0.5)
    identity = site.get(f"/api/runs/{other.run_id}/benchmarks").json()["items"][0]["score_id"]
    for one in (identity, "none"):
        assert site.get(f"/api/runs/{job.run_id}/benchmarks/{one}/versions").status_code == 404


def test_one_attempt_may_be_chosen(site, job):
    score(job, 0.5)
    score(site.open_attempt(job.run_id), 0.75)
    benchmarks = f"/runs/{job.run_id}/benchmarks"
    assert len(rows(site.page(benchmarks))) == 2
    assert [row.split()[1] for row in rows(site.page(f"{benchmarks}?attempt=0"))] == ["0.5"]


def test_hostile_text_is_text(site, job):
    score(job, 1, benchmark=HOSTILE, metric=HOSTILE, runner=HOSTILE, model=HOSTILE)
    assert HOSTILE not in site.page(f"/runs/{job.run_id}/benchmarks")


def test_comparing_is_left_to_review(site, job):
    page = site.page(f"/runs/{job.run_id}/benchmarks")
    assert f'href="/review?left={job.run_id}"' in page
    assert "how the job would score is unknown" in text_of(page)
