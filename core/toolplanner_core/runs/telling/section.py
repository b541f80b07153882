"""A titled text, and JSON as people read it."""

import json
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.plain_data import plain_mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A titled text; `is_code` is shown in a fixed-width font."""

    title: str
    text: str
    is_code: bool = False


def pretty(value: Any) -> str:
    """A JSON value on several lines."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=plain_mapping)


def pretty_text(text: str) -> str:
    """Text that is JSON on several lines; any other text as it is."""
    if text[:1] not in ("{", "["):
        return text
    try:
        return pretty(json.loads(text))
    except (ValueError, RecursionError):
        return text
