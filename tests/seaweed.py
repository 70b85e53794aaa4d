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
from contextlib import contextmanager
from pathlib import Path

import boto3
import msgspec

DEADLINE_SECONDS = 60
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
    """Runs until the tests are done."""
    folder = Path(tempfile.mkdtemp(prefix="tuneplane-s3-"))
    port = _free_port()
    identity = {"name": "tests", "credentials": [{"accessKey": KEY, "secretKey": SECRET}], "actions": ["Admin"]}
    (folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
    command = [
        *(str(_WEED), "server", f"-dir={folder}", "-s3", f"-s3.port={port}", f"-s3.config={folder / 's3.json'}"),
        *("-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-volume.max=20", "-master.volumeSizeLimitMB=64"),
        *(f"-{name}.port={_free_port()}" for name in ("master", "volume", "filer")),
        *(f"-{name}.port.grpc={_free_port()}" for name in ("master", "volume", "filer", "s3")),
    ]
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=folder)
    try:
        endpoint = f"http://127.0.0.1:{port}"
        _await(endpoint, process, folder / "out")
        yield Seaweed(endpoint)
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder)


def _await(endpoint: str, process: subprocess.Popen[bytes], out: Path) -> None:
    end = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < end and process.poll() is None:
        if _asks_who_we_are(endpoint):
            return
        time.sleep(0.05)
    raise AssertionError(f"SeaweedFS did not start:\n{out.read_text()[-3000:]}")


def _asks_who_we_are(endpoint: str) -> bool:
    try:
        urllib.request.urlopen(endpoint, timeout=1).close()
    except urllib.error.HTTPError as error:
        error.close()
        return error.code == 403
    except OSError:
        return False
    return False


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
