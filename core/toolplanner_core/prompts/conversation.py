"""What passes between a strategy and a model: messages, functions, and calls of functions."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.sources.documents import is_too_deep
from toolplanner_core.words.formatting import storable


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function that a model wants to be called.

    Attributes:
        id: what the result refers to; unique within its message.
        arguments: JSON text as the model wrote it, whether it can be read or not.
    """

    id: str
    name: str
    arguments: str

    def values(self) -> dict[str, Any] | None:
        """The arguments; None when the text is no JSON object."""
        try:
            found = json.loads(self.arguments, strict=False) if self.arguments.strip() else {}
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, dict) or is_too_deep(found):
            return None
        return cast("dict[str, Any]", storable(found))

    def to_json(self) -> dict[str, str]:
        """As it is logged."""
        return {"id": self.id, "name": self.name, "arguments": self.arguments}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FunctionCall":
        """As it was logged, or as a person wrote it: arguments may be an object there."""
        given = data.get("arguments", "")
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        return cls(str(data.get("id", "")), str(data.get("name", "")), text)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat request.

    Attributes:
        role: "system", "user", "assistant" or "tool".
        calls: functions that an assistant's message calls.
        call: of a tool's message: id of the call whose result it is; `name`: of its function.
        is_hidden: only the next request has it: neither later turns nor branches see it.
        thinking: what an endpoint wants back with an assistant's message, by the names of its
            fields, as it gave it.
    """

    role: str
    content: str
    calls: tuple[FunctionCall, ...] = ()
    call: str = ""
    name: str = ""
    is_hidden: bool = False
    thinking: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)

    def to_json(self) -> dict[str, Any]:
        """As it is logged; a plain message is role and content."""
        out: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.calls:
            out["calls"] = [call.to_json() for call in self.calls]
        if self.call:
            out |= {"call": self.call, "name": self.name}
        if self.thinking:
            out["thinking"] = dict(self.thinking)
        return out | {"hidden": True} if self.is_hidden else out

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Message":
        """As it was logged."""
        calls = cast("Sequence[Mapping[str, Any]]", data.get("calls") or ())
        return cls(
            str(data.get("role", "")),
            str(data.get("content", "")),
            tuple(FunctionCall.from_json(call) for call in calls),
            str(data.get("call", "")),
            str(data.get("name", "")),
            data.get("hidden") is True,
            cast("Mapping[str, Any]", data.get("thinking") or {}),
        )


@dataclass(frozen=True, slots=True)
class Function:
    """A function that is offered to a model; `parameters` is a JSON Schema of an object."""

    name: str
    description: str
    parameters: JsonSchema

    def to_json(self) -> dict[str, Any]:
        """As it is logged."""
        return {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
