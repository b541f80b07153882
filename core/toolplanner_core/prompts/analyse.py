"""Say what a result means for its step."""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.question import Message, Question


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
        raise NotImplementedError

    def schema(self) -> JsonSchema:
        raise NotImplementedError

    def parse(self, data: Any) -> Analysis:
        raise NotImplementedError
