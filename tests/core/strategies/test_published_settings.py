"""The settings of the papers, as a table: what a paper says, what its preset says, what is the
default and why another one. A value that is changed by mistake, here or there, fails."""

import importlib
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import describe_options
from toolplanner_core.options.published import published_options
from toolplanner_core.options.values import make_options
from toolplanner_core.prompts.question import Question
from toolplanner_core.prompts.render import TOOLKIT_TEXT
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.strategies.toolkits.options import ToolPlannerOptions
from toolplanner_core.strategies.toolkits.steps import CandidatePolicy


class Row(NamedTuple):
    """An option: its value in the paper's words, in the preset, by default, and why."""

    plugin: str
    option: str
    paper_says: str
    preset: Any
    default: Any
    why: str = "the paper's"


_SEARCHED = "not the paper's: its benchmark gives candidates"
_OURS = "a cap of ours, where the paper gives none"
TABLE = (
    # Tool-Planner, arXiv 2406.03807
    Row("tool-planner", "max_in_toolkit", "all members of a toolkit", None, 9, "costs stay small"),
    Row("tool-planner", "parallel", "steps one after the other", False, True, "quicker"),
    Row("tool-planner", "shortlist", "all 1,800 toolkits", 1800, 60, "236,000 tokens else"),
    Row("tool-planner", "toolkit_text", "whole texts", None, 100, "60 toolkits: 3,300 tokens"),
    Row("tool-planner", "member_order", "“randomly select one API”", "random", "similarity",
        "the fitting and healthy first"),
    Row("tool-planner", "next_api", "“randomly select one API”", "random", "model",
        "a model sees what failed"),
    Row("tool-planner", "searches", "no search of its own", 0, 2, "the shortlist may lack one"),
    Row("kmeans", "k", "1,800 for 16,464: one for 9", None, None),
    Row("kmeans", "is_plain", "k-means++", True, False, "toolkits are more alike"),
    Row("kmeans", "max_rounds", "until it is settled", 300, 30, "hardly any point changes later"),
    Row("dbscan", "eps", "0.02, best of table 8", 0.02, None, "leaves all alone: other vectors"),
    Row("dbscan", "min_points", "1", 1, 1),
    # ToolNet, arXiv 2403.00839
    Row("toolnet", "start", "only the most recommended tool", 1, 5, "one wrong start ends it"),
    Row("toolnet", "mixed", "successors alone", 0, 2, "new APIs are found, too"),
    Row("toolnet", "find_tools", "no search", False, True, "a graph begins without edges"),
    Row("toolnet", "max_steps", "“maximum iteration of 8”", 8, 8),
    Row("toolnet", "successors", "all out-neighbours", 120, 20, "endpoints take 128 functions"),
    Row("toolnet", "window", "scores are accumulated", None, None),
    Row("toolnet", "alpha", "a hyper-parameter, not given", 0.5, 0.5, _OURS),
    Row("toolnet", "beta", "a hyper-parameter, not given", 0.5, 0.5, _OURS),
    Row("toolnet", "weights", "“Integer”; ×10 is no better (table 5)", "100", "100"),
    Row("toolnet", "learn", "dynamic construction", True, True),
    Row("toolnet", "reflexion", "a baseline of its own", False, False),
    # AnyTool, arXiv 2402.04253
    Row("anytool", "hierarchy", "categories of RapidAPI", "categories", "auto",
        "not each catalogue has them"),
    Row("anytool", "solver", "DFSDT", "dfsdt", "dfsdt"),
    Row("anytool", "structure", "hierarchical (table 3)", "hierarchical", "hierarchical"),
    Row("anytool", "woken", "all agents (table 4)", "all", "all"),
    Row("anytool", "tools_per_agent", "K = 5 (table 7)", 5, 5),
    Row("anytool", "pool", "64 (table 6)", 64, 64),
    Row("anytool", "token_cap", "200,000 tokens", 200_000, 200_000),
    Row("anytool", "solver_calls", "“maximum number of API calls to 10”", 10, 10),
    Row("anytool", "max_rounds", "a limit, not given", 6, 6, _OURS),
    # TPTU-v2, arXiv 2311.11315
    Row("tptu", "retriever", "API Retriever", True, True),
    Row("tptu", "demonstrations", "Demo Selector", True, True),
    Row("tptu", "planner", "sub-tasks", True, True),
    Row("tptu", "retrieved", "top-5 APIs", 5, 5),
    Row("tptu", "shown", "top-5 demonstrations", 5, 5),
    Row("tptu", "similarity", "threshold 0.8", 0.8, 0.8),
    # Chain of tools, arXiv 2405.16533
    Row("atc", "revisions", "trial number alpha is 3", 3, 3),
    Row("atc", "shortlist", "20 candidate tools", 20, 20),
    Row("atc", "probed", "all that probing found", "all", "accepted", "a person accepts texts"),
    # Baselines
    Row("dfsdt", "depth", "single_chain_max_step 12", 12, 12),
    Row("dfsdt", "depth_counts", "nodes of its tree", "nodes", "turns", "4 turns are few"),
    Row("dfsdt", "width", "tree_beam_size 2", 2, 2),
    Row("dfsdt", "max_questions", "max_query_count 200", 200, 200),
    Row("dfsdt", "rank", "DFSDT takes the first", False, False),
    Row("dfsdt", "shortlist", "given with the query", 20, 20, _SEARCHED),
    Row("react", "max_steps", "7 and 5 for its two tasks of questions", 12, 12, "as DFSDT's depth"),
    Row("react", "toolkits", "none", False, False),
    Row("react", "shortlist", "all tools of the task", 20, 20, _SEARCHED),
    Row("reflexion", "max_trials", "differs by task; 10 in the code", 3, 3, _OURS),
    Row("reflexion", "max_steps", "differs by task; 49 in the code", 12, 12, "as ReAct"),
    Row("reflexion", "success", "the environment or a model", "judge", "judge"),
    Row("reflexion", "shortlist", "all tools of the task", 20, 20, _SEARCHED),
    Row("adaplanner", "plans", "solution functions with assertions", "code", "steps",
        "a model judges replies of any form"),
    Row("adaplanner", "most_calls", "no limit", 60, 60, _OURS),
    Row("adaplanner", "max_tries", "6", 6, 6),
    Row("adaplanner", "resume_tries", "the first 3 resume", 3, 3),
    Row("adaplanner", "max_steps", "not given", 8, 8, _OURS),
    Row("adaplanner", "toolkits", "none", False, False),
    Row("adaplanner", "shortlist", "all actions of the environment", 20, 20, _SEARCHED),
    Row("toolchain-star", "samples", "k samples", 5, 5),
    Row("toolchain-star", "max_expansions", "a step limit", 30, 30),
    Row("toolchain-star", "alpha", "weight of both terms of g", 0.5, 0.5),
    Row("toolchain-star", "beta", "weight of both terms of h", 0.5, 0.5),
    Row("toolchain-star", "remember", "long-term memory", True, True),
    Row("toolchain-star", "shortlist", "given with the task", 20, 20, _SEARCHED),
    # Baselines of the papers' tables
    Row("chain-of-thought", "calls", "reasoning alone", "none", "planned", "tasks need calls"),
    Row("chain-of-thought", "most_calls", "none", 8, 8, _OURS),
    Row("chain-of-thought", "shortlist", "none", 20, 20, _OURS),
    Row("plain-agent", "solver", "DFSDT; CoT is the other row", "dfsdt", "react", "costs less"),
    Row("plain-agent", "most_calls", "“maximum number of API calls to 10”", 10, 10),
    Row("plain-agent", "max_questions", "not given", 20, 20, _OURS),
    Row("plain-agent", "retriever", "none with reference APIs; groups in another row", "none",
        "none"),
    Row("plain-agent", "told", "names; table 10 has all three", "names", "names"),
    Row("plain-agent", "group", "“33 groups, each containing 500 APIs”; 100 and 50", None, None),
    Row("plain-agent", "max_groups", "33", 100, 100, _OURS),
    Row("plain-agent", "shortlist", "all reference APIs", 120, 64, "models choose badly of many"),
    Row("rag", "retrieved", "“the most relevant segments”", 50, 50, _OURS),
    Row("rag", "extract", "GPT-4 extracts candidates", True, True),
    Row("rag", "kept", "pool of 64", 64, 20, "as ReAct"),
    Row("rag", "solver", "DFSDT", "dfsdt", "react", "costs less"),
    Row("rag", "most_calls", "“maximum number of API calls to 10”", 10, 10),
    Row("rag", "max_questions", "not given", 20, 20, _OURS),
    Row("codeact", "max_turns", "n_turns_limit 10", 10, 10),
    Row("codeact", "most_calls", "no limit", 60, 60, _OURS),
    Row("codeact", "shortlist", "given with the task", 20, 20, _SEARCHED),
    Row("tot", "thoughts", "k = 5 (creative writing)", 5, 3, "questions grow as its product"),
    Row("tot", "breadth", "n_select_sample 5", 5, 2, "each state that stays is a call"),
    Row("tot", "depth", "steps 4 (Game of 24)", 4, 8, "tasks take more calls"),
    Row("tot", "evaluation", "method_evaluate value", "value", "value"),
    Row("tot", "evaluations", "n_evaluate_sample 3", 3, 1, "questions grow as its product"),
    Row("tot", "max_questions", "no limit", 500, 200, "as DFSDT"),
    Row("tot", "shortlist", "its tasks call nothing", 20, 20, _OURS),
)  # fmt: skip


BESIDE = "its text, beside the project in shared/papers"
CODE = "the code that its authors released"
MEMORY = "its text as it is remembered: it is not beside the project"
OURS = "nobody: the paper leaves it open, or has no such thing"
SOURCES = {
    "tool-planner": BESIDE, "kmeans": BESIDE, "dbscan": BESIDE, "toolnet": BESIDE,
    "anytool": BESIDE, "tptu": BESIDE, "atc": BESIDE, "dfsdt": CODE, "react": MEMORY,
    "reflexion": CODE, "adaplanner": CODE, "toolchain-star": MEMORY,
    "chain-of-thought": MEMORY, "plain-agent": BESIDE, "rag": BESIDE, "codeact": CODE, "tot": CODE,
}  # fmt: skip
"""Who says what a paper says, by plug-in. Code that was read: OpenBMB/ToolBench (inference/
Downstream_tasks/rapidapi.py: 12 and 200, the width by the method's name DFS_woFilter_w2),
noahshinn/reflexion (alfworld_trial.py: the last 3 reflections, 49 steps; 10 trials in
run_reflexion.sh), haotiansun14/AdaPlanner (alfworld.ipynb: NUM_TRY 6, NUM_TRY_RESET 3),
princeton-nlp/tree-of-thought-llm (src/tot/methods/bfs.py, scripts/game24/bfs.sh, tasks/game24.py),
xingyaoww/code-act (scripts/eval/m3tooleval/main.py: 10 turns, temperature 0)."""
OTHER_SOURCES = {
    **dict.fromkeys(
        [
            ("tool-planner", "shortlist"), ("tool-planner", "searches"), ("kmeans", "max_rounds"),
            ("toolnet", "successors"), ("toolnet", "window"), ("toolnet", "alpha"),
            ("toolnet", "beta"), ("anytool", "max_rounds"), ("react", "max_steps"),
            ("react", "toolkits"), ("react", "shortlist"), ("reflexion", "max_trials"),
            ("reflexion", "max_steps"), ("reflexion", "shortlist"), ("adaplanner", "max_steps"),
            ("adaplanner", "toolkits"), ("adaplanner", "most_calls"), ("adaplanner", "shortlist"),
            ("dfsdt", "shortlist"),
            ("toolchain-star", "shortlist"), ("toolchain-star", "max_expansions"),
            ("toolchain-star", "samples"), ("toolchain-star", "alpha"), ("toolchain-star", "beta"),
            ("chain-of-thought", "most_calls"), ("chain-of-thought", "shortlist"),
            ("plain-agent", "max_questions"), ("plain-agent", "max_groups"),
            ("rag", "retrieved"), ("rag", "max_questions"),
            ("codeact", "most_calls"), ("codeact", "shortlist"), ("tot", "max_questions"),
            ("tot", "shortlist"),
        ],
        OURS,
    ),
    ("dfsdt", "rank"): MEMORY,
    ("reflexion", "success"): MEMORY,
    ("tot", "thoughts"): MEMORY,
}  # fmt: skip
"""Rows whose value has another source than the others of their plug-in: of most of these the number
is ours, since the paper gives none or one for each of its tasks."""


def _plugin(plugin_id: str) -> Any:
    return strategies.find(plugin_id) or clusterings.get(plugin_id)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.plugin}.{row.option}")
def test_settings_of_a_paper_when_compared_with_the_table_then_preset_and_default_are_as_it_says(
    row: Row,
) -> None:
    plugin = _plugin(row.plugin)
    defaults = {each.name: each.default for each in describe_options(plugin.options)}
    assert published_options(plugin)[row.option] == row.preset
    assert defaults[row.option] == row.default
    assert row.why == "the paper's" or row.why
    if row.preset != row.default:
        assert row.why != "the paper's"


def test_rows_when_they_are_read_then_each_says_where_its_value_is_from() -> None:
    rows = {(row.plugin, row.option) for row in TABLE}
    assert set(SOURCES) == {row.plugin for row in TABLE}
    assert set(OTHER_SOURCES) <= rows
    assert {SOURCES[plugin] for plugin, _ in rows} <= {BESIDE, CODE, MEMORY}
    said = {row: OTHER_SOURCES.get(row, SOURCES[row[0]]) for row in rows}
    assert set(said.values()) == {BESIDE, OURS, CODE, MEMORY}


def test_settings_of_papers_when_listed_then_the_table_holds_each_and_all_fit() -> None:
    named = {(row.plugin, row.option) for row in TABLE}
    for plugin in (*strategies, *clusterings):
        if plugin.published is None:
            continue
        options = published_options(plugin)
        assert {(plugin.id, name) for name in options} == {n for n in named if n[0] == plugin.id}
        made = make_options(plugin.options, options, of=plugin.id)
        assert replace(plugin.options(), **options) == made
        assert plugin.published.differences, f"{plugin.id} is said to be as in its paper"


def test_strategies_when_they_are_from_a_paper_and_answer_then_each_has_its_settings() -> None:
    lacking = [p.id for p in strategies if p.answers and p.paper and p.published is None]
    assert lacking == []
    with pytest.raises(BadInput, match="no settings of a paper for health"):
        published_options(strategies.get("health"))


ROLES = {
    "adaplanner": "planning", "anytool": "judging", "describe": "planning", "dfsdt": "judging",
    "judge_answer": "judging", "make_plan": "planning", "programs": "planning",
    "reflexion": "planning", "toolchain_star": "acting", "toolnet": "judging", "tptu": "planning",
    "grade_answer": "judging", "probing": "planning", "fill_arguments": "acting",
    "rag": "planning", "codeact": "acting", "tree_of_thoughts": "judging",
    "chain_of_thought": "planning", "solution_code": "planning",
}  # fmt: skip
"""Who answers the questions of a module of prompts (Source: Tool-Planner, table 7)."""
EXCEPT = {"check_result": "acting", "reason_answer": "acting"}
"""Of a module of prompts, the questions that another one answers than the others."""


def test_roles_when_questions_are_asked_then_who_plans_judges_and_acts_stays_as_it_is() -> None:
    for name, role in ROLES.items():
        module = importlib.import_module(f"toolplanner_core.prompts.{name}")
        found = [t for t in vars(module).values() if _is_question(t)]
        own = {t.id: str(t.role) for t in found if t.__module__ == module.__name__}
        assert own, name
        assert own == {question: EXCEPT.get(question, role) for question in own}


def test_temperature_when_nothing_is_said_then_it_is_the_papers() -> None:
    """0.3 for planning and acting (Tool-Planner), 0 for programs and judging (ATC)."""
    from toolplanner_core.prompts import codeact, programs, toolchain_star, tree_of_thoughts
    from toolplanner_core.prompts import judge_answer as judging
    from toolplanner_core.prompts import make_plan as planning
    from toolplanner_core.runs.engine.gate import TURN_TEMPERATURE

    assert Question.temperature == 0.3
    assert TURN_TEMPERATURE == 0.3
    asked = [planning.MakePlan, planning.Replan, judging.JudgeAnswer]
    asked += [t for t in vars(programs).values() if _is_question(t)]
    asked += [toolchain_star.ProposeStep, codeact.ActByCode, tree_of_thoughts.RateThought]
    told = {question.id: question.temperature for question in asked}
    assert told == {
        "make_plan": 0.3, "replan": 0.3, "judge_answer": 0.0,
        "propose_step": 0.7, "write_program": 0.0, "blame_tool": 0.0, "revise_program": 0.0,
        "act_by_code": 0.0, "rate_thought": 0.7,
    }  # fmt: skip


def _is_question(found: Any) -> bool:
    return isinstance(found, type) and issubclass(found, Question) and found is not Question


def test_caps_when_they_stand_twice_then_they_are_the_same() -> None:
    assert ToolPlannerOptions().max_in_toolkit == CandidatePolicy().max_members == 9
    assert ToolPlannerOptions().toolkit_text == TOOLKIT_TEXT == 100
