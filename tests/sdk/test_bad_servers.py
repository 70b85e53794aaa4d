"""Every command that brings something in, before a server that fails: one line, a documented code, no token in it."""

import json
from importlib import import_module

import pytest
from tuneplane.moving import attempt, standing
from tuneplane.opening import NotOpened, Server
from tuneplane.reporter import Reporter, ReporterError

from tests.lm_eval.written import dummy_run
from tests.math_eval import models
from tests.moving.samples import SAMPLES
from tests.sdk.conftest import job_env
from tests.sdk.ingest_stub import CUT

TOKEN = "tp_pat_NOBODY-MAY-READ-THIS"
TENSORBOARD = ("tuneplane.integrations.tensorboard", [SAMPLES / "tensorboard" / "real"])
VERL = ("tuneplane.integrations.verl", [SAMPLES / "verl" / "metrics.jsonl"])
HF = ("tuneplane.integrations.hf_trainer", [SAMPLES / "hf-trainer"])
NEMO = ("tuneplane.integrations.nemo_import", [SAMPLES / "nemo-rl", "--settle", "0"])
BROKEN_OFF, NOTHING_DONE = 3, 2
REFUSALS = {
    "401": (401, {"detail": "who are you? \x1b[2J"}),
    "403": (403, {"detail": "not yours \x1b[2J"}),
    "413": (413, {"detail": "too large \x1b[2J"}),
    "redirect": (307, b""),
    "sign-in page": (200, b"<html>\x1b[2J sign in</html>"),
    "another's JSON": (200, {"token": 5, "run_id": ["x"], "attempts": [1], "items": [3], "position": "x"}),
    "JSON of nothing": (200, {}),
    "endless JSON": (200, b"[" * 200_000),
}


@pytest.fixture(autouse=True)
def _few_tries(monkeypatch):
    monkeypatch.setattr(standing, "_TRIES", 2)
    monkeypatch.setattr(attempt, "_TRIES", 2)


@pytest.fixture(params=REFUSALS)
def refusing(request, ingest):
    ingest.answer = lambda path, body: REFUSALS[request.param]
    ingest.answer_headers = {"Location": "http://127.0.0.1:9/elsewhere\x1b[2J"}
    return ingest


def ended(capsys, module, words):
    code = import_module(module).main([str(one) for one in words])
    said = capsys.readouterr()
    assert "NOBODY" not in said.out + said.err
    assert "\x1b" not in said.out + said.err
    return code, said.err.splitlines()


@pytest.mark.parametrize(
    "command", ["lm_eval", "math_eval", VERL, HF, NEMO], ids=lambda one: one if isinstance(one, str) else one[0]
)
def test_in_a_job_it_breaks_off_and_says_so(refusing, monkeypatch, capsys, tmp_path, command):
    for name, value in {
        **job_env(refusing.endpoint),
        "TUNEPLANE_JOB_TOKEN": TOKEN,
        models.ASKED: str(tmp_path / "asked"),
    }.items():
        monkeypatch.setenv(name, value)
    code, said = ended(capsys, *filled(command, tmp_path))
    assert code == BROKEN_OFF
    assert any(": " in line and ("HTTP" in line or "something else than a TunePlane server" in line) for line in said)


@pytest.mark.parametrize(
    "command", ["lm_eval", VERL, HF, NEMO], ids=lambda one: one if isinstance(one, str) else one[0]
)
def test_a_job_that_cannot_be_opened_is_said_and_nothing_is_done(refusing, monkeypatch, capsys, tmp_path, command):
    with_a_personal_token(monkeypatch, refusing)
    module, words = filled(command, tmp_path)
    code, said = ended(capsys, module, [*words, "--job", "x"])
    assert code == NOTHING_DONE
    assert "/api/runs" in said[-1]


def test_a_history_breaks_off(refusing, monkeypatch, capsys):
    with_a_personal_token(monkeypatch, refusing)
    code, said = ended(capsys, *TENSORBOARD)
    assert code == BROKEN_OFF
    assert len(said) == 1
    assert "broken off, nothing is lost, the same command goes on" in said[0]


def test_a_redirect_is_not_followed_and_where_it_points_to_is_said(ingest, monkeypatch, capsys):
    with_a_personal_token(monkeypatch, ingest)
    ingest.answer = lambda path, body: (307, b"")
    ingest.answer_headers = {"Location": f"{ingest.url}/elsewhere"}
    _, said = ended(capsys, *TENSORBOARD)
    assert f"redirects are not followed; where it points to, {ingest.url}/elsewhere, has to be named" in said[0]
    assert len(ingest.requests) == 1


def test_an_answer_of_something_else_counts_as_no_delivery(ingest):
    with Reporter(ingest.endpoint, "r", "tp_ing_x", max_attempts=1) as reporter:
        for answer in ((200, b"<html></html>"), (200, b""), (200, {}), (200, {"position": "7"})):
            ingest.answer = lambda path, body, answer=answer: answer
            with pytest.raises(ReporterError, match="something else than a TunePlane server"):
                reporter.lifecycle("running")
        ingest.answer = lambda path, body: (200, {"position": 7})
        assert reporter.lifecycle("running")


@pytest.mark.parametrize(
    "answer",
    [
        {"run_id": "r"},
        {"token": "t"},
        {"token": "t", "endpoint": "nonsense"},
        {"token": "t", "endpoint": "http://h:port"},
        {"token": "t", "endpoint": "http://h", "env": [1]},
    ],
)
def test_an_attempt_that_was_opened_by_something_else_is_none(ingest, answer):
    ingest.answer = lambda path, body: (201, answer)
    server = Server(ingest.url, "tp_pat_x")
    try:
        with pytest.raises(NotOpened, match="answered something else than a TunePlane server does"):
            server.open_attempt("r")
    finally:
        server.close()


def test_a_password_in_the_servers_address_is_shown_nowhere(ingest):
    server = Server(ingest.url.replace("http://", "http://me:hunter2@"), "tp_pat_x")
    ingest.answer = lambda path, body: 403
    try:
        with pytest.raises(NotOpened) as refused:
            server.make_run({})
    finally:
        server.close()
    assert "hunter2" not in f"{refused.value} {server.page('r')}"
    assert ingest.requests, "it was asked all the same"


def test_the_server_is_left_alone_as_long_as_it_asks(ingest):
    ingest.answer = lambda path, body: (429, {"detail": "later"})
    ingest.answer_headers = {"Retry-After": "7"}
    server = Server(ingest.url, "tp_pat_x")
    try:
        with pytest.raises(NotOpened) as refused:
            server.open_attempt("r")
    finally:
        server.close()
    assert (refused.value.transient, refused.value.wait) == (True, 7.0)


def test_opening_is_not_repeated_behind_our_back_where_its_answer_was_lost(ingest):
    server = Server(ingest.url, "tp_pat_x")
    try:
        assert server.get("api/runs").delivered, "a connection is kept"
        ingest.answer = lambda path, body: CUT
        for opening in (lambda: server.open_attempt("r"), lambda: server.make_run({})):
            with pytest.raises(NotOpened) as lost:
                opening()
            assert lost.value.transient
    finally:
        server.close()
    assert [one.path for one in ingest.requests[1:]] == ["/api/runs/r/executions", "/api/runs"]


def with_a_personal_token(monkeypatch, ingest):
    monkeypatch.setenv("TUNEPLANE_SERVER", ingest.url)
    monkeypatch.setenv("TUNEPLANE_TOKEN", TOKEN)


def filled(command, folder):
    """The command, with results to import."""
    if command == "lm_eval":
        return "tuneplane.integrations.lm_eval.command", [dummy_run(folder)]
    if command == "math_eval":
        problems = folder / "problems.jsonl"
        problems.write_text(json.dumps({"problem": "1 + 1", "answer": "2"}) + "\n")
        words = [
            "--problems",
            problems,
            "--output",
            folder / "evidence",
            "--generator",
            "tests.math_eval.models:scripted",
        ]
        return "common.eval.math_eval", [*words, "--upload"]
    return command
