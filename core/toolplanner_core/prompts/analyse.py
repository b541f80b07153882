"""Say what a result means for its step, and what comes next (Source: Tool-Planner, arXiv
2406.03807, appendix J: "briefly analyze the current status and determine the next step")."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    as_object,
    bool_member,
    describe,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import OBSERVATION_LIMIT, StepResult, as_json, block, chat, cut
from toolplanner_core.prompts.texts import prompt


class NextMove(StrEnum):
    """What follows from a result."""

    NEXT_STEP = "next_step"
    OTHER_API = "other_api"
    NEW_PLAN = "new_plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """The answer: `state` in one or two sentences; what is not `useful` makes the attempt fail as
    `empty_result`."""

    state: str
    move: NextMove = NextMove.NEXT_STEP

    @property
    def useful(self) -> bool:
        """Whether the result serves the step."""
        return self.move is NextMove.NEXT_STEP


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyse(Question[Analysis]):
    """What does the result say, and what comes next.

    Attributes:
        api, earlier, now: what answered, results of earlier steps, the clock of the run; for rules,
            a language model is not shown them.
        is_changed: a person changed the call before it was sent, and knows why it is about
            something else than the step; also for rules.
        is_invented: no service said it, so that nothing of the step needs to stand in it; also for
            rules.
    """

    id: ClassVar[str] = "analyse"
    version: ClassVar[int] = 2
    title: ClassVar[str] = "Analyse the result"

    query: str
    goal: str
    api_title: str
    value: Any
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    api: Api | None = None
    earlier: tuple[StepResult, ...] = ()
    now: datetime | None = None
    is_changed: bool = False
    is_invented: bool = False
    limit: int = OBSERVATION_LIMIT

    def messages(self) -> list[Message]:
        return chat(
            prompt("analyse"),
            block("query", self.query),
            block("step", self.goal),
            block("call", f"{self.api_title} with {cut(as_json(dict(self.arguments)), 300)}"),
            block("result", cut(as_json(self.value), self.limit)),
        )

    def schema(self) -> JsonSchema:
        moves = {"type": "string", "enum": [move.value for move in NextMove]}
        return object_schema(state={"type": "string"}, next=moves)

    def parse(self, data: Any) -> Analysis:
        answer = as_object(data)
        if "next" not in answer and "useful" in answer:
            useful = bool_member(answer, "useful")
            move = NextMove.NEXT_STEP if useful else NextMove.OTHER_API
        else:
            said = text_member(answer, "next")
            if said not in set(NextMove):
                known = ", ".join(NextMove)
                raise AnswerInvalid(f"must be one of {known}, got {describe(said)}", where="$.next")
            move = NextMove(said)
        return Analysis(state=text_member(answer, "state"), move=move)
