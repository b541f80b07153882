"""Replies generated from the documented schema: deterministic by seed, failing at a given rate.

For trying plans and strategies on a catalogue nobody can call. Every reply says that it is
simulated; the values are plausible in type and form, never facts.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.failure import EXPLANATIONS, ErrorClass
from toolplanner_core.domain.observation import SIMULATED, RawResult
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import option
from toolplanner_core.providers.provider import CallLimits, Provider, ProviderPlugin
from toolplanner_core.providers.simulated_values import simulated_value
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


PLUGIN = ProviderPlugin(
    id="simulated",
    title="Simulated replies",
    description="Replies made up from the documented schema, for plans over what nobody can call.",
    touches_world=False,
    options=SimulatedOptions,
    make=_make,
)
