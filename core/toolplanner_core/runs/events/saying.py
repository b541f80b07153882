"""Small words for the lines of the event log.

Only short texts are looked at: of a stored event the long ones are marks until somebody asks.
"""

from collections.abc import Mapping
from typing import Any

LONGEST = 160
"""Characters of one line."""


def text_words(value: Any) -> str:
    """A text on one line; of one that is stored beside the event, how long it is."""
    if isinstance(value, str):
        return short_line(value)
    if not isinstance(value, Mapping):
        return ""
    size: Any = value.get("size")  # pyright: ignore[reportUnknownMemberType]
    return f"text of {size / 1000:.1f} kB" if isinstance(size, int) else "long text"


def pairs_words(value: Any) -> str:
    """A JSON object as "name value, name value"."""
    if not isinstance(value, Mapping):
        return "" if value is None else short_line(str(value))
    if any(str(key).startswith("$") for key in value):  # pyright: ignore[reportUnknownArgumentType]
        return text_words(value)
    parts: list[str] = []
    for key, one in value.items():  # pyright: ignore[reportUnknownVariableType]
        shown = "…" if isinstance(one, Mapping | list) else short_line(str(one), 60)  # pyright: ignore[reportUnknownArgumentType]
        parts.append(f"{key} {shown}")
    return ", ".join(parts)


def joined_words(head: str, rest: str) -> str:
    """Both with a colon between, or the one that is there."""
    return f"{head}: {rest}" if head and rest else head or rest


def sentence_case(name: str) -> str:
    """ "fell_back" as "Fell back"."""
    return name.replace("_", " ").capitalize()


def short_line(text: str, longest: int = LONGEST) -> str:
    """A text without line breaks, cut."""
    flat = " ".join(text[: longest * 2].split())
    return flat if len(flat) <= longest else f"{flat[: longest - 1]}…"
