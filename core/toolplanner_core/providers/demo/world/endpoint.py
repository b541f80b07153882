"""An endpoint of the demo world: documentation, function, shape of the reply and behaviour.

Read from `resources/demo/apis/*.json`, one file per kind of API. A file holds `kind`, `category`
and `apis`; each API holds `vendor`, `vendor_description`, `name`, `method`, `url`, `description`,
`parameters` (a list; JSON Schema keywords beside `name`, `required` and `as`, the canonical name
of the argument), `example` (arguments that work), `function`, `fixed` (canonical arguments that the
vendor sets itself), `reply` (template of `shapes.py`) and, where it misbehaves, `behaviour`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

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
