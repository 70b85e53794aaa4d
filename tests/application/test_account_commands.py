"""Accounts, passwords, rights and personal tokens."""

import pytest

from adapters.argon2.password_hasher import Argon2Passwords
from adapters.memory.accounts import MemoryAccounts
from application.commands.create_personal_token import CreatePersonalToken
from application.commands.manage_accounts import ManageAccounts
from application.commands.sign_in import SignIn
from application.credentials import presented
from application.ports.accounts import Secret
from domain.errors import IdentityTaken, Refused, UnknownThing
from domain.ids import DAY_MICROS, Micros

NOW = Micros(1_767_225_600_000_000)
PASSWORDS = Argon2Passwords()
GOOD = "correct horse battery"


@pytest.fixture
def accounts():
    return MemoryAccounts()


@pytest.fixture
def manage(accounts):
    return ManageAccounts(accounts, PASSWORDS)


def test_the_first_account_is_made_once_with_a_random_password(manage, accounts):
    password = manage.make_first()
    assert manage.make_first() is None
    admin = accounts.find("admin")
    assert (admin.role, PASSWORDS.matches(password, admin.password_hash)) == ("admin", True)
    assert password not in admin.password_hash
    assert password != ManageAccounts(MemoryAccounts(), PASSWORDS).make_first()


def test_a_password_is_proven_by_its_hash_alone(manage, accounts):
    assert manage.create("ada", password=GOOD) == GOOD
    kept = accounts.find("ada").password_hash
    assert kept.startswith("$argon2id$")
    assert PASSWORDS.matches(GOOD, kept)
    for wrong in ("", GOOD + "x", GOOD[:-1], GOOD.upper(), "x" * 5_000, "\ud800"):
        assert not PASSWORDS.matches(wrong, kept)
    assert not PASSWORDS.matches(GOOD, None)
    assert not PASSWORDS.matches(GOOD, "")
    assert PASSWORDS.hash(GOOD) != PASSWORDS.hash(GOOD)


@pytest.mark.parametrize("name", ["", "a b", "a\n", "é", "x" * 65, "../a"])
def test_a_name_that_cannot_be_used_is_refused(manage, accounts, name):
    with pytest.raises(Refused):
        manage.create(name)
    assert accounts.everyone() == []


@pytest.mark.parametrize("password", ["", "x" * 11, "x" * 257])
def test_a_password_that_is_too_short_or_long_is_refused(manage, password):
    with pytest.raises(Refused):
        manage.create("ada", password=password)


def test_an_account_is_made_once(manage):
    manage.create("ada", password=GOOD)
    with pytest.raises(IdentityTaken):
        manage.create("ada")


def test_a_new_password_ends_sessions_and_keeps_personal_tokens(manage, accounts):
    manage.create("ada", password=GOOD)
    for kind in ("session", "personal"):
        accounts.add_secret(Secret(id=kind, secret_hash=b"h", subject="ada", kind=kind, created_at=NOW))
    changed = manage.change_password("ada")
    assert PASSWORDS.matches(changed, accounts.find("ada").password_hash)
    assert not PASSWORDS.matches(GOOD, accounts.find("ada").password_hash)
    assert (accounts.find_secret("session"), accounts.find_secret("personal") is not None) == (None, True)


def test_rights_are_granted_and_taken_back(manage, accounts):
    manage.create("ada", role="viewer", password=GOOD)
    assert manage.grant("ada", permissions=["content"]).may("content")
    assert manage.grant("ada", role="member").may("content")
    assert not manage.grant("ada", permissions=[]).may("content")
    assert manage.grant("ada", role="admin").may("audit")
    assert accounts.find("ada").role == "admin"
    assert PASSWORDS.matches(GOOD, accounts.find("ada").password_hash)


def test_the_last_administrator_stays_one(manage, accounts):
    manage.create("ada", role="admin", password=GOOD)
    manage.create("bob", role="admin", password=GOOD)
    manage.disable("bob")
    for lowering in (lambda: manage.grant("ada", role="member"), lambda: manage.disable("ada")):
        with pytest.raises(Refused, match="last administrator"):
            lowering()
    assert accounts.find("ada").role == "admin"
    assert manage.grant("ada", permissions=["audit"]).role == "admin"
    manage.enable("bob")
    assert manage.grant("ada", role="member").role == "member"
    with pytest.raises(Refused):
        manage.disable("bob")


def test_where_nobody_administers_nobody_is_held_up(manage):
    manage.create("ada", password=GOOD)
    assert manage.grant("ada", role="viewer").role == "viewer"
    assert manage.grant("ada", role="admin").role == "admin"


def test_who_is_disabled_keeps_nothing_that_opens_and_comes_back_as_before(manage, accounts):
    manage.create("ada", role="viewer", password=GOOD)
    for kind in ("session", "personal"):
        accounts.add_secret(Secret(id=kind, secret_hash=b"h", subject="ada", kind=kind, created_at=NOW))
    manage.disable("ada")
    assert accounts.find("ada").disabled
    assert (accounts.find_secret("session"), accounts.find_secret("personal")) == (None, None)
    manage.create("bob", password=GOOD)
    bobs = SignIn(accounts, PASSWORDS)("bob", GOOD)
    assert SignIn(accounts, PASSWORDS)("ada", GOOD, earlier=bobs.text) is None
    assert accounts.find_secret(bobs.id) is not None
    manage.enable("ada")
    assert (accounts.find("ada").disabled, accounts.find("ada").role) == (False, "viewer")
    assert SignIn(accounts, PASSWORDS)("ada", GOOD) is not None


def test_ones_own_password_changes_for_who_knows_the_old_one(manage, accounts):
    manage.create("ada", password=GOOD)
    accounts.add_secret(Secret(id="s", secret_hash=b"h", subject="ada", kind="session", created_at=NOW))
    assert not manage.change_own_password("ada", old=GOOD + "x", new="another password")
    assert accounts.find_secret("s") is not None
    with pytest.raises(Refused):
        manage.change_own_password("ada", old=GOOD, new="short")
    assert PASSWORDS.matches(GOOD, accounts.find("ada").password_hash)
    assert manage.change_own_password("ada", old=GOOD, new="another password")
    assert PASSWORDS.matches("another password", accounts.find("ada").password_hash)
    assert accounts.find_secret("s") is None
    assert not manage.change_own_password("nobody", old=GOOD, new="another password")


def test_signing_in_is_noted(manage, accounts):
    manage.create("ada", password=GOOD)
    assert accounts.find("ada").signed_in_at is None
    sign_in = SignIn(accounts, PASSWORDS, clock=lambda: NOW)
    assert sign_in("ada", "wrong") is None
    assert accounts.find("ada").signed_in_at is None
    sign_in("ada", GOOD)
    assert accounts.find("ada").signed_in_at == NOW


@pytest.mark.parametrize("meanwhile", ["change_password", "disable"])
def test_who_signs_in_while_the_account_changes_gets_no_session(manage, accounts, meanwhile):
    manage.create("ada", password=GOOD)

    class Slow(Argon2Passwords):
        def matches(self, password: str, kept_hash: str | None) -> bool:
            good = super().matches(password, kept_hash)
            getattr(manage, meanwhile)("ada")
            return good

    assert SignIn(accounts, Slow())("ada", GOOD) is None
    assert accounts.secrets_of("ada", "session") == []
    assert accounts.find("ada").signed_in_at is None


def test_whom_nobody_knows_is_said_to_be_unknown(manage, accounts):
    for command in (
        lambda: manage.change_password("nobody"),
        lambda: manage.grant("nobody", role="admin"),
        lambda: manage.disable("nobody"),
        lambda: manage.enable("nobody"),
        lambda: manage.end_everything("nobody"),
        lambda: CreatePersonalToken(accounts)("nobody"),
    ):
        with pytest.raises(UnknownThing, match="nobody"):
            command()


def test_a_personal_token_is_kept_as_a_hash_with_its_end(manage, accounts):
    manage.create("ada", password=GOOD)
    create = CreatePersonalToken(accounts, clock=lambda: NOW)
    lasting, ending = create("ada", name="ci"), create("ada", days=2)
    for minted, expires in ((lasting, None), (ending, NOW + 2 * DAY_MICROS)):
        shown = presented(minted.text, "pat")
        kept = accounts.find_secret(shown.id)
        assert (kept.subject, kept.kind, kept.created_at, kept.expires_at) == ("ada", "personal", NOW, expires)
        assert shown.proves(kept.secret_hash)
    assert accounts.find_secret(lasting.id).name == "ci"


@pytest.mark.parametrize("changes", [{"name": "n" * 129}, {"name": "a\n"}, {"days": 0}, {"days": 3_651}])
def test_a_personal_token_that_cannot_be_is_refused(manage, accounts, changes):
    manage.create("ada", password=GOOD)
    with pytest.raises(Refused):
        CreatePersonalToken(accounts)("ada", **changes)
    assert accounts.secrets_of("ada", "personal") == []
