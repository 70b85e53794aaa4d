"""What an evaluation left on disk before anything is sent: a JSON-lines file that only grows.

Its first line says of what the evaluation was made, and names the round; each further line is one execution of one
trial, written when it ended. Whoever starts the same evaluation with the same file goes on where it broke off.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from tuneplane.contract import EVENT_TS_CHARS, ROUND_ID_CHARS

from common.eval import strict_json
from common.eval.checked import Fields
from common.eval.refused import InputRefused

SCHEMA = "tuneplane/math-evaluation/v1"
_BEGINNING = json.dumps({"schema": SCHEMA}).encode()[:-1]


class Execution(NamedTuple):
    """One attempt at one trial."""

    trial_id: str
    trial_attempt: int
    status: str
    """One of `contract.OUTCOME_STATUSES`."""
    reason: str | None
    """Why there is no verdict; None where there is one."""
    completion: str | None
    """None where none was generated."""
    ended_at: str
    """ISO-8601 with an offset."""


class Evidence:
    """The file, open and held by this process alone. To be closed before it is sent."""

    def __init__(self, path: Path, name: str, inputs: Mapping[str, Any]) -> None:
        """Makes the file, or goes on with it. Raises `InputRefused`, above all where it is of other inputs."""
        self._path = path
        self._one_at_a_time = threading.Lock()
        try:
            self._file = path.open("a+b", buffering=0)
        except OSError as problem:
            raise InputRefused(str(path), "", f"cannot be written: {problem.strerror}") from None
        try:
            self._hold()
            self.executions = list(self._read(name, inputs))
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Evidence:  # noqa: PYI034 - Self came after 3.9
        return self

    def __exit__(self, *exc: object) -> None:
        os.fsync(self._file.fileno())
        self._file.close()

    def add(self, one: Execution) -> None:
        """In the file when this returns, and after a crash of this process. May be called by several threads.

        Raises `InputRefused` where there is no room; the file then holds what was added before.
        """
        with self._one_at_a_time:
            self._write(one._asdict())
            self.executions.append(one)

    def current(self) -> dict[str, Execution]:
        """The execution that counts for each trial: that of its highest attempt."""
        found: dict[str, Execution] = {}
        for one in self.executions:
            if one.trial_id not in found or one.trial_attempt > found[one.trial_id].trial_attempt:
                found[one.trial_id] = one
        return found

    def _hold(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputRefused(str(self._path), "", "another evaluation writes to it now") from None

    def _read(self, name: str, inputs: Mapping[str, Any]) -> Iterator[Execution]:
        self._file.seek(0)
        lines = self._file.read().split(b"\n")
        if len(lines) == 1 and _BEGINNING.startswith(lines[0][: len(_BEGINNING)]):  # empty, or killed in the first line
            self._file.truncate(0)
            self._begin(name, inputs)
            return
        self._check(lines[0], name, inputs)
        if lines[-1]:  # killed while it was written
            self._file.truncate(self._file.tell() - len(lines[-1]))
        for number, line in enumerate(lines[1:-1], start=2):
            try:
                yield Execution(**strict_json.parse(line, str(self._path)))
            except (InputRefused, TypeError):
                raise InputRefused(str(self._path), f"line {number}", "is no execution of a math evaluation") from None

    def _begin(self, name: str, inputs: Mapping[str, Any]) -> None:
        self.started_at = datetime.now(timezone.utc).isoformat()
        begun = {"schema": SCHEMA, "name": name, "started_at": self.started_at, "inputs": inputs}
        self.round_id = f"math:{name}:{strict_json.digest(begun)[:32]}"
        self._write({**begun, "round_id": self.round_id})

    def _check(self, line: bytes, name: str, inputs: Mapping[str, Any]) -> None:
        file = str(self._path)
        if not line.startswith(_BEGINNING):
            raise InputRefused(file, "", "is there already and is no evidence of a math evaluation: name another file")
        begun = Fields(file, "line 1", strict_json.parse(line, file))
        before = {**begun.inner("inputs").values, "name": begun.values.get("name")}
        for field, value in {**inputs, "name": name}.items():
            if before.get(field) != value:
                rule = "was another when this evaluation began: name another file for a new round"
                raise InputRefused(file, field, rule)
        self.round_id = begun.text("round_id", ROUND_ID_CHARS)
        self.started_at = begun.text("started_at", EVENT_TS_CHARS)

    def _write(self, row: Mapping[str, Any]) -> None:
        end = self._file.seek(0, os.SEEK_END)
        left = json.dumps(row).encode() + b"\n"
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as problem:
            # Half a line would make one line with what is written once there is room again.
            self._file.truncate(end)
            rule = f"cannot be written: {problem.strerror}; what it holds is kept, make room and give the command again"
            raise InputRefused(str(self._path), "", rule) from None
