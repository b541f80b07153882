"""Say what APIs do, several at a time (Source: Tool-Planner, arXiv 2406.03807, section 3.1: brief
explanations of all APIs come first, and descriptions of toolkits are made from them)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_list,
    as_object,
    member,
    object_schema,
)
from toolplanner_core.prompts.render import block, chat
from toolplanner_core.prompts.texts import prompt
from toolplanner_core.words.stems import stem

BATCH = 10
"""APIs in one question: the rules are sent once for all of them."""
_LONGEST = 400
"""Characters, as of a text by rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeApis(Question[Mapping[int, str]]):
    """What each of a few APIs does; `documentation` are their texts, in order."""

    id: ClassVar[str] = "describe_apis"
    title: ClassVar[str] = "Describe APIs"
    role: ClassVar[Role] = Role.PLANNING
    temperature: ClassVar[float] = 0.0

    documentation: tuple[str, ...]

    def messages(self) -> list[Message]:
        lines = (f"{n}: {text}" for n, text in enumerate(self.documentation, 1))
        return chat(prompt("describe_apis"), block("apis", "\n".join(lines)))

    def schema(self) -> JsonSchema:
        numbers = {"type": "integer", "enum": list(range(1, len(self.documentation) + 1))}
        one = object_schema(number=numbers, text={"type": "string"})
        return object_schema(apis={"type": "array", "items": one})

    def parse(self, data: Any) -> Mapping[int, str]:
        """The texts that can be used, by position from 0; the others are asked for again.

        Raises:
            AnswerInvalid: none can be used.
        """
        found: dict[int, str] = {}
        wrong = "no API is described"
        for row in as_list(member(as_object(data), "apis"), "$.apis"):
            each = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
            number, text = each.get("number"), each.get("text")
            if not isinstance(number, int) or not isinstance(text, str):
                continue
            at, said = number - 1, " ".join(text.split())
            if 0 <= at < len(self.documentation) and at not in found:
                if problem := _misfit(said, self.documentation[at]):
                    wrong = f"API {number}: {problem}"
                else:
                    found[at] = said
        if not found:
            raise AnswerInvalid(wrong, where="$.apis")
        return found


def _misfit(text: str, documentation: str) -> str:
    if not text:
        return "the text is empty"
    if len(text) > _LONGEST:
        return f"at most {_LONGEST} characters"
    if not _words(text) & _words(documentation):
        return "it says nothing that its documentation says"
    return ""


def _words(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[^\W\d_]{3,}", text.lower())}
