"""A math evaluation on the Validation tab: the counts are those of a hand count."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from common.eval.math_eval import deliver, evaluated, parser
from tests.console.test_job_page import text_of
from tests.http.conftest import Job

HALVES = [(rf"say \boxed{{{n}}}", "4") for n in range(1, 11)]
"""One of ten is right."""
OTHERS = [("raise", "4"), ("number", "4"), (r"say \boxed{x}", "y")]
"""Two execution errors, one that is not understood."""


class Posting:
    """Takes what is delivered as a Reporter does, to this job."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def observations(self, payload: Mapping[str, Any]) -> bool:
        answer = self._job.post("observations", contract=None, **payload)
        assert answer.status_code == 200, answer.text
        return True

    def trajectory(self, trace: Mapping[str, Any]) -> bool:
        answer = self._job.post("trajectory", trace=trace)
        assert answer.status_code == 200, answer.text
        return True


def test_the_tab_counts_what_a_hand_counts_and_a_repeat_changes_nothing(reader, job, tmp_path):
    problems = tmp_path / "p.jsonl"
    lines = [{"id": n, "problem": said, "answer": right} for n, (said, right) in enumerate([*HALVES, *OTHERS])]
    problems.write_text("".join(json.dumps(one) + "\n" for one in lines))
    made_of = ("--problems", str(problems), "--output", str(tmp_path / "e.jsonl"))
    given = parser().parse_args([*made_of, "--generator", "tests.math_eval.models:scripted"])
    report, posting = evaluated(given), Posting(job)
    deliver(report, posting, None)
    before = len(reader.events())
    deliver(report, posting, None)
    assert len(reader.events()) == before
    (found,) = reader.get(f"/api/runs/{job.run_id}/validation/rounds").json()["items"]
    counts = ("expected", "reported", "success", "failure", "infra_error", "unscored")
    assert tuple(found[name] for name in counts) == (13, 13, 1, 9, 2, 1)
    assert (found["success_rate"], found["scoring_coverage"], found["protocol"]) == (0.1, 10 / 13, None)
    page = text_of(reader.page(f"/runs/{job.run_id}/validation?round_id={found['round_id']}"))
    assert "generation: ConnectionError: no model here" in page
    assert "verifier: not understood: the expected answer" in page
