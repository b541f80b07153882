"""ReAct: a thought, an action, an observation, and so on; it never goes back.

Source: Yao et al., arXiv 2210.03629; design/strategies.md section 2. The model is offered the APIs
that fit the query, or toolkits, each call of which is a step with fallbacks inside the toolkit
(Source: Tool-Planner, arXiv 2406.03807, table 4).
"""

from dataclasses import dataclass

from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
from toolplanner_core.prompts.functions import GIVE_ANSWER, GIVE_UP, Functions
from toolplanner_core.prompts.react import SYSTEM
from toolplanner_core.prompts.render import query_text
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.react_loop import THOUGHT, TurnExecutor, run_react_loop
from toolplanner_core.strategies.toolkits.plan_nodes import ATTEMPT, EXHAUSTED, FALLBACK, STEP
from toolplanner_core.strategies.toolkits.steps import ToolkitTurnExecutor


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactOptions:
    """Options of the strategy."""

    max_steps: int = option(12, "Thoughts with their actions at most.", title="Steps", minimum=1)
    toolkits: bool = option(
        False, "On = toolkits are called instead of APIs, with fallbacks inside each."
    )
    shortlist: int = option(
        20, "APIs (or toolkits) offered at most, best first.", minimum=1, maximum=120
    )


async def solve(task: Task, run: RunScope, options: ReactOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    acting, functions = await _offer(task, run, options)
    talk = run.dialogue(SYSTEM, functions.functions, name="act", title="Think and act")
    talk.say(query_text(task.query))
    return await run_react_loop(run, acting, talk, max_steps=options.max_steps)


async def _offer(
    task: Task, run: RunScope, options: ReactOptions
) -> tuple[TurnExecutor, Functions]:
    """What may be called, and who does it."""
    finishes = (GIVE_ANSWER, GIVE_UP)
    if options.toolkits:
        kits = await run.toolkits.shortlist(task.query, options.shortlist)
        functions = Functions.of((), finishes, toolkits=[each.toolkit for each in kits])
        return ToolkitTurnExecutor(run, functions, await run.now()), functions
    apis = await run.catalogue.search(task.query, options.shortlist)
    functions = Functions.of([each.api for each in apis], finishes)
    return TurnExecutor(run, functions), functions


PLUGIN = StrategyPlugin(
    id="react",
    title="ReAct",
    description="Thinks, calls one API, looks at the result, and thinks again, without ever going"
    " back. The plain baseline: quick where nothing fails.",
    paper="Yao et al., arXiv 2210.03629",
    options=ReactOptions,
    version=2,  # who answers may say that no call is needed
    solve=solve,
    kinds=(THOUGHT, STEP, ATTEMPT),
    points=(FALLBACK, EXHAUSTED),
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="max_steps",
                says="7 and 5 for its two tasks of questions",
                value=12,
                source=PaperSource.NOBODY,
                why="as DFSDT's depth",
            ),
            PaperSetting(option="toolkits", says="none", value=False, source=PaperSource.NOBODY),
            PaperSetting(
                option="shortlist",
                says="all tools of the task",
                value=20,
                source=PaperSource.NOBODY,
                why="not the paper's: its benchmark gives candidates",
            ),
        ),
        differences=(
            "The APIs offered are searched for, unless candidates are given with the task, as the"
            " paper's benchmark gives them.",
            "The paper allows 7 steps and 5 in its two question-answering tasks; here they are 12.",
            "The paper's prompt shows worked examples of the task; here functions are offered"
            " and none is shown.",
        ),
    ),
)
