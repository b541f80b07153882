"""What tokens of a model cost: a dated table of list prices, and a person's own prices before it.

A model that no row fits has no known price, and then its cost is unknown: never zero. Prices are
those of the model's maker; whoever buys elsewhere sets their own, per workspace (`save_prices`) or
for all of them (`save_person_prices`).
"""

import contextlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import Usage, models, parse_model_spec
from toolplanner_core.resources import resource_root
from toolplanner_core.settings import load_settings, save_settings
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.rows import of_its_form
from toolplanner_core.workspace.settings import get_setting, set_setting

_SETTING = "prices"
TOKENS_PER_PRICE = 1_000_000
LETTERS_PER_TOKEN = 4
"""Of English text. Source: OpenAI, "What are tokens and how to count them"."""
_OWN = "your own price in this workspace"
_MINE = "your own price"
_LINE = "Write models, dollars for input and for output, such as: my-model* 0.5 1.5"
_HOW_TO = 'Write it like {"models": ["my-model*"], "input": 0.5, "output": 1.5}'


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars per million tokens.

    Attributes:
        models: patterns with * and ?, compared with the whole name in any case.
        cached: for input that the endpoint had cached; None = counted like other input.
        as_of: year and month (and day) of the price; source: who says so.
    """

    models: tuple[str, ...]
    input: float
    output: float
    cached: float | None = None
    as_of: str = ""
    source: str = ""

    @property
    def is_free(self) -> bool:
        """Whether nothing is ever charged."""
        return not (self.input or self.output or self.cached)

    def cost_of(self, usage: Usage) -> float | None:
        """Dollars for a reply; None when the endpoint did not say how many tokens it was."""
        if self.is_free:
            return 0.0
        if not usage.input_tokens or usage.is_estimate:
            return None
        cached = min(usage.cached_tokens, usage.input_tokens)
        cached_price = self.input if self.cached is None else self.cached
        dollars = (
            (usage.input_tokens - cached) * self.input
            + cached * cached_price
            + usage.output_tokens * self.output
        )
        return dollars / TOKENS_PER_PRICE

    def least_cost_of(self, texts: Iterable[str]) -> float:
        """Dollars that a prompt will cost at about the least, before it is sent."""
        tokens = sum(len(text) for text in texts) / LETTERS_PER_TOKEN
        price = self.input if self.cached is None else min(self.input, self.cached)
        return tokens * price / TOKENS_PER_PRICE


FREE = Price(models=(), input=0.0, output=0.0, source="runs on this machine")


@cache
def list_prices() -> tuple[Price, ...]:
    """The table that came with the program."""
    text = (resource_root() / "prices" / "models.json").read_text(encoding="utf-8")
    return tuple(_price(row) for row in json.loads(text)["prices"])


def own_prices(workspace: Workspace) -> tuple[Price, ...]:
    """A person's prices in a workspace."""
    with of_its_form("prices"):
        return tuple(_price(row) for row in get_setting(workspace, _SETTING, []))


def save_prices(workspace: Workspace, rows: Sequence[Mapping[str, Any]]) -> None:
    """Replace a person's prices in a workspace; blocks until they are on disk.

    Raises:
        BadInput: a row is not a price; nothing is changed.
    """
    prices = [_price(row) for row in rows]
    set_setting(workspace, _SETTING, [asdict(price) for price in prices])


def person_prices() -> tuple[Price, ...]:
    """What models cost this person in all workspaces; what cannot be read is left out."""
    found: list[Price] = []
    for row in load_settings().prices:
        with contextlib.suppress(BadInput, AttributeError):
            found.append(_price({"source": _MINE, **row}))
    return tuple(found)


def save_person_prices(prices: Sequence[Price]) -> None:
    """Replace them.

    Raises:
        BadInput: the settings cannot be saved.
    """
    rows = tuple(asdict(price) for price in prices)
    save_settings(replace(load_settings(), prices=rows))


def read_prices(text: str) -> tuple[Price, ...]:
    """A person's prices as they write them, a line each: a pattern of names, dollars per million
    tokens for input, for output, and for cached input where that differs.

    Raises:
        BadInput: a line is no price; nothing is changed.
    """
    found: list[Price] = []
    for line in filter(str.strip, text.splitlines()):
        try:
            pattern, *dollars = line.split()
            given, output, *more = map(float, dollars)
            (cached,) = more or (None,)
        except ValueError as error:
            raise BadInput("This line is no price", where=line.strip(), todo=_LINE) from error
        row = {"models": pattern, "input": given, "output": output, "cached": cached}
        found.append(_price({**row, "source": _MINE}))
    return tuple(found)


def format_prices(prices: Iterable[Price]) -> str:
    """Prices as `read_prices` reads them; one of several patterns becomes several lines."""
    return "\n".join(
        " ".join([pattern, *(f"{each:.12g}" for each in _figures(price))])
        for price in prices
        for pattern in price.models
    )


def _figures(price: Price) -> list[float]:
    return [price.input, price.output, *([] if price.cached is None else [price.cached])]


def price_of(workspace: Workspace | None, spec: str) -> Price | None:
    """The price of a model by its spec ("offline", "openai:NAME"), None when nobody knows it.

    Args:
        workspace: may have prices of its own.

    Raises:
        NotFound: no such kind of model.
    """
    kind, name, _ = parse_model_spec(spec)
    if models.get(kind).is_free:
        return FREE
    own = () if workspace is None else own_prices(workspace)
    return find_price(name, (*own, *person_prices(), *list_prices()))


def find_price(name: str, prices: Iterable[Price]) -> Price | None:
    """The first price whose patterns fit a name."""
    folded = name.casefold()
    for price in prices:
        if any(fnmatchcase(folded, pattern.casefold()) for pattern in price.models):
            return price
    return None


def _price(row: Mapping[str, Any]) -> Price:
    patterns: Any = row.get("models")
    if isinstance(patterns, str):
        patterns = [patterns]
    if (
        not isinstance(patterns, list | tuple)
        or not patterns
        or not all(isinstance(item, str) and item.strip() for item in patterns)  # pyright: ignore[reportUnknownVariableType]
    ):
        raise BadInput("A price names no model", where=str(dict(row)), todo=_HOW_TO)
    cached = row.get("cached")
    return Price(
        models=tuple(patterns),  # pyright: ignore[reportUnknownArgumentType]
        input=_dollars(row, "input"),
        output=_dollars(row, "output"),
        cached=None if cached is None else _dollars(row, "cached"),
        as_of=str(row.get("as_of", "")),
        source=str(row.get("source", _OWN)),
    )


def _dollars(row: Mapping[str, Any], name: str) -> float:
    value: Any = row.get(name)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value < 0:
        raise BadInput(
            f"The price of {name} is not a number of dollars", where=str(dict(row)), todo=_HOW_TO
        )
    return float(value)
