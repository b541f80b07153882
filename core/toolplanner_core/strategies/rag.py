"""RAG: retrieve once, let a model choose among what was found, then act.

Source: AnyTool, arXiv 2402.04253, table 1 and appendix A.5 (AutoGen-RAG): the texts nearest to the
query are retrieved, a model extracts API candidates from them, and a solver uses these. Retrieval
is never repeated: what was not found is missing to the end, which is what the baseline measures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
from toolplanner_core.prompts.rag import ExtractApis
from toolplanner_core.prompts.react import SYSTEM
from toolplanner_core.strategies.agents.solver import SolverLimits, solve_once
from toolplanner_core.strategies.interface.scope import ModelGaveUp, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.react_loop import THOUGHT
from toolplanner_core.strategies.techniques.tree_search import ACCEPT, BACK, BRANCH, FOLLOW
from toolplanner_core.words.formatting import counted

RETRIEVED = NodeKind(
    id="retrieval",
    word="retrieval",
    icon="database-search-outline",
    is_unit=False,
    shown=(ShownField("found", "Found"), ShownField("chosen", "Chosen")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RagOptions:
    """Options of the strategy."""

    retrieved: int = option(50, "APIs retrieved, best first.", minimum=1, maximum=500)
    extract: bool = option(True, "On = a model chooses among them; off = the best are offered.")
    kept: int = option(20, "APIs offered at most.", title="Offered", minimum=1, maximum=120)
    solver: Literal["react", "dfsdt"] = option(
        "react",
        "How the APIs are used.",
        choices={"react": "ReAct: straight on", "dfsdt": "DFSDT: a search that goes back"},
    )
    most_calls: int = option(10, "API calls at most.", title="Calls", minimum=1)
    max_questions: int = option(
        20, "Questions to the model at most, without the choice.", title="Questions", minimum=1
    )


async def solve(task: Task, run: RunScope, options: RagOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    chosen = await _retrieve(task, run, options)
    if not chosen:
        return Answer(text="", solved=False, reason="No API was found for the query")
    limits = SolverLimits(calls=options.most_calls, questions=options.max_questions)
    return await solve_once(run, chosen, SYSTEM, how=options.solver, limits=limits)


async def _retrieve(task: Task, run: RunScope, options: RagOptions) -> Sequence[Api]:
    """The APIs that are offered: the best, or those that a model chooses among them."""
    async with run.node(RETRIEVED, 1, "Retrieve") as node:
        found = [each.api for each in await run.catalogue.search(task.query, options.retrieved)]
        node.tell(title=f"Retrieve {counted(len(found), 'API')}", found=_titles(found))
        if not options.extract or not found:
            return found[: options.kept]
        question = ExtractApis(query=task.query, apis=tuple(found), most=options.kept)
        try:
            chosen = await run.ask(question)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                raise
            node.end(NodeState.FAILED, f"{gave_up.message}: the best are taken")
            return found[: options.kept]
        node.tell(chosen=_titles(chosen))
        return chosen


def _titles(apis: Sequence[Api]) -> str:
    return "\n".join(api.title for api in apis)


PLUGIN = StrategyPlugin(
    id="rag",
    title="Retrieval and ReAct (RAG)",
    description="Retrieves once, has a model choose among what was found, and acts with these APIs"
    " step by step. The baseline of a catalogue that is only searched: what was not found is"
    " missing to the end.",
    paper="AutoGen-RAG in Du et al., arXiv 2402.04253",
    options=RagOptions,
    solve=solve,
    kinds=(RETRIEVED, THOUGHT, BRANCH),
    points=(FOLLOW, BACK, ACCEPT),
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="retrieved",
                says="“the most relevant segments”",
                value=50,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
            PaperSetting(option="extract", says="GPT-4 extracts candidates", value=True),
            PaperSetting(
                option="kept", says="pool of 64", value=64, why="as many as ReAct is offered"
            ),
            PaperSetting(
                option="solver", says="DFSDT", value="dfsdt", why="a chain costs less than a tree"
            ),
            PaperSetting(option="most_calls", says="“maximum number of API calls to 10”", value=10),
            PaperSetting(
                option="max_questions",
                says="not given",
                value=20,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
        ),
        differences=(
            "The paper retrieves segments of 1,000 tokens of one long text by their embedding"
            " alone; here APIs are found by words and embedding together.",
            "The paper does not say how many segments are retrieved; here 50 APIs are.",
        ),
    ),
)
