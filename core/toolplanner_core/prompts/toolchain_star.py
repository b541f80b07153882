"""What ToolChain* asks a model: the next call on a way, and what would follow it.

Source: Zhuang et al., arXiv 2310.13227.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Function, FunctionCall, Message
from toolplanner_core.prompts.functions import GIVE_ANSWER
from toolplanner_core.prompts.offered import in_steps
from toolplanner_core.prompts.question import (
    Question,
    as_list,
    as_object,
    named_call,
    object_schema,
)
from toolplanner_core.prompts.render import block, chat, function_lines
from toolplanner_core.prompts.texts import prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedStep:
    """A next call; `then` are the functions that the model imagines after it."""

    thought: str
    call: FunctionCall
    then: tuple[str, ...]

    @property
    def key(self) -> str:
        """Equal for equal calls."""
        values = self.call.values() or {}
        return f"{self.call.name}{json.dumps(values, sort_keys=True, ensure_ascii=False)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposeStep(Question[ProposedStep]):
    """What comes next; asked several times, so that what most samples propose is cheap.

    Attributes:
        so_far: each call of the way with what came back, in words.
    """

    id: ClassVar[str] = "propose_step"
    title: ClassVar[str] = "Propose the next step"
    temperature: ClassVar[float] = 0.7
    max_repairs: ClassVar[int] = 1

    query: str
    functions: tuple[Function, ...]
    so_far: tuple[str, ...]

    def messages(self) -> list[Message]:
        return chat(
            prompt("propose_step"),
            block("functions", function_lines(self.functions)),
            block("query", self.query),
            block("so_far", "\n".join(self.so_far)) if self.so_far else "Nothing was called yet.",
        )

    def schema(self) -> JsonSchema:
        name = {"type": "string", "enum": [each.name for each in self.functions]}
        return object_schema(
            thought={"type": "string"},
            call=name,
            arguments={"type": "object"},
            then={"type": "array", "items": {"type": "string"}},
        )

    def not_offered(self, data: Any) -> Iterable[str]:
        return in_steps([data], self.functions, also="then")

    def parse(self, data: Any) -> ProposedStep:
        found = as_object(data)
        call = named_call(found, [each.name for each in self.functions])
        then = as_list(found.get("then") or [], "$.then")
        thought = found.get("thought")
        return ProposedStep(
            thought=thought.strip() if isinstance(thought, str) else "",
            call=call,
            then=tuple(each for each in then if isinstance(each, str) and each != GIVE_ANSWER.name),
        )
