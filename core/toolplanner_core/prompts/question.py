"""What a question to a model is: its text, the schema of its answer, and the parser of the answer.

One file per question. Strategies ask them through `RunScope.ask`; who answers (a language model or
the offline
planner) sees the same typed fields, and every answer goes through the same `parse`.
"""

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message

T = TypeVar("T")


def object_schema(**properties: Any) -> dict[str, Any]:
    """JSON Schema of an object with these properties, all required, and no others: what strict
    modes of language models demand."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


class Role(StrEnum):
    """Which of the run's models answers; planning and acting are two settings (Source: TP, table
    7)."""

    PLANNING = "planning"
    ACTING = "acting"
    JUDGING = "judging"


class AnswerInvalid(Exception):
    """An answer that cannot be used; `what` tells the model what to mend, `where` is a JSON
    path."""

    def __init__(self, what: str, *, where: str = "$") -> None:
        self.what = what
        self.where = where
        super().__init__(f"{where}: {what}")


class Question(ABC, Generic[T]):
    """Base of all questions; subclasses are frozen dataclasses whose fields are the question's
    content.

    Class attributes:
        id: stable name, part of the node path, such as "make_plan".
        version: counts up whenever text or schema changes; stored with each use.
        title: for people, such as "Make a plan".
        max_repairs: how often an invalid answer is sent back with what is wrong.
    """

    id: ClassVar[str]
    version: ClassVar[int] = 1
    title: ClassVar[str]
    role: ClassVar[Role] = Role.ACTING
    temperature: ClassVar[float] = 0.3
    max_repairs: ClassVar[int] = 2

    @abstractmethod
    def messages(self) -> list[Message]:
        """The request as sent to a language model."""

    @abstractmethod
    def schema(self) -> JsonSchema:
        """JSON Schema of the answer (an object)."""

    @abstractmethod
    def parse(self, data: Any) -> T:
        """The validated answer.

        Raises:
            AnswerInvalid: the data does not answer the question.
        """
