"""Ask a model about toolkits: a few at a time, within a budget, with an end at any moment.

Each answer is kept as it comes. A job that was cancelled, ran out of budget or died goes on where
it was: what is known is not asked again.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.describing.estimate import DescribeEstimate, Wanted
from toolplanner_core.domain.failure import OUT_OF_REACH
from toolplanner_core.errors import Cancelled
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.model import Model, ModelError, ModelRequest, Reply
from toolplanner_core.llm.prices import Price
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import AnswerInvalid
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.described_texts import put_text

_TRIES = 4
_STAGE = "Describing toolkits"
_WAIT_S = 1.0
_LOOK_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeLimits:
    """How much a job may do.

    Attributes:
        at_once: questions under way at the same time.
        max_tokens: of input and output together, as the endpoint reports them; None = no limit.
        max_cost: US dollars; None = no limit. Needs a known price.
    """

    at_once: int = 4
    max_tokens: int | None = None
    max_cost: float | None = None


@dataclass(slots=True, kw_only=True)
class DescribeReport:
    """What a job came to.

    Attributes:
        asked: questions that were answered; failed: that got no usable answer.
        stopped: why it ended before all were asked, "" if it did not.
        cost: None = unknown.
    """

    asked: int = 0
    failed: int = 0
    known: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    stopped: str = ""


async def ask_all(
    workspace: Workspace,
    found: DescribeEstimate,
    model: Model,
    *,
    spec: str,
    price: Price | None,
    limits: DescribeLimits | None = None,
    progress: Progress,
) -> DescribeReport:
    """Ask what is not known yet.

    Raises:
        Cancelled: a person stopped it; the answers so far are kept.
    """
    asking = _Asking(workspace, model, spec, price, limits or DescribeLimits())
    asking.report.known = len(found.wanted) - found.to_ask
    await asking.run([one for one in found.wanted if not one.is_known], progress)
    return asking.report


class _Asking:
    def __init__(
        self,
        workspace: Workspace,
        model: Model,
        spec: str,
        price: Price | None,
        limits: DescribeLimits,
    ) -> None:
        self._workspace, self._model, self._spec = workspace, model, spec
        self._price, self._limits = price, limits
        self.report = DescribeReport()

    async def run(self, left: Sequence[Wanted], progress: Progress) -> None:
        waiting = list(reversed(left))
        done = 0
        if not left:
            return
        progress.report(_STAGE, 0, len(left), "toolkits")

        async def work() -> None:
            nonlocal done
            while waiting and not self.report.stopped:
                await self._one(waiting.pop())
                done += 1
                progress.report(_STAGE, done, len(left), "toolkits")

        try:
            async with asyncio.TaskGroup() as group:
                watch = group.create_task(_until_cancelled(progress))
                workers = [group.create_task(work()) for _ in range(max(1, self._limits.at_once))]
                await asyncio.wait(workers)
                watch.cancel()
        except* Cancelled:
            progress.check()

    async def _one(self, wanted: Wanted) -> None:
        question = wanted.question
        messages = tuple(question.messages())
        for attempt in range(_TRIES):
            if self._is_spent():
                return
            try:
                reply = await self._model.complete(
                    ModelRequest(
                        id=question.id,
                        question=question,
                        messages=messages,
                        schema=question.schema(),
                        temperature=question.temperature,
                    )
                )
            except ModelError as error:
                if error.is_transient and attempt + 1 < _TRIES:
                    await asyncio.sleep(error.retry_after_s or _WAIT_S * 2**attempt)
                    continue
                if error.error in OUT_OF_REACH:
                    self.report.stopped = error.message
                break
            self._count(reply)
            try:
                answer = question.parse(reply.data)
            except AnswerInvalid as invalid:
                wrong = f"This does not answer: {invalid.where}: {invalid.what}. Answer again."
                messages += (Message("assistant", reply.text or "{}"), Message("user", wrong))
                continue
            text = {"name": answer.name, "description": answer.description}
            put_text(self._workspace, wanted.key, self._spec, text)
            self.report.asked += 1
            return
        self.report.failed += 1

    def _count(self, reply: Reply) -> None:
        report, usage = self.report, reply.usage
        report.tokens += usage.input_tokens + usage.output_tokens
        cost = self._price.cost_of(usage) if self._price is not None else None
        report.cost = None if report.cost is None or cost is None else report.cost + cost

    def _is_spent(self) -> bool:
        report, limits = self.report, self._limits
        if limits.max_tokens is not None and report.tokens >= limits.max_tokens:
            report.stopped = f"the limit of {limits.max_tokens:,} tokens is reached"
        elif limits.max_cost is not None and (report.cost or 0.0) >= limits.max_cost:
            report.stopped = f"the limit of ${limits.max_cost:g} is reached"
        return bool(report.stopped)


async def _until_cancelled(progress: Progress) -> None:
    """Raise when a person cancels: an answer that is awaited must not hold the job up."""
    while True:
        progress.check()
        await asyncio.sleep(_LOOK_S)
