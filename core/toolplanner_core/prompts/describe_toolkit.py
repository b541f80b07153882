"""Name and describe a toolkit (Source: Tool-Planner, arXiv 2406.03807, section 3.1)."""

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_object,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import block, chat, short
from toolplanner_core.prompts.texts import prompt
from toolplanner_core.words.stems import stem

_LONGEST_NAME, _LONGEST = 60, 400
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
        foreign = _words(name) - _words(" ".join(self.members)) - _SMALL
        if foreign:
            words = ", ".join(sorted(foreign))
            raise AnswerInvalid(f"no API speaks of: {words}", where="$.name")
        if len(description) > _LONGEST:
            raise AnswerInvalid(f"at most {_LONGEST} characters", where="$.description")
        return DescribedToolkit(name=name, description=description)


def _words(text: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[^\W\d_]+", text.lower())}
