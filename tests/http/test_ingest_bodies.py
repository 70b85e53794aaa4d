"""What every ingest path does with bytes: caps, compression, types, encodings, depth. Refused means nothing stored."""

import gzip
import io
import json
import tracemalloc
import zlib
from typing import Any

import msgspec
import pytest
import zstandard
from tuneplane import contract

GOOD = {"points": [{"key": "a", "step": 1, "value": 1.0, "ts": "2026-01-01T00:00:00Z"}]}
CAPS = {
    "metrics": contract.METRICS_BODY_BYTES,
    "hardware": contract.HARDWARE_BODY_BYTES,
    "hparams": contract.HPARAMS_BODY_BYTES,
    "logs": contract.LOGS_BODY_BYTES,
    "validation": contract.VALIDATION_BODY_BYTES,
    "artifact": contract.ARTIFACT_BODY_BYTES,
    "benchmark": contract.SMALL_BODY_BYTES,
    "environment": contract.ENVIRONMENT_BODY_BYTES,
    "environment/nodes": contract.ENVIRONMENT_BODY_BYTES,
    "observations": contract.OBSERVATIONS_BODY_BYTES,
    "lifecycle": contract.SMALL_BODY_BYTES,
    "trajectory": contract.TRAJECTORY_BODY_BYTES,
    "artifact/upload-url": contract.SMALL_BODY_BYTES,
}


def good(job) -> bytes:
    return json.dumps({"run_id": job.run_id, **GOOD}).encode()


def refused(job, stored, answer, *statuses):
    """The answer names its reason, nothing was stored, and the next good request is taken."""
    assert answer.status_code in statuses, (answer.status_code, answer.text[:300])
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["status"] == answer.status_code
    assert problem["detail"]
    assert stored() == []
    assert job.send("metrics", good(job)).status_code == 200


def packed(encoding: str, body: bytes, level: int = 3) -> bytes:
    if encoding == "identity":
        return body
    return gzip.compress(body) if encoding == "gzip" else zstandard.ZstdCompressor(level=level).compress(body)


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "identity"])
@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "application/msgpack"])
def test_bodies_may_be_compressed(job, encoding, kind):
    raw = good(job) if "json" in kind else msgspec.msgpack.encode({"run_id": job.run_id, **GOOD})
    body = packed(encoding, raw)
    answer = job.send("metrics", body, kind, **{"Content-Encoding": encoding})
    assert (answer.status_code, answer.json()["accepted"]) == (200, 1), answer.text


def test_a_frame_made_in_pieces_is_taken(job):
    maker = zstandard.ZstdCompressor(level=19).compressobj()
    body = maker.compress(good(job)) + maker.flush()
    assert job.send("metrics", body, **{"Content-Encoding": "zstd"}).status_code == 200


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_body_torn_at_any_byte_is_refused(job, stored, encoding):
    whole = packed(encoding, good(job))
    for cut in range(len(whole)):
        answer = job.send("metrics", whole[:cut], **{"Content-Encoding": encoding})
        assert answer.status_code == 400, (cut, answer.text)
        assert encoding in answer.json()["detail"] or cut == 0
    refused(job, stored, answer, 400)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
@pytest.mark.parametrize("extra", [b"\0", b"more", b"again"])
def test_bytes_behind_the_end_and_further_members_are_refused(job, stored, encoding, extra):
    tail = packed(encoding, b" ") if extra == b"again" else extra
    refused(job, stored, job.send("metrics", packed(encoding, good(job)) + tail, **{"Content-Encoding": encoding}), 400)


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_bytes_flipped_in_a_compressed_body_never_break_the_server(job, encoding):
    whole = bytearray(packed(encoding, good(job)))
    for at in range(len(whole)):
        flipped = bytearray(whole)
        flipped[at] ^= 0xFF
        answer = job.send("metrics", bytes(flipped), **{"Content-Encoding": encoding})
        assert answer.status_code < 500, answer.text
        assert answer.status_code == 200 or answer.json()["detail"]
    assert job.send("metrics", good(job)).status_code == 200


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_a_bomb_is_refused_within_the_memory_of_its_cap(job, stored, encoding):
    bomb = packed(encoding, b"0" * 64_000_000, 19)
    assert len(bomb) < contract.METRICS_BODY_BYTES
    tracemalloc.start()
    try:
        answer = job.send("metrics", bomb, **{"Content-Encoding": encoding})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    refused(job, stored, answer, 413)
    assert peak < 20_000_000


def test_a_nested_bomb_is_one_layer_only(job, stored):
    refused(
        job, stored, job.send("metrics", gzip.compress(gzip.compress(good(job))), **{"Content-Encoding": "gzip"}), 400
    )


def test_a_large_zstd_window_is_refused(job, stored):
    options = zstandard.ZstdCompressionParameters.from_level(19, window_log=27)
    body = io.BytesIO()
    with zstandard.ZstdCompressor(compression_params=options).stream_writer(body, closefd=False) as writer:
        writer.write(good(job))
    refused(job, stored, job.send("metrics", body.getvalue(), **{"Content-Encoding": "zstd"}), 400)


@pytest.mark.parametrize("encoding", ["br", "deflate", "gzip, gzip", "x"])
def test_other_encodings_are_415(job, stored, encoding):
    refused(job, stored, job.send("metrics", good(job), **{"Content-Encoding": encoding}), 415)


def test_raw_deflate_called_gzip_is_refused(job, stored):
    refused(job, stored, job.send("metrics", zlib.compress(good(job)), **{"Content-Encoding": "gzip"}), 400)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "", "multipart/form-data"]
)
def test_other_content_types_are_415(job, stored, kind):
    refused(job, stored, job.send("metrics", good(job), kind), 415)


@pytest.mark.parametrize("path", CAPS)
def test_every_path_has_its_cap(job, stored, path):
    padded = lambda size: b'{"run_id":"x","pad":"' + b"x" * (size - 23) + b'"}'  # noqa: E731
    assert job.send(path, padded(CAPS[path])).status_code in {403, 422}
    refused(job, stored, job.send(path, padded(CAPS[path] + 1)), 413)


@pytest.mark.parametrize("path", CAPS)
@pytest.mark.parametrize("length", ["999999999999", "-1", "1e3"])
def test_a_length_over_the_cap_is_refused_before_anything_is_read(job, stored, path, length):
    refused(job, stored, job.send(path, b"{}", **{"Content-Length": length}), 413)


@pytest.mark.parametrize("path", CAPS)
def test_a_body_without_a_length_is_counted_while_it_comes(job, stored, path):
    def pieces():
        for _ in range(CAPS[path] // 65_536 + 2):
            yield b" " * 65_536

    headers = {"X-TunePlane-Token": job.token, "Content-Type": "application/json"}
    answer = job.server.client.post(f"/api/ingest/{path}", content=pieces(), headers=headers)
    refused(job, stored, answer, 413)


@pytest.mark.parametrize("path", CAPS)
@pytest.mark.parametrize(
    ("raw", "statuses"),
    [
        (b"", {400}),
        (b"{", {400}),
        (b"nonsense", {400}),
        (b"{} {}", {400, 422}),
        (b"\xff\xfe{\0}\0", {400}),
        (b"\xef\xbb\xbf{}", {400}),
        (b"[]", {422}),
        (b"null", {422}),
        (b"17", {422}),
        (b"{}", {422}),
        (b'{"run_id":1}', {422}),
        (b'{"run_id":"\xff"}', {400}),
        (b'{"run_id":"\xed\xa0\x80"}', {400}),
        (b'{"run_id":"\\ud800"}', {400}),
        (b'{"run_id":"r","zzz":' + b"[" * 100_000, {400, 413, 422}),
        (b'{"run_id":"r","zzz":' + b"[" * 100_000 + b"]" * 100_000 + b"}", {413, 422}),
        (b'{"run_id":"r","zzz":' + b'{"a":' * 30_000 + b"1" + b"}" * 30_000 + b"}", {413, 422}),
    ],
    ids=range(17),
)
def test_no_path_breaks_on_bytes_that_are_no_report(job, stored, path, raw, statuses):
    refused(job, stored, job.send(path, raw), *statuses)


@pytest.mark.parametrize("path", CAPS)
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xc1",
        b"\x90",
        b"\x81\xa6run_id",
        b"\x82\xa6run_id\xa1r\xa3zzz" + b"\x91" * 50_000,
        b"\x82\xa6run_id\xa1r\xa6points\xdd\xff\xff\xff\xff",
        b"\x82\xa6run_id\xa1\xff\x01\x02",
        b"\x82\xa6run_id\xa1r\x81\x01\x02\x03",
        b"\xc7\x00\x05",
    ],
    ids=range(9),
)
def test_no_path_breaks_on_messagepack_that_is_no_report(job, stored, path, raw):
    refused(job, stored, job.send(path, raw, "application/msgpack"), 400, 422)


FREE_FORM = [
    ("hparams", lambda value: {"params": {"a": value}}, "params.a"),
    ("environment", lambda value: {"overview": {"a": value}}, "overview.a"),
    ("environment", lambda value: {"hardware": {"a": value}}, "hardware.a"),
    ("environment/nodes", lambda value: {"nodes": [{"node_id": "n", "hostname": "h", "a": value}]}, "nodes[0].a"),
    ("artifact", lambda value: {"kind": "log", "path": "p", "format": "f", "metrics": {"a": value}}, "metrics.a"),
    (
        "validation",
        lambda value: {"step": 1, "samples": [{"idx": 0, "user": "", "assistant": "", "extra": {"a": value}}]},
        "samples[0].extra.a",
    ),
    ("validation", lambda value: {"step": 1, "samples": [], "dist": [{"a": value}]}, "dist[0].a"),
    ("observations", lambda value: {"contract": {"version": 1, "a": value}}, "contract.a"),
]


@pytest.mark.parametrize(("path", "body", "where"), FREE_FORM, ids=[one[2] for one in FREE_FORM])
@pytest.mark.parametrize("packed", [False, True])
def test_free_form_values_are_json_and_bounded(job, stored, path, body, where, packed):
    send = job.packed if packed else job.post
    deep: object = 1
    for _ in range(40):
        deep = [deep]
    bad: list[object] = [2**63, deep]
    if packed:
        bad += [float("nan"), float("inf"), b"bytes", msgspec.msgpack.Ext(5, b"x"), {1: 2}]
    for value in bad:
        answer = send(path, **body(value))
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["path"].startswith(where)
    refused(job, stored, answer, 422)


@pytest.mark.parametrize(("path", "body", "where"), FREE_FORM, ids=[one[2] for one in FREE_FORM])
def test_free_form_values_in_bounds_are_taken(job, path, body, where):
    value = {"list": [1, -(2**63), 1.5, True, None, "naïve \0 text"], "deep": [[[[1]]]]}
    assert job.post(path, **body(value)).status_code == 200


@pytest.mark.parametrize("path", CAPS)
def test_a_body_of_another_run_is_403_and_of_another_attempt_422(job, path):
    other = job.server.open_attempt()
    bodies: dict[str, dict[str, Any]] = {
        "metrics": GOOD,
        "hardware": {"points": [{"hostname": "h", "metrics": {"a": 1}}]},
        "hparams": {"params": {}},
        "logs": {"chunks": []},
        "validation": {"step": 1, "samples": []},
        "artifact": {"kind": "log", "path": "p", "format": "f"},
        "benchmark": {"runner": "r", "model": "m", "scores": [{"benchmark": "b", "metric": "m", "value": 1}]},
        "environment": {},
        "environment/nodes": {"nodes": [{"node_id": "n", "hostname": "h"}]},
        "observations": {"events": []},
        "lifecycle": {"event": "running"},
        "trajectory": {
            "trace": {
                "scope": "training",
                "round_id": "r",
                "trial_id": "t",
                "trial_attempt": 0,
                "messages": [{"role": "user", "content": ""}],
                "total_messages": 1,
                "complete": True,
                "capture_policy": "all",
            }
        },
        "artifact/upload-url": {"kind": "log", "filename": "f", "size_bytes": 1, "sha256": "0" * 64},
    }
    minimal = bodies[path]
    raw = msgspec.json.encode({"run_id": other.run_id, **minimal})
    mark = len(job.server.events())
    answer = job.send(path, raw)
    assert answer.status_code == 403
    assert len(job.server.events()) == mark
    assert fault_path(job.post(path, **{**minimal, "attempt": job.attempt + 1})) == "attempt"
    assert len(job.server.events()) == mark


def fault_path(answer):
    assert answer.status_code == 422, answer.text
    return answer.json()["errors"][0]["path"]
