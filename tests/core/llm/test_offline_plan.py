"""How the offline planner makes and revises plans."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fixtures.question_samples import failure, result
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.llm.offline.planning import make_plan, revise_plan
from toolplanner_core.llm.offline.similarity import Similarity
from toolplanner_core.prompts.make_plan import MakePlan, Replan
from toolplanner_core.prompts.render import ToolkitCard

_NAMES = [
    ("Geocoding", "Turn the name or address of a place into coordinates."),
    (
        "Weather forecasts",
        "Forecast of temperature, rain and wind for a town, for the coming days.",
    ),
    ("Air quality", "Air pollution at coordinates: air quality index, fine dust and ozone."),
    ("Time zones", "The current local time of a city."),
    ("Currency exchange", "Convert an amount from one currency to another."),
    ("Beaches", "Beaches near a city, water temperature, waves."),
    ("Crime statistics", "Official crime statistics of a city."),
    ("Neighbourhood safety", "How safe a town is to live in, with crime figures as a score."),
    ("Unit conversion", "Convert a value from one unit of measure to another."),
    ("Carrier detection", "Which parcel carrier a tracking number belongs to."),
    ("Parcel tracking", "Where a parcel is now, by tracking number and carrier."),
    ("Stock quotes", "Latest price of a share."),
    ("Country facts", "Capital, currency, languages and population of a country."),
    ("Reverse geocoding", "Which town lies at given coordinates."),
]
CARDS = tuple(
    ToolkitCard(id=ToolkitId(index), name=name, description=description)
    for index, (name, description) in enumerate(_NAMES, 1)
)
WORDS = Similarity(None)


def card(name: str) -> ToolkitCard:
    """The card of this name."""
    return next(found for found in CARDS if found.name == name)


def plan(query: str, *, max_steps: int = 8, cards: tuple[ToolkitCard, ...] = CARDS) -> Plan:
    """The planner's parsed plan."""
    question = MakePlan(query=query, toolkits=cards, max_steps=max_steps)
    made = question.parse(make_plan(question, WORDS))
    assert isinstance(made, Plan)
    return made


def outline(made: Plan) -> list[tuple[str, tuple[int, ...]]]:
    """Toolkit names and needs."""
    return [(CARDS[(step.toolkit or 0) - 1].name, step.needs) for step in made.steps]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Will it rain in Lyon tomorrow?", [("Weather forecasts", ())]),
        ("Convert 26.2 miles to kilometres", [("Unit conversion", ())]),
        ("How much is 250 EUR in USD?", [("Currency exchange", ())]),
        (
            "What is the weather in Lyon and what time is it there?",
            [("Weather forecasts", ()), ("Time zones", ())],
        ),
        (
            "Find the nearest beach to Barcelona, then check the weather there",
            [("Beaches", ()), ("Weather forecasts", (1,))],
        ),
        (
            "What is the capital of Japan and what is the weather there?",
            [("Country facts", ()), ("Weather forecasts", (1,))],
        ),
        (
            "Which carrier does the tracking number 1Z999AA10123456784 belong to, "
            "and where is that parcel now?",
            [("Carrier detection", ()), ("Parcel tracking", (1,))],
        ),
        ("How is the air quality in Lyon?", [("Geocoding", ()), ("Air quality", (1,))]),
        ("How is the air quality at 45.76, 4.84?", [("Air quality", ())]),
        (
            "Find the coordinates of Lyon and tell me the air quality there",
            [("Geocoding", ()), ("Air quality", (1,))],
        ),
        (
            "Weather in Paris and Rome",
            [("Weather forecasts", ()), ("Weather forecasts", ())],
        ),
        (
            "What's the capital of France and its population?",
            [("Country facts", ()), ("Country facts", (1,))],
        ),
    ],
)
def test_plan_when_query_is_natural_then_toolkits_and_needs(
    query: str, expected: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert outline(plan(query)) == expected


def test_plan_when_two_needs_are_one_call_then_one_step() -> None:
    made = plan("Tell me the temperature and the wind in Lyon")
    assert outline(made) == [("Weather forecasts", ())]


def test_plan_when_more_needs_than_steps_then_cut() -> None:
    made = plan("weather in Paris, Rome and Oslo", max_steps=2)
    assert [step.goal for step in made.steps] == ["weather in Paris", "weather in Rome"]


def test_plan_when_no_toolkit_is_offered_then_empty() -> None:
    assert plan("weather in Lyon", cards=()).steps == ()


def test_plan_when_embedder_knows_better_then_it_decides() -> None:
    def encode(texts: list[str]) -> Any:
        axis = [0 if "bathing" in text or "Beaches" in text else 1 for text in texts]
        return np.eye(2, dtype=np.float32)[axis]

    question = MakePlan(query="somewhere for bathing near Nice", toolkits=CARDS)
    made = question.parse(make_plan(question, Similarity(encode)))
    assert outline(made)[0][0] == "Beaches"


def _replan(
    steps: tuple[Step, ...], failed: int, done: tuple[int, ...], without: str, **changes: Any
) -> Plan:
    gone = card(without)
    question = Replan(
        query="q",
        plan=Plan(steps=steps),
        failed_step=failed,
        finished=tuple(result(step=number) for number in done),
        failures=(replace(failure(step=failed), toolkit=gone.id, goal=steps[failed - 1].goal),),
        toolkits=changes.get("offered", tuple(c for c in CARDS if c.id != gone.id)),
        exhausted=(gone,),
    )
    return question.parse(revise_plan(question, WORDS))


GEO = Step(number=1, goal="Find the coordinates of Springfield", toolkit=card("Geocoding").id)
CRIME = Step(
    number=2,
    goal="the crime statistics of that city",
    toolkit=card("Crime statistics").id,
    needs=(1,),
)
MONEY = Step(number=3, goal="convert 5 EUR to USD", toolkit=card("Currency exchange").id)


def test_replan_when_toolkit_is_exhausted_then_next_best_and_prefix_unchanged() -> None:
    made = _replan((GEO, CRIME, MONEY), 2, (1,), "Crime statistics")
    assert made.steps[0] == GEO
    assert outline(made)[1:] == [("Neighbourhood safety", (1,)), ("Currency exchange", ())]
    assert made.steps[1].goal == CRIME.goal


def test_replan_when_later_step_is_finished_then_it_comes_before_the_new_one() -> None:
    made = _replan((GEO, CRIME, MONEY), 2, (1, 3), "Crime statistics")
    assert [step.goal for step in made.steps] == [GEO.goal, MONEY.goal, CRIME.goal]
    assert made.steps[2].needs == (1,)


def test_replan_when_nothing_can_do_it_then_only_the_finished_prefix() -> None:
    made = _replan((GEO, CRIME), 2, (1,), "Crime statistics", offered=(card("Stock quotes"),))
    assert made.steps == (GEO,)


def test_replan_when_source_is_lost_then_what_refers_to_it_is_dropped() -> None:
    made = _replan((GEO, CRIME, MONEY), 1, (), "Geocoding", offered=(card("Currency exchange"),))
    assert [step.goal for step in made.steps] == [MONEY.goal]


def test_replan_when_source_is_lost_but_goal_names_the_place_then_kept() -> None:
    air = Step(number=2, goal="air quality in Lyon", toolkit=card("Air quality").id, needs=(1,))
    offered = (card("Air quality"), card("Currency exchange"))
    made = _replan((GEO, air), 1, (), "Geocoding", offered=offered)
    assert [(step.goal, step.needs) for step in made.steps] == [("air quality in Lyon", ())]


_TEXTS = st.text(max_size=30) | st.sampled_from([name for pair in _NAMES for name in pair])
_GOALS = _TEXTS.filter(lambda text: bool(text.strip()))


@settings(max_examples=200, deadline=None)
@given(
    query=st.text(max_size=80) | st.sampled_from(["weather in Lyon and time there", "air in Oslo"]),
    texts=st.lists(st.tuples(_TEXTS, _TEXTS), max_size=5),
    max_steps=st.integers(1, 4),
)
def test_plan_when_query_and_toolkits_are_anything_then_answer_parses(
    query: str, texts: list[tuple[str, str]], max_steps: int
) -> None:
    cards = tuple(
        ToolkitCard(id=ToolkitId(index), name=name, description=description)
        for index, (name, description) in enumerate(texts)
    )
    made = plan(query, cards=cards, max_steps=max_steps)
    assert len(made.steps) <= max_steps


@settings(max_examples=200, deadline=None)
@given(
    goals=st.lists(_GOALS, min_size=1, max_size=5),
    done=st.sets(st.integers(1, 5)),
    failed=st.integers(1, 5),
    offered=st.sets(st.integers(1, 14)),
)
def test_replan_when_state_is_anything_then_finished_steps_stay(
    goals: list[str], done: set[int], failed: int, offered: set[int]
) -> None:
    steps = tuple(
        Step(number=n, goal=goal, toolkit=ToolkitId(n), needs=(n - 1,) if n % 2 == 0 else ())
        for n, goal in enumerate(goals, 1)
    )
    # A finished step's needs are finished.
    done = {n for n in done if n <= len(goals) and n != failed and (n % 2 or n - 1 in done)}
    question = Replan(
        query="q",
        plan=Plan(steps=steps),
        failed_step=failed,
        finished=tuple(result(step=number) for number in sorted(done)),
        failures=(),
        toolkits=tuple(found for found in CARDS if found.id in offered and found.id != failed),
        exhausted=(),
    )
    made = question.parse(revise_plan(question, WORDS))
    kept = [(step.goal.strip(), step.toolkit) for step in steps if step.number in done]
    assert [(step.goal, step.toolkit) for step in made.steps][: len(kept)] == kept


def test_plan_when_a_second_question_has_no_words_of_its_own_then_unmet_and_not_dropped() -> None:
    made = plan("What is the capital of France and how big is it?")
    assert outline(made) == [("Country facts", ())]
    assert made.unmet == ("how big is it",)
