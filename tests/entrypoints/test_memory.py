"""Memory goes back to the system when it is no longer used."""

import platform
import subprocess
import sys

import pytest

PROGRAM = """
import sys
from pathlib import Path
from entrypoints.memory import return_large_blocks

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

if sys.argv[1] == "returning":
    return_large_blocks()
del [b"x" * 20_000_000][:]  # the first that is freed is what glibc learns from
before = resident()
blocks, between = [], []
for number in range(10):
    blocks.append(b"y" * (20_000_000 + number))
    between.append(b"z" * (1000 + number))
del blocks
print((resident() - before) // 1_000_000)
"""


def left_behind(way: str) -> int:
    """MB that are still taken after 200 MB were freed."""
    run = subprocess.run([sys.executable, "-c", PROGRAM, way], capture_output=True, text=True, check=True)
    return int(run.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps what is freed")
def test_large_blocks_go_back_when_they_are_freed():
    assert left_behind("keeping") > 100  # else this test shows nothing
    assert left_behind("returning") < 20
