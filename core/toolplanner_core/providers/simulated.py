"""Replies generated from the documented schema: deterministic by seed, failing at a given rate.

For trying plans and strategies on a catalogue nobody can call. Every reply says that it is
simulated; the values are plausible in type and form, never facts.
"""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.errors import BadInput
from toolplanner_core.providers.provider import CallLimits, ProviderPlugin
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedOptions:
    """Options of the provider.

    Attributes:
        seed: same seed, API and arguments: same reply.
        failure_rate: share of calls that fail, 0 to 1.
        failure_classes: comma-separated error classes that failures take turns in.
    """

    seed: int = 0
    failure_rate: float = 0.0
    failure_classes: str = "server_error,timeout,rate_limited,not_found"


class SimulatedProvider:
    """Makes replies up from schemas, and says so."""

    def __init__(self, options: SimulatedOptions) -> None:
        if not 0.0 <= options.failure_rate <= 1.0:
            raise BadInput("failure_rate must lie between 0 and 1", where=str(options.failure_rate))
        self._options = options
        self._classes = _classes(options.failure_classes)

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
            return _failure(random.choice(self._classes))
        value = simulated_value(api.response_schema or _schema_from(api), random, arguments)
        body = json.dumps({"simulated": True, "data": value}, ensure_ascii=False)
        return RawResult(status=200, body=body, origin="simulated")

    async def close(self) -> None:
        """Nothing is open."""


def _classes(names: str) -> list[ErrorClass]:
    allowed = sorted({*_STATUS, *_WITHOUT_REPLY})
    found: list[ErrorClass] = []
    for name in filter(None, (part.strip() for part in names.split(","))):
        if name not in allowed:
            raise BadInput(
                f"{name!r} is not an error class that can be simulated",
                todo=f"Choose from: {', '.join(allowed)}",
            )
        found.append(ErrorClass(name))
    if not found:
        raise BadInput("failure_classes is empty", todo=f"Choose from: {', '.join(allowed)}")
    return found


def _failure(error: ErrorClass) -> RawResult:
    message = f"Simulated failure: {error}"
    if error in _WITHOUT_REPLY:
        return RawResult(status=None, body="", failure=error, message=message, origin="simulated")
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
        origin="simulated",
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
    touches_world=False,
    options=SimulatedOptions,
    make=_make,
)
