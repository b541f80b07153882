"""AdaPlanner with plans in code: a program with assertions, refined where one is not met.

Source: Sun et al., arXiv 2305.16653, and its released code. A revised program goes on where it
differs from the one before (*refine-then-resume*): the calls that worked are not made again as long
as it makes the same, so the values of its finished steps are there. Later tries begin anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer
from toolplanner_core.domain.program import HostFailure, ProgramEnd
from toolplanner_core.prompts.probing import Protocols
from toolplanner_core.prompts.programs import TriedProgram
from toolplanner_core.prompts.solution_code import ReviseSolution, WriteSolution
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.techniques.program_calls import (
    AnsweredCall,
    DoneProgram,
    execute,
)
from toolplanner_core.words.formatting import counted, one_line

SOLUTION = NodeKind(
    id="solution",
    word="solution",
    icon="script-text-outline",
    is_unit=False,
    is_numbered=True,
    counted="revisions",
    counted_from=2,
    shown=(
        ShownField("program", "Program", is_code=True, marked="line"),
        ShownField("kept", "Calls kept"),
        ShownField("printed", "Printed", is_code=True),
        ShownField("error", "Error", is_code=True),
    ),
)
_SILENT = ProgramEnd(how="raised", error="NoAnswer", message="the program printed nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePlanLimits:
    """Programs at most, the first tries after which the next one resumes, calls of a program."""

    tries: int
    resume_tries: int
    calls: int


async def solve_by_code(run: RunScope, apis: Sequence[Api], limits: CodePlanLimits) -> Answer:
    """Answer the query of the run by programs over these APIs."""
    protocols, query = Protocols(apis), run.task.query
    question = WriteSolution(query=query, protocols=protocols.texts)
    tried: list[TriedProgram] = []
    kept: tuple[AnsweredCall, ...] = ()
    cause: int | None = None
    for number in range(1, limits.tries + 1):
        title = "Write and run" if number == 1 else "Revise and run"
        async with run.node(SOLUTION, number, title, cause=cause) as node:
            program = await run.ask(question)
            lines = counted(program.count("\n") + 1, "line")
            node.tell(title=f"Solution of {lines}", program=program, kept=len(kept))
            done = await execute(
                run, node, program, protocols, most_calls=limits.calls, before=kept
            )
            end = done.end if done.end.printed.strip() or not done.end.ok else _SILENT
            if end.ok:
                node.end(NodeState.OK, one_line(end.printed), data={"printed": end.printed})
                return Answer(text=end.printed.strip(), solved=True)
            told = {"printed": end.printed, "error": end.trace or end.message, "line": end.line}
            node.end(NodeState.FAILED, done.reason, error=done.error, data=told)
        tried.append(TriedProgram(program, end))
        resumes, cause = number <= limits.resume_tries, done.seq
        kept = _worked(done) if resumes else ()
        question = ReviseSolution(
            query=query, protocols=protocols.texts, tried=tuple(tried), resumes=resumes
        )
    last = tried[-1].end
    reason = f"None of {counted(len(tried), 'program')} passed its assertions; the last one:"
    return Answer(text="", solved=False, reason=f"{reason} {last.error}: {one_line(last.message)}")


def _worked(done: DoneProgram) -> tuple[AnsweredCall, ...]:
    """The calls of a program up to the first that failed."""
    good = takewhile(lambda call: not isinstance(call.outcome, HostFailure), done.answered)
    return tuple(good)
