"""The report of a stored node, and its lines in the terminal."""

import pytest
from fixtures.own_strategy import Talker, do

from toolplanner_core.cli.runs_node import report_lines
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.errors import NotFound
from toolplanner_core.prompts.conversation import Function
from toolplanner_core.runs.telling.node_reading import read_report
from toolplanner_core.strategies.scope import RunScope
from toolplanner_core.workspace import Workspace

LOOK = Function("look_for_Book", "Looks up", {"type": "object"})


async def look_twice(run: RunScope) -> str:
    """Two turns; the first one calls."""
    talk = run.dialogue("Be short.", [LOOK], name="act", title="Next action")
    talk.say("Find it.")
    turn = await talk.reply()
    for call in turn.calls:
        talk.result(call, '{"found": 7}')
    return (await talk.reply()).text


def test_question_when_it_is_reported_then_its_calls_have_the_results_of_the_next(
    workspace: Workspace,
) -> None:
    done = do(workspace, look_twice, Talker(turns=[("I look.", (LOOK.name, '{"q": "a"}')), "7"]))
    report = read_report(workspace, done.run, NodePath("act.1"))
    assert list(report_lines(report))[2:] == [
        "",
        "Next action:",
        "  system",
        "    Be short.",
        "  user",
        "    Find it.",
        "  assistant",
        "    I look.",
        "    → Book · look",
        "      {",
        '        "q": "a"',
        "      }",
        "    ←",
        "      {",
        '        "found": 7',
        "      }",
    ]
    second = list(report_lines(read_report(workspace, done.run, NodePath("act.2"))))
    assert second[4:7] == ["  … 2 before, of earlier turns", "  assistant", "    I look."]
    whole = read_report(workspace, done.run, NodePath(""))
    (told,) = whole.conversations
    assert [each.text for each in told.spoken] == ["Be short.", "Find it.", "I look.", "7"]


def test_report_when_there_is_no_such_node_then_says_so(workspace: Workspace) -> None:
    done = do(workspace, look_twice, Talker(turns=["x", "y"]))
    with pytest.raises(NotFound, match=r"no node act\.9"):
        read_report(workspace, done.run, NodePath("act.9"))
