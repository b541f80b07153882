"""One value of an API in the form that another one asks for: the same value, or none at all.

Types ("250" is 250), codes and names of countries, languages and units, written days and lengths:
whatever has one exact counterpart by the tables of the program. What could only be guessed, or
would lose something, has no form. Pure; called by `argument_carrying.py`.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, cast

from toolplanner_core.domain.api import Parameter
from toolplanner_core.words.tables import codes, entries, pattern, spelled, table

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_DAY_PARTS = {"yyyy": "%Y", "mm": "%m", "dd": "%d"}
_BOOLEANS = {"true": True, "false": False}
_CODED = ("countries", "languages")
_CODE_WORDS = re.compile(r"\bcodes?\b|\biso|two-letter|2-letter|alpha-?[23]")
_LONG_CODE = re.compile(r"three-letter|3-letter|alpha-?3|\biso ?3\b|639-2")
_NAME_OR_CODE = re.compile(r"\bnames?\b.*\bor\b.*\bcodes?\b|\bcodes?\b.*\bor\b.*\bnames?\b")
_ABOUT = {"countries": re.compile(r"country|countries|nation"), "languages": re.compile(r"lang")}
_LISTED = re.compile(r"\bcommas?\b|comma-separated|\blist of\b")
_EXAMPLES = re.compile(r"\b(?:such as|e\.g\.|for example|one of)\b.*")
_OFFLINE = ("offline", "world")


class Form(NamedTuple):
    """A value that has a form."""

    value: Any


def form_of(value: Any, first: Parameter, second: Parameter) -> Form | None:
    """The value that `first` was given, as `second` wants it; None if it has no exact form."""
    for meant in (_length(value, first, second), _day(value, first, second)):
        if meant is not None:
            return _typed(meant.value, second)
    choice = second.schema.get("enum")
    if isinstance(choice, list):
        return _chosen(value, cast("list[Any]", choice))
    if isinstance(value, str) and (coded := _coded(value, first, second)) is not None:
        return coded
    return _typed(value, second)


def text_of(parameter: Parameter) -> str:
    """What its name and description say, in lower case."""
    named = re.sub(r"(?<=[a-z])(?=[A-Z])|[_\-\[\].]+", " ", parameter.name)
    return f"{named} {parameter.description}".casefold()


def joined_position(latitude: Any, longitude: Any) -> str:
    """Two numbers as the one text that some APIs take."""
    return f"{latitude},{longitude}"


def parted_position(value: Any) -> tuple[float, float] | None:
    """Latitude and longitude of such a text; None if it is none."""
    parts = str(value).replace(" ", "").split(",")
    if len(parts) != 2 or not all(map(_NUMBER.fullmatch, parts)):
        return None
    latitude, longitude = map(float, parts)
    return (latitude, longitude) if abs(latitude) <= 90 and abs(longitude) <= 180 else None


def _typed(value: Any, second: Parameter) -> Form | None:
    """The value in the type of a parameter."""
    kind = second.type
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(value, str):
        return _text_typed(value, second)
    if kind == "string" and is_number:
        return Form(f"{value:.15g}" if isinstance(value, float) else str(value))
    if kind == "string" and isinstance(value, bool):
        return None  # "true", "yes" or "1"
    if kind == "string" and isinstance(value, list):
        parts = cast("list[Any]", value)
        is_plain = all(isinstance(each, str) and "," not in each for each in parts)
        return Form(",".join(parts)) if is_plain and _LISTED.search(text_of(second)) else None
    if kind == "integer":
        is_whole = is_number and float(value).is_integer()
        return Form(int(value)) if is_whole else None
    fits: Mapping[str, bool] = {
        "number": is_number,
        "boolean": isinstance(value, bool),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
    }
    return Form(value) if fits.get(kind, False) else None


def _text_typed(value: str, second: Parameter) -> Form | None:
    kind = second.type
    if kind == "string":
        return Form(value)
    if kind in ("number", "integer") and _NUMBER.fullmatch(value.strip()):
        number = float(value)
        if number.is_integer() and "." not in value:
            return Form(int(value))
        return Form(number) if kind == "number" else None
    if kind == "boolean" and value.casefold() in _BOOLEANS:
        return Form(_BOOLEANS[value.casefold()])
    return None


def _chosen(value: Any, choice: list[Any]) -> Form | None:
    """The option that is the value, or means the same by a table; one only."""
    if value in choice:
        return Form(choice[choice.index(value)])
    said = str(value).casefold()
    same = [option for option in choice if str(option).casefold() == said]
    same = same or [option for option in choice if _meaning(str(option)) & _meaning(said)]
    return Form(same[0]) if len(same) == 1 else None


def _meaning(said: str) -> frozenset[str]:
    """What the tables know a word as."""
    word = said.casefold()
    found = {spelled("units").get(word, "")}
    for kind in _CODED:
        entry = entries(kind).get(word) or codes(kind).get(word) or codes(kind).get(word.upper())
        found.add(f"{kind} {entry.short}" if entry is not None else "")
    return frozenset(found) - {""}


def _coded(value: str, first: Parameter, second: Parameter) -> Form | None:
    """A country or language as the code or the name that is asked for; None if neither is. Of one
    that no table knows nothing is said either."""
    asked = text_of(second)
    for kind in _CODED:
        if not (_ABOUT[kind].search(asked) or _ABOUT[kind].search(text_of(first))):
            continue
        word = value.casefold().replace("-", " ").replace("_", " ")
        entry = entries(kind).get(word) or codes(kind).get(value) or codes(kind).get(value.upper())
        if entry is None or _NAME_OR_CODE.search(asked):
            return None
        is_code = value.casefold() in (entry.short.casefold(), entry.long.casefold())
        wants_code = bool(_CODE_WORDS.search(asked)) or _is_code(second, kind)
        if wants_code and not is_code:
            long = entry.long if kind == "countries" else ""
            return Form(long if long and _LONG_CODE.search(asked) else entry.short)
        if not wants_code and is_code and re.search(r"\bname\b", asked):
            return Form(entry.names[0])
    return None


def _is_code(parameter: Parameter, kind: str) -> bool:
    """Whether its documented value is a code."""
    shown = parameter.schema.get("default") or parameter.schema.get("example")
    return isinstance(shown, str) and shown in codes(kind)


def is_known_name(value: Any, kind: str) -> bool:
    """Whether a table of countries, languages or states knows it by its name or its code."""
    word = str(value).strip()
    spaced = word.casefold().replace("-", " ").replace("_", " ")
    return spaced in entries(kind) or word.upper() in codes(kind)


def _length(value: Any, first: Parameter, second: Parameter) -> Form | None:
    """A length in the other unit, if both name one and they are different."""
    one, other = _unit(first), _unit(second)
    if not one or not other or one == other or isinstance(value, bool):
        return None
    if not isinstance(value, int | float):
        return None
    metres = table("lengths", folders=_OFFLINE)
    found = round(value * metres[one]["m"] / metres[other]["m"], 6)
    return Form(int(found) if float(found).is_integer() else found)


def _unit(parameter: Parameter) -> str:
    """The one unit of length that a parameter names, "" without."""
    found = _lengths(parameter)
    return next(iter(found)) if len(found) == 1 else ""


def _lengths(parameter: Parameter) -> frozenset[str]:
    lengths = table("lengths", folders=_OFFLINE)
    said = _EXAMPLES.sub("", text_of(parameter))
    return frozenset(name for name in lengths if re.search(lengths[name]["said"], said))


def lengths_fit(first: Parameter, second: Parameter) -> bool:
    """Whether a length of one is one of the other, or can be made one."""
    one, other = _lengths(first), _lengths(second)
    return one == other or len(one) == len(other) == 1


def _day(value: Any, first: Parameter, second: Parameter) -> Form | None:
    """A day in the documented order of its parts."""
    one, other = _day_form(first), _day_form(second)
    if not one or not other or one == other or not isinstance(value, str):
        return None
    try:
        day = datetime.strptime(value, one)  # noqa: DTZ007 - a day has no zone
    except ValueError:
        return None
    return Form(day.strftime(other))


def _day_form(parameter: Parameter) -> str:
    found = pattern("date_order", folders=_OFFLINE).search(text_of(parameter))
    return found[2].join(_DAY_PARTS[found[part]] for part in (1, 3, 4)) if found else ""


def has_other_day_form(first: Parameter, second: Parameter) -> bool:
    """Whether both document how a day is written, and not in the same way."""
    one, other = _day_form(first), _day_form(second)
    return bool(one) and bool(other) and one != other


def constants_of(url: str) -> frozenset[str]:
    """The words that stand fixed in the path of an address, in lower case."""
    path = url.partition("://")[2].partition("/")[2].partition("?")[0].casefold()
    return frozenset(part for part in path.split("/") if part and "{" not in part)
