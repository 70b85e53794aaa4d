"""A folder has one server; commands work beside it."""

from tests.end_to_end.installation import tuneplane_server


def test_a_second_server_on_the_same_folder_is_refused_with_what_runs_there(server):
    done = tuneplane_server("serve", "--data", server.data, "--port", 0)
    assert done.returncode == 1
    assert str(server.pid) in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_the_log_is_proven_sound_beside_the_server_that_runs(server, job):
    job.points("loss", 1.0)
    assert "Sound: " in server.command("events", "verify")
