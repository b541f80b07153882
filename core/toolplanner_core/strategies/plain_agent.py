"""The plain agent: a model with the functions of its task, told nothing but to use them.

Source: AnyTool, arXiv 2402.04253, table 1, "GPT-4, no retriever, reference APIs", with CoT (the
chain cannot go back, section 5.3) or DFSDT; 10 calls (appendix A.1). Its reference APIs are the
candidates given with a task; where none are given, and there are more APIs than are offered, those
that fit the query are searched for, and the log says so. Or it reads the whole catalogue in groups
and is its own retriever (section 5.2, appendix A.4): the row "plain agent".
"""

from dataclasses import dataclass
from typing import Literal

from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
from toolplanner_core.prompts.anytool import PLAIN_AGENT
from toolplanner_core.strategies.agents.agent_search import FOUND
from toolplanner_core.strategies.agents.group_retriever import API_GROUP, GroupRetriever
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
    retriever: Literal["none", "groups"] = option(
        "none",
        "Where its functions come from.",
        choices={
            "none": "given with the task, else searched for",
            "groups": "it reads all APIs, group by group, and asks when it has enough",
        },
    )
    told: Literal["names", "descriptions", "details"] = option(
        "names",
        "What it reads of each API in a group.",
        choices={
            "names": "names of tool and API",
            "descriptions": "and their description",
            "details": "and their documentation",
        },
    )
    group: int | None = option(
        None,
        "APIs of a group.",
        title="Group",
        minimum=1,
        maximum=2000,
        none_means="500 by names, 100 by descriptions, 50 by details",
    )
    max_groups: int = option(100, "Groups read at most.", title="Groups", minimum=1)
    shortlist: int = option(
        64, "APIs offered at most; all that are given where they fit.", minimum=1, maximum=120
    )


async def solve(task: Task, run: RunScope, options: PlainAgentOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    limits = SolverLimits(calls=options.most_calls, questions=options.max_questions)
    if options.retriever == "groups":
        retriever = GroupRetriever(
            run=run,
            told=options.told,
            size=options.group,
            most_groups=options.max_groups,
            most=options.shortlist,
        )
        pool = await retriever.find()
        if not pool:
            return Answer(text="", solved=False, reason="No API was chosen in any group")
        return await solve_once(run, pool, PLAIN_AGENT, how=options.solver, limits=limits)
    known = (await run.catalogue.browse("api", size=1)).total
    found = await run.catalogue.search(task.query, options.shortlist)
    if known > len(found):
        offered = f"{len(found):,} of {counted(known, 'API')}"
        await run.note(f"No reference APIs are given with the task: {offered} were searched for")
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
    kinds=(API_GROUP, FOUND, THOUGHT, BRANCH),
    points=(FOLLOW, BACK, ACCEPT),
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="solver",
                says="DFSDT; CoT is the other row",
                value="dfsdt",
                why="a chain costs less than a tree",
            ),
            PaperSetting(option="most_calls", says="“maximum number of API calls to 10”", value=10),
            PaperSetting(
                option="max_questions",
                says="not given",
                value=20,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
            PaperSetting(
                option="retriever",
                says="none with reference APIs; groups in another row",
                value="none",
            ),
            PaperSetting(option="told", says="names; table 10 has all three", value="names"),
            PaperSetting(
                option="group", says="“33 groups, each containing 500 APIs”; 100 and 50", value=None
            ),
            PaperSetting(
                option="max_groups",
                says="33",
                value=100,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
            PaperSetting(
                option="shortlist",
                says="all reference APIs",
                value=120,
                why="models choose badly of many",
            ),
        ),
        differences=(
            "Its reference APIs are the candidates given with a task; where none are given, the"
            " best of a search are offered, and the log says so.",
            "Of more than 120 candidates the best are offered: endpoints take 128 functions.",
            "The paper gives no number of questions; here they are 20.",
            "As retriever it answers a typed question for each group, and whether the pool is"
            " enough is asked by the strategy; the paper's calls functions for both.",
        ),
    ),
)
