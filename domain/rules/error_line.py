"""Which lines of a log look like an error: a guess from their words, for the eye. It decides nothing.

One definition for pages, search and live streams. Names (`error_rate`, `on_error`), measured errors (`error: 0.25`) and
counts of none (`0 errors`) are no errors. Source: FORMATS, and the logs of jobs that failed.
"""

from __future__ import annotations

import re

_WORDS = ("error", "exception", "traceback", "fatal", "critical", "panic", "killed", "aborted")
_PHRASES = (
    "segmentation fault",
    "core dumped",
    "illegal instruction",
    "terminate called",
    "out of memory",
    "oom-kill",
    "cannot allocate memory",
    "no space left on device",
    "permission denied",
    "connection refused",
    "no such file or directory",
    "command not found",
    "nvrm: xid",
    "uncorrectable ecc",
)
_SIGNS = (*_WORDS, *_PHRASES, "exit")
"""Every line that looks like an error holds one of them, in some case."""
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b")
_CLASS = re.compile(r"(?<=\w)(?:Error|Exception)\b")
_HARMLESS = re.compile(r"\b(?:0|no) (?:errors?|exceptions?)\b|\berror\s{0,8}[:=]\s{0,8}[-+]?(?:\.?\d|nan\b|inf\b)")
_EXITED = re.compile(r"\bexit(?:ed)?(?: with)?(?: exit)?[ _-]?(?:code|status)?\W{0,3}-?[1-9]")


def looks_like_error(line: str) -> bool:
    """Whether the line, as shown, looks like an error. Linear in its length."""
    text = line.lower()
    if not any(sign in text for sign in _SIGNS):
        return False
    if _CLASS.search(line) or _EXITED.search(text) or any(phrase in text for phrase in _PHRASES):
        return True
    return _WORD.search(_HARMLESS.sub("", text)) is not None


def may_hold_errors(text: str) -> bool:
    """False where no line of `text` looks like an error, so that a search may pass over all of it at once."""
    lowered = text.lower()
    return any(sign in lowered for sign in _SIGNS)
