"""The provider of the demo workspace: invented vendors, really executed in process.

No socket is opened and nothing outside changes. Quotas count per provider instance, that is, per
run; keys and subscriptions are options, so that a failing call can be made to work.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import NOT_SENT, RawResult
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import option
from toolplanner_core.providers.demo.world.endpoint import SOURCE, endpoints
from toolplanner_core.providers.demo.world.execute import execute
from toolplanner_core.providers.demo.world.world import World
from toolplanner_core.providers.provider import CallLimits, Provider, ProviderPlugin
from toolplanner_core.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoOptions:
    """How the demo world stands."""

    now: str = option(
        "2026-11-20T12:00:00+00:00",
        "Date and time of the demo world, ISO 8601; UTC when no zone is named.",
        title="Date and time",
    )
    seed: int = option(0, "Chance of weather, prices and the like.")
    unlocked: tuple[str, ...] = option(
        (), "Vendors whose key or subscription is there, such as tickerline."
    )


class DemoProvider(Provider):
    """Executes calls of APIs whose source is "demo"."""

    def __init__(self, options: DemoOptions) -> None:
        try:
            now = datetime.fromisoformat(options.now)
        except ValueError as error:
            raise BadInput(
                "The time of the demo world cannot be read",
                where=options.now,
                todo="Write it like 2026-11-20T12:00:00+00:00",
            ) from error
        if now.tzinfo is None:
            now = now.replace(tzinfo=UTC)
        self.now = now
        self._world = World(now=now.astimezone(UTC), seed=options.seed)
        self._unlocked = frozenset(options.unlocked)
        self._calls: Counter[str] = Counter()

    async def call(self, api: Api, arguments: Mapping[str, Any], limits: CallLimits) -> RawResult:
        """Execute one call; an API of another catalogue is a typed failure."""
        endpoint = endpoints().get(api.key) if api.source == SOURCE else None
        if endpoint is None:
            return RawResult(
                status=None,
                body="",
                failure=ErrorClass.UNKNOWN_API,
                message=f"The demo world has no API {api.title}",
                origin=NOT_SENT,
            )
        before = self._calls[api.key]
        self._calls[api.key] += 1
        return execute(
            endpoint,
            arguments,
            self._world,
            calls_before=before,
            is_unlocked=endpoint.vendor in self._unlocked,
            timeout_s=limits.timeout_s,
        )


def _make(workspace: Workspace, options: DemoOptions) -> DemoProvider:
    del workspace
    return DemoProvider(options)


PLUGIN = ProviderPlugin(
    id="demo",
    title="Demo world",
    description="An invented world whose APIs really answer, fail and change, on this machine.",
    touches_world=False,
    options=DemoOptions,
    make=_make,
)
