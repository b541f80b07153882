"""ToolBench's parameter types and defaults as JSON Schema.

The crawl has 22 words for types and keeps every default as a text, whatever the type: numbers that
are words, lists that are comma-separated, "string" as a placeholder. A default that fits becomes
`default`; one that does not is documentation, not a value, and is kept as `x-documented-default`
so that nothing is lost and nothing wrong is sent.

Source: design/strategies.md section 0, "Schema": NUMBER is `number` (latitudes), optional
parameters are always offered.
"""

import json
import math
import re
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.cleaning import clean_json, clean_text
from toolplanner_core.sources.documents import parse

ORIGINAL_TYPE = "x-original-type"
"""Schema key: the catalogue's own word for a type, where ours says less."""
DOCUMENTED_DEFAULT = "x-documented-default"
"""Schema key: the default as documented, where it does not fit the type."""

_TYPES: dict[str, dict[str, Any]] = {
    "STRING": {"type": "string"},
    "STR": {"type": "string"},
    "TEXT": {"type": "string"},
    "": {"type": "string"},
    "NUMBER": {"type": "number"},
    "FLOAT": {"type": "number"},
    "DOUBLE": {"type": "number"},
    "DECIMAL": {"type": "number"},
    "INT": {"type": "integer"},
    "INTEGER": {"type": "integer"},
    "BOOLEAN": {"type": "boolean"},
    "BOOL": {"type": "boolean"},
    "LIST": {"type": "array"},
    "ARRAY": {"type": "array"},
    "OBJECT": {"type": "object"},
    "DICT": {"type": "object"},
    "JSON": {"type": "object"},
    "ENUM": {"type": "string"},
    "SELECT": {"type": "string"},
    "DATE": {"type": "string", "format": "date"},
    "DATEPICKER": {"type": "string", "format": "date"},
    "DATETIME": {"type": "string", "format": "date-time"},
    "TIME": {"type": "string", "format": "time"},
    # All 68 MAPs of the catalogue are places as "latitude,longitude", none is an object.
    "GEOPOINT": {"type": "string", "format": "geopoint", ORIGINAL_TYPE: "GEOPOINT"},
    "MAP": {"type": "string", "format": "geopoint", ORIGINAL_TYPE: "MAP"},
    "FILE": {"type": "string", "format": "binary", ORIGINAL_TYPE: "FILE"},
    "BINARY": {"type": "string", "format": "binary", ORIGINAL_TYPE: "BINARY"},
    "CREDENTIALS": {"type": "string", "writeOnly": True, ORIGINAL_TYPE: "CREDENTIALS"},
}
_CHOICES = frozenset({"ENUM", "SELECT"})

_FORMATS = {
    "date": re.compile(r"\d{4}-\d{2}-\d{2}"),
    "time": re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?"),
    "date-time": re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*"),
    "geopoint": re.compile(r"\(?\s*-?\d+(\.\d+)?\s*,\s*-?\d+(\.\d+)?\s*\)?"),
}
# "007" and "+49" are codes that look like numbers.
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")
_PLACEHOLDER = re.compile(r"<[^<>]*>|string|number|boolean|integer|object|array", re.IGNORECASE)

_QUOTED = r"""(?:"[^"\n]{1,60}"|'[^'\n]{1,60}'|`[^`\n]{1,60}`)"""
_BETWEEN = r"\s*(?:,\s*(?:and|or)?|\||/|;|\band\b|\bor\b)\s*"
_QUOTED_LIST = re.compile(rf"{_QUOTED}(?:{_BETWEEN}{_QUOTED})+")
_ONE_QUOTED = re.compile(_QUOTED)
_BARE_LIST = re.compile(
    r"(?:values?|options?|types?|one of)(?:\s+(?:are|is|include|can be|following values?))?"
    r"\s*[:=]?\s*([\w.-]+(?:\(default\))?(?:\s*[,|]\s*[\w.-]+(?:\s*\(default\))?)+)"
    r"(?=\s*(?:[.;\n)]|$))",
    re.IGNORECASE,
)
_PIPED = re.compile(r"[\w.-]+(?:\s*\|\s*[\w.-]+)+")
_OPEN_END = re.compile(r"\betc\b|\.\.\.|…|e\.g\.|for example|such as", re.IGNORECASE)


def parameter_schema(
    type_word: Any, default: Any, description: str, *, required: bool
) -> dict[str, Any]:
    """The JSON Schema of one parameter.

    Args:
        type_word: ToolBench's type, such as "NUMBER" or "DATE (YYYY-MM-DD)"; anything.
        default: its default as documented; anything.
        description: cleaned.
        required: the default of a required parameter is an example of a value as well.
    """
    original = clean_text(type_word, cap=200)
    word = original.partition("(")[0].strip().upper()
    known = _TYPES.get(word)
    schema: dict[str, Any] = dict(known) if known else {"type": "string", ORIGINAL_TYPE: original}
    if description:
        schema["description"] = description
    documented = _documented(default)
    if word in _CHOICES:
        _add_choices(schema, documented, description, original)
    if word == "JSON" and isinstance(documented, str) and documented.startswith("["):
        schema["type"] = "array"
    if documented in ("", None):
        return schema
    fits, value = _fit(documented, schema)
    if fits:
        schema["default"] = value
        if required:
            schema["examples"] = [value]
    else:
        schema[DOCUMENTED_DEFAULT] = documented
    return schema


def _documented(default: Any) -> Any:
    if isinstance(default, str):
        return clean_text(default, cap=2_000)
    return None if default is None else clean_json(default)


def _fit(documented: Any, schema: dict[str, Any]) -> tuple[bool, Any]:
    """Whether a documented default is a value of the schema's type, and that value."""
    if not isinstance(documented, str):
        return _has_type(documented, schema["type"]), documented
    kind: str = schema["type"]
    if kind == "string":
        return _fits_text(documented, schema), documented
    if kind in {"number", "integer"}:
        if len(documented) > 40 or not _NUMBER.fullmatch(documented):
            return False, None
        value = json.loads(documented)
        if isinstance(value, float) and not math.isfinite(value):
            return False, None
        return (kind == "number" or isinstance(value, int)), value
    if kind == "boolean":
        lowered = documented.lower()
        return lowered in {"true", "false"}, lowered == "true"
    try:
        value = clean_json(parse(documented))
    except BadInput:
        return False, None
    return _has_type(value, kind), value


def _has_type(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    expected: dict[str, type | tuple[type, ...]] = {
        "string": str,
        "number": (int, float),
        "integer": int,
        "array": list,
        "object": dict,
    }
    return kind in expected and isinstance(value, expected[kind])


def _fits_text(documented: str, schema: dict[str, Any]) -> bool:
    if schema.get("writeOnly") or _PLACEHOLDER.fullmatch(documented):
        # A documented credential is never a value to send; "string" is nobody's value.
        return False
    if "enum" in schema:
        return documented in schema["enum"]
    form = _FORMATS.get(schema.get("format", ""))
    return form is None or form.fullmatch(documented) is not None


def _add_choices(schema: dict[str, Any], documented: Any, description: str, original: str) -> None:
    """Give the schema an `enum` if the documentation really lists the values."""
    values = _listed(documented, description)
    is_closed = len(values) > 1 and not _OPEN_END.search(description)
    is_choice = not documented or documented in values or _PIPED.fullmatch(str(documented))
    if is_closed and is_choice:
        schema["enum"] = values
    else:
        # A wrong list would forbid right values; the word still says that there is one.
        schema[ORIGINAL_TYPE] = original


def _listed(documented: Any, description: str) -> list[str]:
    if isinstance(documented, str) and _PIPED.fullmatch(documented):
        found = documented.split("|")
    elif quoted := _QUOTED_LIST.search(description):
        found = [match[1:-1] for match in _ONE_QUOTED.findall(quoted.group())]
    elif bare := _BARE_LIST.search(description):
        found = re.sub(r"\(default\)", "", bare.group(1), flags=re.IGNORECASE)
        found = re.split(r"[,|]", found)
    else:
        return []
    return list(dict.fromkeys(value.strip() for value in found if value.strip()))
