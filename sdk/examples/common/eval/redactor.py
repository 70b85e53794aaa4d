"""The project's own function that takes what is sensitive out of a text, and what is asked of it."""

from __future__ import annotations

import importlib
import re

from common.eval.harbor_result import Clean
from common.eval.refused import InputRefused

_NAMED = re.compile(r"\A([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)\Z")


def load(named: str) -> Clean:
    """The function `package.module:function`, checked at each call. Raises `InputRefused` where it cannot be had."""
    found = _NAMED.match(named)
    if found is None:
        raise InputRefused("--redactor", "", "has to be written package.module:function")
    module, name = found.groups()
    try:
        function = getattr(importlib.import_module(module), name, None)
    except ImportError as problem:
        raise InputRefused("--redactor", "", f"{module} cannot be imported: {problem}") from None
    except (Exception, SystemExit) as problem:  # noqa: BLE001 - it is the project's own and may do anything
        rule = f"{module} cannot be imported: it raised {type(problem).__name__}"
        raise InputRefused("--redactor", "", rule) from None
    if not callable(function):
        raise InputRefused("--redactor", "", f"{module} has no function {name}")

    def clean(text: str) -> str:
        try:
            cleaned = function(text)
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - it is the project's own and may raise anything
            # What it raises may quote the text, so its type alone is told.
            raise InputRefused("--redactor", "", f"{named} raised {type(problem).__name__}") from None
        if not isinstance(cleaned, str):
            raise InputRefused("--redactor", "", f"{named} returned {type(cleaned).__name__}, and has to return text")
        return cleaned

    return clean
