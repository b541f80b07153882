"""Samples of one prompt leave in one request, where their model can give several replies to one.

Each sample stays a question of its own, with its path, its place on the tape, its stop points and
its repairs; only the end of the gate is shared. The first that gets there asks for all that have
no reply yet, and the others take what came. The tokens of all are counted at the first.
"""

from collections.abc import Callable
from dataclasses import replace

from toolplanner_core.llm.model import ModelError, Reply
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.stages.sample_batch import SampleBatch
from toolplanner_core.runs.stages.stage import QuestionRequest, QuestionSourceEnd

LEAST_FOR_A_SAMPLE = 2_048
"""Tokens of a reply below which fewer are asked for at once: all share what is left of a budget."""


class SampleStage:
    """Answers samples from one request.

    Args:
        gives_samples: whether the model of a role may give several replies to one.
    """

    def __init__(self, gives_samples: Callable[[Role], bool]) -> None:
        self._gives_samples = gives_samples

    async def question(self, request: QuestionRequest, proceed: QuestionSourceEnd) -> Reply:
        """The stage.

        Raises:
            ModelError: there is no reply.
        """
        batch = request.batch
        # One that is sent back has a prompt of its own.
        if batch is None or request.repair or not self._gives_samples(request.role):
            return await proceed(request)
        async with batch.lock:
            if (came := batch.take(request.path, request.messages)) is not None:
                return came
            if self._gives_samples(request.role) and not batch.is_apart:
                return await self._lead(batch, request, proceed)
        return await proceed(request)

    async def _lead(
        self, batch: SampleBatch, request: QuestionRequest, proceed: QuestionSourceEnd
    ) -> Reply:
        """Ask for all; where that fails, none waits for the next try."""
        try:
            reply = await proceed(_for_all(request, batch.left_with(request.path)))
        except ModelError:
            batch.is_apart = True
            raise
        batch.keep(request.path, request.messages, reply)
        return reply


def _for_all(request: QuestionRequest, count: int) -> QuestionRequest:
    """The request for so many samples, as far as what is left for replies allows."""
    room = request.max_reply_tokens
    if room is not None:
        count = min(count, max(1, room // LEAST_FOR_A_SAMPLE))
        room //= count
    return replace(request, samples=count, max_reply_tokens=room)
