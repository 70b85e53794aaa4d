"""A TensorBoard log directory becomes runs of a real server, and importing it again changes nothing."""

import os
import signal
import subprocess
import sys

import pytest

from tests.end_to_end.installation import environment
from tests.end_to_end.waiting import until
from tests.moving.samples import RESTARTED, TORCH, beginning, event_file, scalar


def test_every_point_of_a_real_log_arrives_with_its_step_time_and_kind(bring, held):
    # Counted by hand in what torch wrote: 161 records are the version, 158 scalars, a histogram and a text; of the
    # scalars one is NaN and one infinite. The subfolder has one scalar, and two records of the hparams plugin.
    done = bring("tensorboard", TORCH)
    assert done.code == 0
    assert done.row("torch") == done.row("torch") | {
        "attempts": "1",
        "points": "158",
        "there before": "0",
        "not finite": "2",
        "histograms": "1",
        "left out": "1",
        "not read": "0",
    }
    assert "torch: left out, no place for it here: text 1" in done.out
    run = held(done.run_id("torch"))
    head = run.get()
    assert (head["counts"]["points"], head["counts"]["invalid_points"], head["status"]) == (156, 2, "created")
    assert head["tags"] == ["imported", "tensorboard"]
    assert "events.out.tfevents.1796156699.vm.17356.0" in head["notes"]
    (histogram,) = run.get("/observations", kind="histogram")["items"]
    assert len(histogram["counts"]) == len(histogram["bounds"]) + 1 <= 65


def test_importing_twice_changes_nothing_and_makes_no_second_job(bring, held, api, sample):
    # A label keeps this job apart from the one of the test above: it is the same source.
    first = bring("tensorboard", TORCH, "--label", "twice")
    run = held(first.run_id("torch"))
    recorded, jobs = run.events(), len(api.get("/api/runs", limit=1000)["items"])
    again = bring("tensorboard", sample("tensorboard") / "torch", "--label", "twice")
    assert (again.code, again.run_id("torch")) == (0, first.run_id("torch"))
    assert (again.row("torch")["points"], again.row("torch")["there before"]) == ("0", "158")
    assert held(run.run_id).events() == recorded
    assert len(api.get("/api/runs", limit=1000)["items"]) == jobs + 1, "the mark that `held` makes"


def test_a_restart_is_an_attempt_and_what_it_did_again_replaces_what_it_superseded(bring, held):
    # The first file has loss at steps 0 to 9 and another series at 9; the second, begun later, has steps 5, 6, 7 and 6
    # again.
    done = bring("tensorboard", RESTARTED)
    run = held(done.run_id("restarted"))
    assert [one["received"]["points"] for one in run.get()["attempts"]] == [11, 4]
    loss = run.points("loss")
    assert {step: round(value, 3) for step, value in loss.items()} == {
        0: 1.0,
        1: 0.9,
        2: 0.8,
        3: 0.7,
        4: 0.6,
        5: 7.0,
        6: -6.0,
        7: 9.0,
    }
    assert run.points("only/first") == {9: 9.0}
    csv = run.get("/series/data", key="loss", attempt=0)["loss"]
    assert csv["step"] == list(range(10)), "nothing is deleted"


def test_a_session_that_says_how_and_when_it_ended_is_believed(bring, held, sample):
    done = bring("tensorboard", sample("tensorboard") / "real" / "tuned")
    run = held(done.run_id("tuned"))
    assert run.get()["status"] == "failed"
    (attempt,) = run.get()["attempts"]
    assert [(one["event"], one["ts"]) for one in attempt["lifecycle"]] == [
        ("running", "2026-11-30T00:53:20.500000+00:00"),
        ("failed", "2026-11-30T00:54:20.250000+00:00"),
    ]
    assert run.get("/hparams")["params"] == {"lr": 0.001, "layers": 12, "optimizer": "adam", "bias": True}


def test_a_log_that_grew_gets_only_what_is_new(bring, held, tmp_path):
    whole = [beginning(1_796_000_000.5), *(scalar("loss", step, step) for step in range(30))]
    path = event_file(tmp_path / "growing", *whole[:11])
    with path.open("ab") as file:
        file.write(whole[11][:20])
    first = bring("tensorboard", path.parent)
    assert (first.code, first.row("growing")["points"]) == (0, "10")
    assert "the last 20 bytes are a record that is not complete yet" in first.out
    event_file(path.parent, *whole)
    second = bring("tensorboard", path.parent)
    assert (second.row("growing")["points"], second.row("growing")["there before"]) == ("20", "10")
    run = held(first.run_id("growing"))
    assert run.points("loss") == {step: float(step) for step in range(30)}
    assert run.get()["counts"] | {"set_aside": 0} == run.get()["counts"]
    assert len(run.get()["attempts"]) == 1, "importing more is no restart of the job"


def test_a_later_restart_of_an_imported_log_becomes_the_next_attempt(bring, held, tmp_path):
    folder = tmp_path / "restarting"
    event_file(folder, beginning(1_796_000_001.5), *(scalar("loss", step, 1.0) for step in range(5)))
    bring("tensorboard", folder)
    event_file(folder, beginning(1_796_000_900.0), scalar("loss", 3, 2.0), name="events.out.tfevents.1796000900.h.2.0")
    done = bring("tensorboard", folder)
    assert (done.row("restarting")["points"], done.row("restarting")["attempts"]) == ("1", "2")
    assert held(done.run_id("restarting")).points("loss") == {0: 1.0, 1: 1.0, 2: 1.0, 3: 2.0}


def test_an_import_that_was_killed_goes_on_where_it_was(bring, held, api, tmp_path):
    count = 60_000
    events = (scalar("loss", step, step % 7) for step in range(count))
    folder = event_file(tmp_path / "killed", beginning(1_796_000_002.5), *events).parent
    command = [sys.executable, "-m", "tuneplane.integrations.tensorboard", str(folder)]
    credentials = {"TUNEPLANE_SERVER": api.url, "TUNEPLANE_TOKEN": api.token}
    listed = bring("tensorboard", folder, "--list")
    assert listed.out == "killed: 1 part, tags: none\n"

    def points() -> int:
        runs = [one for one in api.get("/api/runs", q="killed")["items"] if one["name"] == "killed"]
        return api.get(f"/api/runs/{runs[0]['run_id']}")["counts"]["points"] if runs else 0

    with subprocess.Popen(command, env=environment(**credentials), stdout=subprocess.DEVNULL) as process:
        until(points, "the first points")
        os.kill(process.pid, signal.SIGKILL)
    done = bring("tensorboard", folder)
    sent, before = (int(done.row("killed")[name].replace(",", "")) for name in ("points", "there before"))
    assert (done.code, sent + before) == (0, count)
    assert 0 < before < count
    counts = held(done.run_id("killed")).get()["counts"]
    assert (counts["points"], counts["set_aside"]) == (count, 0)


def test_a_log_is_followed_with_one_token_while_it_grows(api, bring, held, tmp_path):
    folder = tmp_path / "followed"
    path = event_file(folder, beginning(1_796_000_011.5), scalar("loss", 0, 0.0))
    run = held(bring("tensorboard", folder).run_id("followed"))
    command = [sys.executable, "-m", "tuneplane.integrations.tensorboard", str(folder), "--follow", "0.2"]
    credentials = {"TUNEPLANE_SERVER": api.url, "TUNEPLANE_TOKEN": api.token}
    with subprocess.Popen(command, env=environment(**credentials), stdout=subprocess.PIPE, text=True) as process:
        for step in range(1, 4):
            with path.open("ab") as file:
                file.write(scalar("loss", step, step))
            row = next(line for line in process.stdout if line.startswith("followed  http"))
            assert row.split()[2:5] == ["1", "1", str(step)]
        process.send_signal(signal.SIGINT)
    assert process.returncode == 0
    run = held(run.run_id)
    types = [one["type"] for one in run.get("/events", limit=1000)["items"]]
    assert (types.count("execution-opened.v1"), types.count("ingest-token-issued.v1")) == (1, 1)
    assert run.points("loss") == {0: 0.0, 1: 1.0, 2: 2.0, 3: 3.0}


def test_a_checksum_that_does_not_hold_ends_the_file_and_is_said_with_its_byte(bring, held, tmp_path):
    parts = [beginning(1_796_000_003.5), *(scalar("loss", step, 1.0) for step in range(5))]
    at = len(b"".join(parts[:4]))
    path = event_file(tmp_path / "torn", *parts)
    content = bytearray(path.read_bytes())
    content[at + 20] ^= 1
    path.write_bytes(content)
    done = bring("tensorboard", path.parent)
    assert done.code == 1
    left = len(content) - at
    assert f"{path.name}: byte {at}: the checksum of a record's" in done.out
    assert f"it and the {left} bytes from there on are not read" in done.out
    assert held(done.run_id("torn")).points("loss") == {0: 1.0, 1: 1.0, 2: 1.0}


def test_a_log_that_was_written_anew_is_refused_and_nothing_of_it_is_sent(bring, held, tmp_path):
    begin = beginning(1_796_000_004.5)
    folder = event_file(tmp_path / "anew", begin, *(scalar("loss", step, 1.0) for step in range(5))).parent
    first = bring("tensorboard", folder)
    recorded = held(first.run_id("anew")).events()
    event_file(folder, begin, *(scalar("loss", step, 2.0) for step in range(9)))
    again = bring("tensorboard", folder)
    assert again.code == 1
    assert "REFUSED: the first 5 points are not those that were imported" in again.out
    event_file(folder, begin, scalar("loss", 0, 1.0))
    assert "the source holds 1 points where 5 were imported" in bring("tensorboard", folder).out
    assert held(first.run_id("anew")).events() == recorded
    other = bring("tensorboard", folder, "--label", "second")
    assert (other.code, other.row("anew")["points"]) == (0, "1")
    assert other.run_id("anew") != first.run_id("anew")


def test_a_file_that_appears_before_those_imported_is_refused(bring, tmp_path):
    folder = event_file(tmp_path / "before", beginning(1_796_000_005.5), scalar("a", 1, 1.0)).parent
    later = "events.out.tfevents.1796000910.h.2.0"
    event_file(folder, beginning(1_796_000_910.0), scalar("a", 2, 1.0), name=later)
    bring("tensorboard", folder)
    between = "events.out.tfevents.1796000500.h.3.0"
    event_file(folder, beginning(1_796_000_500.0), scalar("a", 3, 1.0), name=between)
    done = bring("tensorboard", folder)
    assert done.code == 1
    assert f"this attempt holds '{later} " in done.out


def test_one_run_copied_into_two_folders_is_brought_once(bring, tmp_path):
    records = beginning(1_796_000_006.5), scalar("a", 1, 1.0)
    event_file(tmp_path / "x", *records)
    event_file(tmp_path / "y", *records)
    done = bring("tensorboard", tmp_path)
    assert done.code == 1
    assert done.row("x")["points"] == "1"
    assert "y: REFUSED: the same run as 'x', which is in this source, too" in done.out


def test_what_breaks_a_rule_of_series_is_said_and_the_rest_arrives(bring, held, tmp_path):
    keys = [scalar(f"key/{number}", 0, 1.0) for number in range(4098)]
    other = [scalar("key/0", -1, 1.0), scalar("key/1", 1, 1.0, ts=1e12), scalar("tab\tkey", 0, 1.0)]
    folder = event_file(tmp_path / "rules", beginning(1_796_000_007.5), *keys, *other).parent
    done = bring("tensorboard", folder)
    assert done.code == 1
    assert (done.row("rules")["points"], done.row("rules")["not read"]) == ("4,096", "5")
    for reason in (
        "more than 4096 series, first 'key/4096'",
        "more than 4096 series, first 'key/4097'",
        "'key/0': step -1; steps are 0 to 2**63 - 1",
        "'key/1': time 1000000000000.0; times are in the years 1 to 9999",
        "control characters in key 'tab\\tkey'",
    ):
        assert f"rules: not read: {reason}\n" in done.out
    assert held(done.run_id("rules")).get()["counts"]["series"] == 4096


@pytest.mark.parametrize("name", ["events.out.tfevents.1.h", "x.tfevents"])
def test_what_is_no_event_file_is_refused_and_the_others_are_imported(bring, tmp_path, name):
    event_file(tmp_path / "good", beginning(1_796_000_008.5 + len(name)), scalar("a", 1, 1.0))
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / name).write_bytes(b"no event file at all")
    done = bring("tensorboard", tmp_path)
    assert done.code == 1
    assert done.row("good")["points"] == "1"
    assert f"bad/{name}: REFUSED: " in done.out
    assert f"bad/{name}: byte 0: the checksum of a record's length does not hold" in done.out


def test_links_are_not_followed(bring, tmp_path):
    secret = event_file(tmp_path / "elsewhere", beginning(1_796_000_009.5), scalar("a", 1, 1.0))
    logs = event_file(tmp_path / "logs" / "own", beginning(1_796_000_010.5), scalar("b", 1, 1.0)).parent.parent
    (logs / "folder").symlink_to(secret.parent)
    (logs / "own" / "events.out.tfevents.2").symlink_to(secret)
    done = bring("tensorboard", logs, "--list")
    assert done.out == "own: 1 part, tags: none\n"
    assert "2 symbolic links are not followed" in done.err


def test_without_a_server_nothing_is_lost_and_the_exit_code_says_so(bring, monkeypatch, tmp_path):
    monkeypatch.setenv("TUNEPLANE_TOKEN", "tp_pat_wrong")
    done = bring("tensorboard", TORCH)
    assert done.code == 3
    assert "the same command goes on" in done.err
    monkeypatch.delenv("TUNEPLANE_TOKEN")
    assert bring("tensorboard", TORCH).code == 3


def test_a_folder_that_is_not_there_is_refused(bring, tmp_path):
    done = bring("tensorboard", tmp_path / "nowhere")
    assert (done.code, done.out) == (1, "")
    assert "nowhere: no directory" in done.err


@pytest.mark.parametrize("tracker", ["tensorboard", "wandb", "mlflow", "trackio"])
def test_a_source_without_a_run_is_no_success_and_no_empty_table(bring, tmp_path, tracker):
    for options in ((), ("--list",)):
        done = bring(tracker, tmp_path, *options)
        assert (done.code, done.out) == (2, "")
        assert str(tmp_path) in done.err
