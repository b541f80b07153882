"""Describe APIs, several at a time, and name and describe a toolkit."""

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
    text_member,
)
from toolplanner_core.prompts.render import block, chat, short
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


_LONGEST_NAME, _LONGEST_DESCRIPTION = 60, 400
MEMBERS_SHOWN = 12
"""APIs that are shown, the most central ones first: about a toolkit's size at the paper's best."""
_SMALL = frozenset({"a", "an", "and", "by", "for", "from", "in", "of", "on", "or", "the", "to"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedToolkit:
    """The answer."""

    name: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeToolkit(Question[DescribedToolkit]):
    """What a toolkit is called, and what it does; `members` are texts of its APIs, most central
    first."""

    id: ClassVar[str] = "describe_toolkit"
    title: ClassVar[str] = "Describe a toolkit"
    role: ClassVar[Role] = Role.PLANNING
    temperature: ClassVar[float] = 0.0

    members: tuple[str, ...]

    def messages(self) -> list[Message]:
        lines = (f"- {short(text, 200)}" for text in self.members[:MEMBERS_SHOWN])
        return chat(prompt("describe_toolkit"), block("apis", "\n".join(lines)))

    def schema(self) -> JsonSchema:
        return object_schema(description={"type": "string"}, name={"type": "string"})

    def parse(self, data: Any) -> DescribedToolkit:
        answer = as_object(data)
        description = " ".join(text_member(answer, "description").split())
        name = " ".join(text_member(answer, "name").split()).strip(" .\"'")
        if not name or len(name) > _LONGEST_NAME or len(name.split()) > 6:
            raise AnswerInvalid("a name has two to four words", where="$.name")
        foreign = _title_words(name) - _title_words(" ".join(self.members)) - _SMALL
        if foreign:
            words = ", ".join(sorted(foreign))
            raise AnswerInvalid(f"no API speaks of: {words}", where="$.name")
        if len(description) > _LONGEST_DESCRIPTION:
            raise AnswerInvalid(f"at most {_LONGEST_DESCRIPTION} characters", where="$.description")
        return DescribedToolkit(name=name, description=description)


def _title_words(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[^\W\d_]+", text.lower())}
