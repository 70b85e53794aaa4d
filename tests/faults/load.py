"""Jobs that report without pause and repeat each request until it is accepted, as published clients do."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from tuneplane.contract import validation_event_id

from tests.end_to_end.api import TS, Job
from tests.end_to_end.waiting import PATIENCE_SECONDS, until
from tests.faults.acknowledgements import AcknowledgementLog, Mark

WRITERS = 4
_POINTS = 4
"""In each batch."""
_PACE_SECONDS = 0.005
"""Between two reports of a writer: this is about faults, and servers that start need a share of the machine."""
_REST_SECONDS = 0.02
"""After a request that found nobody, so that a server that is away is not hammered."""


class Report(NamedTuple):
    path: str
    mark: Mark
    content: str
    body: dict[str, Any]


def reports(writer: str) -> Iterator[Report]:
    """Without end: in turn a numbered log piece, numbered columns, the published shape, an outcome."""
    for number in count(1):
        text = f"{writer}/log {number}\n"
        yield Report(
            "logs",
            (f"{writer}/log", number),
            text,
            {"chunks": [text], "stream": f"{writer}.log", "sequence": number},
        )
        steps = list(range(number * _POINTS, (number + 1) * _POINTS))
        values = [number + step / 7 for step in steps]
        columns = {"key": f"{writer}/columns", "steps": steps, "values": values, "ts": [float(number)] * _POINTS}
        yield Report(
            "metrics",
            (f"{writer}/columns", number),
            json.dumps(list(zip(steps, values, strict=True))),
            {"series": [columns], "stream": f"{writer}.columns", "sequence": number},
        )
        point = {"key": f"{writer}/point", "step": number, "value": number / 3, "ts": TS}
        yield Report("metrics", (f"{writer}/point", number), json.dumps([[number, number / 3]]), {"points": [point]})
        status = ("success", "failure", "unscored")[number % 3]
        yield Report("observations", (f"{writer}/outcome", number), status, _outcome(writer, number, status))


def _outcome(writer: str, number: int, status: str) -> dict[str, Any]:
    trial = f"{writer}/outcome-{number}"
    values = {"round_id": "r1", "trial_id": trial, "trial_attempt": 0, "status": status, "training_eligible": False}
    identity = validation_event_id("validation.outcome", "r1", trial, 0)
    return {
        "events": [{"id": identity, "kind": "event", "name": "validation.outcome", "ts": TS, "values": values}],
        "contract": None,
    }


class Load:
    """Four writers on one run, from entering the context to leaving it; each ends with an acknowledged request."""

    def __init__(self, job: Job, log: AcknowledgementLog, urls: Sequence[str] = ()) -> None:
        """Writers are spread over `urls`, and turn to the next one when theirs does not answer."""
        self.statuses: Counter[int] = Counter()
        """Of every answer."""
        self.unanswered = 0
        """Requests that no answer came to."""
        self._job = job
        self._log = log
        self._urls = urls or [job.api.url]
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._failures: list[BaseException] = []
        self._threads = [
            threading.Thread(target=self._write, args=(number,), name=f"writer-{number}") for number in range(WRITERS)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        for thread in self._threads:
            thread.join()
        assert self._failures == []

    def await_acknowledged(self, more: int) -> None:
        """Waits until so many more requests have succeeded."""
        goal = self._log.count() + more
        until(lambda: self._failures or self._log.count() >= goal, "an acknowledgement")
        assert self._failures == []

    def _write(self, number: int) -> None:
        try:
            with contextlib.closing(_Sender(self._job, self._urls, number, self)) as sender:
                for report in reports(f"w{number}"):
                    self._log.sending(report.mark, report.content)
                    self._log.acknowledged(report.mark, sender.deliver(report))
                    if self._stopping.wait(_PACE_SECONDS):
                        return
        except BaseException as failure:  # noqa: BLE001 - raised in the test's own thread
            self._failures.append(failure)

    def saw(self, status: int | None) -> None:
        with self._lock:
            if status is None:
                self.unanswered += 1
            else:
                self.statuses[status] += 1


class _Sender:
    """One writer's connection."""

    def __init__(self, job: Job, urls: Sequence[str], at: int, load: Load) -> None:
        self._job = job
        self._urls = urls
        self._at = at
        self._load = load
        self._pause = threading.Event()
        self._connection = self._connect()

    def deliver(self, report: Report) -> int:
        """The position of its acknowledgement; repeats the same bytes until there is one."""
        body = json.dumps({"run_id": self._job.run_id, **report.body}).encode()
        for _ in range(int(PATIENCE_SECONDS / _REST_SECONDS)):
            try:
                self._connection.request(
                    "POST",
                    f"/api/ingest/{report.path}",
                    body,
                    {"X-TunePlane-Token": self._job.token, "Content-Type": "application/json"},
                )
                answer = self._connection.getresponse()
                content = answer.read()
            except (OSError, http.client.HTTPException):
                self._load.saw(None)
                self._at += 1
                self._connection.close()
                self._connection = self._connect()
            else:
                self._load.saw(answer.status)
                if answer.status == 200:
                    return int(json.loads(content)["position"])
                assert answer.status == 503, (answer.status, content)
                assert answer.headers["Retry-After"]
            self._pause.wait(_REST_SECONDS)
        raise AssertionError(f"{report.mark} was never accepted")

    def close(self) -> None:
        self._connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(urlsplit(self._urls[self._at % len(self._urls)]).netloc, timeout=30)
