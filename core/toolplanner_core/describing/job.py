"""Ask a model about APIs and toolkits: a few questions at a time, within a budget, with an end at
any moment.

Each answer is kept as it comes. A job that was cancelled, ran out of budget or died goes on where
it was: what is known is not asked again.

Vectors for texts that were taken over: only what changed is encoded.

Which model describes, and asking it from its opening to its end.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.describing.estimate import (
    DescribeEstimate,
    DescribeSubject,
    DescribeWhat,
    PlannedQuestion,
    messages_of,
    questions_about,
    remember_speed,
)
from toolplanner_core.domain.failure import OUT_OF_REACH
from toolplanner_core.embedding.embed import EmbedReport, embed
from toolplanner_core.errors import BadInput, Cancelled, ModelUnavailable
from toolplanner_core.jobs.progress import Progress
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
from toolplanner_core.llm.model_client import complete_within_day
from toolplanner_core.llm.prices import Price, price_of
from toolplanner_core.options.option import option
from toolplanner_core.prompts.describe import DescribedToolkit
from toolplanner_core.prompts.question import AnswerInvalid, sent_back
from toolplanner_core.prompts.texts import with_texts
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.described_texts import put_text
from toolplanner_core.workspace.rows import of_its_form
from toolplanner_core.workspace.settings import get_setting, set_setting
from toolplanner_core.workspace.vectors import count_without_vector


def embed_changed(workspace: Workspace, *, progress: Progress) -> EmbedReport | None:
    """Encode the texts that have no vector of the active embedder, as it was fitted; None where
    there is nothing to do. Other vectors stay as they are. Blocks.

    Raises:
        EmbedderUnavailable, Cancelled, WorkerDied: as `embed`.
    """
    embedder = get_setting(workspace, "active_embedder")
    if not embedder or not count_without_vector(workspace, embedder):
        return None
    return embed(workspace, embedder, progress=progress)


_TRIES = 4
_STAGE = "Describing"
_WAIT_S = 1.0
_LOOK_S = 0.1
_FAILED = "describe_failed"
_FAILED_KEPT = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeLimits:
    """How much a job may do."""

    at_once: int = option(4, "Questions under way at the same time.", minimum=1, maximum=64)
    max_tokens: int | None = option(
        None,
        "Tokens of questions and answers together, as the endpoint reports them.",
        title="Tokens at most",
        minimum=1,
        none_means="no limit",
    )
    max_cost: float | None = option(
        None,
        "US dollars at most; the price of the model must be known.",
        title="US dollars at most",
        minimum=0,
        none_means="no limit",
    )

    def check(self, cost: float | None) -> None:
        """Refuse a limit that cannot be kept.

        Args:
            cost: estimated, None = the price of the model is not known.

        Raises:
            BadInput: a limit in dollars without a price.
        """
        if self.max_cost is not None and cost is None:
            raise BadInput(
                "A limit in dollars cannot be kept: the price of this model is not known",
                todo="Limit tokens instead, or set a price of your own",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeFailure:
    """An API or toolkit that got no usable text, and why; `what` is a `DescribeWhat`."""

    what: str
    id: int
    name: str
    reason: str


@dataclass(slots=True, kw_only=True)
class DescribeReport:
    """What a job came to.

    Attributes:
        asked: APIs and toolkits that were described.
        known: whose text was there before.
        stopped: why it ended before all were asked, "" if it did not.
        cost: None = unknown.
    """

    asked: int = 0
    known: int = 0
    failures: list[DescribeFailure] = field(default_factory=list[DescribeFailure])
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
    """Ask what is not known yet; what failed is kept until the next job.

    Raises:
        Cancelled: a person stopped it; the answers so far are kept.
    """
    asking = _Asking(workspace, model, spec, price, limits or DescribeLimits())
    asking.texts, asking.report.known = found.texts, found.n_known
    try:
        await asking.run(found, progress)
    finally:
        failed = [
            {"what": one.what, "id": one.id, "name": one.name, "reason": one.reason}
            for one in asking.report.failures[:_FAILED_KEPT]
        ]
        await asyncio.to_thread(set_setting, workspace, _FAILED, failed)
    return asking.report


def last_failures(workspace: Workspace) -> list[DescribeFailure]:
    """What the last job failed at."""
    with of_its_form("what could not be described"):
        return [DescribeFailure(**row) for row in get_setting(workspace, _FAILED, [])]


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
        self._day = DayBudget()
        self._done = self._answer_tokens = 0
        self._answer_s = 0.0
        self.texts: dict[str, str] = {}
        self.report = DescribeReport()

    async def run(self, found: DescribeEstimate, progress: Progress) -> None:
        waiting = list(reversed(found.wanted))
        if not waiting:
            return
        what = {subject.what for one in waiting for subject in one.subjects}
        unit = "APIs" if what == {DescribeWhat.APIS} else "toolkits"
        unit = unit if len(what) == 1 else "texts"
        progress.report(_STAGE, 0, found.to_ask, unit)

        async def work() -> None:
            while waiting and not self.report.stopped:
                await self._ask(waiting.pop())
                progress.report(_STAGE, self._done, found.to_ask, unit)

        try:
            async with asyncio.TaskGroup() as group:
                watch = group.create_task(_until_cancelled(progress))
                workers = [group.create_task(work()) for _ in range(max(1, self._limits.at_once))]
                await asyncio.wait(workers)
                watch.cancel()
        except* Cancelled:
            progress.check()
        finally:
            remember_speed(self._workspace, self._spec, self._answer_s, self._answer_tokens)

    async def _ask(self, wanted: PlannedQuestion) -> None:
        """One question; what its answer leaves out is asked once more by itself."""
        left, reason = await self._one(wanted)
        if 0 < len(left) < len(wanted.subjects) and not self.report.stopped:
            (again,) = questions_about(left)
            left, reason = await self._one(again)
        if not self.report.stopped:
            self.report.failures += [
                DescribeFailure(what=one.what.value, id=one.id, name=one.name, reason=reason)
                for one in left
            ]
            self._done += len(left)

    async def _one(self, wanted: PlannedQuestion) -> tuple[Sequence[DescribeSubject], str]:
        """The subjects that got no usable text, and why."""
        question, reason = wanted.question, "it left this one out, twice"
        messages = tuple(messages_of(wanted, self.texts))
        for attempt in range(_TRIES):
            if self._is_spent():
                return wanted.subjects, reason
            began_s = time.monotonic()
            try:
                request = ModelRequest(
                    id=question.id,
                    question=question,
                    messages=messages,
                    schema=question.schema(),
                    temperature=question.temperature,
                )
                reply = await complete_within_day(self._model, request, self._day, self._price)
            except ModelUnavailable as over:
                self.report.stopped = over.what
                return wanted.subjects, reason
            except ModelError as error:
                reason = error.message
                if error.is_transient and attempt + 1 < _TRIES:
                    await asyncio.sleep(error.retry_after_s or _WAIT_S * 2**attempt)
                    continue
                if error.error in OUT_OF_REACH:
                    self.report.stopped = error.message
                return wanted.subjects, reason
            self._count(reply, time.monotonic() - began_s)
            try:
                texts = _texts(question.parse(reply.data))
            except AnswerInvalid as invalid:
                reason = f"{invalid.where}: {invalid.what}"
                again = sent_back(reply.text or "{}", invalid)
                messages = with_texts((*messages, *again), self.texts)
                continue
            for at, text in texts.items():
                put_text(self._workspace, wanted.subjects[at].key, self._spec, text)
            self.report.asked += len(texts)
            self._done += len(texts)
            rest = [one for at, one in enumerate(wanted.subjects) if at not in texts]
            return rest, reason
        return wanted.subjects, reason

    def _count(self, reply: Reply, seconds: float) -> None:
        report, usage = self.report, reply.usage
        report.tokens += usage.input_tokens + usage.output_tokens
        self._answer_tokens += usage.output_tokens
        self._answer_s += seconds
        cost = self._price.cost_of(usage) if self._price is not None else None
        report.cost = None if report.cost is None or cost is None else report.cost + cost

    def _is_spent(self) -> bool:
        report, limits = self.report, self._limits
        if limits.max_tokens is not None and report.tokens >= limits.max_tokens:
            report.stopped = f"the limit of {limits.max_tokens:,} tokens is reached"
        elif limits.max_cost is not None and (report.cost or 0.0) >= limits.max_cost:
            report.stopped = f"the limit of ${limits.max_cost:g} is reached"
        else:
            report.stopped = self._day.refusal(price=self._price)
        return bool(report.stopped)


def _texts(answer: DescribedToolkit | Mapping[int, str]) -> dict[int, dict[str, Any]]:
    """What is kept for each subject of a question, by position."""
    if isinstance(answer, DescribedToolkit):
        return {0: {"name": answer.name, "description": answer.description}}
    return {at: {"text": text} for at, text in answer.items()}


async def _until_cancelled(progress: Progress) -> None:
    """Raise when a person cancels: an answer that is awaited must not hold the job up."""
    while True:
        progress.check()
        await asyncio.sleep(_LOOK_S)


def describing_model(spec: str | None) -> str:
    """The model that is meant, or the usual one.

    Raises:
        NotFound: there is no such kind of model.
        BadInput: none is meant, or it cannot describe.
    """
    return language_model(spec, "Describing")


async def ask_model(
    workspace: Workspace,
    found: DescribeEstimate,
    spec: str,
    *,
    limits: DescribeLimits | None = None,
    progress: Progress,
) -> DescribeReport:
    """Open a model and ask it what is not known yet.

    Raises:
        ModelUnavailable: it lacks a key or an address.
        Cancelled: a person stopped it; the answers so far are kept.
    """
    model, price = make_model(spec, ModelContext(encode=None)), price_of(workspace, spec)
    DayBudget().check(price, spec)
    try:
        return await ask_all(
            workspace, found, model, spec=spec, price=price, limits=limits, progress=progress
        )
    finally:
        await model.close()
