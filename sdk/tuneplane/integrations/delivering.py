"""How a command sends what the files say that it reads: in order, counted, again after a break where that is asked."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Callable

from tuneplane.bulk import send_text
from tuneplane.integrations.validation_samples import send_samples
from tuneplane.reporter import Reporter, ReporterError
from tuneplane.terminal import NowAndThen, tell

_PAUSE_SECONDS = 5.0
_MOST_REASONS = 20


class Delivering:
    """Sends through `reporter`; None only counts. Raises ReporterError, unless `patient`: then it tries on.

    `stopped` ends the patience.
    """

    def __init__(
        self, who: str, reporter: Reporter | None, *, patient: bool = False, stopped: threading.Event | None = None
    ) -> None:
        self._who = who
        self._reporter = reporter
        self._patient = patient
        self._stopped = stopped or threading.Event()
        self._now_and_then = NowAndThen()
        self.counts: Counter[str] = Counter()
        self.refused = 0
        """Lines, names and files that were refused; each was said."""

    def series(self, series: Sequence[Mapping[str, Any]]) -> None:
        self._send(lambda reporter: reporter.series(series))
        self.counts["points"] += len(series)
        self._progress()

    def hparams(self, params: Mapping[str, Any]) -> None:
        self._send(lambda reporter: reporter.hparams(params))

    def observation(self, event: Mapping[str, Any]) -> None:
        self._send(lambda reporter: reporter.observations({"events": [event]}))

    def trajectory(self, trace: Mapping[str, Any]) -> None:
        """A text kept under the same identity before stays: that is counted, and no failure."""
        kept = self._send(lambda reporter: send_text(reporter, trace))
        self.counts["rollouts" if kept else "texts kept otherwise before"] += 1
        self._progress()

    def samples(self, step: int, samples: Sequence[Mapping[str, Any]], *, rows: int) -> None:
        """Samples of a validation round of `rows`."""
        self._send(lambda reporter: send_samples(reporter, step, samples, rows=rows))
        self.counts["validation rounds"] += 1
        self.counts["validation samples read"] += len(samples)
        self._progress()

    def refuse(self, reason: str) -> None:
        self.refused += 1
        if self.refused <= _MOST_REASONS:
            self.say(f"refused: {reason}")
        elif self.refused == _MOST_REASONS + 1:
            self.say("more is refused; the number is said at the end")

    def say(self, text: str) -> None:
        tell(f"{self._who}: {text}")

    def summary(self) -> str:
        """`points 22, not finite 1`; what was refused last."""
        parts = [f"{name} {count:,}" for name, count in self.counts.items() if count]
        return ", ".join([*parts, f"refused {self.refused:,}"] if self.refused else parts) or "nothing"

    def _send(self, call: Callable[[Reporter], object]) -> object:
        """What `call` gave; True where nothing is sent."""
        while self._reporter is not None:
            try:
                return call(self._reporter)
            except ReporterError as problem:
                if not (self._patient and problem.transient) or self._stopped.wait(_PAUSE_SECONDS):
                    raise
                self.say(f"trying again: {problem}")
        return True

    def _progress(self) -> None:
        if self._now_and_then.due():
            self.say(f"so far: {self.summary()}")
