"""Units and counted things behind a number, told apart from what changes the number itself."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[A-Za-z]+(?:\^?[23])?(?:\s*/\s*[A-Za-z]+)?(?:\s+[A-Za-z]+){0,2}|°")
_SHORT = re.compile(r"mm|cm|dm|km|ft|in|yd|mi|kg|mg|lb|oz|ml|hr|ms|kb|mb|gb|tb|°")
_ALIASES = {"dollar": "$", "buck": "$", "euro": "€", "degree": "°"}
_CHANGES_THE_NUMBER = re.compile(
    r"hundred|thousand|[mbtr]+illion|dozen|gross|pair|hal(?:f|ve)|third|quarter|\w*th|factorial|squared?|cubed?|"
    r"(?:square|cube)?root|sqrt|choose|base|mod(?:ulo)?|log|exp|a?(?:sin|cos|tan)|sec|csc|cot|infinity|theta|alpha|beta|"
    r"gamma|lambda|plus|minus|times|over|divided|and|not"
)


def unit(text: str) -> str | None:
    """One name for one unit, in small letters; None where the words may change the number, as in `5 million`, `5x`."""
    if _WORDS.fullmatch(text) is None:
        return None
    words = [_singular(word) for word in re.split(r"[\s/]+", text.lower())]
    if any(not _names(word) for word in words):
        return None
    return _ALIASES.get(words[0], words[0]) if len(words) == 1 else " ".join(words)


def _names(word: str) -> bool:
    letters = word.rstrip("^23")
    longer = len(letters) > 2  # noqa: PLR2004 - one or two letters may be variables, or pi
    return bool(_SHORT.fullmatch(letters)) or (longer and not _CHANGES_THE_NUMBER.fullmatch(letters))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") else word  # noqa: PLR2004 - shorter ones are no plurals
