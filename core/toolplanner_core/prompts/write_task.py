"""Write a query that given APIs answer, with the calls that answer it.

Source: AnyTool (Du et al., arXiv 2402.04253), section 4.1: for AnyToolBench a model is shown APIs
that were drawn, and writes a query for them. Ours also names the calls, which are checked later.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.functions import Functions, InvalidCall, WantedCall
from toolplanner_core.prompts.offered import in_answer
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_list,
    as_object,
    member,
    named_call,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import as_json, block, chat, function_lines
from toolplanner_core.prompts.texts import prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTask:
    """A query and the calls that answer it, in their order."""

    query: str
    calls: tuple[WantedCall, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteTask(Question[WrittenTask]):
    """A query that needs each of these APIs once.

    Attributes:
        known: arguments with which each of them is known to answer, in their order; {} = none are.
    """

    id: ClassVar[str] = "write_task"
    title: ClassVar[str] = "Write a task"
    role: ClassVar[Role] = Role.PLANNING
    temperature: ClassVar[float] = 0.7

    apis: tuple[Api, ...]
    known: tuple[Mapping[str, Any], ...]

    def messages(self) -> list[Message]:
        functions = Functions.of(self.apis).functions
        called = (
            f"{each.name} {as_json(dict(values))}"
            for each, values in zip(functions, self.known, strict=True)
            if values
        )
        return chat(
            prompt("write_task"),
            block("functions", function_lines(functions)),
            block("known_calls", "\n".join(called)),
        )

    def schema(self) -> JsonSchema:
        names = [each.name for each in Functions.of(self.apis).functions]
        call = object_schema(call={"type": "string", "enum": names}, arguments={"type": "object"})
        return object_schema(query={"type": "string"}, calls={"type": "array", "items": call})

    def not_offered(self, data: Any) -> Iterable[str]:
        return in_answer(data, self.schema(), {"call"})

    def parse(self, data: Any) -> WrittenTask:
        """The task.

        Raises:
            AnswerInvalid: it leaves out an API, names another, or says a value of a call nowhere.
        """
        found, offered = as_object(data), Functions.of(self.apis)
        query = " ".join(text_member(found, "query").split())
        names = [each.name for each in offered.functions]
        calls: list[WantedCall] = []
        for at, item in enumerate(as_list(member(found, "calls"), "$.calls")):
            where = f"$.calls[{at}]"
            wanted = offered.read(named_call(as_object(item, where), names, where))
            if isinstance(wanted, InvalidCall):
                raise AnswerInvalid(wanted.what, where=where)
            if unsaid := next(_unsaid(query, wanted), None):
                what = f"the query does not say the value {unsaid!r} that this call needs"
                raise AnswerInvalid(what, where=f"{where}.arguments")
            calls.append(wanted)
        called = [each.api.id for each in calls]
        for name, api in zip(names, self.apis, strict=True):
            if called.count(api.id) != 1:
                raise AnswerInvalid(f"call {name} once", where="$.calls")
        return WrittenTask(query=query, calls=tuple(calls))


def _unsaid(query: str, call: WantedCall) -> Iterator[str]:
    """Texts and numbers among the arguments that stand nowhere in a query."""
    said = query.casefold().replace(",", "")
    for value in call.arguments.values():
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            text = str(value)
            if text.casefold().replace(",", "") not in said:
                yield text
