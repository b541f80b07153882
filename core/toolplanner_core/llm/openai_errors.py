"""What the `openai` client's exceptions mean: an error class, and whether trying again may help."""

import contextlib
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.model import ModelError

if TYPE_CHECKING:
    from openai import APIStatusError

_MODE_WORDS = ("response_format", "json_schema", "tool_choice", "tools", "tool use", "function")
_REFUSALS = frozenset({400, 404, 422, 501})


def is_mode_refusal(error: "APIStatusError") -> bool:
    """Whether an error complains of the way the answer was asked for, not of the request itself; a
    conversation that is too long may have grown so by its functions."""
    said = str(error)
    is_refusal = error.status_code in _REFUSALS and "context" not in said
    return is_refusal and any(word in said for word in _MODE_WORDS)


def failure_of(error: Exception) -> ModelError:
    """The typed failure of an exception of the client."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return ModelError(ErrorClass.TIMEOUT, "The model did not answer in time", is_transient=True)
    if isinstance(error, openai.APIConnectionError):
        message = f"The endpoint cannot be reached: {error.__cause__ or error}"
        return ModelError(ErrorClass.NETWORK, message, is_transient=True)
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error)
    message = f"The endpoint's reply cannot be read: {error}"
    return ModelError(ErrorClass.BAD_PAYLOAD, message, is_transient=True)


def _status_failure(error: Any) -> ModelError:
    status: int = error.status_code
    said = str(error.message).removeprefix(f"Error code: {status} - ")
    message = f"HTTP {status}: {said}"
    if status in {401, 403}:
        return ModelError(ErrorClass.UNAUTHORISED, message, is_transient=False)
    if status == 404:
        return ModelError(ErrorClass.NOT_FOUND, message, is_transient=False)
    if status == 408:
        return ModelError(ErrorClass.TIMEOUT, message, is_transient=True)
    if status == 429:
        # Used-up credit answers 429 too; waiting does not bring it back.
        return ModelError(
            ErrorClass.RATE_LIMITED,
            message,
            is_transient=error.code != "insufficient_quota",
            retry_after_s=_retry_after_s(error),
        )
    if status >= 500:
        return ModelError(
            ErrorClass.SERVER_ERROR, message, is_transient=True, retry_after_s=_retry_after_s(error)
        )
    return ModelError(ErrorClass.WRONG_FORMAT, message, is_transient=False)


def _retry_after_s(error: Any) -> float | None:
    with contextlib.suppress(KeyError, ValueError):
        return max(0.0, float(error.response.headers["retry-after"]))
    return None
