from __future__ import annotations

import re
from pathlib import Path

from domain.events import EVENT_TYPES

PAGE = (Path(__file__).parents[2] / "docs" / "events.md").read_text()
RULES = Path(__file__).parents[2] / "domain" / "rules"


def test_the_page_lists_every_event_and_no_other():
    listed = re.findall(r"`([a-z-]+\.v\d+)`", PAGE)
    assert sorted(listed) == sorted(str(kind.__struct_config__.tag) for kind in EVENT_TYPES)


def test_every_rule_it_names_is_a_file():
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", PAGE)) | {"lifecycle"}
    assert {name for name in named if not (RULES / f"{name}.py").exists()} == set()
