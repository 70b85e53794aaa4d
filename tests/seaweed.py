"""A real S3 server for tests: SeaweedFS on loopback, with credentials of its own, ended with who asked for it.

One takes 0.3 s of CPU and 120 MB, so each process of tests that needs one has its own.
"""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import boto3
import msgspec
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

DEADLINE_SECONDS = 120
"""A loaded machine takes some seconds to start one."""
_TRIES = 3
REGION = "us-east-1"
BUCKET = "tuneplane-tests"
_OWNER = ("owner-access-key", "owner-secret-key")
_SERVER = ("server-access-key", "server-secret-key")
"""May read, write and list this bucket, and nothing else: what docs/storage.md says is enough."""
_WEED = Path(sys.executable).with_name("weed")
_PORTS = (
    "s3.port",
    "s3.port.grpc",
    "master.port",
    "master.port.grpc",
    "volume.port",
    "volume.port.grpc",
    "filer.port",
    "filer.port.grpc",
)
_pause = threading.Event()


class Seaweed(msgspec.Struct, frozen=True):
    """Where it listens. It has the bucket `BUCKET`."""

    endpoint: str
    pid: int

    def environment(self) -> dict[str, str]:
        """A server's credentials, where AWS tools look for them."""
        return dict(zip(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), _SERVER, strict=True))

    def client(self) -> Any:
        """Of boto3, with every permission; asks once."""
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name=REGION,
            aws_access_key_id=_OWNER[0],
            aws_secret_access_key=_OWNER[1],
            config=Config(connect_timeout=5, read_timeout=30, retries={"total_max_attempts": 1}),
        )


@contextmanager
def seaweed() -> Iterator[Seaweed]:
    """Runs until the context ends. Somebody else may take one of its ports before it does: then it is tried again."""
    with ExitStack() as stack:
        for _ in range(_TRIES):
            folder = Path(tempfile.mkdtemp(prefix="tuneplane-s3-"))
            stack.callback(shutil.rmtree, folder)
            started = _started(folder)
            stack.callback(_end, started.process)
            made = Seaweed(started.endpoint, started.process.pid)
            if _keeps_objects(made, started.process):
                yield made
                return
        raise AssertionError(f"SeaweedFS did not start:\n{(folder / 'out').read_text()[-3000:]}")


class _Started(NamedTuple):
    process: subprocess.Popen[bytes]
    endpoint: str


def _started(folder: Path) -> _Started:
    server = [f"{action}:{BUCKET}" for action in ("Read", "Write", "List")]
    identities = [_identity("owner", _OWNER, ["Admin"]), _identity("server", _SERVER, server)]
    (folder / "s3.json").write_text(json.dumps({"identities": identities}))
    ports = dict(zip(_PORTS, _free_ports(len(_PORTS)), strict=True))
    command = [
        *(str(_WEED), "server", f"-dir={folder}", "-s3", f"-s3.config={folder / 's3.json'}"),
        *("-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-volume.max=20", "-master.volumeSizeLimitMB=64"),
        # Left alone it would tell its makers of itself.
        "-master.telemetry=false",
        # Two more services at ports of their own, always the same: a second server on this machine dies of them.
        *("-s3.port.iceberg=0", "-s3.port.lance=0", "-s3.iam=false"),
        *(f"-filer.localSocket={folder / 'filer.sock'}", f"-s3.localSocket={folder / 's3.sock'}"),
        *(f"-{name}={port}" for name, port in ports.items()),
    ]
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=folder)
    return _Started(process, f"http://127.0.0.1:{ports['s3.port']}")


def _identity(name: str, keys: tuple[str, str], actions: list[str]) -> dict[str, Any]:
    key, secret = keys
    return {"name": name, "credentials": [{"accessKey": key, "secretKey": secret}], "actions": actions}


def _keeps_objects(started: Seaweed, process: subprocess.Popen[bytes]) -> bool:
    """Makes the bucket and keeps one object in it: that it answers says little of what is behind it."""
    client = started.client()
    end = time.monotonic() + DEADLINE_SECONDS
    try:
        while time.monotonic() < end and process.poll() is None:
            try:
                with contextlib.suppress(client.exceptions.BucketAlreadyOwnedByYou):
                    client.create_bucket(Bucket=BUCKET)
                client.put_object(Bucket=BUCKET, Key="first", Body=b"1")
                client.delete_object(Bucket=BUCKET, Key="first")
            except (BotoCoreError, ClientError):
                _pause.wait(0.05)
            else:
                return True
    finally:
        client.close()
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _free_ports(count: int) -> list[int]:
    """All different."""
    with ExitStack() as stack:
        held = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in held:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in held]
