"""What every kind of model must do, whichever it is; answering is tested beside each."""

import asyncio

import pytest

from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import (
    ModelContext,
    ModelPlugin,
    make_model,
    models,
    parse_model_spec,
)
from toolplanner_core.options.option import describe_options
from toolplanner_core.runs.log.redaction import is_secret_name

every = pytest.mark.parametrize("plugin", list(models), ids=lambda plugin: plugin.id)


@every
def test_model_when_made_then_has_a_label_and_closes_twice(
    plugin: ModelPlugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")

    async def work() -> str:
        model = make_model(f"{plugin.id}:scripted", ModelContext(encode=None))
        await model.close()
        await model.close()
        return model.label

    assert asyncio.run(work())


@every
def test_model_when_an_option_is_unknown_then_refused(plugin: ModelPlugin) -> None:
    with pytest.raises(BadInput, match=f"no option 'mood' of model {plugin.id}"):
        make_model(f"{plugin.id}:scripted?mood=good", ModelContext(encode=None))


@every
def test_model_when_it_has_options_then_none_is_a_secret(plugin: ModelPlugin) -> None:
    named = [option.name for option in describe_options(plugin.options)]
    assert not [name for name in named if is_secret_name(name)]


@pytest.mark.parametrize(
    "text", ["offline", "openai:gpt-x", "openai:meta/llama:free", "acme:one?voice=high+C&n=2"]
)
def test_spec_when_taken_apart_then_is_the_same_again(text: str) -> None:
    assert str(parse_model_spec(text)) == text


def test_spec_when_options_are_added_then_new_ones_win() -> None:
    spec = parse_model_spec("acme:one?voice=low&pitch=3").with_values({"voice": "high", "on": True})
    assert str(spec) == "acme:one?voice=high&pitch=3&on=True"
    assert spec.kind == "acme"
    assert spec.name == "one"
