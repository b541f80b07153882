"""Which needs the offline planner refuses, with the members of toolkits as evidence."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import MemberFit
from toolplanner_core.llm.offline.planning import best_of, make_plan
from toolplanner_core.llm.offline.similarity import NeedFit, Similarity, subject_words
from toolplanner_core.prompts.make_plan import MakePlan
from toolplanner_core.prompts.render import ToolkitCard

CARDS = (
    ToolkitCard(id=ToolkitId(1), name="Weather forecasts", description="Rain and wind of a town."),
    ToolkitCard(id=ToolkitId(2), name="Cocktails", description="Recipes of drinks by ingredient."),
    ToolkitCard(id=ToolkitId(3), name="Currency exchange", description="Convert an amount."),
)


def _plan(query: str, similarity: Similarity) -> Any:
    question = MakePlan(query=query, toolkits=CARDS)
    return question.parse(make_plan(question, similarity))


@pytest.mark.parametrize(
    "query", ["Compose a symphony for my cat", "asdf qwer", "Transfer 100 euros to my landlord"]
)
def test_plan_when_no_toolkit_fits_then_no_step_and_the_need_is_unmet(query: str) -> None:
    plan = _plan(query, Similarity(None))
    assert plan.steps == ()
    assert plan.unmet == (query,)


@pytest.mark.parametrize(
    ("query", "toolkit"),
    [
        ("Do I need an umbrella in Lyon tomorrow?", 1),
        ("How many pounds do I get for 50 EUR?", 3),
        ("Convert 100 dollars to euros", 3),
        ("A drink with gin and lemon", 2),
    ],
)
def test_plan_when_words_differ_but_mean_the_same_then_step(query: str, toolkit: int) -> None:
    plan = _plan(query, Similarity(None))
    assert [step.toolkit for step in plan.steps] == [toolkit]
    assert plan.unmet == ()


def test_plan_when_one_of_two_needs_fits_then_the_other_is_unmet() -> None:
    plan = _plan("Book me a dentist and tell me the weather in Paris", Similarity(None))
    assert [(step.goal, step.toolkit) for step in plan.steps] == [("the weather in Paris", 1)]
    assert plan.unmet == ("Book me a dentist",)


@pytest.mark.parametrize(
    ("query", "steps", "unmet"),
    [
        (
            "weather in Oslo and drinks with gin",
            [("weather in Oslo", 1), ("drinks with gin", 2)],
            (),
        ),
        (
            "gin drinks and weather forecasts for Oslo",
            [("gin drinks for Oslo", 2), ("weather forecasts for Oslo", 1)],
            (),
        ),
        ("rain and wind in Oslo", [("rain and wind in Oslo", 1)], ()),
        ("drinks with gin and lemon", [("drinks with gin and lemon", 2)], ()),
        ("Write a poem and weather in Oslo", [("weather in Oslo", 1)], ("Write a poem",)),
        ('drinks "gin and the weather in it"', [('drinks "gin and the weather in it"', 2)], ()),
    ],
)
def test_plan_when_halves_are_of_different_domains_then_split(
    query: str, steps: list[tuple[str, int]], unmet: tuple[str, ...]
) -> None:
    plan = _plan(query, Similarity(None))
    assert [(step.goal, step.toolkit) for step in plan.steps] == steps
    assert plan.unmet == unmet


def test_plan_when_a_need_waits_for_an_unmet_one_then_unmet_too() -> None:
    plan = _plan("Find a plumber in Lyon, then convert the result to euros", Similarity(None))
    assert plan.steps == ()
    assert len(plan.unmet) == 2


def test_plan_when_a_clause_asks_for_nothing_then_it_is_no_need() -> None:
    plan = _plan("Tell me the weather in Paris. Please help me with that.", Similarity(None))
    assert len(plan.steps) == 1
    assert plan.unmet == ()


def test_plan_when_members_are_close_then_step_although_no_word_is_shared() -> None:
    def encode(texts: list[str]) -> Any:
        return np.tile(np.array([0.6, 0.8], dtype=np.float32), (len(texts), 1))

    def evidence(_text: str, _words: str, toolkits: Sequence[ToolkitId]) -> list[MemberFit]:
        return [MemberFit(0.5 if toolkit == 2 else 0.0, 0.0) for toolkit in toolkits]

    similarity = Similarity(encode, embedder="minilm", evidence=evidence)
    assert [step.toolkit for step in _plan("How do I make a Margarita?", similarity).steps] == [2]


@pytest.mark.parametrize(("embedder", "steps"), [("minilm", 1), ("lsa@1", 0)])
def test_plan_when_cosines_are_of_shared_words_then_they_decide_little(
    embedder: str, steps: int
) -> None:
    def encode(texts: list[str]) -> Any:
        query = np.array([1.0, 0.0], dtype=np.float32)
        return np.array([query, *[[0.5, 0.75**0.5]] * (len(texts) - 1)], dtype=np.float32)

    def evidence(_text: str, _words: str, toolkits: Sequence[ToolkitId]) -> list[MemberFit]:
        return [MemberFit(0.5, 0.0) for _ in toolkits]

    similarity = Similarity(encode, embedder=embedder, evidence=evidence)
    assert len(_plan("zorbing for beginners", similarity).steps) == steps


def test_subject_when_need_has_values_then_they_are_no_words_of_it() -> None:
    subject = subject_words("Convert 250 EUR to CHF in Lyon on 2026-11-20")
    assert subject.words == "convert"
    assert "currency" in subject.hinted


@pytest.mark.parametrize(
    ("scores", "curated", "taken"),
    [
        ((2.0, 1.9, 1.85), (), 0),
        ((2.0, 1.9, 1.85), (2,), 2),
        ((2.0, 1.9, 1.85), (1, 2), 1),
        ((2.0, 1.9, 1.85), (0, 2), 0),
        ((2.0, 1.7, 1.5), (1, 2), 0),
        ((1.01, 0.99, 0.2), (1,), 0),
        ((0.9, 0.9, 0.9), (1,), None),
    ],
)
def test_toolkit_when_a_person_curated_one_then_it_is_taken_where_fit_is_alike(
    scores: tuple[float, ...], curated: tuple[int, ...], taken: int | None
) -> None:
    cards = [
        ToolkitCard(id=ToolkitId(n), name=f"T{n}", description="", is_curated=n in curated)
        for n in range(len(scores))
    ]
    chosen = best_of([NeedFit(score, covered=0.5) for score in scores], cards)
    assert (chosen.id if chosen else None) == taken
