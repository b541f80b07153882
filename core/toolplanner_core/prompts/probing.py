"""Probing: a question that one API can answer and the program that asks it; who may help.

Source: Shi et al., Chain of Tools, arXiv 2405.16533, sections 4.1 (instance discovery) and 4.2
(chain of probing: APIs whose replies hold what others need, such as ids).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.programs import TriedProgram, end_text
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
from toolplanner_core.prompts.render import block, chat, one_line
from toolplanner_core.prompts.texts import prompt

_MOST_HELPERS = 5


class Probe(NamedTuple):
    """A question for one API and a program that answers it."""

    question: str
    program: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeApi(Question[Probe]):
    """Another probe of an API.

    Attributes:
        target: name of its function; `protocols` are its own and those of its helpers.
        tried: probes that did not work.
    """

    id: ClassVar[str] = "probe_api"
    title: ClassVar[str] = "Think of a probe"
    role: ClassVar[Role] = Role.PLANNING

    target: str
    protocols: tuple[str, ...]
    tried: tuple[TriedProgram, ...] = ()

    def messages(self) -> list[Message]:
        return chat(
            prompt("probe_api"),
            block("function", self.target),
            block("protocols", "\n\n".join(self.protocols)),
            "\n".join(
                f"{block('tried', each.program)}\n{block('result', end_text(each.end))}"
                for each in self.tried
            ),
        )

    def schema(self) -> JsonSchema:
        return object_schema(question={"type": "string"}, program={"type": "string"})

    def parse(self, data: Any) -> Probe:
        answer = as_object(data)
        return Probe(text_member(answer, "question"), text_member(answer, "program"))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseHelpers(Question[tuple[str, ...]]):
    """The functions that may give an API what it needs, by name.

    Attributes:
        known: names with what they return, of those that were probed already.
    """

    id: ClassVar[str] = "choose_helpers"
    title: ClassVar[str] = "Who may help?"
    role: ClassVar[Role] = Role.PLANNING
    temperature: ClassVar[float] = 0.0

    protocol: str
    known: Sequence[tuple[str, str]]

    def messages(self) -> list[Message]:
        lines = (f"{name}: {one_line(returns, 300)}" for name, returns in self.known)
        return chat(
            prompt("choose_helpers"),
            block("function", self.protocol),
            block("functions", "\n".join(lines)),
        )

    def schema(self) -> JsonSchema:
        return object_schema(functions={"type": "array", "items": {"type": "string"}})

    def parse(self, data: Any) -> tuple[str, ...]:
        names = as_list(member(as_object(data), "functions"), "$.functions")
        known = {name for name, _ in self.known}
        for name in names:
            if name not in known:
                raise AnswerInvalid(f"there is no function {name!r}", where="$.functions")
        return tuple(dict.fromkeys(str(name) for name in names))[:_MOST_HELPERS]
