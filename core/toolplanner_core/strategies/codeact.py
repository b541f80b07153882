"""CodeAct: code is the action; the model writes a session piece by piece and sees what each prints.

Source: Wang et al., arXiv 2402.01030; 10 turns and temperature 0 as its released evaluation of
multi-tool tasks has them (scripts/eval/m3tooleval). Its interpreter keeps variables between turns.
Here each piece runs in the sandbox after those before it that ran to their end: their calls are
answered as they were, so nothing is sent twice, and variables are as they were.
"""

from dataclasses import dataclass

from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
from toolplanner_core.prompts.codeact import ActByCode, CodeAction, CodePiece
from toolplanner_core.prompts.probing import Protocols
from toolplanner_core.prompts.programs import end_text
from toolplanner_core.strategies.interface.scope import OpenNode, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.program_calls import (
    PROGRAM_LINE,
    AnsweredCall,
    execute,
)
from toolplanner_core.words.formatting import counted, one_line

PIECE = NodeKind(
    id="code_piece",
    word="piece of code",
    icon="code-braces",
    is_unit=False,
    is_numbered=True,
    shown=(
        ShownField("thought", "Thought"),
        ShownField("program", "Session", is_code=True, marked="line"),
        ShownField("printed", "Printed", is_code=True),
        ShownField("error", "Error", is_code=True),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeActOptions:
    """Options of the strategy; the defaults are those of the paper's evaluation."""

    max_turns: int = option(10, "Pieces of code and answers at most.", title="Turns", minimum=1)
    most_calls: int = option(60, "Calls of the session at most.", title="Calls", minimum=1)
    shortlist: int = option(20, "APIs offered at most, best first.", minimum=1, maximum=120)


async def solve(task: Task, run: RunScope, options: CodeActOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    found = [each.api for each in await run.catalogue.search(task.query, options.shortlist)]
    if not found:
        return Answer(text="", solved=False, reason="No API was found for the query")
    return await _Session(task, run, options, Protocols(found)).solve()


class _Session:
    """What was written and called so far.

    Attributes of its own: the pieces, the text of those that stay, what they printed, their calls.
    """

    def __init__(
        self, task: Task, run: RunScope, options: CodeActOptions, protocols: Protocols
    ) -> None:
        self._task, self._run, self._options, self._protocols = task, run, options, protocols
        self._pieces: list[CodePiece] = []
        self._text = ""
        self._printed = ""
        self._calls: tuple[AnsweredCall, ...] = ()
        self._cause: int | None = None

    async def solve(self) -> Answer:
        for number in range(1, self._options.max_turns + 1):
            async with self._run.node(PIECE, number, "Write", cause=self._cause) as node:
                action = await self._run.ask(
                    ActByCode(
                        query=self._task.query,
                        protocols=self._protocols.texts,
                        session=tuple(self._pieces),
                    )
                )
                if action.answer:
                    node.tell(title="Gives the answer", thought=action.thought)
                    node.end(NodeState.OK, one_line(action.answer))
                    return Answer(text=action.answer, solved=True)
                await self._act(action, node)
        turns = counted(self._options.max_turns, "turn")
        return Answer(text="", solved=False, reason=f"No answer within {turns}")

    async def _act(self, action: CodeAction, node: OpenNode) -> None:
        """Run a piece after those that stay."""
        whole = f"{self._text}\n{action.code}" if self._text else action.code
        lines = counted(action.code.count("\n") + 1, "line")
        node.tell(title=f"Code of {lines}", thought=action.thought, program=whole)
        done = await execute(
            self._run,
            node,
            whole,
            self._protocols,
            most_calls=self._options.most_calls,
            before=self._calls,
        )
        end = done.end
        own = end.printed.removeprefix(self._printed)
        self._cause = None if end.ok else done.seq
        told = end_text(end, printed=own)
        self._pieces.append(CodePiece(action.thought, action.code, told, stays=end.ok))
        if end.ok:
            self._text, self._printed, self._calls = whole, end.printed, done.answered
            node.end(NodeState.OK, one_line(own), data={"printed": own})
            return
        data: dict[str, object] = {"printed": own, "error": end.trace or done.reason}
        if end.line:
            data["line"] = end.line
        node.end(NodeState.FAILED, done.reason, error=done.error, data=data)


PLUGIN = StrategyPlugin(
    id="codeact",
    title="CodeAct",
    description="Acts by code: writes the next piece of a Python session, sees what it prints, and"
    " goes on until it answers. Quick where values of one call go into the next, or loops are"
    " needed.",
    paper="Wang et al., arXiv 2402.01030",
    options=CodeActOptions,
    solve=solve,
    kinds=(PIECE, PROGRAM_LINE),
    needs_sandbox=True,
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="max_turns", says="n_turns_limit 10", value=10, source=PaperSource.CODE
            ),
            PaperSetting(
                option="most_calls",
                says="no limit",
                value=60,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
            PaperSetting(
                option="shortlist",
                says="given with the task",
                value=20,
                source=PaperSource.NOBODY,
                why="not the paper's: its benchmark gives candidates",
            ),
        ),
        differences=(
            "The APIs offered are searched for, unless candidates are given with the task, as the"
            " paper's benchmark gives them.",
            "A piece that raised leaves no variables behind; the paper's interpreter keeps what"
            " was done until then.",
            "Code comes as a field of a JSON object; the paper's models write it between tags.",
            "A wrong answer ends the run; the paper's evaluation says so and lets it go on.",
        ),
    ),
)
