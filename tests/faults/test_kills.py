"""Processes killed and sessions cut under load: acknowledged is stored, once, in order, and readers miss nothing."""

from pathlib import Path

from tests.end_to_end.api import Api
from tests.end_to_end.installation import ServerProcess, a_folder
from tests.faults import scenarios

ROUNDS = 5


def test_nothing_acknowledged_is_lost_or_doubled_when_the_server_is_killed(server, api, tmp_path):
    met = scenarios.server_killed(server, api, tmp_path, rounds=ROUNDS)
    assert met.unanswered > 0, "no request was hit: this shows nothing"


def test_nothing_acknowledged_is_lost_or_doubled_when_the_database_is_killed(server, api, tmp_path):
    met = scenarios.database_killed(server, api, tmp_path, rounds=ROUNDS)
    assert met.refused > 0, "no request was hit: this shows nothing"


def test_readers_catch_up_on_the_stream_they_have_when_every_listener_is_cut(server, api, tmp_path):
    scenarios.listeners_terminated(server, api, tmp_path, rounds=3)


def test_two_servers_on_one_database_lose_and_double_nothing_when_they_are_killed(dsn: str, tmp_path: Path):
    with a_folder() as folder:
        servers = [ServerProcess(folder, dsn) for _ in range(2)]
        try:
            for one in servers:
                one.start()
            token = servers[0].command("token", "create", "admin").strip()
            scenarios.one_of_two_servers_killed(servers, Api(servers[0].url, token), tmp_path, rounds=2)
        finally:
            for one in servers:
                one.close()
