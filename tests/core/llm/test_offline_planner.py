"""The offline planner behind the protocol of models."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from fixtures.question_samples import ALL, MAKE_PLAN, NOW, api_card
from jsonschema import Draft202012Validator

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.llm.model import (
    ModelContext,
    ModelError,
    ModelRequest,
    Reply,
    Usage,
    make_model,
)
from toolplanner_core.prompts.analyse import Analyse
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import Question


def ask(question: Question[Any]) -> Reply:
    """The reply of the registered model."""

    async def main() -> Reply:
        model = make_model("offline", ModelContext(encode=None))
        assert model.label == "offline planner"
        request = ModelRequest(
            id=question.id,
            question=question,
            messages=tuple(question.messages()),
            schema=question.schema(),
            temperature=0.0,
        )
        try:
            return await model.complete(request)
        finally:
            await model.close()

    return asyncio.run(main())


@pytest.mark.parametrize("question", ALL, ids=lambda question: question.id)
def test_complete_when_asked_then_data_fits_schema_and_parses(question: Question[Any]) -> None:
    reply = ask(question)
    Draft202012Validator(question.schema()).validate(reply.data)
    assert json.loads(reply.text) == reply.data
    assert reply.usage == Usage()
    assert question.parse(reply.data) is not None


def test_complete_when_the_documentation_says_the_scale_then_bare_temperatures_have_it() -> None:
    question = Analyse(
        query="What is the weather in Lyon?",
        goal="weather in Lyon",
        api_title="t",
        api=api_card({}, "Weather of a city: temperatures in Celsius."),
        value={"city": "Lyon", "temp_min": 0.5, "temp_max": 6},
    )
    state = question.parse(ask(question).data).state
    assert state.startswith("Weather in Lyon: temp min 0.5 °C, temp max 6 °C")


def test_complete_when_only_another_day_has_the_word_then_the_result_does_not_serve() -> None:
    days = [{"date": f"2026-11-{day}", "sky": sky} for day, sky in ((22, "snow"), (23, "overcast"))]
    question = Analyse(
        query="Will it snow in Oslo next Monday?",
        goal="Will it snow in Oslo next Monday",
        api_title="Outlook",
        api=api_card({"type": "object", "properties": {"q": {}}}, "Weather of a town."),
        arguments={"q": "Oslo"},
        value={"days": days},
        now=NOW,
    )
    said = question.parse(ask(question).data)
    assert not said.useful
    assert "2026-11-22" not in said.state
    sunday = replace(question, goal="Will it snow in Oslo on Sunday")
    assert question.parse(ask(sunday).data).useful


def test_complete_when_asked_twice_then_the_same() -> None:
    assert ask(MAKE_PLAN) == ask(MAKE_PLAN)


def test_complete_when_question_is_unknown_then_fails_for_good() -> None:
    class Riddle(Question[str]):
        id = "riddle"
        title = "Riddle"

        def messages(self) -> list[Message]:
            return []

        def schema(self) -> JsonSchema:
            return {"type": "object"}

        def parse(self, data: Any) -> str:
            return str(data)

    with pytest.raises(ModelError) as caught:
        ask(Riddle())
    assert not caught.value.is_transient
