"""APIs as functions: names that fit, are unique, and lead back."""

import json
import re

from fixtures.chat_rules import check_request
from fixtures.scripted_run import make_api
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.functions import (
    GIVE_ANSWER,
    GIVE_UP,
    Finished,
    Functions,
    InvalidCall,
    Unfinished,
    WantedCall,
    read_finish,
)
from toolplanner_core.prompts.probing import Protocols

NAMES = st.text(max_size=90)
SCHEMA = {"type": "object", "properties": {"q": {"type": "number", "default": 3}}}


def api(number: int, tool: str, name: str, parameter: str = "q") -> Api:
    made = make_api(f"x{number}", parameters={
        "type": "object", "properties": {parameter: {"type": "number", "default": 3}},
        "required": [parameter],
    })  # fmt: skip
    object.__setattr__(made, "tool", tool)
    object.__setattr__(made, "name", name)
    return made


@given(st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=12))
def test_functions_when_made_of_any_names_then_accepted_and_lead_back(
    given_names: list[tuple[str, str, str]],
) -> None:
    apis = [api(i, *names) for i, names in enumerate(given_names)]
    offered = Functions.of(apis, [GIVE_ANSWER, GIVE_UP])
    tools = [{"type": "function", "function": f.to_json()} for f in offered.functions]
    check_request({"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": tools})
    for made, (_, _, parameter), function in zip(
        apis, given_names, offered.functions, strict=False
    ):
        name, schema = function.name, function.parameters
        assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name)
        (shown,) = schema["properties"]
        assert schema["required"] == [shown]
        back = offered.read(FunctionCall("1", name, json.dumps({shown: 7})))
        assert back == WantedCall(api=made, arguments={parameter: 7})


def test_functions_when_names_are_long_or_alike_then_kept_apart_by_a_hash() -> None:
    long = "get_the_current_weather_of_a_place_by_its_name_and_country_code_" * 2
    offered = Functions.of([api(1, "A", long), api(2, "A", f"{long}2"), api(3, "B", "x"),
                            api(4, "B!", "x")])  # fmt: skip
    names = [f.name for f in offered.functions]
    assert len(set(names)) == 4
    assert all(name.startswith("get_the_current_weather") for name in names[:2])
    assert names[2] == "x_for_B"


def test_functions_when_toolkits_or_long_texts_then_accepted_too() -> None:
    kits = [
        Toolkit(id=ToolkitId(i), name=name, description=name * 300, size=1)
        for i, name in enumerate(("Weather forecasts", "Weather forecasts", "x_for_A", "!"))
    ]
    one = api(1, "A", "x")
    object.__setattr__(one, "description", "many words " * 300)
    offered = Functions.of([one], [GIVE_ANSWER], toolkits=kits)
    tools = [{"type": "function", "function": f.to_json()} for f in offered.functions]
    check_request({"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": tools})
    assert list(offered.kits.values()) == kits
    assert [name[:17] for name in offered.kits] == [
        "Weather_forecasts", "Weather_forecasts", next(n for n in offered.kits if "x_" in n)[:17],
        "function",
    ]  # fmt: skip
    misnamed = offered.read(FunctionCall("1", "fly", "{}"))
    assert isinstance(misnamed, InvalidCall)
    assert "Weather_forecasts" in misnamed.what


def test_parameters_when_optional_then_offered_with_defaults_in_words() -> None:
    made = make_api("a_b", parameters=SCHEMA)
    schema = Functions.of([made]).functions[0].parameters
    assert schema["properties"]["q"] == {
        "type": "number",
        "default": 3,
        "description": "Default: 3.",
    }
    assert schema["required"] == []


def test_call_when_made_up_or_broken_then_says_what_is_wrong() -> None:
    made = make_api("a_b")
    offered = Functions.of([made])
    unknown = offered.read(FunctionCall("1", "fly", "{}"))
    assert isinstance(unknown, InvalidCall)
    assert unknown.is_unknown
    assert "a_b_for_a" in unknown.what
    broken = offered.read(FunctionCall("1", "a_b_for_a", "{"))
    assert isinstance(broken, InvalidCall)
    assert not broken.is_unknown
    missing = offered.read(FunctionCall("1", "a_b_for_a", '{"q": null}'))
    assert missing == WantedCall(api=made, arguments={})


def test_finish_when_malformed_then_says_what_is_missing() -> None:
    assert read_finish(FunctionCall("1", "give_answer", '{"final_answer": " 7 "}')) == Finished(
        how="answer", text="7"
    )
    assert read_finish(
        FunctionCall("1", "give_up", '{"reason": "no", "failed_functions": ["a", 1]}')
    ) == Finished(how="give_up", text="no", failed=("a", "1"))
    for text in ("{}", "[", '{"final_answer": ""}', '{"final_answer": 7}'):
        assert isinstance(read_finish(FunctionCall("1", "give_answer", text)), Unfinished)


def test_protocol_when_a_parameter_is_a_word_of_python_then_its_other_name_is_told() -> None:
    """Whoever revises a program reads both, and must not call it by the wrong one."""
    schema = {"type": "object", "properties": {"from": {"type": "string"}}}
    [protocol] = Protocols([make_api("rates", parameters=schema)]).by_name.values()
    assert f"def {protocol.name}(_from=None):" in protocol.text()
    assert "In a program from is called _from." in protocol.whole
    [plain] = Protocols([make_api("rates")]).by_name.values()
    assert "In a program" not in plain.whole
