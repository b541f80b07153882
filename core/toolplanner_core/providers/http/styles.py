"""How lists and objects are written into paths, queries, headers and cookies.

Source: OpenAPI 3.1, 4.8.12 "Parameter Object", style values; RFC 6570. "tabDelimited" is 2.0's
`collectionFormat: tsv`, "json" a parameter with `content: application/json`.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import quote

from toolplanner_core.domain.operation import Within

Pairs = list[tuple[str, str]]

_DEFAULTS = {
    Within.PATH: "simple",
    Within.QUERY: "form",
    Within.HEADER: "simple",
    Within.COOKIE: "form",
    Within.BODY: "form",
}
_BETWEEN = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}


def text_of(value: Any) -> str:
    """A single value as it stands in a request; what is inside a list or object as JSON."""
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case int() | float():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)


def pairs_of(
    name: str, value: Any, *, within: Within, style: str = "", explode: bool | None = None
) -> Pairs:
    """Names and values in a query, a form or cookies, not yet encoded."""
    style = style or _DEFAULTS[within]
    is_exploded = style == "form" if explode is None else explode
    items, fields = _items(value), _fields(value)
    if style == "json" or (items is None and fields is None):
        return [
            (name, json.dumps(value, ensure_ascii=False) if style == "json" else text_of(value))
        ]
    if fields is not None:
        if style == "deepObject":
            return _deep(name, fields)
        if is_exploded:
            return [(key, text_of(item)) for key, item in fields.items()]
        items = [part for key, item in fields.items() for part in (key, item)]
    elif is_exploded or style == "deepObject":
        return [(name, text_of(item)) for item in items or ()]
    return [(name, _BETWEEN.get(style, ",").join(map(text_of, items or ())))]


def path_text(name: str, value: Any, *, style: str = "", explode: bool | None = None) -> str:
    """What stands in a path for a parameter, encoded."""
    parts = [quote(part, safe="") for part in _parts(value, explode=bool(explode))]
    match style:
        case "label":
            return "." + (".".join(parts) if explode else ",".join(parts))
        case "matrix":
            if explode and _fields(value) is not None:
                return "".join(f";{part.replace('%3D', '=', 1)}" for part in parts)
            if explode and _items(value) is not None:
                return "".join(f";{name}={part}" for part in parts)
            return f";{name}={','.join(parts)}"
        case _:
            text = ",".join(parts)
            return text.replace("%3D", "=") if explode and _fields(value) is not None else text


def header_text(value: Any, *, explode: bool | None = None, style: str = "") -> str:
    """What stands in a header."""
    if style == "json":
        return json.dumps(value)
    return ",".join(_parts(value, explode=bool(explode)))


def _parts(value: Any, *, explode: bool) -> list[str]:
    items, fields = _items(value), _fields(value)
    if fields is not None:
        if explode:
            return [f"{key}={text_of(item)}" for key, item in fields.items()]
        return [text_of(part) for pair in fields.items() for part in pair]
    return [text_of(item) for item in items] if items is not None else [text_of(value)]


def _deep(name: str, fields: Mapping[str, Any]) -> Pairs:
    pairs: Pairs = []
    for key, item in fields.items():
        inner = f"{name}[{key}]"
        if (below := _fields(item)) is not None:
            pairs += _deep(inner, below)
        elif (items := _items(item)) is not None:
            pairs += [(inner, text_of(each)) for each in items]
        else:
            pairs.append((inner, text_of(item)))
    return pairs


def _items(value: Any) -> Sequence[Any] | None:
    return cast(Sequence[Any], value) if isinstance(value, list | tuple) else None


def _fields(value: Any) -> Mapping[str, Any] | None:
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else None
