"""The settings of the papers: what a paper says, what its preset says, what is the default and why
another one, as `strategies show` and `clusterings show` tell. A value that is changed by mistake
fails, and a default that differs without a reason."""

import importlib
from dataclasses import replace
from typing import Any

import pytest

from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import describe_options
from toolplanner_core.options.published import (
    PaperSetting,
    PaperSource,
    PublishedSettings,
    compare_with_paper,
    differences_in_words,
    published_options,
)
from toolplanner_core.options.values import make_options
from toolplanner_core.prompts.question import Question
from toolplanner_core.prompts.render import TOOLKIT_TEXT
from toolplanner_core.strategies.dfsdt import DfsdtOptions
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.strategies.toolkits.options import ToolPlannerOptions
from toolplanner_core.strategies.toolkits.steps import CandidatePolicy

PLUGINS: list[Any] = [p for p in (*strategies, *clusterings) if p.published is not None]
ROWS = [(plugin, setting) for plugin in PLUGINS for setting in plugin.published.settings]

OTHER_DEFAULTS = {
    ("tool-planner", "max_in_toolkit"): 9,
    ("tool-planner", "parallel"): True,
    ("tool-planner", "shortlist"): 60,
    ("tool-planner", "toolkit_text"): 100,
    ("tool-planner", "member_order"): "similarity",
    ("tool-planner", "next_api"): "model",
    ("tool-planner", "searches"): 2,
    ("kmeans", "is_plain"): False,
    ("kmeans", "max_rounds"): 30,
    ("dbscan", "eps"): None,
    ("toolnet", "start"): 5,
    ("toolnet", "mixed"): 2,
    ("toolnet", "find_tools"): True,
    ("toolnet", "successors"): 20,
    ("anytool", "hierarchy"): "auto",
    ("atc", "probed"): "accepted",
    ("dfsdt", "depth_counts"): "turns",
    ("adaplanner", "plans"): "steps",
    ("chain-of-thought", "calls"): "planned",
    ("plain-agent", "solver"): "react",
    ("plain-agent", "shortlist"): 64,
    ("rag", "kept"): 20,
    ("rag", "solver"): "react",
    ("tot", "thoughts"): 3,
    ("tot", "breadth"): 2,
    ("tot", "depth"): 8,
    ("tot", "evaluations"): 1,
    ("tot", "max_questions"): 200,
}  # fmt: skip
"""The defaults that are not the paper's: what the reason beside each of them is about."""


def _names(options: type) -> dict[str, Any]:
    return {each.name: each.default for each in describe_options(options)}


@pytest.mark.parametrize(
    ("plugin", "setting"), ROWS, ids=[f"{plugin.id}.{one.option}" for plugin, one in ROWS]
)
def test_setting_of_a_paper_when_compared_then_another_default_says_why(
    plugin: Any, setting: PaperSetting
) -> None:
    default = _names(plugin.options)[setting.option]
    assert default == OTHER_DEFAULTS.get((plugin.id, setting.option), setting.value)
    assert setting.says
    if setting.value != default:
        assert len(setting.why) > 10, "says nothing of why the default is another one"
    elif setting.source is not PaperSource.NOBODY:
        assert "of ours" not in setting.why


def test_number_of_a_paper_when_the_paper_gives_it_then_it_stands_in_what_the_paper_says() -> None:
    """So no value is changed by mistake; that of a paper which gives none is the default, or one
    of a few."""
    unsaid = {
        (plugin.id, each.option): each.value
        for plugin, each in ROWS
        if type(each.value) in (int, float) and f"{each.value:,}" not in each.says
    }
    defaults = {(plugin.id, name): _names(plugin.options)[name] for plugin, name in _named()}
    held_by_default = {key for key in unsaid if defaults[key] == unsaid[key]}
    assert {key: unsaid[key] for key in unsaid.keys() - held_by_default} == {
        ("tool-planner", "searches"): 0, ("toolnet", "successors"): 120,
        ("kmeans", "max_rounds"): 300, ("plain-agent", "shortlist"): 120,
        ("tot", "max_questions"): 500,
    }  # fmt: skip


def _named() -> list[tuple[Any, str]]:
    return [(plugin, each.option) for plugin, each in ROWS]


def test_settings_of_papers_when_listed_then_all_fit_and_something_stays_different() -> None:
    assert {plugin.id for plugin in PLUGINS} >= {
        "tool-planner", "toolnet", "dfsdt", "anytool", "atc", "adaplanner", "tptu", "kmeans",
    }  # fmt: skip
    assert OTHER_DEFAULTS.keys() == {
        (plugin.id, each.option)
        for plugin, each in ROWS
        if each.value != _names(plugin.options)[each.option]
    }
    for plugin in PLUGINS:
        options = published_options(plugin)
        assert len(options) == len(plugin.published.settings), "an option stands twice"
        made = make_options(plugin.options, options, of=plugin.id)
        assert replace(plugin.options(), **options) == made
        assert plugin.published.differences, f"{plugin.id} is said to be as in its paper"
    assert {each.source for _, each in ROWS} == {*PaperSource}


def test_paper_when_it_is_compared_in_words_then_each_other_default_stands_with_its_reason() -> (
    None
):
    told = differences_in_words(strategies.get("tool-planner"))
    assert told.startswith(
        "Tries in a toolkit: all of its APIs instead of 9 (each try costs a call"
    )
    assert "\nIn parallel: off instead of on (" in told
    assert "\nWhat stays different to the paper:\nToolkits are those of the workspace" in told
    assert differences_in_words(strategies.get("health")) == ""
    rows = compare_with_paper(describe_options(DfsdtOptions), _paper("dfsdt"))
    assert [row.name for row in rows if row.is_other] == ["depth_counts"]
    assert {row.why for row in rows if row.is_other} == {
        "12 nodes are 4 turns, too few for most tasks"
    }


def _paper(plugin_id: str) -> PublishedSettings:
    paper = strategies.get(plugin_id).published
    assert paper is not None
    return paper


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
