"""One API: what can be called, with its documentation as it was imported.

Arguments that an API's own documentation gives as examples.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.operation import Operation

JsonSchema = Mapping[str, Any]


class Risk(StrEnum):
    """What a call may do to the world outside; from method and hints, changeable by a person."""

    READ = "read"
    WRITE = "write"
    DESTRUCTIVE = "destructive"

    @property
    def level(self) -> int:
        """The higher, the worse."""
        return (Risk.READ, Risk.WRITE, Risk.DESTRUCTIVE).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument of an API, a view of its JSON Schema."""

    name: str
    schema: JsonSchema
    required: bool
    description: str

    @property
    def type(self) -> str:
        """The JSON Schema type, "string" when the schema names none or several."""
        kind = self.schema.get("type")
        return kind if isinstance(kind, str) else "string"


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """An API as the planner, the map and the providers see it.

    Attributes:
        id: permanent, from source, category, tool, name, method, URL.
        source: name of the catalogue it came from, such as "toolbench" or "demo".
        key: the catalogue's own name for it, such as "Logistics/suivi_colis/latest".
        parameters: JSON Schema of type "object".
        response_schema: JSON Schema of the reply, if documented.
        doc_hash: SHA-256 (hex) over name, descriptions, schemas and operation; changes when the
            documentation does.
        operation: how it is called over HTTP, if that is known.
    """

    id: ApiId
    source: str
    key: str
    category: str
    tool: str
    name: str
    method: str
    url: str
    description: str
    tool_description: str
    parameters: JsonSchema
    response_schema: JsonSchema | None
    risk: Risk
    doc_hash: str
    operation: Operation | None = None

    @property
    def title(self) -> str:
        """Tool and API name for people, such as "MeteoNow · forecast"."""
        return f"{self.tool} · {self.name}"

    @property
    def call_in_words(self) -> str:
        """How it is called, one line for people; "" if nothing is known."""
        return self.operation.in_words if self.operation else f"{self.method} {self.url}".strip()

    @property
    def parameter_list(self) -> list[Parameter]:
        """The parameters in documented order, required ones marked."""
        required = set(self.parameters.get("required", ()))
        # A schema may also be `true` or `false`: anything, or nothing, fits.
        properties: Mapping[str, JsonSchema | bool] = self.parameters.get("properties", {})
        schemas = {name: {} if isinstance(s, bool) else s for name, s in properties.items()}
        return [
            Parameter(
                name=name,
                schema=schema,
                required=name in required,
                description=str(schema.get("description", "")),
            )
            for name, schema in schemas.items()
        ]


def example_arguments(api: Api) -> dict[str, Any]:
    """The documented value of each argument that is required; what has none is missing."""
    values: dict[str, Any] = {}
    for parameter in api.parameter_list:
        schema, examples = parameter.schema, parameter.schema.get("examples")
        known = [schema[word] for word in ("default", "example") if word in schema]
        known += cast("list[Any]", examples) if isinstance(examples, list) else []
        known += cast("list[Any]", schema.get("enum") or [])
        if parameter.required and known:
            values[parameter.name] = known[0]
    return values


def has_all_required(api: Api, arguments: dict[str, Any]) -> bool:
    """Whether nothing is missing that must be given."""
    return all(each.name in arguments for each in api.parameter_list if each.required)
