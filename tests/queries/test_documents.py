"""Hyperparameters, environment, hardware, artifacts and benchmarks: what was sent comes back."""

import pytest

from application.queries.artifact import Completion, artifacts
from application.queries.benchmark import benchmarks
from application.queries.environment import environment
from application.queries.hardware import hardware_data, hardware_devices, hardware_series
from application.queries.hyperparameters import hyperparameters
from domain.errors import Refused, UnknownThing
from domain.events.series import GpuDevices
from tests import factories as a

CPU = {"brand": "x", "cores": 2, "memory_gb": 24}
GPU = {"vendor": "nvidia", "driver_version": "550.1", "cuda_version": "12.4", "count": 1}


def test_hyperparameters_merge_later_keys_over_earlier_ones(reports):
    reports.of(a.hyperparameters(params={"lr": 1e-5, "model": "m"}), a.hyperparameters(params={"lr": 2e-5}))

    found = hyperparameters(reports.views, a.RUN)

    assert (found.params, found.versions, found.attempt) == ({"lr": 2e-5, "model": "m"}, 2, 0)
    assert found.reported_at == "2026-01-01T00:00:04.000000Z"


def test_hyperparameters_are_those_of_the_latest_attempt(restarted):
    restarted.of(a.hyperparameters(params={"lr": 1}))
    before = hyperparameters(restarted.views, a.RUN)
    restarted.of(a.hyperparameters(params={"lr": 2}, attempt=1), a.hyperparameters(params={"lr": 3}))

    assert (before.params, before.attempt, before.reported_at, before.versions) == ({}, 1, None, 0)
    assert hyperparameters(restarted.views, a.RUN).params == {"lr": 2}
    assert hyperparameters(restarted.views, a.RUN, attempt=0).params == {"lr": 3}


def test_the_environment_comes_back_nodes_included(reports):
    reports.of(
        a.an_environment(hardware={"cpu": CPU, "gpu": GPU}, packages="conformant==7.6.5\nb==2\n"),
        a.nodes(
            nodes=({"node_id": "n1", "hostname": "node-one", "cpu": CPU, "gpu": {**GPU, "driver_version": "551"}},)
        ),
        a.nodes("n2"),
    )

    found = environment(reports.views, a.RUN)

    assert (found.overview, found.hardware) == ({"python": "3.11"}, {"cpu": CPU, "gpu": GPU})
    assert found.packages == "conformant==7.6.5\nb==2\n"
    assert [(one.node_id, one.hostname, one.gpu and one.gpu["driver_version"]) for one in found.nodes] == [
        ("n1", "node-one", "551"),
        ("n2", "host-n2", None),
    ]


def test_the_latest_environment_is_shown_and_nobody_knows_one_that_was_not_sent(restarted):
    restarted.of(a.an_environment(attempt=1), a.an_environment(attempt=1, packages="a==2"), a.nodes("n1"))

    found, older = environment(restarted.views, a.RUN), environment(restarted.views, a.RUN, attempt=0)

    assert (found.packages, found.versions, found.nodes) == ("a==2", 2, [])
    assert (older.overview, older.hardware, older.packages, older.versions) == (None, None, None, 0)
    assert [one.node_id for one in older.nodes] == ["n1"]


def test_a_node_is_shown_as_it_last_described_itself(reports):
    reports.of(a.nodes("n1", "n2"), a.nodes(nodes=({"node_id": "n1", "hostname": "renamed"},)))

    assert [one.hostname for one in environment(reports.views, a.RUN).nodes] == ["renamed", "host-n2"]


def test_hardware_comes_back_by_host_and_metric(reports):
    reports.hardware.put("h1/gpu.0.pct", 97.0)
    reports.hardware.put("h2/cpu.pct", 51.0)

    found = hardware_data(reports.views, a.RUN, ["h1/gpu.0.pct", "h2/cpu.pct", "h3/none"])

    assert {key: chart.last for key, chart in found.items()} == {"h1/gpu.0.pct": [97.0], "h2/cpu.pct": [51.0]}
    listed = hardware_series(reports.views, a.RUN, limit=1)
    assert ([one.key for one in listed.items], listed.items[0].last) == (["h1/gpu.0.pct"], 97.0)
    following = hardware_series(reports.views, a.RUN, cursor=listed.next_cursor)
    assert ([one.key for one in following.items], following.next_cursor) == (["h2/cpu.pct"], None)


def test_the_cards_of_a_host_are_those_it_last_named(restarted):
    first = GpuDevices(host="h1", pid=1, gpu_uuids={"0": "GPU-1"}, gpu_attribution="pid")
    restarted.of(
        a.a_hardware_batch(devices=(first, GpuDevices(host="h2"))),
        a.a_hardware_batch(devices=(first,)),
        a.a_hardware_batch(devices=(GpuDevices(host="h1", pid=2, gpu_uuids={"1": "GPU-2"}),), attempt=1),
    )

    found = [(one.attempt, one.host, one.pid, one.gpu_uuids) for one in hardware_devices(restarted.views, a.RUN)]

    assert found == [(0, "h1", 1, {"0": "GPU-1"}), (0, "h2", None, {}), (1, "h1", 2, {"1": "GPU-2"})]
    (one, _) = hardware_devices(restarted.views, a.RUN, attempt=0)
    assert (one.gpu_attribution, one.reported_at) == ("pid", "2026-01-01T00:00:04.000000Z")


def test_an_artifact_is_listed_once_with_its_latest_report(reports):
    completion = {"shape": "directory", "evidence": "producer-exited", "digest": "d" * 64, "files": [{}, {}]}
    reports.of(a.an_artifact(), a.an_artifact(), a.an_artifact(size_bytes=3, completion=completion))

    (item,) = artifacts(reports.views, a.RUN).items

    assert (item.path, item.step, item.kind, item.format) == ("s3://bucket/step_10", 10, "checkpoint", "huggingface")
    assert (item.size_bytes, item.versions, item.attempt) == (3, 2, 0)
    assert item.completion == Completion(shape="directory", evidence="producer-exited", digest="d" * 64, files=2)


def test_what_an_artifact_lacks_is_none(reports):
    reports.of(a.an_artifact(step=None))

    (item,) = artifacts(reports.views, a.RUN).items

    assert (item.step, item.size_bytes, item.metrics, item.completion) == (None, None, None, None)


def test_artifacts_page_latest_first_each_with_its_attempt(restarted):
    restarted.of(
        a.an_artifact(step=1), a.an_artifact(step=1, attempt=1), a.an_artifact(step=2), a.an_artifact(kind="log")
    )

    first = artifacts(restarted.views, a.RUN, limit=3)
    second = artifacts(restarted.views, a.RUN, limit=3, cursor=first.next_cursor)

    found = [(one.kind, one.step, one.attempt) for one in (*first.items, *second.items)]
    assert found == [("log", 10, 0), ("checkpoint", 2, 0), ("checkpoint", 1, 1), ("checkpoint", 1, 0)]
    assert [one.step for one in artifacts(restarted.views, a.RUN, attempt=1).items] == [1]


def test_benchmark_scores_are_idempotent_and_the_latest_is_shown(reports):
    reports.of(a.a_benchmark_score(), a.a_benchmark_score())
    (before,) = benchmarks(reports.views, a.RUN).items
    reports.of(a.a_benchmark_score(value=0.6), a.a_benchmark_score(metric="acc"))

    found = [(one.metric, one.value, one.versions) for one in benchmarks(reports.views, a.RUN).items]

    assert (before.value, before.versions, before.runner, before.model) == (0.5, 1, "lm-eval", "m")
    assert found == [("acc", 0.5, 1), ("exact_match", 0.6, 2)]


def test_scores_of_every_attempt_are_listed(restarted):
    restarted.of(a.a_benchmark_score(), a.a_benchmark_score(attempt=1))

    assert [one.attempt for one in benchmarks(restarted.views, a.RUN).items] == [1, 0]
    assert [one.attempt for one in benchmarks(restarted.views, a.RUN, attempt=0).items] == [0]
    first = benchmarks(restarted.views, a.RUN, limit=1)
    assert [one.attempt for one in benchmarks(restarted.views, a.RUN, limit=1, cursor=first.next_cursor).items] == [0]


@pytest.mark.parametrize("question", [hyperparameters, environment, artifacts, benchmarks, hardware_devices])
def test_an_attempt_that_was_never_opened_is_unknown(reports, question):
    with pytest.raises(UnknownThing):
        question(reports.views, a.RUN, attempt=1)


def test_a_cursor_of_one_list_does_not_open_another(reports):
    reports.of(a.an_artifact(), a.an_artifact(step=1), a.a_benchmark_score(), a.a_benchmark_score(metric="acc"))
    cursor = artifacts(reports.views, a.RUN, limit=1).next_cursor

    with pytest.raises(Refused):
        benchmarks(reports.views, a.RUN, cursor=cursor)
