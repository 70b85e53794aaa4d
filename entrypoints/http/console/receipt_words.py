"""A delivery receipt in words: what was lost, or why nobody can say."""

from __future__ import annotations

from application.queries.delivery import Receipt, ReceiptLine
from domain.rules.delivery_receipt import Gap
from entrypoints.http.console.contexts.job import ReceiptView
from entrypoints.http.console.wording import number

_GAPS: dict[Gap, str] = {
    "nobody_told": "no reporter told what it sent; the synchronous Reporter and clients of others do not",
    "not_finished": "a reporter has not said that it finished: what it did after its last words is not known",
    "totals_not_told": "a reporter does not count what it sends: an older client, or one that writes for a collector",
    "more_stored": "more is stored than the reporters count: somebody else reported too, or after their last words",
    "goes_on": "the attempt goes on; so far nothing that was answered is missing",
}


def receipt_view(receipt: Receipt) -> ReceiptView:
    """As the page shows it."""
    return ReceiptView(receipt=receipt, verdict=verdict_words(receipt))


def verdict_words(receipt: Receipt) -> str:
    """The verdict with its numbers or its reason."""
    worst = [line for line in receipt.lines if line.verdict == receipt.verdict]
    match receipt.verdict:
        case "reconciled":
            return "reconciled"
        case "lossy":
            return "lossy: " + ", ".join(f"{number(line.dropped)} {line.what} dropped" for line in worst)
        case "missing":
            return "missing: " + ", ".join(f"{line.what} that were answered are not stored" for line in worst)
        case "unknown":
            return "unknown: " + (gap_words(worst[0]) if worst else "nothing arrived")


def gap_words(line: ReceiptLine) -> str:
    """Why a line is unknown; empty where it is not."""
    return "" if line.gap is None else _GAPS[line.gap]
