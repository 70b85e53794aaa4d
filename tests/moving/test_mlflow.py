"""MLflow's two stores become runs: counted by hand in what `ml.py` logged with mlflow 3.17."""

import sqlite3

import pytest
from tuneplane.integrations import mlflow
from tuneplane.moving.mlflow_run import number_or_text

STORES = ["mlruns", "mlflow.db"]


@pytest.fixture(params=STORES)
def store(request, sample):
    return sample("mlflow") / request.param


def test_every_run_of_a_store_arrives(bring, held, store):
    # `first`: 25 train/loss, a NaN, an infinity, three acc; `child` and `open` one point each; `fails` has one point,
    # at step -1, which no series here may have.
    done = bring("mlflow", store)
    assert done.code == 1
    rows = {name: done.row(name) for name in ("first", "child", "fails", "open")}
    assert {name: row["points"] for name, row in rows.items()} == {
        "first": "30",
        "child": "1",
        "fails": "0",
        "open": "1",
    }
    assert {name: row["not read"] for name, row in rows.items()} == {
        "first": "0",
        "child": "0",
        "fails": "1",
        "open": "0",
    }
    assert rows["first"]["not finite"] == "2"
    assert "fails: not read: 'm': step -1; steps are 0 to 2**63 - 1" in done.out
    runs = {name: held(done.run_id(name)) for name in rows}
    heads = {name: run.get() for name, run in runs.items()}
    assert {name: head["status"] for name, head in heads.items()} == {
        "first": "succeeded",
        "child": "succeeded",
        "fails": "failed",
        "open": "running",
    }
    assert heads["first"]["tags"] == ["imported", "mlflow", "demo exp", "team=rl"]
    assert heads["first"]["notes"].startswith("A note.\nMLflow run ")
    assert "mlflow.parentRunId: " in heads["child"]["notes"]
    assert runs["first"].points("train/loss") == {step: 1 / (step + 1) for step in range(25)}
    assert runs["first"].points("acc") == {1: 0.45, 3: 0.5}, "of one step the later one counts"
    assert runs["first"].get("/hparams")["params"] == {"lr": 0.001, "model/name": "qwen", "nested.key": "x"}
    invalid = next(one for one in runs["first"].get("/series")["items"] if one["key"] == "train/loss")["invalid"]
    assert (invalid["nan"], invalid["pos_inf"], invalid["neg_inf"]) == (1, 1, 0)
    assert all(one["ts"] for one in heads["first"]["attempts"][0]["lifecycle"])


def test_importing_twice_changes_nothing(bring, held, store):
    done = bring("mlflow", store)
    before = held(done.run_id("first")).events()
    again = bring("mlflow", store)
    assert (again.row("first")["points"], again.row("first")["there before"]) == ("0", "30")
    assert held(done.run_id("first")).events() == before


def test_a_file_store_that_grew_in_several_metrics_gets_what_is_new(bring, held, sample):
    root = sample("mlflow") / "mlruns"
    first = bring("mlflow", root, "--label", "growing")
    (loss,) = root.glob("*/*/metrics/train/loss")
    later = int(loss.read_text().split()[-3]) + 60_000
    for name, line in (
        ("train/loss", f"{later} 0.5 27\n"),
        ("acc", f"{later + 1} 0.9 4\n"),
        ("a new one", f"{later} 1 0\n"),
    ):
        with (loss.parents[1] / name).open("a") as file:
            file.write(line)
    with (loss.parents[1] / "acc").open("a") as file:
        file.write(f"{later + 2} 0.")
    second = bring("mlflow", root, "--label", "growing")
    assert (second.row("first")["points"], second.row("first")["there before"]) == ("3", "30")
    assert "metrics/acc: line 5 is not complete yet" in second.out
    assert held(first.run_id("first")).points("acc") == {1: 0.45, 3: 0.5, 4: 0.9}


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        (
            "metrics/acc",
            b"1796188834600 0.5\n1796188834601 x 2\n",
            "metrics/acc: line 2: has to be `timestamp value step`",
        ),
        ("metrics/acc", b"1796188834600 0.5 99999999999999999999\n", "metrics/acc: line 1: has to be"),
        ("metrics/acc", b"\xff\xfe\n", "metrics/acc: line 1: has to be"),
        ("meta.yaml", b"run_id\n", "meta.yaml: line 1: has to be `name: value`"),
        ("meta.yaml", b"run_id: 'a\n", "meta.yaml: run_id: a quote is not closed"),
        ("meta.yaml", b"\xff", "meta.yaml: byte 0: has to be UTF-8"),
        ("params/lr", b"\xff", "params/lr: byte 0: has to be UTF-8"),
    ],
)
def test_what_cannot_be_read_is_said_with_file_place_and_rule(bring, sample, file, content, said):
    root = sample("mlflow") / "mlruns"
    (loss,) = root.glob("*/*/metrics/train/loss")
    (loss.parents[2] / file).write_bytes(content)
    done = bring("mlflow", root, "--label", f"{file}{content!r}")
    assert done.code == 1
    assert said in done.out
    assert done.row("child")["points"] == "1", "one run that is refused stops no other"


def test_old_lines_without_a_step_are_at_step_0(sample):
    root = sample("mlflow") / "mlruns"
    (loss,) = root.glob("*/*/metrics/train/loss")
    loss.write_text("1796188834600 0.5\n")
    (found,) = [one for one in mlflow.runs(root, print) if one.name == "first"]
    assert ("train/loss", 0, 1796188834.6, 0.5) in list(found.parts[0].items())


def test_a_database_of_another_kind_is_refused(bring, tmp_path):
    path = tmp_path / "mlflow.db"
    path.write_bytes(b"no database at all, and long enough to be one" * 100)
    assert "mlflow.db: the database: file is not a database" in bring("mlflow", tmp_path).out
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE experiments (experiment_id, name, lifecycle_stage)")
    connection.close()
    done = bring("mlflow", path)
    assert done.code == 1
    assert "table runs: has to have run_uuid, name, status" in done.out


def test_deleted_runs_are_passed_over_and_said(bring, sample):
    path = sample("mlflow") / "mlflow.db"
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE runs SET lifecycle_stage = 'deleted' WHERE name = 'first'")
    connection.close()
    done = bring("mlflow", path, "--list")
    assert "first" not in done.out
    assert "1 deleted runs, not imported" in done.err


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("0.001", 0.001),
        ("1e-05", 1e-05),
        ("01", "01"),
        ("1e-5", "1e-5"),
        ("nan", "nan"),
        ("x", "x"),
        (" 1", " 1"),
    ],
)
def test_a_parameter_is_a_number_only_where_nothing_of_its_text_is_lost(text, value):
    assert (number_or_text(text), type(number_or_text(text))) == (value, type(value))
