"""Before an edit is made, staging tray and review say which saved queries it would replan."""

import pytest

from toolplanner_core.curation.edits.marks import PinToolkits
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.plan_impact import PlanImpact
from toolplanner_gui.panels.review_panel import ReviewPanel
from toolplanner_gui.panels.staging_panel import StagingPanel


def ids(context: AppContext, *names: str) -> tuple:
    by_name = {toolkit.name: toolkit.id for toolkit in context.catalogue.toolkits}
    return tuple(by_name[name] for name in names)


def test_merge_when_staged_then_says_which_saved_queries_it_would_replan(
    opened: AppContext, qtbot
) -> None:
    panel = StagingPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(900, 260)
    panel.show()
    assert panel.plans.isHidden()
    opened.staging.add(ids(opened, "Unit conversion", "Currency exchange"))
    qtbot.waitUntil(lambda: panel.is_idle)
    said = panel.plans.label.text()
    assert said.startswith("3 of 15 cases would be planned differently")
    assert said.count("with other fallbacks") == 2
    [other] = [line for line in said.splitlines() if "→" in line]
    assert "Convert 26.2 miles" in other
    opened.staging.clear()
    assert panel.plans.isHidden()


def test_plans_when_another_edit_is_asked_about_then_the_first_is_forgotten(
    opened: AppContext, qtbot
) -> None:
    plans = PlanImpact(opened)
    qtbot.addWidget(plans)
    (one,) = ids(opened, "Helicopters")
    plans.ask(PinToolkits(toolkits=(one,), is_pinned=False))
    qtbot.waitUntil(lambda: plans.is_idle)
    refused = plans.label.text()
    assert refused, "why it cannot be said stands there"
    plans.ask(PinToolkits(toolkits=(one,), is_pinned=True))
    plans.ask(None)
    assert plans.is_idle
    assert plans.isHidden()


def test_question_when_looked_at_then_says_what_accepting_does_to_plans(
    opened: AppContext, qtbot
) -> None:
    panel = ReviewPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(1000, 700)
    panel.show()
    qtbot.waitUntil(lambda: opened.review.current is not None and panel.is_idle)
    card = opened.review.cards.card
    if card is None or card.proposed is None or card.proposed.edit is None:
        pytest.fail("the first question of the demo proposes an edit")
    assert "would be planned differently" in panel.plans.label.text()
