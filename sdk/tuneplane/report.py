"""Reporting from a training script: a few functions that never raise and never wait.

    from tuneplane.report import init, log, finish

    init(hparams={"lr": 1e-5})
    log({"loss": 0.42}, step=1)
    finish()

Delivery is best effort in the background: `True` means queued, not delivered. Without a job token
in the environment all of it does nothing.
"""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from typing import Any, Callable

from tuneplane import observation_contract, observations
from tuneplane.answers import events_of_session, forget_sessions
from tuneplane.callback import TunePlaneCallback
from tuneplane.credentials import CredentialsUnusable, found_credentials
from tuneplane.local_files import LocalFiles
from tuneplane.opening import TOKEN
from tuneplane.parcels import Requests
from tuneplane.session import Session

__all__ = [
    "TunePlaneCallback",
    "configure_observability",
    "finish",
    "init",
    "log",
    "log_hparams",
    "observe",
    "validation_metric",
    "validation_outcome",
    "validation_population",
    "validation_protocol",
]

OBSERVATION_DIR = "TUNEPLANE_OBSERVATION_DIR"
_complaints = logging.getLogger("tuneplane")
_MOST_COMPLAINTS = 100


class _Here:
    """The process's session, and what has been complained of already."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.off = False
        self.opening = threading.RLock()
        self.told: set[str] = set()


_here = _Here()


def init(
    *,
    hparams: Mapping[str, Any] | None = None,
    monitor_hardware: bool = True,
    monitor_interval: float | None = None,
) -> bool:
    """Starts reporting; returns at once, server there or not. False where nothing is reported.

    `monitor_interval` is in seconds, at least 5; rank 0 alone samples hardware.
    """
    try:
        if _here.off:
            _here.off = False
        session = _session()
        if session is None:
            return False
        session.start()
        if monitor_hardware:
            _watch(session, monitor_interval)
        if hparams:
            session.log_hparams(hparams)
    except Exception as problem:  # noqa: BLE001 - reporting never fails the training
        _complain("init", problem)
        return False
    return True


def log(metrics: Mapping[str, Any], step: int | None = None, prefix: str = "") -> None:
    """Queues numbers under their names at a step; without a step, at the one after the last.

    `prefix` is put before each name as it is. Nested names are joined with `.`; an array or tensor
    counts as its only element, or as its mean. NaN and infinities are reported as what they are;
    what is no number is counted as invalid.
    """
    try:
        session = _here.session or _session()
        if session is not None:
            session.log(metrics, step, prefix)
    except Exception as problem:  # noqa: BLE001 - reporting never fails the training
        _complain("log", problem)


def log_hparams(params: Mapping[str, Any]) -> None:
    """Reports hyperparameters; later ones merge over earlier ones."""
    try:
        session = _session()
        if session is not None:
            session.log_hparams(params)
    except Exception as problem:  # noqa: BLE001 - reporting never fails the training
        _complain("log_hparams", problem)


def observe(
    name: str,
    *,
    values: Mapping[str, Any] | None = None,
    step: int | None = None,
    policy_version: int | None = None,
    event_id: str | None = None,
    bounds: Iterable[float] | None = None,
    counts: Iterable[int] | None = None,
) -> bool:
    """Queues an event, or a histogram: `counts` holds one for each interval up to a bound and one above.

    The same `event_id` again repeats the same event. True means queued, not delivered.
    """
    return _queue(
        "observe",
        lambda: observations.observation(
            name,
            values=values,
            step=step,
            policy_version=policy_version,
            event_id=event_id,
            bounds=bounds,
            counts=counts,
        ),
    )


def configure_observability(
    *,
    capabilities: Iterable[str] = (),
    descriptors: Mapping[str, Mapping[str, Any]] | None = None,
) -> bool:
    """Declares which capabilities the experiment uses and what its metrics mean.

    It configures what is shown, not the framework. The last declaration counts. True means queued,
    not delivered.
    """
    try:
        session = _session()
        if session is None:
            return False
        session.declare(observation_contract.declared(capabilities, descriptors))
    except Exception as problem:  # noqa: BLE001 - reporting never fails the training
        _complain("configure_observability", problem)
        return False
    return True


def validation_population(round_id: str, expected: int) -> bool:
    """Declares how many trials a round has, failed ones included. The first declaration stands."""
    return _queue("validation_population", lambda: observations.population(round_id, expected))


def validation_protocol(
    round_id: str,
    *,
    dataset_digest: str,
    cohort_digest: str,
    verifier_digest: str,
    settings_digest: str,
    split: str,
    checkpoint: str,
) -> bool:
    """Declares what a round was evaluated on and how, in SHA-256 digests. The first one stands.

    The digests are this producer's declarations: nothing certifies them.
    """
    return _queue(
        "validation_protocol",
        lambda: observations.protocol(
            round_id,
            dataset_digest=dataset_digest,
            cohort_digest=cohort_digest,
            verifier_digest=verifier_digest,
            settings_digest=settings_digest,
            split=split,
            checkpoint=checkpoint,
        ),
    )


def validation_metric(round_id: str, key: str, value: float, *, unit: str) -> bool:
    """Reports an aggregate of a round; `unit` is `ratio` (0 to 1) or `native`."""
    return _queue("validation_metric", lambda: observations.validation_metric(round_id, key, value, unit))


def validation_outcome(
    round_id: str,
    trial_id: str,
    *,
    status: str,
    training_eligible: bool,
    trial_attempt: int = 0,
) -> bool:
    """Reports how a trial ended: `success`, `failure`, `infra_error` or `unscored`.

    A real retry of a trial has the next `trial_attempt`; the highest one reported counts. The
    eligibility flag tells of the producer's decision and promotes nothing.
    """
    return _queue(
        "validation_outcome",
        lambda: observations.outcome(
            round_id,
            trial_id,
            status=status,
            training_eligible=training_eligible,
            trial_attempt=trial_attempt,
        ),
    )


def finish() -> None:
    """Delivers what is queued, waiting at most 10 s, and says what is left."""
    try:
        session = _here.session
        if session is not None:
            session.finish()
    except Exception as problem:  # noqa: BLE001 - reporting never fails the training
        _complain("finish", problem)


def _session() -> Session | None:
    """The process's session, opened on first use; None where there is nowhere to report."""
    if _here.session is None and not _here.off:
        with _here.opening:
            _open_once(_here)
    return _here.session


def _open_once(here: _Here) -> None:
    if here.session is not None or here.off:
        return
    try:
        here.session = _opened()
    except (CredentialsUnusable, ValueError) as problem:
        _complain("no reporting", problem)
    here.off = here.session is None


def _opened() -> Session | None:
    if os.environ.get("TUNEPLANE_JOB_ENABLED") == "0":
        return None
    directory = os.environ.get(OBSERVATION_DIR)
    if directory:
        return Session(lambda stream: LocalFiles(directory, f"python-{stream}"))
    credentials = found_credentials(os.environ)
    if credentials is None:
        if os.environ.get(TOKEN):
            message = f"{TOKEN} is for the launcher: start the script with `tuneplane run -- python ...`"
            raise CredentialsUnusable(message)
        return None
    events = events_of_session(credentials.run_id)
    return Session(lambda stream: Requests(credentials, stream), events=events)


def _queue(what: str, build: Callable[[], dict[str, Any]]) -> bool:
    try:
        session = _session()
        if session is None:
            return False
        try:
            event = build()
        except Exception:
            session.refuse_event()
            raise
        return session.observe(event)
    except Exception as problem:  # noqa: BLE001 - reporting never fails the training
        _complain(what, problem)
        return False


def _watch(session: Session, interval: float | None) -> None:
    from tuneplane.hardware import Monitor, samples_here

    if samples_here(os.environ) and not os.environ.get(OBSERVATION_DIR):
        session.watch(Monitor.from_env(os.environ, interval))


def _complain(what: str, problem: Exception) -> None:
    """Each complaint once; a broken logging set-up must not fail the training either."""
    try:
        text = f"tuneplane: {what}: {problem}"
        if text not in _here.told and len(_here.told) < _MOST_COMPLAINTS:
            _here.told.add(text)
            _complaints.warning("%s", text)
    except Exception:  # noqa: BLE001, S110 - there is nowhere left to say it
        pass


def _start_afresh() -> None:
    """After a fork: the child reports as a writer of its own, or not at all."""
    global _here
    forget_sessions()
    before, _here = _here, _Here()
    _here.off = before.off
    if before.session is not None:
        before.session.abandon()
    worker = sys.modules.get("multiprocessing.util")
    if worker is not None:
        worker.register_after_fork(_finish_with_worker, _finish_with_worker)


def _finish_with_worker(_: object) -> None:
    """A `multiprocessing` worker ends without what `atexit` holds, but runs its finalizers."""
    sys.modules["multiprocessing.util"].Finalize(None, finish, exitpriority=0)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
atexit.register(finish)
