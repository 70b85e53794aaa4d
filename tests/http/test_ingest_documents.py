"""Hyperparameters, logs, samples, hardware, artifacts, scores, environments: taken, bounded, refused by name."""

import hashlib
import json
import math

import pytest

from application.series.columns import unpack
from domain.events import ArtifactRegistered, HardwareSampled, LogReported, NodesReported, SamplesReported, SeriesOpened

TS = "2026-01-01T00:00:00Z"
NOON = 1_767_225_600_000_000


def fault(answer):
    assert answer.status_code == 422, answer.text
    return answer.json()["errors"][0]


def fates(answer):
    assert answer.status_code == 200, answer.text
    return tuple(answer.json()[name] for name in ("accepted", "duplicates", "set_aside"))


def test_hyperparameters_are_kept_as_sent_and_equal_ones_repeat(job, stored):
    sent = [{"lr": 1e-5, "nested": {"a": [1, None]}}, {"lr": 1e-5, "nested": {"a": [1, None]}}, {"lr": 2e-5}]
    assert [fates(job.post("hparams", params=params)) for params in sent] == [(1, 0, 0), (0, 1, 0), (1, 0, 0)]
    assert [event.params for event in stored()] == [sent[0], sent[2]]


PIECES = ["half a li", "ne\n10%|\r50%|\r", "\x1b[31mred\x1b[0m \0 \ufffd 中文 \U0001f600"]


def test_log_pieces_keep_whatever_they_hold(job, stored):
    assert fates(job.post("logs", chunks=PIECES, eof=True)) == (1, 0, 0)
    (event,) = stored()
    assert isinstance(event, LogReported)
    assert (event.pieces, event.eof) == (tuple(PIECES), True)


def test_unnumbered_pieces_are_appended_and_numbered_ones_are_stored_once(job, stored):
    assert [fates(job.post("logs", chunks=["a"])) for _ in range(2)] == [(1, 0, 0)] * 2
    numbered = [fates(job.post("logs", chunks=["b"], stream="s", sequence=1)) for _ in range(2)]
    assert numbered == [(1, 0, 0), (0, 1, 0)]
    assert fates(job.post("logs", chunks=["c"], stream="s", sequence=1)) == (0, 0, 1)
    assert len([event for event in stored() if isinstance(event, LogReported)]) == 3


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"chunks": "a"}, "chunks"),
        ({"chunks": [1]}, "chunks[0]"),
        ({"eof": 1}, "eof"),
        ({"stream": "s"}, "sequence"),
        ({"sequence": 1}, "stream"),
        ({"stream": "s", "sequence": 0}, "sequence"),
        ({"stream": "ü", "sequence": 1}, "stream"),
    ],
)
def test_wrong_logs_are_refused_by_name(job, stored, changes, path):
    assert fault(job.post("logs", **{"chunks": ["a"], **changes}))["path"] == path
    assert stored() == []


def a_sample(idx=0, **changes):
    return {"idx": idx, "user": "q", "assistant": "a", "env": "e", "reward": 0.5, "extra": {"k": 1}, **changes}


def test_samples_are_kept_in_chunks_with_the_summary_in_the_first(job, stored):
    common = {"step": 100, "total_chunks": 2, "total_samples": 3, "avg_reward": 0.5, "dist": [{"bin": 0}]}
    assert fates(job.post("validation", samples=[a_sample(2)], chunk_index=1, **common)) == (1, 0, 0)
    assert fates(job.post("validation", samples=[a_sample(0), a_sample(1)], chunk_index=0, **common)) == (1, 0, 0)
    assert fates(job.post("validation", samples=[a_sample(2)], chunk_index=1, **common)) == (0, 1, 0)
    assert fates(job.post("validation", samples=[a_sample(2, user="z")], chunk_index=1, **common)) == (0, 0, 1)
    second, first = [event for event in stored() if isinstance(event, SamplesReported)]
    assert (first.round_id, first.step, first.chunk_index, first.total_chunks) == ("100", 100, 0, 2)
    assert first.summary is not None
    assert (first.summary.avg_reward, first.summary.dist, second.summary) == (0.5, ({"bin": 0},), None)
    assert [sample.idx for sample in first.samples] == [0, 1]
    assert (first.samples[0].env, first.samples[0].reward, first.samples[0].extra) == ("e", 0.5, {"k": 1})


def test_optional_parts_of_a_sample_may_be_absent(job, stored):
    assert fates(job.post("validation", step=1, round_id="r", samples=[{"idx": 0, "user": "", "assistant": ""}])) == (
        1,
        0,
        0,
    )
    assert (stored()[0].samples[0].env, stored()[0].samples[0].reward) == ("", None)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"step": -1}, "step"),
        ({"samples": [a_sample(), a_sample()]}, "samples[1].idx"),
        ({"samples": [a_sample(-1)]}, "samples[0].idx"),
        ({"samples": [a_sample(user="x" * (128 * 1024 + 1))]}, "samples[0].user"),
        ({"samples": [a_sample(assistant="é" * (64 * 1024) + "x")]}, "samples[0].assistant"),
        ({"samples": [a_sample(env="x" * (128 * 1024 + 1))]}, "samples[0].env"),
        (
            {"samples": [a_sample(user="x" * 128 * 1024, assistant="x" * 128 * 1024, env="", extra={"a": 1})]},
            "samples[0]",
        ),
        ({"samples": [a_sample(reward="good")]}, "samples[0].reward"),
        ({"samples": [a_sample(n) for n in range(2001)]}, "samples"),
        ({"round_id": ""}, "round_id"),
        ({"round_id": "r" * 129}, "round_id"),
        ({"round_id": "a\n"}, "round_id"),
        ({"chunk_index": 1}, "chunk_index"),
        ({"chunk_index": 4096, "total_chunks": 4096}, "chunk_index"),
        ({"total_chunks": 4097}, "total_chunks"),
        ({"total_chunks": 0}, "total_chunks"),
        ({"total_samples": -1}, "total_samples"),
        ({"dist": [{"a": "x" * 65_536}]}, "dist"),
        ({"dist": [1]}, "dist[0]"),
        ({"accuracy": True}, "accuracy"),
    ],
    ids=range(20),
)
def test_wrong_samples_are_refused_by_name(job, stored, changes, path):
    answer = job.post("validation", **{"step": 1, "samples": [a_sample()], **changes})
    assert fault(answer)["path"] == path
    assert stored() == []


@pytest.mark.parametrize("field", ["avg_reward", "accuracy", "avg_len", "reward"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_non_finite_numbers_of_samples_are_refused(job, stored, field, value):
    body = (
        {"step": 1, "samples": [a_sample(reward=value)]}
        if field == "reward"
        else {"step": 1, "samples": [], field: value}
    )
    assert fault(job.packed("validation", **body))["path"].endswith(field)
    assert stored() == []


def test_the_largest_legal_samples_are_taken(job):
    fields = {"user": "x" * 128 * 1024, "assistant": "é" * 64 * 1024, "env": "", "extra": None}
    assert job.post("validation", step=1, samples=[a_sample(**fields)]).status_code == 200
    assert job.post("validation", step=2, samples=[a_sample(n) for n in range(2000)]).status_code == 200


def a_host(**changes):
    return {"hostname": "h1", "pid": 7, "ts": TS, "metrics": {"cpu.pct": 50, "gpu.0.pct": 97.5}, **changes}


def test_hardware_becomes_series_of_hosts_over_time(job, stored):
    sent = [
        a_host(gpu_uuids={"0": "GPU-1"}, gpu_attribution="pid"),
        a_host(ts="2026-01-01T00:00:10Z"),
        {"hostname": "h2", "key": "cpu.pct", "value": 51.0, "ts": TS},
    ]
    assert fates(job.post("hardware", points=sent)) == (5, 0, 0)
    assert fates(job.post("hardware", points=sent)) == (0, 5, 0)
    events = stored()
    keys = [event.key for event in events if isinstance(event, SeriesOpened)]
    assert keys == ["h1/cpu.pct", "h1/gpu.0.pct", "h2/cpu.pct"]
    (event,) = [event for event in events if isinstance(event, HardwareSampled)]
    batch = unpack(event.columns)
    assert batch.counts.tolist() == [2, 2, 1]
    assert batch.steps.tolist() == batch.times.tolist() == [NOON, NOON + 10_000_000] * 2 + [NOON]
    assert batch.values.tolist() == [50, 50, 97.5, 97.5, 51]
    (devices,) = event.devices
    assert (devices.host, devices.pid, devices.gpu_uuids, devices.gpu_attribution) == ("h1", 7, {"0": "GPU-1"}, "pid")


def test_hardware_of_our_client_is_numbered(job):
    assert [fates(job.post("hardware", stream="s", sequence=1, points=[a_host()])) for _ in range(2)] == [
        (2, 0, 0),
        (0, 2, 0),
    ]


@pytest.mark.parametrize(
    ("point", "path"),
    [
        (a_host(hostname=""), "hostname"),
        (a_host(hostname="h" * 257), "hostname"),
        (a_host(hostname="a\0"), "hostname"),
        (a_host(ts="2026-01-01T00:00:00"), "ts"),
        (a_host(ts="1969-12-31T23:59:59Z"), "ts"),
        (a_host(metrics={"a": "1"}), "metrics[...]"),
        (a_host(metrics={"a": None}), "metrics[...]"),
        (a_host(metrics={"a": True}), "metrics[...]"),
        (a_host(metrics={"": 1}), "metrics"),
        (a_host(metrics={"m" * 512: 1}), "metrics"),
        (a_host(metrics={"a\n": 1}), "metrics"),
        (a_host(key="a", value=1), ""),
        ({"hostname": "h"}, ""),
        ({"hostname": "h", "key": "a"}, "value"),
        (a_host(pid=-1), "pid"),
        (a_host(gpu_attribution="guess"), "gpu_attribution"),
        (a_host(gpu_uuids={"0": ""}), "gpu_uuids.0"),
        (a_host(gpu_uuids={str(n): "u" for n in range(129)}), "gpu_uuids"),
    ],
    ids=range(18),
)
def test_wrong_hardware_is_refused_by_name(job, stored, point, path):
    answer = job.post("hardware", points=[a_host(), point])
    assert fault(answer)["path"] == f"points[1].{path}".rstrip(".")
    assert stored() == []


def test_hardware_needs_points(job):
    assert fault(job.post("hardware", points=[]))["path"] == "points"


def test_non_finite_hardware_in_messagepack_is_refused(job, stored):
    assert fault(job.packed("hardware", points=[a_host(metrics={"a": math.nan})]))["path"] == "points[0].metrics.a"
    assert stored() == []


def an_artifact(**changes):
    return {
        "kind": "checkpoint",
        "path": "s3://bucket/step_10",
        "format": "huggingface",
        "step": 10,
        "size_bytes": 3,
        **changes,
    }


def a_completion(job, **changes):
    """By CONTRACT.md's own formula."""
    body = {
        "apiVersion": "tuneplane/artifact-completion/v1",
        "run_id": job.run_id,
        "attempt": job.attempt,
        "kind": "checkpoint",
        "step": 10,
        "shape": "directory",
        "evidence": "producer-exited",
        "files": [
            {"path": "a/b", "size_bytes": 1, "sha256": "0" * 64},
            {"path": "é", "size_bytes": 2, "sha256": "1" * 64},
        ],
        **changes,
    }
    body = {name: value for name, value in body.items() if value is not ...}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return {"digest": hashlib.sha256(text.encode("ascii")).hexdigest(), **body}


def files(*paths):
    return [{"path": path, "size_bytes": 1, "sha256": "0" * 64} for path in paths]


def test_an_artifact_is_registered_once(job, stored):
    sent = an_artifact(completion=a_completion(job), metrics={"loss": 0.5})
    assert [fates(job.post("artifact", **sent)) for _ in range(2)] == [(1, 0, 0), (0, 1, 0)]
    (event,) = stored()
    assert isinstance(event, ArtifactRegistered)
    assert (event.path, event.step, event.size_bytes, event.metrics) == ("s3://bucket/step_10", 10, 3, {"loss": 0.5})
    assert event.completion == sent["completion"]


def test_a_single_file_is_called_content(job):
    completion = a_completion(job, shape="file", files=files("content"))
    assert fates(job.post("artifact", **an_artifact(size_bytes=1, completion=completion))) == (1, 0, 0)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"kind": "virus"}, "kind"),
        ({"path": ""}, "path"),
        ({"path": "p" * 4097}, "path"),
        ({"path": "a\0b"}, "path"),
        ({"format": "f" * 257}, "format"),
        ({"step": -1}, "step"),
        ({"size_bytes": -1}, "size_bytes"),
        ({"size_bytes": 2**63}, "size_bytes"),
    ],
)
def test_wrong_artifacts_are_refused_by_name(job, stored, changes, path):
    assert fault(job.post("artifact", **an_artifact(**changes)))["path"] == path
    assert stored() == []


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"apiVersion": "v2"}, "apiVersion"),
        ({"run_id": "other"}, "run_id"),
        ({"attempt": 9}, "attempt"),
        ({"kind": "log"}, "kind"),
        ({"step": 11}, "step"),
        ({"step": None}, "step"),
        ({"shape": "heap"}, "shape"),
        ({"evidence": "hope"}, "evidence"),
        ({"surprise": 1}, ""),
        ({"files": []}, "files"),
        ({"files": files(*(f"{n:05}" for n in range(4097)))}, "files"),
        ({"files": files("b", "a")}, "files[1].path"),
        ({"files": files("a", "a")}, "files[1].path"),
        ({"files": files("a", "a/b")}, "files"),
        ({"files": files("/a")}, "files[0].path"),
        ({"files": files("a//b")}, "files[0].path"),
        ({"files": files("../a")}, "files[0].path"),
        ({"files": files("a/./b")}, "files[0].path"),
        ({"files": files("a\\b")}, "files[0].path"),
        ({"files": files("a\0")}, "files[0].path"),
        ({"files": files("")}, "files[0].path"),
        ({"files": [{"path": "a", "size_bytes": 1, "sha256": "A" * 64}]}, "files[0].sha256"),
        ({"shape": "file", "files": files("other")}, "files"),
        ({"shape": "file", "files": files("content", "more")}, "files"),
    ],
    ids=range(24),
)
def test_unsound_completions_are_refused_by_name(job, stored, changes, path):
    answer = job.post("artifact", **an_artifact(size_bytes=None, completion=a_completion(job, **changes)))
    assert fault(answer)["path"] == f"completion.{path}".rstrip(".")
    assert stored() == []


def test_a_completion_whose_digest_or_sum_is_wrong_is_refused(job, stored):
    wrong = {**a_completion(job), "digest": "0" * 64}
    assert fault(job.post("artifact", **an_artifact(completion=wrong)))["path"] == "completion.digest"
    assert (
        fault(job.post("artifact", **an_artifact(size_bytes=4, completion=a_completion(job))))["path"] == "size_bytes"
    )
    assert stored() == []


def test_benchmark_scores_are_idempotent_and_keep_their_history(job):
    def score(value):
        return job.post(
            "benchmark", runner="lm-eval", model="m", scores=[{"benchmark": "b", "metric": "em", "value": value}]
        )

    assert [fates(score(value)) for value in (0.5, 0.5, 0.6)] == [(1, 0, 0), (0, 1, 0), (1, 0, 0)]


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"runner": ""}, "runner"),
        ({"model": "a\0"}, "model"),
        ({"scores": []}, "scores"),
        ({"scores": [{"benchmark": "b", "metric": "m", "value": "1"}]}, "scores[0].value"),
        ({"scores": [{"benchmark": "", "metric": "m", "value": 1}]}, "scores[0].benchmark"),
        ({"scores": [{"benchmark": "b", "metric": "m" * 513, "value": 1}]}, "scores[0].metric"),
    ],
)
def test_wrong_scores_are_refused_by_name(job, stored, changes, path):
    scores = [{"benchmark": "b", "metric": "m", "value": 1}]
    assert fault(job.post("benchmark", **{"runner": "r", "model": "m", "scores": scores, **changes}))["path"] == path
    assert stored() == []


def test_environments_and_nodes_are_kept_as_sent(job, stored):
    hardware = {"cpu": {"brand": "x", "cores": 2}, "gpu": {"devices": [{"index": 0}]}}
    assert fates(job.post("environment", overview={"python": "3.11"}, hardware=hardware, packages="a==1\n")) == (
        1,
        0,
        0,
    )
    assert fates(job.post("environment", overview={"python": "3.11"}, hardware=hardware, packages="a==1\n")) == (
        0,
        1,
        0,
    )
    nodes = [{"node_id": "n1", "hostname": "one", "gpu": {"driver": "551"}, "rack": 4}]
    assert fates(job.post("environment/nodes", nodes=nodes)) == (1, 0, 0)
    environment, reported = stored()
    assert (environment.overview, environment.hardware, environment.packages) == (
        {"python": "3.11"},
        hardware,
        "a==1\n",
    )
    assert isinstance(reported, NodesReported)
    assert list(reported.nodes) == nodes


@pytest.mark.parametrize(
    ("node", "path"),
    [
        ({"hostname": "h"}, "nodes[0]"),
        ({"node_id": "", "hostname": "h"}, "nodes[0].node_id"),
        ({"node_id": "n", "hostname": "a\0"}, "nodes[0].hostname"),
        ({"node_id": "n", "hostname": "h", "cpu": 1}, "nodes[0].cpu"),
    ],
)
def test_wrong_nodes_are_refused_by_name(job, stored, node, path):
    assert fault(job.post("environment/nodes", nodes=[node]))["path"] == path
    assert fault(job.post("environment/nodes", nodes=[]))["path"] == "nodes"
    assert stored() == []
