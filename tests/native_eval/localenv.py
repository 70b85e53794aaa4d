"""A Harbor environment without containers: each command in a mount namespace of its own, in a throw-away root.

For tests alone, and for root: the system's folders are bound into the root, the sandbox's own ones come from a folder
below TUNEPLANE_SANDBOXES that is removed at the end. Imported by Harbor, in its interpreter:
`environment.import_path = "localenv:LocalEnvironment"`. What runs inside carries TUNEPLANE_SANDBOX_MARK, so that a test
can tell whether anything of it is left.
"""

import asyncio
import contextlib
import os
import shlex
import shutil
import signal
import sys
import tempfile
from pathlib import Path, PurePosixPath

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities, EnvironmentResourceCapabilities

SHARED = ("bin", "sbin", "lib", "lib64", "usr", "etc", "opt", "dev", "proc")
OWN = ("app", "logs", "root", "runtime", "solution", "tests", "tmp", "var")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class LocalEnvironment(BaseEnvironment):  # type: ignore[misc]
    """`kwargs.stop_seconds` makes its end slow, as that of a real provider is."""

    def __init__(self, *args, stop_seconds=0, **kwargs):
        self._stop_seconds = stop_seconds
        self._folder = Path()
        super().__init__(*args, **kwargs)

    @staticmethod
    def type():
        return "local-namespace"

    @property
    def capabilities(self):
        return EnvironmentCapabilities(mounted=False)

    @classmethod
    def resource_capabilities(cls):
        return EnvironmentResourceCapabilities(cpu_limit=True, cpu_request=True, memory_limit=True, memory_request=True)

    def _validate_definition(self):
        pass

    async def start(self, force_build):
        sys.stdout.write("a backend may print\n")
        sys.stdout.flush()
        self._folder = Path(tempfile.mkdtemp(prefix="sandbox-", dir=os.environ["TUNEPLANE_SANDBOXES"]))
        for name in (*OWN, "logs/agent", "logs/verifier", "logs/artifacts"):
            (self._folder / name).mkdir()

    async def stop(self, delete):
        (self._folder / "stopping").touch()
        await asyncio.sleep(self._stop_seconds)
        if delete:
            shutil.rmtree(self._folder)

    async def upload_file(self, source_path, target_path):
        target = self._outside(target_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source_path, target)

    async def upload_dir(self, source_dir, target_dir):
        shutil.copytree(source_dir, self._outside(target_dir), dirs_exist_ok=True)

    async def download_file(self, source_path, target_path):
        shutil.copy2(self._outside(source_path), target_path)

    async def download_dir(self, source_dir, target_dir):
        shutil.copytree(self._outside(source_dir), target_dir, dirs_exist_ok=True)

    async def exec(self, command, cwd=None, env=None, timeout_sec=None, user=None):
        mark = {"TUNEPLANE_SANDBOX_MARK": os.environ["TUNEPLANE_SANDBOX_MARK"]}
        process = await asyncio.create_subprocess_exec(
            *("unshare", "--mount", "--propagation", "private", "bash", "-ec", self._script(command, cwd or "/app")),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8", **mark, **(env or {})},
            start_new_session=True,
        )
        try:
            out, err = await asyncio.wait_for(process.communicate(), timeout_sec)
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            raise
        return ExecResult(stdout=out.decode(), stderr=err.decode(), return_code=process.returncode)

    def _script(self, command, cwd):
        """The mounts end with the namespace, which ends with its last process."""
        root = self._folder / ".root"
        lines = [f"mkdir -p {root}", f"mount -t tmpfs tmpfs {root}"]
        bound = [(f"/{name}", name) for name in SHARED if Path("/", name).exists()]
        for source, name in [*bound, *((f"{self._folder}/{name}", name) for name in OWN)]:
            lines += [f"mkdir {root}/{name}", f"mount --rbind {source} {root}/{name}"]
        inside = f"cd {shlex.quote(cwd)} && {command}"
        return "\n".join([*lines, f"exec chroot {root} bash -c {shlex.quote(inside)}"])

    def _outside(self, path):
        first, *rest = PurePosixPath(str(path)).relative_to("/").parts
        assert first in OWN, path
        return self._folder.joinpath(first, *rest)
