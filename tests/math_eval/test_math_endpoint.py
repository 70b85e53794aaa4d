"""Completions over HTTP."""

from __future__ import annotations

import json

import pytest

from common.eval.math_endpoint import Endpoint, NoCompletion, Sampling
from tests.math_eval.conftest import a_problem, executions
from tests.sdk.ingest_stub import CUT, Ingest, a_dead_server


def answered(text: object) -> dict[str, object]:
    return {"choices": [{"message": {"role": "assistant", "content": text}}]}


def an_endpoint(ingest: Ingest, **changes) -> Endpoint:
    sampling = Sampling(model="m", temperature=0.0, max_tokens=64, seed=None)
    return Endpoint(f"{ingest.url}/v1/", sampling._replace(**changes), key="sk-secret", timeout=30.0)


def test_a_prompt_is_asked_as_the_protocol_has_it(ingest):
    ingest.answer = lambda path, body: (200, answered("four"))
    assert an_endpoint(ingest, seed=7)("2+2?") == "four"
    (request,) = ingest.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["Authorization"] == "Bearer sk-secret"
    assert json.loads(request.body) == {
        "model": "m",
        "temperature": 0.0,
        "max_tokens": 64,
        "seed": 7,
        "messages": [{"role": "user", "content": "2+2?"}],
    }


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((500, {"error": "overloaded"}), "HTTP 500: .*overloaded"),
        ((404, {}), "HTTP 404"),
        ((200, b"<html>"), "holds no choices"),
        ((200, {"choices": []}), "holds no choices"),
        ((200, answered(None)), "is no text"),
        (CUT, "RemoteDisconnected"),
    ],
)
def test_whatever_is_no_completion_is_an_error_of_its_own(ingest, answer, told):
    ingest.answer = lambda path, body: answer
    with pytest.raises(NoCompletion, match=told):
        an_endpoint(ingest)("2+2?")


def test_the_key_follows_no_redirect(ingest):
    ingest.answer = lambda path, body: (307, {})
    ingest.answer_headers = {"Location": f"{ingest.url}/elsewhere"}
    with pytest.raises(NoCompletion, match="HTTP 307"):
        an_endpoint(ingest)("2+2?")
    assert [one.path for one in ingest.requests] == ["/v1/chat/completions"]


def test_a_server_that_is_not_there_makes_execution_errors_and_no_failures(evaluate, tmp_path):
    with a_dead_server() as address:
        assert evaluate([a_problem()], "--endpoint", address, "--model", "m") == 1
    (one,) = executions(tmp_path)
    assert (one["status"], one["completion"]) == ("infra_error", None)
    assert one["reason"].startswith("generation: NoCompletion: URLError")


def test_an_evaluation_through_an_endpoint(evaluate, ingest, tmp_path):
    ingest.answer = lambda path, body: (200, answered(r"So \boxed{4}."))
    problems = [a_problem("2+2?"), a_problem("2+3?", 5)]
    assert evaluate(problems, "--endpoint", f"{ingest.url}/v1", "--model", "m") == 0
    assert [one["status"] for one in executions(tmp_path)] == ["success", "failure"]
