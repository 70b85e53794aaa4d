"""Why results are not taken: the file, the field and the rule."""

from __future__ import annotations

from tuneplane.terminal import shown


class ResultsRefused(ValueError):
    """These results cannot be reported as they are; nothing of them was sent."""

    def __init__(self, file: str, field: str, rule: str) -> None:
        super().__init__(f"{shown(file)}: {shown(field)}: {shown(rule)}")
        self.file = file
        self.field = field
        self.rule = rule
