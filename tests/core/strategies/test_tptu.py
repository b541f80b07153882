"""TPTU-v2 over a scripted endpoint: the runs of the paper, with each of its parts switched off."""

import pytest
from fixtures.scripted_endpoint import Turn
from fixtures.scripted_run import ScriptedProvider, bad, ok
from fixtures.spoken_run import KITS, replay_spoken, speak_run

from toolplanner_core.domain.demonstration import (
    ChosenDemonstration,
    Demonstration,
    DemonstrationStep,
)
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.events.decision import CatalogueLookup
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.workspace import Workspace

SUBTASKS = {"subtasks": [{"goal": "Where is Oslo", "api": 3}, {"goal": "Weather there", "api": 1}]}
FILL = {"arguments": {"q": "Oslo"}, "missing": []}
BOUND = {"arguments": {"q": {"$result": {"step": 1, "path": ["id"]}}}, "missing": []}
ANSWER = {"answer": "It is 3 degrees.", "solved": True, "reason": ""}
REPLIES = {"geo_find": ok({"id": "OSL"}), "meteo_now": ok({"celsius": 3})}
WARM = ChosenDemonstration(
    shown=Demonstration(
        id=1,
        query="How warm is it in Rome?",
        steps=(DemonstrationStep(goal="Weather in Rome", api="0meteo", title="meteo · meteo_now"),),
        answer="It is 20 degrees.",
    ),
    level="task",
    score=0.91,
)


def test_tptu_when_a_task_is_taken_apart_then_sub_tasks_run_one_by_one_with_what_came_before(
    workspace: Workspace,
) -> None:
    script = [SUBTASKS, FILL, BOUND, ANSWER]
    spoken = speak_run(workspace, "tptu", script, provider=ScriptedProvider(REPLIES), shown=[WARM])
    assert spoken.summary.status is Status.ANSWERED
    assert spoken.summary.answer == "It is 3 degrees."
    assert spoken.calls == [("geo_find", {"q": "Oslo"}), ("meteo_now", {"q": "OSL"})]
    assert spoken.tree == [
        "✓ Take the task apart",
        "✓ 2 sub-tasks",
        "  ✓ Where is Oslo",
        "    ✓ geo · geo_find",
        "      ✓ Fill the arguments",
        "      ✓ geo · geo_find",
        "  ✓ Weather there",
        "    ✓ meteo · meteo_now",
        "      ✓ Fill the arguments",
        "      ✓ meteo · meteo_now",
        "✓ Compose the answer",
    ]
    [(_, asked)] = spoken.messages(0)
    assert "1: meteo · meteo_now -- does meteo_now Takes q." in asked
    assert asked.index("<demonstrations>") < asked.index("<query>")
    assert "question: How warm is it in Rome?\nsub-task 1: Weather in Rome\n" in asked
    assert '"celsius": 3' in spoken.messages(-1)[0][1]
    assert replay_spoken(workspace, spoken.summary).identical


def test_tptu_when_no_tool_fits_then_the_sub_task_is_left_open_and_the_answer_says_so(
    workspace: Workspace,
) -> None:
    parts = {"subtasks": [{"goal": "Weather", "api": 1}, {"goal": "Book a flight", "api": None}]}
    spoken = speak_run(workspace, "tptu", [parts, FILL, ANSWER], provider=ScriptedProvider(REPLIES))
    assert spoken.summary.status is Status.UNSOLVED
    assert spoken.summary.reason == "Left open: Book a flight"
    assert "✗ Book a flight | no API fits" in "\n".join(spoken.tree)
    assert "<open_needs>\nBook a flight" in spoken.messages(-1)[0][1]


def test_tptu_when_a_call_fails_then_tried_once_more_with_what_failed_then_left_open(
    workspace: Workspace,
) -> None:
    unsolved = {"answer": "I could not.", "solved": False, "reason": "the API is down"}
    one = {"subtasks": [{"goal": "Weather", "api": 1}]}
    provider = ScriptedProvider({"meteo_now": bad(500)})
    spoken = speak_run(workspace, "tptu", [one, FILL, FILL, unsolved], provider=provider)
    assert spoken.summary.status is Status.UNSOLVED
    assert len(spoken.calls) == 2
    assert "<failures>" in spoken.messages(2)[0][1]
    assert "  ✗ Weather | no call of meteo · meteo_now worked" in spoken.tree
    assert replay_spoken(workspace, spoken.summary).identical


def test_tptu_when_an_api_is_named_that_was_not_offered_then_told_and_mended(
    workspace: Workspace,
) -> None:
    wrong = {"subtasks": [{"goal": "Weather", "api": 9}]}
    right = {"subtasks": [{"goal": "Weather", "api": 1}]}
    spoken = speak_run(
        workspace, "tptu", [wrong, right, FILL, ANSWER], provider=ScriptedProvider(REPLIES)
    )
    assert spoken.summary.status is Status.ANSWERED
    assert "9" in spoken.messages(1)[-1][1]


EXAMPLE = ChosenDemonstration(
    shown=Demonstration(
        id=0,
        query="Where is Rome",
        steps=(
            DemonstrationStep(
                goal="Where is Rome", api=KITS["Places"][0].id, title="t", arguments={"q": "Roma"}
            ),
        ),
    ),
    level="api",
    score=0.0,
)


@pytest.mark.parametrize("count", [0, 2])
def test_tptu_when_calls_of_an_api_are_known_then_shown_where_its_arguments_are_filled(
    workspace: Workspace, count: int
) -> None:
    script = [SUBTASKS, FILL, BOUND, ANSWER]
    spoken = speak_run(
        workspace,
        "tptu",
        script,
        provider=ScriptedProvider(REPLIES),
        shown=[EXAMPLE],
        call_examples=count,
    )
    assert spoken.summary.status is Status.ANSWERED
    first, second = spoken.messages(1)[0][1], spoken.messages(2)[0][1]
    assert ('Where is Rome\narguments: {"q": "Roma"}\n</examples>' in first) is bool(count)
    assert "<examples>" not in second, "there are none of the other API"
    assert replay_spoken(workspace, spoken.summary).identical


def test_tptu_when_its_own_query_is_left_out_then_the_catalogue_is_told_which_is_tested(
    workspace: Workspace,
) -> None:
    script = [SUBTASKS, FILL, BOUND, ANSWER]
    spoken = speak_run(
        workspace, "tptu", script, provider=ScriptedProvider(REPLIES), leave_own_out=True
    )
    made = [record.event for record in read_run(workspace, spoken.summary.run)]
    asked = [e.request for e in made if isinstance(e, CatalogueLookup) and "k" in e.request]
    tested = [request.get("tested") for request in asked if "apis" in request]
    assert tested == ["How warm is it in Oslo?"] * 3


def test_tptu_when_demonstrations_are_off_then_none_are_shown(workspace: Workspace) -> None:
    script = [SUBTASKS, FILL, BOUND, ANSWER]
    spoken = speak_run(
        workspace,
        "tptu",
        script,
        provider=ScriptedProvider(REPLIES),
        shown=[WARM],
        demonstrations=False,
    )
    assert spoken.summary.status is Status.ANSWERED
    assert "Rome" not in spoken.messages(0)[0][1]


def test_tptu_when_a_demonstration_is_not_like_the_query_then_it_is_not_shown(
    workspace: Workspace,
) -> None:
    script = [SUBTASKS, FILL, BOUND, ANSWER]
    spoken = speak_run(
        workspace,
        "tptu",
        script,
        provider=ScriptedProvider(REPLIES),
        shown=[WARM],
        similarity=0.95,
    )
    assert "Rome" not in spoken.messages(0)[0][1]


@pytest.mark.parametrize(
    ("retriever", "lookups"),
    [
        (True, ["retrieve", *["demonstrations"] * 3]),
        (False, ["browse", *["demonstrations"] * 3]),
    ],
)
def test_tptu_when_the_retriever_is_off_then_the_first_apis_of_the_catalogue_are_offered(
    workspace: Workspace, *, retriever: bool, lookups: list[str]
) -> None:
    script = [SUBTASKS, FILL, BOUND, ANSWER]
    spoken = speak_run(
        workspace,
        "tptu",
        script,
        provider=ScriptedProvider(REPLIES),
        retriever=retriever,
        retrieved=3,
    )
    assert spoken.summary.status is Status.ANSWERED
    events = [record.event for record in read_run(workspace, spoken.summary.run)]
    made = [event for event in events if isinstance(event, CatalogueLookup)]
    assert [event.what for event in made] == lookups
    assert ("text" in made[0].request) is retriever, "else it does not matter what is asked"
    [(_, asked)] = spoken.messages(0)
    assert "3: geo · geo_find" in asked
    assert "4: " not in asked
    assert replay_spoken(workspace, spoken.summary).identical


def test_tptu_when_the_planner_is_off_then_apis_are_called_turn_by_turn(
    workspace: Workspace,
) -> None:
    script = [
        Turn("Look.", [("meteo_now_for_meteo", {"q": "Oslo"})]),
        Turn("", [("give_answer", {"final_answer": "It is 3 degrees."})]),
    ]
    spoken = speak_run(
        workspace,
        "tptu",
        script,
        provider=ScriptedProvider(REPLIES),
        shown=[WARM],
        planner=False,
    )
    assert spoken.summary.status is Status.ANSWERED
    assert spoken.tree[0] == '✓ Look. → meteo · meteo_now | {"celsius": 3}'
    first = spoken.messages(0)[0][1]
    assert first.startswith("<demonstrations>")
    assert first.endswith("</query>")
    assert replay_spoken(workspace, spoken.summary).identical


def test_tptu_when_forked_at_the_second_sub_task_then_the_first_is_not_done_again(
    workspace: Workspace,
) -> None:
    done = speak_run(
        workspace,
        "tptu",
        [SUBTASKS, FILL, BOUND, ANSWER],
        provider=ScriptedProvider(REPLIES),
        shown=[WARM],
    )
    spec: RunSpec = fork(workspace, done.summary.run, NodePath("subtasks.1/step.2"))
    child = speak_run(
        workspace, "tptu", [BOUND, ANSWER], provider=ScriptedProvider(REPLIES), spec=spec
    )
    assert child.summary.status is Status.ANSWERED
    assert child.calls == [("meteo_now", {"q": "OSL"})]
    assert replay_spoken(workspace, child.summary).identical
