"""`/shares`: shares are listed, made and taken back one by one, by those who may."""

import re

import pytest

from application.commands.share_run import LINKS_A_RUN, ShareRun
from domain.ids import DAY_MICROS, Micros, RunId
from tests.console.alone import running
from tests.console.conftest import PASSWORD, Site
from tests.console.test_job_page import text_of
from tests.console.test_jobs import HOSTILE

__all__ = ["running"]

LINK = re.compile(r"/s/(tp_shr_[0-9a-f]{16}_[A-Za-z0-9_-]{43})")


def csrf_of(site: Site) -> str:
    return site.page("/shares").partition('name="csrf" value="')[2].partition('"')[0]


def post(site: Site, path: str = "", **fields: str):
    return site.client.post(f"/shares{path}", data={"csrf": csrf_of(site), **fields}, follow_redirects=False)


def share(site: Site, run: str, **more):
    return site.container.share_run().share(RunId(run), shared_by="ada", **more)


@pytest.fixture
def other(site):
    """A job that ada does not own."""
    return site.container.create_run()(name="of bob", owner="bob").run_id


def test_where_nothing_is_shared_it_says_how_to(site, job):
    assert "No share opens a job to strangers" in text_of(site.page("/shares"))
    assert "Make one above" in text_of(site.page(f"/shares?run_id={job.run_id}"))


def test_a_link_is_made_shown_once_and_listed(site, job):
    answer = post(site, run_id=job.run_id, name="paper", days="30")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    [token] = LINK.findall(answer.text)
    assert site.get(f"/s/{token}").status_code == 200
    listed = site.page("/shares")
    assert token not in listed
    assert token[:23] in listed
    [kept] = site.container.accounts().secrets_of(job.run_id, "share")
    assert kept.expires_at == kept.created_at + 30 * DAY_MICROS
    text = text_of(listed)
    assert re.search(r"a run ada .* paper .* ada \d{4}-", text)


@pytest.mark.parametrize("days", ["0", "3651", "x", "1.5"])
def test_a_link_with_an_impossible_life_is_not_made(site, job, days):
    answer = post(site, run_id=job.run_id, days=days)
    assert answer.status_code == 422
    assert "days" in text_of(answer.text)
    assert site.container.accounts().secrets("share") == []


def test_too_many_links_are_refused_with_what_to_do(site, job):
    for _ in range(LINKS_A_RUN):
        share(site, job.run_id)
    assert "take some back first" in text_of(post(site, run_id=job.run_id).text)


def test_links_are_taken_back_one_by_one(site, job):
    gone, stays = share(site, job.run_id), share(site, job.run_id)
    answer = post(site, "/withdraw", run_id=job.run_id, share_id=gone.share_id)
    assert answer.headers["location"] == f"/shares?run_id={job.run_id}&said=withdrawn"
    assert site.get(f"/s/{gone.token}").status_code == 404
    assert site.get(f"/s/{stays.token}").status_code == 200
    assert "whoever has the link reads it" in site.page(f"/runs/{job.run_id}")
    post(site, "/withdraw", run_id=job.run_id, share_id=stays.share_id)
    assert "whoever has the link reads it" not in site.page(f"/runs/{job.run_id}")


def test_links_of_others_jobs_are_not_listed_but_for_administrators(site, job, other):
    share(site, job.run_id, name="mine")
    share(site, other, name="not mine")
    text = text_of(site.page("/shares"))
    assert "mine" in text
    assert "not mine" not in text
    assert "not mine" not in text_of(site.page(f"/shares?run_id={other}"))
    site.container.manage_accounts().grant("ada", role="admin")
    assert "not mine" in text_of(site.page("/shares"))
    assert "not mine" in text_of(site.page(f"/shares?run_id={other}"))


def test_links_of_others_jobs_cannot_be_made_or_taken_back(site, job, other):
    link = share(site, other)
    assert post(site, run_id=other).status_code == 403
    assert post(site, "/withdraw", run_id=other, share_id=link.share_id).status_code == 403
    theirs, absent = (post(site, "/withdraw", run_id=job.run_id, share_id=one) for one in (link.share_id, "0" * 16))
    assert (theirs.status_code, absent.status_code) == (404, 404)
    assert theirs.text == absent.text
    assert site.get(f"/s/{link.token}").status_code == 200


def test_a_viewer_sees_the_links_of_their_jobs_and_changes_none(site, job):
    link = share(site, job.run_id)
    site.container.manage_accounts().grant("ada", role="viewer")
    html = site.page(f"/shares?run_id={job.run_id}")
    assert link.share_id in html
    assert "/shares/withdraw" not in html
    assert post(site, "/withdraw", run_id=job.run_id, share_id=link.share_id).status_code == 403
    assert post(site, run_id=job.run_id).status_code == 403


def test_a_link_that_has_expired_says_so(site, job):
    container = site.container
    then = ShareRun(container.commit(), container.event_log(), container.accounts(), clock=lambda: Micros(0))
    then.share(job.run_id, shared_by="ada", days=1)
    text = text_of(site.page("/shares"))
    assert "expired 1970-01-02 00:00:00 UTC" in text


def test_an_unknown_job_has_no_links(site):
    assert site.get("/shares?run_id=absent").status_code == 404
    assert site.get("/shares?run_id=%00").status_code == 404
    assert post(site, run_id="absent").status_code == 404
    assert post(site, "/withdraw", run_id="absent", share_id="x").status_code == 404


def test_names_of_links_stay_text(site, job):
    post(site, run_id=job.run_id, name=HOSTILE[:128])
    html = site.page("/shares")
    assert "<script>alert" not in html
    assert "<img src=x" not in html


@pytest.mark.parametrize("path", ["", "/withdraw"])
def test_no_form_on_another_page_shares_or_withdraws(site, job, path):
    link = share(site, job.run_id)
    for csrf in ("", "guessed"):
        fields = {"csrf": csrf, "run_id": job.run_id, "share_id": link.share_id}
        assert site.client.post(f"/shares{path}", data=fields).status_code == 403
    assert len(site.container.accounts().secrets_of(job.run_id, "share")) == 1


def test_the_api_takes_a_body_or_none_and_lists_and_withdraws(site, job):
    bearer = {"authorization": f"Bearer {site.container.create_personal_token()('ada').text}"}
    address = f"/api/runs/{job.run_id}/share"
    bare = site.client.post(address, headers=bearer)
    empty = site.client.post(address, headers=bearer, json={})
    named = site.client.post(address, headers=bearer, json={"days": 2, "name": "ci"})
    assert [one.status_code for one in (bare, empty, named)] == [201, 201, 201]
    items = site.client.get(address, headers=bearer).json()["items"]
    assert [one["name"] for one in items] == ["ci", "", ""]
    assert [one["expires_at"] is None for one in items] == [False, True, True]
    assert items[0]["share_id"] == named.json()["share_id"]
    assert set(items[0]) == {"share_id", "name", "made_by", "made_at", "expires_at", "expired"}
    one = site.client.delete(address, headers=bearer, params={"share_id": items[0]["share_id"]})
    assert one.status_code == 200
    assert [one["name"] for one in site.client.get(address, headers=bearer).json()["items"]] == ["", ""]
    assert site.client.delete(address, headers=bearer, params={"share_id": "x"}).status_code == 404
    assert site.client.post(address, headers=bearer, json={"days": 0}).status_code == 422
    assert site.client.post(address, headers=bearer, json={"until": 1}).status_code == 422
    assert site.client.delete(address, headers=bearer).status_code == 200
    assert site.client.get(address, headers=bearer).json()["items"] == []


def test_who_may_not_change_the_job_does_not_list_its_links_over_the_api(site, job):
    site.container.manage_accounts().create("bob", password=PASSWORD)
    bearer = {"authorization": f"Bearer {site.container.create_personal_token()('bob').text}"}
    assert site.client.get(f"/api/runs/{job.run_id}/share", headers=bearer).status_code == 403


def test_the_page_of_a_job_offers_a_link_with_an_end(site, job):
    html = site.page(f"/runs/{job.run_id}")
    assert '<form method="post" action="/shares"' in html
    assert '<option value="30" selected>30 days</option>' in html
    site.container.manage_accounts().grant("ada", role="viewer")
    assert 'action="/shares"' not in site.page(f"/runs/{job.run_id}")
