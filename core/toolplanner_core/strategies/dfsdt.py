"""DFSDT: depth-first search in a tree of thoughts with their actions (`techniques/tree_search.py`).

Source: Qin et al., ToolLLM, arXiv 2307.16789; design/strategies.md section 2.
"""

from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
from toolplanner_core.prompts.dfsdt import SYSTEM
from toolplanner_core.prompts.functions import GIVE_ANSWER, RESTART, Functions
from toolplanner_core.prompts.render import query_text
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.react_loop import TurnExecutor
from toolplanner_core.strategies.techniques.tree_search import (
    ACCEPT,
    BACK,
    BRANCH,
    FOLLOW,
    DfsdtOptions,
    search_tree,
)


async def solve(task: Task, run: RunScope, options: DfsdtOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    apis = await run.catalogue.search(task.query, options.shortlist)
    functions = Functions.of([each.api for each in apis], (GIVE_ANSWER, RESTART))
    talk = run.dialogue(SYSTEM, functions.functions, name="act", title="Think and act")
    talk.say(query_text(task.query))
    return await search_tree(run, options, TurnExecutor(run, functions), talk)


PLUGIN = StrategyPlugin(
    id="dfsdt",
    title="DFSDT",
    description="Searches a tree of thoughts and calls, deep first: gives up ways that lead"
    " nowhere and goes back to try others. Finds what a single way misses, at many more questions.",
    paper="Qin et al., ToolLLM, arXiv 2307.16789",
    options=DfsdtOptions,
    version=2,  # who answers may say that no call is needed
    solve=solve,
    kinds=(BRANCH,),
    points=(FOLLOW, BACK, ACCEPT),
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="depth", says="single_chain_max_step 12", value=12, source=PaperSource.CODE
            ),
            PaperSetting(
                option="depth_counts",
                says="nodes of its tree",
                value="nodes",
                source=PaperSource.CODE,
                why="12 nodes are 4 turns, too few for most tasks",
            ),
            PaperSetting(option="width", says="tree_beam_size 2", value=2, source=PaperSource.CODE),
            PaperSetting(
                option="max_questions",
                says="max_query_count 200",
                value=200,
                source=PaperSource.CODE,
            ),
            PaperSetting(
                option="rank", says="DFSDT takes the first", value=False, source=PaperSource.MEMORY
            ),
            PaperSetting(
                option="shortlist",
                says="given with the query",
                value=20,
                source=PaperSource.NOBODY,
                why="not the paper's: its benchmark gives candidates",
            ),
        ),
        differences=(
            "The APIs offered are searched for, unless candidates are given with the task, as the"
            " paper's benchmark gives them.",
            "A model that cannot go on says so by a function; texts of prompts are our own.",
            "A reply may hold several calls, which are nodes of one branch.",
        ),
    ),
)
