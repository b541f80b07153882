"""What ToolNet tells a model: a thought first, then tools with their weights; and how it has tools
judged.

Source: Liu et al., ToolNet, arXiv 2403.00839, appendices A.1 and A.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Function, Message
from toolplanner_core.prompts.judge_answer import trajectory_text
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_int,
    as_list,
    as_object,
    member,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import block, chat
from toolplanner_core.prompts.texts import prompt

SYSTEM = prompt("toolnet")
THINK = prompt("toolnet_think")
ACT = prompt("toolnet_act")
"""Stays in the conversation, so that turns of both sides alternate."""
FIND_TOOLS = Function(
    "find_tools",
    "Look for other functions, if none of these fits; what is found is shown at the next step.",
    {
        "type": "object",
        "properties": {"what": {"type": "string", "description": "What a function shall do."}},
        "required": ["what"],
    },
)


def scores_text(scores: Sequence[tuple[str, int]]) -> str:
    """The functions that may come next with their scores, the greatest first."""
    lines = "\n".join(f"{name}: {score}" for name, score in scores)
    return prompt("toolnet_scores", scores=block("scores", lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreTools(Question[dict[str, tuple[int, str]]]):
    """How much each tool helped, -3 to 3 with a reason; `tools` are names of functions."""

    id: ClassVar[str] = "score_tools"
    title: ClassVar[str] = "Score the tools"
    role: ClassVar[Role] = Role.JUDGING
    temperature: ClassVar[float] = 0.0
    offers: ClassVar[frozenset[str]] = frozenset({"tool"})

    query: str
    way: tuple[Message, ...]
    answer: str
    tools: tuple[str, ...]

    def messages(self) -> list[Message]:
        return chat(
            prompt("score_tools"),
            block("query", self.query),
            block("history", trajectory_text(self.way)),
            block("answer", self.answer or "(none)"),
            block("tools", "\n".join(self.tools)),
        )

    def schema(self) -> JsonSchema:
        each = object_schema(
            tool={"type": "string", "enum": list(self.tools)},
            score={"type": "integer", "minimum": -3, "maximum": 3},
            reason={"type": "string"},
        )
        return object_schema(scores={"type": "array", "items": each})

    def parse(self, data: Any) -> dict[str, tuple[int, str]]:
        found: dict[str, tuple[int, str]] = {}
        rows = as_list(member(as_object(data), "scores"), "$.scores")
        for place, row in enumerate(rows):
            where = f"$.scores[{place}]"
            each = as_object(row, where)
            tool = text_member(each, "tool", where)
            if tool not in self.tools:
                raise AnswerInvalid(f"{tool!r} was not used", where=f"{where}.tool")
            score = as_int(member(each, "score", where), f"{where}.score")
            if not -3 <= score <= 3:
                raise AnswerInvalid("a score is from -3 to 3", where=f"{where}.score")
            found[tool] = (score, text_member(each, "reason", where, empty=True))
        return found
