"""APIs that a model chooses by their numbers in a list: the list, and the form of the answer."""

from collections.abc import Iterable
from typing import Any

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.offered import in_answer
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    as_int,
    as_list,
    as_object,
    member,
    object_schema,
)


def numbered_lines(texts: Iterable[str]) -> str:
    """One text a line, numbered from 1 on."""
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


def numbers_schema(count: int) -> JsonSchema:
    """The form of an answer that chooses any of `count` APIs."""
    number = {"type": "integer", "minimum": 1, "maximum": count}
    return object_schema(apis={"type": "array", "items": number})


def numbers_not_offered(data: Any, count: int) -> Iterable[str]:
    """The numbers in an answer that stand in no list of `count`."""
    numbers = {"type": "array", "items": {"enum": [*range(1, count + 1)]}}
    return in_answer(data, object_schema(apis=numbers), {"apis"})


def read_numbers(data: Any, count: int) -> tuple[int, ...]:
    """The chosen positions, from 0 on, each once, in the order of the answer.

    Raises:
        AnswerInvalid: the answer has another form, or a number that is in no list of `count`.
    """
    chosen = as_list(member(as_object(data), "apis"), "$.apis")
    numbers = [as_int(each, f"$.apis[{at}]") for at, each in enumerate(chosen)]
    for number in numbers:
        if not 1 <= number <= count:
            raise AnswerInvalid(f"there is no API {number}", where="$.apis")
    return tuple(number - 1 for number in dict.fromkeys(numbers))
