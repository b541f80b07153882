"""Function calls as endpoints really send them: numbered, named and encoded in any way, in pieces,
or written into the text; what was mended is noted."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from fixtures.openai_turns import (
    ASK,
    LIST,
    LOOK,
    call_event,
    delta_event,
    final_event,
    take_turn,
    take_turns,
)
from fixtures.scripted_endpoint import RawPieces, Says, Turn, scripted_endpoint

from toolplanner_core.llm.capabilities import known_calls
from toolplanner_core.llm.model import ModelError, Reply
from toolplanner_core.llm.openai_replies import ReplyReader
from toolplanner_core.llm.text_calls import calls_in_text
from toolplanner_core.prompts.conversation import Message

TOOLS = (LOOK, LIST)
OSLO, ROME = '{"q": "Oslo"}', '{"q": "Rome"}'
A, B = '{"q": ', '"Oslo"}'
END = final_event("tool_calls")


def piece(name: Any = None, arguments: Any = None, index: Any = 0, call_id: Any = "") -> Any:
    """A piece of a call; an index or id of "" is left out."""
    found: dict[str, Any] = {"function": {"name": name, "arguments": arguments}}
    return found | {key: value for key, value in (("index", index), ("id", call_id)) if value != ""}


ONE = [("look_up", OSLO)]
TWO = [("look_up", OSLO), ("look_up", ROME)]
OTHER = [("look_up", OSLO), ("list_all", "{}")]
PIECES: dict[str, tuple[Sequence[Any], list[tuple[str, str]]]] = {
    "as it should be": ([piece("look_up", "", 0, "a"), piece(None, A), piece(None, B)], ONE),
    "two that take turns": ([piece("look_up", "", 0, "a"), piece("look_up", "", 1, "b"),
                             piece(None, OSLO, 0), piece(None, ROME, 1)], TWO),
    "Gemini: all index 0, no ids": ([piece("look_up", OSLO), piece("list_all", "{}")], OTHER),
    "the same function twice": ([piece("look_up", OSLO), piece("look_up", ROME)], TWO),
    "the same, in pieces": ([piece("look_up", A), piece(None, B), piece("look_up", ROME)], TWO),
    "the same, names first": ([piece("look_up", ""), piece(None, OSLO), piece("look_up", ""),
                               piece(None, ROME)], TWO),
    "another behind one without arguments": (
        [piece("list_all", ""), piece("look_up", OSLO)], [("list_all", ""), ("look_up", OSLO)]),
    "no index": ([piece("look_up", "", "", "a"), piece(None, A, ""), piece(None, B, ""),
                  piece("look_up", ROME, "", "b")], TWO),
    "index as text": ([piece("look_up", OSLO, "0", "a"), piece("look_up", ROME, "1", "b")], TWO),
    "an index for each piece": (
        [piece("look_up", "", 0, "a"), piece(None, A, 1), piece(None, B, 2)], ONE),
    "ids of null and nothing": ([piece("look_up", A, 0, None), piece(None, B, 0, "")], ONE),
    "one id for two": ([piece("look_up", OSLO, 0, "a"), piece("look_up", ROME, 1, "a")], TWO),
    "one id and index for two": (
        [piece("look_up", OSLO, 0, "a"), piece("list_all", "{}", 0, "a")], OTHER),
    "an id that changes": (
        [piece("look_up", "", 0, "a"), piece(None, A, 0, "b"), piece(None, B, 0, "c")], ONE),
    "an id that changes, name resent": (
        [piece("look_up", "", 0, "a"), piece("look_up", A, 0, "b"), piece("look_up", B, 0, "c")],
        ONE),
    "ids tell two apart": ([piece("look_up", OSLO, 0, "a"), piece("look_up", OSLO, 0, "b")],
                           [("look_up", OSLO)] * 2),
    "the name with each piece": (
        [piece("look_up", "", 0, "a"), piece("look_up", A), piece("look_up", B), piece("look_up")],
        ONE),
    "the name with each piece, no ids": (
        [piece("look_up", ""), piece("look_up", A), piece("look_up", B)], ONE),
    "the name in pieces": ([piece("look", None, 0, "a"), piece("_up"), piece(None, OSLO)], ONE),
    "a name that grows": ([piece("look", None, 0, "a"), piece("look_up"), piece(None, OSLO)], ONE),
    "a prefix as a piece": ([piece("functions.", None, 0, "a"), piece("look_up", OSLO)], ONE),
    "the prefix functions.": ([piece("functions.look_up", OSLO, 0, "a")], ONE),
    "the prefix tools.": ([piece("tools.look_up", OSLO, 0, "a")], ONE),
    "a number behind the name": ([piece("functions.look_up:0", OSLO, 0, "a")], ONE),
    "a namespace and another case": ([piece("default_api.lookUp", OSLO, 0, "a")], ONE),
    "all arguments with each piece": (
        [piece("look_up", "", 0, "a"), *(piece(None, each) for each in (A, OSLO[:9], OSLO))], ONE),
    "a call in the arguments": (
        [piece("look_up", {"name": "look_up", "arguments": {"q": "Oslo"}}, 0, "a")], ONE),
    "a namespace": ([piece("default_api:look_up", OSLO, 0, "a")], ONE),
    "a token behind the name": ([piece("look_up<|channel|>commentary", OSLO, 0, "a")], ONE),
    "brackets behind the name": ([piece("look_up()", OSLO, 0, "a")], ONE),
    "another case": ([piece("LookUp", OSLO, 0, "a")], ONE),
    "arguments as an object": ([piece("look_up", {"q": "Oslo"}, 0, "a")], ONE),
    "encoded twice": ([piece("look_up", json.dumps(OSLO), 0, "a")], ONE),
    "encoded three times": ([piece("look_up", json.dumps(json.dumps(OSLO)), 0, "a")], ONE),
    "in a fence": ([piece("look_up", f"```json\n{OSLO}\n```", 0, "a")], ONE),
    "in a fence, in pieces": ([piece("look_up", f"```\n{A}", 0, "a"), piece(None, f"{B}```")], ONE),
    "as Python writes it": ([piece("look_up", "{'q': 'Oslo'}", 0, "a")], ONE),
    "a bracket too many": ([piece("look_up", OSLO + "}", 0, "a")], ONE),
    "a tag behind": ([piece("look_up", f"{OSLO}</tool_call>", 0, "a")], ONE),
    "in a list": ([piece("look_up", f"[{OSLO}]", 0, "a")], ONE),
    "null": ([piece("list_all", "null", 0, "a")], [("list_all", "{}")]),
    "no arguments": ([piece("list_all", None, 0, "a")], [("list_all", "")]),
    "an empty list": ([piece("list_all", "[]", 0, "a")], [("list_all", "{}")]),
    "{}{}": ([piece("list_all", "{}{}", 0, "a")], [("list_all", "{}")]),
    "{} before the real ones": ([piece("look_up", "{}", 0, "a"), piece(None, OSLO)], ONE),
    "the same arguments twice": ([piece("look_up", OSLO + OSLO, 0, "a")], ONE),
    "two objects glued": ([piece("look_up", OSLO + ROME, 0, "a")], TWO),
    "several at once": (
        [piece("multi_tool_use.parallel", {"tool_uses": [
            {"recipient_name": "functions.look_up", "parameters": {"q": "Oslo"}},
            {"recipient_name": "functions.list_all", "parameters": {}}]}, 0, "a")], OTHER),
    "what nobody can read": ([piece("look_up", A, 0, "a")], [("look_up", A)]),
    "no function of that name": ([piece("fly", OSLO, 0, "a")], [("fly", OSLO)]),
}  # fmt: skip


def calls_of(reply: Any) -> list[tuple[str, str]]:
    assert isinstance(reply, Reply), reply
    return [(call.name, call.arguments) for call in reply.calls]


@pytest.fixture(scope="module")
def replies() -> dict[str, Any]:
    lines = {
        name: RawPieces([*map(call_event, pieces), END]) for name, (pieces, _) in PIECES.items()
    }
    return take_turns(lines, tools=TOOLS)


@pytest.mark.parametrize("name", PIECES)
def test_calls_when_they_come_in_pieces_of_any_kind_then_as_they_were_meant(
    name: str, replies: dict[str, Any]
) -> None:
    assert calls_of(replies[name]) == PIECES[name][1]


def test_mending_when_done_then_noted(replies: dict[str, Any]) -> None:
    assert "remarks" not in replies["as it should be"].raw
    assert "remarks" not in replies["the name with each piece"].raw
    for name, remark in (
        ("encoded twice", "The arguments of look_up were mended"),
        ("the prefix functions.", "The name 'functions.look_up' was read as 'look_up'"),
    ):
        assert replies[name].raw["remarks"] == [remark]


@pytest.mark.parametrize("kind", ["tool_use", "tool_call", "function_call"])
def test_calls_when_they_stand_in_the_content_then_read(kind: str) -> None:
    call = {"type": kind, "id": "a", "name": "look_up", "input": {"q": "Oslo"}}
    said = [{"type": "text", "text": "I look."}, call]
    found = take_turns({"it": RawPieces([delta_event({"content": said}), END])}, tools=TOOLS)["it"]
    assert calls_of(found) == ONE
    assert isinstance(found, Reply) and found.text == "I look."


def test_calls_when_in_one_event_or_an_old_form_then_read() -> None:
    several = call_event(piece("look_up", OSLO, ""), piece("look_up", ROME, ""))
    alike = call_event(piece("look_up", OSLO), piece("look_up", ROME))
    old = [delta_event({"function_call": {"name": "look_up", "arguments": A}}),
           delta_event({"function_call": {"arguments": B}})]  # fmt: skip
    for pieces, wanted in (([several], TWO), ([alike], TWO), (old, ONE)):
        reader = ReplyReader(["look_up"])
        heard = [chunk for each in [*pieces, END] for chunk in reader.feed(each)]
        assert not list(reader.close())
        assert [(call.name, call.arguments) for call in reader.whole().calls] == wanted
        assert len(heard) == 2, "a listener hears each piece"


def test_calls_when_the_stream_breaks_off_then_those_that_came_whole_count() -> None:
    first, second = (
        call_event(piece("look_up", OSLO, 0, "a")),
        call_event(piece("look_up", A, 1, "b")),
    )
    lines = {
        "in the second": RawPieces([first, second]),
        "in an event": RawPieces([first, second[:-9]]),
        "after the first": RawPieces([first]),
        "reset": RawPieces([first, second], is_reset=True),
        "in the first": RawPieces([second]),
        "before arguments": RawPieces([call_event(piece("list_all", "", 0, "a"))]),
    }  # fmt: skip
    found = take_turns(lines, tools=TOOLS)
    for name in list(lines)[:4]:
        assert calls_of(found[name]) == ONE, name
        assert "without a word" in found[name].raw["remarks"][0]  # pyright: ignore[reportAttributeAccessIssue]
    for name in list(lines)[4:]:
        failure = found[name]
        assert isinstance(failure, ModelError) and failure.is_transient, name
        assert "broke off" in failure.message


NAMED = f'{{"name": "look_up", "arguments": {OSLO}}}'
WRITTEN = {
    "tool_call tags": f"<tool_call>\n{NAMED}\n</tool_call>",
    "no closing tag": f"<tool_call>{NAMED}",
    "encoded in tags": f"<tool_call>{NAMED.replace(OSLO, json.dumps(OSLO))}</tool_call>",
    "a list in tags": f"<tool_call>[{NAMED}]</tool_call>",
    "function_call tags": f"<function_call>{NAMED}</function_call>",
    "Llama": f"<function=look_up>{OSLO}</function>",
    "Qwen3-Coder": "<tool_call>\n<function=look_up>\n<parameter=q>\nOslo\n</parameter>\n"
    "</function>\n</tool_call>",
    "GLM": "<tool_call>look_up\n<arg_key>q</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
    "MiniMax": '<minimax:tool_call>\n<invoke name="look_up">\n<parameter name="q">Oslo'
    "</parameter>\n</invoke>\n</minimax:tool_call>",
    "DeepSeek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>look_up\n"
    f"```json\n{OSLO}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "Kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.look_up:0"
    f"<|tool_call_argument_begin|>{OSLO}<|tool_call_end|><|tool_calls_section_end|>",
    "Mistral": f"[TOOL_CALLS] [{NAMED}]",
    "Mistral, new": f"[TOOL_CALLS]look_up[ARGS]{OSLO}",
    "python_tag": f'<|python_tag|>{{"name": "look_up", "parameters": {OSLO}}}',
    "a fence": f"```json\n{NAMED}\n```",
    "Granite": f"<|tool_call|>[{NAMED}]",
    "Phi-4": f'<|tool_call|>[{{"type": "function", "function": {NAMED}}}]<|/tool_call|>',
    "DeepSeek-V3.2": '<｜DSML｜function_calls>\n<｜DSML｜invoke name="look_up">\n'
    '<｜DSML｜parameter name="q" string="true">Oslo</｜DSML｜parameter>\n</｜DSML｜invoke>\n'
    "</｜DSML｜function_calls>",
    "gpt-oss": "<|channel|>commentary to=functions.look_up <|constrain|>json<|message|>"
    f"{OSLO}<|call|>",
    "gpt-oss, the function first": "<|start|>assistant to=functions.look_up<|channel|>commentary"
    f"<|message|>{OSLO}",
    "Llama 4": "[look_up(q='Oslo')]",
    "LFM2": '<|tool_call_start|>[look_up(q="Oslo")]<|tool_call_end|>',
    "Gemma": '```tool_code\nprint(default_api.look_up(q="Oslo"))\n```',
    "JSON": f'{{"name": "functions.look_up", "parameters": {OSLO}}}',
    "the form of the protocol": f'{{"tool_calls": [{{"function": {NAMED}}}]}}',
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_text_when_it_is_a_call_in_any_form_then_found(name: str) -> None:
    found = calls_in_text(WRITTEN[name], TOOLS)
    assert found is not None
    assert [(call.name, json.loads(call.arguments)) for call in found.calls] == [
        ("look_up", {"q": "Oslo"})
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Lyon",
        '{"q": 1}',
        "```json\n[1]\n```",
        f"So it is written: {WRITTEN['tool_call tags']} and then it is called.",
        f"An example:\n{WRITTEN['a fence']}",
        '<tool_call>{"name": "fly", "arguments": {}}</tool_call>',
        "<tool_call>nothing</tool_call>",
        "look_up('Oslo')",
        "fly(q='Oslo')",
        "[look_up(q=Oslo)]",
        "It calls look_up(q='Oslo')",
        "```python\nx = look_up(q='Oslo')\n```",
        "look_up(" * 3_000,
        "<tool_call>" * 2_000,
        "[" * 5_000 + "]" * 5_000,
    ],
)
def test_text_when_it_speaks_of_calls_then_only_a_text(text: str) -> None:
    assert calls_in_text(text, TOOLS) is None


def test_written_calls_when_an_endpoint_shows_that_it_writes_so_then_read_and_remembered() -> None:
    text = f"I look.\n{WRITTEN['tool_call tags']}"
    with scripted_endpoint(
        Says(text), Says("Lyon"), Turn("", [("look_up", {})]), Says(text)
    ) as made:
        first, other, third, again = (take_turn(made, tools=TOOLS) for _ in range(4))
        assert known_calls(made.url, "scripted") == {"functions", "tool_call tags"}
    assert (first.text, calls_of(first), calls_of(again)) == ("I look.", ONE, ONE)
    assert (other.text, other.calls, len(third.calls)) == ("Lyon", (), 1)
    assert first.raw["remarks"] == ["The endpoint wrote its calls into the text (tool_call tags)"]


def test_written_calls_when_an_endpoint_calls_functions_or_quotes_then_a_text() -> None:
    text = WRITTEN["tool_call tags"]
    with scripted_endpoint(Turn("", [("look_up", {})]), Says(text)) as endpoint:
        take_turn(endpoint, tools=TOOLS)
        assert take_turn(endpoint, tools=TOOLS).text == text
    quoted = (*ASK, Message("user", f"A page said: {text}"))
    with scripted_endpoint(Says(text), Says(text), Says(text)) as endpoint:
        assert not take_turn(endpoint, tools=TOOLS, messages=quoted).calls
        assert not take_turn(endpoint, tools=TOOLS, choice="none").calls
        assert not take_turn(endpoint).calls


def test_reply_when_its_end_says_that_it_is_none_then_said_at_once() -> None:
    lines = {
        "calls": RawPieces([delta_event({"content": "I look."}), END]),
        "old calls": RawPieces([final_event("function_call")]),
        "filter": RawPieces([delta_event({"content": "I lo"}), final_event("content_filter")]),
        "error": RawPieces([delta_event({"content": "I lo"}), final_event("error")]),
    }
    found = take_turns(lines, tools=TOOLS)
    said = {name: error for name, error in found.items() if isinstance(error, ModelError)}
    assert {name: (error.is_transient, error.tries) for name, error in said.items()} == {
        "calls": (True, 2), "old calls": (True, 2), "filter": (False, 1), "error": (True, None),
    }  # fmt: skip
    assert "sent no call" in said["calls"].message and "parser" in said["calls"].todo
    assert "filter" in said["filter"].message


def test_reply_when_cut_for_its_length_then_asked_once_with_more_room_and_said() -> None:
    cut = [RawPieces([delta_event({"content": "I lo"}), final_event("length")]) for _ in range(2)]
    with scripted_endpoint(*cut) as endpoint:
        with pytest.raises(ModelError, match="cut for its length") as failure:
            take_turn(endpoint, tools=TOOLS)
        assert [request.get("max_tokens") for request in endpoint.requests] == [None, 8192]
    assert not failure.value.is_transient
