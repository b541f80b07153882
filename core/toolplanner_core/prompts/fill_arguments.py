"""Fill the arguments of one API for one step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import ResultRef
from toolplanner_core.prompts.cards import ApiCard, FailureCard, StepResult
from toolplanner_core.prompts.question import Message, Question


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
    api: ApiCard
    results: tuple[StepResult, ...]
    failures: tuple[FailureCard, ...]
    now: datetime

    def messages(self) -> list[Message]:
        raise NotImplementedError

    def schema(self) -> JsonSchema:
        raise NotImplementedError

    def parse(self, data: Any) -> Arguments:
        raise NotImplementedError
