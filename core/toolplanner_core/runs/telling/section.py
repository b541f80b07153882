"""A titled text, and JSON as people read it."""

import json
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from toolplanner_core.domain.plain_data import plain_mapping

Look = Literal["", "code", "program"]
"""Prose; in a font of one width; that with numbered lines, which are not wrapped."""


class ShownText(NamedTuple):
    """A titled text for whoever knows nothing of runs; a picture, in base64, stands above it."""

    title: str
    text: str
    look: Look
    picture: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A titled text; `is_code` is shown in a fixed-width font, `is_program` has numbered lines, and
    a `picture`, in base64, is drawn above it where there is a screen."""

    title: str
    text: str
    is_code: bool = False
    is_program: bool = False
    picture: str = ""

    @property
    def shown(self) -> ShownText:
        """It as it is shown."""
        look: Look = "program" if self.is_program else "code" if self.is_code else ""
        return ShownText(self.title, self.text, look, self.picture)


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
