"""How each refusal is answered: one table from error class to status, one body shape (RFC 9457)."""

from __future__ import annotations

import http
import logging
from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, NotFoundException, ValidationException
from litestar.types import ExceptionHandlersMap

from domain import errors as domain_errors
from domain.errors import DomainFault, FieldFault

PROBLEM_JSON = "application/problem+json"
RETRY_AFTER_SECONDS = 1
_log = logging.getLogger("tuneplane.http")


class Undecodable(DomainFault):
    """The body cannot be read: it is not what its Content-Type or Content-Encoding says."""


class BodyTooLarge(DomainFault):
    """The body is larger than this path takes."""


class BodyTooSlow(DomainFault):
    """The body did not arrive in time; nothing was stored."""


class BodyTorn(DomainFault):
    """The body ended before its end; nothing was stored."""


class WrongMediaType(DomainFault):
    """The body comes in a form that this path does not take."""


class TooManyRequests(DomainFault):
    """Too much at once; nothing was stored, repeat it later."""


class NothingHere(DomainFault):
    """There is nothing at this address."""


class PreconditionFailed(DomainFault):
    """What is there already stays as it is."""


STATUS: dict[type[DomainFault], int] = {
    DomainFault: 422,
    domain_errors.Refused: 422,
    domain_errors.SeriesLimitReached: 422,
    domain_errors.StreamMovedOn: 503,
    domain_errors.IdentityTaken: 409,
    domain_errors.UnknownRun: 404,
    domain_errors.UnknownThing: 404,
    domain_errors.NotAllowed: 403,
    domain_errors.TokenUnknown: 401,
    domain_errors.TokenRefused: 403,
    domain_errors.TryAgain: 503,
    Undecodable: 400,
    BodyTooLarge: 413,
    BodyTooSlow: 408,
    BodyTorn: 400,
    WrongMediaType: 415,
    TooManyRequests: 429,
    NothingHere: 404,
    PreconditionFailed: 412,
}


class Problem(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The body of every answer that is not a success."""

    type: str
    """`about:blank`, or the class of the refusal: `tuneplane:refused`."""
    title: str
    status: int
    detail: str
    errors: tuple[FieldFault, ...] = ()
    """What is wrong, field by field, where fields are."""


def status_of(fault: DomainFault) -> int:
    """The status of the nearest class in the table."""
    return next(STATUS[kind] for kind in type(fault).__mro__ if kind in STATUS)


def problem_of(fault: DomainFault) -> Problem:
    """How a refusal is said."""
    kind = type(fault)
    return Problem(
        type="tuneplane:" + "".join(f"-{c.lower()}" if c.isupper() else c for c in kind.__name__).lstrip("-"),
        title=(kind.__doc__ or kind.__name__).strip().splitlines()[0],
        status=status_of(fault),
        detail=fault.detail,
        errors=tuple(fault.faults),
    )


def answer(problem: Problem, headers: Mapping[str, str] | None = None) -> Response[bytes]:
    """The response for a problem; 401, 429 and 503 say what to do next."""
    more = dict(headers or {})
    if problem.status in {429, 503}:
        more.setdefault("Retry-After", str(RETRY_AFTER_SECONDS))
    if problem.status == http.HTTPStatus.UNAUTHORIZED:
        more.setdefault("WWW-Authenticate", "Bearer")
    return Response(msgspec.json.encode(problem), status_code=problem.status, media_type=PROBLEM_JSON, headers=more)


def on_refusal(_: Request[Any, Any, Any], fault: DomainFault) -> Response[bytes]:
    """Answers what the core or an edge refused."""
    return answer(problem_of(fault))


def on_http_exception(_: Request[Any, Any, Any], fault: HTTPException) -> Response[bytes]:
    """Answers what Litestar itself refuses: no such address, wrong method, unreadable parameters."""
    status = fault.status_code
    phrase = http.HTTPStatus(status).phrase
    if status >= http.HTTPStatus.INTERNAL_SERVER_ERROR:
        return answer(Problem(type="about:blank", title=phrase, status=status, detail=phrase))
    detail = "There is nothing at this address." if isinstance(fault, NotFoundException) else fault.detail or phrase
    if isinstance(fault, ValidationException):
        status, phrase = 422, http.HTTPStatus(422).phrase
    problem = Problem(type="about:blank", title=phrase, status=status, detail=detail, errors=_parameter_faults(fault))
    return answer(problem, fault.headers)


def on_surprise(request: Request[Any, Any, Any], fault: Exception) -> Response[bytes]:
    """Answers what nobody foresaw: says nothing of it outside, logs it without the body."""
    _log.error("%s %s failed", request.method, request.url.path, exc_info=fault)
    detail = "The server failed on this; its log says why. Nothing is known to be stored."
    return answer(Problem(type="about:blank", title="Internal Server Error", status=500, detail=detail))


def _parameter_faults(fault: HTTPException) -> tuple[FieldFault, ...]:
    found = fault.extra if isinstance(fault.extra, list) else []
    return tuple(
        FieldFault(str(one.get("key", "")), str(one.get("message", ""))) for one in found if isinstance(one, dict)
    )


HANDLERS: ExceptionHandlersMap = {
    DomainFault: on_refusal,
    HTTPException: on_http_exception,
    Exception: on_surprise,
}
