"""Observations over HTTP: limits, reserved names and their identities, contracts, collected scalars."""

import hashlib
import json
import math

import pytest

from application.series.columns import unpack
from domain.events import (
    MetricsReported,
    ObservationContractDeclared,
    ObservationReported,
    OutcomeReported,
    PopulationDeclared,
    ProtocolDeclared,
    SeriesOpened,
    ValidationMetricReported,
)

TS = "2026-01-01T00:00:00Z"


def an_event(**changes):
    event = {"id": "e1", "kind": "event", "name": "agent/terminal", "ts": TS, "values": {"turns": 4}, **changes}
    return {name: value for name, value in event.items() if value is not ...}


def a_histogram(**changes):
    return an_event(**{"kind": "histogram", "bounds": [0, 1.5], "counts": [1, 2, 3], **changes})


def a_scalar(**changes):
    values = {"value": 0.5, "source": "tensorboard", "producer": "p", "sequence": 0, "unit": "1"}
    return an_event(**{"kind": "scalar", "name": "loss", "step": 3, "values": values, **changes})


def reserved(name, *identity, **values):
    """As CONTRACT.md has it, by its own formula."""
    parts = [name, values["round_id"], *identity]
    return an_event(id="validation:" + hashlib.sha256(json.dumps(parts).encode()).hexdigest(), name=name, values=values)


def a_population(expected=5, round_id="r"):
    return reserved("validation.population", round_id=round_id, expected=expected)


def an_outcome(**changes):
    values = {"round_id": "r", "trial_id": "t", "trial_attempt": 0, "status": "success", "training_eligible": False}
    values |= changes
    return reserved("validation.outcome", values["trial_id"], values["trial_attempt"], **values)


def a_metric(**changes):
    values = {"round_id": "r", "key": "acc", "value": 0.5, "unit": "ratio", **changes}
    return reserved("validation.metric", values["key"], **values)


def a_protocol(**changes):
    names = ("dataset_digest", "cohort_digest", "verifier_digest", "settings_digest")
    digests = {name: hashlib.sha256(name.encode()).hexdigest() for name in names}
    return reserved("validation.protocol", **{"round_id": "r", **digests, "split": "s", "checkpoint": "c", **changes})


def observe(job, *events, send=None):
    return (send or job.post)("observations", events=list(events), contract=None)


def fault(answer):
    assert answer.status_code == 422, answer.text
    return answer.json()["errors"][0]


@pytest.mark.parametrize("packed", [False, True])
def test_an_event_is_stored_as_it_was_sent(job, stored, packed):
    sent = an_event(step=3, policy_version=2, values={"a": True, "b": 1, "c": 1.0, "d": "x\0", "e": -(2**63)})
    assert observe(job, sent, send=job.packed if packed else job.post).json()["accepted"] == 1
    (event,) = stored()
    assert isinstance(event, ObservationReported)
    assert (event.id, event.step, event.policy_version, event.values) == ("e1", 3, 2, sent["values"])
    assert [type(value) for value in event.values.values()] == [bool, int, float, str, int]


def test_a_histogram_keeps_bounds_and_counts(job, stored):
    assert observe(job, a_histogram()).status_code == 200
    assert (stored()[0].bounds, stored()[0].counts) == ((0, 1.5), (1, 2, 3))


def test_repeats_and_other_content_are_told_apart(job):
    fates = []
    for sent in (an_event(), an_event(ts="2026-01-02T00:00:00Z"), an_event(values={"turns": 5})):
        answer = observe(job, sent).json()
        fates.append((answer["accepted"], answer["duplicates"], answer["set_aside"]))
    assert fates == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


@pytest.mark.parametrize(
    "sent",
    [
        an_event(id="i" * 128, name="n" * 256, ts="t" * 64),
        an_event(values=...),
        an_event(values={}),
        an_event(values={f"{n:0>64}": n for n in range(32)}),
        an_event(values={"a": "x" * 512}),
        an_event(step=None, policy_version=None, bounds=None, counts=None),
        a_histogram(bounds=list(range(64)), counts=[0] * 65),
        a_histogram(bounds=[-math.pi], counts=[2**63 - 1, 0]),
        an_event(kind="health", name="transport"),
        a_population(0),
        a_population(2**31 - 1),
        an_outcome(trial_attempt=2**31 - 1, trial_id="ü" * 128, round_id="é" * 128),
        an_outcome(status="failure", training_eligible=True),
        a_metric(value=-1e308, unit="native"),
        a_metric(value=1),
        a_protocol(split="s" * 512, checkpoint=" c "),
        a_scalar(step=2**63 - 1),
    ],
    ids=range(17),
)
def test_what_is_within_every_limit_is_taken(job, sent):
    answer = observe(job, sent)
    assert (answer.status_code, answer.json()["accepted"]) == (200, 1), answer.text


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        (an_event(id=""), "id"),
        (an_event(id="i" * 129), "id"),
        (an_event(id="a\0"), "id"),
        (an_event(id=...), ""),
        (an_event(name=""), "name"),
        (an_event(name="n" * 257), "name"),
        (an_event(name="a\r\nb"), "name"),
        (an_event(ts="t" * 65), "ts"),
        (an_event(ts=5), "ts"),
        (an_event(kind="banana"), "kind"),
        (an_event(surprise=1), ""),
        (an_event(step=-1), "step"),
        (an_event(step=2**63), "step"),
        (an_event(step=True), "step"),
        (an_event(policy_version=-1), "policy_version"),
        (an_event(values={str(n): n for n in range(33)}), "values"),
        (an_event(values={"k" * 65: 1}), "values"),
        (an_event(values={"": 1}), "values"),
        (an_event(values={"a\0": 1}), "values"),
        (an_event(values={"a": "x" * 513}), "values.a"),
        (an_event(values={"a": [1]}), "values[...]"),
        (an_event(values={"a": None}), "values[...]"),
        (an_event(values={"a": 2**63}), "values.a"),
        (an_event(values={"a": -(2**63) - 1}), "values.a"),
        (an_event(bounds=[1], counts=[1, 1]), "bounds"),
        (an_event(counts=[1, 1]), "bounds"),
        (a_histogram(bounds=...), "bounds"),
        (a_histogram(counts=...), "bounds"),
        (a_histogram(bounds=[]), "bounds"),
        (a_histogram(bounds=list(range(65)), counts=[0] * 66), "bounds"),
        (a_histogram(bounds=[1, 1]), "bounds"),
        (a_histogram(bounds=[2, 1]), "bounds"),
        (a_histogram(bounds=[True, 2]), "bounds[0]"),
        (a_histogram(counts=[1, 2]), "counts"),
        (a_histogram(counts=[1, 2, 3, 4]), "counts"),
        (a_histogram(counts=[1, -1, 1]), "counts[1]"),
        (a_histogram(counts=[1, 1.5, 1]), "counts[1]"),
        (a_histogram(counts=[1, 2**63, 1]), "counts[1]"),
        (a_scalar(step=...), "step"),
        (a_scalar(ts="yesterday"), "ts"),
        (a_scalar(values={"value": 1}), "values"),
        (a_scalar(values={**a_scalar()["values"], "more": 1}), "values"),
        (a_scalar(values={**a_scalar()["values"], "source": "s" * 65}), "values.source"),
        (a_scalar(values={**a_scalar()["values"], "sequence": -1}), "values.sequence"),
        (a_scalar(values={**a_scalar()["values"], "value": True}), "values.value"),
        (a_scalar(values={**a_scalar()["values"], "segment": "s" * 257}), "values.segment"),
        (an_event(name="validation.outcome"), "values"),
        ({**an_outcome(), "kind": "health"}, "kind"),
        ({**an_outcome(), "id": "validation:" + "0" * 64}, "id"),
        ({**an_outcome(), "id": "ü"}, "id"),
        (an_outcome(status="won"), "values.status"),
        (an_outcome(status="infra_error", training_eligible=True), "values.training_eligible"),
        (an_outcome(status="unscored", training_eligible=True), "values.training_eligible"),
        (an_outcome(trial_attempt=2**31), "values.trial_attempt"),
        (an_outcome(trial_attempt=-1), "values.trial_attempt"),
        (an_outcome(trial_attempt=True), "values.trial_attempt"),
        (an_outcome(training_eligible=1), "values.training_eligible"),
        (an_outcome(trial_id=""), "values.trial_id"),
        (an_outcome(trial_id="t" * 129), "values.trial_id"),
        (an_outcome(round_id="a\0"), "values.round_id"),
        (an_outcome(more=1), "values"),
        (a_population(-1), "values.expected"),
        (a_population(2**31), "values.expected"),
        (a_population(True), "values.expected"),
        (a_population(round_id="r" * 129), "values.round_id"),
        (a_metric(value=1.5), "values.value"),
        (a_metric(value=-0.1), "values.value"),
        (a_metric(unit="percent"), "values.unit"),
        (a_metric(key=""), "values.key"),
        (a_metric(key="k" * 129), "values.key"),
        (a_protocol(dataset_digest="A" * 64), "values.dataset_digest"),
        (a_protocol(cohort_digest="0" * 63), "values.cohort_digest"),
        (a_protocol(verifier_digest="0" * 64 + "\n"), "values.verifier_digest"),
        (a_protocol(split="  "), "values.split"),
        (a_protocol(checkpoint="c" * 513), "values.checkpoint"),
    ],
    ids=range(75),
)
@pytest.mark.parametrize("packed", [False, True])
def test_one_bad_event_refuses_the_request_and_is_named(job, stored, sent, path, packed):
    if packed and -(2**63) - 1 in (sent.get("values") or {}).values():
        return  # MessagePack cannot hold it
    answer = observe(job, an_event(id="good"), sent, send=job.packed if packed else job.post)
    assert fault(answer)["path"] == f"events[1].{path}".rstrip(".")
    assert stored() == []


@pytest.mark.parametrize("where", ["values", "bounds"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_non_finite_numbers_in_messagepack_are_refused(job, stored, where, value):
    sent = an_event(values={"a": value}) if where == "values" else a_histogram(bounds=[0.0, value])
    assert fault(observe(job, sent, send=job.packed))["path"].startswith(f"events[0].{where}")
    assert stored() == []


@pytest.mark.parametrize(("size", "status"), [(16_384, 200), (16_385, 422)])
def test_an_event_has_at_most_16384_bytes_of_compact_json(job, size, status):
    sent = an_event(values={f"{n:0>64}": "é" * 220 for n in range(30)} | {"a": "", "b": ""})
    short = size - len(json.dumps(sent, separators=(",", ":"), ensure_ascii=False).encode())
    sent["values"] |= {"a": "x" * 512, "b": "x" * (short - 512)}
    assert len(json.dumps(sent, separators=(",", ":"), ensure_ascii=False).encode()) == size
    assert observe(job, sent).status_code == status


@pytest.mark.parametrize(("count", "status"), [(128, 200), (129, 422)])
def test_a_request_has_at_most_128_events(job, count, status):
    answer = observe(job, *(an_event(id=f"e{n}") for n in range(count)))
    assert answer.status_code == status
    if status == 422:
        assert fault(answer)["limit"] == 128


def test_neither_events_nor_contract_is_refused(job):
    assert fault(job.post("observations"))["path"] == "events"
    assert fault(job.post("observations", events=[], contract=None))["path"] == "events"


def test_reserved_names_become_facts_of_the_evaluation(job, stored):
    answer = observe(job, a_population(), a_protocol(), a_metric(), an_outcome(trial_attempt=2))
    assert answer.json()["accepted"] == 4
    population, protocol, metric, outcome = stored()
    assert isinstance(population, PopulationDeclared)
    assert (population.round_id, population.expected) == ("r", 5)
    assert isinstance(protocol, ProtocolDeclared)
    assert protocol.settings_digest == hashlib.sha256(b"settings_digest").hexdigest()
    assert isinstance(metric, ValidationMetricReported)
    assert (metric.key, metric.value, metric.unit) == ("acc", 0.5, "ratio")
    assert isinstance(outcome, OutcomeReported)
    assert (outcome.trial_id, outcome.trial_attempt, outcome.status) == ("t", 2, "success")


def test_collected_scalars_become_points_with_where_they_came_from(job, stored):
    sent = [a_scalar(), a_scalar(id="e2", step=4, values={**a_scalar()["values"], "segment": "s"}), an_event(id="e3")]
    for counts in ((3, 0), (0, 3)):
        answer = observe(job, *sent).json()
        assert (answer["accepted"], answer["duplicates"]) == counts
    events = stored()
    assert [event.key for event in events if isinstance(event, SeriesOpened)] == ["loss"]
    points = [event for event in events if isinstance(event, MetricsReported)]
    assert [unpack(event.columns).steps.tolist() for event in points] == [[3], [4]]
    assert [event.provenance and (event.provenance.source, event.provenance.segment) for event in points] == [
        ("tensorboard", None),
        ("tensorboard", "s"),
    ]


def a_contract(**changes):
    return {"version": 1, "recipe": "grpo", "capabilities": ["agent"], "semantics": {}, "requirements": [], **changes}


def test_a_contract_is_versioned_and_stored_as_sent(job, stored):
    fates = []
    for sent in (a_contract(), a_contract(), a_contract(recipe="ppo")):
        answer = job.post("observations", contract=sent).json()
        fates.append((answer["accepted"], answer["duplicates"]))
    assert fates == [(1, 0), (0, 1), (1, 0)]
    assert [event.contract for event in stored() if isinstance(event, ObservationContractDeclared)] == [
        a_contract(),
        a_contract(recipe="ppo"),
    ]


A_REQUIREMENT = {
    "id": "agent/success",
    "group": "g",
    "unit": "fraction",
    "candidates": ["agent/*"],
    "capability": "agent",
    "enabled": True,
    "support": "native",
    "population": "trials",
    "producer": "trainer",
}


@pytest.mark.parametrize(
    "sent",
    [
        a_contract(primary=None, framework="python", framework_version="3.11", method="custom"),
        a_contract(capabilities=["agent", "async", "mixed", "environment", "moe", "speculative"]),
        a_contract(semantics={"k" * 512: {"direction": "higher", "display": "ratio", "unit": "fraction"}}),
        a_contract(semantics={"a": {"unit": "percent", "display": "percent", "cadence_seconds": 0.5}}),
        a_contract(semantics={"a": {}}, requirements=[A_REQUIREMENT]),
        a_contract(semantics={str(n): {} for n in range(4096)}),
    ],
    ids=range(6),
)
def test_sound_contracts_are_taken(job, sent):
    answer = job.post("observations", contract=sent)
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({}, "contract"),
        (a_contract(version=2), "contract.version"),
        (a_contract(capabilities=["flying"]), "contract.capabilities[0]"),
        (a_contract(semantics={"a": {"direction": "up"}}), "contract.semantics[...].direction"),
        (a_contract(semantics={"a": {"surprise": 1}}), "contract.semantics[...]"),
        (a_contract(semantics={"a": {"formula": "f" * 513}}), "contract.semantics[...].formula"),
        (a_contract(semantics={"a": {"cadence_seconds": 0}}), "contract.semantics[...].cadence_seconds"),
        (a_contract(semantics={"a": {"unit": "fraction"}}), "contract.semantics['a'].display"),
        (a_contract(semantics={"a": {"unit": "percent", "display": "ratio"}}), "contract.semantics['a'].display"),
        (a_contract(semantics={"": {}}), "contract.semantics"),
        (a_contract(semantics={"k" * 513: {}}), "contract.semantics"),
        (a_contract(semantics={str(n): {} for n in range(4097)}), "contract.semantics"),
        (a_contract(requirements=[{**A_REQUIREMENT, "id": "success"}]), "contract.requirements[0].id"),
        (a_contract(requirements=[{**A_REQUIREMENT, "candidates": [""]}]), "contract.requirements[0].candidates[0]"),
        (a_contract(requirements=[{**A_REQUIREMENT, "enabled": "yes"}]), "contract.requirements[0].enabled"),
        (a_contract(recipe="r" * 513), "contract.recipe"),
        (a_contract(notes="x" * 131_072), "contract"),
    ],
    ids=range(17),
)
def test_unsound_contracts_are_refused_with_the_events_beside_them(job, stored, sent, path):
    answer = job.post("observations", events=[an_event()], contract=sent)
    assert fault(answer)["path"] == path
    assert stored() == []
