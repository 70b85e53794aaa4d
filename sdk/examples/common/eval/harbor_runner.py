"""Runs Harbor trials one at a time for `native_eval`, as a process of the interpreter that has Harbor.

The coordinator may be of an older Python and has no Harbor; it starts this module, writes one line with all trials and
then one line for each trial to run, and reads one line of JSON for each of its own. The end of its lines is the end of
the coordinator, whatever ended it: the trial that runs is then cancelled as by a signal. Needs the standard library and
Harbor alone.
"""

from __future__ import annotations

import asyncio
import copy
import json
import os
import platform
import signal
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from common.eval.harbor_fields import fields_without_a_place

LINE_BYTES = 64 * 1024 * 1024


class Stop:
    """Whether no further trial may run, and why."""

    def __init__(self) -> None:
        self.reason: str | None = None
        self.event = asyncio.Event()

    def because(self, reason: str) -> None:
        """The first reason stays; the trial that runs is cancelled once, so that its clean-up is left alone."""
        if self.reason is None:
            self.reason = reason
            self.event.set()


@dataclass
class Progress:
    """How far a trial came: `create` (agent and environment are made), then `run`."""

    phase: str = "create"


def check(trials: list[dict[str, Any]]) -> dict[str, Any]:
    """Harbor's version, and each setting of any trial that Harbor refuses or would ignore."""
    from harbor.models.trial.config import TrialConfig  # noqa: PLC0415 - absent in the coordinator
    from pydantic import ValidationError  # noqa: PLC0415 - comes with Harbor

    refused: list[dict[str, Any]] = []
    for number, given in enumerate(trials):
        try:
            taken = TrialConfig.model_validate(copy.deepcopy(given))
        except ValidationError as problem:
            refused += [
                {"trial": number, "field": ".".join(map(str, one["loc"])), "rule": one["msg"]}
                for one in problem.errors(include_url=False, include_input=False, include_context=False)
            ]
            continue
        ignored = "is no setting of this Harbor, which would ignore it"
        refused += [{"trial": number, "field": path, "rule": ignored} for path in fields_without_a_place(given, taken)]
    return {"harbor": metadata.version("harbor"), "python": platform.python_version(), "refused": refused}


async def run_trial(given: dict[str, Any], deadline: float, stop: Stop) -> dict[str, Any]:
    """Runs one trial to its end, Harbor's clean-up included. What went wrong outside of Harbor's own result, or nulls.

    `deadline` is in seconds. It, or `stop`, cancels the trial once and waits: Harbor records the cancellation in the
    trial's result, ends the sandbox and then gives the trial back.
    """
    known = asyncio.all_tasks()
    progress = Progress()
    running = asyncio.ensure_future(_create_and_run(given, progress))
    stopping = asyncio.ensure_future(stop.event.wait())
    await asyncio.wait({running, stopping}, timeout=deadline, return_when=asyncio.FIRST_COMPLETED)
    cut = None
    if not running.done():
        cut = stop.reason or "deadline"
        running.cancel()
        await asyncio.wait({running})
    stopping.cancel()
    await asyncio.wait({stopping})
    await _until_sandboxes_ended(known)
    return {"phase": progress.phase, "cut": cut, **_what_was_raised(running, cut)}


async def _create_and_run(given: dict[str, Any], progress: Progress) -> None:
    from harbor.models.trial.config import TrialConfig  # noqa: PLC0415 - as above
    from harbor.trial.trial import Trial  # noqa: PLC0415 - as above

    trial = await Trial.create(TrialConfig.model_validate(copy.deepcopy(given)))
    progress.phase = "run"
    await trial.run()


async def _until_sandboxes_ended(known: set[asyncio.Task[Any]]) -> None:
    """Harbor shields `environment.stop` from cancellation, but is not waiting for it when it is cancelled right there.

    So a sandbox may still be ending when the trial is over. Other tasks, such as a client's, may be meant to run on.
    """
    new = asyncio.all_tasks() - known
    ending = {one for one in new if getattr(one.get_coro(), "__qualname__", "").endswith(".stop")}
    if ending:
        await asyncio.wait(ending)


def _what_was_raised(running: asyncio.Future[None], cut: str | None) -> dict[str, str | None]:
    if cut == "deadline":
        return {"error": "TimeoutError", "message": None}
    if cut is not None or running.cancelled():
        return {"error": "CancelledError", "message": None}
    problem = running.exception()
    if problem is None:
        return {"error": None, "message": None}
    return {"error": type(problem).__name__, "message": str(problem)[:2000]}


async def serve(orders: int, answers: int) -> None:
    """Takes orders from one descriptor and answers on the other until the orders end."""
    loop = asyncio.get_running_loop()
    stop = Stop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.because, signal.Signals(number).name)
    lines = asyncio.StreamReader(limit=LINE_BYTES)
    pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), os.fdopen(orders, "rb"))
    first = await lines.readline()
    if first:
        job = json.loads(first)
        _answer(answers, check(job["trials"]))
        await _take_orders(job, lines, stop, answers)
    pipe.close()


async def _take_orders(job: dict[str, Any], lines: asyncio.StreamReader, stop: Stop, answers: int) -> None:
    asked: asyncio.Queue[int | None] = asyncio.Queue()
    listening = asyncio.ensure_future(_listen(lines, asked, stop))
    while (number := await asked.get()) is not None:
        if stop.reason is not None:
            _answer(answers, {"phase": "none", "cut": stop.reason, "error": "CancelledError", "message": None})
            continue
        _answer(answers, await run_trial(job["trials"][number], job["deadline"], stop))
    await listening


async def _listen(lines: asyncio.StreamReader, asked: asyncio.Queue[int | None], stop: Stop) -> None:
    while line := await lines.readline():
        asked.put_nowait(int(line))
    stop.because("the coordinator ended")
    asked.put_nowait(None)


def _answer(answers: int, said: dict[str, Any]) -> None:
    left = json.dumps(said).encode() + b"\n"
    try:
        while left:
            left = left[os.write(answers, left) :]
    except BrokenPipeError:
        return  # the coordinator is gone; its orders end too


def _take_the_pipes() -> tuple[int, int]:
    """Private copies of standard input and output, which then are nobody's.

    A sandbox that reads its input would otherwise take our orders, and what Harbor prints would be among our answers.
    """
    orders, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return orders, answers


def main() -> int:
    """Exit code 0 at the end of the orders; 3 where Harbor cannot be imported, having said so."""
    orders, answers = _take_the_pipes()
    try:
        import harbor.trial.trial  # noqa: F401, PLC0415 - only whether it can be
    except ImportError as problem:
        _answer(answers, {"absent": str(problem), "python": platform.python_version()})
        return 3
    asyncio.run(serve(orders, answers))
    return 0


if __name__ == "__main__":
    sys.exit(main())
