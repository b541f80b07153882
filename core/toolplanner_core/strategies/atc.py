"""Chain of tools: one program calls the tools in order, reads their replies, prints the answer.

Source: Shi et al., arXiv 2405.16533, sections 3.2 and 3.3; design/strategies.md section 6. After an
error the model says which tool caused it (attribution), is told all about that tool and writes
another program, three times at most. Each call of a program is a node below it, with its line, and
passes the gate like any other.
"""

import asyncio
import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.domain.program import ProgramEnd
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PublishedSettings
from toolplanner_core.probing.protocol import protocol_from, protocol_memory
from toolplanner_core.prompts.probing import Protocols, UsageExample
from toolplanner_core.prompts.programs import (
    BlameTool,
    ReviseProgram,
    TriedProgram,
    WriteProgram,
    calls_behind,
)
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.program_calls import PROGRAM_LINE, DoneProgram, execute
from toolplanner_core.words.formatting import counted, one_line

PROGRAM = NodeKind(
    id="program",
    word="program",
    icon="script-text-outline",
    is_unit=False,
    is_numbered=True,
    counted="revisions",
    counted_from=2,
    shown=(
        ShownField("program", "Program", is_code=True, marked="line"),
        ShownField("change", "Changed", is_code=True),
        ShownField("printed", "Printed", is_code=True),
        ShownField("error", "Error", is_code=True),
        ShownField("blamed", "To blame"),
    ),
)
_SILENT = ProgramEnd(how="raised", error="NoAnswer", message="the program printed nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class AtcOptions:
    """Options of the strategy; the defaults are the paper's."""

    shortlist: int = option(20, "APIs offered at most, best first.", minimum=1, maximum=120)
    revisions: int = option(3, "Revised programs at most.", minimum=0)
    most_calls: int = option(60, "Calls of one program at most.", title="Calls", minimum=1)
    probed: Literal["accepted", "all", "none"] = option(
        "accepted",
        "Response schemas and examples that probing found, beside the documentation.",
        title="Probed protocols",
        choices={
            "accepted": "those that a person accepted",
            "all": "all but rejected ones",
            "none": "the documentation alone",
        },
    )


async def solve(task: Task, run: RunScope, options: AtcOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    found = [each.api for each in await run.catalogue.search(task.query, options.shortlist)]
    if not found:
        return Answer(text="", solved=False, reason="No API was found for the query")
    return await _Chain(task, run, options, await _protocols(found, run, options.probed)).solve()


async def _protocols(apis: Sequence[Api], run: RunScope, wanted: str) -> Protocols:
    """The documentation, and what probing found where it still holds."""
    returns: dict[ApiId, JsonSchema] = {}
    examples: dict[ApiId, UsageExample] = {}
    statuses = {"accepted": ("accepted",), "all": ("accepted", "new")}.get(wanted, ())
    for api in apis if statuses else ():
        probed = protocol_from((await run.memory(protocol_memory(api.id))).value)
        if probed is not None and probed.status in statuses and not probed.is_stale(api):
            returns[api.id] = probed.returns
            examples[api.id] = UsageExample(probed.question, probed.program)
    return Protocols(apis, returns=returns, examples=examples)


class _Chain:
    """What is known while a task is solved."""

    def __init__(
        self, task: Task, run: RunScope, options: AtcOptions, protocols: Protocols
    ) -> None:
        self._task, self._run, self._options, self._protocols = task, run, options, protocols
        self._tried: list[TriedProgram] = []
        self._documentation = ""

    async def solve(self) -> Answer:
        cause: int | None = None
        for number in range(1, self._options.revisions + 2):
            title = "Write and run" if number == 1 else "Revise and run"
            async with self._run.node(PROGRAM, number, title, cause=cause) as node:
                program = await self._write()
                self._show(node, program)
                done = await execute(
                    self._run, node, program, self._protocols, most_calls=self._options.most_calls
                )
                if done.end.ok and not done.end.printed.strip():
                    done = replace(done, end=_SILENT)
                cause, end = done.seq, done.end
                if end.ok:
                    node.end(NodeState.OK, one_line(end.printed), data={"printed": end.printed})
                    return Answer(text=end.printed.strip(), solved=True)
                self._tried.append(TriedProgram(program, end))
                blamed = ""
                if number <= self._options.revisions:
                    blamed = await self._blame(done)
                    known = self._protocols.by_name.get(blamed)
                    self._documentation = known.whole if known else ""
                self._say_end(node, done, blamed)
        tried, last = counted(len(self._tried), "program"), self._tried[-1].end
        reason = f"None of {tried} came to an answer; the last one: {last.error}: {last.message}"
        return Answer(text="", solved=False, reason=one_line(reason, 300))

    async def _write(self) -> str:
        query, texts = self._task.query, self._protocols.texts
        if not self._tried:
            return await self._run.ask(WriteProgram(query=query, protocols=texts))
        question = ReviseProgram(
            query=query,
            protocols=texts,
            tried=tuple(self._tried),
            documentation=self._documentation,
        )
        return await self._run.ask(question)

    def _show(self, node: OpenNode, program: str) -> None:
        lines = counted(program.count("\n") + 1, "line")
        told = {"title": f"Program of {lines}", "program": program}
        if self._tried:
            before = self._tried[-1].program.split("\n")
            change = difflib.unified_diff(before, program.split("\n"), lineterm="", n=1)
            told["change"] = "\n".join([*change][2:]) or "nothing"
        node.tell(**told)

    async def _blame(self, done: DoneProgram) -> str:
        """The function that caused an error, by name; "" = none, or nobody can say."""
        if done.end is _SILENT:
            return ""
        tried, names = self._tried[-1], tuple(self._protocols.by_name)
        behind: tuple[str, ...] = ()
        if done.end.line:
            behind = await asyncio.to_thread(calls_behind, tried.program, done.end.line, names)
        question = BlameTool(
            query=self._task.query, names=names, tried=tried, calls=done.calls, behind=behind
        )
        try:
            return await self._run.ask(question)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return next(iter(behind), "")

    def _say_end(self, node: OpenNode, done: DoneProgram, blamed: str) -> None:
        end = done.end
        told: dict[str, object] = {"printed": end.printed, "error": end.trace or done.reason}
        if end.line:
            told["line"] = end.line
        if blamed:
            told["blamed"] = self._protocols.by_name[blamed].api.title
        node.end(NodeState.FAILED, done.reason, error=done.error, data=told)


PLUGIN = StrategyPlugin(
    id="atc",
    title="Chain of tools",
    description="Writes one program that calls the APIs in order and prints the answer; it runs in"
    " a sandbox, call by call. After an error it asks which tool caused it and revises the program,"
    " up to three times.",
    paper="Shi et al., arXiv 2405.16533",
    options=AtcOptions,
    solve=solve,
    kinds=(PROGRAM, PROGRAM_LINE),
    needs_sandbox=True,
    published=PublishedSettings(
        settings=(
            PaperSetting(option="revisions", says="trial number alpha is 3", value=3),
            PaperSetting(option="shortlist", says="20 candidate tools", value=20),
            PaperSetting(
                option="probed",
                says="all that probing found",
                value="all",
                why="a person accepts texts before they are used",
            ),
        ),
        differences=(
            "The 20 APIs offered are searched for; the paper's hold the right ones and random"
            " others, as candidates given with the task do.",
            "Programs run in a sandbox and call functions; the paper's run in a Python"
            " interpreter and send requests.",
        ),
    ),
)
