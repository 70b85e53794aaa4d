from application.queries.observation_contract import coverage
from tests import factories as a

CONTRACT = {
    "version": 1,
    "recipe": "grpo",
    "framework": "nemo-rl",
    "framework_version": "0.7",
    "method": "grpo",
    "capabilities": ["agent"],
    "primary": ["train/reward"],
    "semantics": {},
    "requirements": [
        {"id": "core/loss", "group": "core", "unit": "nats", "candidates": ["loss", "train/*loss"]},
        {"id": "agent/terminal", "candidates": ["agent/terminal"], "capability": "agent"},
        {"id": "moe/balance", "candidates": ["moe/*"], "capability": "moe"},
        {"id": "core/kl", "candidates": ["kl"]},
    ],
}


def statuses(found):
    return {one.id: (one.enabled, one.status, one.matched) for one in found.requirements}


def test_requirements_are_held_against_series_and_observations(reports):
    reports.scalars.put("train/policy_loss", 1.0)
    reports.of(a.a_contract(contract=CONTRACT), a.an_observation(name="agent/terminal"))

    found = coverage(reports.views, a.RUN)

    assert statuses(found) == {
        "core/loss": (True, "reported", ["train/policy_loss"]),
        "agent/terminal": (True, "reported", ["agent/terminal"]),
        "moe/balance": (False, "not_enabled", []),
        "core/kl": (True, "missing", []),
    }
    assert (found.capabilities, found.primary, found.method, found.recipe) == (
        ["agent"],
        ["train/reward"],
        "grpo",
        "grpo",
    )
    assert (found.attempt, found.version, found.framework, found.framework_version) == (0, 1, "nemo-rl", "0.7")
    assert (found.requirements[0].group, found.requirements[0].unit, found.requirements[0].complete) == (
        "core",
        "nats",
        True,
    )


def test_a_run_without_contract_is_asked_for_nothing(reports):
    found = coverage(reports.views, a.RUN)

    assert (found.attempt, found.version, found.capabilities, found.requirements) == (None, None, [], [])
    assert (found.method, found.primary) == (None, [])


def test_the_latest_contract_of_the_latest_attempt_that_declared_one_counts(restarted):
    restarted.of(a.a_contract(), a.a_contract(contract=CONTRACT))

    found = coverage(restarted.views, a.RUN)

    assert (found.attempt, found.version, len(found.requirements)) == (0, 2, 4)
    restarted.of(a.a_contract(contract={**CONTRACT, "requirements": []}, attempt=1))
    assert (coverage(restarted.views, a.RUN).attempt, coverage(restarted.views, a.RUN).requirements) == (1, [])
    assert len(coverage(restarted.views, a.RUN, attempt=0).requirements) == 4


def test_an_attempt_is_covered_by_its_own_reports_alone(restarted):
    restarted.scalars.put("kl", 1.0, attempt=1)
    restarted.of(a.a_contract(contract=CONTRACT), a.an_observation(name="agent/terminal", attempt=1))

    of_first = statuses(coverage(restarted.views, a.RUN, attempt=0))

    assert (of_first["core/kl"][1], of_first["agent/terminal"][1]) == ("missing", "missing")
    assert statuses(coverage(restarted.views, a.RUN))["core/kl"][1] == "reported"


def test_coverage_is_counted_over_enabled_requirements(reports):
    assert coverage(reports.views, a.RUN).state == "unknown"
    reports.of(
        a.a_contract(contract=CONTRACT), a.an_observation(name="agent/terminal"), a.an_observation(name="moe/x", id="2")
    )

    found = coverage(reports.views, a.RUN)

    assert (found.state, found.enabled, found.reported, found.not_enabled) == ("partial", 3, 1, 1)
