"""Make texts from others fit to store, show and hash.

Documentation comes from strangers: it holds zero-width and direction marks that hide words from a
reader but not from a model, control characters, halves of surrogate pairs that SQLite refuses, and
texts of megabytes.

Source: design/security.md, "Tool documentation is data".
"""

import re
from typing import Any

from toolplanner_core.words.scripts import compile_with_marks

NAME_CAP = 2_000
"""Characters kept of a name or title; long real names have about 300."""
TEXT_CAP = 20_000
"""Characters kept of a description."""
_CUT_MARK = " […]"

_HIDDEN = (
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters except tab, newline, return
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"  # invisible letters and marks
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f"  # zero width, direction
    "\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ufffe\uffff"  # variation selectors, byte order mark, specials
    "\ud800-\udfff"  # halves of surrogate pairs
    "\U000e0000-\U000e0fff"  # tags: a whole hidden alphabet
    "]"
)
_UNWANTED = re.compile(f"{_HIDDEN}+")
_JOINERS = re.compile("[\u200c\u200d\ufe0f]")
_SHAPED = (
    r"[\p{Arabic}\p{Devanagari}\p{Bengali}\p{Gujarati}\p{Gurmukhi}\p{Oriya}\p{Tamil}\p{Telugu}"
    r"\p{Kannada}\p{Malayalam}\p{Sinhala}\p{Khmer}\p{Myanmar}\p{Mongolian}]"
)
_WANTED = (
    r"(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d(?=\p{Extended_Pictographic})"
    r"|(?<=\p{Extended_Pictographic})\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)"
    rf"|(?<={_SHAPED})[\u200c\u200d](?={_SHAPED})"
)
"""Joined emoji, pictures in colour, and letters whose shape a joiner changes, as in Persian."""
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029]")
_SPACES = re.compile(r"\s+")


def clean_text(value: Any, *, cap: int = TEXT_CAP) -> str:
    """A text of several lines without hidden characters; "" for what is no text."""
    if not isinstance(value, str):
        return str(value) if isinstance(value, int | float) else ""
    if not value.isascii() or not value.isprintable():
        value = _without_hidden(_LINE_ENDS.sub("\n", value))
    value = value.strip()
    return value if len(value) <= cap else value[: cap - len(_CUT_MARK)].rstrip() + _CUT_MARK


def _without_hidden(text: str) -> str:
    if not _JOINERS.search(text):
        return _UNWANTED.sub("", text)
    return compile_with_marks(f"({_WANTED})|{_HIDDEN}").sub(r"\1", text)


def clean_line(value: Any, *, cap: int = NAME_CAP) -> str:
    """A name or title: one line, single spaces, without hidden characters."""
    text = clean_text(value, cap=cap * 2)
    if not text.isascii() or not text.isprintable() or "  " in text:
        text = _SPACES.sub(" ", text).strip()
    return text if len(text) <= cap else text[: cap - len(_CUT_MARK)].rstrip() + _CUT_MARK


def clean_json(value: Any) -> Any:
    """A JSON value with every text in it cleaned, keys too; lists and objects are new ones.

    The caller has checked the depth (`documents.py`), so recursion is safe.
    """
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_line(key): clean_json(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [clean_json(inner) for inner in value]
    return value
