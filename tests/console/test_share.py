import msgspec
import pytest

from tests.console.conftest import point
from tests.console.test_jobs import HOSTILE
from tests.console.test_validation import outcome, population, send

PUBLIC = {"referrer-policy": "no-referrer", "x-robots-tag": "noindex, nofollow", "cache-control": "no-store"}


@pytest.fixture
def shared(site, job) -> str:
    """Path of the public page of a job with points, a round, samples and a trajectory; nobody is signed in."""
    job.post("metrics", points=[point("train/loss", n, 0.5 + n) for n in range(3)])
    send(job, population("r1", 3), outcome("r1", "the-trial", "success"))
    job.post("validation", step=3, samples=[{"idx": 0, "user": "secret question", "assistant": "secret answer"}])
    message = {"role": "user", "content": "secret message"}
    job.post(
        "trajectory", scope="validation", round_id="r1", trial_id="the-trial", trial_attempt=0, messages=[message],
        total_messages=1, complete=True, capture_policy="sampled",
    )  # fmt: skip
    job.post("logs", chunks=["secret line\n"], eof=False)
    token = site.container.share_run().share(job.run_id, shared_by="ada").token
    site.client.cookies.clear()
    return f"/s/{token}"


def test_whoever_has_the_link_reads_status_rounds_and_series(site, shared):
    html = site.page(shared)
    assert "a run" in html
    assert "100 %: 1 of 1 scored" in html
    assert "33.3 %: 1 scored of 3 planned" in html
    assert "<bdi>train/loss</bdi>" in html
    assert "<td>2.5</td>" in html


def test_it_holds_no_text_of_the_job_and_no_way_inside(site, shared, job):
    html = site.page(shared)
    for hidden in (
        "secret",
        "the-trial",
        "/runs/",
        "/api/",
        'href="/"',
        "/login",
        "/logout",
        job.run_id,
        "ada",
        job.token,
    ):
        assert hidden not in html, hidden


def test_its_charts_come_from_addresses_that_are_bound_to_the_link(site, shared):
    [one] = msgspec.json.decode(site.page(f"{shared}/series"))["items"]
    assert (one["key"], one["count"], one["last"]) == ("train/loss", 3, 2.5)
    data = msgspec.json.decode(site.page(f"{shared}/series/data?key=train/loss&from=1"))
    assert data["train/loss"]["mean"] == [1.5, 2.5]
    assert site.get(f"{shared}/series/data?" + "&".join(f"key={n}" for n in range(33))).status_code == 422


def test_it_is_kept_out_of_search_engines_caches_and_referrers(site, shared):
    for address in (shared, f"{shared}/series", f"{shared}/series/data?key=train/loss"):
        headers = site.get(address).headers
        assert {name: headers.get(name) for name in PUBLIC} == PUBLIC, address
    assert '<meta name="robots" content="noindex, nofollow">' in site.page(shared)


@pytest.mark.parametrize("path", ["", "/series", "/series/data?key=train/loss"])
def test_a_link_that_was_taken_back_opens_nothing(site, shared, job, path):
    assert site.get(shared + path).status_code == 200
    site.container.share_run().withdraw(job.run_id, withdrawn_by="ada")
    assert site.get(shared + path).status_code == 404


@pytest.mark.parametrize("token", ["x", "tp_shr_0123456789abcdef_" + "A" * 43, "%00", "tp_ses_x"])
def test_an_unknown_link_opens_nothing(site, token):
    for path in ("", "/series", "/series/data?key=a"):
        assert site.get(f"/s/{token}{path}").status_code == 404


def test_half_of_a_link_does_not_open_it(site, shared):
    """The public half finds the share; the secret half has to prove it."""
    assert site.get(shared[:-43] + "A" * 43).status_code == 404


def test_other_secrets_are_no_links(site, job):
    session = site.client.cookies["tuneplane_session"]
    assert site.get(f"/s/{session}").status_code == 404
    assert site.get(f"/s/{job.token}").status_code == 404


def test_the_name_of_a_shared_job_stays_text(site):
    run = site.container.create_run()(name=HOSTILE, owner="ada").run_id
    token = site.container.share_run().share(run, shared_by="ada").token
    html = site.page(f"/s/{token}")
    assert "<script>alert" not in html
    assert "<img src=x" not in html
