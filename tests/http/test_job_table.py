"""`GET /api/runs` with columns, conditions and an order."""

import pytest

from tests.http.people import personal_token

TS = "2026-01-01T00:00:00Z"


@pytest.fixture
def ask(server):
    """Jobs of one tag of this test's own."""
    headers = {"Authorization": f"Bearer {personal_token(server, 'sorter')}"}

    def asked(**query):
        answer = server.client.get("/api/runs", headers=headers, params={"tag": "sorted", **query})
        assert answer.status_code == 200, answer.text
        return answer.json()

    return asked


@pytest.fixture(scope="module", autouse=True)
def jobs(server):
    for name, lr, loss in (("a", 1e-3, 0.5), ("b", 1e-5, 0.25), ("c", None, None)):
        run = server.container.create_run()(name=name, owner="ada", run_id=f"sorted-{name}", tags=["sorted"]).run_id
        job = server.open_attempt(run)
        if lr is not None:
            job.post("hparams", params={"lr": lr})
            job.post("metrics", points=[{"key": "loss", "step": 1, "value": loss, "ts": TS}])


def names(page) -> list[str]:
    return [item["name"] for item in page["items"]]


def test_without_a_wish_the_list_is_what_it_was(ask):
    page = ask()
    assert names(page) == ["c", "b", "a"]
    assert page["items"][0]["columns"] == {}
    assert page["items"][0]["run_id"] == "sorted-c"


def test_columns_come_by_name_and_what_is_unknown_is_null(ask):
    page = ask(column=["config:lr", "last:loss", "started", "duration", "tags"], sort="last:loss")
    assert names(page) == ["b", "a", "c"]
    assert page["items"][0]["columns"] == {
        "config:lr": 1e-05,
        "last:loss": 0.25,
        "started": None,
        "duration": None,
        "tags": ["sorted"],
    }
    assert page["items"][2]["columns"]["config:lr"] is None


def test_conditions_are_all_met(ask):
    assert names(ask(where=["lr < 1e-2", "loss >= 0.5"])) == ["a"]
    assert names(ask(where="lr = unknown")) == ["c"]


@pytest.mark.parametrize("sort", ["", "-last:loss", "config:lr", "-name"])
def test_a_sorted_list_is_paged_by_cursor(ask, sort):
    whole = names(ask(sort=sort))
    found: list[str] = []
    cursor: dict[str, str] = {}
    for _ in whole:
        page = ask(sort=sort, limit=1, **cursor)
        found += names(page)
        cursor = {"cursor": page["next_cursor"]}
    assert found == whole
    assert cursor == {"cursor": None}


def test_times_are_iso_and_durations_seconds(server, ask):
    job = server.open_attempt("sorted-c")
    for event in ("running", "succeeded"):
        job.post("lifecycle", event=event, ts=TS)
    columns = ask(column=["finished", "duration"], where="name = c")["items"][0]["columns"]
    assert columns["finished"].endswith("Z")
    assert 0 <= columns["duration"] < 60


@pytest.mark.parametrize(
    "query", ["column=x", "sort=x", "where=x", "where=lr+%3C+high", "sort=name&cursor=x", "column=config:", "status=x"]
)
def test_what_cannot_be_asked_is_refused(server, query):
    headers = {"Authorization": f"Bearer {personal_token(server, 'refused')}"}
    answer = server.client.get(f"/api/runs?{query}", headers=headers)
    assert answer.status_code in {400, 422}
    assert answer.headers["content-type"] == "application/problem+json"
