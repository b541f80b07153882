"""The first call after a fork point, with the arguments or the API that a person gave it.

The change is an event with actor "person" that holds both versions. It stands before all checks,
so changed arguments are validated like any others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from toolplanner_core.domain.ids import ApiId, NodePath
from toolplanner_core.domain.observation import Observation
from toolplanner_core.runs.events.fork import PersonDecided
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.lookups import ApiOf
from toolplanner_core.runs.stages.stage import CallEnd, CallRequest

STOP = "fork"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEdit:
    """What to change at one call.

    Attributes:
        at: the call, or a node above it; "" = the next call.
        arguments: arguments to set; a value of None takes one away. Others stay as they are.
        api: another API to call.
    """

    at: NodePath
    arguments: Mapping[str, Any] | None = None
    api: ApiId | None = None

    def is_for(self, path: NodePath) -> bool:
        """Whether a call is the one that is meant."""
        return not self.at or path == self.at or path.startswith(f"{self.at}/")


class ForkEditStage:
    """Changes one call."""

    def __init__(self, log: RunLog, api_of: ApiOf, edit: CallEdit | None) -> None:
        self._log = log
        self._api_of = api_of
        self.pending = edit

    async def __call__(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage."""
        taped = self._log.tape.take_decision(request.path, STOP)
        if taped is not None:
            return await proceed(
                with_version(request, taped.event.after, self._api_of, cause=taped.seq)
            )
        edit = self.pending
        if (
            edit is None
            or not edit.is_for(request.path)
            or not self._log.tape.is_live(request.path)
        ):
            return await proceed(request)
        self.pending = None
        arguments = {**request.arguments, **(edit.arguments or {})}
        arguments = {name: value for name, value in arguments.items() if value is not None}
        changed = replace(
            request,
            arguments=arguments,
            api=self._api_of(edit.api) if edit.api is not None else request.api,
        )
        record = self._log.append(
            PersonDecided(
                stop=STOP,
                choice="edit",
                title=request.api.title,
                before=version_of(request),
                after=version_of(changed),
            ),
            path=request.path,
            parent=request.parent,
            cause=request.cause,
            barrier=True,
        )
        return await proceed(replace(changed, cause=record.seq))


def version_of(request: CallRequest) -> dict[str, Any]:
    """The part of a call that a person may change, as JSON."""
    return {
        "api": request.api.id,
        "api_title": request.api.title,
        "arguments": dict(request.arguments),
    }


def with_version(
    request: CallRequest, version: Mapping[str, Any], api_of: ApiOf, *, cause: int
) -> CallRequest:
    """The call in another version, as `version_of` wrote it."""
    api_id = ApiId(str(version["api"]))
    return replace(
        request,
        api=request.api if api_id == request.api.id else api_of(api_id),
        arguments=dict(cast("Mapping[str, Any]", version["arguments"])),
        cause=cause,
    )
