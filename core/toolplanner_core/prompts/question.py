"""What a question to a model is: its text, the schema of its answer, and the parser of the answer.

One file per question. Strategies ask them through `RunScope.ask`; who answers (a language model or
the offline planner) sees the same typed fields, and every answer goes through the same `parse`.
Small checks help parsers: every misfit is an `AnswerInvalid` in words that a model can act on.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar, cast

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.prompts.offered import in_answer
from toolplanner_core.prompts.texts import prompt

T = TypeVar("T")
C = TypeVar("C", bound=StrEnum)


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


def sent_back(said: str, invalid: AnswerInvalid) -> tuple[Message, Message]:
    """An answer that cannot be used, and what its model is told of it."""
    again = prompt("answer_again", where=invalid.where, what=invalid.what)
    return Message("assistant", said), Message("user", again)


class Question(ABC, Generic[T]):
    """Base of all questions; subclasses are frozen dataclasses whose fields are the question's
    content.

    Class attributes:
        id: stable name, part of the node path, such as "make_plan".
        version: counts up whenever text or schema changes; stored with each use.
        title: for people, such as "Make a plan".
        max_repairs: how often an invalid answer is sent back with what is wrong.
        offers: properties of the answer that name something which the question offers; their
            schema lists it.
    """

    id: ClassVar[str]
    version: ClassVar[int] = 1
    title: ClassVar[str]
    role: ClassVar[Role] = Role.ACTING
    temperature: ClassVar[float] = 0.3
    max_repairs: ClassVar[int] = 2
    offers: ClassVar[frozenset[str]] = frozenset()

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

    def not_offered(self, data: Any) -> Iterable[str]:
        """What an answer names although the question does not offer it, whether `parse` takes it
        or not."""
        return in_answer(data, self.schema(), self.offers) if self.offers else ()


_NAMES = {dict: "an object", list: "an array", str: "a string", bool: "true or false"}


def _expected(kind: type, data: Any, where: str) -> AnswerInvalid:
    return AnswerInvalid(f"expected {_NAMES[kind]}, got {describe(data)}", where=where)


def describe(data: Any) -> str:
    """A JSON value in a few words, for messages."""
    if data is None:
        return "null"
    for kind, name in _NAMES.items():
        if isinstance(data, kind) and kind not in (bool, str):
            return name
    text = repr(data)
    return text if len(text) <= 60 else f"{text[:57]}..."


def as_object(data: Any, where: str = "$") -> dict[str, Any]:
    """`data` as an object."""
    if not isinstance(data, dict):
        raise _expected(dict, data, where)
    return cast(dict[str, Any], data)


def as_list(data: Any, where: str) -> list[Any]:
    """`data` as an array."""
    if not isinstance(data, list):
        raise _expected(list, data, where)
    return cast(list[Any], data)


def member(data: dict[str, Any], name: str, where: str = "$") -> Any:
    """A property that must be there."""
    if name not in data:
        raise AnswerInvalid(f"the property {name!r} is missing", where=where)
    return data[name]


def text_member(data: dict[str, Any], name: str, where: str = "$", *, empty: bool = False) -> str:
    """A property that must be a string, and not blank unless `empty`."""
    value = member(data, name, where)
    if not isinstance(value, str):
        raise _expected(str, value, f"{where}.{name}")
    if not empty and not value.strip():
        raise AnswerInvalid("the text is empty", where=f"{where}.{name}")
    return value.strip()


def choice_member(data: dict[str, Any], name: str, kind: type[C], where: str = "$") -> C:
    """A property that must be one of a few words, in small or large letters."""
    said = text_member(data, name, where).lower()
    if said not in set(kind):
        raise AnswerInvalid(f"{said!r} is none of {', '.join(kind)}", where=f"{where}.{name}")
    return kind(said)


def bool_member(data: dict[str, Any], name: str, where: str = "$") -> bool:
    """A property that must be true or false."""
    value = member(data, name, where)
    if not isinstance(value, bool):
        raise _expected(bool, value, f"{where}.{name}")
    return value


def as_int(data: Any, where: str) -> int:
    """A whole number; 3.0 counts as 3, true does not count as 1."""
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise AnswerInvalid(f"expected a whole number, got {describe(data)}", where=where)
    if isinstance(data, float) and not data.is_integer():
        raise AnswerInvalid(f"expected a whole number, got {data}", where=where)
    return int(data)


def named_call(data: dict[str, Any], names: Sequence[str], where: str = "$") -> FunctionCall:
    """The properties "call" and "arguments" as a call of one of these functions."""
    name = text_member(data, "call", where)
    if name not in names:
        known = ", ".join(names[:40])
        raise AnswerInvalid(f"there is no function {name!r}: {known}", where=f"{where}.call")
    given = as_object(member(data, "arguments", where), f"{where}.arguments")
    call = FunctionCall("", name, json.dumps(given, ensure_ascii=False))
    if call.values() is None:
        raise AnswerInvalid("they are nested too deep", where=f"{where}.arguments")
    return call
