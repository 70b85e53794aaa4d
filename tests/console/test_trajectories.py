import html as markup
import re
from typing import Any

from dependency_injector import providers
from tuneplane.contract import trajectory_id

from adapters.memory.object_store import MemoryObjectStore
from domain.errors import TryAgain
from domain.events import TrajectoryDeleted
from domain.ids import Micros
from domain.trajectory import store_trajectory
from tests.bodies import keep
from tests.console.alone import running
from tests.console.conftest import PASSWORD, Site
from tests.console.test_job_page import text_of
from tests.console.test_validation import outcome, send
from tests.factories import a_trajectory

__all__ = ["running"]


def said(content: str, role: str = "assistant", **more: Any) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def kept(job, trial: str = "t1", *messages: dict[str, Any], **changes: Any) -> str:
    """A trajectory that the job sent; its id."""
    trace = {
        "scope": "validation",
        "round_id": "r1",
        "trial_id": trial,
        "trial_attempt": 0,
        "messages": list(messages) or [said("hello", "user"), said("hi")],
        "complete": True,
        "capture_policy": "all",
        **changes,
    }
    answer = job.post("trajectory", trace={"total_messages": len(trace["messages"]), **trace})
    assert answer.status_code == 200, answer.text
    return trajectory_id(trace["scope"], trace["round_id"], trace["trial_id"], trace["trial_attempt"])


def listed(site: Site, job, query: str = "") -> list[str]:
    """Trials of the index, in order."""
    html = site.page(f"/runs/{job.run_id}/trajectories{query}")
    return re.findall(r'id="row-\w+"><bdi>([^<]*)</bdi>', html)


def opened(site: Site, job, name: str, query: str = "") -> str:
    return site.page(f"/runs/{job.run_id}/trajectories/{name}{query}")


class Away(MemoryObjectStore):
    """Its disk is gone."""

    def get(self, key):
        raise TryAgain


def test_an_entry_of_the_index_says_what_was_sent_and_what_is_unknown(site, job):
    kept(
        job,
        "task-1",
        scope="training",
        diagnostic="low_reward",
        reward=-0.5,
        step=0,
        total_messages=2000,
        complete=False,
        capture_policy="sampled",
        termination="max_turns",
        collection_policy="v7",
        roles_inferred=True,
    )
    row = text_of(re.search(r"<tbody>.*</tbody>", site.page(f"/runs/{job.run_id}/trajectories"), re.DOTALL)[0])
    assert "task-1 0 training r1 low reward -0.5 0 2 of 2,000 truncated, sampled, roles inferred" in row
    assert "max_turns collected v7 consumed unknown retained" in row


def test_what_the_producer_did_not_say_is_unknown_and_no_category_is_none(site, job):
    kept(job)
    row = text_of(re.search(r"<tbody>.*</tbody>", site.page(f"/runs/{job.run_id}/trajectories"), re.DOTALL)[0])
    assert "validation r1 none unknown unknown 2 of 2 complete, all unknown collected unknown" in row


def test_filters_are_in_the_address_and_narrow_the_whole_index(site, job):
    kept(job, "a", scope="training", diagnostic="failure", step=1)
    kept(job, "b", scope="training", diagnostic="low_reward", step=2, round_id="r2")
    kept(job, "c", step=0)
    assert listed(site, job) == ["c", "b", "a"]
    assert listed(site, job, "?scope=training") == ["b", "a"]
    assert listed(site, job, "?diagnostic=low_reward") == ["b"]
    assert listed(site, job, "?diagnostic=none") == ["c"]
    assert listed(site, job, "?step=0") == ["c"]
    assert listed(site, job, "?round_id=r2&trial_id=b") == ["b"]
    assert listed(site, job, "?state=retained&step=1") == ["a"]
    assert listed(site, job, "?state=deleted") == []
    for wrong in ("scope=x", "diagnostic=x", "state=missing", "step=-1", "step=x", f"step={2**63}"):
        assert site.get(f"/runs/{job.run_id}/trajectories?{wrong}").status_code == 422, wrong


def test_categories_are_counted_under_the_other_filters_and_keep_them(site, job):
    kept(job, "a", scope="training", diagnostic="failure")
    kept(job, "b", scope="training")
    kept(job, "c", diagnostic="failure")
    html = site.page(f"/runs/{job.run_id}/trajectories?scope=training")
    found = re.findall(r'<a href="([^"]*)"[^>]*>([\w ]+) <b>(\d+)</b></a>', html)
    assert [(label, count) for _, label, count in found] == [
        ("all", "2"),
        ("failure", "1"),
        ("anomaly", "0"),
        ("low reward", "0"),
        ("representative", "0"),
        ("none", "1"),
    ]
    assert found[1][0].endswith("?scope=training&amp;diagnostic=failure")


def test_more_than_fifty_come_in_pages_that_keep_the_filters(site, job):
    for number in range(52):
        kept(job, f"t{number:02}", scope="training")
    first = site.page(f"/runs/{job.run_id}/trajectories?scope=training")
    earlier = re.search(r'href="([^"]*)">Earlier', first)
    assert earlier is not None
    assert listed(site, job, "?scope=training")[-1] == "t02"
    rest = site.page(markup.unescape(earlier[1]))
    assert re.findall(r'id="row-\w+"><bdi>([^<]*)</bdi>', rest) == ["t01", "t00"]
    assert "No trajectory meets" in site.page(f"/runs/{job.run_id}/trajectories?scope=validation")


def test_a_job_without_trajectories_says_how_to_send_one(site, job):
    text = text_of(site.page(f"/runs/{job.run_id}/trajectories"))
    assert "Missing text does not mean that a trial failed" in text
    assert "Reporter.from_env().trajectory(" in text


def test_sampling_truncation_and_inferred_roles_are_said_apart(reader, job):
    name = kept(job, complete=False, total_messages=45, capture_policy="sampled", roles_inferred=True)
    notices = re.findall(r'<li class="(\w+)">([^<]*)</li>', opened(reader, job, name))
    assert [kind for kind, _ in notices] == ["capture", "truncated", "roles"]
    assert "2 of the 45 messages" in notices[1][1]
    whole = re.findall(r'<li class="(\w+)">([^<]*)</li>', opened(reader, job, kept(job, "t2")))
    assert [kind for kind, _ in whole] == ["capture", "complete"]
    assert "text of every execution" in whole[0][1]
    assert whole[1][1] == "Complete: the whole execution is here, 2 messages, says its producer."
    alone = opened(reader, job, kept(job, "t4", said("a"), capture_policy="sampled"))
    assert "is here, 1 message, says" in alone
    assert "text of other executions may not have been kept" in alone
    cut = kept(job, "t3", said("a…[truncated]"), complete=False)
    html = opened(reader, job, cut)
    assert "no message is left out of 1, but text was cut" in text_of(html)
    assert "cut by its producer" in text_of(html)


def test_policy_versions_are_said_or_unknown(reader, job):
    text = text_of(opened(reader, job, kept(job, collection_policy="v7", source_rows=9)))
    assert "policy that collected it v7 policy that consumed it unknown" in text
    assert "source rows 9" in text


def test_without_the_content_permission_the_record_is_shown_and_the_text_is_not(site, job):
    name = kept(job, "t1", said("secret"))
    text = text_of(opened(site, job, name))
    assert "needs the &#39;content&#39; permission" in text
    assert "messages 1 of 1" in text
    for query in ("", "?q=secret"):
        assert "secret" not in opened(site, job, name, query).replace("q=secret", "").replace('"secret"', "")
    part = site.page(f"/runs/{job.run_id}/trajectories/{name}/text")
    assert "secret" not in part


def test_one_goes_to_the_next_trajectory_within_the_same_filter(reader, job):
    names = [kept(job, f"t{n}", scope="training", step=n % 2) for n in range(5)]
    html = opened(reader, job, names[2], "?step=0")
    links = dict(re.findall(r'href="([^"]*)" data-key="(.)"', html))
    assert {key: address.partition("?")[0].rpartition("/")[2] for address, key in links.items()} == {
        "[": names[4],
        "]": names[0],
    }
    assert all(address.endswith("?step=0") for address in links)
    assert f'href="/runs/{job.run_id}/trajectories?step=0">All trajectories of this filter' in html
    ends = re.findall(r'data-key="(.)"', opened(reader, job, names[4], "?step=0"))
    assert ends == ["]"]


def test_the_other_attempts_of_a_trial_and_its_outcome_are_linked(reader, job):
    names = [kept(job, "t1", trial_attempt=n) for n in range(2)]
    send(job, outcome("r1", "t1", "infra_error"), outcome("r1", "t1", "success", trial_attempt=1))
    html = opened(reader, job, names[0])
    assert "outcome execution error attempt 1 is the trial's outcome" in text_of(html)
    assert f'href="/runs/{job.run_id}/validation?round_id=r1&amp;trial_id=t1#trials"' in html
    assert f'href="/runs/{job.run_id}/trajectories/{names[1]}">attempt 1' in html
    beside = f"/review/trajectories?left={job.run_id}:{names[0]}&right={job.run_id}:{names[1]}"
    assert beside in markup.unescape(html)
    assert "is the trial's outcome" not in text_of(opened(reader, job, names[1]))


def test_a_trial_without_an_outcome_and_a_rollout_say_so(reader, job):
    assert "outcome none reported of this trial attempt" in text_of(opened(reader, job, kept(job)))
    assert "outcome a rollout has none" in text_of(opened(reader, job, kept(job, scope="training")))


def csrf_of(html: str) -> str:
    found = re.search(r'name="csrf" value="([^"]*)"', html)
    assert found is not None
    return found[1]


def post(site: Site, address: str, **form: str):
    return site.client.post(address, data=form, follow_redirects=False)


def test_a_text_is_deleted_by_its_owner_after_a_question_that_says_what_stays(reader, job):
    name = kept(job, "t1", said("secret"))
    send(job, outcome("r1", "t1", "failure"))
    page = f"/runs/{job.run_id}/trajectories/{name}"
    assert f'href="{page}/delete"' in reader.page(page)
    question = reader.page(f"{page}/delete")
    assert "all result counts and rates" in text_of(question)
    answer = post(reader, f"{page}/delete", csrf=csrf_of(question))
    assert (answer.status_code, answer.headers["location"]) == (303, page)
    after = reader.page(page)
    assert "The text was deleted" in text_of(after)
    assert "secret" not in after
    assert "outcome failure" in text_of(after)
    assert "Delete the text" not in text_of(after)
    assert [event.deleted_by for event in reader.events() if isinstance(event, TrajectoryDeleted)] == ["ada"]
    assert listed(reader, job, "?state=deleted") == ["t1"]


def test_only_owner_and_administrator_delete_and_only_with_the_forms_token(reader, job):
    name = kept(job)
    address = f"/runs/{job.run_id}/trajectories/{name}/delete"
    assert post(reader, address).status_code == 403
    assert post(reader, address, csrf="wrong").status_code == 403
    reader.container.manage_accounts().create("bob", role="member", password=PASSWORD)
    assert reader.sign_in("bob").status_code == 303
    html = reader.page(f"/runs/{job.run_id}/trajectories/{name}")
    assert "Delete the text" not in html
    assert reader.get(address).status_code == 403
    assert post(reader, address, csrf=csrf_of(html)).status_code == 403
    assert not any(isinstance(event, TrajectoryDeleted) for event in reader.events())


def test_the_past_shows_states_of_its_time_and_never_a_text_that_is_gone(reader, job):
    name = kept(job, "t1", said("secret"))
    then = reader.events().__len__()
    later = kept(job, "t2")
    assert "secret" in opened(reader, job, name, f"?as_of={then}")
    assert listed(reader, job, f"?as_of={then}") == ["t1"]
    assert reader.get(f"/runs/{job.run_id}/trajectories/{later}?as_of={then}").status_code == 404
    reader.container.delete_trajectory()(job.run_id, job.attempt, name, deleted_by="ada")
    body = reader.container.bodies()
    for key in [one.key for one in body.keys("")]:
        keep(body, key, b'{"messages": [{"role": "user", "content": "secret"}]}')
    assert listed(reader, job, f"?as_of={then}&state=retained") == ["t1"]
    html = opened(reader, job, name, f"?as_of={then}")
    assert "By the moment that is shown the text was kept. The text was deleted." in text_of(html)
    assert "secret" not in html
    assert "Delete the text" not in html


def test_expired_deleted_and_missing_are_told_apart(reader, job):
    name = kept(job)
    store = reader.container.bodies()
    (key,) = [one.key for one in store.keys("")]
    store.delete(key)
    html = text_of(opened(reader, job, name))
    assert "The text is missing: nobody deleted it and it has not expired" in html
    assert "does not mean that a trial failed" in html
    assert "text missing" in html


def test_an_expired_text_is_not_shown_swept_or_not(reader, job):
    body = b'{"messages": [{"role": "user", "content": "secret"}]}'
    keep(reader.container.bodies(), "trajectories/late", body)
    event = a_trajectory(
        run=job.run_id, attempt=job.attempt, object_key="trajectories/late", trial_id="late", expires_at=Micros(1)
    )
    reader.container.commit().append_now([store_trajectory(event)])
    html = opened(reader, job, event.trajectory_id)
    assert "The text has expired" in text_of(html)
    assert "secret" not in html
    assert listed(reader, job, "?state=expired") == ["late"]


def test_while_the_store_is_away_the_record_is_shown_and_only_the_text_is_503(reader, job):
    name = kept(job)
    reader.container.bodies.override(providers.Object(Away()))
    html = opened(reader, job, name)
    assert "cannot be read now" in text_of(html)
    assert "messages 2 of 2" in text_of(html)
    again = re.search(r'hx-get="([^"]*/text[^"]*)"', html)
    assert again is not None
    answer = reader.get(markup.unescape(again[1]))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    reader.container.bodies.reset_last_overriding()
    part = reader.page(markup.unescape(again[1]))
    assert "<html" not in part
    assert "hello" in part


def test_texts_of_an_execution_attempt_are_shown_for_that_attempt(reader, job):
    name = kept(job, "t1", said("first"))
    again = reader.open_attempt(job.run_id)
    kept(again, "t1", said("second"))
    assert "second" in opened(reader, job, name)
    first = opened(reader, job, name, "?attempt=0")
    assert "first" in first
    assert f"/trajectories/{name}?attempt=0&amp;page=1#message-1" in first


def test_a_job_with_texts_and_no_round_says_where_the_texts_are(site, job):
    address = f"/runs/{job.run_id}/validation"
    assert "Texts that it sent" not in site.page(address)
    kept(job)
    link = f'<a href="/runs/{job.run_id}/trajectories">Trajectories</a>'
    assert f"Texts that it sent are under {link}." in site.page(address)


def test_counts_of_diagnostics_are_named_so_that_none_reads_as_no_failure(site, job):
    kept(job)
    choices = re.search(
        r'<nav class="choices" aria-label="Diagnostic">(.*?)</nav>',
        site.page(f"/runs/{job.run_id}/trajectories"),
        re.DOTALL,
    )
    assert choices is not None
    assert text_of(choices[1]).strip().startswith("diagnostic of the texts all 1 failure 0")
