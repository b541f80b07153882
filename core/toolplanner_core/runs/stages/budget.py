"""First question of the gate: is there still budget? The call that would exceed it is not made.

One `Budget` per run counts model requests, API calls, tokens, dollars and seconds. Requests are
counted before they leave, so parallel branches cannot exceed a limit together; of dollars, the
prompt's share is known beforehand and set aside, what the reply costs is counted when it is there;
of tokens, the reply's share is given to it as its limit (`token_room.py`).
An API call costs no dollars here. Beside the run's own limits stand those of the person's day.
"""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import NOT_SENT, Observation
from toolplanner_core.llm.day_budget import DayBudget, DayRoom
from toolplanner_core.llm.model import Usage
from toolplanner_core.llm.prices import Price
from toolplanner_core.llm.prompt_fitting import estimate_sent_tokens
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.config.spec import Limits
from toolplanner_core.runs.events.decision import SpentRead
from toolplanner_core.runs.events.question import ModelFailed
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.runs.stages.harness import HarnessFaults
from toolplanner_core.runs.stages.stage import (
    Answered,
    CallEnd,
    CallRequest,
    QuestionEnd,
    QuestionRequest,
    refuse,
)
from toolplanner_core.runs.stages.token_room import TokenRoom
from toolplanner_core.runs.tree.formatting import cost_words
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.strategies.interface.scope import ModelGaveUp
from toolplanner_core.words.formatting import count, counted


class Budget:
    """What a run may still spend.

    Attributes:
        refused: why something was refused, in words; "" as long as nothing was.

    Args:
        day: what this person spends today; None in a replay, which spends nothing.
    """

    def __init__(self, limits: Limits, clock: Clock, day: DayBudget | None = None) -> None:
        self._limits = limits
        self._day = day
        self._clock = clock
        self._used = Totals()
        self._set_aside = 0.0
        self._unsent = 0
        most = limits.max_tokens
        self._room = None if most is None else TokenRoom(most, lambda: self._used.tokens)
        self.refused = ""

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the run's time is over, None without a limit. A later pause holds them by
        the clock."""
        if self._limits.max_seconds is None:
            return None
        return max(0.0, self._limits.max_seconds - self._clock.mono_ns() / 1e9)

    def spent(self) -> SpentRead:
        """What was used so far, as the event that says so."""
        used, seconds = self._used, round(self._clock.mono_ns() / 1e9, 3)
        return SpentRead(
            model_calls=used.model_calls,
            api_calls=used.api_calls,
            tokens=used.tokens,
            cost=used.cost,
            seconds=seconds,
        )

    def time_for(self, wanted_s: float) -> float:
        """The time-out of one request: `wanted_s`, or what is left of the run."""
        left_s = self.seconds_left
        return wanted_s if left_s is None else max(0.001, min(wanted_s, left_s))

    def add_usage(self, usage: Usage, price: Price | None) -> float | None:
        """Count tokens and dollars after a reply. Returns the dollars, None = unknown."""
        cost = price.cost_of(usage) if price is not None else None
        estimated = usage.tokens if usage.is_estimate else 0
        self._used.add_usage(usage.tokens, cost, estimated=estimated)
        if self._day is not None:
            self._day.add(usage, price)
        return cost

    def add_unknown(self) -> None:
        """Count a request that nothing came of, to a model whose price nobody knows."""
        self._used.add_usage(0, None)

    def charge(self, totals: Totals) -> None:
        """Count what a fork takes over from its parent: limits hold for the run as a whole."""
        self._used = replace(totals)

    @contextmanager
    def setting_aside(self, prompt_cost: float) -> Generator[None]:
        """Count dollars as spent while a request is on its way, until its reply says the sum."""
        self._set_aside += prompt_cost
        try:
            yield
        finally:
            self._set_aside -= prompt_cost

    @asynccontextmanager
    async def setting_tokens_aside(self, prompt_tokens: int) -> AsyncGenerator[int | None]:
        """Count tokens as spent while a request is on its way, until its reply says the sum.

        Args:
            prompt_tokens: of the prompt, guessed; 0 for a model that has none.

        Yields:
            Tokens that its reply may have: None without a limit, 0 if its prompt does not fit and
            it must not be sent.
        """
        if self._room is None or not prompt_tokens:
            yield None
            return
        async with self._room.setting_aside(prompt_tokens) as room:
            yield room

    @asynccontextmanager
    async def setting_day_aside(
        self, prompt_tokens: int, prompt_cost: float, price: Price | None
    ) -> AsyncGenerator[DayRoom]:
        """Set aside what a request may take of the person's day, see `DayBudget.setting_aside`."""
        if self._day is None:
            yield DayRoom()
            return
        async with self._day.setting_aside(prompt_tokens, price, prompt_cost=prompt_cost) as room:
            yield room

    def take_model_call(self, prompt_cost: float = 0.0) -> str:
        """Count one model request; returns why it must not be made, "" if it may.

        Args:
            prompt_cost: dollars that it will cost at least; 0 for one that is set aside already.
        """
        limit = self._limits.max_model_calls
        if limit is not None and self._used.model_calls >= limit:
            return self.note_refusal(f"The budget of {counted(limit, 'model call')} is used up")
        reason = self._common() or self._too_dear(prompt_cost)
        self._used.model_calls += not reason
        return reason

    def over_day(self, prompt_cost: float = 0.0, price: Price | None = None) -> str:
        """Why a model of this price (None = unknown) must not be asked today, "" if it may."""
        if self._day is None:
            return ""
        return self._day.refusal(self._set_aside + prompt_cost, price)

    def take_api_call(self) -> str:
        """Count one API call; returns why it must not be made, "" if it may."""
        limit = self._limits.max_api_calls
        if limit is not None and max(self._used.api_calls, self._unsent) >= limit:
            return self.note_refusal(f"The budget of {counted(limit, 'API call')} is used up")
        reason = self._common()
        self._used.api_calls += not reason
        return reason

    def take_back_api_call(self) -> None:
        """Do not count a call that never left. As many of them as calls are allowed end the run,
        too: a program could ask for them without end."""
        self._used.api_calls -= 1
        self._unsent += 1

    def _common(self) -> str:
        tokens = self._limits.max_tokens
        if tokens is not None and self._used.tokens >= tokens:
            return self.note_refusal(f"The budget of {counted(tokens, 'token')} is used up")
        return self.out_of_time() if self.seconds_left == 0.0 else ""

    def out_of_tokens(self, why: str) -> str:
        """Say that the run's tokens are spent, or will not do for what comes next."""
        limit = self._limits.max_tokens or 0
        return self.note_refusal(f"The budget of {counted(limit, 'token')} is used up: {why}")

    def no_room_for(self, prompt_tokens: int) -> str:
        """Say that a prompt does not fit into what is left of the run's tokens."""
        about = "about " * bool(self._used.estimated_tokens)
        return self.out_of_tokens(
            f"{about}{count(self._used.tokens)} are spent, and the next prompt takes about"
            f" {count(prompt_tokens)}"
        )

    def out_of_time(self) -> str:
        """Say that the run's time is over, also where it ends while something is on its way."""
        return self.note_refusal(f"The budget of {self._limits.max_seconds:g} seconds is used up")

    def _too_dear(self, prompt_cost: float) -> str:
        limit = self._limits.max_cost
        if limit is None:
            return ""
        if self._used.cost is None:
            return self.note_refusal(
                "What the model calls so far have cost is not known, so the budget of"
                f" {cost_words(limit)} cannot be kept"
            )
        spent = self._used.cost
        if spent + self._set_aside + prompt_cost > limit or (prompt_cost and spent >= limit):
            return self.note_refusal(
                f"The budget of {cost_words(limit)} is used up: {cost_words(spent)} are spent,"
                f" and the next prompt costs at least {cost_words(prompt_cost)}"
            )
        return ""

    def note_refusal(self, reason: str) -> str:
        """Remember a refusal, made here or read from the tape."""
        self.refused = self.refused or reason
        return reason


class BudgetStage:
    """Lets a request through only while there is budget for it.

    Args:
        price_for: the price of the model of a role, None = unknown.
        reads_tokens: whether the model of a role takes tokens for what it reads and says.
    """

    def __init__(
        self,
        budget: Budget,
        harness: HarnessFaults,
        log: RunLog,
        price_for: Callable[[Role], Price | None],
        reads_tokens: Callable[[Role], bool],
    ) -> None:
        self._budget, self._harness, self._log = budget, harness, log
        self._price_for = price_for
        self._reads_tokens = reads_tokens

    async def call(self, request: CallRequest, proceed: CallEnd) -> Observation:
        """The stage for calls: a refusal is a failure of class `over_budget`."""
        if reason := self._budget.take_api_call():
            return refuse(self._log, request, ErrorClass.OVER_BUDGET, reason)
        observation = await proceed(request)
        if observation.origin == NOT_SENT:
            self._budget.take_back_api_call()
        return observation

    async def question(self, request: QuestionRequest, proceed: QuestionEnd) -> Answered:
        """The stage for questions.

        Raises:
            ModelGaveUp: the budget, or that of the day, is used up; the question was not sent.
        """
        price = self._price_for(request.role)
        texts = (message.content for message in request.messages)
        prompt_cost = price.least_cost_of(texts) if price is not None else 0.0
        tokens = estimate_sent_tokens(request) if self._reads_tokens(request.role) else 0
        async with (
            self._budget.setting_tokens_aside(tokens) as room,
            self._budget.setting_day_aside(tokens, prompt_cost, price) as day,
        ):
            error, reason = ErrorClass.DAY_BUDGET, day.refused
            if not reason:
                error = ErrorClass.OVER_BUDGET
                reason = self._budget.no_room_for(tokens) if room == 0 else ""
                reason = reason or self._budget.take_model_call(prompt_cost)
            if reason:
                self._harness.note(error, reason)
                failed = ModelFailed(error=error, message=reason)
                record = self._log.append(failed, path=request.path, cause=request.cause)
                raise ModelGaveUp(error, reason, seq=record.seq)
            with self._budget.setting_aside(prompt_cost):
                left = [each for each in (room, day.reply_tokens) if each is not None]
                return await proceed(
                    replace(
                        request,
                        max_reply_tokens=min(left, default=None),
                        has_days_rest=day.reply_tokens is not None and min(left) != room,
                    )
                )
