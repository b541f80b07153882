"""Ask for other words of a query that mean the same, for training sets.

A paraphrase is taken only if it keeps every value of the query: one that loses an amount, a place
or a name asks something else.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

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
from toolplanner_core.words.query_values import missing_values


@dataclass(frozen=True, slots=True, kw_only=True)
class Paraphrase(Question[tuple[str, ...]]):
    """Other wordings of a query, `count` at most."""

    id: ClassVar[str] = "paraphrase"
    title: ClassVar[str] = "Paraphrase a query"
    role: ClassVar[Role] = Role.PLANNING

    query: str
    count: int

    def messages(self) -> list[Message]:
        return chat(prompt("paraphrase", count=self.count), block("query", self.query))

    def schema(self) -> JsonSchema:
        return object_schema(paraphrases={"type": "array", "items": {"type": "string"}})

    def parse(self, data: Any) -> tuple[str, ...]:
        """Those that can be used, each once.

        Raises:
            AnswerInvalid: none can be used.
        """
        found: dict[str, str] = {}
        wrong = "name a paraphrase"
        for each in as_list(member(as_object(data), "paraphrases"), "$.paraphrases"):
            text = " ".join(each.split()) if isinstance(each, str) else ""
            lost = missing_values(self.query, [text], [text]) if text else []
            if lost:
                wrong = f"{text!r} leaves out {lost[0]}"
            elif text and text.casefold() != self.query.casefold():
                found.setdefault(text.casefold(), text)
        if not found:
            raise AnswerInvalid(wrong, where="$.paraphrases")
        return tuple(found.values())[: self.count]
