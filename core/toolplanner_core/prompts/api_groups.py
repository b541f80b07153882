"""What the plain agent asks of each group of a catalogue's APIs: which of them may be needed.

Source: AnyTool, arXiv 2402.04253, section 5.2 and appendix A.4 (the plain agent as retriever).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.numbered_apis import (
    numbered_lines,
    numbers_not_offered,
    numbers_schema,
    read_numbers,
)
from toolplanner_core.prompts.question import Question, Role
from toolplanner_core.prompts.render import block, chat
from toolplanner_core.prompts.texts import prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseOfGroup(Question[tuple[int, ...]]):
    """The positions, from 0 on, of the APIs of a group that the query may need; often none.

    Attributes:
        listed: what is told of each.
    """

    id: ClassVar[str] = "choose_of_group"
    title: ClassVar[str] = "Choose of a group of APIs"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    listed: tuple[str, ...]

    def messages(self) -> list[Message]:
        return chat(
            prompt("choose_of_group"),
            block("query", self.query),
            block("apis", numbered_lines(self.listed)),
        )

    def schema(self) -> JsonSchema:
        return numbers_schema(len(self.listed))

    def not_offered(self, data: Any) -> Iterable[str]:
        return numbers_not_offered(data, len(self.listed))

    def parse(self, data: Any) -> tuple[int, ...]:
        return read_numbers(data, len(self.listed))
