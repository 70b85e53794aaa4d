"""A process that appends to the log and tells which requests were acknowledged, a line each.

Arguments: conninfo, a name for its own streams, how many groups (0: until it is killed).
"""

import itertools
import sys

from adapters.postgres.database import Database
from adapters.postgres.event_log import PostgresEventLog
from application.ports.event_log import Fate
from domain.ids import stream_id
from tests.contracts.event_log import APPEND, FIRST_WINS, append, fates, placed, positions

SIZES = (1, 100, 30_000, 5)


def main() -> None:
    dsn, name, groups = sys.argv[1], sys.argv[2], int(sys.argv[3])
    database = Database(dsn)
    log = PostgresEventLog(database)
    for number in range(1, groups + 1) if groups else itertools.count(1):
        # One request of two events of its own, one event that every process reports, one that they all append.
        own = [placed("x" * SIZES[number % 4], number * 2 + half, stream=stream_id("own", name)) for half in (0, 1)]
        shared = placed(f"{number}", number, stream=stream_id("shared"), settle=FIRST_WINS)
        common = placed(name, None, stream=stream_id("common"), settle=APPEND)
        answers = append(log, own, [shared], [common])
        ours, theirs = positions(answers[0]), fates(answers[1])
        sys.stdout.write(f"{number} {ours[0]} {ours[1]} {int(theirs == [Fate.ACCEPTED])}\n")
        sys.stdout.flush()
    log.close()
    database.close()


main()
