"""Who executes an API call: the protocol of providers, and their registry."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import NOT_SENT, RawResult
from toolplanner_core.registry import Registry
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting

DEFAULT_PROVIDER = "simulated"
"""Of workspaces that name no other."""


def _ignore_progress(words: str) -> None:
    del words


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """Bounds of one call, and who watches it.

    Attributes:
        timeout_s: of the whole call, in seconds.
        tell: gets in words how far a call has come, while it goes on; they are never written down.
    """

    timeout_s: float = 30.0
    max_bytes: int = 5_000_000
    tell: Callable[[str], None] = _ignore_progress


class Provider(Protocol):
    """Executes calls. A failing API is a `RawResult`, never an exception.

    Attributes:
        now: the time of an invented world, for planner and APIs alike; None = the machine's.
    """

    now: datetime | None = None

    async def call(self, api: Api, arguments: Mapping[str, Any], limits: CallLimits) -> RawResult:
        """Execute one call; arguments were checked against the API's schema."""
        ...

    def describe_request(self, api: Api, arguments: Mapping[str, Any]) -> str:
        """What a call would send, for whoever has to allow it: what it does to whom in the first
        line, the rest below; keys by name."""
        values = json.dumps(dict(arguments), ensure_ascii=False, default=str)
        return f"{api.name} {values} · {api.call_in_words or api.tool}"

    async def close(self) -> None:
        """Close connections, if it has any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderPlugin:
    """A kind of provider.

    Attributes:
        touches_world: False when no call can have an effect outside (demo, recorded, simulated):
        such calls
            need no approval.
        options: frozen dataclass with defaults.
        make: `make(workspace, options)`; raises `UserError` when it cannot work on this workspace.
    """

    id: str
    title: str
    description: str
    touches_world: bool
    options: type
    make: Callable[[Workspace, Any], Provider]


providers = Registry(
    ProviderPlugin, package="toolplanner_core.providers", kind="providers", what="provider"
)


def not_sent(error: ErrorClass, message: str) -> RawResult:
    """A failure before anything was sent."""
    return RawResult(failure=error, message=message, origin=NOT_SENT)


def default_provider(workspace: Workspace) -> str:
    """Who executes the calls of a workspace when a run names nobody."""
    return str(get_setting(workspace, "default_provider", DEFAULT_PROVIDER))
