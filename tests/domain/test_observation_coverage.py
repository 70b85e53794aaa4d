from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.rules import observation_coverage as rule
from domain.rules.observation_coverage import Coverage, coverage_state, matches, observation_coverage


def a_requirement(*candidates: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": "agent/success",
        "group": "quality",
        "unit": "fraction",
        "candidates": list(candidates),
        "capability": "agent",
        "enabled": True,
        "support": "native",
        "population": "held-out",
        "producer": "trainer",
        **fields,
    }


def covered(*candidates: str, reported: Any = (), capabilities: Any = (), **fields: Any) -> Coverage:
    contract = {"capabilities": list(capabilities), "requirements": [a_requirement(*candidates, **fields)]}
    return observation_coverage(contract, reported)[0]


def test_what_was_reported_is_named_with_its_requirement():
    assert covered("agent/success_rate", "acc", reported=["loss", "acc"]) == Coverage(
        id="agent/success",
        capability="agent",
        group="quality",
        unit="fraction",
        enabled=True,
        status="reported",
        matched=("acc",),
        complete=True,
    )


def test_nothing_that_was_reported_is_missing():
    found = covered("acc", reported=["accuracy", "train/acc", "Acc"])
    assert (found.status, found.matched) == ("missing", ())


def test_what_is_not_enabled_is_not_missing_and_shows_where_it_was_reported_all_the_same():
    assert covered("acc", enabled=False).status == "not_enabled"
    assert covered("acc", enabled=False, reported=["acc"]).status == "reported"
    assert covered("acc", enabled=False, reported=["acc"]).enabled is False


def test_where_nobody_said_the_capability_enables():
    assert covered("acc", enabled=None).status == "not_enabled"
    assert covered("acc", enabled=None, capabilities=["agent"]).status == "missing"
    assert covered("acc", enabled=None, capability=None).status == "missing"


def test_requirements_come_in_the_contracts_order_and_a_contract_may_have_none():
    contract = {"requirements": [a_requirement("a", id="x/2"), a_requirement("b", id="x/1")]}
    assert [(one.id, one.status) for one in observation_coverage(contract, ["b"])] == [
        ("x/2", "missing"),
        ("x/1", "reported"),
    ]
    assert observation_coverage({"version": 1}, ["a"]) == []
    assert observation_coverage({"requirements": None}, ["a"]) == []


@pytest.mark.parametrize(
    ("candidate", "name", "fits"),
    [
        ("val/*/acc", "val/gsm8k/acc", True),
        ("val/*/acc", "val//acc", True),
        ("val/*/acc", "val/acc", False),
        ("val/*/acc", "val/gsm8k/acc/best", False),
        ("val/*/acc", "a/val/gsm8k/acc", False),
        ("*", "", True),
        ("*", "anything\nat all", True),
        ("**", "a", True),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("*ab*ab*", "abab", True),
        ("*ab*ab*", "abb", False),
        ("a*b*c", "abcbc", True),
        ("loss", "loss", True),
        ("loss", "losses", False),
        ("a.c", "abc", False),
        ("a?c", "abc", False),
        ("[ab]", "a", False),
        ("(a|b)*", "(a|b)1", True),
        ("", "", True),
    ],
)
def test_a_star_is_any_text_and_all_else_is_literal(candidate, name, fits):
    assert matches(candidate, name) is fits
    assert covered(candidate, reported=[name]).status == ("reported" if fits else "missing")


@for_all(st.text("ab*", max_size=8), st.sets(st.text("ab", max_size=6), max_size=8))
def test_the_names_found_are_those_that_match_one_by_one(candidate, names):
    assert sorted(covered(candidate, reported=names).matched) == sorted(n for n in names if fnmatchcase(n, candidate))


def test_a_name_that_several_candidates_name_is_matched_once():
    assert covered("a*", "*b", "ab", reported=["ab", "b"]).matched == ("ab", "b")


def test_the_list_of_matches_is_bounded_and_says_so():
    names = [f"moe/{number:03}" for number in range(64)]
    assert covered("moe/*", reported=names).complete
    found = covered("moe/*", reported=[*names, "moe/more"])
    assert (len(found.matched), found.complete, found.status) == (64, False, "reported")


def test_comparing_is_bounded_and_says_so(monkeypatch):
    monkeypatch.setattr(rule, "COMPARISONS", 10)
    names = [f"s/{number}" for number in range(11)]
    assert covered("*x*", reported=names[:9]).complete
    assert not covered("*x*", reported=names).complete


def test_names_that_start_or_end_otherwise_cost_nothing(monkeypatch):
    monkeypatch.setattr(rule, "COMPARISONS", 10)
    names = [f"s/{number}" for number in range(4096)]
    assert covered("val/*", "*/val", "s/4095*", "*4095", "s/7", reported=names) == covered(
        "s/4095", "s/7", reported=names
    )


@pytest.mark.parametrize(
    ("reported", "state"),
    [((), "none"), (("a",), "partial"), (("a", "b"), "complete"), (("a", "b", "off"), "complete"), (("off",), "none")],
)
def test_coverage_in_one_word_is_of_what_is_enabled(reported, state):
    asked = [a_requirement("a", id="1"), a_requirement("b", id="2"), a_requirement("off", id="3", enabled=False)]
    assert coverage_state(observation_coverage({"requirements": asked}, reported)) == state


def test_without_a_contract_coverage_is_unknown_and_without_enabled_requirements_nothing_is_asked():
    assert coverage_state(None) == "unknown"
    assert coverage_state([]) == "unasked"
    assert coverage_state([covered("a", enabled=False, reported=["a"])]) == "unasked"
