"""The texts that models are shown: where they are, how they are filled, what a person may save."""

import re
from pathlib import Path

import pytest

import toolplanner_core
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.prompts.editing import (
    edit_prompt,
    edited_texts,
    prompt_diff,
    prompt_problems,
    reset_prompt,
    workspace_prompt,
    workspace_prompts,
)
from toolplanner_core.prompts.render import chat
from toolplanner_core.prompts.texts import (
    DATA_RULE,
    default_prompt,
    default_prompts,
    hash_of,
    places_of,
    prompt,
    used_prompts,
    with_texts,
)
from toolplanner_core.workspace import Workspace

BETWEEN = {
    *("answer_again", "call_something", "differ", "done_before", "reflections"),
    *("toolnet_act", "toolnet_scores", "toolnet_think"),
    *("wake_category", "wake_meta", "wake_tool"),
}
"""What is said in the course of a conversation, whose first text has the data rule."""
SHORT = "Plan.{{single}}{{search}} At most {{max_steps}}.\n{{data_rule}}"


def test_defaults_when_walked_then_each_is_used_and_none_lacks_the_data_rule() -> None:
    package = Path(toolplanner_core.__file__).parent
    files = [file.read_text("utf-8") for file in (package / "prompts").glob("*.py")]
    asked = {name for text in files for name in re.findall(r"\bprompt\(\s*\"(\w+)\"", text)}
    assert asked == set(default_prompts()) and len(asked) == 57
    for one in default_prompts().values():
        assert one.title and one.text == one.text.strip()
        is_between = one.name in BETWEEN
        assert one.text.count("{{data_rule}}") == (not is_between), one.name


def test_prompt_when_filled_then_no_place_is_left_and_other_texts_take_the_same_values() -> None:
    text = prompt("make_plan", single="", search=" Look first.", max_steps=3)
    assert not places_of(text)
    assert DATA_RULE in text
    messages = chat(text, "a query")
    assert used_prompts(messages) == {"make_plan": hash_of(default_prompt("make_plan").text)}
    changed = with_texts(messages, {"make_plan": SHORT})
    assert changed[0].content == f"Plan. Look first. At most 3.\n{DATA_RULE}"
    assert used_prompts(changed) == {"make_plan": hash_of(SHORT)}
    assert with_texts(changed, {}) == tuple(messages)


def test_prompt_when_unknown_then_said_which_there_are() -> None:
    with pytest.raises(NotFound, match="make_plan"):
        prompt("make_tea")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is empty"),
        ("Plan.{{single}}{{search}}{{max_steps}}", "{{data_rule}} is missing"),
        (f"{SHORT} {{{{max_step}}}}", "{{max_step}} is unknown"),
        (SHORT + "x" * 20_000, "at most 20,000"),
    ],
)
def test_text_when_it_does_not_fit_then_said_and_not_saved(
    workspace: Workspace, text: str, said: str
) -> None:
    assert any(said in one for one in prompt_problems("make_plan", text))
    with pytest.raises(BadInput, match="cannot be saved"):
        edit_prompt(workspace, "make_plan", text)
    assert edited_texts(workspace) == {}


def test_text_when_edited_reset_and_taken_again_then_versions_stay(workspace: Workspace) -> None:
    first = edit_prompt(workspace, "make_plan", SHORT + "\n")
    assert (first.text, first.is_edited) == (SHORT, True)
    second = edit_prompt(workspace, "make_plan", f"Well. {SHORT}")
    assert edited_texts(workspace) == {"make_plan": f"Well. {SHORT}"}
    back = reset_prompt(workspace, "make_plan")
    assert back.text == default_prompt("make_plan").text
    assert [one.text for one in back.versions] == [SHORT, f"Well. {SHORT}"]
    again = edit_prompt(workspace, "make_plan", back.version(first.hash[:6]))
    assert again.hash == first.hash
    assert [one.hash for one in again.versions] == [second.hash, first.hash]
    # The default saved by hand is a reset, not an edit.
    assert not edit_prompt(workspace, "make_plan", back.default).is_edited
    assert not any(one.is_edited for one in workspace_prompts(workspace))
    with pytest.raises(BadInput, match="no version"):
        workspace_prompt(workspace, "make_plan").version("ffff")


def test_difference_when_a_line_changed_then_only_it_is_shown() -> None:
    lines = prompt_diff("one\ntwo\nthree", "one\n2\nthree")
    assert "-two" in lines and "+2" in lines
    assert not prompt_diff("same", "same")
