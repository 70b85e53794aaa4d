"""Every adapter of accounts keeps the same promises."""

import threading
from typing import Any

import pytest

from adapters.memory.accounts import MemoryAccounts
from adapters.postgres.accounts import PostgresAccounts
from application.ports.accounts import Account, Accounts, Secret
from domain.errors import IdentityTaken, Refused
from domain.ids import Micros
from tests.factories import NOON


@pytest.fixture(params=["memory", "postgres"])
def accounts(request: pytest.FixtureRequest) -> Accounts:
    if request.param == "memory":
        return MemoryAccounts()
    return PostgresAccounts(request.getfixturevalue("database"))


def an_account(name="ada", **changes: Any) -> Account:
    return Account(**{"name": name, "role": "member", "password_hash": "argon2", **changes})


def a_secret(secret_id="s1", **changes: Any) -> Secret:
    given = {"secret_hash": bytes(range(32)), "subject": "ada", "kind": "session", "created_at": NOON}
    return Secret(**{"id": secret_id, **given, **changes})


NOWHERE = ["absent", "", "a\0", "\udfff", "ada' OR true --"]


class TestAccounts:
    def test_an_account_is_found_as_it_was_added(self, accounts):
        ada = an_account(permissions=frozenset({"content", "audit"}), disabled=True, signed_in_at=NOON)
        accounts.add(ada)
        accounts.add(an_account("bob", role="viewer", password_hash=""))
        assert accounts.find("ada") == ada
        assert accounts.find("bob") == an_account("bob", role="viewer", password_hash="")

    def test_a_name_is_given_once(self, accounts):
        accounts.add(an_account())
        with pytest.raises(IdentityTaken):
            accounts.add(an_account(role="admin"))
        assert accounts.find("ada") == an_account()

    def test_a_change_replaces_everything_and_nobody_else(self, accounts):
        accounts.add(an_account(permissions=frozenset({"content"}), disabled=True, signed_in_at=NOON))
        accounts.add(an_account("bob"))
        changed = an_account(role="admin", password_hash="other")
        assert accounts.change("ada", lambda *_: changed) == changed
        assert accounts.everyone() == [changed, an_account("bob")]

    def test_a_change_is_decided_by_what_is_there(self, accounts):
        ada, bob = an_account(role="admin"), an_account("bob")
        accounts.add(bob)
        accounts.add(ada)
        seen = []

        def as_it_is(account, everyone):
            seen.append((account, everyone))
            return account

        accounts.change("ada", as_it_is)
        assert seen == [(ada, [ada, bob])]

    def test_what_a_change_raises_changes_nothing(self, accounts):
        accounts.add(an_account())

        def no(*_: object) -> Account:
            raise Refused("no")

        with pytest.raises(Refused):
            accounts.change("ada", no)
        assert accounts.find("ada") == an_account()
        accounts.change("ada", lambda *_: an_account(role="viewer"))
        assert accounts.find("ada") == an_account(role="viewer")

    def test_changes_that_come_at_once_are_decided_one_after_another(self, accounts):
        """So that of two who would each be the last but one, one is refused."""
        accounts.add(an_account("a", role="admin"))
        accounts.add(an_account("b", role="admin"))
        barrier = threading.Barrier(2)

        def step_down(account: Account, everyone: list[Account]) -> Account:
            admins = [one for one in everyone if one.role == "admin"]
            return an_account(account.name, role="member") if len(admins) > 1 else account

        def go(name: str) -> None:
            barrier.wait()
            accounts.change(name, step_down)

        threads = [threading.Thread(target=go, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(one.role for one in accounts.everyone()) == ["admin", "member"]

    @pytest.mark.parametrize("name", NOWHERE)
    def test_a_name_nobody_has_is_not_found(self, accounts, name):
        accounts.add(an_account())
        assert accounts.find(name) is None
        assert accounts.change(name, lambda account, _: account) is None

    def test_everyone_is_sorted_by_name_as_python_sorts(self, accounts):
        names = ["b", "Zoë", "a", "É", "_", "a b"]
        for name in names:
            accounts.add(an_account(name))
        assert [one.name for one in accounts.everyone()] == sorted(names)

    def test_nobody_is_there_at_first(self, accounts):
        assert accounts.everyone() == []


class TestSecrets:
    @pytest.mark.parametrize(
        "secret",
        [
            a_secret(csrf="c", expires_at=Micros(NOON + 1)),
            a_secret(kind="personal", name="laptop"),
            a_secret(kind="share", subject="run-1", made_by="ada"),
        ],
    )
    def test_a_secret_is_found_as_it_was_added(self, accounts, secret):
        accounts.add_secret(secret)
        assert accounts.find_secret("s1") == secret

    @pytest.mark.parametrize("secret_id", NOWHERE)
    def test_a_secret_that_never_was_is_not_found(self, accounts, secret_id):
        accounts.add_secret(a_secret())
        assert accounts.find_secret(secret_id) is None

    def test_an_id_is_given_once(self, accounts):
        accounts.add_secret(a_secret())
        with pytest.raises(IdentityTaken):
            accounts.add_secret(a_secret(subject="bob"))
        assert accounts.find_secret("s1") == a_secret()

    def test_secrets_of_one_subject_and_kind_come_newest_first(self, accounts):
        for number, secret_id in enumerate(("old", "new", "newest")):
            accounts.add_secret(a_secret(secret_id, created_at=Micros(NOON + number)))
        accounts.add_secret(a_secret("personal", kind="personal"))
        accounts.add_secret(a_secret("of-bob", subject="bob"))
        assert [one.id for one in accounts.secrets_of("ada", "session")] == ["newest", "new", "old"]
        assert [one.id for one in accounts.secrets_of("ada", "personal")] == ["personal"]
        assert accounts.secrets_of("carol", "session") == accounts.secrets_of("nul\0", "session") == []

    def test_secrets_of_one_kind_come_newest_first_whose_ever_they_are(self, accounts):
        accounts.add_secret(a_secret("old", kind="share", subject="run-1"))
        accounts.add_secret(a_secret("new", kind="share", subject="run-2", created_at=Micros(NOON + 1)))
        accounts.add_secret(a_secret("session"))
        assert [one.id for one in accounts.secrets("share")] == ["new", "old"]

    @pytest.mark.parametrize("subject", NOWHERE)
    def test_all_of_one_kind_are_taken_back_at_once(self, accounts, subject):
        for secret_id, changes in {"s": {}, "p": {"kind": "personal"}, "b": {"subject": "bob"}}.items():
            accounts.add_secret(a_secret(secret_id, **changes))
        accounts.drop_secrets(subject, "session")
        assert accounts.find_secret("s") is not None
        accounts.drop_secrets("ada", "session")
        assert [bool(accounts.find_secret(one)) for one in "spb"] == [False, True, True]

    def test_a_secret_taken_back_is_gone(self, accounts):
        accounts.add_secret(a_secret("s1"))
        accounts.add_secret(a_secret("s2"))
        accounts.drop_secret("s1")
        assert accounts.find_secret("s1") is None
        assert [one.id for one in accounts.secrets_of("ada", "session")] == ["s2"]

    @pytest.mark.parametrize("secret_id", NOWHERE)
    def test_taking_back_what_is_not_there_does_nothing(self, accounts, secret_id):
        accounts.add_secret(a_secret())
        accounts.drop_secret(secret_id)
        assert accounts.find_secret("s1") == a_secret()


class TestSettings:
    def test_the_first_value_is_kept(self, accounts):
        assert accounts.setting("key", b"first\0") == b"first\0"
        assert accounts.setting("key", b"second") == b"first\0"
        assert accounts.setting("other", b"") == b""

    def test_everybody_who_asks_at_once_gets_one_value(self, accounts):
        answers = []
        threads = [
            threading.Thread(target=lambda value=value: answers.append(accounts.setting("key", value)))
            for value in (b"1", b"2", b"3", b"4", b"5")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == 5
        assert len(set(answers)) == 1
