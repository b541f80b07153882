"""What TPTU-v2 tells a model: take a task apart into sub-tasks with their APIs.

Source: Kong et al., arXiv 2311.11315, figure 2 (system description, API descriptions,
demonstrations, question), "null" where no tool fits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.demonstration import Demonstration
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.demonstrations import shown_demonstrations
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
from toolplanner_core.prompts.render import block, chat, one_line
from toolplanner_core.prompts.texts import prompt

UNPLANNED = prompt("tptu_unplanned")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decompose(Question[Plan]):
    """Which sub-tasks, with which of the retrieved APIs; a step without an API has none."""

    id: ClassVar[str] = "decompose"
    title: ClassVar[str] = "Take the task apart"
    role: ClassVar[Role] = Role.PLANNING
    offers: ClassVar[frozenset[str]] = frozenset({"api"})

    query: str
    apis: tuple[Api, ...]
    demonstrations: tuple[Demonstration, ...] = ()
    max_subtasks: int = 8

    def messages(self) -> list[Message]:
        return chat(
            prompt("decompose", max_subtasks=self.max_subtasks),
            block("apis", "\n".join(api_lines(self.apis))),
            shown_demonstrations(self.demonstrations),
            block("query", self.query),
        )

    def schema(self) -> JsonSchema:
        numbers = {"type": ["integer", "null"], "enum": [*range(1, len(self.apis) + 1), None]}
        subtask = object_schema(goal={"type": "string"}, api=numbers)
        return object_schema(subtasks={"type": "array", "items": subtask, "minItems": 1})

    def parse(self, data: Any) -> Plan:
        listed = as_list(member(as_object(data), "subtasks"), "$.subtasks")
        if not 1 <= len(listed) <= self.max_subtasks:
            what = f"name 1 to {self.max_subtasks} sub-tasks, not {len(listed)}"
            raise AnswerInvalid(what, where="$.subtasks")
        return Plan(steps=tuple(self._step(row, i) for i, row in enumerate(listed, start=1)))

    def _step(self, data: Any, number: int) -> Step:
        where = f"$.subtasks[{number - 1}]"
        row = as_object(data, where)
        chosen = member(row, "api", where)
        api = None
        if chosen is not None:
            at = as_int(chosen, f"{where}.api")
            if not 1 <= at <= len(self.apis):
                what = f"there is no API {at}; choose 1 to {len(self.apis)}, or null"
                raise AnswerInvalid(what, where=f"{where}.api")
            api = self.apis[at - 1].id
        return Step(number=number, goal=text_member(row, "goal", where), api=api)


def api_lines(apis: Sequence[Api]) -> list[str]:
    """One line per API with its number, what it is for and what it takes."""
    return [
        f"{number}: {api.title} -- {one_line(api.description or api.tool_description)}"
        f" Takes {one_line(', '.join(api.parameters.get('properties') or ()) or 'nothing')}."
        for number, api in enumerate(apis, start=1)
    ]
