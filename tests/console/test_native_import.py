"""An import of real results: the Validation tab counts what was counted by hand and says why a trial is not scored."""

import pytest
from tuneplane.reporter import Reporter

from common.eval.native_import import upload
from common.eval.plan import parse_plan
from common.eval.snapshot import prepare
from common.eval.traces import Traces
from tests.console.test_evaluation_jobs import InMemory
from tests.console.test_job_page import text_of
from tests.native_import import samples
from tests.native_import.cohort import a_result, left, same


class Importing:
    """One platform run, and the plan of all real results."""

    def __init__(self, site, root) -> None:
        self.site, self.root, self.job = site, root, site.open_attempt()
        self.plan = parse_plan(samples.real_results(root))
        self.reporter = Reporter("http://in.memory/api/ingest", self.job.run_id, self.job.token, attempt=0)
        self.reporter._transport = InMemory(self.job)

    def __call__(self, traces: Traces | None = None) -> str:
        """Imports; the round's id."""
        bundle = prepare(self.plan, self.root, traces)
        upload(bundle, self.reporter)
        found: str = bundle["round_id"]
        return found

    def rounds(self) -> dict:
        items = self.site.get(f"/api/runs/{self.job.run_id}/validation/rounds").json()["items"]
        return {one["round_id"]: one for one in items}

    def page(self, round_id: str, **more: str) -> str:
        asked = "&".join(f"{name}={value}" for name, value in {"round_id": round_id, **more}.items())
        return text_of(self.site.page(f"/runs/{self.job.run_id}/validation?{asked}"))


@pytest.fixture
def importing(site, tmp_path) -> Importing:
    return Importing(site, tmp_path)


def test_the_validation_tab_counts_what_was_counted_by_hand(importing):
    round_id = importing()
    found, text = importing.rounds()[round_id], importing.page(round_id)

    assert {name: found[name] for name in samples.COUNTS} == samples.COUNTS
    assert f"success rate {samples.RATE}" in text
    assert f"scoring coverage {samples.COVERAGE}" in text
    assert "47 reported, 48 planned" in text
    assert "1 planned trial not reported" in text


def test_each_trial_that_is_not_scored_says_why_without_any_text(importing):
    round_id = importing()
    address = f"/api/runs/{importing.job.run_id}/validation/rounds/{round_id}/trials"
    listed = importing.site.get(address).json()["items"]
    told = {one["trial_id"]: one["reason"] for one in listed if one["status"] in {"unscored", "infra_error"}}
    by_hand = {
        f"{name}:{version}": reason
        for version, names in samples.BY_HAND.items()
        for name, (status, reason) in names.items()
        if status in {"unscored", "infra_error"}
    }

    assert told == by_hand
    for status in ("unscored", "infra_error"):
        text = importing.page(round_id, status=status)
        assert "no reason given" not in text
        assert text.count("none sent") == samples.COUNTS[status]
    assert samples.VERIFIER in importing.page(round_id, status="infra_error")


def test_importing_twice_changes_nothing(importing):
    round_id = importing()
    before, page = importing.rounds(), importing.page(round_id)

    assert importing() == round_id
    assert importing.rounds() == before
    assert importing.page(round_id) == page


def test_importing_changed_results_makes_a_new_round_beside_the_first(importing):
    first = importing()
    left(importing.root, "harbor/hello-file__nop", a_result(1.0))
    second = importing()

    found = importing.rounds()
    assert set(found) == {first, second}
    assert (found[first]["success"], found[first]["failure"]) == (14, 6)
    assert (found[second]["success"], found[second]["failure"]) == (15, 5)


def test_both_rounds_of_one_protocol_are_matched(importing):
    first = importing()
    left(importing.root, "harbor/hello-file__nop", a_result(1.0))
    second = importing()

    left_side, right_side = (importing.rounds()[one]["protocol"] for one in (first, second))
    assert left_side == right_side


def test_kept_text_is_shown_as_sampled_beside_the_outcome(importing):
    round_id = importing(Traces(32, same))
    text = importing.page(round_id, q="TinyAtif")

    assert "trajectory" in text
    (kept,) = importing.site.get(f"/api/runs/{importing.job.run_id}/trajectories").json()["items"]
    assert (kept["trial_id"], kept["complete"], kept["capture_policy"]) == (
        "hello-file__TinyAtif:harbor",
        False,
        "sampled",
    )
