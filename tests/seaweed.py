"""A real S3 server for tests: SeaweedFS on loopback, with credentials of its own, ended with the tests."""

import json
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import boto3
import msgspec

DEADLINE_SECONDS = 60
_TRIES = 3
KEY, SECRET, REGION = "tests-access-key", "tests-secret-key", "us-east-1"
BUCKET = "tuneplane-tests"
_WEED = Path(sys.executable).with_name("weed")


class Seaweed(msgspec.Struct, frozen=True):
    """Where it listens."""

    endpoint: str

    def environment(self) -> dict[str, str]:
        """Its credentials, where AWS tools look for them."""
        return {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}

    def make_bucket(self, name: str) -> None:
        """Empty and private."""
        client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
        )
        client.create_bucket(Bucket=name)
        client.close()


@contextmanager
def seaweed() -> Iterator[Seaweed]:
    """Runs until the tests are done. Somebody else may take one of its ports before it does: then it is tried again."""
    with ExitStack() as stack:
        for _ in range(_TRIES):
            folder = Path(tempfile.mkdtemp(prefix="tuneplane-s3-"))
            stack.callback(shutil.rmtree, folder)
            started = _started(folder)
            stack.callback(_end, started.process)
            if _serves(started):
                yield Seaweed(started.endpoint)
                return
        raise AssertionError(f"SeaweedFS did not start:\n{(folder / 'out').read_text()[-3000:]}")


class _Started(NamedTuple):
    process: subprocess.Popen[bytes]
    endpoint: str


def _started(folder: Path) -> _Started:
    port, *others = _free_ports(8)
    identity = {"name": "tests", "credentials": [{"accessKey": KEY, "secretKey": SECRET}], "actions": ["Admin"]}
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    names = ("master.port", "volume.port", "filer.port", "master.port.grpc", "volume.port.grpc", "filer.port.grpc")
    command = [
        *(str(_WEED), "server", f"-dir={folder}", "-s3", f"-s3.port={port}", f"-s3.config={folder / 's3.json'}"),
        *("-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-volume.max=20", "-master.volumeSizeLimitMB=64"),
        *(f"-{name}={other}" for name, other in zip((*names, "s3.port.grpc"), others, strict=True)),
    ]
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=folder)
    return _Started(process, f"http://127.0.0.1:{port}")


def _serves(started: _Started) -> bool:
    end = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < end and started.process.poll() is None:
        if _asks_who_we_are(started.endpoint):
            return True
        time.sleep(0.05)
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _asks_who_we_are(endpoint: str) -> bool:
    try:
        urllib.request.urlopen(endpoint, timeout=1).close()
    except urllib.error.HTTPError as error:
        error.close()
        return error.code == 403
    except OSError:
        return False
    return False


def _free_ports(count: int) -> list[int]:
    """All different."""
    with ExitStack() as stack:
        held = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in held]
