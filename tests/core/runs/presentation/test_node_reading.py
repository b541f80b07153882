"""The report of a stored node, and its lines in the terminal."""

import pytest
from fixtures.command_line import command_here
from fixtures.own_strategy import Talker, do

from toolplanner_core.cli.runs import report_lines
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.errors import NotFound
from toolplanner_core.llm.model import Reply, Usage
from toolplanner_core.prompts.conversation import Function, FunctionCall
from toolplanner_core.runs.presentation.node_report import read_report
from toolplanner_core.strategies.interface.scope import RunScope
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


def test_thoughts_when_a_run_is_shown_then_counted_and_whole_on_asking(
    workspace: Workspace,
) -> None:
    thinks = Reply(data=None, text="I look.", usage=Usage(input_tokens=1, output_tokens=1),
                   raw={"reasoning": "Hm,\nwhere?"}, calls=(FunctionCall("a", LOOK.name, "{}"),),
                   )  # fmt: skip
    done = do(workspace, look_twice, Talker(turns=[thinks, "7"]))
    show = ("runs", "show", workspace.path, done.run)
    node = ("--node", "act.1")
    assert (
        "\nThoughts: 10 characters before 1 reply, shown by --thoughts\n" in command_here(*show).out
    )
    assert "Thoughts at act.1:\n  Hm,\n  where?\n" in command_here(*show, "--thoughts").out
    (thought,) = command_here(*show, "--thoughts", "--json").data["thoughts"]
    assert thought == {"node": "act.1", "text": "Hm,\nwhere?"}
    said = "  assistant\n    thoughts, 10 characters"
    assert f"{said}, shown by --thoughts\n    I look.\n" in command_here(*show, *node).out
    whole = command_here(*show, *node, "--thoughts").out
    assert f"{said}:\n      Hm,\n      where?\n    I look.\n" in whole
    assert done.answer == "7"


def test_report_when_there_is_no_such_node_then_says_so(workspace: Workspace) -> None:
    done = do(workspace, look_twice, Talker(turns=["x", "y"]))
    with pytest.raises(NotFound, match=r"no node act\.9"):
        read_report(workspace, done.run, NodePath("act.9"))
