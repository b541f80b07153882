"""Traces of ToolBench and StableToolBench as runs: real files whole, broken ones in part."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import toolplanner
from fixtures.scripted_endpoint import Turn
from fixtures.scripted_run import ScriptedProvider, bad, ok
from fixtures.spoken_run import speak_run

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.compare.diff import diff_runs
from toolplanner_core.runs.events.decision import Noted
from toolplanner_core.runs.events.run import RunStarted
from toolplanner_core.runs.importing.reading import import_runs
from toolplanner_core.runs.importing.toolbench import read_outcome
from toolplanner_core.runs.log.stored_runs import get_summary, list_runs, load_records, load_tree
from toolplanner_core.runs.presentation.tree_text import render_tree
from toolplanner_core.runs.searching.search import RunFilters, search_runs
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import get_run

FILE = "data/answer/G1_answer/7_ChatGPT_DFS_woFilter_w2.json"
FUNCTIONS = [
    {"name": "forecast_for_sky_cast", "description": 'the subfunction for tool "sky_cast", use it'}
]


def node(kind: str, said: str, *children: Any, **fields: Any) -> dict[str, Any]:
    return {"node_type": kind, "description": said, "children": list(children)} | fields


def call(name: str, observation: str, code: int, *children: Any, **fields: Any) -> dict[str, Any]:
    done = {"observation": observation, "observation_code": code} | fields
    return node("Action", name, node("Action Input", '{"city": "Zagreb"}', *children, **done))


def finish(kind: str) -> dict[str, Any]:
    said = json.dumps({"return_type": kind, "final_answer": "sunny"})
    return node("Action", "Finish", node("Action Input", said, observation="{}",
                                         observation_code=3))  # fmt: skip


def trace(*branches: Any, win: bool = True, **about: Any) -> dict[str, Any]:
    final = json.dumps({"return_type": "give_answer", "final_answer": "sunny"}) if win else ""
    return {
        "win": win,
        "tree": {"tree": node("Action Input", "", *branches)},
        "answer_generation": {
            "query": "weather in Zagreb",
            "final_answer": final,
            "function": FUNCTIONS,
            "query_count": 3,
            "total_tokens": 99,
        }
        | about,
    }


def write(path: Path, *lines: Any) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


OK = json.dumps({"error": "", "response": "{'sky': 'clear'}"})
BROKEN = json.dumps({"error": "request invalid, data error. status_code=500", "response": ""})
SEARCH = trace(
    node(
        "Thought",
        "try one",
        call("forecast_for_sky_cast", BROKEN, 12, finish("give_up_and_restart"), pruned=True),
    ),
    call("forecast_for_sky_cast", OK, 0, finish("give_answer")),
)


def test_import_when_a_search_tree_is_read_then_branches_states_and_causes_are_there(
    workspace: Workspace, tmp_path: Path
) -> None:
    path = write(tmp_path / "t.jsonl", {"file": FILE, "trace": SEARCH})
    report = import_runs(workspace, path)
    assert report.format == "toolbench"
    assert report.rejected == []
    (run,) = report.runs
    summary = get_summary(workspace, run)
    assert (summary.status, summary.answer, summary.strategy, summary.model) == (
        "solved", "sunny", "dfs (imported)", "chatgpt",
    )  # fmt: skip
    assert (summary.model_calls, summary.api_calls, summary.failed_calls) == (4, 2, 1)
    assert summary.tokens == 0
    nodes = load_tree(workspace, run).nodes
    failed, worked = nodes[NodePath("branch.1/call.1")], nodes[NodePath("branch.2/call.1")]
    assert (failed.state, failed.error) == (NodeState.FAILED, ErrorClass.SERVER_ERROR)
    assert failed.reason == "server error 500"
    assert failed.title == "sky_cast · forecast"
    assert worked.state is NodeState.OK
    assert nodes[NodePath("branch.1")].state is NodeState.FAILED
    assert nodes[NodePath("branch.2")].state is NodeState.OK
    assert nodes[NodePath("branch.2")].cause_text
    assert nodes[NodePath("branch.1/branch.1")].title == "Give up"
    thought = load_records(workspace, run, NodePath("branch.1/act.1"))[1]
    assert "try one" in thought.event.to_body()["text"]
    started = load_records(workspace, run, NodePath(""))[0].event
    assert isinstance(started, RunStarted)
    assert started.options["imported"]["tokens"] == 99
    assert get_run(workspace, run).options["imported"]["from"] == "t.jsonl"
    assert [hit.summary.run for hit in search_runs(workspace, "zagreb clear")] == [run]


@pytest.mark.parametrize(
    ("observation", "code", "error"),
    [
        (OK, 0, None),
        ({"error": "", "response": "500 mg of salt give an error"}, 0, None),
        ({"error": "Message error...", "response": "{'text': 'an error of judgement'}"}, 11, None),
        ({"error": "Message error...", "response": "{'status': 400, 'message': 'invalid cep'}"},
         11, ErrorClass.INVALID_PARAMETER),
        ({"error": "", "response": "{'message': 'You are not subscribed to this API.'}"}, 0,
         ErrorClass.NOT_SUBSCRIBED),
        ({"error": "", "response": ""}, 0, ErrorClass.EMPTY_RESULT),
        ({"error": "No such function name: x", "response": ""}, 1, ErrorClass.UNKNOWN_API),
        ({"error": "No such function name: x", "response": ""}, None, ErrorClass.UNKNOWN_API),
        ({"error": "Timeout error...read timed out", "response": ""}, 5, ErrorClass.TIMEOUT),
        ({"error": "Timeout error...read timed out", "response": ""}, None, ErrorClass.TIMEOUT),
        ({"error": "Unauthorized error...", "response": ""}, 8, ErrorClass.UNAUTHORISED),
        ({"error": "Too many requests", "response": ""}, 9, ErrorClass.RATE_LIMITED),
        ({"error": "request invalid, data error. status_code=503", "response": ""}, 12,
         ErrorClass.SERVER_ERROR),
        ({"error": "request invalid, data error. status_code=404", "response": ""}, None,
         ErrorClass.NOT_FOUND),
        ("plain words", None, None),
        ("[" * 100_000, None, None),
    ],
)  # fmt: skip
def test_outcome_when_read_then_has_the_class_that_the_payload_says(
    observation: Any, code: int | None, error: ErrorClass | None
) -> None:
    text = observation if isinstance(observation, str) else json.dumps(observation)
    outcome = read_outcome(text, code)
    assert outcome.error == error, outcome
    assert outcome.is_refused == (error is ErrorClass.UNKNOWN_API)


def test_import_when_lines_are_broken_then_only_they_are_rejected(
    workspace: Workspace, tmp_path: Path
) -> None:
    deep: dict[str, Any] = finish("give_answer")
    for _ in range(170):
        deep = call("forecast_for_sky_cast", OK, 0, deep)
    path = write(
        tmp_path / "t.jsonl",
        {"file": FILE, "trace": SEARCH},
        "{broken",
        {"file": FILE, "trace": SEARCH | {"tree": {"tree": 7}}},
        {"file": FILE, "trace": trace(node("Guess", "x"))},
        {"file": FILE, "trace": trace(node("Thought", "x", children=3))},
        {"file": FILE, "trace": SEARCH | {"answer_generation": {}}},
        {"file": FILE},
        {"file": FILE, "trace": trace(deep)},
        {"file": FILE, "trace": trace(win=False)},
    )
    report = import_runs(workspace, path)
    assert len(report.runs) == 2
    assert [rejected.where for rejected in report.rejected] == [
        "t.jsonl, line 2",
        f"t.jsonl, line 3 ({FILE})",
        f"t.jsonl, line 4 ({FILE})",
        f"t.jsonl, line 5 ({FILE})",
        f"t.jsonl, line 6 ({FILE})",
        "t.jsonl, line 7",
        "t.jsonl, line 8",
    ]
    assert "deep" in report.rejected[-1].why
    assert "'Guess'" in report.rejected[2].why


def test_import_when_arguments_are_no_json_then_the_call_is_refused_and_kept(
    workspace: Workspace, tmp_path: Path
) -> None:
    given = node("Action Input", "city=Zagreb", observation=OK, observation_code=2)
    turn = node("Action", "forecast_for_sky_cast", given)
    path = write(tmp_path / "t.jsonl", {"file": FILE, "trace": trace(turn, win=False)})
    (run,) = import_runs(workspace, path).runs
    made = load_tree(workspace, run).nodes[NodePath("branch.1/call.1")]
    assert made.error == ErrorClass.WRONG_FORMAT
    (record,) = load_records(workspace, run, made.path)
    assert record.event.to_body()["arguments"] == {"": "city=Zagreb"}


def test_import_when_verdicts_stand_in_the_file_then_runs_carry_them(
    workspace: Workspace, tmp_path: Path
) -> None:
    chain = SEARCH | {"trys": [{"chain": [node("Thought", "a"), node("Thought", "b")]},
                               {"chain": []}]}  # fmt: skip
    del chain["tree"]
    verdict = {"is_solved": {"0": "AnswerStatus.Solved", "1": "AnswerStatus.Unsolved"}}
    path = write(
        tmp_path / "s.jsonl",
        {"file": "x/answer/virtual_gpt_cot/G1/5_CoT@2.json", "json": chain},
        {"file": "x/pass_rate_results/virtual_gpt_cot/G1_virtual_gpt_cot.json",
         "json": {"5": verdict, "6": verdict}},
        {"file": "x/preference_results/G1_virtual_gpt_cot_virtual_gpt_dfs.json",
         "json": {"5": {"virtual_gpt_cot": 1, "virtual_gpt_dfs": 2, "round_0": "complete"}}},
        {"file": "x/other/5.json", "json": {}},
        {"file": "x/answer/5.json", "json": {"a": 1}},
    )  # fmt: skip
    report = import_runs(workspace, path)
    (run,) = report.runs
    assert report.format == "stabletoolbench"
    assert report.verdicts == 2
    notes = [r.event.text for r in load_records(workspace, run, NodePath(""))
             if isinstance(r.event, Noted)]  # fmt: skip
    assert notes == [
        "Judges of the pass rate said: 1× solved, 1× unsolved",
        "Judges preferred this to virtual_gpt_dfs in 1 of 3 votes",
    ]
    assert get_summary(workspace, run).strategy == "cot (imported)"
    tree = load_tree(workspace, run)
    assert [tree.nodes[path].title for path in tree.nodes[NodePath("")].children] == [
        "Try 1", "Try 2",
    ]  # fmt: skip
    whys = " | ".join(rejected.why for rejected in report.rejected)
    assert "neither an answer nor a verdict" in whys
    assert "answer_generation is no object" in whys
    assert "verdict on runs that the file does not hold" in whys


def test_import_when_the_catalogue_is_there_then_calls_lead_to_its_apis(
    workspace: Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "tools" / "Weather"
    folder.mkdir(parents=True)
    tool = {
        "tool_name": "Sky Cast", "tool_description": "weather", "title": "Sky Cast",
        "standardized_name": "sky_cast",
        "api_list": [{
            "name": "Forecast", "url": "https://sky.example/forecast", "description": "forecast",
            "method": "GET", "required_parameters": [], "optional_parameters": [],
        }],
    }  # fmt: skip
    (folder / "sky_cast.json").write_text(json.dumps(tool))
    done = toolplanner("import", workspace.path, tmp_path / "tools", "--json")
    assert done.status == 0, done.err
    path = write(tmp_path / "t.jsonl", {"file": FILE, "trace": SEARCH})
    (run,) = import_runs(workspace, path).runs
    made = load_tree(workspace, run).nodes[NodePath("branch.1/call.1")]
    assert made.title == "Sky Cast · Forecast"
    assert len(made.data["api"]) == 16
    assert search_runs(workspace, "", RunFilters(api=made.data["api"]))


def test_import_when_all_real_traces_are_read_then_each_opens_with_all_its_calls(
    workspace: Workspace, shared_data: Path
) -> None:
    path = shared_data / "toolbench" / "dfsdt_traces.jsonl.gz"
    report = import_runs(workspace, path)
    assert report.rejected == []
    assert len(report.runs) == 15
    errors: Counter[str | None] = Counter()
    lines = gzip.decompress(path.read_bytes()).splitlines()
    for run, line in zip(report.runs, lines, strict=True):
        original = json.loads(line)["trace"]
        about = original["answer_generation"]
        tree = load_tree(workspace, run)
        assert len(render_tree(tree)) == len(tree.nodes)
        calls = [n for n in tree.nodes.values() if n.is_call]
        assert len(calls) == sum(
            1 for name in actions(original["tree"]["tree"]) if name != "Finish"
        )
        assert all(n.state in (NodeState.OK, NodeState.FAILED) for n in calls)
        assert all(n.error for n in calls if n.state is NodeState.FAILED)
        errors.update(n.error for n in calls)
        summary = get_summary(workspace, run)
        assert summary.query == about["query"]
        assert (summary.status == "solved") == original["win"]
        assert bool(summary.answer) == original["win"]
        assert summary.strategy == "dfs (imported)"
    assert errors[None] == 109
    assert errors.keys() >= {None, "not_found", "server_error", "unknown_api", "timeout"}
    assert sum(errors.values()) == 300


def test_import_when_all_real_answers_are_read_then_twelve_runs_with_their_verdicts(
    workspace: Workspace, shared_data: Path
) -> None:
    report = import_runs(workspace, shared_data / "toolbench" / "stabletoolbench_examples.jsonl.gz")
    assert report.rejected == []
    assert len(report.runs) == 12
    assert report.verdicts == 24
    for run in report.runs:
        tree = load_tree(workspace, run)
        assert len(tree.nodes) > 3
        assert get_summary(workspace, run).query
    strategies = Counter(summary.strategy for summary in list_runs(workspace))
    assert strategies == {"dfs (imported)": 6, "cot (imported)": 6}


def actions(tree: dict[str, Any]) -> list[str]:
    found = [tree["description"]] if tree["node_type"] == "Action" else []
    return found + [name for child in tree.get("children", ()) for name in actions(child)]


def test_command_when_nothing_can_be_read_then_says_why_and_fails(tmp_path: Path) -> None:
    path = tmp_path / "w.toolplanner"
    Workspace.create(path).close()
    file = write(tmp_path / "t.jsonl", {"file": FILE, "trace": trace(node("Guess", "x"))})
    done = toolplanner("runs", "import", path, file)
    assert done.status == 1
    assert "line 1" in done.err
    assert "Imported 0 runs" in done.out


def test_import_when_our_own_search_did_the_same_then_both_are_compared_node_by_node(
    workspace: Workspace, tmp_path: Path
) -> None:
    said = {"q": "Oslo"}
    script = [
        Turn("Here?", [("meteo_now_for_meteo", said)]),
        Turn("No.", [("give_up_and_restart", {"reason": "a dead end"})]),
        Turn("There?", [("sky_daily_for_sky", said)]),
        Turn("", [("give_answer", {"final_answer": "sunny"})]),
    ]
    provider = ScriptedProvider({"meteo_now": bad(500), "sky_daily": ok({"sky": "clear"})})
    ours = speak_run(workspace, "dfsdt", script, provider=provider).summary
    functions = [
        {"name": f"{name}_for_{tool}", "description": f'the subfunction for tool "{tool}", use it'}
        for name, tool in (("meteo_now", "meteo"), ("sky_daily", "sky"))
    ]
    theirs = trace(
        call("meteo_now_for_meteo", BROKEN, 12, finish("give_up_and_restart"), pruned=True),
        call("sky_daily_for_sky", OK, 0, finish("give_answer")),
        function=functions,
    )
    (run,) = import_runs(
        workspace, write(tmp_path / "t.jsonl", {"file": FILE, "trace": theirs})
    ).runs
    found = diff_runs(workspace, ours.run, run)
    assert [(n.kind, n.title) for n in found.nodes if n.left is None or n.right is None] == []
