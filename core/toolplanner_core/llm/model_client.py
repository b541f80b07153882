"""A model that is asked outside of runs: one question at a time, tried again, within the day's
budget. Judges of experiments and makers of training sets ask so.
"""

import asyncio
from dataclasses import replace
from typing import Self, TypeVar

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.errors import ModelUnavailable
from toolplanner_core.llm.day_budget import DayBudget
from toolplanner_core.llm.default_model import language_model
from toolplanner_core.llm.model import (
    Model,
    ModelContext,
    ModelError,
    ModelRequest,
    Reply,
    make_model,
)
from toolplanner_core.llm.prices import Price, price_of
from toolplanner_core.llm.prompt_fitting import estimate_sent_tokens
from toolplanner_core.llm.stored_replies import ReplyFile, StoredReplies
from toolplanner_core.prompts.question import AnswerInvalid, Question, sent_back

T = TypeVar("T")
_TRIES = 3
_WAIT_S = 1.0


async def complete_within_day(
    model: Model, request: ModelRequest, day: DayBudget, price: Price | None
) -> Reply:
    """A model's reply, within what is left of the person's day, and counted there.

    Raises:
        ModelError: no usable reply.
        ModelUnavailable: the day's budget is used up; nothing was sent.
    """
    tokens = estimate_sent_tokens(request)
    texts = (message.content for message in request.messages)
    cost = price.least_cost_of(texts) if price is not None else 0.0
    async with day.setting_aside(tokens, price, prompt_cost=cost) as room:
        if room.refused:
            raise ModelUnavailable(room.refused, todo="Raise it in Preferences, or go on tomorrow")
        try:
            reply = await model.complete(replace(request, max_reply_tokens=room.reply_tokens))
        except ModelError as error:
            if error.usage is not None:
                day.add(error.usage, price)
            raise
        day.add(reply.usage, price)
        return reply


class ModelClient:
    """A model that answers typed questions; end it with `async with`.

    Attributes:
        spec: such as "openai:NAME".

    Args:
        chosen: what a person named, "" = the usual one.
        doing: what it is asked for, such as "Judging"; wanted: what it gives, such as "verdict".
        replies: what it said before in the same work, and where to store what it says.

    Raises:
        NotFound: no such model.
        BadInput: no model was chosen.
    """

    def __init__(
        self, chosen: str, *, doing: str, wanted: str, replies: ReplyFile | None = None
    ) -> None:
        self.spec, self._wanted = language_model(chosen, doing), wanted
        self._model = make_model(self.spec, ModelContext(encode=None))
        if replies is not None:
            self._model = StoredReplies(self._model, replies)
        self._price, self._day = price_of(None, self.spec), DayBudget()

    async def ask(self, question: Question[T]) -> T:
        """Its answer; one that cannot be used is sent back with what is wrong with it.

        Raises:
            ModelError: no usable answer after all tries.
            ModelUnavailable: it will not answer the next question either.
        """
        messages = tuple(question.messages())
        for attempt in range(_TRIES):
            self._day.check(self._price, self.spec)
            request = ModelRequest(
                id=question.id,
                question=question,
                messages=messages,
                schema=question.schema(),
                temperature=question.temperature,
            )
            try:
                reply = await complete_within_day(self._model, request, self._day, self._price)
            except ModelError as error:
                if not error.is_transient:
                    raise ModelUnavailable(
                        f"{self._model.label} gave no {self._wanted}",
                        why=error.message,
                        todo=error.todo,
                    ) from error
                if attempt + 1 == _TRIES:
                    raise
                await asyncio.sleep(error.retry_after_s or _WAIT_S * 2**attempt)
                continue
            try:
                return question.parse(reply.data)
            except AnswerInvalid as invalid:
                messages = (*messages, *sent_back(reply.text or "{}", invalid))
        said = f"{self._model.label} gave no {self._wanted} that can be used"
        raise ModelError(ErrorClass.BAD_PAYLOAD, said, is_transient=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._model.close()
