"""Numbers, times and texts as people read them: the same in the window and on the command line."""

import json
import time
from datetime import datetime
from typing import Any


def count(number: int) -> str:
    """Thousands separated: 45,284."""
    return f"{number:,}"


def counted(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: "1 API", "58 APIs", "2 branches"."""
    ending = "es" if one.endswith(("s", "x", "ch", "sh")) else "s"
    return f"{number:,} {one if number == 1 else many or one + ending}"


def duration(seconds: float) -> str:
    """At most three digits that matter, with the unit: 212 ms, 4.1 s, 2 min 5 s, 1 h 4 min."""
    if seconds < 0.0995:
        return f"{seconds * 1000:.0f} ms" if seconds >= 0.0095 else f"{seconds * 1000:.1f} ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def when(seconds_since_1970: float, *, now_s: float | None = None, is_short: bool = False) -> str:
    """A moment seen from now: just now, 12 min ago, 10:04, yesterday 18:30, 3 Nov 2026.

    Args:
        is_short: for narrow columns: now, 12 min, 10:04, 18 Nov.
    """
    now_s = time.time() if now_s is None else now_s
    age_s = now_s - seconds_since_1970
    if age_s < 45:
        return "now" if is_short else "just now"
    if age_s < 3600:
        minutes = max(1, round(age_s / 60))
        return f"{minutes} min" if is_short else f"{minutes} min ago"
    then = datetime.fromtimestamp(seconds_since_1970).astimezone()
    today = datetime.fromtimestamp(now_s).astimezone().date()
    days = (today - then.date()).days
    if days == 0:
        return f"{then:%H:%M}"
    if is_short:
        return f"{then.day} {then:%b}"
    if days == 1:
        return f"yesterday {then:%H:%M}"
    return f"{then.day} {then:%b %Y}"


def one_line(text: str, limit: int = 200) -> str:
    """Text of a tool or model in one line, cut with an ellipsis."""
    is_plain = len(text) <= limit and text.isprintable() and "  " not in text
    if is_plain and text[:1] != " " and text[-1:] != " ":
        # Nearly all names; a map asks for thousands of them at a time.
        return text
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def file_size(size_bytes: int) -> str:
    """A size for people: "512 bytes", "12.4 kB", "12.4 MB"."""
    for unit, name in ((1_000_000, "MB"), (1_000, "kB")):
        if size_bytes >= unit:
            return f"{size_bytes / unit:,.1f} {name}"
    return counted(size_bytes, "byte")


def within(phrase: str) -> str:
    """A title as it stands inside a sentence: "fit of the toolkit", but "HTTP method"."""
    return phrase if phrase[1:2].isupper() else f"{phrase[:1].lower()}{phrase[1:]}"


def storable(value: Any) -> Any:
    """A JSON value without halves of surrogate pairs: they are legal in JSON, but nothing can store
    or show them."""
    whole = json.dumps(value, ensure_ascii=False)
    raw = whole.encode("utf-8", "replace")
    return value if raw.decode() == whole else json.loads(raw)


def score(value: float) -> str:
    """A similarity or score with two digits."""
    return f"{value:.2f}"
