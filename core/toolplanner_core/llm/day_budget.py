"""What models may cost this person in a day, and what they have cost today: over all workspaces,
windows and commands, for runs, judgements and descriptions.

One small file a day beside the settings, a line for each reply. Whoever asks a model adds to it and
reads what others have added meanwhile, so that two windows keep one budget together. What costs
nothing (the offline planner) is not counted. Called by the gate of runs and by whoever else asks.
"""

import contextlib
import logging
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from toolplanner_core.errors import BadInput, ModelUnavailable
from toolplanner_core.llm.model import Usage
from toolplanner_core.llm.prices import Price
from toolplanner_core.settings import DayLimits, load_settings, settings_path
from toolplanner_core.words.formatting import counted

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DaySpent:
    """What models have cost today.

    Attributes:
        unpriced: replies whose price nobody knows; they are not in `cost`.
    """

    replies: int = 0
    tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0

    @property
    def words(self) -> str:
        """For people: "12 replies, 3,400 tokens, $0.0210"."""
        if not self.replies:
            return "nothing yet"
        said = f"{counted(self.replies, 'reply', 'replies')}, {counted(self.tokens, 'token')}"
        if not self.unpriced:
            return f"{said}, ${self.cost:.4f}"
        known = f", ${self.cost:.4f} and" if self.cost else ","
        return f"{said}{known} {counted(self.unpriced, 'reply', 'replies')} of unknown price"


class DayBudget:
    """Today's sum and its limits, for one run or job; any thread, one at a time."""

    def __init__(self, limits: DayLimits | None = None) -> None:
        self._limits = load_settings().day_limits if limits is None else limits
        self._path = Path()
        self._read = 0
        self._spent = DaySpent()

    @property
    def limits(self) -> DayLimits:
        """What a day may cost, as it was when this began."""
        return self._limits

    def spent(self) -> DaySpent:
        """What was spent today, whoever spent it."""
        path = _file_of_today()
        if path != self._path:
            self._path, self._read, self._spent = path, 0, DaySpent()
        with contextlib.suppress(OSError), path.open("rb") as file:
            file.seek(self._read)
            whole, end, _ = file.read().rpartition(b"\n")
            self._read += len(whole) + len(end)
            for line in whole.splitlines():
                self._spent = _with_line(self._spent, line.decode())
        return self._spent

    def add(self, usage: Usage, price: Price | None) -> None:
        """Count a reply; a folder that cannot be written is no error, it is said in the log."""
        if price is not None and price.is_free:
            return
        cost = price.cost_of(usage) if price is not None else None
        tokens = usage.input_tokens + usage.output_tokens
        line = f"{tokens} {'-' if cost is None else f'{cost:.9f}'}\n"
        path = _file_of_today()
        try:
            if not path.exists():
                _begin_day(path)
            with path.open("ab") as file:
                file.write(line.encode())
        except OSError as error:
            _log.warning("What was spent today cannot be kept in %s: %s", path, error)

    def refusal(self, prompt_cost: float = 0.0, price: Price | None = None) -> str:
        """Why the next question must not be asked today, "" if it may.

        Args:
            prompt_cost: dollars that it will cost at least, beside what is on its way.
            price: of the model; one that costs nothing may always be asked.
        """
        limits = self._limits
        if limits == DayLimits() or (price is not None and price.is_free):
            return ""
        spent = self.spent()
        most = limits.max_tokens
        if most is not None and spent.tokens >= most:
            return f"The day's budget of {counted(most, 'token')} is used up: {_today(spent)}"
        dear = limits.max_cost
        if dear is not None and (spent.cost >= dear or spent.cost + prompt_cost > dear):
            return f"The day's budget of ${dear:g} is used up: {_today(spent)}"
        return ""

    def check(self, price: Price | None, model: str) -> None:
        """Refuse a model that a limit in dollars cannot be kept with.

        Raises:
            BadInput: nobody knows its price.
        """
        if self._limits.max_cost is not None and price is None:
            raise BadInput(
                f"The day's budget in dollars cannot be kept: the price of {model} is not known",
                todo="Set its price in Preferences, or limit the tokens of a day instead",
            )

    def check_now(self, price: Price | None, model: str) -> None:
        """Refuse what must not be asked today.

        Raises:
            BadInput: nobody knows the model's price.
            ModelUnavailable: the day's budget is used up.
        """
        self.check(price, model)
        if why := self.refusal(price=price):
            raise ModelUnavailable(why, todo="Raise it in Preferences, or go on tomorrow")


def _today(spent: DaySpent) -> str:
    return f"{spent.words} today, over all runs"


def _with_line(spent: DaySpent, line: str) -> DaySpent:
    """The sum with one reply more; a line that is torn counts as none."""
    tokens, _, cost = line.partition(" ")
    try:
        dollars = None if cost == "-" else float(cost)
        return DaySpent(
            replies=spent.replies + 1,
            tokens=spent.tokens + int(tokens),
            cost=spent.cost + (dollars or 0.0),
            unpriced=spent.unpriced + (dollars is None),
        )
    except ValueError:
        return spent


def _file_of_today() -> Path:
    """The day is that of the person's clock on the wall."""
    return settings_path().with_name(f"spent-{datetime.now().astimezone().date()}.txt")


def _begin_day(path: Path) -> None:
    """Make room for today's file; those of other days are of no use any more."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for old in path.parent.glob("spent-*.txt"):
        if old < path:
            old.unlink(missing_ok=True)
