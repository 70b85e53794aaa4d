"""Every refusal has a status and one shape."""

import inspect
import logging

import pytest
from litestar import Litestar, get
from litestar.testing import TestClient

from domain import errors as domain_errors
from domain.errors import DomainFault, FieldFault, Refused
from entrypoints.http import errors
from entrypoints.http.errors import HANDLERS, STATUS, problem_of


def classes(module):
    return [kind for _, kind in inspect.getmembers(module, inspect.isclass) if issubclass(kind, DomainFault)]


@pytest.mark.parametrize(
    "kind", dict.fromkeys([*classes(domain_errors), *classes(errors)]), ids=lambda kind: kind.__name__
)
def test_every_class_of_refusal_has_a_status_of_its_own_and_a_sentence(kind):
    assert kind in STATUS
    assert 400 <= STATUS[kind] < 600
    problem = problem_of(kind())
    assert problem.title == problem.detail == (kind.__doc__ or "").strip()
    assert problem.type.startswith("tuneplane:")


def test_the_table_names_no_class_that_is_not_there():
    assert set(STATUS) == {*classes(domain_errors), *classes(errors)}


def test_a_class_of_the_name_series_limit_reached_reads_series_limit_reached():
    assert problem_of(domain_errors.SeriesLimitReached()).type == "tuneplane:series-limit-reached"


@get("/refuse", sync_to_thread=False)
def refuse() -> None:
    raise Refused("why", FieldFault("a.b", "too long", 3), FieldFault("c", "wrong"))


@get("/break", sync_to_thread=False)
def fail() -> None:
    raise RuntimeError("secret of the inside")


@pytest.fixture(scope="module")
def client():
    app = Litestar([refuse, fail], exception_handlers=HANDLERS, openapi_config=None, logging_config=None)
    with TestClient(app, raise_server_exceptions=False) as made:
        yield made


def test_the_body_names_the_fields_and_their_limits(client):
    answer = client.get("/refuse")
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert answer.json() == {
        "type": "tuneplane:refused",
        "title": "The request breaks a rule of the interface; repeating it cannot help.",
        "status": 422,
        "detail": "why",
        "errors": [{"path": "a.b", "message": "too long", "limit": 3}, {"path": "c", "message": "wrong"}],
    }


def test_a_surprise_says_nothing_outside_and_is_logged(client, caplog):
    with caplog.at_level(logging.ERROR, "tuneplane.http"):
        answer = client.get("/break")
    assert (answer.status_code, answer.headers["content-type"]) == (500, "application/problem+json")
    assert "secret" not in answer.text
    assert "secret of the inside" in caplog.text


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/nothing", 404), ("POST", "/refuse", 405), ("GET", "/..%2f", 404), ("GET", "/%7f", 404)],
)
def test_what_litestar_refuses_has_the_same_shape(client, method, path, status):
    answer = client.request(method, path)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert answer.json()["status"] == status
    assert answer.json()["detail"]


def test_refusals_that_may_end_say_when_to_come_back():
    for kind, status in STATUS.items():
        answer = errors.answer(problem_of(kind()))
        assert ("Retry-After" in answer.headers) == (status in {429, 503})
        assert ("WWW-Authenticate" in answer.headers) == (status == 401)
