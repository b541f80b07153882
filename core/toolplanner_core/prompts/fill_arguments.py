"""Fill the arguments of one API for one step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.plan import ResultRef
from toolplanner_core.prompts.argument_answer import argument_schema, parse_arguments
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import Question
from toolplanner_core.prompts.render import (
    FailureCard,
    StepResult,
    block,
    chat,
    documentation,
    failure_lines,
    result_lines,
)

_SYSTEM = """You fill the arguments of one API call, so that it does one step of a query.
Give every required parameter, and optional ones only when the query or the results say \
something for them; null leaves a parameter out. Take values from the query, or from the results \
of finished steps. A value from a result is bound, not copied: \
{"$result": {"step": 1, "path": ["places", 0, "latitude"]}}, where the path leads into that \
step's result. Never invent values: a required parameter for which there is none gets null and \
its name goes into "missing". Learn from the failed attempts: do not send the same again.
Answer with one JSON object: {"arguments": {NAME: VALUE, ...}, "missing": [NAME, ...]}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The answer: literal values, and references to earlier results which the strategy resolves.

    `missing` names required parameters for which neither query nor results hold a value; the
    attempt then
    fails with `missing_parameter` without a call.
    """

    values: Mapping[str, Any]
    refs: Mapping[str, ResultRef] = field(default_factory=dict[str, ResultRef])
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FillArguments(Question[Arguments]):
    """Which arguments make this API do this step."""

    id: ClassVar[str] = "fill_arguments"
    title: ClassVar[str] = "Fill the arguments"

    query: str
    goal: str
    api: Api
    results: tuple[StepResult, ...]
    failures: tuple[FailureCard, ...]
    now: datetime

    def messages(self) -> list[Message]:
        return chat(
            _SYSTEM,
            block("documentation", documentation(self.api)),
            block("query", self.query),
            block("step", self.goal),
            f"Now: {self.now:%A, %Y-%m-%d %H:%M %Z}".rstrip(),
            block("results", result_lines(self.results)) if self.results else "",
            block("failures", failure_lines(self.failures)) if self.failures else "",
        )

    def schema(self) -> JsonSchema:
        return argument_schema(self.api.parameters)

    def parse(self, data: Any) -> Arguments:
        values, refs, missing = parse_arguments(data, self.api.parameters, self.results)
        return Arguments(values=values, refs=refs, missing=missing)
