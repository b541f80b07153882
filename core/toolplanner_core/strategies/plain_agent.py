"""The plain agent: a model with the functions of its task, told nothing but to use them.

Source: AnyTool, arXiv 2402.04253, table 1, "GPT-4, no retriever, reference APIs", with CoT (the
chain cannot go back, section 5.3) or DFSDT; 10 calls (appendix A.1). Its reference APIs are the
candidates given with a task; where none are given, and there are more APIs than are offered, those
that fit the query are searched for, and the log says so.
"""

from dataclasses import dataclass
from typing import Literal

from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PublishedSettings
from toolplanner_core.prompts.anytool import PLAIN_AGENT
from toolplanner_core.strategies.agents.solver import SolverLimits, solve_once
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.react_loop import THOUGHT
from toolplanner_core.strategies.techniques.tree_search import ACCEPT, BACK, BRANCH, FOLLOW
from toolplanner_core.words.formatting import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainAgentOptions:
    """Options of the strategy; the defaults are the paper's where it gives any."""

    solver: Literal["react", "dfsdt"] = option(
        "react",
        "How the functions are used.",
        choices={"react": "straight on (CoT in AnyTool's tables)", "dfsdt": "DFSDT: it goes back"},
    )
    most_calls: int = option(10, "API calls at most.", title="Calls", minimum=1)
    max_questions: int = option(20, "Questions to the model at most.", title="Questions", minimum=1)
    shortlist: int = option(
        64, "APIs offered at most; all that are given where they fit.", minimum=1, maximum=120
    )


async def solve(task: Task, run: RunScope, options: PlainAgentOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    known = (await run.catalogue.browse("api", size=1)).total
    found = await run.catalogue.search(task.query, options.shortlist)
    if known > len(found):
        offered = f"{len(found):,} of {counted(known, 'API')}"
        await run.note(f"No reference APIs are given with the task: {offered} were searched for")
    limits = SolverLimits(calls=options.most_calls, questions=options.max_questions)
    apis = [each.api for each in found]
    return await solve_once(run, apis, PLAIN_AGENT, how=options.solver, limits=limits)


PLUGIN = StrategyPlugin(
    id="plain-agent",
    title="Plain agent",
    description="Calls the functions that are given with its task, told nothing but to use them."
    " The baseline without retrieval and without a plan: what a model does by itself.",
    paper="Du et al., AnyTool, arXiv 2402.04253",
    options=PlainAgentOptions,
    solve=solve,
    kinds=(THOUGHT, BRANCH),
    points=(FOLLOW, BACK, ACCEPT),
    published=PublishedSettings(
        options={"solver": "dfsdt", "most_calls": 10, "max_questions": 20, "shortlist": 120},
        differences=(
            "Its reference APIs are the candidates given with a task; where none are given, the"
            " best of a search are offered, and the log says so.",
            "Of more than 120 candidates the best are offered: endpoints take 128 functions.",
            "The paper gives no number of questions; here they are 20.",
        ),
    ),
)
