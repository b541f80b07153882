"""What the script of the examples knows: one query, two needs, and which APIs to try for each.

The first API that it tries for the price always refuses (the demo's vendor has used up its quota),
so that every example shows how its strategy takes a failure.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.llm.model import ModelRequest

QUERY = (
    "What is the latest stock price of the ticker symbol STRA,"
    " and how much is that converted from the currency USD to EUR?"
)
"""The query of all examples, so that they can be compared."""

NO_QUOTA, WITH_KEY, WORKS, EXCHANGE = "MarketPulse", "TickerLine", "QuoteWell", "ExchangeHub"
"""Vendors of the demo: two that refuse, and the two that answer."""


class ScriptedNeed(NamedTuple):
    """A part of the query.

    Attributes:
        goal: as a plan says it.
        toolkit: of the demo, that serves it; `vendors`: of APIs, in the order of trying.
    """

    goal: str
    toolkit: str
    vendors: tuple[str, ...]


PRICE = ScriptedNeed(
    "Latest stock price of the ticker symbol STRA", "Stock quotes", (NO_QUOTA, WORKS)
)
EUROS = ScriptedNeed(
    "The price of one share of STRA converted from USD to EUR", "Currency exchange", (EXCHANGE,)
)
NEEDS = (PRICE, EUROS)
_PRICE = re.compile(r'\\?"(?:price|value)\\?": ?(\d+(?:\.\d+)?)')
_EUROS = re.compile(r'\\?"result\\?": ?(\d+(?:\.\d+)?)')


class SeenResults(NamedTuple):
    """What a request tells of the results so far, as texts; "" = nothing yet."""

    price: str
    euros: str

    @property
    def answer(self) -> str:
        """The final answer."""
        return f"One share of STRA costs {self.price} USD, which is {self.euros} EUR."


def seen(request: ModelRequest) -> SeenResults:
    """Read what came back out of the messages, so that what a person changes is noticed."""
    text = "\n".join(m.content for m in request.messages if m.role != "system")
    return SeenResults(_last(_PRICE, text), _last(_EUROS, text))


def seen_in(value: Any) -> SeenResults:
    """The same out of one result."""
    text = json.dumps(value)
    return SeenResults(_last(_PRICE, text), _last(_EUROS, text))


def _last(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.findall(text)
    return found[-1] if found else ""


def is_of(name: str, vendor: str) -> bool:
    """Whether a function, an API or a tool is of a vendor; what only lists or alerts is not it."""
    words = re.sub(r"[^a-z]", "", name.lower())
    wanted = {
        NO_QUOTA: "stockpricenow", WITH_KEY: "lateststockprice", WORKS: "stockquote",
        EXCHANGE: "convertcurrency",
    }[vendor]  # fmt: skip
    return wanted in words


def pick(names: Iterable[str], vendors: Iterable[str]) -> str:
    """The first name that is of the first vendor that has one; "" = none."""
    listed = list(names)
    return next((n for vendor in vendors for n in listed if is_of(n, vendor)), "")


def values_for(schema: JsonSchema, so_far: SeenResults) -> dict[str, Any]:
    """Arguments by the names of parameters."""
    amount = float(so_far.price or 0)
    known: dict[str, Any] = {
        "symbol": "STRA", "ticker": "STRA", "code": "STRA", "query": "STRA",
        "from": "USD", "source": "USD", "have": "USD", "base": "USD",
        "to": "EUR", "target": "EUR", "want": "EUR", "symbols": "EUR",
        "amount": amount, "quantity": amount, "sum": amount, "value": amount,
    }  # fmt: skip
    required = schema.get("required") or ()
    return {
        name: known[name]
        for name in schema.get("properties") or {}
        if name in known and (name in required or name in ("quantity", "symbols"))
    }
