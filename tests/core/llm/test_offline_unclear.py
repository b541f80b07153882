"""What means nothing for sure is said, not guessed."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.words.query_clarity import unclear_parts, unclear_reason, unresolved_reference
from toolplanner_core.workspace import Workspace


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "Is 31 February a public holiday?",
            "“31 February” is no day, February has at most 29 days",
        ),
        ("Sunset on February 29th, 2026?", "is no day, February 2026 has 28 days"),
        ("Sunset on 2026-04-31", "“2026-04-31” is no day, April 2026 has 30 days"),
        ("Sunset on 30.02.2027", "“30.02.2027” is no day, February 2027 has 28 days"),
        ("Flights on the 31st of April", "April has 30 days"),
        ("Flights on 2026-13-01", "“2026-13-01” is no day, there are 12 months"),
        ("Convert that amount to JPY", "“that amount” is named nowhere before"),
    ],
)
def test_query_when_a_part_of_it_cannot_be_meant_then_said(query: str, said: str) -> None:
    (part,) = unclear_parts(query)
    assert said in part


@pytest.mark.parametrize(
    "query",
    [
        "Is 29 February a holiday?",
        "Sunset on February 29, 2028",
        "Sunset on 31.12.2026 in Oslo",
        "Convert 250 EUR to USD and that amount to JPY",
        "It may 50 times, they march 40 km, Jan 31",
        "In March 2026 at 10:30",
        "The price of 12.5.2 and IP 10.0.2026",
    ],
)
def test_query_when_it_is_clear_then_nothing_is_said(query: str) -> None:
    assert unclear_parts(query) == []


@pytest.mark.parametrize(
    ("goal", "sent", "lost"),
    [
        ("that in yen", {"base": "GBP"}, ["that"]),
        ("that in yen", {"base": "GBP", "amount": 20}, []),
        ("how much is it in yen", {"base": "GBP"}, ["it"]),
        ("convert it to yen", {"amount": "22.91", "to": "JPY"}, []),
        ("the weather there", {"city": "Oslo"}, []),
        ("that city's time", {"city": "Oslo"}, []),
        ("convert 5 EUR to yen", {"base": "EUR"}, []),
    ],
)
def test_reference_when_no_amount_of_the_step_it_means_was_sent_then_lost(
    goal: str, sent: dict[str, object], lost: list[str]
) -> None:
    told = ("20 GBP in EUR", '{"amount": 20, "converted": 22.91}')
    assert unresolved_reference(goal, json.dumps(sent), [told]) == lost
    assert unresolved_reference(goal, json.dumps(sent), []) == []


def test_reason_when_a_need_is_no_sentence_then_says_that_it_is_unclear() -> None:
    query, need = "Convert 250 EUR to USD and that amount to JPY", "that amount to JPY"
    assert unclear_reason(query, [need]).startswith("Unclear: what “that amount to JPY” asks for")
    assert unclear_reason(query, ["the weather in Lyon"]) == ""


def test_run_when_its_query_names_no_day_then_unsolved_without_a_call_and_says_so(
    demo_file: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(demo_file, tmp_path / "copy.toolplanner"))
    query = "When does the sun set in Oslo on 31 February 2027?"
    with Workspace.open(path) as workspace:
        done = asyncio.run(run(workspace, RunSpec(query=query)))
    assert (done.status, done.api_calls) == (Status.UNSOLVED, 0)
    assert done.reason == "Unclear: “31 February 2027” is no day, February 2027 has 28 days"


def test_run_when_an_amount_is_carried_on_then_the_right_one_or_unsolved(
    demo_file: Path, tmp_path: Path
) -> None:
    path = Path(shutil.copy(demo_file, tmp_path / "copy.toolplanner"))
    query = "What is 20 GBP in EUR, then that in yen?"
    with Workspace.open(path) as workspace:
        done = asyncio.run(run(workspace, RunSpec(query=query)))
    assert done.status is Status.UNSOLVED or "4044" in done.answer.replace(",", ""), done.answer
