from functools import partial

import msgspec
import pytest

from application.commands.share_run import ShareRun
from domain.ids import DAY_MICROS, Micros, RunId
from domain.rules.public_text import NOT_SHOWN
from tests.console.conftest import point
from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE, make
from tests.console.test_validation import metric, outcome, population, send

PUBLIC = {"referrer-policy": "no-referrer", "x-robots-tag": "noindex, nofollow", "cache-control": "no-store"}
PATHS = ["", "/series", "/series/data?key=train/loss"]
HOST = "gpu-node-17"
ENVIRONMENT = {
    "overview": {
        "python": "3.12.1", "platform": "Linux-6.8.0-x86_64", "hostname": f"{HOST}.cluster.example",
        "executable": "/mnt/secret/bin/python", "directory": "/mnt/secret",
        "variables": {"MASTER_ADDR": "10.1.2.3", "HF_HOME": "/secret"}, "command": ["python", "secret.py"],
    },
    "hardware": {
        "cpu": {"brand": "EPYC 9654", "cores": 96, "memory_gb": 755.5},
        "gpu": {
            "driver_version": "550.54", "cuda_version": "12.4", "count": 2,
            "devices": [{"index": n, "name": "H100", "memory_gb": 80} for n in range(2)],
        },
    },
    "packages": "torch==2.9.1\nsecret-package==1\ntrl==0.24 \nours @ file:///mnt/secret/x\n",
}  # fmt: skip
PARAMS = {
    "lr": 1e-5,
    "max_tokens": 512,
    "api_key": "secret value",
    "output_dir": "/mnt/secret/runs/one",
    "note": f"started on {HOST} by ada, secret=hunter2",
    "nested": {"host": "secret.example", "list": [{"password": "secret"}]},
}


@pytest.fixture
def shared(site, job) -> str:
    """Path of the public page of a job with something of every kind; nobody is signed in."""
    job.post("metrics", points=[point("train/loss", n, 0.5 + n) for n in range(3)])
    send(job, population("r1", 3), outcome("r1", "the-trial", "success"))
    job.post("validation", step=3, samples=[{"idx": 0, "user": "secret question", "assistant": "secret answer"}])
    message = {"role": "user", "content": "secret message"}
    trace = {
        "scope": "validation", "round_id": "r1", "trial_id": "the-trial", "trial_attempt": 0, "messages": [message],
        "total_messages": 1, "complete": True, "capture_policy": "sampled",
    }  # fmt: skip
    for path, body in (
        ("trajectory", {"trace": trace}),
        ("logs", {"chunks": ["secret line\n"], "eof": False}),
        ("hparams", {"params": PARAMS}),
        ("environment", ENVIRONMENT),
        ("environment/nodes", {"nodes": [{"node_id": "secret-node", "hostname": HOST}]}),
        ("artifact", {"kind": "log", "path": "/secret/log.txt", "format": "text"}),
        ("hardware", {"points": [{"key": "cpu.pct", "value": 1.0, "ts": "2026-01-01T00:00:00Z", "hostname": HOST}]}),
    ):
        assert job.post(path, **body).status_code == 200, path
    token = site.container.share_run().share(job.run_id, shared_by="ada", name="secret name").token
    site.client.cookies.clear()
    return f"/s/{token}"


def test_whoever_has_the_link_reads_status_rounds_and_series(site, shared):
    html = site.page(shared)
    assert "a run" in html
    assert "100 %: 1 of 1 scored" in html
    assert "33.3 %: 1 scored of 3 planned" in html
    assert "<bdi>train/loss</bdi>" in html
    assert "<td>2.5</td>" in html


def test_it_shows_how_the_job_was_configured_and_what_it_ran_on(site, shared):
    text = text_of(site.page(shared))
    for said in (
        "lr 1e-05",
        "max_tokens 512",
        f"api_key {NOT_SHOWN}",
        "output_dir …/one",
        f"note started on {NOT_SHOWN} by {NOT_SHOWN}, secret={NOT_SHOWN}",
        f"nested.host {NOT_SHOWN}",
        f"nested.list[0].password {NOT_SHOWN}",
        "Hyperparameters: 7",
        "Python 3.12.1",
        "system Linux",
        "CPU EPYC 9654, 96 cores, 755.5 GB",
        "GPUs 2 \N{MULTIPLICATION SIGN} H100 (80 GB)",
        "driver 550.54",
        "CUDA 12.4",
        "nodes 1",
        "packages 4",
        "torch 2.9.1",
        "trl 0.24",
    ):
        assert said in text, said


def test_names_that_a_job_gave_tell_no_host_person_folder_or_token(site):
    run = RunId(make(site, f"maths of ada on {HOST} with hf_abcdefghijklmnopqrst"))
    job = site.open_attempt(run)
    job.post("environment", **ENVIRONMENT)
    job.post("environment/nodes", nodes=[{"node_id": "n1", "hostname": HOST}])
    described = {"direction": "lower", "unit": f"per {HOST}", "formula": "see https://wiki.example/secret"}
    contract = {"version": 1, "semantics": {"loss": described}}
    assert job.post("observations", events=[], contract=contract).status_code == 200
    job.post("metrics", points=[point("loss")])
    send(job, population("/mnt/ada/evalset", 3), metric("/mnt/ada/evalset", "/mnt/secret/k", 0.5))
    token = site.container.share_run().share(run, shared_by="ada").token
    site.client.cookies.clear()
    page, listed = site.page(f"/s/{token}"), site.page(f"/s/{token}/series")
    assert f"maths of {NOT_SHOWN} on {NOT_SHOWN} with {NOT_SHOWN}" in text_of(page)
    assert "…/evalset" in page
    for hidden in (HOST, "hf_abc", "/mnt", "wiki"):
        assert hidden not in page + listed, hidden
    (loss,) = msgspec.json.decode(listed)["items"]
    assert loss["descriptor"] == {"direction": "lower", "unit": f"per {HOST}".replace(HOST, NOT_SHOWN)}


def test_it_holds_no_text_of_the_job_and_no_way_inside(site, shared, job):
    html = site.page(shared)
    html = html.replace("secret=", "").replace("a secret, an address", "")  # the name of a parameter, and our own note
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
        HOST,
        "10.1.2.3",
        "hunter2",
        "log.txt",
    ):
        assert hidden not in html, hidden


def test_what_nobody_reported_is_unknown_and_not_zero(site, job):
    token = site.container.share_run().share(job.run_id, shared_by="ada").token
    text = text_of(site.page(f"/s/{token}"))
    for said in ("Hyperparameters unknown", "Environment unknown", "Outcomes unknown", "No point was reported"):
        assert said in text
    job.post("environment", overview={}, hardware={}, packages="")
    text = text_of(site.page(f"/s/{token}"))
    for said in ("Python unknown", "GPUs unknown", "nodes unknown", "packages unknown"):
        assert said in text


def test_the_owner_and_who_opened_it_are_hidden_in_what_it_was_configured_with(site):
    run = site.container.create_run()(name="of olga", owner="olga").run_id
    site.open_attempt(run).post("hparams", params={"note": "olga asked ada, olgas did not"})
    token = site.container.share_run().share(run, shared_by="ada").token
    text = text_of(site.page(f"/s/{token}"))
    assert f"note {NOT_SHOWN} asked {NOT_SHOWN}, olgas did not" in text


def test_its_charts_come_from_addresses_that_are_bound_to_the_link(site, shared):
    [one] = msgspec.json.decode(site.page(f"{shared}/series"))["items"]
    assert (one["key"], one["count"], one["last"]) == ("train/loss", 3, 2.5)
    data = msgspec.json.decode(site.page(f"{shared}/series/data?key=train/loss&from=1"))
    assert data["train/loss"]["mean"] == [1.5, 2.5]
    assert site.get(f"{shared}/series/data?key=never").status_code == 404
    assert site.get(f"{shared}/series/data?key=never&key=train/loss").status_code == 200
    assert site.get(f"{shared}/series/data?" + "&".join(f"key={n}" for n in range(33))).status_code == 422


def test_it_is_kept_out_of_search_engines_caches_and_referrers(site, shared):
    for path in PATHS:
        headers = site.get(shared + path).headers
        assert {name: headers.get(name) for name in PUBLIC} == PUBLIC, path
    assert '<meta name="robots" content="noindex, nofollow">' in site.page(shared)
    assert "://" not in site.page(shared).replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize("path", PATHS)
def test_a_link_that_was_taken_back_opens_nothing(site, shared, job, path):
    assert site.get(shared + path).status_code == 200
    site.container.share_run().withdraw(job.run_id, withdrawn_by="ada")
    assert site.get(shared + path).status_code == 404


@pytest.mark.parametrize("path", PATHS)
def test_a_link_that_has_expired_is_answered_as_one_that_never_was(site, job, path):
    job.post("metrics", points=[point("train/loss")])
    container = site.container
    moments = {"good": 30_000 * DAY_MICROS, "over": 0}
    tokens = {}
    for name, made in moments.items():
        clock = partial(Micros, made)
        share = ShareRun(container.commit(), container.event_log(), container.accounts(), clock=clock)
        tokens[name] = share.share(job.run_id, shared_by="ada", days=1).token
    site.client.cookies.clear()
    assert site.get(f"/s/{tokens['good']}{path}").status_code == 200
    over, unknown = (site.get(f"/s/{one}{path}") for one in (tokens["over"], "tp_shr_0123456789abcdef_" + "A" * 43))
    assert (over.status_code, unknown.status_code) == (404, 404)
    assert over.text == unknown.text
    kept = {"date", "content-length"}
    assert {k: v for k, v in over.headers.items() if k not in kept} == {
        k: v for k, v in unknown.headers.items() if k not in kept
    }


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


def test_what_a_shared_job_says_stays_text(site, job):
    run = site.container.create_run()(name=HOSTILE, owner="ada").run_id
    shared = site.open_attempt(run)
    shared.post("hparams", params={HOSTILE: HOSTILE, "b": ["x", HOSTILE]})
    shared.post(
        "environment",
        overview={"python": HOSTILE},
        hardware={"gpu": {"devices": [{"name": HOSTILE}]}},
        packages=HOSTILE,
    )
    token = site.container.share_run().share(run, shared_by="ada").token
    html = site.page(f"/s/{token}")
    assert "<script>alert" not in html
    assert "<img src=x" not in html
