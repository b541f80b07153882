"""Chain of tools over a scripted endpoint: the runs of the paper, as trees and as messages."""

import json
import threading
from collections.abc import Collection
from typing import Any

import pytest
from fixtures.scripted_run import ScriptedProvider, bad, ok
from fixtures.spoken_run import Spoken, replay_spoken, speak_run

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.prompts.programs import calls_behind
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.presentation.node_report import read_report
from toolplanner_core.strategies import atc
from toolplanner_core.workspace import Workspace

GOOD = """\
place = geo_find_for_geo(q="Oslo")
warm = meteo_now_for_meteo(q=place["id"])
print("It is", warm["celsius"], "degrees.")"""
WRONG_FIELD = GOOD.replace('"celsius"', '"temperature"')
WRONG_API = GOOD.replace("meteo_now_for_meteo", "sky_daily_for_sky")
REPLIES = {
    "geo_find": ok({"id": "no-03"}),
    "meteo_now": ok({"celsius": 3}),
    "sky_daily": bad(404, "no such place"),
}


def program(text: str) -> dict[str, Any]:
    return {"program": text}


def blame(tool: str) -> dict[str, Any]:
    return {"tool": tool, "reason": "because"}


def speak(workspace: Workspace, *script: dict[str, Any], **options: Any) -> Spoken:
    provider = ScriptedProvider(dict(REPLIES))
    return speak_run(workspace, "atc", list(script), provider=provider, **options)


def user_text(spoken: Spoken, request: int) -> str:
    return spoken.messages(request)[0][1]


def test_atc_when_the_program_works_then_each_call_is_below_it_with_its_line(
    workspace: Workspace,
) -> None:
    spoken = speak(workspace, program(GOOD))
    assert spoken.summary.status is Status.ANSWERED
    assert spoken.summary.answer == "It is 3 degrees."
    assert spoken.calls == [("geo_find", {"q": "Oslo"}), ("meteo_now", {"q": "no-03"})]
    assert spoken.tree == [
        "✓ Program of 3 lines | It is 3 degrees.",
        "  ✓ Write a program",
        '  ✓ line 1: geo · geo_find | {"id": "no-03"}',
        "    ✓ geo · geo_find",
        '  ✓ line 2: meteo · meteo_now | {"celsius": 3}',
        "    ✓ meteo · meteo_now",
    ]
    assert spoken.requests[0]["temperature"] == 0
    asked = user_text(spoken, 0)
    assert "def meteo_now_for_meteo(q=None):" in asked
    assert "Returns: JSON, not documented" in asked
    assert replay_spoken(workspace, spoken.summary).identical


def test_atc_when_a_reply_is_read_wrongly_then_blames_and_revises_with_all_that_was_tried(
    workspace: Workspace,
) -> None:
    spoken = speak(
        workspace,
        program(WRONG_API), blame("sky_daily_for_sky"),
        program(WRONG_FIELD), blame("meteo_now_for_meteo"),
        program(GOOD),
    )  # fmt: skip
    assert spoken.summary.status is Status.ANSWERED
    missed = (
        "line 2: RuntimeError: sky_daily_for_sky failed (not found): The API or what it was asked …"
    )
    assert spoken.tree == [
        f"✗ Program of 3 lines | {missed}",
        "  ✓ Write a program",
        '  ✓ line 1: geo · geo_find | {"id": "no-03"}',
        "    ✓ geo · geo_find",
        "  ✗ line 2: sky · sky_daily | not found",
        "    ✗ sky · sky_daily | not found 404",
        "  ✓ Which tool caused it?",
        "✗ Program of 3 lines | line 3: KeyError: 'temperature'"
        f" | because program 1 failed: {missed}",
        "  ✓ Revise the program",
        '  ✓ line 1: geo · geo_find | {"id": "no-03"}',
        "    ✓ geo · geo_find",
        '  ✓ line 2: meteo · meteo_now | {"celsius": 3}',
        "    ✓ meteo · meteo_now",
        "  ✓ Which tool caused it?",
        "✓ Program of 3 lines | It is 3 degrees. | because program 2 failed: "
        "line 3: KeyError: 'temperature'",
        "  ✓ Revise the program",
        '  ✓ line 1: geo · geo_find | {"id": "no-03"}',
        "    ✓ geo · geo_find",
        '  ✓ line 2: meteo · meteo_now | {"celsius": 3}',
        "    ✓ meteo · meteo_now",
    ]
    blamed = user_text(spoken, 1)
    assert "line 2: sky_daily_for_sky: not found: " in blamed
    assert "<the_line_depends_on>\nsky_daily_for_sky\ngeo_find_for_geo" in blamed
    last = user_text(spoken, 4)
    assert "<program_1>\n" + WRONG_API in last
    assert "<program_2>\n" + WRONG_FIELD in last
    assert "line 3: print(" in last
    assert "KeyError: 'temperature'" in last
    assert "<to_blame>\ndef meteo_now_for_meteo(q=None):" in last
    assert "parameters (JSON Schema)" in last
    assert last.count("def geo_find_for_geo") == 1
    assert replay_spoken(workspace, spoken.summary).identical


def test_atc_when_a_program_fails_then_its_text_is_not_read_on_the_thread_of_the_loop(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = list[int]()

    def watched(text: str, line: int, functions: Collection[str]) -> tuple[str, ...]:
        readers.append(threading.get_ident())
        return calls_behind(text, line, functions)

    monkeypatch.setattr(atc, "calls_behind", watched)
    speak(workspace, program(WRONG_FIELD), blame("meteo_now_for_meteo"), program(GOOD))
    assert len(readers) == 1
    assert threading.get_ident() not in readers


def test_atc_when_all_revisions_fail_then_ends_with_the_last_error(workspace: Workspace) -> None:
    script = [program("print(1 / 0)"), blame("none")] * 3 + [program("print(1 / 0)")]
    spoken = speak(workspace, *script)
    assert spoken.summary.status is Status.UNSOLVED
    assert spoken.summary.reason == (
        "None of 4 programs came to an answer; the last one: ZeroDivisionError: division by zero"
    )
    assert len(spoken.requests) == 7
    assert "<to_blame>" not in user_text(spoken, 6)
    assert replay_spoken(workspace, spoken.summary).identical


def test_atc_when_the_program_is_silent_then_revised_without_blame(workspace: Workspace) -> None:
    spoken = speak(workspace, program("x = 1"), program("print('done')"))
    assert spoken.summary.answer == "done"
    assert "the program printed nothing" in user_text(spoken, 1)


def test_atc_when_a_call_is_made_wrongly_then_it_raises_in_the_program_without_a_call(
    workspace: Workspace,
) -> None:
    text = "try:\n    geo_find_for_geo(city='Oslo')\nexcept TypeError as error:\n    print(error)"
    spoken = speak(workspace, program(text))
    assert spoken.summary.answer == (
        "geo_find_for_geo() got an unexpected keyword argument 'city'; it takes: q"
    )
    assert spoken.calls == []
    text = "for n in range(9):\n    print(geo_find_for_geo(str(n)))"
    spoken = speak(workspace, program(text), most_calls=2, revisions=0)
    assert spoken.calls == [("geo_find", {"q": "0"}), ("geo_find", {"q": "1"})]
    assert spoken.summary.reason.endswith("RuntimeError: a program may make 2 calls")


def test_atc_when_a_program_never_ends_then_stopped_and_replayed_from_the_tape(
    workspace: Workspace,
) -> None:
    endless = "print(geo_find_for_geo(q='a'))\nwhile True:\n    pass"
    spoken = speak(workspace, program(endless), revisions=0)
    assert "TimeoutError" in spoken.summary.reason
    assert replay_spoken(workspace, spoken.summary).identical


def test_atc_when_looked_at_then_the_inspector_shows_the_program_with_its_line(
    workspace: Workspace,
) -> None:
    spoken = speak(workspace, program(WRONG_FIELD), revisions=0)
    report = read_report(workspace, spoken.summary.run, NodePath("program.1"))
    sections = {section.title: section for section in report.result}
    assert sections["Program"].is_code
    shown = sections["Program"].text.split("\n")
    assert [line[:5] for line in shown] == ["    1", "    2", "▶   3"]
    assert "KeyError: 'temperature'" in sections["Error"].text
    call = read_report(workspace, spoken.summary.run, NodePath("program.1/line.2"))
    found = {section.title: section.text for section in call.result}
    assert found["Values before it"] == "place = {'id': 'no-03'}"
    assert "▶   2  warm = meteo_now_for_meteo" in found["Program"]
    tree = load_tree(workspace, spoken.summary.run)
    assert json.loads(json.dumps(tree.nodes[NodePath("program.1/line.2")].data["line"])) == 2
