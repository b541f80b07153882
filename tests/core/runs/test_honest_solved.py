"""Queries that ended "solved" with a wrong answer: each ends right, or unsolved with its reason.

The offline planner over the demo world; runs of their own files, so that none learns from another.
"""

import asyncio
import shutil
from pathlib import Path

import pytest

from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.engine import run
from toolplanner_core.runs.spec import RunSpec, RunSummary
from toolplanner_core.workspace import Workspace

NINE = [
    ("How many dollars would I get for 75 pounds?", r"98.11 USD"),
    ("I've got 3 kg of flour, how many pounds is that?", "6.61"),
    ("Give me something to drink with gin in it.", "Gin and Tonic"),
    ("What time is it in Tokyo when it is 9 am in Chicago?", "00:00"),
    (
        "Find a vegetarian Italian dinner and tell me how many calories are in 200 g of spaghetti.",
        "calories in spaghetti are unknown here",
    ),
    ("Which currency should I take to Switzerland and what does 100 EUR get me?", "93.1 CHF"),
    ("How much protein is in a salmon recipe?", "no recipe here says"),
    ("Compare the gas prices of Denver and Boston.", "Boston gas"),
    (
        "Who won the football match between Arsenal and Chelsea yesterday?",
        "no football here",
    ),
]
OTHERS = [
    ("What would 75 British pounds be in US dollars?", "98.11"),
    ("Convert 3 kilograms into pounds for me", "6.61"),
    ("Which drinks can I mix with gin?", "Gin and Tonic"),
    ("If it is 9 am in Chicago, how late is it in Tokyo?", "00:00"),
    ("How do gas prices in Denver and Boston compare?", "Boston gas"),
]


def ended(demo_file: Path, tmp_path: Path, query: str) -> RunSummary:
    path = Path(shutil.copy(demo_file, tmp_path / "copy.toolplanner"))
    with Workspace.open(path) as workspace:
        return asyncio.run(run(workspace, RunSpec(query=query)))


@pytest.mark.parametrize(("query", "right"), NINE + OTHERS)
def test_query_when_it_was_answered_wrongly_before_then_right_or_unsolved(
    demo_file: Path, tmp_path: Path, query: str, right: str
) -> None:
    summary = ended(demo_file, tmp_path, query)
    if summary.status is Status.SOLVED:
        assert right in summary.answer
    else:
        assert summary.status is Status.UNSOLVED
        assert summary.reason


def test_query_when_a_value_reached_no_call_then_the_reason_names_it(
    demo_file: Path, tmp_path: Path
) -> None:
    summary = ended(demo_file, tmp_path, "Compare the gas prices of Denver and Boston.")
    assert summary.status is Status.UNSOLVED
    assert summary.reason.endswith("says nothing of “Boston”)")
