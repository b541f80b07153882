"""Choose the next API of a toolkit after failures (Source: Tool-Planner, arXiv 2406.03807, appendix
J, "In-Toolkit Error Occurs")."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.fill_arguments import properties_of, required_of
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    as_int,
    as_object,
    member,
    object_schema,
)
from toolplanner_core.prompts.render import FailureCard, block, chat, failure_lines, one_line
from toolplanner_core.prompts.texts import prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiChoice:
    """The answer: the position of the API among the candidates, None = the toolkit is given up."""

    index: int | None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseApi(Question[ApiChoice]):
    """Which API of the toolkit is tried next, if any.

    Attributes:
        candidates: those that are left, best first.
        failures: of this step, in order.
    """

    id: ClassVar[str] = "choose_api"
    title: ClassVar[str] = "Choose the next API"
    max_repairs: ClassVar[int] = 1
    offers: ClassVar[frozenset[str]] = frozenset({"api"})

    query: str
    goal: str
    candidates: tuple[Api, ...]
    failures: tuple[FailureCard, ...]

    def messages(self) -> list[Message]:
        lines = (_line(number, api) for number, api in enumerate(self.candidates, 1))
        return chat(
            prompt("choose_api"),
            block("query", self.query),
            block("step", self.goal),
            block("failures", failure_lines(self.failures)),
            block("apis", "\n".join(lines)),
        )

    def schema(self) -> JsonSchema:
        numbers = list(range(len(self.candidates) + 1))
        return object_schema(why={"type": "string"}, api={"type": "integer", "enum": numbers})

    def parse(self, data: Any) -> ApiChoice:
        answer = as_object(data)
        number = as_int(member(answer, "api"), "$.api")
        if not 0 <= number <= len(self.candidates):
            raise AnswerInvalid(
                f"choose a number from 0 to {len(self.candidates)}, got {number}", where="$.api"
            )
        why = answer.get("why")
        said = one_line(why) if isinstance(why, str) else ""
        return ApiChoice(index=number - 1 if number else None, why=said)


def _line(number: int, api: Api) -> str:
    required = required_of(api.parameters)
    names = [
        f"{name}{'*' if name in required else ''} {_type(schema)}".rstrip()
        for name, schema in properties_of(api.parameters).items()
    ]
    about = one_line(api.description or api.tool_description, 160)
    return f"{number}: {api.title} -- {about}\n   parameters: {', '.join(names[:12]) or 'none'}"


def _type(schema: Any) -> str:
    kind = cast("Mapping[str, Any]", schema).get("type") if isinstance(schema, Mapping) else None
    return f"({kind})" if isinstance(kind, str) else ""
