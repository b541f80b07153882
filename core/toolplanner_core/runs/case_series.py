"""Run cases one after the other, with progress, until all have run or a person stops it.

One catalogue serves all, so that vectors and embedder are loaded once. Blocks; what is stopped
keeps the results that are there.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import closing

from toolplanner_core.domain.cases import Case
from toolplanner_core.errors import UserError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.cases import CaseResult, run_case
from toolplanner_core.runs.catalogue import WorkspaceCatalogue
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace

_LOOK_S = 0.1
"""How often a run that goes on asks whether a person stopped it."""


def run_cases(
    workspace: Workspace,
    cases: Sequence[Case],
    progress: Progress,
    *,
    on_result: Callable[[CaseResult], object] = lambda _result: None,
) -> list[CaseResult | UserError]:
    """Run cases and give what came out, in order; a case that could not begin is its error.

    Raises:
        Cancelled: the run that went on was stopped.
    """
    found: list[CaseResult | UserError] = []
    with closing(WorkspaceCatalogue(workspace)) as catalogue:
        for number, case in enumerate(cases):
            progress.report("Running cases", number, len(cases), unit="cases")
            try:
                result = asyncio.run(_run_one(workspace, case, catalogue, progress))
            except UserError as error:
                found.append(error)
                continue
            found.append(result)
            on_result(result)
    progress.report("Running cases", len(cases), len(cases), unit="cases")
    return found


async def _run_one(
    workspace: Workspace, case: Case, catalogue: WorkspaceCatalogue, progress: Progress
) -> CaseResult:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    timer: asyncio.TimerHandle | None = None

    def look() -> None:
        nonlocal timer
        if progress.is_cancelled:
            stop.set()
        timer = loop.call_later(_LOOK_S, look)

    look()
    try:
        result = await run_case(workspace, case, catalogue=catalogue, cancel=stop)
    finally:
        if timer is not None:
            timer.cancel()
    progress.check()
    return result


def told_series(found: Sequence[CaseResult | UserError]) -> str:
    """How a series went, in a line."""
    not_begun = [each for each in found if isinstance(each, UserError)]
    passed = sum(not isinstance(each, UserError) and each.passed for each in found)
    said = f"{passed:,} of {counted(len(found), 'case')} passed"
    if not_begun:
        said += f"; {len(not_begun):,} could not begin: {not_begun[0].sentence}"
    return said
