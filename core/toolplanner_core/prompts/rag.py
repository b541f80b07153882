"""What RAG asks a model: which of the retrieved APIs the query may need.

Source: AnyTool, arXiv 2402.04253, appendix A.5 (AutoGen-RAG): relevant texts are retrieved by
similarity, then a model extracts the candidates from them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.numbered_apis import (
    numbered_lines,
    numbers_not_offered,
    numbers_schema,
    read_numbers,
)
from toolplanner_core.prompts.question import AnswerInvalid, Question, Role
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
        return chat(
            prompt("extract_apis", most=self.most),
            block("query", self.query),
            block("apis", numbered_lines(map(_line, self.apis))),
        )

    def schema(self) -> JsonSchema:
        return numbers_schema(len(self.apis))

    def not_offered(self, data: Any) -> Iterable[str]:
        return numbers_not_offered(data, len(self.apis))

    def parse(self, data: Any) -> tuple[Api, ...]:
        chosen = read_numbers(data, len(self.apis))
        if not chosen:
            raise AnswerInvalid("choose at least one", where="$.apis")
        return tuple(self.apis[position] for position in chosen)[: self.most]


def _line(api: Api) -> str:
    about = ": ".join(part for part in (api.title, api.description or api.tool_description) if part)
    return one_line(f"{about} ({api.category})" if api.category else about, _API_TEXT)
