"""Say what a result means for its step."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import (
    Question,
    as_object,
    bool_member,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import as_json, block, chat, cut

_SYSTEM = """You read the result of an API call that was made for one step of a query.
"useful": false only when the result holds nothing that serves the step (empty, only a status, an \
error in words, about something else). "state": one or two sentences with the facts of the result \
that matter for the step, with their values, units and names as given; never add what is not in \
the result.
Answer with one JSON object: {"useful": true or false, "state": "..."}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The answer: `state` in one or two sentences; `useful` False makes the attempt fail as
    `empty_result`."""

    useful: bool
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyse(Question[Analysis]):
    """Does the result serve the step, and what does it say."""

    id: ClassVar[str] = "analyse"
    title: ClassVar[str] = "Analyse the result"

    query: str
    goal: str
    api_title: str
    value: Any

    def messages(self) -> list[Message]:
        return chat(
            _SYSTEM,
            block("query", self.query),
            block("step", self.goal),
            block("api", self.api_title),
            block("result", cut(as_json(self.value))),
        )

    def schema(self) -> JsonSchema:
        return object_schema(useful={"type": "boolean"}, state={"type": "string"})

    def parse(self, data: Any) -> Analysis:
        answer = as_object(data)
        return Analysis(useful=bool_member(answer, "useful"), state=text_member(answer, "state"))
