"""What the endpoint of a vendor takes as a tool, beyond the portable form: one plug-in each."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.registry import Registry
from toolplanner_core.tool_schemas.portable import at_a_sentence, portable_schema

LONGEST_DESCRIPTION = 1024
_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """An API as a tool, before a dialect writes it.

    Attributes:
        parameters: the portable form of its parameters' schema.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]


def tool_of(api: Api, name: str) -> Tool:
    """An API as a tool under a name."""
    text = api.description or api.tool_description or api.title
    if api.tool.casefold() not in text.casefold():
        text = f"{api.tool}: {text}"
    parameters = portable_schema(api.parameters).schema
    if about := parameters.pop("description", ""):
        text = f"{text.rstrip()} {about}"
    return Tool(
        name=name,
        description=at_a_sentence(" ".join(text.split()), LONGEST_DESCRIPTION),
        parameters=parameters,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DialectPlugin:
    """How one vendor's endpoint takes tools.

    Attributes:
        description: for people: whose requests take it.
        write: the element of the list of tools that a request holds.
        refusals: for people: why the endpoint would refuse such an element; nothing if it takes it.
        most_tools: of one request, as the vendor documents it; None = no limit is documented.
    """

    id: str
    title: str
    description: str
    write: Callable[[Tool], dict[str, Any]]
    refusals: Callable[[Mapping[str, Any]], Iterator[str]]
    most_tools: int | None = None


dialects = Registry(
    DialectPlugin,
    package="toolplanner_core.tool_schemas.dialects",
    kind="dialects",
    what="dialect of tools",
)


def refused_name(name: object) -> Iterator[str]:
    """What all endpoints refuse in a name."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        yield f"the name {name!r} is not a letter followed by at most 63 of a-z, A-Z, 0-9, _ and -"


def parts_of(schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A portable schema and all schemas in it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
    inner += [schema[name] for name in ("items", "additionalProperties") if name in schema]
    for part in inner:
        if isinstance(part, Mapping):
            yield from parts_of(part)


def refused_schema(schema: Mapping[str, Any]) -> Iterator[str]:
    """What at least one vendor refuses in any schema, so that the portable form has none of it."""
    if schema.get("type") != "object":
        yield "the parameters are no object"
    if choices := [name for name in ("anyOf", "oneOf", "allOf", "not", "enum") if name in schema]:
        yield f"{choices[0]} at the top level of the parameters"
    for part in parts_of(schema):
        if part.get("type") == "array" and "items" not in part:
            yield "an array without items"
        for name in part.get("properties", {}):
            if not re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name):
                yield f"the property name {name!r}"
        if missing := set(part.get("required", ())) - set(part.get("properties", {})):
            yield f"{min(missing)!r} is required and no property"
        if isinstance(part.get("type"), list):
            yield "several types in one schema"
        if "enum" in part and not part["enum"]:
            yield "an empty enum"
        for name in part:
            if name.startswith(("x-", "$")):
                yield f"the keyword {name}"
