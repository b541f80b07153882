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
    OBSERVATION_LIMIT,
    FailureCard,
    StepResult,
    block,
    chat,
    documentation,
    failure_lines,
    result_lines,
)
from toolplanner_core.prompts.texts import prompt


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
    version: ClassVar[int] = 2
    title: ClassVar[str] = "Fill the arguments"

    query: str
    goal: str
    api: Api
    results: tuple[StepResult, ...]
    failures: tuple[FailureCard, ...]
    now: datetime
    limit: int = OBSERVATION_LIMIT

    def messages(self) -> list[Message]:
        return chat(
            prompt("fill_arguments"),
            block("documentation", documentation(self.api)),
            block("query", self.query),
            block("step", self.goal),
            f"Now: {self.now:%A, %Y-%m-%d %H:%M %Z}".rstrip(),
            block("results", result_lines(self.results, self.limit, paths=True))
            if self.results
            else "",
            block("failures", failure_lines(self.failures)) if self.failures else "",
        )

    def schema(self) -> JsonSchema:
        return argument_schema(self.api.parameters)

    def parse(self, data: Any) -> Arguments:
        values, refs, missing = parse_arguments(data, self.api.parameters, self.results)
        return Arguments(values=values, refs=refs, missing=missing)
