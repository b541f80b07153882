"""May this call be made at all? Calls that change the world outside need a person's yes.

A rule that a person gave decides; without one the run holds and asks, and where nobody is there to
be asked, the call is refused. An API that an import documents otherwise is not called at all until
a person has accepted that. It stands behind the debugger's stop, so that what is allowed is what
is sent. Providers that touch nothing outside (demo, recorded, simulated) need no leave.
Source: design/architecture.md, "one gate"; design/security.md, "Approval".
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from toolplanner_core.approvals import add_approval, approval_for
from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.approval import (
    Approval,
    ApprovalScope,
    call_origin,
    literal_pattern,
    scope_title,
    scope_value,
)
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import REFUSED_BY_PERSON, Observation
from toolplanner_core.domain.stop_points import APPROVAL, Alternative, Choice
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.config.call_routing import ServingProvider
from toolplanner_core.runs.events.call import CallAllowed, CallRefused
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.person_decisions import TakenDecision
from toolplanner_core.runs.stages.stage import CallEnd, CallRequest, refuse

_ONCE, _RUN, _SAME = "once", "this toolkit in this run", "these arguments"
CHANGED = "Its documentation has changed, and nobody has accepted that yet"
"""Why an API that waits is not called, whoever serves it."""
_REFUSED = f"{REFUSED_BY_PERSON} call"
_REFUSED_BEFORE = f"{REFUSED_BY_PERSON} very call before, in this run"


class PolicyStage:
    """Sends what a person allows, and nothing else that may change something outside."""

    def __init__(
        self,
        tools: StageContext,
        *,
        served_by: Callable[[Api], ServingProvider],
        is_waiting: Callable[[Api], bool],
    ) -> None:
        self._log, self._deciding, self._places = tools.log, tools.deciding, tools.places
        self._served_by, self._is_waiting = served_by, is_waiting
        self._toolkits: set[tuple[str, Risk]] = set()
        """Allowed for this run."""
        self._refused: set[str] = set()
        """Calls that a person refused in this run: API and arguments, in one text."""

    async def __call__(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage. On the tape stands what was decided; nobody is asked again."""
        tape = self._log.tape
        head = tape.peek(request.path)
        if head is not None:
            if tape.has_decision(request.path, APPROVAL.id) and (taken := await self._ask(request)):
                request = replace(request, cause=taken.seq)
            if not isinstance(head.event, CallRefused):
                return await proceed(request)
            error, message = ErrorClass(head.event.error), head.event.message
            return refuse(self._log, request, error, message)
        if self._is_waiting(request.api):
            return refuse(self._log, request, ErrorClass.BLOCKED_BY_POLICY, CHANGED)
        if request.api.risk is Risk.READ or not self._served_by(request.api).touches_world:
            return await proceed(request)
        return await self._decide(request, proceed)

    async def _decide(self, request: CallRequest, proceed: CallEnd) -> Observation:
        api, toolkit = request.api, self._places.of(request.path).toolkit
        try:
            rule = await asyncio.to_thread(approval_for, api, request.arguments)
        except BadInput as error:
            return refuse(self._log, request, ErrorClass.BLOCKED_BY_POLICY, error.sentence)
        if rule is not None and not rule.allows:
            message = f"A rule of yours says: {rule.in_words}"
            return refuse(self._log, request, ErrorClass.BLOCKED_BY_POLICY, message)
        by_rule = rule.in_words if rule is not None else ""
        if toolkit and (toolkit, api.risk) in self._toolkits:
            by_rule = by_rule or f"allow {toolkit} in this run"
        if by_rule and not request.again:
            event = CallAllowed(title=api.title, risk=api.risk, rule=by_rule)
            self._log.append(event, path=request.path, cause=request.cause)
            return await proceed(request)
        this_call = json.dumps([api.id, dict(request.arguments)], sort_keys=True, default=str)
        if this_call in self._refused:
            return refuse(self._log, request, ErrorClass.BLOCKED_BY_POLICY, _REFUSED_BEFORE)
        taken = await self._ask(request)
        if taken is None:
            why = request.again or f"This call may {_effect(api)}"
            message = f"{why}, and nobody is there to allow it"
            return refuse(self._log, request, ErrorClass.BLOCKED_BY_POLICY, message)
        request = replace(request, cause=taken.seq)
        if taken.decision.choice is Choice.SKIP:
            self._refused.add(this_call)
            return refuse(self._log, request, ErrorClass.BLOCKED_BY_POLICY, _REFUSED)
        await self._remember(request, taken.decision.taken or _ONCE, toolkit)
        return await proceed(request)

    async def _ask(self, request: CallRequest) -> TakenDecision | None:
        api, place = request.api, self._places.of(request.path)
        told = self._served_by(api).provider.describe_request(api, request.arguments)
        line, _, rest = told.partition("\n")
        stop = place.stop(
            APPROVAL,
            request.path,
            api.title,
            request.cause,
            api=api,
            arguments=request.arguments,
            message=f"{line} (it may {_effect(api)})",
            rest=rest.strip("\n"),
            warning=f"{request.again}." if request.again else "",
            alternatives=_alternatives(api, place.toolkit)[: 1 if request.again else None],
        )
        known = [each.id for each in stop.alternatives]
        return await self._deciding.at(
            stop,
            before={"api": api.id, "arguments": dict(request.arguments)},
            check=lambda decision: (
                ""
                if decision.choice is not Choice.TAKE or decision.taken in known
                else f"Leave can be given for: {', '.join(known)}"
            ),
        )

    async def _remember(self, request: CallRequest, scope: str, toolkit: str) -> None:
        api = request.api
        if scope == _RUN:
            self._toolkits.add((toolkit, api.risk))
        elif scope != _ONCE:
            is_same = scope == _SAME
            rule_scope = ApprovalScope.API if is_same else ApprovalScope(scope)
            patterns = {name: literal_pattern(v) for name, v in request.arguments.items()}
            rule = Approval(
                allows=True,
                scope=rule_scope,
                value=scope_value(rule_scope, api),
                title=scope_title(rule_scope, api),
                up_to=api.risk,
                doc_hash=api.doc_hash if rule_scope is ApprovalScope.API else "",
                arguments=patterns if is_same else {},
                given=datetime.now(UTC).date().isoformat(),
            )
            await asyncio.to_thread(add_approval, rule)


def _alternatives(api: Api, toolkit: str) -> tuple[Alternative, ...]:
    origin = call_origin(api)
    found = [
        (_ONCE, "This call, once"),
        (_SAME, "This API with these arguments, always"),
        (ApprovalScope.API, "This API with any arguments, always"),
        (ApprovalScope.TOOL, f"All of {api.tool} up to this risk, always"),
    ]
    if toolkit:
        found.insert(1, (_RUN, "This toolkit up to this risk, in this run"))
    if origin:
        title = f"All at {origin} up to this risk, always"
        found.append((ApprovalScope.ORIGIN, title))
    return tuple(Alternative(id=each, title=title) for each, title in found)


def _effect(api: Api) -> str:
    return "delete something" if api.risk is Risk.DESTRUCTIVE else "change something"
