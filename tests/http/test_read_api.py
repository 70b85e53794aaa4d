"""What the edge adds to the queries: parameters, headers, statuses, encodings."""

import csv
from contextlib import ExitStack

import pytest

from adapters.memory.reading import FOLDS, FOLDS_WAITING
from adapters.postgres.reading import WAITING
from entrypoints.http.api.moment import Moment
from entrypoints.http.server import READERS
from tests.http.people import personal_token


@pytest.fixture
def get(server, job):
    headers = {"Authorization": f"Bearer {personal_token(server, 'reader')}"}
    return lambda path="", **params: server.client.get(f"/api/runs/{job.run_id}{path}", headers=headers, params=params)


def points(key, values):
    return [
        {"key": key, "step": step, "value": value, "ts": f"2026-01-01T00:00:{step:02}Z"}
        for step, value in values.items()
    ]


def test_an_answer_says_which_position_it_shows_and_is_not_kept(job, get):
    position = job.post("metrics", points=points("loss", {1: 0.5})).json()["position"]

    answer = get("/series", min_position=position)

    assert int(answer.headers["x-tuneplane-position"]) >= position
    assert answer.headers["cache-control"] == "no-store"
    assert "x-tuneplane-behind" not in answer.headers


def test_an_answer_that_came_too_early_says_how_far_it_is_behind(job, get):
    position = job.post("metrics", points=points("loss", {1: 0.5})).json()["position"]

    answer = get("/series", min_position=position + 7)

    assert answer.headers["x-tuneplane-behind"] == "7"


@pytest.mark.parametrize("wrong", [{"min_position": -1}, {"min_position": 2**63}, {"as_of": "yesterday"}])
def test_a_moment_that_cannot_be_is_refused(get, wrong):
    answer = get("/series", **wrong)

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "path",
    [
        *("/series", "/logs", "/hparams", "/environment", "/hardware", "/artifacts", "/benchmarks"),
        *("/observations", "/coverage", "/validation/rounds", "/trajectories"),
    ],
)
def test_every_list_takes_an_attempt_and_a_moment(job, get, path):
    assert get(path, attempt=0).status_code == 200
    assert get(path, attempt=9).status_code == 404
    assert get(path, as_of=1).status_code in {200, 404}


def test_a_run_did_not_exist_before_it_was_made(job, get):
    position = job.post("metrics", points=points("loss", {1: 0.5})).json()["position"]

    assert get(as_of=0).status_code == 404
    assert get("/series", as_of=position - 1).json()["items"] == []
    assert len(get("/series", as_of=position).json()["items"]) == 1


def test_what_will_be_at_a_position_that_the_log_has_not_reached_nobody_knows(job, get):
    end = job.post("metrics", points=points("loss", {1: 0.5})).json()["position"]

    assert get("/series", as_of=end).status_code == 200
    answer = get("/series", as_of=end + 1)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (422, "as_of")


@pytest.mark.parametrize("limit", [-1, 0, 1001])
def test_a_page_of_so_many_is_refused_even_where_series_are_named(job, get, limit):
    assert get("/series", key="loss", limit=limit).status_code == 422
    assert get("/series", limit=limit).status_code == 422


def test_csv_is_a_download_that_no_spreadsheet_runs(job, get):
    job.post("metrics", points=points("=cmd()", {1: -0.5}))

    answer = get("/series.csv")

    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert [(row["key"], row["value"]) for row in csv.DictReader(answer.text.splitlines())] == [("'=cmd()", "-0.5")]


def test_a_chart_in_order_of_time_holds_the_same_rows(job, get):
    job.post(
        "metrics",
        points=[
            {"key": "loss", "step": 1, "value": 1.0, "ts": "2026-01-01T00:00:09Z"},
            {"key": "loss", "step": 2, "value": 2.0, "ts": "2026-01-01T00:00:01Z"},
        ],
    )

    by_step, by_time = (
        get("/series/data", key="loss").json()["loss"],
        get("/series/data", key="loss", x="time").json()["loss"],
    )

    assert (by_step["step"], by_time["step"], by_time["last"]) == ([1, 2], [2, 1], [2.0, 1.0])


def test_a_name_with_a_slash_travels_encoded(job, get):
    job.post("validation", step=1, round_id="a/b", samples=[{"idx": 0, "user": "q", "assistant": "a"}])

    assert get("/validation/rounds/a%2Fb/trials").status_code == 200
    assert get("/validation/rounds/a/b/trials").status_code == 404


def test_text_that_utf8_cannot_hold_does_not_break_the_download(job, get):
    job.send("logs", b'{"run_id":"%b","chunks":["whole \\ud83d\\ude00 text\\n"]}' % job.run_id.encode())

    assert get("/logs.txt").content == "whole \N{GRINNING FACE} text\n".encode()


def test_no_answer_holds_a_token_or_its_hash(server, job, get):
    secret = job.token.split("_", 3)[3]
    events = get("/events", limit=1000).json()["items"]
    whole = [get(f"/events/{item['position']}").text for item in events]

    assert whole
    assert all(secret not in text for text in [get().text, *whole])


@pytest.mark.parametrize(
    "path", ["/validation/rounds/a%252Fb/trials", "/validation/rounds/a%00b/trials", "/%ff", "/a%1fb"]
)
def test_a_path_is_decoded_once_and_holds_no_control_characters(job, get, path):
    job.post("validation", step=1, round_id="a/b", samples=[{"idx": 0, "user": "q", "assistant": "a"}])

    assert get(path).status_code == 404


def test_only_so_many_pasts_are_kept_in_memory_at_one_time(server, job, get, monkeypatch):
    monkeypatch.setattr("adapters.memory.reading.FOLD_WAIT_SECONDS", 0.0)
    reading = server.container.reading()
    with ExitStack() as held:
        for _ in range(FOLDS):
            held.enter_context(reading.at(job.run_id, 1))
        answer = get("/series", as_of=1)
        assert (answer.status_code, "retry-after" in answer.headers) == (503, True)
        assert get("/series").status_code == 200
    assert get("/series", as_of=server.container.event_log().head().position).status_code == 200


def test_only_so_many_wait_for_a_past_the_next_is_told_at_once(server, job, get, monkeypatch):
    monkeypatch.setattr("adapters.memory.reading.FOLD_WAIT_SECONDS", 60.0)
    reading = server.container.reading()
    with ExitStack() as held:
        for _ in range(FOLDS):
            held.enter_context(reading.at(job.run_id, 1))
        for _ in range(FOLDS_WAITING):
            held.callback(reading._asking.release)
            assert reading._asking.acquire(blocking=False)  # as one who waits
        answer = get("/series", as_of=1)
        assert (answer.status_code, "retry-after" in answer.headers) == (503, True)
    assert get("/series", as_of=server.container.event_log().head().position).status_code == 200


def test_there_are_more_threads_for_readers_than_may_wait():
    assert READERS > WAITING + FOLDS + FOLDS_WAITING


def test_the_past_is_judged_by_its_own_time(server, job):
    position = job.post("metrics", points=points("loss", {1: 0.5})).json()["position"]
    reading = server.container.reading()
    with reading.now() as views:
        recorded = views.log.at([position])[0].recorded_at
    with reading.at(job.run_id, position) as past:
        assert Moment(reading, 0, position).time(past) == recorded
    with reading.now() as views:
        assert Moment(reading, 0, None).time(views) > recorded


def test_a_log_is_searched_on_the_server_and_a_time_and_a_whole_line_are_found(job, get):
    job.post("logs", chunks=["fine\n", "ValueError: é\n" + "x" * 20_000 + "\n"], eof=False)

    found = get("/logs/search", q="ERROR: É").json()
    assert [(line["n"], line["error"]) for line in found["matches"]] == [(1, True)]
    assert (found["searched_from"], found["searched_to"], found["lines"], found["next_cursor"]) == (0, 3, 3, None)
    assert get("/logs/search", errors="true", **{"from": 2}).json()["matches"] == []
    first = get("/logs/search", q="e", limit=1).json()
    assert [line["n"] for line in get("/logs/search", q="e", cursor=first["next_cursor"]).json()["matches"]] == [1]
    assert get("/logs/at", time="2000-01-01T00:00:00Z").json() == {"n": 0}
    assert get("/logs/at", time="2999-01-01T00:00:00+01:00").json() == {"n": 3}
    assert get("/logs/line", n=2).json() == {"n": 2, "text": "x" * 20_000, "cut": False}
    assert get("/logs/line", n=3).status_code == 404


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("/logs/search", {}),
        ("/logs/search", {"q": "x" * 257}),
        ("/logs/search", {"q": "x", "cursor": "junk"}),
        ("/logs/search", {"q": "x", "from": -1}),
        ("/logs/at", {"time": "noon"}),
        ("/logs/line", {"n": 2**63}),
    ],
)
def test_a_question_about_a_log_that_cannot_be_is_refused(job, get, path, asked):
    assert get(path, **asked).status_code == 422
