"""Values in the form a schema asks for: dates, countries, languages, types, enums.

Each function gives the likeliest form first and other plausible ones after it; a form that failed
before is left out by `fill.py`.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any

from toolplanner_core.prompts.coercing import coerced
from toolplanner_core.prompts.values import misfit
from toolplanner_core.words.tables import CodedName, entries, pattern

_USUAL = ("%Y-%m-%d", "%d-%m-%Y", "%m/%d/%Y", "%Y%m%d", "%Y/%m/%d")


def text_of(schema: Any) -> str:
    """Description of a schema, lower case."""
    found = schema.get("description") if isinstance(schema, dict) else None
    return found.lower() if isinstance(found, str) else ""


def _sample_of(schema: Any) -> str:
    """A documented default or example, which shows the form a value should have."""
    if not isinstance(schema, dict):
        return ""
    examples = schema.get("examples")
    listed = examples[:1] if isinstance(examples, list) else []
    said = [schema.get(key) for key in ("default", "example", "x-documented-default")]
    return next((text for text in (*said, *listed) if isinstance(text, str)), "")


def _is_form(text: str, form: str) -> bool:
    try:
        return bool(datetime.strptime(text, form))  # noqa: DTZ007 - only its shape counts
    except ValueError:
        return False


def date_forms(day: date, at: time | None, schema: Any, role: str) -> Iterator[Any]:
    """A day as the schema wants it: text in a documented order."""
    described, sample = text_of(schema), _sample_of(schema)
    moment = datetime.combine(day, at or time(0, 0), tzinfo=UTC)
    if order := pattern("date_order").search(described):
        form = order[2].join(f"%{order[part][0]}" for part in (1, 3, 4))
        yield moment.strftime(form.replace("y", "Y"))
    yield from (moment.strftime(form) for form in _USUAL if _is_form(sample, form))
    if role == "datetime" or (isinstance(schema, dict) and schema.get("format") == "date-time"):
        yield moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    yield from (moment.strftime(form) for form in _USUAL)


def named_forms(kind: str, entry: CodedName, words: tuple[str, ...], schema: Any) -> list[str]:
    """A country, language or state as code or name; languages are codes unless names are asked
    for."""
    described, sample = text_of(schema), _sample_of(schema)
    name, short, long = entry.names[0], entry.short, entry.long or entry.short
    if pattern("long_code").search(described) or re.fullmatch(r"[A-Z]{3}", sample):
        return [long, short, name]
    if sample.islower() and len(sample) == 2:
        short = short.lower()
    is_code = (
        not {"code", "cc", "iso"}.isdisjoint(words)
        or (isinstance(schema, dict) and schema.get("maxLength") == 2)
        or pattern("short_code").search(described)
        or (kind == "states" and "code" in described)
        or re.fullmatch(r"[A-Za-z]{2}", sample)
    )
    if kind == "languages" and not is_code:
        is_name = "name" in words or ("name" in described and "code" not in described)
        is_code = not is_name and sample.lower() not in entries(kind)
    return [short, long, name] if is_code else [name, short, long]


def fitted(value: Any, schema: Any) -> Iterator[Any]:
    """The value in the types and spellings that fit the schema, likeliest first."""
    forms = [value, coerced(value, schema)]
    if isinstance(value, str):
        plain = value.replace(",", "") if re.fullmatch(r"[\d,.]+", value) else value
        others = [value.upper(), value.lower(), value.title()] if misfit(value, schema) else []
        forms += [coerced(plain, schema), *others]
    yield from (form for form in forms if not misfit(form, schema))
