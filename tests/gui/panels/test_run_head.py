"""The line of facts above the run tree."""

import threading
from collections.abc import Mapping
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import RUN, NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.presentation.states import ended_look
from toolplanner_core.runs.presentation.story import run_headline
from toolplanner_core.runs.tree.node import Node
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels import run_header as run_tree_head
from toolplanner_gui.panels.run_header import RunHeader, describe_run_facts
from toolplanner_gui.panels.run_tree_panel import RunTreePanel

FALLBACK_QUERY = "Find the cheapest petrol near Springfield, Illinois."


@pytest.mark.parametrize(
    ("status", "reason", "begin"),
    [
        ("cancelled", "The run was stopped", "The run was stopped · "),
        ("unsolved", "Not answered: How many days", "Not answered: How many days · "),
        ("unsolved", "Doubtful: “Hamburg” reached no call", "Not solved · Doubtful: "),
        ("solved", "", "Solved · Tool-Planner with "),
    ],
)
def test_facts_when_the_reason_tells_how_it_ended_then_it_is_not_said_twice(
    status: str, reason: str, begin: str
) -> None:
    data = {"status": status, "strategy": "tool-planner", "model": "m", "provider": "demo"}
    root = Node(
        path=NodePath(""), parent=None, kind=RUN.id, title="q", state=NodeState.OK, reason=reason,
        data=data,
    )  # fmt: skip
    assert describe_run_facts(root, None).startswith(begin)


def test_facts_when_the_window_is_low_then_the_day_of_the_world_is_in_their_tooltip(
    qtbot,
) -> None:
    day = "Friday, 2026-11-20"
    data = {"strategy": "tool-planner", "model": "m", "provider": "demo", "day": day}
    root = Node(
        path=NodePath(""), parent=None, kind=RUN.id, title="q", state=NodeState.RUNNING, data=data,
    )  # fmt: skip
    head = RunHeader(folds_finished=True)
    qtbot.addWidget(head)
    for is_low in (True, False):
        head.set_low(is_low)
        head.show_run(1, root, None, is_held=False, story="")
        assert (day in head.facts.toolTip(), day in head.facts.text()) == (is_low, not is_low)


def test_story_when_a_stored_run_is_long_then_it_is_found_once_and_not_in_the_windows_thread(
    opened: AppContext, qtbot, monkeypatch
) -> None:
    found_in: list[threading.Thread] = []

    def found(nodes: Mapping[NodePath, Node]) -> str:
        found_in.append(threading.current_thread())
        return run_headline(nodes)

    view = opened.run_view
    view.start(RunSpec(query=FALLBACK_QUERY, provider="demo"))
    qtbot.waitUntil(lambda: not view.is_live and opened.tasks.is_idle, timeout=20_000)
    monkeypatch.setattr(run_tree_head, "AT_ONCE", 1)
    monkeypatch.setattr(run_tree_head, "run_headline", found)
    panel = RunTreePanel(opened)
    qtbot.addWidget(panel)
    panel.resize(700, 500)
    panel.show()
    qtbot.waitUntil(lambda: panel.is_idle and opened.tasks.is_idle)
    assert panel.head.story.text() == run_headline(view.nodes) != ""
    panel.resize(600, 400)
    view.runs_changed.emit()
    qtbot.waitUntil(lambda: panel.is_idle and opened.tasks.is_idle)
    assert len(found_in) == 1
    assert found_in[0] is not threading.main_thread()


PERSON, JUDGE = {"source": "person", "solved": True}, {"source": "judge", "solved": False}
ENDS = [  # status, outcome, evidence, verdicts; then what is shown, and the colour in tree and list
    (("solved", "answered", "complete", ()), ("answered", "shows every need", "nobody"), None),
    (("answered", "answered", "not_checked", ()), ("answered", "needs left", "nobody"), "answered"),
    (
        ("contradicted", "answered", "against", (PERSON, {**JUDGE, "who": "m"})),
        ("answered", "speaks against it", "not solved (judge); solved (person)"),
        "replanned",
    ),
    (("not_measured", "not_measured", "", ()), ("not measured", "no answer", "nothing"), "waiting"),
    (("over_budget", "over_budget", "", ()), ("over budget", "no answer", "nothing"), "fell_back"),
    (
        ("nothing_served", "nothing_served", "", ()),
        ("every call failed", "no answer", "nothing to judge"),
        "failed",
    ),
    (("unsolved", "gave_up", "", ()), ("gave up", "no answer", "nothing to judge"), None),
]


@pytest.mark.parametrize(("ended", "shown", "token"), ENDS)
def test_head_when_a_run_has_ended_then_outcome_evidence_and_verdicts_stand_side_by_side(
    qtbot, ended: tuple[str, str, str, Any], shown: tuple[str, ...], token: str | None
) -> None:
    status, outcome, level, verdicts = ended
    data = {"status": status, "strategy": "react", "model": "m", "provider": "demo"}
    root = Node(
        path=NodePath(""), parent=None, kind=RUN.id, title="q", state=NodeState.FAILED, data=data
    )
    summary = RunSummary(
        run=RunId(1), query="q", strategy="react", model="m", provider="demo",
        status=Status(status), answer="a" if level else "", outcome=outcome,
        checked={"level": level}, verdicts=verdicts,
    )  # fmt: skip
    head = RunHeader(folds_finished=True)
    qtbot.addWidget(head)
    head.resize(600, 300)
    head.show()
    head.show_run(1, root, summary, is_held=False, story="")
    facts = (head.ended, head.replies, head.said)
    for fact, words in zip(facts, shown, strict=True):
        assert fact.isVisible() and fact.text().startswith(words)
    assert len({fact.y() for fact in facts}) == 1, "side by side"
    head.said.say("solved (expected); not solved, 1 of 3 (judge); solved (person)" * 2)
    titles = [fact.findChildren(QLabel)[0] for fact in facts]
    qtbot.waitUntil(lambda: facts[0].height() > 3 * titles[0].height())
    assert len({title.y() for title in titles}) == 1, "and their titles on one line"
    look = ended_look(root)
    assert (look and look.token) == token, "tree and list show the same"
    head.set_low(True)
    assert not head.ended.isVisible(), "the tree needs the room"
    head.set_low(False)
    head.show_run(1, root, None, is_held=False, story="")
    assert not head.ended.isVisible(), "it goes on"


def test_head_when_a_run_is_of_an_earlier_version_then_says_what_solved_meant_there(qtbot) -> None:
    data = {"status": "solved", "strategy": "react", "model": "m", "provider": "demo"}
    root = Node(
        path=NodePath(""), parent=None, kind=RUN.id, title="q", state=NodeState.OK, data=data
    )
    summary = RunSummary(
        run=RunId(1), query="q", strategy="react", model="m", provider="demo",
        status=Status.SOLVED, answer="a",
    )  # fmt: skip
    head = RunHeader(folds_finished=True)
    qtbot.addWidget(head)
    head.show_run(1, root, summary, is_held=False, story="")
    assert "earlier version, where solved meant" in head.evidence.text()
