"""What the plain agent asks of each group of a catalogue's APIs: which of them may be needed.

Source: AnyTool, arXiv 2402.04253, section 5.2 and appendix A.4 (the plain agent as retriever).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.offered import in_answer
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_int,
    as_list,
    as_object,
    member,
    object_schema,
)
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
        lines = (f"{number}. {told}" for number, told in enumerate(self.listed, start=1))
        return chat(
            prompt("choose_of_group"),
            block("query", self.query),
            block("apis", "\n".join(lines)),
        )

    def schema(self) -> JsonSchema:
        number = {"type": "integer", "minimum": 1, "maximum": len(self.listed)}
        return object_schema(apis={"type": "array", "items": number})

    def not_offered(self, data: Any) -> Iterable[str]:
        numbers = {"type": "array", "items": {"enum": [*range(1, len(self.listed) + 1)]}}
        return in_answer(data, object_schema(apis=numbers), {"apis"})

    def parse(self, data: Any) -> tuple[int, ...]:
        chosen = as_list(member(as_object(data), "apis"), "$.apis")
        numbers = [as_int(each, f"$.apis[{at}]") for at, each in enumerate(chosen)]
        for number in numbers:
            if not 1 <= number <= len(self.listed):
                raise AnswerInvalid(f"there is no API {number}", where="$.apis")
        return tuple(number - 1 for number in dict.fromkeys(numbers))
