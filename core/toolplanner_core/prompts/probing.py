"""Probe an API: a question that it can answer and a program that asks it; APIs as functions.

A protocol says what an API is for, which arguments it takes and what it returns (Source: Shi et
al., arXiv 2405.16533, section 3.1; the paper gives no form, ours is that of a Python stub). The map
back to real names stands on `prompts/functions.py`.

Source: Shi et al., Chain of Tools, arXiv 2405.16533, sections 4.1 (instance discovery) and 4.2
(chain of probing: APIs whose replies hold what others need, such as ids).
"""

import json
import keyword
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, cast

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.program import HostCall
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.prompts.functions import Functions, InvalidCall, WantedCall
from toolplanner_core.prompts.offered import in_answer
from toolplanner_core.prompts.programs import TriedProgram, end_text, program_names
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_list,
    as_object,
    member,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import as_json, block, chat, cut, documentation, one_line
from toolplanner_core.prompts.texts import prompt

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
        """The protocol and all documentation, with what parameters are called in programs where
        these take another name."""
        pairs = zip(self.parameters, self.asked, strict=True)
        renamed = [f"{theirs} is called {mine}" for mine, theirs in pairs if mine != theirs]
        told = f"In a program {', '.join(renamed)}.\n" if renamed else ""
        return f"{self.text(6_000)}\n{told}{documentation(self.api)}"


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
        return wanted.what if isinstance(wanted, InvalidCall) else wanted


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


_MOST_HELPERS = 5


class Probe(NamedTuple):
    """A question for one API and a program that answers it."""

    question: str
    program: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeApi(Question[Probe]):
    """Another probe of an API.

    Attributes:
        target: name of its function; `protocols` are its own and those of its helpers.
        tried: probes that did not work.
    """

    id: ClassVar[str] = "probe_api"
    title: ClassVar[str] = "Think of a probe"
    role: ClassVar[Role] = Role.PLANNING

    target: str
    protocols: tuple[str, ...]
    tried: tuple[TriedProgram, ...] = ()

    def messages(self) -> list[Message]:
        return chat(
            prompt("probe_api"),
            block("function", self.target),
            block("protocols", "\n\n".join(self.protocols)),
            "\n".join(
                f"{block('tried', each.program)}\n{block('result', end_text(each.end))}"
                for each in self.tried
            ),
        )

    def schema(self) -> JsonSchema:
        return object_schema(question={"type": "string"}, program={"type": "string"})

    def parse(self, data: Any) -> Probe:
        answer = as_object(data)
        return Probe(text_member(answer, "question"), text_member(answer, "program"))

    def not_offered(self, data: Any) -> Iterable[str]:
        return program_names(data, self.protocols)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseHelpers(Question[tuple[str, ...]]):
    """The functions that may give an API what it needs, by name.

    Attributes:
        known: names with what they return, of those that were probed already.
    """

    id: ClassVar[str] = "choose_helpers"
    title: ClassVar[str] = "Who may help?"
    role: ClassVar[Role] = Role.PLANNING
    temperature: ClassVar[float] = 0.0

    protocol: str
    known: Sequence[tuple[str, str]]

    def messages(self) -> list[Message]:
        lines = (f"{name}: {one_line(returns, 300)}" for name, returns in self.known)
        return chat(
            prompt("choose_helpers"),
            block("function", self.protocol),
            block("functions", "\n".join(lines)),
        )

    def schema(self) -> JsonSchema:
        return object_schema(functions={"type": "array", "items": {"type": "string"}})

    def not_offered(self, data: Any) -> Iterable[str]:
        known = [name for name, _ in self.known]
        listed = {"type": "array", "items": {"type": "string", "enum": known}}
        return in_answer(data, object_schema(functions=listed), {"functions"})

    def parse(self, data: Any) -> tuple[str, ...]:
        names = as_list(member(as_object(data), "functions"), "$.functions")
        known = {name for name, _ in self.known}
        for name in names:
            if name not in known:
                raise AnswerInvalid(f"there is no function {name!r}", where="$.functions")
        return tuple(dict.fromkeys(str(name) for name in names))[:_MOST_HELPERS]
