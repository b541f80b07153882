"""Thirty everyday queries over the demo world with their verdicts: right, or unsolved with why.

The offline planner has rules and no understanding, so that what it cannot do must end unsolved;
never "solved" with an answer to something else. A row says what a right answer holds; "" = nothing
in the demo world, or no rule, can answer it.
"""

import asyncio
import shutil
from pathlib import Path

import pytest

from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.workspace import Workspace

THIRTY = [
    ("How many euros do I get for 40 Canadian dollars?", "24.92 EUR"),
    ("How many miles are 42 kilometres?", "26.09"),
    ("Convert 100 degrees Fahrenheit to Celsius.", "37.77"),
    ("What is 80 kilograms in stones?", "12.59"),
    ("I need 300 ml in cups.", "1.268"),
    ("What time is it in Sydney when it is 6 pm in London?", "05:00"),
    ("When does the sun set in Athens on 24 December 2026?", "17:10"),
    ("When is the next full moon?", "2026-11-24"),
    ("What is the moon phase on 14 February 2027?", "First quarter"),
    ("Is 1 May a public holiday in Germany?", "Yes (date 2027-05-01"),
    ("How many calories are in 150 g of rice?", "Calories 195"),
    ("What cocktail can I make with rum and mint?", "Mojito"),
    ("What carrier delivers parcel 1Z999AA10123456784?", "UPS"),
    ("What is the distance between Lyon and Oslo?", "1621.2 km"),
    ("What is the capital of Kenya and what time is it there?", "15:00"),
    ("Which currency is used in Kenya?", "KES"),
    ("What was the weather in Denver yesterday?", "2026-11-19"),
    ("Find a vegan recipe with chickpeas.", ""),  # no API here takes a diet and an ingredient
    ("Where is parcel 1Z999AA10123456784?", ""),
    ("How is the air in Tokyo compared to Madrid?", ""),
    ("How many murders happened in Paris?", ""),
    ("When did it last rain in Madrid?", ""),
    ("How many euros is a dollar?", ""),
    ("What is the phone number of the nearest pharmacy in Denver?", ""),
    ("How long is the flight from Paris to Tokyo?", "Minutes 741"),
    ("It is noon in Berlin; what time is it in Tokyo?", ""),
    ("Convert 5 feet 11 inches to centimetres.", ""),
    ("What is 20 EUR in USD and in GBP?", "17.46 GBP"),
    ("Who is the president of Brazil?", ""),
    ("What is the exchange rate from USD to EUR on 2 March 2026?", ""),
]

CODES_AND_WORDS = [
    ("100 JPY to EUR", "0.57 EUR"),
    ("EUR/USD", "1.14"),
    ("how many zloty for 20 bucks", "74.17 PLN"),
    ("What's 200 GBP in CHF?", "213.29 CHF"),
    ("1500 INR in AUD", "25.86 AUD"),
    ("sek → nok for 80", "85.33 NOK"),
    ("what would 35 quid be in kroner", "468.67 NOK"),
    ("give me the USD/JPY rate", "154.55"),
    ("convert CAD 75 to MXN", "983.64 MXN"),
    ("is 40 francs more than 40 EUR", ""),
    ("convert ten pounds to kilos", "4.53592"),
    ("say good morning in Spanish", "buenos dias"),
    ("How do you say thank you in Italian?", "Grazie"),
    ("How much does a banana weigh?", ""),
    ("How many litres are 3 US gallons?", "11.35"),
    ("What is the phone code of Germany?", "+49"),
    ("Which city does ZIP code 62701 belong to?", "Springfield"),
    ("What was the closing price of STRA yesterday?", "331.81"),
    ("How long does it take to drive from Paris to Lyon?", "343 minutes"),
    ("What is the fastest way to ship 3 kg from Berlin to Madrid?", "DHL Express"),
    ("try to all", ""),
]
"""Codes of currencies, which no documentation and no word vector knows; numbers and phrases that
stand in words."""

NEWCOMERS = [
    ("How warm is it in Oslo?", "-4.4 °C"),
    ("Is it cold in Tokyo?", "10.5"),
    ("How clean is the air in Warsaw?", "Index 69"),
    ("How polluted is Delhi?", "Index 84"),
    ("What's a dollar worth in yen?", "154.55"),
    ("How many calories does a banana have?", "Calories 89"),
    ("How much protein does an egg have?", "12.6 g"),
    ("How do I make a mojito?", "white rum"),
    ("What does ephemeral mean?", "Lasting for a very short time"),
    ("Define petrichor", "smell of rain on dry ground"),
    ("What is NRTH trading at?", "89.45 USD"),
    ("How many grams are in 3 pounds, and how hot is it in Lisbon now?", "7.4 °C"),
    ("What is the AQI in Beijing?", "82"),
    ("How much is 20 GBP in EUR, and how much is it in yen?", "4044"),
    ("Give me a cocktail with gin and lime", "Gin and Tonic"),  # and none with ginger beer
    ("What do ten pounds weigh in kilos?", ""),  # "weigh" stands in no reply
    ("What is the time difference between London and New York?", ""),
    ("Is the beach in Nice good for swimming?", ""),
]
"""Said as people say it: the thing, not the name of a toolkit."""


@pytest.mark.parametrize(("query", "right"), [*THIRTY, *CODES_AND_WORDS, *NEWCOMERS])
def test_query_when_asked_then_right_or_unsolved_with_a_reason(
    demo_file: Path, tmp_path: Path, query: str, right: str
) -> None:
    path = Path(shutil.copy(demo_file, tmp_path / "copy.toolplanner"))
    with Workspace.open(path) as workspace:
        done = asyncio.run(run(workspace, RunSpec(query=query)))
        root = load_tree(workspace, done.run).root
    if right:
        assert (done.status, done.reason) == (Status.SOLVED, "")
        assert right in done.answer
        assert root is not None
        # What only leads to the answer need not stand in it.
        rows = [r for r in root.data["evidence"] if not r["need"].startswith("Find the coord")]
        assert rows and all(row["values"] for row in rows), rows
    else:
        assert done.status is Status.UNSOLVED
        assert done.reason


def test_table_when_counted_then_thirty_queries_and_each_once() -> None:
    assert len({query for query, _ in THIRTY}) == 30
