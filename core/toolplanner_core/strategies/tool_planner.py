"""Tool-Planner: plan over toolkits, fall back inside one, replan across them.

Source: Liu et al., arXiv 2406.03807, algorithm 1; design/strategies.md section 1. A plan is made
over toolkits, not APIs. When an API fails, another of the same toolkit is tried. When the whole
toolkit fails, the plan is revised without it, and what was finished is kept. Independent steps run
at the same time (Source: LLMCompiler, arXiv 2312.04511). Every loop has a cap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolplanner_core.options.published import PublishedSettings
from toolplanner_core.strategies.interface.strategy import OutlinedStep, StrategyPlugin
from toolplanner_core.strategies.toolkits.options import ToolPlannerOptions
from toolplanner_core.strategies.toolkits.plan_nodes import KINDS, POINTS

if TYPE_CHECKING:
    # Loaded with the first task.
    from toolplanner_core.domain.plan import Answer, Task
    from toolplanner_core.strategies.interface.scope import RunScope


async def solve(task: Task, run: RunScope, options: ToolPlannerOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    from toolplanner_core.strategies.toolkits.solver import ToolkitSolver

    return await ToolkitSolver(task, run, options, await run.now()).solve()


async def outline(task: Task, run: RunScope, options: ToolPlannerOptions) -> Sequence[OutlinedStep]:
    """Its first plan alone."""
    from toolplanner_core.strategies.toolkits import solver as outlining

    return await outlining.outline(task, run, options)


PLUGIN = StrategyPlugin(
    id="tool-planner",
    title="Tool-Planner",
    description="Plans over toolkits; falls back inside a toolkit, replans when one is exhausted."
    " The fewer doubtful toolkits there are, the fewer replans it needs.",
    paper="Liu et al., arXiv 2406.03807",
    options=ToolPlannerOptions,
    solve=solve,
    outline=outline,
    kinds=KINDS,
    points=POINTS,
    version=5,  # what reads does not stand in for a change that was refused
    needs_model=False,
    published=PublishedSettings(
        options={
            "max_in_toolkit": None,
            "parallel": False,
            "shortlist": 1800,
            "toolkit_text": None,
            "member_order": "random",
            "next_api": "random",
            "searches": 0,
        },
        differences=(
            "Toolkits are those of the workspace: make them by k-means with the settings of"
            " the paper, over an embedder of your choice for its SimCSE.",
            "The number of replans and of steps is not given; they are 3 and 8.",
            "Results longer than 1,024 characters are cut where a model is shown them.",
            "Arguments are checked against the schema before a call is sent.",
        ),
    ),
)
