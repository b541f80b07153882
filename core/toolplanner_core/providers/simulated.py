"""Replies generated from the documented schema: deterministic by seed, failing at a given rate.

For trying plans and strategies on a catalogue nobody can call. Every reply says that it is
simulated; the values are plausible in type and form, never facts.

Values fit a JSON Schema, are plausible in form and drawn from a seeded `Random`. Any schema is
survived: what cannot be understood becomes a short text.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, cast

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.failure import EXPLANATIONS, ErrorClass
from toolplanner_core.domain.observation import SIMULATED, RawResult
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import option
from toolplanner_core.providers.provider import CallLimits, Provider, ProviderPlugin
from toolplanner_core.workspace import Workspace

_STATUS = {
    ErrorClass.UNAUTHORISED: 401,
    ErrorClass.NOT_SUBSCRIBED: 403,
    ErrorClass.NOT_FOUND: 404,
    ErrorClass.RATE_LIMITED: 429,
    ErrorClass.SERVER_ERROR: 500,
    ErrorClass.INVALID_PARAMETER: 422,
    ErrorClass.MISSING_PARAMETER: 400,
    ErrorClass.EMPTY_RESULT: 200,
    ErrorClass.BAD_PAYLOAD: 200,
}
_WITHOUT_REPLY = {ErrorClass.TIMEOUT, ErrorClass.NETWORK}

SimulatedFailure = Literal[
    "unauthorised", "not_subscribed", "not_found", "rate_limited", "server_error", "timeout",
    "network", "invalid_parameter", "missing_parameter", "empty_result", "bad_payload",
]  # fmt: skip
"""The error classes that a reply can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedOptions:
    """Options of the provider."""

    seed: int = option(0, "The same seed, API and arguments give the same reply.")
    failure_rate: float = option(0.0, "Share of calls that fail.", minimum=0, maximum=1)
    failure_classes: tuple[SimulatedFailure, ...] = option(
        ("server_error", "timeout", "rate_limited", "not_found"),
        "How they fail: by chance as one of these.",
        choices=EXPLANATIONS,
    )


class SimulatedProvider(Provider):
    """Makes replies up from schemas, and says so."""

    def __init__(self, options: SimulatedOptions) -> None:
        if not options.failure_classes:
            raise BadInput("failure_classes is empty", todo="Name at least one error class")
        self._options = options

    async def call(
        self,
        api: Api,
        arguments: Mapping[str, Any],
        limits: CallLimits,  # noqa: ARG002 - nothing takes long here
    ) -> RawResult:
        """A reply that fits the response schema, or a failure of one of the chosen classes."""
        text = json.dumps(
            [self._options.seed, api.id, dict(arguments)], sort_keys=True, default=str
        )
        random = Random(zlib.crc32(text.encode()))
        if random.random() < self._options.failure_rate:
            return _failure(ErrorClass(random.choice(self._options.failure_classes)))
        value = simulated_value(api.response_schema or _schema_from(api), random, arguments)
        body = json.dumps({"simulated": True, "data": value}, ensure_ascii=False)
        return RawResult(status=200, body=body, origin=SIMULATED)


def _failure(error: ErrorClass) -> RawResult:
    message = f"Simulated failure: {error}"
    if error in _WITHOUT_REPLY:
        return RawResult(failure=error, message=message, origin=SIMULATED)
    body = json.dumps({"simulated": True, "message": message})
    if error is ErrorClass.EMPTY_RESULT:
        body = "[]"
    if error is ErrorClass.BAD_PAYLOAD:
        body = '{"simulated": true, "data": [{"id": 1, '
    return RawResult(
        status=_STATUS[error],
        body=body,
        headers={"Retry-After": "1"} if error is ErrorClass.RATE_LIMITED else {},
        failure=error,
        message=message,
        origin=SIMULATED,
    )


def _schema_from(api: Api) -> JsonSchema:
    """A small object for an API that does not document its reply."""
    return {
        "type": "object",
        "properties": {
            "description": {"type": "string", "const": api.description[:200] or api.title},
            "result": {"type": "string"},
            "count": {"type": "integer", "minimum": 1, "maximum": 20},
        },
    }


def _make(_workspace: Workspace, options: Any) -> SimulatedProvider:
    return SimulatedProvider(options)


_MAX_DEPTH = 6
_WORDS = ("amber", "basalt", "cedar", "delta", "ember", "fjord", "grove", "harbour", "iris", "jade")


def simulated_value(schema: Any, random: Random, arguments: Mapping[str, Any]) -> Any:
    """A value for a schema.

    Args:
        schema: JSON Schema, or anything.
        random: the only source of chance.
        arguments: of the call; a property of the same name repeats the argument's value.
    """
    return _value(schema, random, arguments, name="", depth=0)


def _value(
    schema: Any, random: Random, arguments: Mapping[str, Any], *, name: str, depth: int
) -> Any:
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return _text(random, name)
    known = cast(JsonSchema, schema)
    for key in ("const", "example", "default"):
        if key in known:
            return known[key]
    if _list(known.get("enum")):
        return random.choice(_list(known["enum"]))
    for key in ("oneOf", "anyOf", "allOf"):
        if _list(known.get(key)):
            return _value(_list(known[key])[0], random, arguments, name=name, depth=depth + 1)
    if name in arguments and not isinstance(arguments[name], list | dict):
        return arguments[name]
    match known.get("type"):
        case "object":
            return _object(known, random, arguments, depth)
        case "array":
            items = known.get("items")
            return [
                _value(items, random, arguments, name=name, depth=depth + 1)
                for _ in range(random.randint(1, 3))
            ]
        case "integer":
            low, high = _bounds(known)
            return random.randint(int(low), max(int(low), int(high)))
        case "number":
            return round(random.uniform(*_bounds(known)), 2)
        case "boolean":
            return random.random() < 0.5
        case "null":
            return None
        case _:
            if "properties" in known:
                return _object(known, random, arguments, depth)
            return _text(random, name, str(known.get("format", "")))


def _object(schema: JsonSchema, random: Random, arguments: Mapping[str, Any], depth: int) -> Any:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return {}
    inner = cast(Mapping[str, Any], properties)
    return {
        str(key): _value(value, random, arguments, name=str(key), depth=depth + 1)
        for key, value in list(inner.items())[:30]
    }


def _bounds(schema: JsonSchema) -> tuple[float, float]:
    low, high = schema.get("minimum", 0), schema.get("maximum", 100)
    if not isinstance(low, int | float) or not isinstance(high, int | float) or low > high:
        return (0, 100)
    return (low, high)


def _list(value: Any) -> Sequence[Any]:
    return cast(Sequence[Any], value) if isinstance(value, list) else ()


def _text(random: Random, name: str, form: str = "") -> str:
    match form:
        case "date":
            return f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
        case "date-time":
            return f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}T12:00:00Z"
        case "email":
            return f"{random.choice(_WORDS)}@example.org"
        case "uri" | "url":
            return f"https://example.org/{random.choice(_WORDS)}"
        case _:
            word = random.choice(_WORDS)
            return f"{name} {word}".strip()


PLUGIN = ProviderPlugin(
    id="simulated",
    title="Simulated replies",
    description="Replies made up from the documented schema, for plans over what nobody can call.",
    touches_world=False,
    options=SimulatedOptions,
    make=_make,
)
