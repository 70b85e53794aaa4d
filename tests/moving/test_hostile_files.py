"""Files that were made to break the reader, or that nobody expected: imported as far as they go, or refused by name."""

import os
import sqlite3
import tracemalloc
from importlib import import_module
from typing import Any

import pytest
from tuneplane.hyperparameters import flat_parameters
from tuneplane.moving import tfrecord, wandb_log
from tuneplane.moving.moving_in import MovingIn, run_id_of
from tuneplane.moving.source import Final, LeftOut, Part, RefusedRun, SourceRefused, SourceRun, Unread
from tuneplane.moving.tally import Tally, report
from tuneplane.moving.tensors import tensor
from tuneplane.moving.trackers import TRACKERS
from tuneplane.opening import Server
from tuneplane.series_keys import SeriesKeys

from tests.moving.samples import beginning, event_file, points_of, record, scalar, varint
from tests.moving.test_wandb import framed

WHEN = "2026-01-01T00:00:00"


def read(tracker, folder):
    """The runs, each with what it says or why it does not, and what was told."""
    told: list[str] = []
    found: dict[str, Any] = {}
    for run in import_module(TRACKERS[tracker].module).runs(folder, told.append):
        if isinstance(run, RefusedRun):
            found[run.name] = run.reason
            continue
        try:
            found[run.name] = [item for part in run.parts for item in part.items()]
        except SourceRefused as problem:
            found[run.name] = str(problem)
    return found, told


def reasons(items):
    return [one.reason for one in items if isinstance(one, Unread)]


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def item(name, value):
    return field(1, field(1, name.encode()) + field(16, value.encode()))


def history(step, ts, **values):
    rows = {"_step": step, "_timestamp": ts, **values}
    return field(2, b"".join(item(name, value) for name, value in rows.items()))


def wandb_file(folder, *records):
    run = field(17, field(1, b"r1") + field(8, b"named"))
    (folder / "run-r1.wandb").write_bytes(framed(run, *records))
    return folder


def mlflow_run(root, meta="run_id: r1\nrun_name: n\nstatus: 3\n"):
    run = root / "0" / "r1"
    (run / "metrics").mkdir(parents=True)
    (run / "metrics" / "m").write_text("1796000000000 0.5 1\n")
    (root / "0" / "meta.yaml").write_text("name: e\n")
    (run / "meta.yaml").write_text(meta)
    return run


def trackio_file(path, *rows, config=()):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE metrics (id INTEGER, timestamp, run_name, step, metrics, run_id)")
    connection.execute("CREATE TABLE configs (run_name, config, run_id)")
    connection.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.executemany("INSERT INTO configs VALUES (?, ?, ?)", config)
    connection.commit()
    connection.close()


def test_integers_that_no_number_can_hold_are_said_wherever_they_stand(tmp_path):
    huge = "1" + "0" * 400
    bins = f'{{"_type": "histogram", "bins": [0, {huge}], "values": [1]}}'
    wandb_file(tmp_path, history("1", huge, a="1"), history("2", "5", a=huge), history("3", "5", h=bins, a="2"))
    found, _ = read("wandb", tmp_path)
    assert points_of(found["named"]) == [("a", 3, 5.0, 2.0)]
    assert reasons(found["named"]) == [
        "a row of the history without _step or _timestamp",
        "'a': an integer too large for a number",
    ]
    assert LeftOut("histogram (int too large to convert to float)") in found["named"]


def test_kinds_of_records_that_nobody_knows_are_counted_and_those_about_the_file_are_not(tmp_path):
    wandb_file(tmp_path, field(99, b""), field(25, b""), field(12, b""), field(21, b""))
    found, _ = read("wandb", tmp_path)
    assert [one for one in found["named"] if isinstance(one, LeftOut)] == [
        LeftOut("record of kind 99"),
        LeftOut("artifact"),
    ]


@pytest.mark.parametrize("tracker", ["wandb", "tensorboard"])
def test_a_record_too_large_to_be_read_is_counted_and_the_next_ones_are_read(tmp_path, monkeypatch, tracker):
    monkeypatch.setattr(tfrecord, "LARGEST_BYTES", 100_000)
    monkeypatch.setattr(wandb_log, "LARGEST_BYTES", 100_000)
    if tracker == "wandb":
        wandb_file(
            tmp_path, history("1", "5", a="1"), history("2", "5", a=f'"{"x" * 200_000}"'), history("3", "5", a="3")
        )
    else:
        event_file(tmp_path, beginning(), scalar("a", 1, 1.0, 5.0), record(b"x" * 200_000), scalar("a", 3, 3.0, 5.0))
    found, _ = read(tracker, tmp_path)
    (said,) = found.values()
    assert points_of(said) == [("a", 1, 5.0, 1.0), ("a", 3, 5.0, 3.0)]
    (reason,) = reasons(said)
    assert "a record of over" in reason


def test_dimensions_are_multiplied_only_until_no_tensor_can_be_that_large():
    """The product of a hundred thousand of them has millions of digits, and takes minutes."""
    shape = b"".join(field(2, b"\x08" + varint(length)) for length in (2**40, 0))
    assert tensor(b"\x08\x01" + field(2, shape)) == LeftOut("tensor of type 1")


def test_names_of_megabytes_are_neither_remembered_nor_printed():
    keys, tally = SeriesKeys(), Tally("n")
    tracemalloc.start()
    for at in range(20):
        key = f"{at}{'x' * 1_000_000}"
        assert not keys.size_bytes(key)
        tally.miss(f"{key}: no")
        tally.leave(f"\x1b[2J{key}")
    del key
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 1_000_000
    text = "\n".join(report([tally]))
    assert len(text) < 20_000
    assert "\x1b" not in text


def test_beyond_a_hundred_kinds_they_share_one_and_none_is_lost():
    tally = Tally("n")
    for at in range(250):
        tally.leave(f"kind {at}")
    assert len(tally.left_out) == 101
    assert tally.left_out["other kinds"] == 150


def test_of_very_many_notes_the_first_are_said_and_the_rest_counted():
    tally = Tally("n", notes=[f"note {at}" for at in range(500)])
    lines = [line for line in report([tally]) if line.startswith("n: ")]
    assert len(lines) == 11
    assert lines[-1] == "n: 490 more of the kind"


def test_what_is_no_regular_file_is_said_and_not_waited_for(tmp_path):
    event_file(tmp_path / "tensorboard", beginning(), scalar("a", 1, 1.0))
    os.mkfifo(tmp_path / "tensorboard" / "events.out.tfevents.pipe")
    found, told = read("tensorboard", tmp_path / "tensorboard")
    assert [len(points_of(one)) for one in found.values()] == [1]
    assert told == [f"{tmp_path / 'tensorboard'}: 1 pipes, devices or unreachable files are not read"]
    run = mlflow_run(tmp_path / "mlflow")
    os.mkfifo(run / "metrics" / "pipe")
    found, told = read("mlflow", tmp_path / "mlflow")
    assert len(points_of(found["n"])) == 1
    assert told == [f"{run / 'metrics'}: 1 pipes, devices or unreachable files are not read"]


def test_links_in_a_file_store_are_said_and_metrics_behind_one_are_no_empty_run(tmp_path):
    run = mlflow_run(tmp_path)
    (run / "metrics").rename(tmp_path / "elsewhere")
    (run / "metrics").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "0" / "copy").symlink_to(run)
    found, told = read("mlflow", tmp_path)
    assert found == {"n": f"{run / 'metrics'}: the folder: is a symbolic link, and links are not followed"}
    assert told == [f"{tmp_path / '0'}: 1 symbolic links are not followed"]


@pytest.mark.parametrize("lost", ["0/r1/meta.yaml", "0/meta.yaml"])
def test_a_run_or_experiment_that_lost_its_meta_yaml_is_refused_by_name(tmp_path, lost):
    mlflow_run(tmp_path)
    (tmp_path / lost).unlink()
    found, _ = read("mlflow", tmp_path)
    (reason,) = found.values()
    assert reason == f"{tmp_path / lost}: the file: has to be there, and no symbolic link"


def test_deleted_experiments_are_said(tmp_path):
    mlflow_run(tmp_path)
    (tmp_path / ".trash").mkdir()
    assert read("mlflow", tmp_path)[1] == [f"{tmp_path / '.trash'}: deleted experiments, not imported"]


@pytest.mark.parametrize("value", ["!!python/object/apply:os.system ['x']", "*b", "&a x", "%x", "@x", "`x"])
def test_yaml_beyond_plain_values_is_refused(tmp_path, value):
    run = mlflow_run(tmp_path, f"run_id: r1\nrun_name: {value}\n")
    rule = "run_name: anchors, tags and the like are not read: has to be a plain value"
    assert read("mlflow", tmp_path)[0] == {"r1": f"{run / 'meta.yaml'}: {rule}"}


@pytest.mark.parametrize("length", [4096, 8192, 10_000])
@pytest.mark.parametrize("start", [b"x", b"1796000000000 0.5 7 "])
def test_neither_end_of_a_line_that_is_too_long_is_a_point(tmp_path, start, length):
    run = mlflow_run(tmp_path)
    end = b" 1796000000000 0.75 8"
    (run / "metrics" / "m").write_bytes(start.ljust(length, start[-1:]) + end + b"\n1796000000000 0.5 3\n")
    (found,) = read("mlflow", tmp_path)[0].values()
    assert [point[1] for point in points_of(found)] == [3]
    assert reasons(found) == ["metrics/m: line 1: has to be `timestamp value step`"]


def test_a_full_disk_below_the_sorting_is_said_with_what_to_do(tmp_path, monkeypatch):
    mlflow_run(tmp_path)
    connect = sqlite3.connect

    def of_one_page(*place, **options):
        connection = connect(*place, **options)
        connection.execute("PRAGMA max_page_count = 1")
        return connection

    monkeypatch.setattr(sqlite3, "connect", of_one_page)
    (found,) = read("mlflow", tmp_path)[0].values()
    assert found.endswith(
        "its points could not be sorted on disk: database or disk is full; "
        "make room where temporary files go (SQLITE_TMPDIR)"
    )


def test_rows_without_a_run_id_are_a_run_under_their_name(tmp_path):
    rows = [
        (1, WHEN, "old", 1, '{"a": 1}', None),
        (2, WHEN, "new", 1, '{"a": 2}', "i"),
        (3, WHEN, None, 1, '{"a": 3}', None),
    ]
    config = [("old", '{"lr": 1}', None), ("new", None, "i")]
    trackio_file(tmp_path / "p.db", *rows, config=config)
    found, _ = read("trackio", tmp_path)
    assert {name: [value for *_, value in points_of(items)] for name, items in found.items()} == {
        "old": [1.0],
        "new": [2.0],
        "unnamed": [3.0],
    }
    assert dict(found["old"][0].params) == {"lr": 1}
    assert reasons(found["new"])[0].startswith("table configs, run 'i': the JSON object must be str")


def test_a_view_is_no_table(tmp_path):
    with sqlite3.connect(tmp_path / "p.db") as connection:
        connection.execute(
            "CREATE VIEW metrics AS WITH RECURSIVE c (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM c LIMIT 9)"
            " SELECT id, 't' AS timestamp, 'r' AS run_name, id AS step, '{}' AS metrics FROM c"
        )
    connection.close()
    (reason,) = read("trackio", tmp_path)[0].values()
    assert "table metrics: has to have id, timestamp, run_name, step, metrics" in reason


def test_secrets_are_masked_at_every_depth_and_in_every_shape():
    deep: dict[str, Any] = {"password": "hunter2"}
    for _ in range(50):
        deep = {"a": deep}
    shapes = {
        "api_key": "hunter2",
        "endpoints": [{"url": "u", "api_key": "hunter2"}],
        "pair": ({"token": "hunter2"}, 1),
        "deep": deep,
        "hub": "hf_abcdefghijklmnopqrstuvwxyz",
    }
    found = flat_parameters(shapes)
    assert "hunter2" not in str(found)
    assert "hf_abc" not in str(found)
    assert found["endpoints"] == "[{'url': 'u', 'api_key': '[redacted]'}]"


def test_secrets_in_tags_and_notes_are_masked_too(api, held, tmp_path):
    run = mlflow_run(tmp_path)
    (run / "tags").mkdir()
    for name, value in {"api_key": "hunter2", "mlflow.source.git.repoURL": "https://u:hunter2@h/x"}.items():
        (run / "tags" / name).write_text(value)
    (run / "tags" / "mlflow.note.content").write_text("sk-abcdefghijklmnopqrstuvwxyz")
    (found,) = import_module(TRACKERS["mlflow"].module).runs(tmp_path, lambda _: None)
    there = Server(api.url, api.token)
    try:
        (tally,) = MovingIn(there, lambda _: None).bring([found])
    finally:
        there.close()
    assert tally.refusal == ""
    head = held(run_id_of(found)).get()
    assert "api_key=[redacted]" in head["tags"]
    assert "https://[redacted]@h/x" in head["notes"]
    assert "sk-abc" not in head["notes"]


@pytest.mark.skipif(os.geteuid() != 0, reason="nobody can be kept from reading as another user")
@pytest.mark.parametrize("tracker", TRACKERS)
def test_a_folder_that_may_not_be_read_is_refused_and_stops_no_other(tmp_path, tracker):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    if tracker == "tensorboard":
        event_file(tmp_path, beginning(), scalar("a", 1, 1.0))
    elif tracker == "wandb":
        wandb_file(tmp_path, history("1", "5", a="1"))
    elif tracker == "trackio":
        trackio_file(tmp_path / "p.db", (1, WHEN, "r", 1, '{"a": 1}', "i"))
    else:
        mlflow_run(tmp_path)
    for place in [tmp_path, *tmp_path.parents[:-2]]:
        place.chmod(place.stat().st_mode | 0o055)
    found = as_nobody(lambda: read(tracker, tmp_path))
    assert sum(isinstance(one, list) and len(points_of(one)) == 1 for one in found[0].values()) == 1
    assert any(str(closed) in str(one) and "Permission denied" in str(one) for one in found[0].values())


def as_nobody(call):
    os.seteuid(65534)
    try:
        return call()
    finally:
        os.seteuid(0)


def test_names_and_results_that_are_no_unicode_are_imported_and_imported_again(api, held, tmp_path):
    name = os.fsdecode(b"events.out.tfevents.1.h\xff\x1b[2J")
    event_file(tmp_path / "logs", beginning(), scalar("a", 1, 1.0), record(b""), name=name)
    runs = import_module(TRACKERS["tensorboard"].module).runs
    odd: dict[str, Any] = {
        "\ud800": 1.0,
        "text": "\ud800",
        "api_key": "hunter2",
        "nan": float("nan"),
        "large": 2**63,
        "fine": 1,
    }
    finals = SourceRun("wandb", "odd", "odd", [Part("p", lambda: iter(Final(*one) for one in odd.items()))])
    there = Server(api.url, api.token)
    try:
        for points, before in ((1, 0), (0, 1)):
            (tally, other) = MovingIn(there, lambda _: None).bring([*runs(tmp_path / "logs", lambda _: None), finals])
            assert (tally.points, tally.before, tally.refusal, other.refusal) == (points, before, "", "")
            assert other.left_out == {"final result": 4}
    finally:
        there.close()
    (summary,) = held(run_id_of(finals)).get("/observations", name="wandb.summary")["items"]
    assert summary["values"] == {"api_key": "[redacted]", "fine": 1}
