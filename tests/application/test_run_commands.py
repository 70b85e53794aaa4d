"""Commands on runs: made once, opened in attempts, tokens taken back, shared and withdrawn."""

import threading
from collections.abc import Callable

import pytest

from adapters.memory.accounts import MemoryAccounts
from adapters.memory.event_log import MemoryEventLog
from adapters.memory.ingest_tokens import MemoryIngestTokens
from application.commands.create_run import CreateRun
from application.commands.open_execution import OpenExecution
from application.commands.revoke_tokens import RevokeTokens
from application.commands.share_run import LINKS_A_RUN, ShareRun
from application.credentials import presented
from application.event_log.group_commit import GroupCommit
from application.ports.accounts import Secret
from domain.errors import IdentityTaken, Refused, UnknownRun, UnknownThing
from domain.events import (
    ExecutionOpened,
    IngestTokenIssued,
    IngestTokensRevoked,
    RunCreated,
    RunShared,
    ShareWithdrawn,
    decode,
)
from domain.ids import DAY_MICROS, Micros, Position, RunId

NOW = Micros(1_767_225_600_000_000)
NOBODY = RunId("no-such-run")


class Installation:
    def __init__(self):
        self.log, self.tokens, self.accounts = MemoryEventLog(), MemoryIngestTokens(), MemoryAccounts()
        self.commit = GroupCommit(self.log)
        self.create = CreateRun(self.commit)
        self.open = OpenExecution(
            self.commit, self.log, self.tokens, endpoint="http://h/api/ingest", token_days=30, clock=lambda: NOW
        )
        self.revoke = RevokeTokens(self.commit, self.log, self.tokens)
        self.share = ShareRun(self.commit, self.log, self.accounts)

    def events(self, kind):
        recorded = self.log.read(Position(0), limit=1000)
        return [event for one in recorded if isinstance(event := decode(one.tag, one.payload or b""), kind)]


@pytest.fixture
def here():
    made = Installation()
    made.commit.start()
    yield made
    made.commit.stop()


@pytest.fixture
def run(here):
    return here.create(name="a run", owner="ada").run_id


def test_a_run_is_on_record_with_all_it_was_given(here):
    made = here.create(
        name="grpo", owner="ada", run_id="R.1_-", tags=["a", "b", "a"], recipe="r", framework="f", notes="line\n\ttwo"
    )
    (event,) = here.events(RunCreated)
    assert made.run_id == "R.1_-"
    assert made.position == here.log.head().position
    assert event == RunCreated(
        run=RunId("R.1_-"), name="grpo", owner="ada", tags=("a", "b"), recipe="r", framework="f", notes="line\n\ttwo"
    )


def test_the_server_makes_different_ids(here):
    assert len({here.create(name="x", owner="ada").run_id for _ in range(20)}) == 20


def test_a_taken_id_is_refused_whoever_asks(here):
    here.create(name="x", owner="ada", run_id="r")
    for owner in ("ada", "bob"):
        with pytest.raises(IdentityTaken, match="run r "):
            here.create(name="x", owner=owner, run_id="r")
    assert len(here.events(RunCreated)) == 1


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"run_id": ""}, "run_id"),
        ({"run_id": "a/b"}, "run_id"),
        ({"run_id": "a b"}, "run_id"),
        ({"run_id": "a\n"}, "run_id"),
        ({"run_id": "é"}, "run_id"),
        ({"run_id": "x" * 129}, "run_id"),
        ({"run_id": "."}, "run_id"),
        ({"run_id": ".."}, "run_id"),
        ({"name": ""}, "name"),
        ({"name": "n" * 257}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"tags": ["t"] * 33}, "tags"),
        ({"tags": ["ok", ""]}, "tags[1]"),
        ({"tags": ["t" * 65]}, "tags[0]"),
        ({"recipe": "r" * 257}, "recipe"),
        ({"framework": "a\0"}, "framework"),
        ({"notes": "n" * 16_385}, "notes"),
        ({"notes": "a\x1b[31m"}, "notes"),
    ],
)
def test_what_breaks_a_rule_is_refused_by_name_and_leaves_nothing(here, changes, path):
    with pytest.raises(Refused) as refused:
        here.create(**{"name": "x", "owner": "ada", **changes})
    assert refused.value.faults[0].path == path
    assert here.events(RunCreated) == []


def test_attempts_count_from_0_each_with_a_token_of_its_own(here, run):
    opened = [here.open(run, opened_by="ada") for _ in range(3)]
    assert [one.attempt for one in opened] == [0, 1, 2]
    assert len({one.token for one in opened}) == 3
    assert [event.attempt for event in here.events(ExecutionOpened)] == [0, 1, 2]


def test_an_attempt_gets_the_environment_a_launcher_injects(here, run):
    opened = here.open(run, opened_by="ada", token_days=7)
    assert opened.env == {
        "TUNEPLANE_JOB_ENABLED": "1",
        "TUNEPLANE_JOB_ENDPOINT": "http://h/api/ingest",
        "TUNEPLANE_JOB_RUN_ID": run,
        "TUNEPLANE_JOB_TOKEN": opened.token,
        "TUNEPLANE_JOB_ATTEMPT": "0",
    }
    assert opened.expires_at == NOW + 7 * DAY_MICROS


def test_a_token_is_kept_as_a_hash_alone(here, run):
    opened = here.open(run, opened_by="ada")
    secret = opened.token.split("_", 3)[3]
    kept = here.tokens.find(presented(opened.token, "ing").id)
    assert presented(opened.token, "ing").proves(kept.secret_hash)
    assert (kept.run, kept.attempt, kept.scope, kept.revoked) == (run, 0, "ingest", False)
    assert kept.expires_at == NOW + 30 * DAY_MICROS
    assert secret.encode() not in b"".join(one.payload for one in here.log.read(Position(0)))
    assert secret not in f"{opened!r} {kept!r}"


def test_attempts_opened_at_once_are_all_different(here, run):
    opened = []
    threads = [threading.Thread(target=lambda: opened.append(here.open(run, opened_by="ada"))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.attempt for one in opened) == list(range(6))


def test_an_open_attempt_is_taken_up_again_with_a_token_beside_the_first(here, run):
    first = here.open(run, opened_by="ada")
    here.open(run, opened_by="ada")
    again = here.open.again(run, first.attempt, opened_by="bob", token_days=7)
    assert (again.run_id, again.attempt, again.expires_at) == (run, 0, NOW + 7 * DAY_MICROS)
    assert (again.env["TUNEPLANE_JOB_ATTEMPT"], again.env["TUNEPLANE_JOB_TOKEN"]) == ("0", again.token)
    kept = [here.tokens.find(presented(one.token, "ing").id) for one in (first, again)]
    assert [(one.run, one.attempt, one.revoked) for one in kept] == [(run, 0, False)] * 2
    (event,) = here.events(IngestTokenIssued)
    assert (event.attempt, event.issued_by, event.token_id) == (0, "bob", kept[1].token_id)
    assert [one.attempt for one in here.events(ExecutionOpened)] == [0, 1]


@pytest.mark.parametrize("attempt", [-1, 1])
def test_an_attempt_that_was_never_opened_cannot_be_taken_up(here, run, attempt):
    here.open(run, opened_by="ada")
    with pytest.raises(UnknownThing):
        here.open.again(run, attempt, opened_by="ada")
    assert here.events(IngestTokenIssued) == []


@pytest.mark.parametrize("days", [0, -1, 3_651])
def test_an_impossible_life_of_a_token_is_refused(here, run, days):
    with pytest.raises(Refused):
        here.open(run, opened_by="ada", token_days=days)
    with pytest.raises(Refused):
        here.open.again(run, 0, opened_by="ada", token_days=days)
    assert here.events(ExecutionOpened) == []


def test_an_unknown_run_is_said_to_be_unknown(here):
    for command in (
        lambda: here.open(NOBODY, opened_by="ada"),
        lambda: here.open.again(NOBODY, 0, opened_by="ada"),
        lambda: here.revoke(NOBODY, revoked_by="ada"),
        lambda: here.share.share(NOBODY, shared_by="ada"),
        lambda: here.share.withdraw(NOBODY, withdrawn_by="ada"),
        lambda: here.share.withdraw_one(NOBODY, "s", withdrawn_by="ada"),
    ):
        with pytest.raises(UnknownRun, match="no-such-run"):
            command()
    assert here.log.head().position == 0


def test_revoking_takes_back_every_token_of_the_run_and_of_no_other(here, run):
    other = here.create(name="other", owner="ada").run_id
    opened = [here.open(run, opened_by="ada"), here.open(run, opened_by="ada"), here.open(other, opened_by="ada")]
    here.revoke(run, revoked_by="bob")
    found = [here.tokens.find(presented(one.token, "ing").id).revoked for one in opened]
    assert found == [True, True, False]
    (event,) = here.events(IngestTokensRevoked)
    assert (set(event.token_ids), event.revoked_by) == ({presented(one.token, "ing").id for one in opened[:2]}, "bob")


def test_a_share_is_opened_by_its_link_until_it_is_withdrawn(here, run):
    links = [here.share.share(run, shared_by="ada") for _ in range(2)]
    for link in links:
        shown = presented(link.token, "shr")
        kept = here.accounts.find_secret(shown.id)
        assert (kept.kind, kept.subject, shown.proves(kept.secret_hash)) == ("share", run, True)
        assert link.token not in repr(link)
    position = here.share.withdraw(run, withdrawn_by="bob")
    assert position == here.log.head().position
    assert here.accounts.secrets_of(run, "share") == []
    assert {event.share_id for event in here.events(RunShared)} == {
        event.share_id for event in here.events(ShareWithdrawn)
    }


class AccountsInARace(MemoryAccounts):
    """Somebody else does something, once, before a link is kept or after links were looked up."""

    def __init__(self):
        super().__init__()
        self.before_a_link_is_kept: Callable[[], object] = lambda: None
        self.after_a_look: Callable[[], object] = lambda: None

    def add_secret(self, secret):
        meanwhile, self.before_a_link_is_kept = self.before_a_link_is_kept, lambda: None
        meanwhile()
        super().add_secret(secret)

    def secrets_of(self, subject, kind):
        found = super().secrets_of(subject, kind)
        meanwhile, self.after_a_look = self.after_a_look, lambda: None
        meanwhile()
        return found


def test_a_share_that_is_withdrawn_while_it_is_made_opens_nothing(here, run):
    accounts = AccountsInARace()
    shares = ShareRun(here.commit, here.log, accounts)
    shares.share(run, shared_by="ada")
    accounts.before_a_link_is_kept = lambda: shares.withdraw(run, withdrawn_by="bob")
    shares.share(run, shared_by="ada")
    assert accounts.secrets_of(run, "share") == []


def test_withdrawing_ends_what_is_shared_meanwhile(here, run):
    accounts = AccountsInARace()
    shares = ShareRun(here.commit, here.log, accounts)
    shares.share(run, shared_by="ada")
    accounts.after_a_look = lambda: shares.share(run, shared_by="ada")
    position = shares.withdraw(run, withdrawn_by="bob")
    assert accounts.secrets_of(run, "share") == []
    assert position == here.log.head().position
    assert len(here.events(ShareWithdrawn)) == 2


def test_another_link_withdrawn_while_one_is_made_leaves_it_open(here, run):
    accounts = AccountsInARace()
    shares = ShareRun(here.commit, here.log, accounts)
    first = shares.share(run, shared_by="ada")
    accounts.before_a_link_is_kept = lambda: shares.withdraw_one(run, first.share_id, withdrawn_by="bob")
    second = shares.share(run, shared_by="ada")
    assert [one.id for one in accounts.secrets_of(run, "share")] == [second.share_id]


def test_one_link_is_withdrawn_and_the_others_stay(here, run):
    gone, stays = (here.share.share(run, shared_by="ada") for _ in range(2))
    position = here.share.withdraw_one(run, gone.share_id, withdrawn_by="bob")
    assert position == here.log.head().position
    assert [one.id for one in here.accounts.secrets_of(run, "share")] == [stays.share_id]
    assert [event.share_id for event in here.events(ShareWithdrawn)] == [gone.share_id]


def test_a_link_of_another_run_is_not_withdrawn(here, run):
    other = here.create(name="other", owner="ada").run_id
    link = here.share.share(other, shared_by="ada")
    here.accounts.add_secret(Secret(id="p", secret_hash=b"h", subject=run, kind="personal", created_at=Micros(0)))
    for share_id in (link.share_id, "p", "absent"):
        with pytest.raises(UnknownThing, match="no such link"):
            here.share.withdraw_one(run, share_id, withdrawn_by="ada")
    assert len(here.accounts.secrets_of(other, "share")) == 1
    assert here.events(ShareWithdrawn) == []


def test_a_link_has_a_name_an_end_and_who_made_it(here, run):
    lasting = here.share.share(run, shared_by="ada")
    ending = here.share.share(run, shared_by="bob", name="paper", days=2)
    kept = {one.id: one for one in here.accounts.secrets_of(run, "share")}
    one = kept[ending.share_id]
    assert (one.name, one.made_by, one.expires_at) == ("paper", "bob", one.created_at + 2 * DAY_MICROS)
    assert (kept[lasting.share_id].name, kept[lasting.share_id].expires_at) == ("", None)
    told = here.events(RunShared)[1]
    assert (told.name, told.shared_by, told.expires_at) == ("paper", "bob", one.expires_at)


@pytest.mark.parametrize("changes", [{"name": "n" * 129}, {"name": "a\n"}, {"days": 0}, {"days": 3_651}])
def test_a_link_that_cannot_be_is_refused(here, run, changes):
    with pytest.raises(Refused):
        here.share.share(run, shared_by="ada", **changes)
    assert here.events(RunShared) == []


def test_a_run_has_a_bounded_number_of_links_and_expired_ones_make_room(here, run):
    day = [0]
    shares = ShareRun(here.commit, here.log, here.accounts, clock=lambda: Micros(day[0] * DAY_MICROS))
    for number in range(LINKS_A_RUN):
        shares.share(run, shared_by="ada", days=1 if number else None)
    with pytest.raises(Refused, match="take some back"):
        shares.share(run, shared_by="ada")
    day[0] = 1
    shares.share(run, shared_by="ada")
    assert len(here.accounts.secrets_of(run, "share")) == 2
    shares.withdraw(run, withdrawn_by="ada")
    assert len(here.events(ShareWithdrawn)) == 2


def test_a_share_made_behind_a_withdrawal_stays_open(here, run):
    here.share.share(run, shared_by="ada")
    here.share.withdraw(run, withdrawn_by="bob")
    link = here.share.share(run, shared_by="ada")
    assert [one.id for one in here.accounts.secrets_of(run, "share")] == [presented(link.token, "shr").id]


def test_withdrawing_what_was_not_shared_changes_nothing(here, run):
    head = here.log.head()
    assert here.share.withdraw(run, withdrawn_by="ada") == 0
    assert here.log.head() == head
