"""Fill the arguments of one API for one step: the question, its schema, its parser.

Every parameter is in the schema's `required` and may be null (= left out), because strict modes of
language models demand that all properties are required.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, NamedTuple, cast

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.demonstration import Demonstration
from toolplanner_core.domain.plan import ResultRef
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.demonstrations import shown_examples
from toolplanner_core.prompts.offered import in_arguments
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    as_int,
    as_list,
    as_object,
    describe,
    member,
    object_schema,
)
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
from toolplanner_core.prompts.values import coerce_value, misfit, types_of

REFERENCE_KEY = "$result"

_PART = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
_REFERENCE = object_schema(
    **{
        REFERENCE_KEY: object_schema(
            step={"type": "integer"}, path={"type": "array", "items": _PART}
        )
    }
)


class ParsedArguments(NamedTuple):
    """What an answer holds, by parameter name; `missing` in documented order."""

    values: dict[str, Any]
    refs: dict[str, ResultRef]
    missing: tuple[str, ...]


def properties_of(parameters: JsonSchema) -> dict[str, Any]:
    """The documented parameters; empty when the schema is broken."""
    found = parameters.get("properties")
    return dict(cast(Mapping[str, Any], found)) if isinstance(found, Mapping) else {}


def required_of(parameters: JsonSchema) -> tuple[str, ...]:
    """The required names that are documented, in documented order."""
    listed: Any = parameters.get("required")
    names = cast(Sequence[Any], listed) if isinstance(listed, list | tuple) else ()
    return tuple(name for name in properties_of(parameters) if name in names)


def argument_schema(parameters: JsonSchema) -> JsonSchema:
    """JSON Schema of the answer for an API with these parameters."""
    properties = {
        name: {"anyOf": [_plain(schema), _REFERENCE, {"type": "null"}]}
        for name, schema in properties_of(parameters).items()
    }
    return object_schema(arguments=object_schema(**properties))


def _plain(schema: Any, depth: int = 0) -> dict[str, Any]:
    """A parameter's schema reduced to what strict modes accept: types, enum, items, properties."""
    kinds = types_of(schema) or ["string", "number", "boolean", "array", "object"]
    plain: dict[str, Any] = {"type": kinds[0] if len(kinds) == 1 else kinds}
    source: Mapping[str, Any] = (
        cast(Mapping[str, Any], schema) if isinstance(schema, Mapping) else {}
    )
    description = source.get("description")
    if isinstance(description, str) and description:
        plain["description"] = description
    options = source.get("enum")
    if isinstance(options, list) and options:
        plain["enum"] = options
    if "array" in kinds:
        inner = source.get("items")
        known = isinstance(inner, Mapping) and depth < 4
        plain["items"] = _plain(inner, depth + 1) if known else {"type": "string"}
    if "object" in kinds and depth < 4:
        inner_properties = properties_of(source)
        if inner_properties:
            plain["properties"] = {
                name: _plain(part, depth + 1) for name, part in inner_properties.items()
            }
    return plain


def parse_arguments(
    data: Any, parameters: JsonSchema, results: Sequence[StepResult]
) -> ParsedArguments:
    """The validated arguments.

    Raises:
        AnswerInvalid: an unknown name, a value that does not fit, a reference that leads nowhere,
            or a required parameter that is not spoken of.
    """
    answer = as_object(data)
    given = as_object(member(answer, "arguments"), "$.arguments")
    properties = properties_of(parameters)
    values: dict[str, Any] = {}
    refs: dict[str, ResultRef] = {}
    for name, value in given.items():
        where = f"$.arguments.{name}"
        if name not in properties:
            raise AnswerInvalid(_unknown(name, properties), where=where)
        if value is None:
            continue
        if isinstance(value, dict) and REFERENCE_KEY in value:
            refs[name] = _parse_reference(cast(dict[str, Any], value), results, where)
            continue
        if _holds_reference(value):
            raise AnswerInvalid(
                f"{REFERENCE_KEY} must be the whole value of a parameter, not a part", where=where
            )
        values[name] = coerce_value(value, properties[name])
        wrong = misfit(values[name], properties[name])
        if wrong:
            raise AnswerInvalid(f"{name} {wrong}", where=where)
    missing = _parse_missing(answer.get("missing", []), properties)
    absent = [name for name in required_of(parameters) if name not in values and name not in refs]
    for name in absent:
        if name not in missing and name not in given:
            raise AnswerInvalid(
                f"the required parameter {name!r} is neither given nor null",
                where="$.arguments",
            )
    return ParsedArguments(values, refs, tuple(absent))


def _unknown(name: str, properties: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(name, list(properties), n=1)
    hint = f"; did you mean {close[0]!r}" if close else ""
    names = ", ".join(list(properties)[:60]) or "none"
    return f"there is no parameter {name!r}{hint}; the parameters are: {names}"


def _parse_missing(data: Any, properties: Mapping[str, Any]) -> set[str]:
    names: set[str] = set()
    for index, name in enumerate(as_list(data, "$.missing")):
        where = f"$.missing[{index}]"
        if not isinstance(name, str):
            raise AnswerInvalid(f"expected a parameter name, got {describe(name)}", where=where)
        if name not in properties:
            raise AnswerInvalid(_unknown(name, properties), where=where)
        names.add(name)
    return names


def _holds_reference(value: Any) -> bool:
    if isinstance(value, dict):
        return REFERENCE_KEY in value or any(_holds_reference(part) for part in value.values())
    return isinstance(value, list) and any(_holds_reference(part) for part in value)


def _parse_reference(value: dict[str, Any], results: Sequence[StepResult], where: str) -> ResultRef:
    if len(value) > 1:
        raise AnswerInvalid(f"nothing may stand beside {REFERENCE_KEY}", where=where)
    where = f"{where}.{REFERENCE_KEY}"
    body = as_object(value[REFERENCE_KEY], where)
    step = as_int(member(body, "step", where), f"{where}.step")
    path: list[str | int] = []
    for index, part in enumerate(as_list(member(body, "path", where), f"{where}.path")):
        if isinstance(part, bool) or not isinstance(part, str | int):
            raise AnswerInvalid(
                f"a path is made of names and indexes, got {describe(part)}",
                where=f"{where}.path[{index}]",
            )
        path.append(part)
    for result in results:
        if result.step == step:
            _follow(result.value, path, where)
            return ResultRef(step=step, path=tuple(path))
    finished = ", ".join(str(result.step) for result in results) or "none"
    raise AnswerInvalid(
        f"step {step} has no result; finished steps: {finished}", where=f"{where}.step"
    )


def _follow(value: Any, path: Sequence[str | int], where: str) -> None:
    for index, part in enumerate(path):
        place = f"{where}.path[{index}]"
        if isinstance(value, dict):
            keys = cast(dict[str, Any], value)
            if not isinstance(part, str) or part not in keys:
                names = ", ".join(map(str, list(keys)[:40])) or "none"
                raise AnswerInvalid(f"there is no {part!r} here; names: {names}", where=place)
            value = keys[part]
        elif isinstance(value, list):
            if not isinstance(part, int) or not 0 <= part < len(value):
                raise AnswerInvalid(
                    f"expected an index from 0 to {len(value) - 1}, got {part!r}", where=place
                )
            value = value[part]
        else:
            raise AnswerInvalid(f"{describe(value)} has no parts", where=place)


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
    examples: tuple[Demonstration, ...] = ()

    def messages(self) -> list[Message]:
        return chat(
            prompt("fill_arguments"),
            block("documentation", documentation(self.api)),
            shown_examples(self.examples),
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

    def not_offered(self, data: Any) -> Iterable[str]:
        answer = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
        given, parameters = answer.get("arguments"), self.api.parameters
        yield from in_arguments(given, parameters)
        missing = answer.get("missing")
        if isinstance(missing, list):
            names = dict.fromkeys(str(name) for name in cast("list[Any]", missing))
            yield from in_arguments(names, parameters)

    def parse(self, data: Any) -> Arguments:
        values, refs, missing = parse_arguments(data, self.api.parameters, self.results)
        return Arguments(values=values, refs=refs, missing=missing)
