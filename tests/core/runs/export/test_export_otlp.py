"""OTLP JSON: valid traces with the names of the table, always the same; content on demand."""

import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import toolplanner
from fixtures.own_strategy import Talker, do
from fixtures.recorded_runs import NAMES, record_run

from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.prompts.conversation import Function
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.export.otlp import DEFAULT_VERSION, OWN, TABLES, export_otlp
from toolplanner_core.runs.importing.reading import import_runs
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.workspace import Workspace

PRIVATE = ("the query of a person", "argument needle", "result haystack", "goal of the step",
           "done")  # fmt: skip
EVENT_NAMES = {f"{OWN}{name}" for name in (
    "fallback", "toolkit_exhausted", "replan", "call_refused", "call_retried", "call_failed",
    "model_failed", "answer_rejected", "note",
)}  # fmt: skip


def make_run(workspace: Workspace) -> RunId:
    return record_run(
        workspace,
        plans=[
            [("goal of the step", 1, []), ("use it", 2, [1])],
            [("goal of the step", 1, []), ("use it", 3, [1])],
        ],
        failing=[NAMES[0], *NAMES[3:6]],
        query="the query of a person",
        arguments={"q": "argument needle"},
        replies={"kit1_1": {"place": "result haystack"}},
    )


def spans_of(data: dict[str, Any]) -> list[dict[str, Any]]:
    return data["resourceSpans"][0]["scopeSpans"][0]["spans"]


def values(item: dict[str, Any]) -> dict[str, Any]:
    found = {}
    for attribute in item["attributes"]:
        ((kind, value),) = attribute["value"].items()
        found[attribute["key"]] = int(value) if kind == "intValue" else value
    assert len(found) == len(item["attributes"])
    return found


@pytest.mark.parametrize("content", [False, True])
def test_otlp_when_exported_then_every_begun_node_is_a_span_in_its_place(
    workspace: Workspace, content: bool
) -> None:
    run = make_run(workspace)
    spans = spans_of(export_otlp(workspace, [run], content=content))
    begun = [n for n in load_tree(workspace, run).nodes.values() if n.started_ns is not None]
    assert len(spans) == len(begun)
    ids = {span["spanId"] for span in spans}
    assert len(ids) == len(spans)
    assert len({span["traceId"] for span in spans}) == 1
    by_id = {span["spanId"]: span for span in spans}
    for span in spans:
        assert len(bytes.fromhex(span["traceId"])) == 16
        assert len(bytes.fromhex(span["spanId"])) == 8
        assert isinstance(span["startTimeUnixNano"], str)
        begin, end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
        assert 10**18 < begin <= end
        assert len(span["attributes"]) <= 32
        for event in span["events"]:
            assert begin <= int(event["timeUnixNano"])
        for link in span["links"]:
            assert link["spanId"] in ids
        if "parentSpanId" in span:
            parent = by_id[span["parentSpanId"]]
            assert int(parent["startTimeUnixNano"]) <= begin
            assert end <= int(parent["endTimeUnixNano"])
    assert sum("parentSpanId" not in span for span in spans) == 1
    assert any(span["links"] for span in spans)


@pytest.mark.parametrize("version", list(TABLES))
def test_otlp_when_a_table_is_chosen_then_only_its_names_and_ours_are_used(
    workspace: Workspace, version: str
) -> None:
    names = TABLES[version]
    allowed = {getattr(names, field) for field in names.__dataclass_fields__}
    data = export_otlp(workspace, [make_run(workspace)], content=True, names=version)
    seen: dict[str, set[str]] = {}
    for span in spans_of(data):
        found = values(span)
        for key in found:
            assert key in allowed or key.startswith(OWN), key
        for event in span["events"]:
            assert event["name"] in EVENT_NAMES | {names.content_event}
            assert all(key in allowed or key.startswith(OWN) for key in values(event))
        operation = found.get(names.operation)
        seen.setdefault(str(operation), set()).add(span["name"].split()[0])
        if operation == names.chat_op:
            assert span["kind"] == 3
            assert {names.provider, names.request_model, names.input_tokens} <= found.keys()
        elif operation == names.tool_op:
            assert span["kind"] == 1
            assert found[names.tool_name] in span["name"]
            assert {names.tool_type, names.tool_call_id} <= found.keys()
            assert (names.error_type in found) == (span["status"]["code"] == 2)
    assert {names.run_op, names.plan_op, names.chat_op, names.tool_op} <= seen.keys()
    for operation, heads in seen.items():
        assert operation == "None" or operation in heads
    resource = values(data["resourceSpans"][0]["resource"])
    assert resource["service.name"] == "toolplanner"
    assert resource[f"{OWN}names"] == version


def test_otlp_when_content_is_off_then_nothing_that_anybody_said_is_in_it(
    workspace: Workspace,
) -> None:
    run = make_run(workspace)
    text = json.dumps(export_otlp(workspace, [run]))
    for words in PRIVATE:
        assert words not in text
    assert "server_error" in text
    assert "execute_tool kit1" in text
    full = json.dumps(export_otlp(workspace, [run], content=True), ensure_ascii=False)
    for words in PRIVATE:
        assert words in full


def test_otlp_when_content_is_on_then_it_is_structured_json_in_one_place_each(
    workspace: Workspace,
) -> None:
    names = TABLES[DEFAULT_VERSION]
    spans = spans_of(export_otlp(workspace, [make_run(workspace)], content=True))
    chats = [s for s in spans if values(s).get(names.operation) == names.chat_op]
    for span in chats:
        asked, answered = [values(e) for e in span["events"] if e["name"] == names.content_event]
        (first, *_) = json.loads(asked[names.input_messages])
        assert first["parts"][0]["type"] == "text"
        (reply,) = json.loads(answered[names.output_messages])
        assert reply["role"] == "assistant"
    tools = [values(s) for s in spans if values(s).get(names.operation) == names.tool_op]
    assert {json.loads(t[names.tool_arguments])["q"] for t in tools} == {"argument needle"}
    assert any("result haystack" in t[names.tool_result] for t in tools)


def test_otlp_when_models_talked_then_calls_and_results_are_parts_of_messages(
    workspace: Workspace,
) -> None:
    async def work(run: RunScope) -> str:
        talk = run.dialogue("Be short.", [Function("look", "", {"type": "object"})])
        turn = await talk.reply()
        talk.result(turn.calls[0], "shelf 7")
        return (await talk.reply()).text

    model = Talker(turns=[("", ("look", '{"q": "a"}')), "There."])
    names = TABLES[DEFAULT_VERSION]
    done = do(workspace, work, model)
    said = [
        values(event)
        for span in spans_of(export_otlp(workspace, [done.run], content=True))
        for event in span["events"]
        if event["name"] == names.content_event
    ]
    first, replied, second, last = said
    assert json.loads(first[names.tool_definitions]) == [{"type": "function", "name": "look"}]
    call = {"type": "tool_call", "id": "call00001", "name": "look", "arguments": {"q": "a"}}
    assert json.loads(replied[names.output_messages]) == [
        {"role": "assistant", "parts": [call], "finish_reason": "tool_call"}
    ]
    response = {"type": "tool_call_response", "id": "call00001", "response": "shelf 7"}
    assert json.loads(second[names.input_messages])[1:] == [
        {"role": "assistant", "parts": [call]},
        {"role": "tool", "parts": [response]},
    ]
    assert json.loads(last[names.output_messages])[0]["finish_reason"] == "stop"


def test_otlp_when_exported_again_or_from_a_copy_then_ids_are_the_same(
    workspace: Workspace, tmp_path: Path
) -> None:
    run, other = make_run(workspace), make_run(workspace)
    assert export_otlp(workspace, [run]) == export_otlp(workspace, [run])
    ids = {span["traceId"] for span in spans_of(export_otlp(workspace, [run, other]))}
    assert len(ids) == 2
    file = tmp_path / "run.jsonl"
    file.write_text("".join(export_jsonl(workspace, [run])), encoding="utf-8")
    with Workspace.create(tmp_path / "copy.toolplanner") as copy:
        record_run(copy)
        (copied,) = import_runs(copy, file).runs
        assert export_otlp(copy, [copied]) == export_otlp(workspace, [run])


def test_otlp_when_the_table_is_unknown_then_names_the_known_ones(workspace: Workspace) -> None:
    with pytest.raises(BadInput, match=DEFAULT_VERSION):
        export_otlp(workspace, [], names="0.1")


def test_command_when_otlp_is_written_then_content_needs_its_option(tmp_path: Path) -> None:
    path = tmp_path / "w.toolplanner"
    with Workspace.create(path) as workspace:
        make_run(workspace)
    plain = toolplanner("runs", "export", path, 1, "--format", "otlp")
    assert spans_of(plain.data)
    assert "needle" not in plain.out
    assert "needle" in toolplanner("runs", "export", path, 1, "--format", "otlp", "--content").out
