"""Observations and evaluation: identities, and rules that are kept before anything is queued."""

import hashlib
import math

import pytest
from tuneplane import contract, observations, report

DIGEST = "ab" * 32

BROKEN = {
    "an empty name": lambda: report.observe(""),
    "a long name": lambda: report.observe("n" * 257),
    "a value that is not finite": lambda: report.observe("x", values={"v": math.nan}),
    "33 values": lambda: report.observe("x", values={f"v{index}": 1 for index in range(33)}),
    "a long text": lambda: report.observe("x", values={"v": "t" * 513}),
    "a value that is none": lambda: report.observe("x", values={"v": None}),
    "a long id": lambda: report.observe("x", event_id="i" * 129),
    "a negative step": lambda: report.observe("x", step=-1),
    "equal bounds": lambda: report.observe("x", bounds=[1, 1], counts=[1, 1, 1]),
    "too few counts": lambda: report.observe("x", bounds=[1, 2], counts=[1, 1]),
    "65 bounds": lambda: report.observe("x", bounds=list(range(65)), counts=[0] * 66),
    "no bounds": lambda: report.observe("x", bounds=[], counts=[1]),
    "a negative count": lambda: report.observe("x", bounds=[1], counts=[1, -1]),
    "a negative population": lambda: report.validation_population("r", -1),
    "a population over 31 bits": lambda: report.validation_population("r", 2**31),
    "a ratio over 1": lambda: report.validation_metric("r", "k", 1.5, unit="ratio"),
    "an unknown unit": lambda: report.validation_metric("r", "k", 1, unit="percent"),
    "an unknown status": lambda: report.validation_outcome("r", "t", status="won", training_eligible=False),
    "an unscored trial that is eligible": lambda: report.validation_outcome(
        "r", "t", status="unscored", training_eligible=True
    ),
    "a long trial id": lambda: report.validation_outcome("r", "t" * 129, status="success", training_eligible=True),
    "a digest in capitals": lambda: report.validation_protocol(
        "r",
        dataset_digest="AB" * 32,
        cohort_digest=DIGEST,
        verifier_digest=DIGEST,
        settings_digest=DIGEST,
        split="s",
        checkpoint="c",
    ),
    "an unknown capability": lambda: report.configure_observability(capabilities=["telepathy"]),
    "a contradicting descriptor": lambda: report.configure_observability(
        descriptors={"k": {"unit": "percent", "display": "ratio"}}
    ),
    "an unknown descriptor field": lambda: report.configure_observability(descriptors={"k": {"colour": "red"}}),
}


def test_events_histograms_and_evaluation_arrive_with_their_identities(ingest, reporting):
    assert reporting.observe("agent/terminal", values={"reason": "done", "turns": 3}, step=1, policy_version=2)
    assert reporting.observe("age", bounds=[0, 1.5], counts=[1, 2, 3], event_id="mine")
    assert reporting.validation_population("r", 10)
    assert reporting.validation_metric("r", "acc", 0.5, unit="ratio")
    assert reporting.validation_outcome("r", "t", status="success", training_eligible=True, trial_attempt=2)
    digests = dict.fromkeys(contract.DIGEST_FIELDS, DIGEST)
    assert reporting.validation_protocol("r", **digests, split="s", checkpoint="c")
    reporting.finish()
    found = {event["name"]: event for event in ingest.events()}
    assert found["agent/terminal"]["values"] == {"reason": "done", "turns": 3}
    assert (found["agent/terminal"]["step"], found["agent/terminal"]["policy_version"]) == (1, 2)
    assert (found["age"]["kind"], found["age"]["id"]) == ("histogram", "mine")
    assert (found["age"]["bounds"], found["age"]["counts"]) == ([0.0, 1.5], [1, 2, 3])
    # sha256 of the text '["validation.outcome", "r", "t", 2]', taken with another tool
    assert found["validation.outcome"]["id"] == contract.validation_event_id(contract.OUTCOME, "r", "t", 2)
    assert found["validation.protocol"]["values"]["split"] == "s"
    assert found["validation.population"]["values"] == {"round_id": "r", "expected": 10}


def test_an_outcome_id_is_the_digest_of_its_parts_in_json():
    wanted = hashlib.sha256(b'["validation.outcome", "r\\u00e9", "t", 0]').hexdigest()
    assert contract.validation_event_id("validation.outcome", "ré", "t", 0) == f"validation:{wanted}"


@pytest.mark.parametrize("call", BROKEN.values(), ids=BROKEN)
def test_what_breaks_a_rule_is_false_and_raises_nothing(reporting, call):
    assert call() is False


def test_the_observation_contract_is_sent(ingest, reporting):
    descriptor = {"direction": "higher", "display": "ratio", "unit": "fraction", "cadence_seconds": 5}
    assert reporting.configure_observability(capabilities=("agent", "async"), descriptors={"a/b": descriptor})
    reporting.finish()
    sent = [one.document["contract"] for one in ingest.at("observations") if one.document["contract"]]
    assert sent[0]["version"] == 1
    assert sent[0]["capabilities"] == ["agent", "async"]
    assert sent[0]["semantics"] == {"a/b": descriptor}


def test_a_reason_has_one_identity_for_each_trial_attempt():
    one = observations.trial_reason("r", "t", 2, "no reward", ts="2026-01-01T00:00:00Z")
    digest = hashlib.sha256(b'["trial.reason", "r", "t", 2]').hexdigest()

    assert one == {
        "id": f"reason:{digest}",
        "kind": "event",
        "name": "trial.reason",
        "ts": "2026-01-01T00:00:00Z",
        "values": {"round_id": "r", "trial_id": "t", "trial_attempt": 2, "reason": "no reward"},
    }
    assert observations.trial_reason("r", "t", 2, "another")["id"] == one["id"]
    assert observations.trial_reason("r", "t", 1, "no reward")["id"] != one["id"]


@pytest.mark.parametrize("broken", [("", "t", 0, "x"), ("r", "t" * 129, 0, "x"), ("r", "t", 0, "")])
def test_a_reason_of_nothing_is_refused(broken):
    with pytest.raises(observations.ObservationRefused):
        observations.trial_reason(*broken)
    with pytest.raises(observations.ObservationRefused):
        observations.trial_reason("r", "t", 0, "x" * 257)
