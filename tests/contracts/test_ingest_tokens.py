"""Every adapter of ingest tokens keeps the same promises."""

import msgspec
import pytest

from adapters.memory.ingest_tokens import MemoryIngestTokens
from adapters.postgres.ingest_tokens import PostgresIngestTokens
from application.ports.ingest_tokens import IngestToken, IngestTokens
from domain.errors import IdentityTaken
from domain.ids import Attempt, RunId
from tests.factories import NOON, RUN


@pytest.fixture(params=["memory", "postgres"])
def tokens(request: pytest.FixtureRequest) -> IngestTokens:
    if request.param == "memory":
        return MemoryIngestTokens()
    return PostgresIngestTokens(request.getfixturevalue("database"))


def a_token(token_id="t1", *, run=RUN, revoked=False) -> IngestToken:
    return IngestToken(
        token_id=token_id,
        secret_hash=bytes(range(32)),
        run=run,
        attempt=Attempt(3),
        scope="ingest",
        expires_at=NOON,
        revoked=revoked,
    )


def test_a_token_is_found_as_it_was_added(tokens):
    tokens.add(a_token("t1", revoked=True))
    tokens.add(a_token("t2"))
    assert tokens.find("t1") == a_token("t1", revoked=True)
    assert tokens.find("t2") == a_token("t2")


@pytest.mark.parametrize("token_id", ["absent", "", "t\0", "\ud800", "t1' OR true --"])
def test_a_token_that_never_was_is_not_found(tokens, token_id):
    tokens.add(a_token())
    assert tokens.find(token_id) is None


def test_an_id_is_given_once(tokens):
    tokens.add(a_token())
    with pytest.raises(IdentityTaken):
        tokens.add(a_token(run=RunId("other")))
    assert tokens.find("t1") == a_token()


def test_revoking_takes_all_tokens_of_the_run_and_names_those_that_were_good(tokens):
    for token in (a_token("b"), a_token("a"), a_token("c", revoked=True), a_token("d", run=RunId("other"))):
        tokens.add(token)
    assert tokens.revoke(RUN) == ["a", "b"]
    assert tokens.find("a") == msgspec.structs.replace(a_token("a"), revoked=True)
    assert tokens.find("d") == a_token("d", run=RunId("other"))


def test_revoking_again_revokes_nothing(tokens):
    tokens.add(a_token())
    tokens.revoke(RUN)
    assert tokens.revoke(RUN) == []
    assert tokens.revoke(RunId("nul\0")) == []
