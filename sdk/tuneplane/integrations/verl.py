"""`python -m tuneplane.integrations.verl`: brings what verl writes into a job, at once or while it trains."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tuneplane.destination import NoDestination
from tuneplane.integrations.delivering import Delivering
from tuneplane.integrations.file_command import ALL, BROKEN_OFF, NOTHING_DONE, SOME_REFUSED, destination, options
from tuneplane.integrations.json_lines import JsonLines, LineTooLong
from tuneplane.integrations.rollouts import trajectories
from tuneplane.integrations.verl_file import LineRefused, MetricsFile, dumps, rollout, validation_sample
from tuneplane.reporter import Reporter, ReporterError
from tuneplane.retention import CapUnusable, cap_from
from tuneplane.rollouts.cap import rollout_cap
from tuneplane.terminal import tell, tell_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

_ABOUT = """Brings what verl writes into a job: the lines of its file logger (trainer.logger=[file] and
VERL_FILE_LOGGER_PATH), and the dumps of trainer.rollout_data_dir and trainer.validation_data_dir.

FILE is the file logger's; of a DIR its only *.jsonl that is no dump. With --follow it goes on until
it is interrupted or terminated, reads what is there then, and ends."""
_PAUSE_SECONDS = 2.0


class FileRefused(ValueError):
    """There is nothing to read where the command line says."""


class _Seen(NamedTuple):
    size: int
    modified_ns: int


class Reading:
    """Everything the command line names, read as far as it is written."""

    def __init__(self, given: argparse.Namespace, delivering: Delivering) -> None:
        self._delivering = delivering
        self._cap = rollout_cap(os.environ)
        self._place: Path | None = given.metrics
        self._lines: JsonLines | None = None
        self._metrics: MetricsFile | None = None
        self._renewals = 0
        self._folders: dict[str, Path] = {
            kind: folder for kind, folder in (("rollouts", given.rollouts), ("validation", given.validation)) if folder
        }
        self._seen: dict[Path, _Seen] = {}
        self._done: dict[Path, _Seen] = {}

    def look(self, *, last: bool) -> None:
        """Sends what came since the last look. `last`: what is there now is all. Raises FileRefused, OSError."""
        self._read_metrics(last=last)
        for kind, folder in self._folders.items():
            found = dumps(folder) if folder.exists() or last else []
            for step, path in found:
                if self._is_whole(path, last=last or step < found[-1][0]):
                    self._read_dump(kind, step, path)

    def _read_metrics(self, *, last: bool) -> None:
        if self._lines is None or self._metrics is None:
            path = self._place and _metrics_file(self._place, last=last)
            if path is None:
                return
            self._lines, self._metrics = JsonLines(path), MetricsFile(path)
        for line in self._lines.read():
            if self._lines.renewals != self._renewals:
                self._renewals = self._lines.renewals
                self._delivering.say(f"{self._lines.path} was written anew: read from its beginning")
            try:
                for series in self._metrics.series(line, self._delivering.refuse):
                    self._delivering.series(series)
                nulls = self._metrics.nulls(line)
                if nulls is not None:
                    self._delivering.observation(nulls)
            except LineRefused as problem:
                self._delivering.refuse(str(problem))
        self._delivering.counts["not finite"] = self._metrics.invalid
        for kind, count in self._metrics.left_out.items():
            self._delivering.counts[f"left out: {kind}"] = count
        if last and self._lines.waiting:
            self._delivering.say(f"{self._lines.path}: its last {self._lines.waiting} bytes are no whole line yet")

    def _is_whole(self, path: Path, *, last: bool) -> bool:
        """A dump is written in place: it is whole when the next one is there, or when it no longer grows."""
        status = path.stat()
        now = _Seen(status.st_size, status.st_mtime_ns)
        if self._done.get(path) == now:
            return False
        before, self._seen[path] = self._seen.get(path), now
        if last or (before == now and now.size and _ends_a_line(path)):
            self._done[path] = now
            return True
        return False

    def _read_dump(self, kind: str, step: int, path: Path) -> None:
        lines, rollouts, samples = JsonLines(path), [], []
        refused = self._delivering.refused
        for line in lines.read():
            try:
                if kind == "rollouts":
                    rollouts.append(rollout(path, line, line.number - 1))
                else:
                    samples.append(validation_sample(path, line, line.number - 1))
            except LineRefused as problem:
                self._delivering.refuse(str(problem))
        if lines.waiting:
            self._delivering.refuse(f"{path}: its last {lines.waiting} bytes are no whole line")
        unread = self._delivering.refused - refused
        for trace in trajectories(rollouts, step, self._cap, whole_step=not unread):
            self._delivering.trajectory(trace)
        if samples:
            self._delivering.samples(step, samples, rows=len(samples) + unread)


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _metrics_file(place: Path, *, last: bool) -> Path | None:
    """The file logger's file; None where it may still come. Raises FileRefused."""
    if place.is_file():
        return place
    if not place.is_dir():
        if last:
            raise FileRefused(f"{place}: is not there")
        return None
    dumped = {path for _, path in dumps(place)}
    found = sorted(path for path in place.glob("*.jsonl") if path not in dumped)
    if len(found) > 1:
        raise FileRefused(f"{place}: holds {len(found)} files of metrics; name one: {found[0]}, {found[1]}")
    if not found and last:
        hint = "; its <step>.jsonl are dumps: name the directory with --rollouts or --validation" if dumped else ""
        raise FileRefused(f"{place}: holds no *.jsonl of metrics{hint}")
    return found[0] if found else None


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = options("verl", _ABOUT)
    made.add_argument("metrics", nargs="?", type=Path, metavar="FILE|DIR", help="the file logger's file")
    made.add_argument("--rollouts", type=Path, metavar="DIR", help="trainer.rollout_data_dir")
    made.add_argument("--validation", type=Path, metavar="DIR", help="trainer.validation_data_dir")
    made.add_argument(
        "--follow",
        nargs="?",
        type=float,
        const=_PAUSE_SECONDS,
        metavar="SECONDS",
        help=f"go on, looking for more every so many seconds (default: {_PAUSE_SECONDS:g})",
    )
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    made = parser()
    given = made.parse_args(arguments)
    if not (given.metrics or given.rollouts or given.validation):
        made.error("FILE, --rollouts or --validation is needed")
    try:
        _is_there(given)
        with destination(given, "verl") as (reporter, page):
            return _bring(given, reporter, page)
    except (NoDestination, FileRefused, CapUnusable, OSError, LineTooLong) as problem:
        tell(f"verl: {problem}")
        return NOTHING_DONE
    except ReporterError as problem:
        tell(f"verl: {problem}; what was sent stands")
        return BROKEN_OFF


def _is_there(given: argparse.Namespace) -> None:
    """Before a job is opened that would stay empty. What is followed may still come.

    Raises FileRefused, CapUnusable, OSError.
    """
    rollout_cap(os.environ)
    cap_from(os.environ)
    if given.follow is not None:
        return
    if given.metrics:
        _metrics_file(given.metrics, last=True)
    for folder in filter(None, (given.rollouts, given.validation)):
        dumps(folder)


def _bring(given: argparse.Namespace, reporter: Reporter | None, page: str) -> int:
    stopped = threading.Event()
    delivering = Delivering("verl", reporter, patient=given.follow is not None, stopped=stopped)
    if page:
        delivering.say(page)
    reading = Reading(given, delivering)
    if given.follow is not None:
        with _stopping(stopped):
            while not stopped.wait(max(given.follow, 0.05)):
                reading.look(last=False)
    reading.look(last=True)
    tell_lines(sys.stdout, [delivering.summary()])
    return SOME_REFUSED if delivering.refused else ALL


@contextlib.contextmanager
def _stopping(stopped: threading.Event) -> Iterator[None]:
    """SIGINT and SIGTERM set the event."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: stopped.set()) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main())
