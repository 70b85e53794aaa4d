"""Where a command's results go: the job it runs in, or a job that it opens."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Callable

from tuneplane.credentials import CredentialsUnusable, found_credentials
from tuneplane.opening import SERVER, TOKEN, NotOpened, Server
from tuneplane.reporter import Reporter, ReporterError


class NoDestination(RuntimeError):
    """There is no job to report to."""


def job_here(env: Mapping[str, str]) -> Reporter | None:
    """The reporter of the job that the environment names; None where it names none. Raises NoDestination."""
    if env.get("TUNEPLANE_JOB_ENABLED") == "0":
        message = "TUNEPLANE_JOB_ENABLED is 0: reporting is switched off; --dry-run shows what would be sent"
        raise NoDestination(message)
    try:
        found = found_credentials(env)
        if found is None:
            return None
        return Reporter(found.endpoint, found.run_id, found.token, attempt=found.attempt)
    except (CredentialsUnusable, ReporterError) as problem:
        raise NoDestination(str(problem)) from None


@contextlib.contextmanager
def job_opened(
    env: Mapping[str, str], name: str, run_id: str | None, tags: Sequence[str] = ("evaluation",)
) -> Iterator[tuple[Reporter, str]]:
    """A new job, or another attempt of `run_id`, and its page; it succeeds or fails as the block does.

    Raises NoDestination.
    """
    with history_opened(env, name, run_id, tags) as (reporter, page):
        reporter.lifecycle("starting")
        reporter.lifecycle("running")
        try:
            yield reporter, page
        except BaseException:
            with contextlib.suppress(ReporterError):
                reporter.lifecycle("failed")
            raise
        reporter.lifecycle("succeeded")


@contextlib.contextmanager
def history_opened(
    env: Mapping[str, str], name: str, run_id: str | None, tags: Sequence[str]
) -> Iterator[tuple[Reporter, str]]:
    """The same for what happened elsewhere: of the job's life nothing is said. Raises NoDestination."""
    address, token = _personal(env)
    try:
        with contextlib.closing(Server(address, token)) as server:
            opened = server.open(name, tags, run_id)
        made = opened.credentials
        reporter = Reporter(made.endpoint, made.run_id, made.token, attempt=made.attempt)
    except (NotOpened, ReporterError) as problem:
        raise NoDestination(str(problem)) from None
    with reporter:
        yield reporter, opened.page


def shown(page: str, reporter: Reporter) -> str:
    """What a command says of a job that it opened: its page, and how the same command goes on in it."""
    return f"{page} (attempt {reporter.attempt}); to repeat: --run-id {reporter.run_id}"


def job_for(
    env: Mapping[str, str],
    job: str | None,
    run_id: str | None,
    tags: Sequence[str],
    opened: Callable[..., contextlib.AbstractContextManager[tuple[Reporter, str]]] = job_opened,
) -> contextlib.AbstractContextManager[tuple[Reporter, str]]:
    """The job of the environment; where `job` or `run_id` is given, one that is `opened`, and its page, else empty.

    `opened` is `job_opened`, or `history_opened` for what is brought in afterwards. Raises NoDestination: at once where
    it is plain that there is no job, so that whoever works for hours before can ask first; else when it is entered.
    """
    here = job_here(env)
    own = job is not None or run_id is not None
    if here is not None and own:
        message = "TUNEPLANE_JOB_* are set: it goes to that job, so leave --job and --run-id out"
        raise NoDestination(message)
    if here is not None:
        return _held(here)
    if not own:
        message = "there is no job here (TUNEPLANE_JOB_*): --job NAME opens one"
        raise NoDestination(message)
    _personal(env)
    return opened(env, job or tags[0], run_id, tags)


@contextlib.contextmanager
def _held(reporter: Reporter) -> Iterator[tuple[Reporter, str]]:
    with reporter:
        yield reporter, ""


def _personal(env: Mapping[str, str]) -> tuple[str, str]:
    """Address and personal token of the server that opens jobs. Raises NoDestination."""
    if not (env.get(SERVER) and env.get(TOKEN)):
        message = f"a job of its own needs {SERVER} and {TOKEN} (tuneplane-server token create USER, on the server)"
        raise NoDestination(message)
    return env[SERVER], env[TOKEN]
