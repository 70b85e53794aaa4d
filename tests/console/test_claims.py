"""What pages never claim: each sentence of the list stands on the page that it concerns."""

from collections.abc import Iterator

import pytest
from tuneplane.contract import trajectory_id

from tests.console.conftest import Site, point, settings_in, site_of
from tests.console.test_job_page import text_of
from tests.console.test_trajectories import kept
from tests.console.test_validation import outcome, population, protocol, send
from tests.http.conftest import Job

_TEXT = f"trajectories/{trajectory_id('validation', 'r1', 't1', 0)}"
CONTRACT = {
    "version": 1, "recipe": "r", "framework": "f", "framework_version": "1", "method": "m",
    "capabilities": [], "primary": [], "requirements": [], "semantics": {},
}  # fmt: skip
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
    "a low reward is no failed answer, among texts": ("trajectories", "A low reward is no failed answer."),
    "sampled rollouts give no rate": ("trajectories", "sampled rollouts give no success rate"),
    "missing text is no failed trial, among texts": ("trajectories", "Missing text does not mean that a trial failed."),
    "a step proves no policy version, among texts": ("trajectories", "A logging step proves no policy version."),
    "texts are sampled": ("trajectories", "Retained text is sampled unless it says otherwise"),
    "a low reward is no failed answer, in a text": (_TEXT, "A low reward is no failed answer."),
    "sampled rollouts give no rate, in a text": (_TEXT, "sampled rollouts give no success rate"),
    "missing text is no failed trial, in a text": (_TEXT, "Missing text does not mean that a trial failed."),
    "a step proves no policy version, in a text": (_TEXT, "A logging step proves no policy version."),
    "a text is sampled": (_TEXT, "Retained text is sampled unless it says otherwise"),
    "nothing is masked in silence": ("config", "Values are shown as the client sent them, and nothing is masked here"),
    "silence proves nothing": ("hardware", "what its processors and cards did is unknown"),
    "a silent host says nothing of training": ("hardware", "without one, which says nothing of training"),
    "a complete artifact is a declaration": ("artifacts", "That an artifact is complete is its producer's declaration"),
    "no artifact is not nothing": ("artifacts", "what the job wrote elsewhere is unknown"),
    "no ranking of scores": ("benchmarks", "that two scores were made alike, so nothing is ranked here"),
    "no score is no zero": ("benchmarks", "how the job would score is unknown"),
    "a line that looks like an error": ("logs?q=x", "What looks like an error is a guess from its words."),
    "unknown is not zero": ("validation", "have unknown counts, not zero"),
    "old history": ("", "cannot be reconstructed"),
    "old history, in the history": ("history", "cannot be reconstructed"),
    "an unknown card is no idle card": ("hardware", "What a host did not report is unknown"),
}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Job, Job]]:
    """Two jobs that reported something for every page; these tests look, and change nothing."""
    for site in site_of(settings_in(tmp_path_factory.mktemp("claims"))):
        site.sign_in()
        jobs = site.open_attempt(), site.open_attempt()
        for job in jobs:
            job.post("metrics", points=[point()])
            job.post("validation", step=7, samples=[{"idx": 0, "user": "q", "assistant": "a"}])
            send(job, population("r1", 1), outcome("r1", "t", "success"), protocol("r1"))
            kept(job)
        yield site, *jobs


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_page_says_what_its_numbers_do_not_mean(both, claim):
    site, job, _ = both
    path, sentence = CLAIMS[claim]
    assert sentence in text_of(site.page(f"/runs/{job.run_id}/{path}".rstrip("/")))


def test_the_table_of_jobs_ranks_nothing(site, job):
    other = site.open_attempt()
    for one in (job, other):
        one.post("metrics", points=[point()])
    for address in ("/?sort=last:loss", "/?column=last:loss"):
        text = text_of(site.page(address))
        assert "not ranked" in text
        assert "of the 2 jobs shown with loss, 2 assert no comparison identity" in text
        assert "values may not mean the same" in text


def test_queued_is_not_delivered(site):
    assert "is queued, not delivered" in text_of(site.page("/help"))


def test_a_job_without_evaluation_events_is_unknown_and_not_zero(site, job):
    assert "unknown, not zero" in text_of(site.page(f"/runs/{job.run_id}/validation"))


def test_the_public_page_claims_no_more(site, job):
    send(job, population("r1", 2), outcome("r1", "t", "success"), protocol("r1"))
    token = site.container.share_run().share(job.run_id, shared_by="ada").token
    text = text_of(site.page(f"/s/{token}"))
    for sentence in (
        "declared by the producer and is not certified",
        "unknown, not zero",
        "no statistical proof",
        "numeric and neutral: no direction is better",
        "proves no policy version",
        "A low reward is no failed answer",
        "cannot be reconstructed",
        "A status is what the job last said, no proof that it still runs; what was lost on the way is not told here",
        "Text of trials is not shown here, which says nothing of how they ended",
    ):
        assert sentence in text, sentence


REVIEW_CLAIMS = {
    "a comparison establishes no equivalence": (
        "",
        "Comparing recipes, configurations or metrics establishes no protocol equivalence",
    ),
    "no ranking without one identity": ("", "no identity declared: no ranking"),
    "the same name means nothing": ("", "the same name means nothing"),
    "unknown metrics are neutral": ("", "A metric that nothing is declared of is numeric and neutral"),
    "benchmarks are not ranked": ("", "not ranked: nothing asserts that they were made in one setting"),
    "an absent heartbeat is no proof": ("", "An absent heartbeat is unknown transport, no proof that training stopped"),
    "digests are declarations": ("/rounds", "as their producers declare them; nobody certifies them"),
    "a difference is observed": ("/rounds", "an observed difference, no statistical proof"),
    "transitions are observed": ("/rounds", "no statistical proof that a model improved"),
    "rounds establish what metrics do not": ("/rounds", "only rounds whose declared digests agree are matched"),
    "missing text is no failed trial": ("/rounds", "Missing text does not mean that a trial failed"),
    "text is sampled": ("/rounds", "retained text is sampled unless it says otherwise"),
}


@pytest.mark.parametrize("claim", REVIEW_CLAIMS)
def test_a_review_says_what_it_does_not_establish(both, claim):
    site, job, other = both
    path, sentence = REVIEW_CLAIMS[claim]
    round_id = ":r1" if path else ""
    address = f"/review{path}?left={job.run_id}{round_id}&right={other.run_id}{round_id}"
    assert sentence in text_of(site.page(address))


def test_two_configurations_establish_no_equivalence(site, job):
    text = text_of(site.page(f"/runs/{job.run_id}/config?against={site.open_attempt().run_id}"))
    assert "Comparing configurations establishes no protocol equivalence" in text


def test_two_trajectories_beside_each_other_prove_no_more_than_one(site, job):
    kept(job)
    one = f"{job.run_id}:{trajectory_id('validation', 'r1', 't1', 0)}"
    text = text_of(site.page(f"/review/trajectories?left={one}&right={one}"))
    for sentence in (
        "Missing text does not mean that a trial failed.",
        "A low reward is no failed answer.",
        "A logging step proves no policy version.",
        "Retained text is sampled unless it says otherwise",
    ):
        assert sentence in text, sentence


def test_a_review_of_jobs_without_rounds_says_unknown_and_not_zero(site, job):
    text = text_of(site.page(f"/review?left={job.run_id}&right={job.run_id}"))
    assert "This job reported no evaluation round: what it achieved is unknown, not zero." in text


def test_a_declared_contract_enables_and_proves_nothing(site, job):
    job.post("observations", events=[], contract=CONTRACT)
    text = text_of(site.page(f"/runs/{job.run_id}/config"))
    assert "It says what is observed and enables nothing in the framework" in text
    assert "a reported candidate metric is coverage, no proof of correctness" in text
