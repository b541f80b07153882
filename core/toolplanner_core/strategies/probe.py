"""Probing: find out how APIs reply by calling them, and keep what was found as protocols.

Source: Shi et al., arXiv 2405.16533, section 4; design/strategies.md section 6. Black-box probing:
a question and a program for one API, until one works, N times. Chain of probing: what needs values
of others is probed again with the help of those that worked, chosen by the model, round by round.
Only APIs marked as reading are probed, unless the option says otherwise; then each call that
changes something asks first, as everywhere. A protocol is a memory of its own, dated, and counts
for nothing until a person accepts it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolplanner_core.domain.api import Api, JsonSchema, Risk
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.options.option import option
from toolplanner_core.probing.protocol import ProbedProtocol, protocol_memory
from toolplanner_core.probing.schemas import compare_schemas, infer_schema, merge_schemas
from toolplanner_core.prompts.probing import (
    ChooseHelpers,
    ProbeApi,
    Protocol,
    Protocols,
    UsageExample,
    outline,
)
from toolplanner_core.prompts.programs import TriedProgram
from toolplanner_core.prompts.render import as_json
from toolplanner_core.strategies.interface.scope import ModelGaveUp, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.program_calls import PROGRAM_LINE, DoneProgram, execute
from toolplanner_core.words.formatting import counted, one_line

PROBED = NodeKind(
    id="probed",
    word="API",
    icon="magnify-scan",
    is_unit=False,
    is_numbered=True,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(
        ShownField("returns", "Returns", is_code=True),
        ShownField("documented", "Beside the documentation"),
        ShownField("helpers", "With the help of"),
    ),
)
PROBE = NodeKind(
    id="probe",
    word="probe",
    icon="flask-outline",
    is_unit=False,
    is_numbered=True,
    is_try=True,
    shown=(
        ShownField("question", "Question"),
        ShownField("program", "Program", is_code=True, marked="line"),
        ShownField("error", "Error", is_code=True),
    ),
)

_ID = re.compile("[0-9a-f]{16}")
"""An API's id (`sources/identity.py`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeOptions:
    """Options of the strategy."""

    shortlist: int = option(
        20, "APIs probed at most, where the query names none by id.", minimum=1, maximum=500
    )
    tries: int = option(3, "Probes of one API in a round at most.", minimum=1)
    rounds: int = option(3, "Rounds with the help of others at most.", minimum=0)
    writing: bool = option(
        False, "On = also APIs that may change something; each such call asks first."
    )
    most_calls: int = option(10, "Calls of one probe at most.", title="Calls", minimum=1)


async def solve(task: Task, run: RunScope, options: ProbeOptions) -> Answer:
    """Probe the APIs that a query names by id, or those that fit it."""
    apis = await _named(task.query, run)
    if not apis:
        apis = [each.api for each in await run.catalogue.search(task.query, options.shortlist)]
    asked = [api for api in apis if options.writing or api.risk is Risk.READ]
    if not asked:
        reason = "No API was found" if not apis else "All of them may change something"
        return Answer(text="", solved=False, reason=reason)
    return await _Probing(run, options).all_of(asked, left_out=len(apis) - len(asked))


async def _named(query: str, run: RunScope) -> list[Api]:
    words = query.replace(",", " ").split()
    if not all(_ID.fullmatch(word) for word in words):
        return []
    return [await run.catalogue.api(ApiId(word)) for word in words]


class _Learned(NamedTuple):
    """An API that was probed; `helpers` are those whose functions its example calls, too."""

    api: Api
    protocol: ProbedProtocol
    helpers: Sequence[Api]


class _Probing:
    """What is known while APIs are probed."""

    def __init__(self, run: RunScope, options: ProbeOptions) -> None:
        self._run, self._options = run, options
        self._learned: dict[ApiId, _Learned] = {}
        self._number = 0

    async def all_of(self, apis: Sequence[Api], *, left_out: int) -> Answer:
        """Probe them all: each by itself first, then with the help of those that worked."""
        left = await self._round(apis, is_chain=False)
        for _ in range(self._options.rounds):
            if not left or not self._learned:
                break
            left = await self._round(left, is_chain=True)
        learned = counted(len(self._learned), "protocol")
        text = f"{learned} of {counted(len(apis), 'API')} found."
        if left:
            text += f" Not found: {', '.join(api.title for api in left)}."
        if left_out:
            text += f" {counted(left_out, 'API')} that may change something left out."
        solved = bool(self._learned)
        reason = "" if solved else "No probe worked"
        return Answer(text=text, solved=solved, reason=reason, is_about_apis=True)

    async def _round(self, apis: Sequence[Api], *, is_chain: bool) -> list[Api]:
        """Probe each; those that are still not known."""
        left: list[Api] = []
        for api in apis:
            self._number += 1
            async with self._run.node(
                PROBED, self._number, api.title, data={"api": api.id}
            ) as node:
                helpers = await self._helpers(api) if is_chain else []
                found = None if is_chain and not helpers else await self._probe(api, helpers)
                if found is None:
                    left.append(api)
                    node.end(
                        NodeState.FAILED,
                        "nobody can help" if is_chain and not helpers else "no probe worked",
                    )
                    continue
                self._learned[api.id] = _Learned(api, found, helpers)
                (await self._run.memory(protocol_memory(api.id))).write(found.to_json())
                node.end(NodeState.OK, _found_words(found), data=_told(api, found))
        return left

    async def _helpers(self, api: Api) -> list[Api]:
        known = Protocols([each.api for each in self._learned.values()])
        rows = [
            (name, as_json(outline(self._learned[each.api.id].protocol.returns)))
            for name, each in known.by_name.items()
        ]
        question = ChooseHelpers(protocol=_own(Protocols([api])).text(), known=rows)
        try:
            names = await self._run.ask(question)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return []
        chosen = [self._learned[known.by_name[name].api.id] for name in names]
        # The example of a helper may need helpers of its own.
        found = [api for each in chosen for api in (each.api, *each.helpers)]
        return [*{api.id: api for api in found}.values()]

    async def _probe(self, api: Api, helpers: Sequence[Api]) -> ProbedProtocol | None:
        known = [self._learned[each.id].protocol for each in helpers]
        returns: dict[ApiId, JsonSchema] = {each.api: each.returns for each in known}
        examples = {each.api: UsageExample(each.question, each.program) for each in known}
        protocols = Protocols([api, *helpers], returns=returns, examples=examples)
        tried: list[TriedProgram] = []
        cause: int | None = None
        for number in range(1, self._options.tries + 1):
            async with self._run.node(PROBE, number, "Probe", cause=cause) as node:
                question = ProbeApi(
                    target=_own(protocols).name, protocols=protocols.texts, tried=tuple(tried)
                )
                probe = await self._run.ask(question)
                node.tell(title=one_line(probe.question), **probe._asdict())
                done = await execute(
                    self._run, node, probe.program, protocols, most_calls=self._options.most_calls
                )
                cause, replies = done.seq, done.replies.get(api.id)
                if done.end.ok and replies:
                    return ProbedProtocol(
                        api=api.id,
                        title=api.title,
                        probed_at=(await self._run.now()).isoformat(timespec="seconds"),
                        doc_hash=api.doc_hash,
                        question=probe.question,
                        program=probe.program,
                        returns=merge_schemas(infer_schema(reply) for reply in replies),
                        helpers=tuple(each.title for each in helpers),
                    )
                tried.append(TriedProgram(probe.program, done.end))
                reason = _reason(done)
                node.end(
                    NodeState.FAILED,
                    reason,
                    error=done.error,
                    data={"error": done.end.trace or reason},
                )
        return None


def _own(protocols: Protocols) -> Protocol:
    return next(iter(protocols.by_name.values()))


def _reason(done: DoneProgram) -> str:
    return done.reason if not done.end.ok else "the API was not called"


def _found_words(found: ProbedProtocol) -> str:
    """What was found out, and whose replies it took."""
    if not found.helpers:
        return found.question
    return f"with the help of {', '.join(found.helpers)}: {found.question}"


def _told(api: Api, found: ProbedProtocol) -> dict[str, object]:
    told: dict[str, object] = {"returns": as_json(outline(found.returns))}
    if found.helpers:
        told["helpers"] = ", ".join(found.helpers)
    if api.response_schema is not None:
        told["documented"] = compare_schemas(api.response_schema, found.returns).in_words
    return told


PLUGIN = StrategyPlugin(
    id="probe",
    title="Probing",
    description="Calls APIs to find out how they reply, and keeps that with an example as their"
    " protocol, to be accepted by a person. The query names APIs by their ids, or says what they"
    " are about.",
    paper="Shi et al., arXiv 2405.16533",
    options=ProbeOptions,
    solve=solve,
    kinds=(PROBED, PROBE, PROGRAM_LINE),
    needs_sandbox=True,
    answers=False,
    example={"shortlist": 4},  # a few APIs show it
)
