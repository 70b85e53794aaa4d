"""Series over the API: orders, facets, smoothing, and what restarts replaced."""

import pytest

from domain.ids import RunId
from tests.http.people import personal_token


@pytest.fixture
def get(server, job):
    headers = {"Authorization": f"Bearer {personal_token(server, 'reader')}"}
    return lambda path="", **params: server.client.get(
        f"/api/runs/{job.run_id}/series{path}", headers=headers, params=params
    )


def report(job, key: str, values: dict[int, float], minute: int = 0) -> None:
    points = [
        {"key": key, "step": step, "value": one, "ts": f"2026-01-01T00:{minute:02}:{step:02}Z"}
        for step, one in values.items()
    ]
    assert job.post("metrics", points=points).status_code == 200


@pytest.fixture
def moved(job):
    """`still` did not move, `doubled` went from 1 to 2 last of all, `fell` went to 0; `once` has one step."""
    report(job, "still", {0: 1.0, 1: 9.0, 2: 1.0}, minute=2)
    report(job, "doubled", {0: 1.0, 1: 2.0}, minute=9)
    report(job, "fell", {0: 4.0, 1: 0.0}, minute=1)
    report(job, "once", {0: 7.0}, minute=3)
    return job


def keys(answer) -> list[str]:
    return [one["key"] for one in answer.json()["items"]]


def test_most_changed_first_is_last_against_first_and_one_step_is_no_change(moved, get):
    found = get(order="changed").json()["items"]
    assert [(one["key"], one["change"]) for one in found] == [
        ("fell", 1.0), ("doubled", 0.5), ("still", 0.0), ("once", None),
    ]  # fmt: skip


def test_latest_first_is_by_the_time_of_the_last_point(moved, get):
    assert keys(get(order="latest")) == ["doubled", "once", "still", "fell"]
    assert keys(get()) == ["doubled", "fell", "once", "still"]
    assert get(order="best").status_code in {400, 422}


@pytest.mark.parametrize("order", ["name", "changed", "latest"])
def test_every_order_pages_without_gap_or_repeat(moved, get, order):
    whole, cursor = keys(get(order=order)), None
    found: list[str] = []
    while len(found) <= len(whole):
        page = get(order=order, limit=1, **({"cursor": cursor} if cursor else {}))
        found += keys(page)
        cursor = page.json()["next_cursor"]
        if cursor is None:
            break
    assert found == whole
    assert keys(get(order=order, q="LL")) == [key for key in whole if "ll" in key]


def test_a_cursor_belongs_to_its_order(moved, get):
    cursor = get(order="changed", limit=1).json()["next_cursor"]
    assert get(order="latest", cursor=cursor).status_code == 422


def test_named_series_come_as_asked_for_and_unknown_ones_are_left_out(moved, get):
    assert keys(get(key=["still", "none", "doubled", "still"])) == ["still", "doubled"]
    assert get(key=[f"k{n}" for n in range(1001)]).status_code == 422


def test_a_validation_key_says_its_facets_and_others_say_none(job, get):
    report(job, "val-core/openai/gsm8k/acc/mean@8", {0: 0.5})
    report(job, "loss", {0: 0.5})
    assert [one["facets"] for one in get().json()["items"]] == [
        None,
        {"dataset": "openai/gsm8k", "group": "core", "metric": "acc/mean", "sampling_count": 8},
    ]


def test_smoothing_adds_a_column_and_changes_no_other(job, get):
    report(job, "loss", {0: 1.0, 1: 3.0, 2: 2.0})
    plain, smooth = get("/data", key="loss").json()["loss"], get("/data", key="loss", smooth=0.5).json()["loss"]
    assert plain.pop("smoothed") is None
    assert smooth.pop("smoothed") == pytest.approx([1.0, 7 / 3, 15 / 7])
    assert smooth == plain


@pytest.mark.parametrize("wrong", ["1", "-0.1", "nan", "inf", "much", "2"])
def test_a_weight_that_is_none_is_refused(job, get, wrong):
    report(job, "loss", {0: 1.0})
    answer = get("/data", key="loss", smooth=wrong)
    assert answer.status_code in {400, 422}
    assert answer.headers["content-type"] == "application/problem+json"
    assert get("/superseded", key="loss", smooth=wrong).status_code in {400, 422}


@pytest.fixture
def restarted(server, job):
    """Three attempts: 0 to 9, again from 6, and again from 4 on."""
    report(job, "loss", dict.fromkeys(range(10), 0.0))
    report(job, "early", {0: 1.0})
    report(server.open_attempt(RunId(job.run_id)), "loss", dict.fromkeys(range(6, 9), 1.0))
    report(server.open_attempt(RunId(job.run_id)), "loss", dict.fromkeys(range(4, 6), 2.0))
    return job


def test_superseded_points_are_told_by_attempt_with_where_they_were_cut(restarted, get):
    found = get("/superseded", key=["loss", "early", "none"]).json()
    assert list(found) == ["loss"]
    assert [(one["attempt"], one["from_step"], one["chart"]["step"]) for one in found["loss"]] == [
        (0, 4, [4, 5, 6, 7, 8, 9]),
        (1, 4, [6, 7, 8]),
    ]
    assert get("/data", key="loss").json()["loss"]["step"] == [0, 1, 2, 3, 4, 5]


def test_superseded_points_keep_to_the_range_and_the_smoothing(restarted, get):
    found = get("/superseded", key="loss", **{"from": 5, "to": 6, "smooth": 0.9}).json()["loss"]
    assert [one["chart"]["step"] for one in found] == [[5, 6], [6]]
    assert [one["chart"]["smoothed"] for one in found] == [[0.0, 0.0], [1.0]]
    assert get("/superseded", key="loss", **{"from": 50}).json() == {}


def test_a_restart_that_began_with_what_is_not_finite_supersedes_from_there(server, job, get):
    report(job, "loss", dict.fromkeys(range(10), 0.0))
    again = server.open_attempt(RunId(job.run_id))
    invalid = [{"step": 3, "ts": 1.0, "kind": "nan"}]
    again.post(
        "metrics",
        stream="s",
        sequence=1,
        series=[{"key": "loss", "steps": [5], "values": [1.0], "ts": [2.0], "invalid": invalid}],
    )
    [cut] = get("/superseded", key="loss").json()["loss"]
    assert (cut["attempt"], cut["from_step"], cut["chart"]["step"][0]) == (0, 3, 3)


def test_too_many_keys_are_refused_at_once(job, get):
    assert get("/superseded", key=[f"k{n}" for n in range(33)]).status_code == 422
