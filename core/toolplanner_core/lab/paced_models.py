"""Models that ask the quota which all workers of an experiment share before each request.

Waiting for it is no part of a trial's time: the run's clock stands still meanwhile. An endpoint
that says it is asked too often slows all workers down; that request is tried again by the gate, as
any other.
"""

import asyncio
import dataclasses
from pathlib import Path

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.model import Model, ModelError, ModelRequest, Reply
from toolplanner_core.llm.openai_model import OpenAiModel
from toolplanner_core.llm.prompt_fitting import estimate_tokens
from toolplanner_core.runs.engine.run_parts import RunParts
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.workspace.request_quota import QuotaLimits, RequestQuota

QUOTA_FILE = "quota.db"
"""Beside the journals of an experiment."""
_LONGEST_WAIT_S = 5.0
"""At a time: others may give room meanwhile."""


class PacedModel:
    """A model of an endpoint, within the quota."""

    def __init__(self, model: OpenAiModel, quota: RequestQuota, clock: Clock) -> None:
        self._model, self._quota, self._clock = model, quota, clock

    @property
    def label(self) -> str:
        """As of the model."""
        return self._model.label

    async def complete(self, request: ModelRequest) -> Reply:
        """Answer one request, once there is room for it.

        Raises:
            ModelError: no reply.
            WorkspaceError: the quota cannot be kept.
        """
        address, guessed = self._model.address, estimate_tokens(request)
        while (leave := await asyncio.to_thread(self._quota.ask, address, guessed)).wait_s > 0:
            self._clock.hold()
            try:
                await asyncio.sleep(min(leave.wait_s, _LONGEST_WAIT_S))
            finally:
                self._clock.release()
        try:
            reply = await self._model.complete(request)
        except ModelError as error:
            if error.error is ErrorClass.RATE_LIMITED:
                await asyncio.to_thread(self._quota.slow_down, address, error.retry_after_s)
            raise
        took = reply.usage.tokens or guessed
        await asyncio.to_thread(self._quota.settle, address, leave.request, took)
        return reply

    async def close(self) -> None:
        """Close connections."""
        await self._model.close()


def paced(parts: RunParts, folder: Path, limits: QuotaLimits, clock: Clock) -> RunParts:
    """Parts of a run whose endpoints are asked within the quota; others stay as they are.

    Args:
        folder: of the journals of all workers.
        clock: of the run.
    """
    quota = RequestQuota(folder / QUOTA_FILE, limits)
    made: dict[int, Model] = {
        id(model): PacedModel(model, quota, clock) if isinstance(model, OpenAiModel) else model
        for model in parts.outside.models.values()
    }
    models = {role: made[id(model)] for role, model in parts.outside.models.items()}
    return dataclasses.replace(parts, outside=dataclasses.replace(parts.outside, models=models))
