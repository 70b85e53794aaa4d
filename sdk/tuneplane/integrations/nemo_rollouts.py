"""Reads a finished step's file of NeMo-RL 0.7: counts all its samples, and keeps the text of some.

`train_data_step{N}.jsonl` holds the rollouts of step N, `val_data_step{N}.jsonl` the validation after it. A reward
makes no verdict, so nothing here is ever a success or a failure; the files name no policy, so none is told.
Source: CONTRACT.md "NeMo-RL training logs", FORMATS §5.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Callable, NamedTuple

from tuneplane import observations
from tuneplane.flatten import finite
from tuneplane.foreign import Foreign
from tuneplane.integrations.nemo_content import ContentUnread, Conversation, conversation
from tuneplane.retention import WHOLE_COHORT, retained
from tuneplane.rollouts.choice import CATEGORIES, Choice, category
from tuneplane.rollouts.json_rows import Row, rows
from tuneplane.rollouts.trace import trace
from tuneplane.times import iso

SAMPLES_READ = "rollout/samples"
"""Observation: how many samples a step's file holds, by category, and of how many the text was chosen."""
_NAME = re.compile(r"\A(train|val)_data_step([0-9]{1,18})\.jsonl\Z")
_WANTED = frozenset({"content", "rewards", "sample_loss_mask"})
_PROBLEMS_TOLD = 5
_DIGEST_CHARS = 16


class StepFile(NamedTuple):
    """A file that NeMo-RL's logger writes in one go at the end of a step."""

    path: Path
    training: bool
    """False: of a validation."""
    step: int


class StepRead(NamedTuple):
    """What a step's file says."""

    traces: list[dict[str, Any]]
    """The chosen samples as trajectories, in the file's order."""
    counts: Mapping[str, int]
    """`rows`, the three categories, `masked` (left out of the loss), `unread`, `chosen`."""
    problems: list[str]
    """Why rows could not be read, the first few."""
    ended: bool
    """Whether the last row is whole and ends with a line end."""
    event: dict[str, Any]
    """The counts as an observation, the same at each reading of the same bytes."""


def step_file(path: Path) -> StepFile | None:
    """None where the name is none of a step's file."""
    named = _NAME.match(path.name)
    return None if named is None else StepFile(path, named[1] == "train", int(named[2]))


def read_step(file: StepFile, most: int | None, pause: Callable[[], None] = lambda: None) -> StepRead:
    """Reads the file once, a piece at a time, calling `pause` after each. Raises OSError.

    `most` is how many samples are kept; None: all of up to 128, of more 32.
    """
    kind = "train" if file.training else "val"
    digest, counts = hashlib.sha256(), Counter[str]()
    choice = Choice[dict[str, Any]](WHOLE_COHORT if most is None else most, f"{kind}:{file.step}")
    problems: list[str] = []
    ended = True

    def passed(piece: bytes) -> None:
        digest.update(piece)
        pause()

    with file.path.open("rb") as opened:
        written = iso(os.fstat(opened.fileno()).st_mtime)
        for row in rows(opened, _WANTED, passed):
            counts["rows"] += 1
            ended = row.ended and row.problem != "is cut off"
            problem = _take(row, file, counts, choice)
            if problem and len(problems) < _PROBLEMS_TOLD:
                problems.append(f"{file.path.name}: row {row.number}: {problem}")
    round_id = f"{kind}_data_step{file.step}:{digest.hexdigest()[:_DIGEST_CHARS]}"
    kept = [one for _, one in choice.chosen(retained(counts["rows"], most))]
    counts.update(choice.found)
    counts["chosen"] = len(kept)
    placed = {"round_id": round_id, "source_rows": counts["rows"], "capture_policy": _capture(file, counts)}
    told = {name: counts[name] for name in ("rows", *CATEGORIES, "masked", "unread", "chosen")}
    event = _event(file, round_id, told, written)
    return StepRead([{**one, **placed} for one in kept], told, problems, ended, event)


def _event(file: StepFile, round_id: str, told: Mapping[str, int], written: str) -> dict[str, Any]:
    return observations.observation(
        SAMPLES_READ,
        values={"source": file.path.name, **told},
        step=file.step,
        event_id=f"rollouts:{hashlib.sha256(round_id.encode()).hexdigest()}",
        ts=written,
    )


def _take(row: Row, file: StepFile, counts: Counter[str], choice: Choice[dict[str, Any]]) -> str:
    """Counts a row and offers it; why it cannot be read, or nothing."""
    try:
        said = None if row.problem else conversation(row.fields.get("content"))
    except ContentUnread as problem:
        said, row = None, row._replace(problem=str(problem))
    if said is None:
        counts["unread"] += 1
        return row.problem
    if finite(_only(row.fields.get("sample_loss_mask"))) == 0:
        counts["masked"] += 1
    reward = _only(row.fields.get("rewards"))
    choice.offer(row.number, category(reward), lambda: _trace(row.number, file, said, reward))
    return ""


def _trace(number: int, file: StepFile, said: Conversation, reward: Foreign) -> dict[str, Any]:
    """A trajectory, but for what is known only at the file's end."""
    fields: dict[str, Any] = {
        "scope": "training" if file.training else "validation",
        "trial_id": f"row-{number}",
        "trial_attempt": 0,
        "step": file.step,
    }
    number_of = finite(reward)
    if number_of is not None:
        fields["reward"] = number_of
    if file.training:
        fields["diagnostic"] = category(reward)
    if said.roles_inferred:
        fields["roles_inferred"] = True
    return trace(fields, said.messages)


def _capture(file: StepFile, counts: Mapping[str, int]) -> str:
    """Whether the text of every execution is here; of training, the file itself need not hold every one."""
    return "all" if not file.training and counts["chosen"] == counts["rows"] else "sampled"


def _only(value: Foreign) -> Foreign:
    """The number of a one-element list, or the number itself."""
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value
