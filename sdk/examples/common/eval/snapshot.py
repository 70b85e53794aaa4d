"""A snapshot of an evaluation: all that an upload sends, made of a plan and of the files it names.

A snapshot is one JSON object:

    schema          SNAPSHOT_SCHEMA
    round_id        "native:<the plan's round id>:<first 32 digits of content_digest>"
    content_digest  SHA-256 of everything here but round_id, content_digest and prepared_at
    prepared_at     ISO-8601; the time told for what has no time of its own
    source_revision of the plan
    planned_round   the plan's round id
    population      {"expected": trials planned}
    protocol        the four digests, split and checkpoint
    outcomes        one for each attempt of the plan, by task, repeat and retry:
                    {trial_id, trial_attempt, status, training_eligible: false, reason or null, ts or null,
                     directory, result_sha256 or null}
    trajectories    {trial_id, trial_attempt, messages, total_messages, complete: false, capture_policy: "sampled",
                     termination?, source_sha256}
    legacy_texts    attempts that left text in the older format alone, which is not read; 0 where no text was asked for

The digests of the files read are part of the content, so any changed input makes another round.
Source: SPEC "Import native evaluation artifacts".
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable

from common.eval import strict_json
from common.eval.artifacts import Attempt, Root
from common.eval.harbor_result import RESULT, RESULT_BYTES, Verdict, missing, read_result
from common.eval.plan import Plan, PlannedAttempt, PlannedTrial
from common.eval.refused import InputRefused
from common.eval.traces import LEGACY, Traces

SNAPSHOT_SCHEMA = "tuneplane/native-evaluation-snapshot/v1"
Bundle = dict[str, Any]
"""A snapshot, as JSON."""
_BESIDE_CONTENT = ("round_id", "content_digest", "prepared_at")


def prepare(
    plan: Plan, root: Path, traces: Traces | None = None, read: Callable[[int], None] = lambda _: None
) -> Bundle:
    """The snapshot of what stands beneath `root` now. Raises `InputRefused`; then nothing was made.

    `traces` says which text is kept and what cleans it; None: none is. `read` is told the attempts read so far.
    """
    keep = traces or Traces(0, None)
    outcomes: list[dict[str, Any]] = []
    trajectories: list[dict[str, Any]] = []
    legacy = 0
    with Root(root) as opened:
        for trial, attempt in _attempts(plan):
            with opened.attempt(attempt.directory) as folder:
                verdict, digest = _verdict(folder, keep)
                outcomes.append(_outcome(trial, attempt, verdict, digest))
                if folder is not None and len(trajectories) < keep.limit:
                    text = keep.trajectory(folder)
                    if text is not None:
                        trajectories.append(_trajectory(trial, attempt, verdict, text))
                    legacy += text is None and folder.holds(LEGACY)
            read(len(outcomes))
    return _identified(
        {
            "schema": SNAPSHOT_SCHEMA,
            "source_revision": plan.source_revision,
            "planned_round": plan.round_id,
            "population": {"expected": len(plan.trials)},
            "protocol": plan.protocol,
            "outcomes": outcomes,
            "trajectories": trajectories,
            "legacy_texts": legacy,
        }
    )


def save(bundle: Bundle, path: Path) -> None:
    """Writes the snapshot whole or not at all; for its owner's eyes alone. Raises `InputRefused`.

    An earlier snapshot is replaced; any other file in its place is left alone, and said.
    """
    _replaceable(path)
    try:
        number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as problem:
        raise InputRefused(str(path), "", f"cannot be written: {problem.strerror}") from None
    try:
        with os.fdopen(number, "w", encoding="ascii") as file:
            file.writelines(_text(bundle))
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except OSError as problem:  # a disk that is full
        Path(name).unlink(missing_ok=True)
        raise InputRefused(str(path), "", f"cannot be written: {problem.strerror}") from None
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def content_digest(bundle: Mapping[str, Any]) -> str:
    """Of everything but what is made of it, and when."""
    digest = hashlib.sha256()
    for key in sorted(bundle):
        if key not in _BESIDE_CONTENT:
            digest.update(strict_json.canonical(key))
            for one in bundle[key] if isinstance(bundle[key], list) else [bundle[key]]:
                digest.update(strict_json.canonical(one) + b"\n")
    return digest.hexdigest()


def round_identity(planned_round: str, digest: str) -> str:
    """The round's id on the server: the same content is the same round."""
    return f"native:{planned_round}:{digest[:32]}"


def _identified(content: Bundle) -> Bundle:
    digest = content_digest(content)
    return {
        "schema": content["schema"],
        "round_id": round_identity(content["planned_round"], digest),
        "content_digest": digest,
        "prepared_at": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        **content,
    }


def _attempts(plan: Plan) -> Iterator[tuple[PlannedTrial, PlannedAttempt]]:
    return ((trial, attempt) for trial in plan.trials for attempt in trial.attempts)


def _verdict(folder: Attempt | None, keep: Traces) -> tuple[Verdict, str | None]:
    data = folder.read(RESULT, RESULT_BYTES) if folder else None
    if folder is None or data is None:
        return missing(), None
    return read_result(data, folder.shown(RESULT), keep.clean), hashlib.sha256(data).hexdigest()


def _outcome(trial: PlannedTrial, attempt: PlannedAttempt, verdict: Verdict, digest: str | None) -> dict[str, Any]:
    return {
        "trial_id": trial.reported_as,
        "trial_attempt": attempt.retry,
        "status": verdict.status,
        "training_eligible": False,
        "reason": verdict.reason,
        "ts": verdict.finished_at,
        "directory": attempt.directory,
        "result_sha256": digest,
    }


def _trajectory(
    trial: PlannedTrial, attempt: PlannedAttempt, verdict: Verdict, text: Mapping[str, Any]
) -> dict[str, Any]:
    ended = {"termination": verdict.reason} if verdict.reason else {}
    return {"trial_id": trial.reported_as, "trial_attempt": attempt.retry, **ended, **text}


def _text(bundle: Bundle) -> Iterator[str]:
    """The snapshot as text, a row a line, so that it can be looked at and is never in memory twice."""
    separator = "{"
    for key, value in bundle.items():
        yield f"{separator}\n{json.dumps(key)}: "
        if isinstance(value, list) and value:
            for at, one in enumerate(value):
                yield ("[\n" if at == 0 else ",\n") + json.dumps(one, allow_nan=False)
            yield "\n]"
        else:
            yield json.dumps(value, allow_nan=False)
        separator = ","
    yield "\n}\n"


def _replaceable(path: Path) -> None:
    try:
        if not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():  # a pipe would hold us up
            raise InputRefused(str(path), "", "is there already and is no ordinary file: give --output another name")
        with path.open("rb") as file:
            start = file.read(200)
    except FileNotFoundError:
        return
    except OSError as problem:
        raise InputRefused(str(path), "", f"cannot be replaced: {problem.strerror}") from None
    if SNAPSHOT_SCHEMA.encode() not in start:
        raise InputRefused(str(path), "", "is there already and is no snapshot: give --output another name")
