"""What a person is told of the APIs that are offered at a stop."""

from fixtures.debugged_run import KITS, Session

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.stop_points import BEFORE_QUESTION
from toolplanner_core.llm.model import OFFLINE_LABEL
from toolplanner_core.runs.debugging.stops import Stop
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.presentation.stop_choices import failed_apis, offers
from toolplanner_core.workspace import Workspace


def test_apis_when_they_failed_in_an_earlier_plan_then_they_count_as_failed(
    workspace: Workspace,
) -> None:
    session = Session(
        workspace,
        lambda debugger, held: debugger.resume(),
        failing=("kit1_0", "kit1_1", "kit1_2", "kit2_0"),
        plans=[[("a", 1, [])], [("a", 2, [])]],
    )
    nodes = load_tree(workspace, session.summary.run).nodes
    earlier = {api.id for api in KITS["Kit 1"]}
    assert failed_apis(nodes, NodePath("plan.2/step.1")) == earlier | {KITS["Kit 2"][0].id}


def test_api_when_it_served_another_step_then_it_is_not_taken_for_a_failed_one(
    workspace: Workspace,
) -> None:
    session = Session(
        workspace,
        lambda debugger, held: debugger.resume(),
        breakpoints=(),
        plans=[[("a", 1, []), ("b", 1, [1])]],
    )
    nodes = load_tree(workspace, session.summary.run).nodes
    assert failed_apis(nodes, NodePath("plan.1/step.2")) == set()


def test_messages_when_the_offline_planner_is_asked_then_it_is_said_that_it_reads_none() -> None:
    stop = Stop(point=BEFORE_QUESTION, path=NodePath("a"), node=NodePath("a"), title="Plan")
    assert "has no effect" in offers(stop, model=OFFLINE_LABEL)[0].explanation
    assert "change what you like" in offers(stop, model="gpt-x")[0].explanation
