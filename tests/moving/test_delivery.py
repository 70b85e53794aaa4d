"""What is sent when others import the same source meanwhile, and when the server holds what we do not expect."""

import pytest
from tuneplane.moving.attempt import AttemptWriter
from tuneplane.moving.moving_in import MovingIn, run_id_of
from tuneplane.moving.source import Configuration, Part, SourceRun, Stage
from tuneplane.opening import Server
from tuneplane.series_keys import SeriesKeys


@pytest.fixture
def tuneplane(api):
    there = Server(api.url, api.token)
    yield there
    there.close()


def points(first, end):
    return [("loss", step, 1_796_000_000.0 + step, float(step)) for step in range(first, end)]


def a_run(name, *items):
    return SourceRun("tensorboard", name, name, [Part("the file", lambda: iter(items))])


def brought(tuneplane, run):
    (tally,) = MovingIn(tuneplane, lambda _: None).bring([run])
    return tally


def test_an_attempt_that_another_part_took_since_we_looked_is_refused_and_not_mixed(tuneplane, held):
    """As after an import so recent that the server's views do not show it yet."""
    other = SourceRun("tensorboard", "late", "late", [Part("another file", lambda: iter(points(0, 2)))])

    def meanwhile():
        brought(tuneplane, other)
        yield from points(5, 9)

    tally = brought(tuneplane, SourceRun("tensorboard", "late", "late", [Part("the file", meanwhile)]))
    assert "this attempt holds 'another file', and 'the file' comes in its place now" in tally.refusal
    assert held(run_id_of(other)).points("loss") == {0: 0.0, 1: 1.0}


def test_what_another_import_sent_while_we_read_is_not_sent_again(tuneplane, held):
    def meanwhile():
        yield from points(0, 3)
        brought(tuneplane, a_run("raced", *points(0, 5)))
        yield from points(3, 9)

    tally = brought(tuneplane, SourceRun("tensorboard", "raced", "raced", [Part("the file", meanwhile)]))
    assert (tally.points, tally.before, tally.refusal) == (4, 5, "")
    run = held(run_id_of(a_run("raced")))
    assert run.points("loss") == {step: float(step) for step in range(9)}
    assert run.get()["counts"]["set_aside"] == 0


def test_points_that_lose_their_place_to_others_are_said_and_not_counted_as_sent(tuneplane, api):
    first = brought(tuneplane, a_run("taken", *points(0, 2)))
    assert first.points == 2
    run_id = run_id_of(a_run("taken"))
    token = api.call("POST", f"/api/runs/{run_id}/executions/0/tokens", {}).body["token"]
    series = [{"key": "other", "steps": [1], "values": [1.0], "ts": [1.0]}]
    body = {"run_id": run_id, "stream": "import-0", "sequence": 4, "series": series}
    assert api.call("POST", "/api/ingest/metrics", body, token).status == 200
    again = brought(tuneplane, a_run("taken", *points(0, 10)))
    assert again.points == 0
    assert again.refusal.startswith("points 4 to 10 are stored otherwise already: another import of the same source")


def test_a_writer_knows_what_it_has_sent_before_the_pages_do(tuneplane):
    run_id = tuneplane.make_run({"name": "a writer", "run_id": "a-writer"})
    writer, keys = AttemptWriter(tuneplane, run_id, 0), SeriesKeys()
    assert keys.size_bytes("loss")
    assert writer.open() == 0
    assert writer.points(0, points(0, 5), keys) == 0
    assert writer.open() == 5
    assert writer.points(0, points(0, 5), keys) == 5, "sent again, they are repeats"
    writer.close()


def test_the_last_end_that_the_source_says_counts_and_settings_merge(tuneplane, held):
    stages = [Stage("running", 1.0), Stage("failed", 2.0), Stage("running", 3.0), Stage("succeeded", 4.0)]
    run = a_run("resumed", Configuration({"lr": 1, "b": 2}), *stages, *points(0, 1), Configuration({"lr": 3}))
    brought(tuneplane, run)
    found = held(run_id_of(run))
    assert found.get()["status"] == "succeeded"
    assert found.get("/hparams")["params"] == {"lr": 3, "b": 2}
    (attempt,) = found.get()["attempts"]
    assert [one["ts"] for one in attempt["lifecycle"]] == ["1970-01-01T00:00:01+00:00", "1970-01-01T00:00:04+00:00"]


def test_a_run_that_goes_on_after_its_end_keeps_the_end_and_says_so(tuneplane, held):
    ended = [Stage("running", 1.0), Stage("succeeded", 2.0)]
    brought(tuneplane, a_run("goes on", *points(0, 1), *ended))
    tally = brought(tuneplane, a_run("goes on", *points(0, 2), Stage("running", 1.0), Stage("failed", 3.0)))
    assert (tally.points, tally.notes) == (
        1,
        ["its end was recorded before: what the source says of its state now is set aside"],
    )
    assert held(run_id_of(a_run("goes on"))).get()["status"] == "succeeded"


def test_tags_and_notes_that_do_not_fit_are_cut_and_said(tuneplane, held):
    tags = [f"tag {n}" for n in range(40)] + ["t" * 65]
    run = SourceRun("mlflow", "crowded", "n\x00" * 200, [Part("p", lambda: iter(points(0, 1)))], tags, "x" * 20_000)
    tally = brought(tuneplane, run)
    head = held(run_id_of(run)).get()
    assert (len(head["tags"]), len(head["notes"]), len(head["name"])) == (32, 16_384, 256)
    assert tally.left_out == {"tag": 11}
    assert tally.notes == ["its notes have 20000 characters: the first 16383 are kept"]


def test_a_run_of_somebody_else_is_refused_and_the_next_one_is_imported(api, server, held):
    run = a_run("another's", *points(0, 1))
    api.call("POST", "/api/runs", {"name": "another's", "run_id": run_id_of(run)})
    server.command("user", "create", "mia", "--role", "member")
    there = Server(api.url, server.command("token", "create", "mia").strip())
    try:
        first, second = MovingIn(there, lambda _: None).bring([run, a_run("mine", *points(0, 2))])
    finally:
        there.close()
    assert (first.points, "403" in first.refusal) == (0, True)
    assert (second.points, second.refusal) == (2, "")


def test_an_attempt_that_another_import_opened_in_vain_stops_no_later_import(tuneplane, held):
    assert brought(tuneplane, a_run("overtaken", *points(0, 2))).refusal == ""
    run_id = run_id_of(a_run("overtaken"))
    tuneplane.open_attempt(run_id)
    held(run_id)
    tally = brought(tuneplane, a_run("overtaken", *points(0, 3)))
    assert (tally.points, tally.before, tally.refusal) == (1, 2, "")


def test_a_part_that_was_imported_and_is_gone_is_said(tuneplane, held):
    two = [Part("the file", lambda: iter(points(0, 2))), Part("the next", lambda: iter(points(2, 3)))]
    assert brought(tuneplane, SourceRun("tensorboard", "less", "less", two)).refusal == ""
    held(run_id_of(a_run("less")))
    tally = brought(tuneplane, SourceRun("tensorboard", "less", "less", two[:1]))
    assert tally.refusal == "2 attempts were imported, and the source holds 1 parts now"
