from __future__ import annotations

from domain.errors import IdentityTaken, StreamMovedOn
from domain.run import create_run, open_execution, revoke_tokens, share_run
from tests.domain.given import given
from tests.factories import a_revocation, a_run, a_share, a_withdrawal, an_execution


def test_a_run_is_made_once_whatever_the_second_says():
    given().when(create_run(a_run())).then(a_run())
    given(create_run(a_run())).when(create_run(a_run(name="other"))).refused(IdentityTaken)
    given(create_run(a_run())).when(create_run(a_run())).refused(IdentityTaken)


def test_execution_attempts_are_opened_one_after_the_other():
    second = an_execution(attempt=1)
    given(open_execution(an_execution())).when(open_execution(second)).then(second)


def test_two_launchers_never_get_the_same_attempt():
    given(open_execution(an_execution())).when(open_execution(an_execution(token_id="t2"))).refused(StreamMovedOn)
    given(open_execution(an_execution())).when(open_execution(an_execution())).refused(StreamMovedOn)


def test_every_revocation_is_on_record():
    given(revoke_tokens(a_revocation())).when(revoke_tokens(a_revocation())).then(a_revocation())


def test_shares_and_withdrawals_are_one_history():
    given(share_run(a_share())).when(share_run(a_withdrawal()), share_run(a_share())).then(a_withdrawal(), a_share())
    assert share_run(a_share()).stream == share_run(a_withdrawal()).stream
