"""Values in the form a schema asks for: dates, countries, languages, types, enums.

Each function gives the likeliest form first and other plausible ones after it; a form that failed
before is left out by `fill.py`. Called by `candidates.py` and `fill.py`.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import Any

from toolplanner_core.llm.offline import tables
from toolplanner_core.prompts.values import is_type, misfit, types_of

_DATE_FORMS = (
    (r"yyyy-mm-dd", "%Y-%m-%d"),
    (r"yyyy/mm/dd", "%Y/%m/%d"),
    (r"yyyymmdd", "%Y%m%d"),
    (r"dd/mm/yyyy", "%d/%m/%Y"),
    (r"mm/dd/yyyy", "%m/%d/%Y"),
    (r"dd-mm-yyyy", "%d-%m-%Y"),
    (r"mm-dd-yyyy", "%m-%d-%Y"),
    (r"dd\.mm\.yyyy", "%d.%m.%Y"),
)
_DATE_SHAPES = (
    (r"\d{4}-\d{2}-\d{2}", "%Y-%m-%d"),
    (r"\d{4}/\d{2}/\d{2}", "%Y/%m/%d"),
    (r"(?:19|20)\d{6}", "%Y%m%d"),
    (r"\d{2}/\d{2}/\d{4}", "%m/%d/%Y"),
    (r"\d{2}-\d{2}-\d{4}", "%d-%m-%Y"),
)


def text_of(schema: Any) -> str:
    """Description of a schema, lower case."""
    found = schema.get("description") if isinstance(schema, dict) else None
    return found.lower() if isinstance(found, str) else ""


def sample_of(schema: Any) -> str:
    """A documented default or example, which shows the form a value should have."""
    if not isinstance(schema, dict):
        return ""
    for key in ("default", "example", "x-documented-default"):
        if isinstance(schema.get(key), str):
            return schema[key]
    examples = schema.get("examples")
    if isinstance(examples, list) and examples and isinstance(examples[0], str):
        return examples[0]
    return ""


def date_forms(day: date, at: time | None, schema: Any, role: str) -> Iterator[Any]:
    """A day as the schema wants it: text in a documented order, or seconds since 1970."""
    described = text_of(schema)
    moment = datetime.combine(day, at or time(0, 0), tzinfo=UTC)
    is_number = types_of(schema)[:1] in (["integer"], ["number"])
    if is_number or re.search(r"\bunix|epoch|seconds since", described):
        seconds = int(moment.timestamp())
        yield seconds * 1000 if "millisecond" in described else seconds
    for pattern, form in _DATE_FORMS:
        if re.search(pattern, described):
            yield moment.strftime(form)
    for pattern, form in _DATE_SHAPES:
        if re.fullmatch(pattern, sample_of(schema)):
            yield moment.strftime(form)
    wants_time = role == "datetime" or (
        isinstance(schema, dict) and schema.get("format") == "date-time"
    )
    if wants_time:
        yield moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    for form in ("%Y-%m-%d", "%d-%m-%Y", "%m/%d/%Y", "%Y%m%d"):
        yield moment.strftime(form)


def country_forms(iso2: str, words: tuple[str, ...], schema: Any) -> list[str]:
    """A country as code or name."""
    country = tables.country_codes()[iso2]
    described, sample = text_of(schema), sample_of(schema)
    forms = [country.names[0], country.iso2, country.iso3]
    if re.search(r"alpha-?3|(?:three|3)[- ]letter", described) or re.fullmatch(r"[A-Z]{3}", sample):
        return [country.iso3, country.iso2, country.names[0]]
    is_code = (
        "code" in words
        or "cc" in words
        or "iso" in words
        or (isinstance(schema, dict) and schema.get("maxLength") == 2)
        or re.search(r"\biso\b|iso[- ]?3166|alpha-?2|(?:two|2)[- ]letter|country code", described)
        or re.fullmatch(r"[A-Za-z]{2}", sample)
    )
    if is_code:
        code = country.iso2.lower() if sample.islower() and len(sample) == 2 else country.iso2
        return [code, country.iso3, country.names[0]]
    return forms


def state_forms(code: str, words: tuple[str, ...], schema: Any) -> list[str]:
    """A state of the USA as code or name."""
    name = tables.states()[code]
    is_code = (
        "code" in words
        or (isinstance(schema, dict) and schema.get("maxLength") == 2)
        or re.search(r"code|abbrev|(?:two|2)[- ]letter|\b[a-z]{2}\b,", text_of(schema))
        or re.fullmatch(r"[A-Z]{2}", sample_of(schema))
    )
    return [code, name] if is_code else [name, code]


def language_forms(iso1: str, words: tuple[str, ...], schema: Any) -> list[str]:
    """A language as code or name."""
    language = next(entry for entry in tables.languages().values() if entry.iso1 == iso1)
    described, sample = text_of(schema), sample_of(schema)
    if re.search(r"iso 639-[23]|(?:three|3)[- ]letter", described):
        return [language.iso3, language.iso1, language.names[0]]
    is_name = (
        "name" in words
        or sample.lower() in tables.languages()
        or ("name" in described and "code" not in described)
    )
    if is_name:
        return [language.names[0], language.iso1, language.iso3]
    return [language.iso1, language.names[0], language.iso3]


def unit_forms(unit: str) -> tuple[str, ...]:
    """A unit in all its spellings, the full name first."""
    return tables.unit_spellings().get(unit, (unit,))


def fitted(value: Any, schema: Any) -> Iterator[Any]:
    """The value in the types and spellings that fit the schema, likeliest first."""
    for form in _typed(value, schema):
        if not misfit(form, schema):
            yield form


def _typed(value: Any, schema: Any) -> Iterator[Any]:
    options = schema.get("enum") if isinstance(schema, dict) else None
    if isinstance(options, list):
        for option in options:
            if str(option).lower() == str(value).lower():
                yield option
    kinds = types_of(schema)
    if not kinds or any(is_type(value, kind) for kind in kinds):
        yield value
        if isinstance(value, str) and misfit(value, schema):
            yield from (value.upper(), value.lower(), value.title())
    for kind in kinds:
        yield from _as_kind(value, kind, schema)


def _as_kind(value: Any, kind: str, schema: Any) -> Iterator[Any]:
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        yield str(int(value)) if float(value).is_integer() else str(value)
    elif kind == "string" and isinstance(value, list) and value:
        yield ",".join(map(str, value))
    elif kind in ("number", "integer") and isinstance(value, str):
        try:
            number = float(value.replace(",", ""))
        except ValueError:
            return
        if number.is_integer() and abs(number) < 1e15:
            yield int(number)
        elif kind == "number" and abs(number) < 1e300:
            yield number
    elif kind == "integer" and isinstance(value, float) and abs(value) < 1e15:
        yield round(value)
    elif kind == "array" and not isinstance(value, list):
        items = schema.get("items")
        for item in fitted(value, items) if isinstance(items, dict) else (value,):
            yield [item]
