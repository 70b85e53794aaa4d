"""A projector that stops in the middle of a batch, for ever, and says so; a test kills it there."""

import sys
import threading

from adapters.postgres.projector import Projector, StopRequest
from adapters.postgres.projector_tracking import factories
from application.ports.event_log import RecordedEvent
from application.ports.records import Records, Where
from application.projections.projection import Projection
from domain.events import Event, LogReported
from tests.adapters.projecting import COUNTING, KEEPING, PIECE, a_log, keep_pieces


def stop_in_the_middle(recorded: RecordedEvent, event: Event, records: Records) -> None:
    keep_pieces(recorded, event, records)
    if recorded.position == 40:
        assert records.count(PIECE, Where("position", "<=", 40)) == 40  # written already, in the open transaction
        sys.stdout.write("in the middle\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    stuck = Projection(
        name=KEEPING.name, version=1, reads=(LogReported,), tables=KEEPING.tables, project=stop_in_the_middle
    )
    with a_log(sys.argv[1]) as (database, log):
        Projector(database, log, factories((COUNTING, stuck)), StopRequest()).run()
