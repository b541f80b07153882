"""Gather the arguments of an operation under one name each, with their places in the request."""

from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.domain.operation import Place, Within
from toolplanner_core.sources.openapi.merging import Schema


@dataclass(slots=True)
class GatheredArguments:
    """What a caller gives, as one JSON Schema object, and where each goes."""

    properties: dict[str, Schema] = field(default_factory=dict[str, Schema])
    required: list[str] = field(default_factory=list[str])
    places: dict[str, Place] = field(default_factory=dict[str, Place])

    def add(
        self,
        name: str,
        schema: Schema,
        *,
        within: Within,
        is_required: bool,
        style: str = "",
        explode: bool | None = None,
        is_whole_body: bool = False,
    ) -> None:
        """Add an argument; a name that is taken gets its place in front, as in "query_id"."""
        own = name
        while own in self.properties:
            own = f"{within}_{own}"
        self.properties[own] = schema
        if is_required:
            self.required.append(own)
        self.places[own] = Place(
            within=within,
            name="" if own == name else name,
            is_whole_body=is_whole_body,
            style=style,
            explode=explode,
        )

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of all arguments."""
        schema: dict[str, Any] = {"type": "object", "properties": self.properties}
        if self.required:
            schema["required"] = self.required
        return schema
