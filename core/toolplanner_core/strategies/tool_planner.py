"""Tool-Planner: plan over toolkits, fall back inside one, replan across them.

Source: Liu et al., arXiv 2406.03807, algorithm 1; design/strategies.md section 1. A plan is made
over toolkits, not APIs. When an API fails, another of the same toolkit is tried. When the whole
toolkit fails, the plan is revised without it, and what was finished is kept. Independent steps run
at the same time (Source: LLMCompiler, arXiv 2312.04511). Every loop has a cap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
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
        settings=(
            PaperSetting(
                option="max_in_toolkit",
                says="all members of a toolkit",
                value=None,
                why="each try costs a call; the 9 that fit best",
            ),
            PaperSetting(
                option="parallel",
                says="steps one after the other",
                value=False,
                why="steps that need nothing of each other are done sooner",
            ),
            PaperSetting(
                option="shortlist",
                says="all 1,800 toolkits",
                value=1800,
                source=PaperSource.NOBODY,
                why="all of them cost 236,000 tokens a plan",
            ),
            PaperSetting(
                option="toolkit_text",
                says="whole texts",
                value=None,
                why="60 toolkits are 3,300 tokens",
            ),
            PaperSetting(
                option="member_order",
                says="“randomly select one API”",
                value="random",
                why="the one that fits and is healthy goes first",
            ),
            PaperSetting(
                option="next_api",
                says="“randomly select one API”",
                value="random",
                why="a model sees what failed, and why",
            ),
            PaperSetting(
                option="searches",
                says="no search of its own",
                value=0,
                source=PaperSource.NOBODY,
                why="the shortlist may lack what a plan needs",
            ),
        ),
        differences=(
            "Toolkits are those of the workspace: make them by k-means with the settings of"
            " the paper, over an embedder of your choice for its SimCSE.",
            "The number of replans and of steps is not given; they are 3 and 8.",
            "Results longer than 1,024 characters are cut where a model is shown them.",
            "Arguments are checked against the schema before a call is sent.",
        ),
    ),
)
