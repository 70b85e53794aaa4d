"""`make bench`: every budget of docs/benchmarks.md against a real server, in one table.

    make bench ARGS="[--quick] [--only ingest,wide,…] [--json FILE]"

Numbers, not verdicts: a machine that does something else meanwhile measures that. The ratios to floors of the same
run say more than the absolutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from tests.bench import (
    charts,
    client,
    disk,
    faults,
    imports,
    ingest,
    install,
    memory,
    native_import,
    pages,
    paint,
    readers,
    rebuild,
    small,
    stores,
    verify,
    wide,
)
from tests.bench.bench import Bench
from tests.bench.table import Row, machine, table

LINES: Mapping[str, Callable[[Bench], Iterator[Row]]] = {
    "ingest": ingest.measure,
    "wide": wide.measure,
    "small": small.measure,
    "client": client.measure,
    "charts": charts.measure,
    "pages": pages.measure,
    "paint": paint.measure,
    "readers": readers.measure,
    "memory": memory.measure,
    "native_import": native_import.measure,
    "disk": disk.measure,
    "rebuild": rebuild.measure,
    "verify": verify.measure,
    "stores": stores.measure,
    "faults": faults.measure,
    "imports": imports.measure,
    "install": install.measure,
}


def main() -> int:
    """Prints each line's figures as they come, and the table at the end."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="once and small, to see that it works")
    parser.add_argument("--only", metavar="NAME,…", help=f"some of: {', '.join(LINES)}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else list(LINES)
    if unknown := set(chosen) - set(LINES):
        parser.error(f"there is no {', '.join(sorted(unknown))}; there are: {', '.join(LINES)}")
    rows = measured(chosen, quick=arguments.quick)
    print(f"\n{machine()}{' (quick: no budget is measured)' if arguments.quick else ''}\n\n{table(rows)}")
    if arguments.json:
        arguments.json.write_bytes(msgspec.json.format(msgspec.json.encode({"machine": machine(), "rows": rows})))
    return 0


def measured(names: list[str], *, quick: bool) -> list[Row]:
    """The rows of these lines; one that fails says so and leaves the others alone."""
    rows: list[Row] = []
    with Bench(quick=quick) as bench:
        for name in (each for each in LINES if each in names):
            began = time.perf_counter()
            try:
                for one in LINES[name](bench):
                    rows.append(one)
                    print(table([one]).splitlines()[-1], flush=True)
            except Exception as problem:  # noqa: BLE001 - the others are still worth measuring
                print(f"{name} failed: {type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
            print(f"-- {name}: {time.perf_counter() - began:.0f} s", flush=True)
    return rows


if __name__ == "__main__":
    sys.exit(main())
