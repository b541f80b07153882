"""What exceptions of the `openai` client mean: an error class, whether trying again may help, and
whether the endpoint complains of a field or of the way of asking.
"""

import contextlib
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.model import ModelError
from toolplanner_core.words.places import PREFERENCES

if TYPE_CHECKING:
    from openai import APIStatusError

_DISPENSABLE = ("max_completion_tokens", "max_tokens", "stream_options", "stream", "temperature")
"""Fields of a request; one whose name is the beginning of another's comes after it."""
_MODE_WORDS = ("response_format", "json_schema", "tool_choice", "tools", "tool use", "function")
_REFUSALS = frozenset({400, 404, 422, 501})
_CLASSES = {
    401: ErrorClass.UNAUTHORISED,
    403: ErrorClass.UNAUTHORISED,
    404: ErrorClass.NOT_FOUND,
    408: ErrorClass.TIMEOUT,
    409: ErrorClass.SERVER_ERROR,  # something else holds what was asked for; it will let go
    429: ErrorClass.RATE_LIMITED,
}
_TOO_LONG = (400, 413, 422)
_TOKENS = re.compile(r"(\d{3,}) tokens")
_LEFT_FOR_THE_REPLY = 0.75
WHAT_TO_DO = {
    ErrorClass.NETWORK: f"Start the server, or give another address in {PREFERENCES}",
    ErrorClass.TIMEOUT: "Look whether the server runs; one that is loading a model answers later",
    ErrorClass.BAD_PAYLOAD: "Look whether the address is that of an OpenAI-compatible endpoint,"
    f" which often ends in /v1, in {PREFERENCES}",
    ErrorClass.UNAUTHORISED: f"Look at the key of this endpoint in {PREFERENCES}",
    ErrorClass.NOT_FOUND: f"Look at the address and the model's name in {PREFERENCES}",
    ErrorClass.RATE_LIMITED: "Wait a moment, or look at the credit of your account",
}
"""What a person can do about a model that gives no answer."""
_TRANSIENT = (ErrorClass.TIMEOUT, ErrorClass.RATE_LIMITED, ErrorClass.SERVER_ERROR)


def is_mode_refusal(error: "APIStatusError") -> bool:
    """Whether an error complains of the way the answer was asked for, not of the request itself; a
    conversation that is too long may have grown so by its functions."""
    said = str(error)
    is_refusal = error.status_code in _REFUSALS and "context" not in said
    return is_refusal and any(word in said for word in _MODE_WORDS)


def refused_field(error: "APIStatusError", sent: Collection[str]) -> str:
    """The field of a request that an endpoint complains of and can do without, "" if it is
    another matter: reasoning models take no temperature, some servers no usage in streams."""
    said = str(error)
    if error.status_code not in (400, 422) or "context" in said:
        return ""
    return next((field for field in _DISPENSABLE if field in sent and field in said), "")


def tokens_that_fit(error: "APIStatusError", guessed: int) -> int:
    """How many tokens a prompt may have that was refused for its length, counted like `guessed`,
    which is what it has; 0 if it was refused for another reason."""
    said = str(error)
    if error.status_code not in _TOO_LONG or "context" not in said:
        return 0
    numbers = [int(number) for number in _TOKENS.findall(said)]
    most, had = min(numbers, default=0), max(numbers, default=0)
    share = most / had if most < had else 0.5
    return max(int(guessed * share * _LEFT_FOR_THE_REPLY), 1)


def failure_of(error: Exception, address: str = "") -> ModelError:
    """The typed failure of an exception of the client, or of reading what it got.

    Args:
        address: who was asked, where it shall be said.
    """
    import httpx2
    import openai

    if isinstance(error, ModelError):
        return error
    at = f" {address.rstrip('/')}" if address else ""
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        message = f"The model{' at' if at else ''}{at} did not answer in time"
        return ModelError(ErrorClass.TIMEOUT, message, is_transient=True)
    if isinstance(error, openai.APIConnectionError):
        message = f"The endpoint{at} cannot be reached: {error.__cause__ or error}"
        # Nobody listens there: asking again within seconds would only be counted four times.
        is_transient = not isinstance(error.__cause__, httpx2.ConnectError)
        return ModelError(ErrorClass.NETWORK, message, is_transient=is_transient)
    if isinstance(error, httpx2.HTTPError):
        message = (
            f"The connection{' to' if at else ''}{at} broke in the middle of the reply: {error}"
        )
        return ModelError(ErrorClass.NETWORK, message, is_transient=True)
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error)
    whose = f"What{at} sent is no reply of a chat model" if at else "The reply cannot be read"
    message = f"{whose}: {error}"
    return ModelError(ErrorClass.BAD_PAYLOAD, message, is_transient=True)


def _status_failure(error: Any) -> ModelError:
    status: int = error.status_code
    said = str(error.message).removeprefix(f"Error code: {status}").removeprefix(" - ")
    message = f"HTTP {status}: {said}" if said else f"HTTP {status}"
    if status == 400 and "context" in said:
        message += ". The prompt is too long for this model: offer fewer APIs or toolkits"
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
