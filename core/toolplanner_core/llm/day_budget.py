"""What models may cost this person in a day, and what they have cost today: over all workspaces,
windows and commands, for runs, judgements and descriptions.

One small file a day beside the settings, a line for each reply. Whoever asks a model adds to it and
reads what others have added meanwhile, so that two windows keep one budget together. Before a
request leaves, its prompt and what its reply may take are set aside in a line of their own, which
others see; the reply gets that as its limit, and its end gives back what was not taken. So a day's
limit is kept, not only noticed once it is passed. What costs nothing (the offline planner) is not
counted. Called by the gate of runs and by whoever else asks.
"""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import Usage
from toolplanner_core.llm.prices import TOKENS_PER_PRICE, Price
from toolplanner_core.settings import DayLimits, load_settings, settings_path
from toolplanner_core.words.formatting import count, counted

_log = logging.getLogger(__name__)


LEAST_FOR_A_REPLY = 8_192
"""Tokens that a reply may have at the same time as others, where more is left of the day."""
_SHARE = 8
"""Of a lot that is left, a reply gets this part."""
_HELD_S = 900.0
"""How long something set aside counts whose process never gave it back: it was killed."""
_LOOK_S = 0.05
"""How often one that waits for room looks whether others have given some back."""
_SET_ASIDE, _GIVEN_BACK = "aside", "back"


class DayRoom(NamedTuple):
    """What a request may take of the day.

    Attributes:
        refused: why it must not be sent, "" if it may.
        reply_tokens: limit of its reply, None = the day has none.
    """

    refused: str = ""
    reply_tokens: int | None = None


class _Held(NamedTuple):
    """What a request on its way may take; `until` in seconds since 1970."""

    tokens: int
    cost: float
    until: float


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
        self._held: dict[str, _Held] = {}

    @property
    def limits(self) -> DayLimits:
        """What a day may cost, as it was when this began."""
        return self._limits

    def spent(self) -> DaySpent:
        """What was spent today, whoever spent it."""
        path = _file_of_today()
        if path != self._path:
            self._path, self._read, self._spent, self._held = path, 0, DaySpent(), {}
        with contextlib.suppress(OSError), path.open("rb") as file:
            file.seek(self._read)
            whole, end, _ = file.read().rpartition(b"\n")
            self._read += len(whole) + len(end)
            for line in whole.splitlines():
                self._take_in(line.decode())
        return self._spent

    def _take_in(self, line: str) -> None:
        kind, *rest = line.split(" ")
        if kind == _SET_ASIDE and len(rest) == 4:
            with contextlib.suppress(ValueError):
                held = _Held(int(rest[1]), float(rest[2]), float(rest[3]))
                self._held[rest[0]] = held
        elif kind == _GIVEN_BACK:
            self._held.pop(" ".join(rest), None)
        else:
            self._spent = _with_line(self._spent, line)

    def add(self, usage: Usage, price: Price | None) -> None:
        """Count a reply; a folder that cannot be written is no error, it is said in the log."""
        if price is not None and price.is_free:
            return
        cost = price.cost_of(usage) if price is not None else None
        tokens = usage.input_tokens + usage.output_tokens
        self._write(f"{tokens} {'-' if cost is None else f'{cost:.9f}'}")

    def _write(self, line: str) -> None:
        path = _file_of_today()
        try:
            if not path.exists():
                _begin_day(path)
            with path.open("ab") as file:
                file.write(f"{line}\n".encode())
        except OSError as error:
            _log.warning("What was spent today cannot be kept in %s: %s", path, error)

    @asynccontextmanager
    async def setting_aside(
        self, prompt_tokens: int, price: Price | None, *, prompt_cost: float = 0.0
    ) -> AsyncGenerator[DayRoom]:
        """Set aside what a request may take, once there is room or nothing else is on its way, and
        give it back at the end; what it took is to be added before.

        Args:
            prompt_tokens: of the prompt, guessed; 0 for a model that has none.
            price: of the model, None = unknown.
            prompt_cost: dollars that the prompt costs at least.
        """
        if self._limits == DayLimits() or (price is not None and price.is_free):
            yield DayRoom()
            return
        key = uuid4().hex
        # Who gives back may be another process, which sets no event of ours.
        while (room := self._reserve(key, prompt_tokens, prompt_cost, price)) is None:  # noqa: ASYNC110
            await asyncio.sleep(_LOOK_S)
        try:
            yield room
        finally:
            if not room.refused:
                self._write(f"{_GIVEN_BACK} {key}")

    def _reserve(
        self, key: str, prompt_tokens: int, prompt_cost: float, price: Price | None
    ) -> DayRoom | None:
        """Room for a request; None while others hold what it needs."""
        if why := self.refusal(prompt_cost, price, prompt_tokens=prompt_tokens):
            return DayRoom(refused=why)
        held = self._held_before(key)
        room = self._reply_room(prompt_tokens, prompt_cost, price, held)
        if room is not None and room < 1:
            return None if held else DayRoom(refused=self._used_up(self.spent()))
        per_token = price.output / TOKENS_PER_PRICE if price is not None else 0.0
        tokens, cost = prompt_tokens + (room or 0), prompt_cost + (room or 0) * per_token
        self._write(f"{_SET_ASIDE} {key} {tokens} {cost:.9f} {time.time() + _HELD_S:.0f}")
        # Another process may have set something aside at the same moment: who wrote first has it.
        before = self._held_before(key)
        again = self._reply_room(prompt_tokens, prompt_cost, price, before)
        if room is not None and again is not None and again < room:
            self._write(f"{_GIVEN_BACK} {key}")
            return None
        return DayRoom(reply_tokens=room)

    def _held_before(self, key: str) -> list[_Held]:
        """What others have set aside, in front of a line of one's own if it is written."""
        self.spent()
        keys = list(self._held)
        first = keys[: keys.index(key)] if key in keys else keys
        now = time.time()
        return [held for each in first if (held := self._held[each]).until > now]

    def _reply_room(
        self, prompt_tokens: int, prompt_cost: float, price: Price | None, held: list[_Held]
    ) -> int | None:
        """Tokens that a reply may have, below 1 if there is no room; None = without a limit."""
        limits, spent = self._limits, self.spent()
        rooms: list[int] = []
        if limits.max_tokens is not None:
            taken = spent.tokens + sum(each.tokens for each in held)
            rooms.append(limits.max_tokens - taken - prompt_tokens)
        if limits.max_cost is not None and price is not None and price.output:
            dollars = limits.max_cost - spent.cost - sum(each.cost for each in held) - prompt_cost
            rooms.append(int(dollars * TOKENS_PER_PRICE / price.output))
        if not rooms:
            return None
        return min(*rooms, max(LEAST_FOR_A_REPLY, min(rooms) // _SHARE))

    def _used_up(self, spent: DaySpent) -> str:
        limits = self._limits
        most = limits.max_tokens
        if most is not None and (limits.max_cost is None or spent.tokens >= most):
            return f"The day's budget of {counted(most, 'token')} is used up: {_today(spent)}"
        return f"The day's budget of ${limits.max_cost:g} is used up: {_today(spent)}"

    def refusal(
        self, prompt_cost: float = 0.0, price: Price | None = None, *, prompt_tokens: int = 0
    ) -> str:
        """Why the next question must not be asked today, "" if it may.

        Args:
            prompt_cost: dollars that it will cost at least, beside what is on its way.
            price: of the model; one that costs nothing may always be asked.
            prompt_tokens: that it will take at least.
        """
        limits = self._limits
        if limits == DayLimits() or (price is not None and price.is_free):
            return ""
        spent = self.spent()
        most = limits.max_tokens
        if most is not None and spent.tokens >= most:
            return f"The day's budget of {counted(most, 'token')} is used up: {_today(spent)}"
        if most is not None and spent.tokens + prompt_tokens >= most:
            return (
                f"The day's budget of {counted(most, 'token')} is used up: {_today(spent)}, and the"
                f" next prompt takes about {count(prompt_tokens)}"
            )
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
