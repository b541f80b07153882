"""The shape of a vendor's reply: a template that is filled with what a function computed.

A template is JSON. `"$name"` is replaced by the value of that name, `"$name|filter"` by the value
put through a filter, `"{name} of {other}"` by text, and `{"$each": "list", "as": template}` by one
filled template for each entry of a list. All else stays as it is. So vendors of one kind share one
function and still differ in names, nesting and units, as real ones do.
"""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, cast

_FILTERS: dict[str, Callable[[Any], Any]] = {
    "f": lambda v: round(v * 1.8 + 32, 1),
    "mph": lambda v: round(v / 1.609344, 1),
    "ms": lambda v: round(v / 3.6, 1),
    "miles": lambda v: round(v / 1.609344, 1),
    "inch": lambda v: round(v / 25.4, 2),
    "share": lambda v: round(v / 100, 4),
    "minus1": lambda v: v - 1,
    "int": round,
    "text": str,
    "upper": lambda v: str(v).upper(),
    "yesno": lambda v: "yes" if v else "no",
    "dmy": lambda v: datetime.strptime(v[:10], "%Y-%m-%d").strftime("%d/%m/%Y"),  # noqa: DTZ007
    "join": lambda v: ", ".join(str(part) for part in v),
    "lb": lambda v: round(v * 2.20462262, 1),
    "first": lambda v: v[0] if v else None,
    "meters": lambda v: round(v * 1000),
    "hours": lambda v: round(v / 60, 2),
    "seconds": lambda v: v * 60,
}


def fill(template: Any, values: Mapping[str, Any]) -> Any:
    """The template with its names replaced; an unknown name gives null."""
    if isinstance(template, str):
        return _fill_text(template, values)
    if isinstance(template, list):
        return [fill(part, values) for part in cast(list[Any], template)]
    if isinstance(template, dict):
        parts = cast(dict[str, Any], template)
        if "$each" in parts:
            rows = values.get(parts["$each"]) or []
            return [fill(parts["as"], {**values, **row}) for row in rows]
        return {key: fill(part, values) for key, part in parts.items()}
    return template


def _fill_text(template: str, values: Mapping[str, Any]) -> Any:
    if template.startswith("$"):
        return _value(template[1:], values)
    return re.sub(r"\{([a-z0-9_|]+)\}", lambda m: str(_value(m[1], values)), template)


def _value(name: str, values: Mapping[str, Any]) -> Any:
    name, *filters = name.split("|")
    value = values.get(name)
    for each in filters:
        value = _FILTERS[each](value) if value is not None else None
    return value
