"""`run.program`: a program in the sandbox, its calls in the hands of the strategy, its end an
event.

Nothing but its calls can change what a program does: its clock stands at the run's time, its
randomness is that of its node. So a replay or a fork runs it again, and its calls are answered from
the tape as far as that goes.
"""

from collections.abc import Collection, Mapping
from datetime import datetime

from toolplanner_core.domain.program import HostFunction, StackFrame
from toolplanner_core.domain.stop_points import BEFORE_LINE
from toolplanner_core.prompts.programs import format_stack, number_lines
from toolplanner_core.runs.engine.choice_points import ChoicePoints
from toolplanner_core.runs.events.decision import ProgramEnded
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.node_frames import NodeFrame
from toolplanner_core.strategies.interface.scope import ProgramRun
from toolplanner_core.words.formatting import one_line


class Programs:
    """The programs of one run."""

    def __init__(self, tools: StageContext, choosing: ChoicePoints) -> None:
        self._log, self._deciding, self._choosing = tools.log, tools.deciding, choosing

    async def run(
        self,
        text: str,
        functions: Collection[str],
        answer: HostFunction,
        *,
        frame: NodeFrame,
        now: datetime,
    ) -> ProgramRun:
        """Run a program in the node of a frame.

        Raises:
            SandboxMissing: there is no sandbox on this machine.
        """
        from toolplanner_core.sandbox.monty import run_program

        lines = text.split("\n")

        async def on_line(
            line: int, values: Mapping[str, str], stack: tuple[StackFrame, ...]
        ) -> None:
            title = f"Line {line}: {one_line(lines[line - 1] if line <= len(lines) else '')}"
            await self._choosing.hold(
                BEFORE_LINE,
                frame,
                title,
                cause=None,
                seen={
                    "data": dict(values),
                    "message": number_lines(text, line),
                    "stack": format_stack(stack, text),
                },
            )

        end = await run_program(
            text,
            functions=functions,
            answer=answer,
            now=now,
            seed=str(frame.random.random()),
            on_line=on_line if self._deciding.is_attached else None,
        )
        event, taped = ProgramEnded.of(end), self._log.tape.peek(frame.path)
        if taped is not None and isinstance(taped.event, ProgramEnded):
            # Limits of time and memory do not strike at the same moment twice.
            event = taped.event if "stopped" in (end.how, taped.event.how) else event
        record = self._log.append(event, path=frame.path)
        assert isinstance(record.event, ProgramEnded)
        return ProgramRun(end=record.event.end, seq=record.seq)
