"""What Reflexion tells a model after a trial that failed, and before the next one.

Source: Shinn et al., arXiv 2303.11366.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.judge_answer import trajectory_text
from toolplanner_core.prompts.question import Question, Role, as_object, object_schema, text_member
from toolplanner_core.prompts.render import block, chat
from toolplanner_core.prompts.texts import prompt


def trial_text(query: str, reflections: Sequence[str]) -> str:
    """What a trial begins with: the query, and what was learned in earlier trials, oldest first."""
    if not reflections:
        return query
    lines = "\n".join(f"- {text}" for text in reflections)
    return prompt("reflections", query=query, reflections=block("reflections", lines))


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflect(Question[str]):
    """Why a trial failed and what to do instead, as one text; `earlier` are those of before."""

    id: ClassVar[str] = "reflect"
    title: ClassVar[str] = "Reflect on the trial"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    way: tuple[Message, ...]
    why: str
    earlier: tuple[str, ...]

    def messages(self) -> list[Message]:
        return chat(
            prompt("reflect"),
            block("query", self.query),
            block("reflections", "\n".join(self.earlier)) if self.earlier else "",
            block("trial", trajectory_text(self.way)),
            block("failure", self.why),
        )

    def schema(self) -> JsonSchema:
        return object_schema(diagnosis={"type": "string"}, plan={"type": "string"})

    def parse(self, data: Any) -> str:
        found = as_object(data)
        return f"{text_member(found, 'diagnosis')} {text_member(found, 'plan')}"
