"""An endpoint of the demo world: documentation, function, template of the reply and behaviour.

A template is JSON. `"$name"` is replaced by the value of that name, `"$name|filter"` by the value
put through a filter, `"{name} of {other}"` by text, and `{"$each": "list", "as": template}` by one
filled template for each entry of a list. All else stays as it is. So vendors of one kind share one
function and still differ in names, nesting and units, as real ones do.

Read from `resources/demo/apis/*.json`, one file per kind of API. A file holds `kind`, `category`
and `apis`; each API holds `vendor`, `vendor_description`, `name`, `method`, `url`, `description`,
`parameters` (a list;
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, cast

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.providers.demo.world import (
    city,
    clock,
    dictionary,
    gazetteer,
    kitchen,
    money,
    nature,
    post,
)
from toolplanner_core.providers.demo.world.world import Function, fold
from toolplanner_core.resources import resource_root
from toolplanner_core.sources.identity import doc_hash, make_api_id

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


SOURCE = "demo"
"""Name of the catalogue; part of every id."""

FUNCTIONS: dict[str, Function] = {
    **gazetteer.FUNCTIONS,
    **nature.FUNCTIONS,
    **clock.FUNCTIONS,
    **money.FUNCTIONS,
    **kitchen.FUNCTIONS,
    **post.FUNCTIONS,
    **city.FUNCTIONS,
    **dictionary.FUNCTIONS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """One API of the demo world.

    Attributes:
        api: its documentation, as the planner sees it.
        vendor: key of the vendor, such as "meteonow"; what `unlocked` names.
        aliases: canonical argument name by the vendor's parameter name.
        example: documented arguments.
        behaviour: {"kind": ...} of `execute.py`; {"kind": "ok"} for most.
    """

    api: Api
    kind: str
    vendor: str
    function: str
    aliases: Mapping[str, str]
    fixed: Mapping[str, Any]
    reply: Any
    example: Mapping[str, Any]
    behaviour: Mapping[str, Any] = field(default_factory=lambda: {"kind": "ok"})


@cache
def endpoints() -> dict[str, Endpoint]:
    """All endpoints by the key of their API, in the order of the files."""
    found: dict[str, Endpoint] = {}
    for path in sorted((resource_root() / "demo" / "apis").glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        for entry in data["apis"]:
            endpoint = _read(entry, kind=data["kind"], category=data["category"])
            found[endpoint.api.key] = endpoint
    return found


def load_demo_apis() -> list[Api]:
    """The APIs of the demo world, ready to be imported."""
    return [endpoint.api for endpoint in endpoints().values()]


def _read(entry: Mapping[str, Any], *, kind: str, category: str) -> Endpoint:
    vendor = fold(entry["vendor"]).replace(" ", "_")
    properties: dict[str, Any] = {}
    aliases: dict[str, str] = {}
    required: list[str] = []
    for parameter in entry["parameters"]:
        schema = {k: v for k, v in parameter.items() if k not in ("name", "required", "as")}
        properties[parameter["name"]] = schema
        aliases[parameter["name"]] = parameter.get("as", parameter["name"])
        if parameter.get("required"):
            required.append(parameter["name"])
    parameters = {"type": "object", "properties": properties, "required": required}
    names = {"tool": entry["vendor"], "name": entry["name"]}
    texts = {"description": entry["description"], "tool_description": entry["vendor_description"]}
    api = Api(
        id=make_api_id(
            source=SOURCE,
            category=category,
            tool=vendor,
            name=entry["name"],
            method=entry["method"],
            url=entry["url"],
        ),
        source=SOURCE,
        key=f"{category}/{vendor}/{fold(entry['name']).replace(' ', '_')}",
        category=category,
        method=entry["method"],
        url=entry["url"],
        parameters=parameters,
        response_schema=None,
        risk=Risk.READ,
        doc_hash=doc_hash(**names, **texts, parameters=parameters, response_schema=None),
        **names,
        **texts,
    )
    return Endpoint(
        api=api,
        kind=kind,
        vendor=vendor,
        function=entry["function"],
        aliases=aliases,
        fixed=entry.get("fixed", {}),
        reply=entry["reply"],
        example=entry["example"],
        behaviour=entry.get("behaviour", {"kind": "ok"}),
    )
