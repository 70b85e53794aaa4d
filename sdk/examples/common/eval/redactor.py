"""The project's own function that takes what is sensitive out of a text, and what is asked of it."""

from __future__ import annotations

from common.eval.harbor_result import Clean
from common.eval.plug import function
from common.eval.refused import InputRefused


def load(named: str) -> Clean:
    """The function `package.module:function`, checked at each call. Raises `InputRefused` where it cannot be had."""
    redact = function(named, "--redactor")

    def clean(text: str) -> str:
        try:
            cleaned = redact(text)
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - it is the project's own and may raise anything
            # What it raises may quote the text, so its type alone is told.
            raise InputRefused("--redactor", "", f"{named} raised {type(problem).__name__}") from None
        if not isinstance(cleaned, str):
            raise InputRefused("--redactor", "", f"{named} returned {type(cleaned).__name__}, and has to return text")
        return cleaned

    return clean
