"""What any history of reports to one run must answer, by plain dicts and sets and without code of the product.

Sources: DESIGN "Identity is the rule", RULINGS "Identities", "Surviving lineage", SPEC "Evaluation outcome coverage".
"""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any, NamedTuple

ACCEPTED, DUPLICATE, SET_ASIDE = "accepted", "duplicate", "set_aside"
_RANK = {"starting": 1, "running": 2, "succeeded": 3, "failed": 3}


class Report(NamedTuple):
    """One request of a job."""

    attempt: int
    path: str
    body: dict[str, Any]


class Model:
    def __init__(self) -> None:
        self.attempts = 0
        self.standing: dict[tuple[Any, ...], Any] = {}
        """Identity -> what was accepted first."""
        self.aside: set[tuple[Any, ...]] = set()
        """(identity, content) of every report that lost."""
        self.lifecycle: dict[int, list[str]] = {}
        self.points: list[tuple[int, str, int, float]] = []
        """(attempt, key, step, value) in the order accepted; the later one wins a step."""
        self.invalid: list[tuple[int, str, int]] = []
        self.opened: set[str] = set()
        self.printed: list[tuple[int, str, bool]] = []
        """(attempt, text, eof)."""

    def open_attempt(self) -> None:
        self.lifecycle[self.attempts] = []
        self.attempts += 1

    def tell(self, report: Report) -> str:
        """What becomes of it."""
        attempt, path, body = report
        if path == "lifecycle":
            return self._lifecycle(attempt, body["event"])
        if path == "logs":
            return self._log(attempt, body)
        if path == "metrics":
            return self._metrics(attempt, body)
        (event,) = body["events"]
        values = event["values"]
        if event["name"] == "validation.population":
            return self._take(("population", attempt, values["round_id"]), values["expected"])
        place = ("outcome", attempt, values["round_id"], values["trial_id"], values["trial_attempt"])
        return self._take(place, (values["status"], values["training_eligible"]))

    def _take(self, identity: tuple[Any, ...], content: Any) -> str:
        if identity not in self.standing:
            self.standing[identity] = content
            return ACCEPTED
        if self.standing[identity] == content:
            return DUPLICATE
        self.aside.add((identity, content))
        return SET_ASIDE

    def _lifecycle(self, attempt: int, event: str) -> str:
        accepted = self.lifecycle[attempt]
        if not accepted or _RANK[event] > _RANK[accepted[-1]]:
            accepted.append(event)
            return ACCEPTED
        over = accepted[-1] in ("succeeded", "failed")
        if event == accepted[-1] or (event in accepted and not over):
            return DUPLICATE
        self.aside.add((("lifecycle", attempt, len(accepted)), event))
        return SET_ASIDE

    def _log(self, attempt: int, body: dict[str, Any]) -> str:
        place = (body["stream"], body["sequence"]) if "stream" in body else (len(self.printed),)
        fate = self._take(("log", attempt, *place), (tuple(body["chunks"]), body["eof"]))
        if fate == ACCEPTED:
            self.printed.append((attempt, "".join(body["chunks"]), body["eof"]))
        return fate

    def _metrics(self, attempt: int, body: dict[str, Any]) -> str:
        if "points" in body:
            rows = [(one["key"], one["step"], one["value"]) for one in body["points"]]
            bad: list[tuple[str, int]] = []
            place: tuple[Any, ...] = ("body", attempt, json.dumps(body))
        else:
            columns = [(one["key"], list(zip(one["steps"], one["values"], strict=True))) for one in body["series"]]
            rows = [(key, step, value) for key, column in columns for step, value in column]
            bad = [(one["key"], point["step"]) for one in body["series"] for point in one["invalid"]]
            place = ("session", attempt, body["stream"], body["sequence"])
        # A batch opens the series it names, also without points, and also where it loses its number to another.
        self.opened |= {one["key"] for one in (*body.get("points", ()), *body.get("series", ()))}
        fate = self._take(place, json.dumps(body.get("points", body.get("series"))))
        if fate == ACCEPTED:
            self.points += [(attempt, *row) for row in rows]
            self.invalid += [(attempt, *row) for row in bad]
        return fate

    def document(self) -> dict[str, Any]:
        """All answers about the run."""
        latest = self.lifecycle[self.attempts - 1]
        everyone = [None, *range(self.attempts)]
        return {
            "status": latest[-1] if latest else "created",
            "attempt": self.attempts - 1,
            "points": len(self.points),
            "invalid points": len(self.invalid),
            "series opened": len(self.opened),
            "set aside": len(self.aside),
            "log bytes": sum(len(text.encode()) for _, text, _ in self.printed),
            "series": {attempt: self._series(attempt) for attempt in everyone},
            "logs": {attempt: self._lines(attempt) for attempt in range(self.attempts)},
            "rounds": {attempt: self._rounds(attempt) for attempt in everyone},
        }

    def _series(self, only: int | None) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key in sorted(self.opened):
            rows: dict[int, tuple[int, float]] = {}
            bad, bound = 0, math.inf
            for attempt in reversed(range(self.attempts)) if only is None else [only]:
                own = {step: value for at, name, step, value in self.points if (at, name) == (attempt, key)}
                wrong = [step for at, name, step in self.invalid if (at, name) == (attempt, key)]
                rows |= {step: (attempt, value) for step, value in own.items() if step < bound}
                bad += len(wrong) if wrong and min(wrong) < bound else 0
                bound = min([bound, *own, *wrong])
            if rows or bad:
                result[key] = _summary(rows, bad)
        return result

    def _lines(self, attempt: int) -> tuple[str, list[str], bool, bool]:
        """(text, lines, whether the last line is unfinished, whether the log has ended)."""
        mine = [(text, eof) for at, text, eof in self.printed if at == attempt]
        text = "".join(piece for piece, _ in mine)
        *lines, rest = text.split("\n")
        return text, lines + [rest] * bool(rest), bool(rest), any(eof for _, eof in mine)

    def _rounds(self, only: int | None) -> dict[str, Any]:
        about = {(place[2], place[1]) for place in self.standing if place[0] in ("population", "outcome")}
        result = {}
        for name in {name for name, _ in about}:
            attempts = [attempt for each, attempt in about if each == name and only in (None, attempt)]
            if attempts:
                result[name] = self._round(max(attempts), name)
        return result

    def _round(self, attempt: int, name: str) -> dict[str, Any]:
        outcomes = {
            (place[3], place[4]): content
            for place, content in self.standing.items()
            if place[:3] == ("outcome", attempt, name)
        }
        current = {trial: outcomes[trial, number] for trial, number in sorted(outcomes)}  # the highest comes last
        classes = Counter(status for status, _ in current.values())
        scored = classes["success"] + classes["failure"]
        expected: Any = self.standing.get(("population", attempt, name))
        unknown, exceeded = expected is None, expected is not None and len(current) > expected
        return {
            "attempt": attempt,
            "expected": expected,
            "classes": {one: classes[one] for one in ("success", "failure", "infra_error", "unscored")},
            "eligible": sum(eligible for _, eligible in current.values()),
            "not reported": None if unknown or exceeded else expected - len(current),
            "success rate": classes["success"] / scored if scored else None,
            "coverage": None if exceeded or not expected else scored / expected,
            "population": "unknown" if unknown else "exceeded" if exceeded else "declared",
            "set aside": sum(
                place[0] in ("population", "outcome") and place[1:3] == (attempt, name) for place, _ in self.aside
            ),
            "trials": {
                trial: (status, max(n for t, n in outcomes if t == trial), sum(t == trial for t, _ in outcomes))
                for trial, (status, _) in current.items()
            },
        }


def _summary(rows: dict[int, tuple[int, float]], bad: int) -> dict[str, Any]:
    ordered = sorted(rows.items())
    values = [value for _, (_, value) in ordered]
    return {
        "rows": [(attempt, step, value) for step, (attempt, value) in ordered],
        "count": len(rows),
        "extrema": (min(values), max(values)) if values else (None, None),
        "mean": round(math.fsum(values) / len(values), 9) if values else None,
        "ends": (values[0], values[-1]) if values else (None, None),
        "invalid": bad,
    }
