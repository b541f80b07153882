"""What a failure of an OpenAI-compatible endpoint means: class, whether to ask again, what to do.

An error in a body of status 200 counts as if it came by its status.
"""

import json
import re
import time
from collections.abc import Collection
from typing import TYPE_CHECKING

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.http_status import CONFLICT, class_of_status
from toolplanner_core.llm.model import ModelError, ModelRequest
from toolplanner_core.llm.openai_replies import TRIES_OF_BROKEN, Assembled, UnreadableReply
from toolplanner_core.llm.reply_errors import EndpointError, read_error
from toolplanner_core.llm.thinking import RETURNED_FIELDS
from toolplanner_core.words.formatting import counted
from toolplanner_core.words.window_places import PREFERENCES

if TYPE_CHECKING:
    from openai import APIStatusError

_DISPENSABLE = ("max_completion_tokens", "max_tokens", "stream_options", "stream", "temperature",
                "top_p", "seed", "reasoning_effort", *RETURNED_FIELDS)  # fmt: skip
"""Fields of a request, or of a message of it, that an endpoint may refuse."""
_MODE_WORDS = ("response_format", "json_schema", "tool_choice", "tools", "tool use", "function")
_REFUSALS = (400, 404, 422, 501, None)
_BAD_REQUESTS = (400, 422, None)
_TOO_LONG = (400, 413, 422, None)
_TOKENS = re.compile(r"(\d{3,}) tokens")
_LEFT_FOR_THE_REPLY = 0.75
_SPENT = ("insufficient_quota", "insufficient_balance", "billing_hard_limit_reached")
"""Codes of used-up credit: waiting does not bring it back."""
_TRANSIENT = (ErrorClass.TIMEOUT, ErrorClass.RATE_LIMITED, ErrorClass.SERVER_ERROR)
WHAT_TO_DO = {
    ErrorClass.NETWORK: f"Start the server, or give another address in {PREFERENCES}",
    ErrorClass.TIMEOUT: "Look whether the server runs; one that is loading a model answers later",
    ErrorClass.UNAUTHORISED: f"Look at the key of this endpoint in {PREFERENCES}",
    ErrorClass.NOT_SUBSCRIBED: "Look at the credit of your account",
    ErrorClass.NOT_FOUND: f"Look at the address and the model's name in {PREFERENCES}",
    ErrorClass.RATE_LIMITED: "Wait a moment, or look at the credit of your account",
    ErrorClass.SERVER_ERROR: "Ask again later, or look at the log of the endpoint",
}
"""What a person can do about a model that gives no answer, where the fault itself says no more."""


def endpoint_error(error: "APIStatusError") -> EndpointError:
    """What an endpoint said with a status that is none of success."""
    headers = {name.lower(): value for name, value in error.response.headers.items()}
    text = error.response.text
    try:  # the client keeps only what stands under "error"
        body = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        body = text
    found = read_error(body, error.status_code, headers, time.time())
    found.code = found.code or error.code or ""
    return found


def is_mode_refusal(error: EndpointError) -> bool:
    """Whether an error complains of the way the answer was asked for, not of the request itself; a
    conversation that is too long may have grown so by its functions."""
    is_refusal = error.status in _REFUSALS and "context" not in error.said
    return is_refusal and any(word in error.said for word in _MODE_WORDS)


def refused_field(error: EndpointError, sent: Collection[str]) -> str:
    """The field of a request that an endpoint complains of and can do without, "" if it is
    another matter: reasoning models take no temperature, some servers no usage in streams."""
    if error.status not in _BAD_REQUESTS or "context" in error.said:
        return ""
    return next((f for f in _DISPENSABLE if f in sent and _names(error.said, f)), "")


def may_refuse_samples(error: EndpointError) -> bool:
    """Whether an error may be about several replies to one request, which endpoints refuse in any
    words; asking for one shows it."""
    if error.status in (*_BAD_REQUESTS, 501):
        return "context" not in error.said
    return error.status == 500 and ("choice" in error.said or _names(error.said, "n"))


def _names(said: str, field: str) -> bool:
    """Whether a field is spoken of: "upstream" is not "stream"."""
    return re.search(rf"(?<![A-Za-z0-9_]){field}(?![A-Za-z0-9_])", said) is not None


def tokens_that_fit(error: EndpointError, guessed: int) -> int:
    """How many tokens a prompt may have that was refused for its length, counted like `guessed`,
    which is what it has; 0 if it was refused for another reason."""
    if error.status not in _TOO_LONG or "context" not in error.said:
        return 0
    numbers = [int(number) for number in _TOKENS.findall(error.said)]
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
        return _refusal(endpoint_error(error), address)
    if isinstance(error, EndpointError):
        return _refusal(error, address)
    whose = f"What{at} sent is no reply of a chat model" if at else "The reply cannot be read"
    is_foreign = isinstance(error, UnreadableReply) and error.is_foreign
    todo = _address_advice(address) if is_foreign else "Look at the log of the endpoint"
    return ModelError(ErrorClass.BAD_PAYLOAD, f"{whose}: {error}", is_transient=True, todo=todo)


def _refusal(error: EndpointError, address: str) -> ModelError:
    status = error.status
    if error.is_page:
        at = address.rstrip("/") or "the endpoint"
        where = f"HTTP {status}: {at}" if status else at
        message = f"{where} answered with {error.words}"
    elif status is None:
        message = f"The endpoint gave up: {error.words or 'it did not say why'}"
    else:
        message = str(error).removesuffix(": ")
    todo = _address_advice(address) if error.is_page or status in (404, 405) else ""
    if status in (400, 413, 422) and "context" in error.words:
        message += ". The prompt is too long for this model: offer fewer APIs or toolkits"
    if status is None:
        kind: ErrorClass | None = ErrorClass.BAD_PAYLOAD
        todo = todo or "Look at the log of the endpoint"
    else:
        kind = class_of_status(status, otherwise=ErrorClass.WRONG_FORMAT)
    if status == CONFLICT:  # something else holds what was asked for; it will let go
        kind = ErrorClass.SERVER_ERROR
    if error.is_page and (status or 0) >= 500:
        todo = "Look at the proxy or gateway before the endpoint, and whether the endpoint runs"
    return ModelError(
        kind or ErrorClass.BAD_PAYLOAD,
        message,
        is_transient=status is None or (kind in _TRANSIENT and error.code not in _SPENT),
        retry_after_s=error.retry_after_s,
        tries=TRIES_OF_BROKEN if error.is_page and status is None else None,
        todo=todo,
    )


def _address_advice(address: str) -> str:
    """What may be wrong with an address at which something else answers."""
    if address.rstrip("/").endswith("/v1"):
        return f"Look at the address and the model's name in {PREFERENCES}"
    return f"Look at the address in {PREFERENCES}; that of an endpoint often ends in /v1"


_CUT = ("length", "max_tokens", "max_output_tokens", "model_length")
_FILTERED = ("content_filter", "safety", "blocklist", "prohibited_content", "recitation", "refusal",
             "sensitive", "content_filtered")  # fmt: skip
_CALLING = ("tool_calls", "tool_call", "tool_use", "function_call", "malformed_function_call",
            "function_call_filter: malformed_function_call")  # fmt: skip
_BROKEN = ("error", "network_error", "engine_error", "abort")


def is_cut_for_length(got: Assembled) -> bool:
    """Whether an endpoint ended a reply since it got too long."""
    return got.finish_reason.lower() in _CUT


def cut_by_budget(request: ModelRequest, got: Assembled, room: int) -> ModelError | None:
    """That a reply ends where the tokens do that were left for it; None if it ended by itself, or
    can be used as far as it came.

    Args:
        room: tokens that the endpoint was told, 0 = none.
    """
    if request.max_reply_tokens is None or room != request.max_reply_tokens:
        return None
    is_short = 0 < got.usage.output_tokens < room  # a limit of the endpoint's own
    is_data = request.question is not None or bool(got.calls)
    if not is_cut_for_length(got) or is_short or (is_data and got.is_whole(request.question)):
        return None
    what = f"The reply was cut at the {counted(room, 'token')} that were left for it"
    return ModelError(ErrorClass.OVER_BUDGET, what, is_transient=False)


def unusable_reply(request: ModelRequest, got: Assembled) -> ModelError | None:
    """Why nothing can be done with a reply, by the reason that its endpoint gives for its end; None
    if something can. Said at once: a strategy would ask on, step after step, for a call that this
    endpoint does not make."""
    reason = got.finish_reason.lower()
    has_calls = bool(got.calls) and all(call.values() is not None for call in got.calls)
    is_calling = bool(request.tools) and request.tool_choice != "none"
    if has_calls or (not is_calling and got.is_whole(request.question) and reason not in _BROKEN):
        return None
    if reason in _BROKEN:
        what = f"The endpoint ended the reply with {got.finish_reason!r}"
        return _unusable(what, "Look at the log of the endpoint", tries=None)
    if reason in _FILTERED:
        return _unusable(
            f"A filter of the endpoint stopped the reply ({got.finish_reason})",
            "Say it in other words, or choose another model",
        )
    # A typed answer is sent back to be repaired, as arguments are that cannot be read.
    if reason in _CUT and is_calling:
        return _unusable(
            "The reply was cut for its length before it called anything",
            "Allow more tokens for a reply in the options of the model, or offer fewer functions",
        )
    if reason in _CALLING and is_calling and not got.calls:
        return _unusable(
            "The endpoint says that the model calls a function, but sent no call"
            f" (finish_reason {got.finish_reason!r})",
            "Look whether the server has a parser for the calls of this model; else choose another"
            f" way of asking in {PREFERENCES}",
            tries=TRIES_OF_BROKEN,
        )
    return None


def _unusable(what: str, todo: str, *, tries: int | None = 1) -> ModelError:
    is_transient = tries != 1
    return ModelError(
        ErrorClass.BAD_PAYLOAD, what, is_transient=is_transient, tries=tries, todo=todo
    )
