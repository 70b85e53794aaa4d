"""The job's address and token, as a launcher puts them into the environment."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ENABLED = "TUNEPLANE_JOB_ENABLED"
ENDPOINT = "TUNEPLANE_JOB_ENDPOINT"
RUN_ID = "TUNEPLANE_JOB_RUN_ID"
TOKEN = "TUNEPLANE_JOB_TOKEN"  # noqa: S105 - the variable's name
ATTEMPT = "TUNEPLANE_JOB_ATTEMPT"
REQUIRED = (ENDPOINT, RUN_ID, TOKEN)


class CredentialsUnusable(ValueError):
    """The TUNEPLANE_JOB_* variables do not say where and as what to report."""


@dataclass(frozen=True)
class Credentials:
    """Where to report, for which run, with which token. The token shows in no repr."""

    endpoint: str
    """`http(s)://…/api/ingest`, without a trailing slash."""
    run_id: str
    token: str = field(repr=False)
    attempt: int | None = None


def required_credentials(env: Mapping[str, str]) -> Credentials | None:
    """Credentials of a platform job; None where reporting is switched off with `0`.

    Raises CredentialsUnusable where the switch is neither `0` nor `1` (nor there at all), or
    where it is `1` and something is missing: every missing variable is named.
    """
    switch = env.get(ENABLED)
    if switch == "0":
        return None
    if switch != "1":
        todo = "set it to 1 to report, or to 0 to run offline"
        message = f"{ENABLED} is {switch!r}: {todo}"
        if switch is None:
            message = f"{ENABLED} is not set: start the program with `tuneplane run -- CMD`, or {todo}"
        raise CredentialsUnusable(message)
    missing = [name for name in REQUIRED if not env.get(name)]
    if missing:
        message = f"{ENABLED}=1 but these variables are missing: {', '.join(missing)}"
        raise CredentialsUnusable(message)
    return Credentials(
        endpoint=env[ENDPOINT].rstrip("/"),
        run_id=env[RUN_ID],
        token=env[TOKEN].strip(),
        attempt=_attempt(env.get(ATTEMPT)),
    )


def found_credentials(env: Mapping[str, str]) -> Credentials | None:
    """The same for code that may also run at home: nothing set at all means None, quietly."""
    if ENABLED not in env:
        if not all(env.get(name) for name in REQUIRED):
            return None
        env = {**env, ENABLED: "1"}
    return required_credentials(env)


def _attempt(text: str | None) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        message = f"{ATTEMPT} is {text!r}: it has to be a whole number from 0"
        raise CredentialsUnusable(message)
    return int(text)
