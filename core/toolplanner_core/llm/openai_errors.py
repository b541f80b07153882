"""What the `openai` client's exceptions mean: an error class, and whether trying again may help."""

import contextlib
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.model import ModelError

if TYPE_CHECKING:
    from openai import APIStatusError

_MODE_WORDS = ("response_format", "json_schema", "tool_choice", "tools", "tool use", "function")
_REFUSALS = frozenset({400, 404, 422, 501})
_CLASSES = {
    401: ErrorClass.UNAUTHORISED,
    403: ErrorClass.UNAUTHORISED,
    404: ErrorClass.NOT_FOUND,
    408: ErrorClass.TIMEOUT,
    429: ErrorClass.RATE_LIMITED,
}
_TRANSIENT = (ErrorClass.TIMEOUT, ErrorClass.RATE_LIMITED, ErrorClass.SERVER_ERROR)


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
    kind = _CLASSES.get(
        status, ErrorClass.SERVER_ERROR if status >= 500 else ErrorClass.WRONG_FORMAT
    )
    # Used-up credit answers 429 too; waiting does not bring it back.
    is_transient = kind in _TRANSIENT and error.code != "insufficient_quota"
    return ModelError(kind, message, is_transient=is_transient, retry_after_s=_retry_after_s(error))


def _retry_after_s(error: Any) -> float | None:
    with contextlib.suppress(KeyError, ValueError):
        return max(0.0, float(error.response.headers["retry-after"]))
    return None
