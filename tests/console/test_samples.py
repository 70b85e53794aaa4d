"""Validation samples: numbers for everybody, texts for those who may read them."""

import re

import pytest

from tests.console.conftest import Site
from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE
from tests.console.test_validation import outcome, send


@pytest.fixture
def reader(site: Site) -> Site:
    """Ada may read text."""
    site.container.manage_accounts().grant("ada", permissions=["content"])
    return site


def row(idx: int, **more) -> dict[str, object]:
    return {"idx": idx, "user": f"question {idx}", "assistant": f"answer {idx}", "reward": 0.25, **more}


def report(job, *samples: dict[str, object], **more) -> None:
    answer = job.post("validation", step=100, samples=list(samples), **more)
    assert answer.status_code == 200, answer.text


def page(site: Site, job, query: str = "?round_id=100", status: int = 200) -> str:
    return site.page(f"/runs/{job.run_id}/validation/samples{query}", status)


def numbers(html: str) -> list[int]:
    return [int(one) for one in re.findall(r'id="sample-(\d+)"', html)]


def test_without_the_permission_the_numbers_stand_and_no_text_does(site, job):
    dist = [{"reward": 0, "count": 1500}, {"reward": 1, "count": 500}]
    report(job, row(0, env="a secret place"), avg_reward=0.125, dist=dist, total_chunks=4, total_samples=2000)
    html = page(site, job)
    text = text_of(html)
    assert "needs the content permission" in text
    assert "question 0" not in html
    assert "a secret place" not in html
    assert "received 1 of 2,000 samples" in text
    assert "1 of 4 chunks arrived" in text
    assert "average reward 0.125" in text
    assert "accuracy unknown" in text
    assert "reward 0 1,500" in text
    widths = [float(one) for one in re.findall(r'<rect x="0" y="0" width="([\d.]+)"', html)]
    assert widths == [100, pytest.approx(100 / 3)]


def test_a_conversation_reads_with_its_reward_and_what_it_is_made_of(reader, job):
    extra = {"system": "be brief", "reward_components": {"format": 0.5}, "level": "hard"}
    report(job, row(7, env="sandbox 3", extra=extra))
    text = text_of(page(reader, job))
    assert "reward 0.25" in text
    assert "format 0.5" in text
    assert "system be brief user question 7 assistant answer 7 environment sandbox 3 level hard" in text
    assert "content permission" not in text


def test_a_pair_of_answers_stands_side_by_side(reader, job):
    report(job, row(0, assistant="", reward=None, extra={"chosen": "good", "rejected": "bad"}))
    html = page(reader, job)
    pair = re.search(r'<div class="pair">.*?</div>\s*</article>', html, re.DOTALL)
    assert pair is not None
    assert text_of(pair[0]).split() == ["chosen", "assistant", "good", "rejected", "assistant", "bad"]
    assert "reward unknown" in text_of(html)


def test_samples_come_in_pages_and_one_can_be_linked_to(reader, job):
    report(job, *(row(2 * n) for n in range(25)))
    first = page(reader, job)
    assert numbers(first) == list(range(0, 20, 2))
    assert 'rel="prev"' not in first
    following = re.search(r'rel="next" href="([^"]*)"', first)
    assert following is not None
    second = reader.page(following[1].replace("&amp;", "&"))
    assert numbers(second) == list(range(20, 40, 2))
    before = re.search(r'rel="prev" href="([^"]*)"', second)
    assert before is not None
    assert numbers(reader.page(before[1].replace("&amp;", "&"))) == numbers(first)
    linked = page(reader, job, "?round_id=100&idx=46")
    assert numbers(linked) == [46, 48]
    assert 'rel="next"' not in linked
    assert f'href="/runs/{job.run_id}/validation/samples?round_id=100&amp;idx=46#sample-46"' in linked
    assert "No sample has this number" in page(reader, job, "?round_id=100&idx=49")


@pytest.mark.parametrize("idx", ["-1", "x", "1.5", str(2**63), "9" * 400, "٣"])
def test_what_is_no_number_of_a_sample_is_refused(reader, job, idx):
    report(job, row(0))
    page(reader, job, f"?round_id=100&idx={idx}", status=422)


def test_long_texts_end_a_page_early_and_are_shortened_until_opened(reader, job):
    long = "x" * 30_000
    report(job, *(row(n, user=long) for n in range(16)))
    report(job, *(row(n, user=long) for n in range(16, 20)), chunk_index=1, total_chunks=2)
    html = page(reader, job)
    assert numbers(html) == list(range(10))
    assert html.count("All 30,000 characters") == 10
    assert html.count('<details class="whole">') == 10


def test_all_samples_are_no_selection_and_a_part_is_biased(reader, job):
    report(job, row(0), row(1), total_samples=2)
    assert "a selection, and biased" not in text_of(page(reader, job))
    other = reader.open_attempt()
    report(other, row(0))
    text = text_of(page(reader, other))
    assert "received 1 sample, of how many is unknown" in text
    assert "no average and no success rate follows from it" in text


def test_a_distribution_without_counts_is_shown_as_it_came_to_who_may_read_text(site, job):
    report(job, row(0), dist=[{"bin": "<i>", "share": 0.5}])
    shown = "<code>{&#34;bin&#34;: &#34;&lt;i&gt;&#34;, &#34;share&#34;: 0.5}</code>"
    assert shown not in page(site, job)
    site.container.manage_accounts().grant("ada", permissions=["content"])
    html = page(site, job)
    assert shown in html
    assert "<i>" not in html


def test_without_a_round_those_with_samples_are_named(reader, job):
    assert "No round of this job has samples" in page(reader, job, "")
    send(job, outcome("bare", "t", "success"))
    report(job, row(0), total_chunks=3)
    html = page(reader, job, "")
    assert "1 sample, of how many is unknown; 1 of 3 chunks arrived" in text_of(html)
    assert "bare" not in text_of(html)
    assert "No sample of this round was sent" in page(reader, job, "?round_id=bare")
    page(reader, job, "?round_id=nothing", status=404)


def test_the_card_of_a_round_says_what_arrived_and_leads_to_it(site, job):
    report(job, row(0), total_chunks=4, total_samples=9)
    html = site.page(f"/runs/{job.run_id}/validation")
    assert "1 of 9 samples; 1 of 4 chunks arrived" in text_of(html)
    assert f'href="/runs/{job.run_id}/validation/samples?round_id=100"' in html
    assert "Inspect trial results" not in html


def test_what_a_sample_says_stays_text(reader, job):
    messages = [{"role": HOSTILE, "content": f"{HOSTILE}\x1b[31m"}]
    extra = {HOSTILE: HOSTILE, "messages": messages, "rewards": {HOSTILE: 1}}
    report(job, row(0, user=HOSTILE, assistant=HOSTILE, env=HOSTILE, extra=extra), round_id=HOSTILE)
    listed = page(reader, job, "")
    address = re.search(r'href="(/runs/[^"]*round_id=%3C[^"]*)"', listed)
    assert address is not None
    html = reader.page(address[1].replace("&amp;", "&"))
    for one in (listed, html):
        assert "<script>alert" not in one
        assert "<img src=x" not in one
    assert "\x1b" not in html


def test_samples_of_an_attempt_and_of_the_past(reader, job):
    report(job, row(0))
    then = len(reader.events())
    again = reader.open_attempt(job.run_id)
    report(again, row(5))
    assert numbers(page(reader, job)) == [5]
    assert numbers(page(reader, job, "?round_id=100&attempt=0")) == [0]
    past = page(reader, job, f"?round_id=100&as_of={then}")
    assert numbers(past) == [0]
    assert f"as_of={then}" in re.findall(r'href="([^"]*idx=0[^"]*)"', past)[0]
