"""What RAG asks a model: which of the retrieved APIs the query may need.

Source: AnyTool, arXiv 2402.04253, appendix A.5 (AutoGen-RAG): relevant texts are retrieved by
similarity, then a model extracts the candidates from them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import Api, JsonSchema
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
from toolplanner_core.prompts.render import block, chat, one_line
from toolplanner_core.prompts.texts import prompt

_API_TEXT = 300
"""Characters of one API's text among fifty: category, tool, name, description."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractApis(Question[tuple[Api, ...]]):
    """Those of the retrieved APIs that the query may need, the most fitting first."""

    id: ClassVar[str] = "extract_apis"
    title: ClassVar[str] = "Choose among what was retrieved"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    apis: tuple[Api, ...]
    most: int

    def messages(self) -> list[Message]:
        listed = (f"{number}. {_line(api)}" for number, api in enumerate(self.apis, start=1))
        return chat(
            prompt("extract_apis", most=self.most),
            block("query", self.query),
            block("apis", "\n".join(listed)),
        )

    def schema(self) -> JsonSchema:
        number = {"type": "integer", "minimum": 1, "maximum": len(self.apis)}
        return object_schema(apis={"type": "array", "items": number})

    def not_offered(self, data: Any) -> Iterable[str]:
        numbers = {"type": "array", "items": {"enum": [*range(1, len(self.apis) + 1)]}}
        return in_answer(data, object_schema(apis=numbers), {"apis"})

    def parse(self, data: Any) -> tuple[Api, ...]:
        listed = as_list(member(as_object(data), "apis"), "$.apis")
        numbers = [as_int(each, f"$.apis[{at}]") for at, each in enumerate(listed)]
        for number in numbers:
            if not 1 <= number <= len(self.apis):
                raise AnswerInvalid(f"there is no API {number}", where="$.apis")
        if not numbers:
            raise AnswerInvalid("choose at least one", where="$.apis")
        return tuple(self.apis[number - 1] for number in dict.fromkeys(numbers))[: self.most]


def _line(api: Api) -> str:
    about = ": ".join(part for part in (api.title, api.description or api.tool_description) if part)
    return one_line(f"{about} ({api.category})" if api.category else about, _API_TEXT)
