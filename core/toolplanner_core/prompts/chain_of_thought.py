"""What chain of thought asks a model: reasoning with an answer, or with all calls at once.

Source: Wei et al., arXiv 2201.11903.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Function, FunctionCall, Message
from toolplanner_core.prompts.offered import in_steps
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_list,
    as_object,
    member,
    named_call,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import block, chat, function_lines
from toolplanner_core.prompts.texts import prompt
from toolplanner_core.words.formatting import counted

_TEXT = {"type": "string"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reasoned:
    """An answer with the reasoning that led to it."""

    reasoning: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonAnswer(Question[Reasoned]):
    """The answer to a query from reasoning alone."""

    id: ClassVar[str] = "reason_answer"
    title: ClassVar[str] = "Reason and answer"

    query: str

    def messages(self) -> list[Message]:
        return chat(prompt("reason_answer"), block("query", self.query))

    def schema(self) -> JsonSchema:
        return object_schema(reasoning=_TEXT, answer=_TEXT)

    def parse(self, data: Any) -> Reasoned:
        found = as_object(data)
        reasoning = text_member(found, "reasoning", empty=True)
        return Reasoned(reasoning=reasoning, answer=text_member(found, "answer"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonedCalls:
    """All calls of a query, in order; `unmet` are needs that they do not serve."""

    reasoning: str
    calls: tuple[FunctionCall, ...]
    unmet: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonCalls(Question[ReasonedCalls]):
    """All calls that a query needs, thought out before the first is made."""

    id: ClassVar[str] = "reason_calls"
    title: ClassVar[str] = "Reason and name the calls"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    functions: tuple[Function, ...]
    most: int

    def messages(self) -> list[Message]:
        return chat(
            prompt("reason_calls", most=f" At most: {self.most}."),
            block("functions", function_lines(self.functions)),
            block("query", self.query),
        )

    def schema(self) -> JsonSchema:
        name = {"type": "string", "enum": [each.name for each in self.functions]}
        call = object_schema(call=name, arguments={"type": "object"})
        return object_schema(
            reasoning=_TEXT,
            calls={"type": "array", "items": call},
            unmet={"type": "array", "items": _TEXT},
        )

    def not_offered(self, data: Any) -> Iterable[str]:
        calls = cast("dict[str, Any]", data).get("calls") if isinstance(data, dict) else None
        return in_steps(calls, self.functions)

    def parse(self, data: Any) -> ReasonedCalls:
        found = as_object(data)
        listed = as_list(member(found, "calls"), "$.calls")
        if len(listed) > self.most:
            what = f"they are {counted(len(listed), 'call')}, at most {self.most} may be made"
            raise AnswerInvalid(what, where="$.calls")
        unmet = as_list(found.get("unmet") or [], "$.unmet")
        names = [each.name for each in self.functions]
        return ReasonedCalls(
            reasoning=text_member(found, "reasoning", empty=True),
            calls=tuple(
                named_call(as_object(each, f"$.calls[{at}]"), names, f"$.calls[{at}]")
                for at, each in enumerate(listed)
            ),
            unmet=tuple(need.strip() for need in unmet if isinstance(need, str) and need.strip()),
        )
