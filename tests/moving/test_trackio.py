"""Trackio's databases become runs: counted by hand in what `tr.py` logged with trackio 0.43."""

import sqlite3

from tests.moving.samples import SAMPLES


def test_rows_settings_and_histograms_of_a_project_arrive(bring, held):
    # `first`: 30 rows of train/loss (a NaN, an infinity) and nested.acc, one text, one histogram; `second`: one point.
    done = bring("trackio", SAMPLES / "trackio")
    assert done.code == 0
    row = done.row("first")
    assert (row["points"], row["not finite"], row["histograms"], row["left out"]) == ("60", "2", "1", "1")
    assert done.row("second")["points"] == "1"
    run = held(done.run_id("first"))
    head = run.get()
    assert head["tags"] == ["imported", "trackio", "demo"]
    assert (head["status"], head["attempts"][0]["lifecycle"]) == ("created", []), "Trackio never says how a run ended"
    assert "first row at 2026-12-02T05:20:" in head["notes"]
    loss = run.points("train/loss")
    assert sorted(loss) == [*range(7), *range(9, 30)]
    assert loss[29] == 1 / 30
    assert run.get("/hparams")["params"] == {"lr": 0.001, "optim.name": "adam"}
    (histogram,) = run.get("/observations", kind="histogram")["items"]
    assert (sum(histogram["counts"]), histogram["step"], len(histogram["bounds"])) == (3, 10, 64)


def test_a_project_that_grew_gets_only_what_is_new(bring, held, sample):
    path = sample("trackio") / "demo.db"
    first = bring("trackio", path, "--label", "grown")
    with sqlite3.connect(path) as connection:
        connection.execute(
            "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics)"
            " SELECT run_id, timestamp, run_name, 31, '{\"train/loss\": 0.25}' FROM metrics WHERE id = 1"
        )
        connection.execute("UPDATE metrics SET metrics = '[1]' WHERE run_name = 'second'")
    connection.close()
    done = bring("trackio", path, "--label", "grown")
    assert (done.row("first")["points"], done.row("first")["there before"]) == ("1", "60")
    assert held(first.run_id("first")).points("train/loss")[31] == 0.25
    assert done.code == 1
    assert "second: not read: demo.db: table metrics, id 31: a JSON object is expected" in done.out
    assert "second: REFUSED: the source holds 0 points where 1 were imported" in done.out


def test_importing_twice_changes_nothing(bring, held):
    done = bring("trackio", SAMPLES / "trackio")
    before = held(done.run_id("first")).events()
    assert bring("trackio", SAMPLES / "trackio").row("first")["points"] == "0"
    assert held(done.run_id("first")).events() == before


def test_a_database_without_rows_of_metrics_is_refused(bring, tmp_path):
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE metrics (id INTEGER)")
    connection.close()
    (tmp_path / "demo.parquet").write_bytes(b"PAR1")
    done = bring("trackio", tmp_path)
    assert done.code == 1
    assert "other.db: table metrics: has to have timestamp, run_name, step, metrics" in done.out
    assert "demo.parquet: a copy of the database for Spaces, not read" in done.err


def test_a_step_that_is_no_whole_number_is_said_and_not_rounded(bring, tmp_path):
    with sqlite3.connect(tmp_path / "demo.db") as connection:
        connection.execute("CREATE TABLE metrics (id INTEGER, timestamp TEXT, run_name TEXT, step, metrics TEXT)")
        rows = [(1, 1.7, '{"a": 1}'), (2, 9e999, '{"a": 1}'), (3, 3.0, '{"a": 1}'), (4, 4, '{"a": 1, "a": 2}')]
        connection.executemany("INSERT INTO metrics VALUES (?, '2026-01-01T00:00:00', 'r\x1b[2J', ?, ?)", rows)
    connection.close()
    done = bring("trackio", tmp_path)
    assert done.code == 1
    assert done.row("r\\x1b[2J")["points"] == "1"
    assert "id 1: step 1.7: has to be a whole number" in done.out
    assert "id 2: step inf: has to be a whole number" in done.out
    assert "id 4: the key 'a' stands twice in one object" in done.out
    assert "\x1b" not in done.out
