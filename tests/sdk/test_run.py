"""`tuneplane run` and `tuneplane doctor`: exit codes, output, lifecycle, and a server that is away."""

import json
import os
import signal
import subprocess
import sys
import time
from urllib.parse import parse_qs, urlsplit

import pytest
from tuneplane.credentials import found_credentials
from tuneplane.log_buffer import LogBuffer, Utf8Reader
from tuneplane.log_forwarder import bodies_of
from tuneplane.runner import Run

from tests.sdk.conftest import TOKEN, job_env
from tests.sdk.ingest_stub import CUT, a_dead_server, a_hung_server, until

RUN = [sys.executable, "-W", "error", "-m", "tuneplane.cli", "run"]
PERSONAL = "tp_pat_abcdefghijklmnop"


def environment(**more):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("TUNEPLANE_")}
    return {**clean, "PYTHONPATH": os.pathsep.join(sys.path), **more}


def run(endpoint, code, *options, **more):
    command = [*RUN, *options, "--", sys.executable, "-c", code]
    env = environment(**job_env(endpoint), **more)
    return subprocess.run(command, env=env, capture_output=True, timeout=60, check=False)


def events(ingest):
    return [one.document["event"] for one in ingest.at("lifecycle")]


def text(ingest):
    pieces = sorted(ingest.at("logs"), key=lambda one: one.document["sequence"])
    return "".join(chunk for one in pieces for chunk in one.document["chunks"])


def test_the_exit_code_is_the_commands_and_the_lifecycle_says_so(ingest):
    assert run(ingest.endpoint, "raise SystemExit(7)").returncode == 7
    assert events(ingest) == ["starting", "running", "failed"]
    ingest.requests.clear()
    assert run(ingest.endpoint, "pass").returncode == 0
    assert events(ingest) == ["starting", "running", "succeeded"]


def test_a_command_ended_by_a_signal_has_128_and_its_number(ingest):
    assert run(ingest.endpoint, "import os; os.kill(os.getpid(), 9)").returncode == 137
    assert events(ingest)[-1] == "failed"


def test_a_command_that_does_not_exist_is_127_and_failed(ingest):
    done = subprocess.run(
        [*RUN, "--", "/no/such/command"], env=environment(**job_env(ingest.endpoint)), capture_output=True, check=False
    )
    assert done.returncode == 127
    assert events(ingest) == ["starting", "failed"]
    assert "no/such/command" in text(ingest)


OUTPUT = """
import os
raw = bytes.fromhex("e282ac") * 100000 + b"\\xff\\xfe\\r 10%\\r 20%\\n\\x1b[31mred\\x1b[0m\\x00" + "é🙂".encode()
for start in range(0, len(raw), 4099):
    os.write(1, raw[start:start + 4099])
"""


def test_output_is_shown_and_forwarded_as_it_was(ingest):
    raw = b"\xe2\x82\xac" * 100_000 + b"\xff\xfe\r 10%\r 20%\n\x1b[31mred\x1b[0m\x00" + "é🙂".encode()
    done = run(ingest.endpoint, OUTPUT)
    assert done.stdout == raw
    assert text(ingest) == raw.decode("utf-8", "replace")
    logs = sorted(ingest.at("logs"), key=lambda one: one.document["sequence"])
    assert [one.document["eof"] for one in logs] == [False] * (len(logs) - 1) + [True]
    assert len({one.document["stream"] for one in logs}) == 1
    assert max(len(one.body) for one in logs) < 1024 * 1024


def test_both_outputs_are_forwarded_and_stay_apart_on_the_terminal(ingest):
    done = run(ingest.endpoint, "import sys; print('out'); print('err', file=sys.stderr)")
    assert (done.stdout, done.stderr) == (b"out\n", b"err\n")
    assert sorted(text(ingest).splitlines()) == ["err", "out"]


def test_the_jobs_token_is_masked_in_what_is_forwarded(ingest):
    run(ingest.endpoint, "import os; print(os.environ['TUNEPLANE_JOB_TOKEN'])")
    assert text(ingest) == "[redacted]\n"


def test_environment_node_and_hardware_are_reported(ingest):
    slow = "import time\nwhile not __import__('os').path.exists({!r}): time.sleep(0.05)"
    flag = f"/tmp/tuneplane-test-{os.getpid()}-{time.monotonic_ns()}"
    command = [*RUN, "--", sys.executable, "-c", slow.format(flag), "--api-key", "s3cret"]
    env = environment(**job_env(ingest.endpoint), NCCL_SECRET_TOKEN="hush", NCCL_DEBUG="INFO")
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        until(lambda: ingest.at("environment") and ingest.at("environment/nodes") and ingest.at("hardware"))
        with open(flag, "w"):  # noqa: PTH123 - its being there is the message
            pass
        process.communicate(timeout=30)
    os.remove(flag)  # noqa: PTH107
    found = ingest.at("environment")[0].document
    assert "pytest==" in found["packages"]
    assert found["overview"]["variables"]["NCCL_SECRET_TOKEN"] == "[redacted]"
    assert found["overview"]["variables"]["NCCL_DEBUG"] == "INFO"
    assert found["overview"]["command"][-2:] == ["--api-key", "[redacted]"]
    assert found["hardware"]["cpu"]["cores"] == os.cpu_count()
    assert ingest.at("environment/nodes")[0].document["nodes"][0]["hostname"]
    sample = ingest.at("hardware")[0].document["points"][0]
    assert "mem.pct" in sample["metrics"]
    assert sample["pid"] != process.pid


def test_the_end_is_repeated_until_it_is_accepted_and_the_exit_code_stands(ingest):
    away = iter([CUT, CUT, 503, 500])

    def answer(path, body):
        if path == "lifecycle" and json.loads(body)["event"] == "failed":
            return next(away, 200)
        return 200

    ingest.answer = answer
    done = run(ingest.endpoint, "raise SystemExit(3)")
    assert done.returncode == 3
    assert events(ingest) == ["starting", "running", "failed"]
    tries = [one for one in ingest.at("lifecycle", accepted=False) if one.document["event"] == "failed"]
    assert len({one.body for one in tries}) == 1
    assert done.stderr == b""


def test_an_end_that_is_never_accepted_is_told_and_the_exit_code_stands():
    with a_dead_server() as endpoint:
        done = run(endpoint, "print('x'); raise SystemExit(5)", "--end-wait", "0.5")
    assert (done.returncode, done.stdout) == (5, b"x\n")
    assert b"the run's end was not accepted" in done.stderr
    assert TOKEN.encode() not in done.stderr


def test_a_command_is_never_held_up_by_a_hung_server():
    code = "import os\nfor _ in range(800): os.write(1, b'y' * 65535 + b'\\n')"
    with a_hung_server() as endpoint:
        started = time.monotonic()
        done = run(endpoint, code, "--end-wait", "0.5")
        assert time.monotonic() - started < 20
    assert done.returncode == 0
    assert len(done.stdout) == 800 * 65536


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_reach_the_command(ingest, number):
    code = (
        "import signal, sys, time\n"
        "for n in (2, 15): signal.signal(n, lambda n, f: sys.exit(40 + n))\n"
        "print('ready')\n"
        "while True: time.sleep(0.05)"
    )
    command = [*RUN, "--", sys.executable, "-c", code]
    env = environment(**job_env(ingest.endpoint))
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.wait(30) == 40 + number
    assert events(ingest) == ["starting", "running", "failed"]


def test_a_signal_that_comes_before_the_command_is_there_reaches_it_once_it_is(ingest):
    env = environment(**job_env(ingest.endpoint))
    credentials = found_credentials(env)
    assert credentials is not None
    early = Run([sys.executable, "-c", "import time; time.sleep(60)"], credentials, env)
    early._signal(signal.SIGTERM)
    assert early.execute() == 128 + signal.SIGTERM
    assert events(ingest) == ["starting", "running", "failed"]


def test_without_credentials_the_command_runs_unreported():
    done = subprocess.run(
        [*RUN, "--", sys.executable, "-c", "print('x'); raise SystemExit(4)"],
        env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (4, b"x\n")
    assert b"nothing is reported" in done.stderr


def a_whole_server(ingest, *, buffered=False):
    """Answers as the run API, ingest and the read API do."""
    said: list[str] = []

    def answer(path, body):
        parts = urlsplit(path)
        if parts.path == "/api/runs":
            return 201, {"run_id": "new", "position": 1}
        if parts.path == "/api/runs/new/executions":
            env = job_env(ingest.endpoint) | {"TUNEPLANE_JOB_RUN_ID": "new"}
            return 201, {"run_id": "new", "attempt": 0, "token": TOKEN, "endpoint": ingest.endpoint, "env": env}
        if parts.path == "/api/runs/new/logs":
            return 200, {"lines": said}
        if parts.path == "/api/runs/new/series/data":
            return 200, {"tuneplane.doctor": {"step": [int(parse_qs(parts.query)["from"][0])]}}
        if parts.path == "/api/runs/new/live":
            until(lambda: any("live" in line for line in said))
            return 200, b"" if buffered else f"data: {said[-1]}\n\n".encode()
        document = json.loads(body)
        said.extend(document.get("chunks", []))
        return 422 if document.get("points") == [] else 200

    ingest.answer = answer


def test_with_a_personal_token_the_run_is_opened_and_its_page_named(ingest):
    a_whole_server(ingest)
    env = environment(TUNEPLANE_SERVER=ingest.url, TUNEPLANE_TOKEN=PERSONAL)
    code = "import os; print(os.environ['TUNEPLANE_JOB_RUN_ID'])"
    command = [*RUN, "--name", "first", "--tag", "a", "--tag", "b", "--", sys.executable, "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, b"new\n")
    assert f"{ingest.url}/runs/new".encode() in done.stderr
    made = ingest.requests[0]
    assert made.document == {"name": "first", "tags": ["a", "b"]}
    assert made.headers["Authorization"] == f"Bearer {PERSONAL}"
    assert events(ingest) == ["starting", "running", "succeeded"]


def doctor(**env):
    command = [sys.executable, "-W", "error", "-m", "tuneplane.cli", "doctor"]
    return subprocess.run(command, env=environment(**env), capture_output=True, text=True, timeout=60, check=False)


def test_the_doctor_finds_a_sound_installation_sound_and_warns_of_loopback(ingest):
    a_whole_server(ingest)
    done = doctor(TUNEPLANE_SERVER=ingest.url, TUNEPLANE_TOKEN=PERSONAL)
    assert done.returncode == 0, done.stdout
    for words in ("loopback", "token is good", "a log line came back", "a point came back", "live logs arrive"):
        assert words in done.stdout
    assert TOKEN not in done.stdout + done.stderr
    assert PERSONAL not in done.stdout + done.stderr


def test_the_doctor_names_a_proxy_that_holds_back_live_logs(ingest):
    a_whole_server(ingest, buffered=True)
    done = doctor(TUNEPLANE_SERVER=ingest.url, TUNEPLANE_TOKEN=PERSONAL)
    assert done.returncode == 1
    assert "proxy_buffering off" in done.stdout


def test_the_doctor_names_an_unreachable_address_and_a_bad_token(ingest):
    with a_dead_server() as endpoint:
        done = doctor(**job_env(endpoint))
    assert done.returncode == 1
    assert "TUNEPLANE_INGEST_URL" in done.stdout
    ingest.answer = lambda path, body: 401
    done = doctor(**job_env(ingest.endpoint))
    assert done.returncode == 1
    assert "fresh token" in done.stdout


@pytest.mark.parametrize(
    ("scheme", "status", "advice"),
    [
        ("http", 401, "tuneplane-server token create"),
        ("http", 404, "without a path"),
        ("http", 500, "server's log"),
        ("https", 200, "http://"),
        ("http", None, "that the server runs"),
    ],
)
def test_the_doctor_says_what_to_do_where_no_run_is_opened(ingest, scheme, status, advice):
    ingest.answer = lambda path, body: status or CUT
    done = doctor(TUNEPLANE_SERVER=ingest.url.replace("http", scheme, 1), TUNEPLANE_TOKEN=PERSONAL)
    assert done.returncode == 1
    assert advice in done.stdout
    assert PERSONAL not in done.stdout + done.stderr


def test_who_starts_a_script_alone_with_a_personal_token_is_told_how():
    code = "from tuneplane.report import init, log\nprint(init())\nlog({'a': 1}, step=0)"
    env = environment(TUNEPLANE_SERVER="http://127.0.0.1:1", TUNEPLANE_TOKEN=PERSONAL)
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert done.stderr.count("tuneplane run -- python") == 1
    assert PERSONAL not in done.stderr


def test_a_full_buffer_drops_the_oldest_and_marks_the_gap():
    buffer = LogBuffer(capacity_bytes=10)
    for piece in ("aaa\n", "bbb\n", "ccc\n", "d\n"):
        buffer.put(piece)
    assert buffer.take(0) == "[tuneplane: 4 bytes of log not forwarded]\nbbb\nccc\nd\n"
    buffer.put("mid-line")
    assert buffer.take(0) == "mid-line"
    buffer.put("e" * 11 + "\n")
    assert buffer.take(0) == "\n[tuneplane: 12 bytes of log not forwarded]\n"
    buffer.close()
    assert buffer.ended()


def test_lines_of_two_outputs_do_not_end_up_inside_each_other():
    buffer = LogBuffer()
    for text, source in (("lo", "out"), ("err", "err"), ("ss\n", "out"), ("or\n10%\r20", "err")):
        buffer.put(text, source)
    assert buffer.take(0.001).startswith("loss\nerror\n10%\r")
    buffer.close()
    assert buffer.take(0) in ("20", "")


def test_a_character_split_between_reads_is_put_together():
    reader = Utf8Reader()
    assert reader.text(b"\xe2\x82") + reader.text(b"\xac\xff") + reader.text(b"\xe2", last=True) == "€\ufffd\ufffd"


def test_a_piece_is_cut_at_a_character_and_the_rest_comes_next():
    buffer = LogBuffer()
    buffer.put("€" * 200_000)
    first, second, third = buffer.take(0), buffer.take(0), buffer.take(0)
    assert first + second + third == "€" * 200_000
    assert len(first.encode()) <= 256 * 1024


def test_text_that_grows_in_json_is_sent_in_parts():
    parts = bodies_of("\x1b" * 256 * 1024)
    assert "".join(parts) == "\x1b" * 256 * 1024
    assert max(len(json.dumps(part)) for part in parts) < 1024 * 1024
