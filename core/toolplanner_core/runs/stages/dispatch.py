"""The end of the gate: the real provider and the real model, each under a time limit.

A provider or model that breaks in an unforeseen way is a failed call of this run, not the end of
the program: the exception is logged with its trace and becomes a failure. In a strict replay these
ends do not exist.
"""

import logging
import traceback
from collections.abc import Callable
from dataclasses import replace

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.errors import UserError
from toolplanner_core.llm.model import Model, ModelError, Reply, ReplyChunk
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.question import Role
from toolplanner_core.providers.provider import CallLimits
from toolplanner_core.runs.config.call_routing import ServingProvider
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.stage import CallRequest, QuestionRequest, numbered
from toolplanner_core.sources.documents import is_too_deep
from toolplanner_core.words.formatting import storable
from toolplanner_core.workspace.connections import workspace_fault

_log = logging.getLogger(__name__)

MODEL_TIMEOUT_S = 120.0
"""For a reply, from its first piece on."""
FIRST_PIECE_S = 300.0
"""Until then: a small machine reads a long prompt for minutes before it says a word."""
LONGEST_HOLD_S = 86_400.0
"""Room in the time-outs of a model's own connection, which know nothing of a held run: the limit
here, in the run's time, always comes first."""


class ProviderDispatch:
    """Sends a call to whoever serves its API."""

    def __init__(
        self, served_by: Callable[[Api], ServingProvider], limits: CallLimits, tools: StageContext
    ) -> None:
        self._clock, self._budget = tools.clock, tools.budget
        self._live = tools.live
        self._served_by, self._limits = served_by, limits

    async def __call__(self, request: CallRequest) -> RawResult:
        """The reply.

        Raises:
            WorkspaceError: the provider needed the workspace, which could not be read or written.
        """
        served = self._served_by(request.api)
        timeout_s = self._budget.time_for(self._limits.timeout_s)
        try:
            async with self._clock.limit(timeout_s):
                with self._live.following(request.path) as tell:
                    limits = replace(self._limits, timeout_s=timeout_s, tell=tell)
                    return await served.provider.call(request.api, request.arguments, limits)
        except TimeoutError:
            return _failed(served, ErrorClass.TIMEOUT, f"no reply within {timeout_s:g} s")
        except Exception as error:
            # A broken plug-in is a failed call of this run, a broken file is not the plug-in's.
            if (fault := workspace_fault(error)) is not None:
                raise fault from error
            where = _where(error)
            _log.error("Provider %s broke calling %s:\n%s", served.name, request.api.title, where)
            message = f"the provider broke: {type(error).__name__}: {error}"
            return replace(_failed(served, ErrorClass.SERVER_ERROR, message), reached=True)


def _failed(served: ServingProvider, failure: ErrorClass, message: str) -> RawResult:
    return RawResult(failure=failure, message=message, origin=served.name)


class ModelDispatch:
    """Sends a question to the model of its role."""

    def __init__(self, model_for: Callable[[Role], Model], tools: StageContext) -> None:
        self._clock, self._budget = tools.clock, tools.budget
        self._live = tools.live
        self._model_for = model_for

    async def __call__(self, request: QuestionRequest) -> Reply:
        """The reply.

        Raises:
            ModelError: there is none.
            WorkspaceError: the model needed the workspace, which could not be read or written.
        """
        wanted_s = max(FIRST_PIECE_S, MODEL_TIMEOUT_S)
        timeout_s = self._budget.time_for(wanted_s)
        model, has_begun = self._model_for(request.role), False
        try:
            async with self._clock.limit(timeout_s) as limit:
                with self._live.listening(request.path) as heard:

                    def hear(piece: ReplyChunk) -> None:
                        nonlocal has_begun, timeout_s, wanted_s
                        if not has_begun:
                            has_begun, wanted_s = True, MODEL_TIMEOUT_S
                            timeout_s = self._budget.time_for(wanted_s)
                            limit.restart(timeout_s)
                        heard(piece)

                    longest_s = timeout_s + LONGEST_HOLD_S
                    sent = replace(request, timeout_s=longest_s, hear=hear)
                    return _storable(await model.complete(sent), request)
        except TimeoutError:
            if timeout_s < wanted_s:  # the run's own limit, which says nothing about the model
                over = self._budget.out_of_time()
                raise ModelError(ErrorClass.OVER_BUDGET, over, is_transient=False) from None
            what = "The reply was not whole" if has_begun else "No reply"
            raise ModelError(
                ErrorClass.TIMEOUT, f"{what} within {timeout_s:g} s", is_transient=True
            ) from None
        except ModelError as error:
            if error.error is ErrorClass.OVER_BUDGET:  # its reply had what was left, and no more
                if request.has_days_rest:
                    error.error = ErrorClass.DAY_BUDGET
                    error.message = f"The day's budget is used up: {error.message}"
                else:
                    error.message = self._budget.out_of_tokens(error.message)
            raise
        except Exception as error:
            if (fault := workspace_fault(error)) is not None:
                raise fault from error
            if isinstance(error, UserError):  # something is missing here, such as weights
                said = error.sentence
                raise ModelError(ErrorClass.BAD_PAYLOAD, said, is_transient=False) from error
            _log.error("Model %s broke at %s:\n%s", model.label, request.id, _where(error))
            message = f"The model broke: {type(error).__name__}: {error}"
            raise ModelError(ErrorClass.BAD_PAYLOAD, message, is_transient=False) from error


def _storable(reply: Reply, request: QuestionRequest) -> Reply:
    calls = [FunctionCall(call.id, *storable([call.name, call.arguments])) for call in reply.calls]
    data = None if is_too_deep(reply.data) else storable(reply.data)
    return replace(
        reply,
        text=storable(reply.text),
        data=data,
        calls=numbered(calls, request),
        thinking=storable(dict(reply.thinking)),
    )


def _where(error: Exception) -> str:
    """Kind and place of an exception, for the log; what it said can hold secrets and stands,
    blacked out, in the run."""
    return "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__
