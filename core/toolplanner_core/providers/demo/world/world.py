"""What all functions of the demo world stand on: its date, its chance, its tables, its errors.

Everything is deterministic: "now" is passed in, and chance is a hash of what it is about, so that
two vendors asked about the same town tell the same weather.
"""

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from typing import Any

from toolplanner_core.resources import resource_root

Args = Mapping[str, Any]
Record = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Date and chance of the demo world; `now` is in UTC."""

    now: datetime
    seed: int = 0

    def chance(self, *about: object) -> float:
        """A number in [0, 1) that depends on nothing but the seed and what it is about."""
        text = "\x1f".join(str(part) for part in (self.seed, *about))
        digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big") / 2**64

    def pick(self, choices: list[Any], *about: object) -> Any:
        """One of the choices, always the same one for the same subject."""
        return choices[int(self.chance(*about) * len(choices))]


Function = Callable[[World, Args], Record]
"""What an endpoint computes: arguments by canonical names in, a JSON object out."""


class Refusal(Exception):
    """A reply other than 200; becomes a status and an error body in the vendor's shape.

    Attributes:
        status: HTTP status.
        code: short name, such as "not_found" or "invalid_parameter".
        field: canonical name of the argument at fault, "" if none.
    """

    def __init__(self, status: int, code: str, message: str, *, field: str = "") -> None:
        self.status = status
        self.code = code
        self.message = message
        self.field = field
        super().__init__(message)


@cache
def table(name: str) -> list[Record]:
    """All rows of `resources/demo/tables/NAME.json`; not to be changed."""
    path = resource_root() / "demo" / "tables" / f"{name}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    return [dict(zip(data["columns"], row, strict=True)) for row in data["rows"]]


_PLURAL = re.compile(r"(?<=o)es\b|(?<=[^\Wsu])s\b")


def fold(text: object) -> str:
    """A text for comparing: no case, no accents, no punctuation but spaces."""
    plain = unicodedata.normalize("NFKD", str(text))
    kept = (c if c.isalnum() else " " for c in plain if not unicodedata.combining(c))
    return " ".join("".join(kept).casefold().split())


def contains_words(one: str, other: str) -> bool:
    """Whether one of two folded texts stands in the other as whole words, plural or not: "gin" is
    no "ginger beer", and Nice no Venice."""
    singular = (_PLURAL.sub("", re.sub(r"ies\b", "y", text)) for text in (one, other))
    first, second = (f" {text} " for text in singular)
    return first in second or second in first


def number(args: Args, name: str, default: float | None = None) -> float:
    """An argument as a finite number; texts such as "41.9" are read.

    Raises:
        Problem: it is missing, or not a number.
    """
    value = args.get(name, default)
    if value is None:
        raise Refusal(400, "missing_parameter", f"{name} is required", field=name)
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = float("nan")
    if isinstance(value, bool) or not abs(found) < 1e15:
        raise Refusal(422, "wrong_format", f"{name} must be a number", field=name)
    return found


def whole(args: Args, name: str, default: int, *, least: int = 1, most: int = 100) -> int:
    """An argument as a whole number, cut to the range."""
    return max(least, min(most, int(number(args, name, default))))


def text(args: Args, name: str, default: str | None = None) -> str:
    """An argument as a text that is not blank.

    Raises:
        Problem: it is missing or blank and there is no default.
    """
    value = str(args.get(name) if args.get(name) is not None else "").strip()
    if value:
        return value
    if default is None:
        raise Refusal(400, "missing_parameter", f"{name} is required", field=name)
    return default


_DATE_FORMS = ("%Y-%m-%d", "%d/%m/%Y", "%m-%d-%Y", "%Y%m%d", "%d.%m.%Y")


def day(world: World, args: Args, name: str = "date") -> date:
    """An argument as a date: today if it is not given, "tomorrow", or one of the usual forms.

    Raises:
        Problem: no date can be read, or it lies outside 1950 to 2100.
    """
    value = args.get(name)
    today = world.now.date()
    if value is None or fold(value) in ("", "today", "now"):
        return today
    if fold(value) == "tomorrow":
        return date.fromordinal(today.toordinal() + 1)
    for form in _DATE_FORMS:
        try:
            found = datetime.strptime(str(value).strip()[:10], form).date()  # noqa: DTZ007
        except ValueError:
            continue
        if 1950 <= found.year <= 2100:
            return found
        raise Refusal(
            400, "invalid_parameter", f"{name} must lie between 1950 and 2100", field=name
        )
    raise Refusal(422, "wrong_format", f"{name} must be a date in the form YYYY-MM-DD", field=name)
