"""What ToolNet tells a model: a thought first, then tools with their weights; and how it has tools
judged.

Source: Liu et al., ToolNet, arXiv 2403.00839, appendices A.1 and A.2.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

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


WeightScale = Literal["none", "1", "10", "100", "1000"]
"""How a weight is shown: not at all, or as a number up to this (Source: section 4.2.3, table 5)."""
_DECIMALS = {"1": 4, "10": 3, "100": 0, "1000": 0}
_SCORED = (
    ", with a score from 0 to {scale}: how often and how well each went on from where you are."
    " Prefer high scores where several fit; the fit to your thought counts more."
)


def system_text(scale: WeightScale) -> str:
    """What the model is told first."""
    scores = "." if scale == "none" else _SCORED.format(scale=scale)
    return prompt("toolnet", scores=scores)


def scores_text(weights: Sequence[tuple[str, float]], scale: WeightScale) -> str:
    """The functions that may come next with their weights, in this order; "" where these are not
    shown.

    Args:
        weights: each from 0 to 1.
    """
    if scale == "none":
        return ""
    shown = ((name, round(float(scale) * weight, _DECIMALS[scale])) for name, weight in weights)
    lines = "\n".join(f"{name}: {score:g}" for name, score in shown)
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
