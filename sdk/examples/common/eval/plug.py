"""A function of the user's own, named on the command line as `package.module:function`."""

from __future__ import annotations

import importlib
import re
from typing import Any, Callable

from common.eval.refused import InputRefused

_NAMED = re.compile(r"\A([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*):([A-Za-z_]\w*)\Z")


def function(named: str, option: str) -> Callable[..., Any]:
    """Raises `InputRefused` where it cannot be had; `option` is what the person wrote in front of it."""
    found = _NAMED.match(named)
    if found is None:
        raise InputRefused(option, "", "has to be written package.module:function")
    module, name = found.groups()
    try:
        value = getattr(importlib.import_module(module), name, None)
    except ImportError as problem:
        raise InputRefused(option, "", f"{module} cannot be imported: {problem}") from None
    except (Exception, SystemExit) as problem:  # noqa: BLE001 - it is the user's own and may raise anything
        rule = f"{module} cannot be imported: it raised {type(problem).__name__}"
        raise InputRefused(option, "", rule) from None
    if not callable(value):
        raise InputRefused(option, "", f"{module} has no function {name}")
    return value  # type: ignore[no-any-return]  # more than that it can be called is not known
