"""Chain of tools: one program calls the tools in order, reads their replies, prints the answer.

Source: Shi et al., arXiv 2405.16533, sections 3.2 and 3.3; design/strategies.md section 6. After an
error the model says which tool caused it (attribution), is told all about that tool and writes
another program, three times at most. Each call of a program is a node below it, with its line, and
passes the gate like any other.
"""

import difflib
from dataclasses import dataclass, field

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeKind, NodeState, Shown
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.domain.program import HostCall, HostFailure, ProgramEnd
from toolplanner_core.options.option import option
from toolplanner_core.prompts.program_flow import calls_behind
from toolplanner_core.prompts.programs import (
    BlameTool,
    MadeCall,
    ReviseProgram,
    TriedProgram,
    WriteProgram,
    numbered,
)
from toolplanner_core.prompts.protocols import Protocols
from toolplanner_core.prompts.render import as_json, cut
from toolplanner_core.strategies.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.strategy import StrategyPlugin
from toolplanner_core.words.wording import counted, one_line

PROGRAM = NodeKind(
    id="program",
    word="program",
    icon="script-text-outline",
    is_unit=False,
    is_numbered=True,
    counted="revisions",
    counted_from=2,
    shown=(
        Shown("program", "Program", is_code=True, marked="line"),
        Shown("change", "Changed", is_code=True),
        Shown("printed", "Printed", is_code=True),
        Shown("error", "Error", is_code=True),
        Shown("blamed", "To blame"),
    ),
)
PROGRAM_LINE = NodeKind(
    id="line",
    word="call",
    icon="arrow-right-bottom",
    is_numbered=True,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(
        Shown("line", "Line", is_column=True),
        Shown("around", "Program", is_code=True),
        Shown("values", "Values before it", is_code=True),
    ),
)
_AROUND = 4
"""Lines of a program that are shown before and after a call."""
_REASON = 90
"""Characters of why a program is revised: it stands beside its node and beside the next."""
_SILENT = ProgramEnd(how="raised", error="NoAnswer", message="the program printed nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class AtcOptions:
    """Options of the strategy; the defaults are the paper's."""

    shortlist: int = option(20, "APIs offered at most, best first.", minimum=1, maximum=120)
    revisions: int = option(3, "Revised programs at most.", minimum=0)
    most_calls: int = option(60, "Calls of one program at most.", title="Calls", minimum=1)


async def solve(task: Task, run: RunScope, options: AtcOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    found = await run.catalogue.search(task.query, options.shortlist)
    if not found:
        return Answer(text="", solved=False, reason="No API was found for the query")
    return await _Chain(task, run, options, Protocols([each.api for each in found])).solve()


@dataclass(slots=True, kw_only=True)
class _Calls:
    """The calls that one program has made."""

    made: list[MadeCall] = field(default_factory=list[MadeCall])
    failed: ErrorClass | None = None
    """Class of the last call, if it failed."""


class _Chain:
    """What is known while a task is solved."""

    def __init__(
        self, task: Task, run: RunScope, options: AtcOptions, protocols: Protocols
    ) -> None:
        self._task, self._run, self._options, self._protocols = task, run, options, protocols
        self._tried: list[TriedProgram] = []

    async def solve(self) -> Answer:
        query, texts, documentation = self._task.query, self._protocols.texts, ""
        cause: int | None = None
        for number in range(1, self._options.revisions + 2):
            title = "Write and run" if number == 1 else "Revise and run"
            async with self._run.node(PROGRAM, number, title, cause=cause) as node:
                program = await self._run.ask(
                    ReviseProgram(
                        query=query,
                        protocols=texts,
                        tried=tuple(self._tried),
                        documentation=documentation,
                    )
                    if self._tried
                    else WriteProgram(query=query, protocols=texts)
                )
                self._show(node, program)
                end, calls, cause = await self._execute(node, program)
                if end.ok:
                    node.end(NodeState.OK, one_line(end.printed), data={"printed": end.printed})
                    return Answer(text=end.printed.strip(), solved=True)
                self._tried.append(TriedProgram(program, end))
                blamed = ""
                if number <= self._options.revisions:
                    blamed = await self._blame(end, calls)
                    documentation = self._protocols.by_name[blamed].whole if blamed else ""
                self._say_end(node, end, calls, blamed)
        tried = counted(len(self._tried), "program")
        last = f"{self._tried[-1].end.error}: {self._tried[-1].end.message}"
        reason = f"None of {tried} came to an answer; the last one: {last}"
        return Answer(text="", solved=False, reason=one_line(reason, 300))

    def _show(self, node: OpenNode, program: str) -> None:
        lines = counted(program.count("\n") + 1, "line")
        told = {"title": f"Runs {lines}", "program": program}
        if self._tried:
            before = self._tried[-1].program.split("\n")
            change = difflib.unified_diff(before, program.split("\n"), lineterm="", n=1)
            told["change"] = "\n".join([*change][2:]) or "nothing"
        node.tell(**told)

    async def _execute(self, node: OpenNode, program: str) -> tuple[ProgramEnd, _Calls, int]:
        calls = _Calls()

        async def answer(call: HostCall) -> object:
            return await self._call(node, program, call, calls)

        ran = await self._run.program(program, self._protocols.by_name, answer)
        is_silent = ran.end.ok and not ran.end.printed.strip()
        return (_SILENT if is_silent else ran.end), calls, ran.seq

    async def _call(self, above: OpenNode, program: str, call: HostCall, calls: _Calls) -> object:
        """Do one call of a program: a value, or what is raised there."""
        if len(calls.made) >= self._options.most_calls:
            most = counted(self._options.most_calls, "call")
            return HostFailure(message=f"a program may make {most}")
        wanted = self._protocols.read(call)
        api = self._protocols.by_name[call.name].api
        above.tell(line=call.line)
        data = {
            "api": api.id,
            "line": call.line,
            "around": _around(program, call.line),
            "values": "\n".join(f"{name} = {value}" for name, value in call.values.items()),
        }
        title = f"line {call.line}: {api.title}"
        async with self._run.node(PROGRAM_LINE, len(calls.made) + 1, title, data=data) as node:
            if isinstance(wanted, str):
                calls.failed = ErrorClass.INVALID_PARAMETER
                calls.made.append(MadeCall(call.line, call.name, wanted))
                node.end(NodeState.FAILED, wanted, error=calls.failed)
                return HostFailure(message=wanted, error="TypeError")
            seen = await self._run.call(wanted.api, wanted.arguments)
            calls.failed = seen.error
            if seen.error is None:
                calls.made.append(MadeCall(call.line, call.name, f"returned {as_json(seen.value)}"))
                node.end(NodeState.OK, one_line(as_json(seen.value)))
                return seen.value
            words = seen.error.value.replace("_", " ")
            calls.made.append(MadeCall(call.line, call.name, f"{words}: {seen.message}"))
            node.end(NodeState.FAILED, words, error=seen.error)
            return HostFailure(message=f"{call.name} failed ({words}): {cut(seen.message, 300)}")

    async def _blame(self, end: ProgramEnd, calls: _Calls) -> str:
        """The function that caused an error, by name; "" = none, or nobody can say."""
        if end is _SILENT:
            return ""
        tried, names = self._tried[-1], tuple(self._protocols.by_name)
        behind = calls_behind(tried.program, end.line, names) if end.line else ()
        question = BlameTool(
            query=self._task.query,
            names=names,
            tried=tried,
            calls=tuple(calls.made),
            behind=behind,
        )
        try:
            return await self._run.ask(question)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            return next(iter(behind), "")

    def _say_end(self, node: OpenNode, end: ProgramEnd, calls: _Calls, blamed: str) -> None:
        place = f"line {end.line}: " if end.line else ""
        reason = one_line(f"{place}{end.error}: {end.message}", _REASON)
        told: dict[str, object] = {"printed": end.printed, "error": end.trace or reason}
        if end.line:
            told["line"] = end.line
        if blamed:
            told["blamed"] = self._protocols.by_name[blamed].api.title
        node.end(NodeState.FAILED, reason, error=calls.failed, data=told)


def _around(program: str, line: int) -> str:
    lines = numbered(program, line).split("\n")
    return "\n".join(lines[max(0, line - 1 - _AROUND) : line + _AROUND])


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
)
