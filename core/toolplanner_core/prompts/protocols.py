"""APIs as functions of a program: Python names, their protocols as text, and the way back.

A protocol says what an API is for, which arguments it takes and what it returns (Source: Shi et
al., arXiv 2405.16533, section 3.1; the paper gives no form, ours is that of a Python stub). The map
back to real names stands on `prompts/functions.py`.
"""

import json
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.program import HostCall
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.functions import Functions, Misnamed, WantedCall
from toolplanner_core.prompts.render import as_json, cut, documentation, one_line

_PROTOCOL_LIMIT = 1_600
"""Characters of one protocol among twenty; the tool that is blamed is told whole."""
_RETURN_LIMIT = 500
_PARAMETER_LIMIT = 160
_DEEPEST = 6


class UsageExample(NamedTuple):
    """A question and a program that answers it with one API."""

    question: str
    program: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """One API as a program sees it.

    Attributes:
        name: its function; parameters: their names in Python, in documented order.
        asked: the same names as `Functions` offers them, in the same order.
        returns: JSON Schema of its reply, None if nobody knows.
    """

    name: str
    api: Api
    parameters: tuple[str, ...]
    asked: tuple[str, ...]
    schema: JsonSchema
    returns: JsonSchema | None
    example: UsageExample | None = None

    def text(self, limit: int = _PROTOCOL_LIMIT) -> str:
        """As a stub in Python."""
        required = set(cast("Sequence[str]", self.schema.get("required") or ()))
        signature = ", ".join(
            mine if theirs in required else f"{mine}=None"
            for mine, theirs in zip(self.parameters, self.asked, strict=True)
        )
        about = one_line(self.api.description) or self.api.title
        lines = [f"def {self.name}({signature}):", f'    """{about}']
        if self.api.tool_description.strip() not in ("", self.api.description.strip()):
            lines.append(f"    Of {self.api.tool}: {one_line(self.api.tool_description, 200)}")
        properties = cast("Mapping[str, JsonSchema]", self.schema.get("properties") or {})
        for mine, theirs in zip(self.parameters, self.asked, strict=True):
            of_one = properties[theirs]
            told = one_line(str(of_one.get("description") or ""), _PARAMETER_LIMIT)
            must = ", required" if theirs in required else ""
            lines.append(f"    {mine} ({of_one.get('type', 'any')}{must}): {told}".rstrip())
        known = "JSON, not documented" if self.returns is None else as_json(outline(self.returns))
        lines.append(f'    Returns: {cut(known, _RETURN_LIMIT)}"""')
        if self.example is not None:
            lines.append(f"# {one_line(self.example.question)}")
            lines.append(self.example.program)
        return cut("\n".join(lines), limit)

    @property
    def whole(self) -> str:
        """The protocol and all documentation."""
        return f"{self.text(6_000)}\n{documentation(self.api)}"


class Protocols:
    """What the programs of one task may call."""

    def __init__(
        self,
        apis: Iterable[Api],
        *,
        returns: Mapping[ApiId, JsonSchema] | None = None,
        examples: Mapping[ApiId, UsageExample] | None = None,
    ) -> None:
        self._functions = Functions.of(apis)
        self.by_name: dict[str, Protocol] = {}
        self._asked: dict[str, str] = {}
        known, shown = returns or {}, examples or {}
        for function in self._functions.functions:
            wanted = self._functions.read(FunctionCall("", function.name, "{}"))
            assert isinstance(wanted, WantedCall)
            api = wanted.api
            name = python_name(function.name, self.by_name)
            properties = cast("Mapping[str, Any]", function.parameters.get("properties") or {})
            mine: list[str] = []
            for asked in properties:
                mine.append(python_name(asked, mine))
            self._asked[name] = function.name
            self.by_name[name] = Protocol(
                name=name,
                api=api,
                parameters=tuple(mine),
                asked=tuple(properties),
                schema=function.parameters,
                returns=known.get(api.id, api.response_schema),
                example=shown.get(api.id),
            )

    @property
    def texts(self) -> tuple[str, ...]:
        """All protocols."""
        return tuple(protocol.text() for protocol in self.by_name.values())

    def read(self, call: HostCall) -> WantedCall | str:
        """The API call that a call of a program means, or what is wrong with it in words."""
        protocol = self.by_name[call.name]
        mine = protocol.parameters
        if len(call.positional) > len(mine):
            given = len(call.positional)
            return f"{call.name}() takes {len(mine)} arguments but {given} were given"
        arguments = dict(zip(mine, call.positional, strict=False))
        for name, value in call.arguments.items():
            if name not in mine:
                wrong = f"{call.name}() got an unexpected keyword argument '{name}'"
                return f"{wrong}; it takes: {', '.join(mine) or 'nothing'}"
            if name in arguments:
                return f"{call.name}() got multiple values for argument '{name}'"
            arguments[name] = value
        asked = dict(zip(mine, protocol.asked, strict=True))
        values = json.dumps({asked[name]: value for name, value in arguments.items()})
        wanted = self._functions.read(FunctionCall("", self._asked[call.name], values))
        return wanted.what if isinstance(wanted, Misnamed) else wanted


def python_name(name: str, taken: Iterable[str]) -> str:
    """A name that Python takes, and that is not taken."""
    found = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not found.isidentifier() or keyword.iskeyword(found):
        found = f"_{found}"
    known, number = set(taken), 1
    unique = found
    while unique in known:
        number += 1
        unique = f"{found}_{number}"
    return unique


def outline(schema: Any, depth: int = 0) -> Any:
    """A JSON Schema as the value it describes, with types in the place of values."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "any"
    known = cast("JsonSchema", schema)
    if known.get("type") == "object" or "properties" in known:
        properties = cast("Mapping[str, Any]", known.get("properties") or {})
        inner = {name: outline(each, depth + 1) for name, each in properties.items()}
        return inner or "object"
    if known.get("type") == "array":
        return [outline(known.get("items"), depth + 1)]
    kind = known.get("type", "any")
    return "|".join(cast("list[str]", kind)) if isinstance(kind, list) else str(kind)
