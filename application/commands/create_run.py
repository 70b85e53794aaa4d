"""Makes a run."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence

import msgspec
from tuneplane.contract import RUN_ID_PATTERN

from application.event_log.group_commit import GroupCommit
from domain.errors import IdentityTaken, Refused
from domain.events import RunCreated
from domain.ids import Position, RunId
from domain.run import create_run

NAME_CHARS = 256
TAGS = 32
TAG_CHARS = 64
NOTES_CHARS = 16_384
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROL_IN_NOTES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class CreatedRun(msgspec.Struct, frozen=True):
    run_id: RunId
    position: Position


class CreateRun:
    """Raises `Refused` for what breaks a rule, `IdentityTaken` for an id that is in use."""

    def __init__(self, commit: GroupCommit) -> None:
        self._commit = commit

    def __call__(
        self,
        *,
        name: str,
        owner: str,
        run_id: str | None = None,
        tags: Sequence[str] = (),
        recipe: str | None = None,
        framework: str | None = None,
        notes: str | None = None,
    ) -> CreatedRun:
        """`run_id` None: the server makes one."""
        run = RunId(f"r-{uuid.uuid4().hex[:16]}" if run_id is None else _checked_id(run_id))
        event = RunCreated(
            run=run,
            name=_line("name", name, NAME_CHARS, least=1),
            owner=owner,
            tags=_checked_tags(tags),
            recipe=recipe and _line("recipe", recipe, NAME_CHARS),
            framework=framework and _line("framework", framework, NAME_CHARS),
            notes=notes and _checked_notes(notes),
        )
        try:
            receipt = self._commit.append_now([create_run(event)])
        except IdentityTaken:
            raise IdentityTaken(f"There is a run {run} already; choose another run_id.") from None
        return CreatedRun(run, receipt.position)


def _checked_id(run_id: str) -> str:
    # "." and ".." are no segment of an address: such a run could never be opened.
    if not re.match(RUN_ID_PATTERN, run_id) or run_id in {".", ".."}:
        raise Refused.at("run_id", "must be 1 to 128 of A-Z a-z 0-9 _ . -", 128)
    return run_id


def _line(path: str, text: str, limit: int, least: int = 0) -> str:
    if not least <= len(text) <= limit:
        raise Refused.at(path, f"must have {least} to {limit} characters", limit)
    if _CONTROL.search(text):
        raise Refused.at(path, "must not hold control characters")
    return text


def _checked_tags(tags: Sequence[str]) -> tuple[str, ...]:
    if len(tags) > TAGS:
        raise Refused.at("tags", f"at most {TAGS}", TAGS)
    return tuple(dict.fromkeys(_line(f"tags[{at}]", tag, TAG_CHARS, least=1) for at, tag in enumerate(tags)))


def _checked_notes(notes: str) -> str:
    if len(notes) > NOTES_CHARS:
        raise Refused.at("notes", f"must have at most {NOTES_CHARS:,} characters", NOTES_CHARS)
    if _CONTROL_IN_NOTES.search(notes):
        raise Refused.at("notes", "must not hold control characters")
    return notes
