"""What changes something is done once: nothing is changed twice in a run without a person's yes.

The same call of the same API is answered with its first reply. A call that would do again what
another one did, or may have done, needs a person's yes, whatever leave was given before: another
vendor's for the same goal, or of the same toolkit with the same values; after an unknown outcome
also the same API with other words. Other values of the same API are another thing, such as a second
item. It stands at the gate, so it holds for attempts, branches, trials, plans, programs and agents.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.ids import NodePath, ToolkitId
from toolplanner_core.domain.observation import REPEATED, Effect, Observation, RawResult
from toolplanner_core.runs.events.call import CallRepeated, CallReturned
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.retries import fingerprint, seen_in, write_outcome
from toolplanner_core.runs.stages.stage import CallEnd, CallRequest
from toolplanner_core.sources.risk import changes_something
from toolplanner_core.words.word_splitting import split_camel_case


@dataclass(slots=True, kw_only=True, eq=False)
class _Deed:
    """A call that changes something, on its way or over.

    Attributes:
        goal: of the step around it, "" outside of steps.
        effect: unknown as long as it is on its way.
        value: of its reply.
    """

    path: NodePath
    api: Api
    arguments: Mapping[str, Any]
    goal: str
    effect: Effect = Effect.UNKNOWN
    value: Any = None
    over: asyncio.Event = field(default_factory=asyncio.Event)

    def is_same(self, other: "_Deed") -> bool:
        """Whether both are the same call of the same API."""
        mine = fingerprint(self.api.id, dict(self.arguments))
        return mine == fingerprint(other.api.id, dict(other.arguments))

    @property
    def words(self) -> str:
        """Why the next one is asked about."""
        if self.effect is Effect.DONE:
            return f"{self.api.title} has done this before, in this run"
        return f"{self.api.title} was sent for this before, and nobody knows whether it was done"


class IdempotencyStage:
    """Holds what would be done a second time.

    Args:
        touches_world: calls of other APIs change nothing.
        toolkit_of: those of one toolkit can stand in for one another.
    """

    def __init__(
        self,
        tools: StageContext,
        *,
        touches_world: Callable[[Api], bool],
        toolkit_of: Callable[[Api], ToolkitId | None],
    ) -> None:
        self._log, self._places = tools.log, tools.places
        self._query = f" {_plain(tools.query)} "
        self._touches_world, self._toolkit_of = touches_world, toolkit_of
        self._deeds: list[_Deed] = []

    async def __call__(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage. What is on the tape was decided; it is only taken note of."""
        if request.api.risk is Risk.READ:
            return await proceed(request)
        head = self._log.tape.peek(request.path)
        deed = self._deed_of(request)
        if head is None:
            if not (self._touches_world(request.api) and changes_something(request.api)):
                return await proceed(request)
            earlier = await self._earlier(deed)
            if earlier and earlier.effect is Effect.DONE and earlier.is_same(deed):
                return self._repeat(request, earlier)
            request = replace(request, again=earlier.words if earlier else "")
        elif isinstance(head.event, CallRepeated):
            return self._repeated_on_tape(request, head.event)
        return await self._follow(deed, request, proceed)

    def _deed_of(self, request: CallRequest) -> _Deed:
        goal = _plain(self._places.of(request.path).goal)
        arguments = dict(request.arguments)
        return _Deed(path=request.path, api=request.api, arguments=arguments, goal=goal)

    async def _earlier(self, deed: _Deed) -> _Deed | None:
        """What it would do again; the outcome of what is on its way is waited for."""
        while True:
            found = [each for each in self._deeds if self._is_again(each, deed)]
            same = [each for each in found if each.is_same(deed)]
            going_on = [each for each in found if not each.over.is_set()]
            if not going_on:
                return (same or found or [None])[0]
            await going_on[0].over.wait()

    def _is_again(self, earlier: _Deed, deed: _Deed) -> bool:
        is_done = earlier.effect is Effect.DONE
        if earlier.api.id == deed.api.id:
            return earlier.is_same(deed) or (not is_done and _share_values(earlier, deed))
        if earlier.goal and earlier.goal == deed.goal:
            return True
        if is_done and (
            # To book and to cancel, with the same number, is not the same; nor is to write to both
            # of two that a person names.
            earlier.api.tool == deed.api.tool
            or earlier.api.risk is not deed.api.risk
            or (self._is_named(earlier.api) and self._is_named(deed.api))
        ):
            return False
        return self._are_alike(earlier.api, deed.api) and _share_values(earlier, deed)

    def _are_alike(self, one: Api, other: Api) -> bool:
        toolkit = self._toolkit_of(one)
        if toolkit is not None and toolkit == self._toolkit_of(other):
            return True
        return _plain(" ".join(split_camel_case(one.name))) == _plain(
            " ".join(split_camel_case(other.name))
        )

    def _is_named(self, api: Api) -> bool:
        return f" {_plain(api.tool)} " in self._query

    async def _follow(self, deed: _Deed, request: CallRequest, proceed: CallEnd) -> Observation:
        """Send it on, and remember what it did."""
        self._deeds.append(deed)
        seen: Observation | None = None
        try:
            seen = await proceed(request)
            return seen
        finally:
            if seen is not None:
                deed.effect, deed.value = seen.effect, seen.value
            if deed.effect is Effect.NONE:
                self._deeds.remove(deed)
            deed.over.set()

    def _repeat(self, request: CallRequest, first: _Deed) -> Observation:
        event = CallRepeated(
            api=request.api.id,
            title=request.api.title,
            arguments=dict(request.arguments),
            first=first.path,
        )
        record = self._log.append(event, path=request.path, cause=request.cause)
        body = json.dumps(first.value, ensure_ascii=False)
        raw = RawResult(status=200, body=body, origin=REPEATED)
        return write_outcome(self._log, request, raw, record.seq, 0.0, is_change=True)

    def _repeated_on_tape(self, request: CallRequest, event: CallRepeated) -> Observation:
        self._log.append(event, path=request.path, cause=request.cause)
        returned = self._log.tape.take(request.path, CallReturned)
        assert returned is not None, "what was repeated has its reply"
        return seen_in(returned, request)


def _share_values(one: _Deed, other: _Deed) -> bool:
    """Whether all that one of them says, the other says too, under whatever names."""
    said, also = _values_in([one.arguments]), _values_in([other.arguments])
    return said <= also or also <= said


def _values_in(items: Iterable[Any]) -> frozenset[str]:
    """Texts and numbers, wherever they stand; 5, 5.0 and "5" are one."""
    found: set[str] = set()
    for item in items:
        if isinstance(item, Mapping):
            found |= _values_in(cast("Mapping[str, Any]", item).values())
        elif isinstance(item, list | tuple):
            found |= _values_in(cast("list[Any]", item))
        elif item is not None and not isinstance(item, bool):
            found.add(_plain_value(item))
    return frozenset(found)


def _plain_value(item: Any) -> str:
    try:
        return str(Decimal(str(item).strip()).normalize())
    except InvalidOperation:
        return _plain(str(item))


def _plain(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.casefold()).split())
