"""Two evaluation jobs of real evaluators' files: the pages show what was counted by hand."""

import re

import msgspec
import pytest
from tuneplane.reporter import Reporter
from tuneplane.transport import JSON, Outcome, Transport

from tests import evaluation_jobs as jobs
from tests.console.test_job_page import text_of
from tests.evaluation_samples import FOLDER, atif, harbor


class InMemory(Transport):
    """Hands requests to the application."""

    def __init__(self, job) -> None:
        super().__init__("http://in.memory/api/ingest", job.token)
        self._job = job

    def post(self, path: str, body: bytes, content_type: str = JSON) -> Outcome:
        answer = self._job.send(path, body, content_type)
        return Outcome(answer.status_code == 200, False, answer.text, status=answer.status_code, body=answer.content)


def reported(site, report):
    job = site.open_attempt()
    reporter = Reporter("http://in.memory/api/ingest", job.run_id, job.token, attempt=job.attempt)
    reporter._transport = InMemory(job)
    report(reporter)
    return job


@pytest.fixture
def earlier(site):
    return reported(site, jobs.report_earlier)


@pytest.fixture
def later(site):
    return reported(site, jobs.report_later)


def counted(site, job) -> dict[str, dict[str, object]]:
    items = site.get(f"/api/runs/{job.run_id}/validation/rounds").json()["items"]
    return {one["round_id"]: one for one in items}


@pytest.mark.parametrize("side", ["earlier", "later"])
def test_the_rounds_hold_what_was_counted_by_hand(site, request, side):
    expected = {"earlier": jobs.EARLIER_COUNTS, "later": jobs.LATER_COUNTS}[side]
    found = counted(site, request.getfixturevalue(side))
    for round_id, wanted in expected.items():
        numbers = {name: value for name, value in msgspec.structs.asdict(wanted).items() if isinstance(value, int)}
        assert {name: found[round_id][name] for name in numbers} == numbers, round_id


@pytest.mark.parametrize("side", ["earlier", "later"])
def test_the_validation_tab_says_the_same(site, request, side):
    job = request.getfixturevalue(side)
    expected = {"earlier": jobs.EARLIER_COUNTS, "later": jobs.LATER_COUNTS}[side]
    for round_id, wanted in expected.items():
        html = site.page(f"/runs/{job.run_id}/validation?round_id={round_id}")
        text = text_of(html)
        assert f"success rate {wanted.rate}" in text
        assert f"scoring coverage {wanted.coverage}" in text
        assert f"{wanted.reported} reported, {wanted.expected} planned" in text
        (label,) = set(re.findall(r'class="outcomes"[^>]*aria-label="([^"]*)"', one_round(html, round_id)))
        shown = {name: int(count) for count, name in re.findall(r"(\d+) ([a-z ]+)", label)}
        classes = ("success", "failure", "infra_error", "unscored", "not_reported")
        names = {"infra_error": "execution error", "not_reported": "not reported"}
        counts = {names.get(name, name): getattr(wanted, name) for name in classes}
        assert shown == {name: count for name, count in counts.items() if count}


def one_round(html: str, round_id: str) -> str:
    """The card of a round."""
    found = re.search(rf"<article[^>]*>(?:(?!</article>).)*<bdi>{round_id}</bdi>.*?</article>", html, re.DOTALL)
    assert found is not None
    return found[0]


def test_the_text_of_trials_says_why_they_ended(site, later):
    items = site.get(f"/api/runs/{later.run_id}/validation/rounds/agent-tasks/trials").json()["items"]
    assert {one["trial_id"]: one["termination"] for one in items if one["termination"]} == {
        "bustub-hyperloglog-impl-001:0": "the reward is 0.1667, neither 0 nor 1",
        "hello-file:3": "ValueError: unexpected agent bug",
        "no-reward:0": (
            "RewardFileNotFoundError: No reward file found at out/no-reward__oracle/verifier/reward.txt or "
            "out/no-reward__oracle/verifier/reward.json"
        ),
        "partial-reward:0": "the reward is 0.5, neither 0 nor 1",
        "slow-agent-unsolved:0": "AgentTimeoutError: Agent execution timed out after 1.0 seconds",
        "slow-agent:0": "AgentTimeoutError: Agent execution timed out after 1.0 seconds",
        "slow-verifier:0": "VerifierTimeoutError: Verifier execution timed out after 1.0 seconds",
    }


@pytest.mark.parametrize("round_id", ["agent-tasks", "hello-file"])
def test_trials_moved_between_the_checkpoints_as_counted_by_hand(site, earlier, later, round_id):
    sides = {"left": f"{earlier.run_id}:{round_id}", "right": f"{later.run_id}:{round_id}"}
    found = site.client.get("/api/review/rounds", params=sides).json()
    moved = {name: count for name, count in found["transitions"].items() if count}
    assert moved == jobs.TRANSITIONS[round_id]
    assert found["matched"] is True


def test_rates_may_be_subtracted_only_where_both_rounds_are_matched_and_completely_scored(site, earlier, later):
    def difference(round_id: str):
        sides = {"left": f"{earlier.run_id}:{round_id}", "right": f"{later.run_id}:{round_id}"}
        found = site.client.get("/api/review/rounds", params=sides).json()
        return found["difference"], found["mismatches"]

    assert difference("agent-tasks") == (None, [])
    assert difference("hello-file") == (pytest.approx(1 / 3), [])
    assert difference("lm-eval:tp_mc") == (None, ["verifier_digest"])


def test_what_was_lost_and_what_is_alive_can_be_read(site, earlier, later):
    before, after = (site.get(f"/api/runs/{job.run_id}").json() for job in (earlier, later))
    assert (before["status"], after["status"]) == ("succeeded", "running")
    assert [one["transport"]["state"] for one in (before, after)] == ["ok", "lossy"]
    assert (after["transport"]["dropped_points"], after["transport"]["dropped_events"]) == (5, 2)
    assert counted(site, later)["400"]["reported"] is None


def test_every_sample_file_names_its_source():
    sources = (FOLDER / "SOURCES.md").read_text()
    for path in FOLDER.rglob("*.json*"):
        name = path.relative_to(FOLDER).as_posix()
        wildcards = re.findall(r"`([^`]*\*)`", sources)
        assert f"`{name}`" in sources or any(name.startswith(one[:-1]) for one in wildcards), name


def test_an_agents_timeout_keeps_its_verdict_and_a_verifiers_does_not():
    assert harbor("slow-agent__solved_then_timeout").status == "success"
    assert harbor("slow-agent__unsolved_timeout").status == "failure"
    assert harbor("slow-verifier__timeout").status == "infra_error"
    assert harbor("hello-file__Raises").status == "unscored"


def test_a_step_with_a_tool_is_its_words_and_the_answer():
    roles = [(one["role"], one.get("tool_name")) for one in atif("tiny-agent_v1.8_run-here")]
    assert roles == [("user", None), ("assistant", None), ("tool", "bash")]
