"""What pages never claim: each sentence of the list stands on the page that it concerns."""

import pytest

from tests.console.conftest import point
from tests.console.test_job_page import text_of
from tests.console.test_validation import outcome, population, protocol, send

CLAIMS = {
    "missing text is no failed trial": ("validation?round_id=r1", "missing text does not mean that the trial failed"),
    "an absent heartbeat is no proof": ("", "an absent heartbeat is unknown health, no proof that training stopped"),
    "an absent heartbeat, in the strip": ("", "Its absence is no proof that training stopped."),
    "coverage is no correctness": ("", "coverage, not correctness: it is no proof that the metric is correct"),
    "an absent heartbeat, among reporters": ("", "unknown health, no proof that training stopped. A failed send"),
    "no heartbeat at all": ("observations", "is unknown, which is no proof that training stopped"),
    "a step proves no policy version, among events": ("", "A policy version that was not reported is unknown"),
    "nothing is estimated": ("observations", "nothing is estimated from a mean"),
    "unknown metrics are neutral": ("", "numeric and neutral: no direction is better"),
    "a difference is observed": ("validation", "A difference between two rates is observed, no statistical proof"),
    "a step proves no policy version": ("", "it proves no policy version"),
    "digests are declarations": ("validation", "declared by the producer and not certified"),
    "eligibility promotes nothing": ("validation", "marked training-eligible by the producer, which promotes nothing"),
    "text is sampled": ("validation?round_id=r1", "Retained text is sampled unless it says otherwise"),
    "an execution error is no failure": ("validation?round_id=r1", "An execution error is no failed answer."),
    "rounds in order are no trend": ("validation", "Side by side, without a claim of a trend or a ranking."),
    "an order of rounds compares nothing": ("validation", "whether two rates may be subtracted, a comparison says"),
    "kept samples are biased": ("validation/samples?round_id=7", "no average and no success rate follows from it"),
    "averages are the producer's": ("validation/samples?round_id=7", "never computed from the samples here"),
    "a low reward is no failed answer": ("validation/samples?round_id=7", "A low reward is no failed answer."),
    "unknown is not zero": ("validation", "have unknown counts, not zero"),
    "old history": ("", "cannot be reconstructed"),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_page_says_what_its_numbers_do_not_mean(site, job, claim):
    path, sentence = CLAIMS[claim]
    job.post("metrics", points=[point()])
    job.post("validation", step=7, samples=[{"idx": 0, "user": "q", "assistant": "a"}])
    send(job, population("r1", 2), outcome("r1", "t", "success"), protocol("r1"))
    kept(job)
    assert sentence in text_of(site.page(f"/runs/{job.run_id}/{path}".rstrip("/")))


def test_the_table_of_jobs_ranks_nothing(site, job):
    other = site.open_attempt()
    for one in (job, other):
        one.post("metrics", points=[point()])
    for address in ("/?sort=last:loss", "/?column=last:loss"):
        text = text_of(site.page(address))
        assert "not ranked: of the 2 jobs shown with loss, 2 assert no comparison identity" in text.replace(" , ", ", ")
        assert "The values may not mean the same" in text


def test_queued_is_not_delivered(site):
    assert "is queued, not delivered" in text_of(site.page("/help"))


def test_a_job_without_evaluation_events_is_unknown_and_not_zero(site, job):
    assert "unknown, not zero" in text_of(site.page(f"/runs/{job.run_id}/validation"))


def test_the_public_page_claims_no_more(site, job):
    send(job, population("r1", 2), outcome("r1", "t", "success"), protocol("r1"))
    token = site.container.share_run().share(job.run_id, shared_by="ada").token
    text = text_of(site.page(f"/s/{token}"))
    assert "declared by the producer and is not certified" in text
    assert "unknown, not zero" in text
    assert "no statistical proof" in text
