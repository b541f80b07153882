"""What an HTTP status means: which class of failure it is, and whether asking again may help.

The one table for API calls, models, embeddings and MCP servers, and which status an endpoint means
that says only a code or a sentence. What else a reply says beside its status is read by who knows
its form (`providers/classify.py`, `llm/reply_errors.py`).

Source: RFC 9110, section 15; RFC 6585 (429); 520 to 524 are those of Cloudflare.
"""

import re

from toolplanner_core.domain.failure import ErrorClass

CONFLICT = 409
_CLASSES = {
    **dict.fromkeys((401, 403, 407, 451), ErrorClass.UNAUTHORISED),
    **dict.fromkeys((404, 405, 410), ErrorClass.NOT_FOUND),
    402: ErrorClass.NOT_SUBSCRIBED,
    408: ErrorClass.TIMEOUT,
    415: ErrorClass.WRONG_FORMAT,
    429: ErrorClass.RATE_LIMITED,
}
_AGAIN_LATER = frozenset({408, CONFLICT, 425, 429})
_BUSY = frozenset({429, 502, 503, 504})
_PERHAPS_DONE = frozenset({408, 500, 502, 504, 520, 522, 524})

_STATUS_OF_CODE = {
    **dict.fromkeys(("invalid_request_error", "invalid_argument", "failed_precondition"), 400),
    **dict.fromkeys(("context_length_exceeded", "bad_request", "badrequesterror"), 400),
    **dict.fromkeys(("invalid_api_key", "authentication_error", "unauthenticated"), 401),
    **dict.fromkeys(("unauthorized", "authenticationerror"), 401),
    **dict.fromkeys(("insufficient_balance", "payment_required", "billing_error"), 402),
    **dict.fromkeys(("permission_denied", "permission_error", "forbidden"), 403),
    **dict.fromkeys(("not_found", "not_found_error", "model_not_found", "notfounderror"), 404),
    **dict.fromkeys(("request_too_large",), 413),
    **dict.fromkeys(("rate_limit_exceeded", "rate_limit_error", "rate_limit"), 429),
    **dict.fromkeys(("insufficient_quota", "resource_exhausted", "too_many_requests"), 429),
    **dict.fromkeys(("ratelimiterror", "rate_limited", "tokens_exceeded"), 429),
    **dict.fromkeys(("internal", "server_error", "internal_server_error", "api_error"), 500),
    **dict.fromkeys(("internalservererror",), 500),
    **dict.fromkeys(("unavailable", "service_unavailable", "engine_overloaded"), 503),
    **dict.fromkeys(("deadline_exceeded", "timeout", "gateway_timeout"), 504),
    **dict.fromkeys(("throttlingexception", "throttling", "servicequotaexceededexception"), 429),
    **dict.fromkeys(("validationexception",), 400),
    **dict.fromkeys(("accessdeniedexception",), 403),
    **dict.fromkeys(("resourcenotfoundexception",), 404),
    **dict.fromkeys(("modelnotreadyexception", "serviceunavailableexception"), 503),
    **dict.fromkeys(("overloaded_error", "overloaded"), 529),
}
"""Source: the error lists of OpenAI, Anthropic, Google (google.rpc.Code), Amazon Bedrock, and of
LiteLLM."""
_STATUS_OF_WORDS = (
    (re.compile(r"rate.?limit|too many requests|quota", re.IGNORECASE), 429),
    (
        re.compile(
            r"(?:invalid|incorrect) api.?key|unauthori[sz]ed|authentication (?:error|fail)",
            re.IGNORECASE,
        ),
        401,
    ),
    (re.compile(r"insufficient (?:balance|credit|funds)|payment required", re.IGNORECASE), 402),
    (re.compile(r"internal server error", re.IGNORECASE), 500),
    (re.compile(r"bad gateway|upstream connect error", re.IGNORECASE), 502),
    (re.compile(r"service unavailable", re.IGNORECASE), 503),
    (re.compile(r"gateway time-?out", re.IGNORECASE), 504),
    (re.compile(r"overloaded|no capacity|temporarily unavailable", re.IGNORECASE), 503),
    (re.compile(r"context (?:length|window|size)|maximum context", re.IGNORECASE), 400),
    (re.compile(r"model\b.{0,80}\b(?:not found|does not exist)", re.IGNORECASE), 404),
    (
        re.compile(
            r"not supported|unsupported|not permitted|unrecogni[sz]ed|unknown (?:param|field|name)"
            r"|unexpected keyword",
            re.IGNORECASE,
        ),
        400,
    ),
)


def class_of_status(
    status: int, *, otherwise: ErrorClass = ErrorClass.INVALID_PARAMETER
) -> ErrorClass | None:
    """The class that a status alone stands for, None for 1xx to 3xx.

    Args:
        otherwise: the class of a 4xx that has none of its own.
    """
    if status in _CLASSES or status < 400:
        return _CLASSES.get(status)
    return otherwise if status < 500 else ErrorClass.SERVER_ERROR


def is_busy(status: int | None) -> bool:
    """Whether a server, or what stands before it, may have time in a moment."""
    return status in _BUSY


def may_pass(status: int) -> bool:
    """Whether a later request, which changes nothing, may be answered otherwise."""
    return status in _AGAIN_LATER or status >= 500


def is_perhaps_done(status: int | None) -> bool:
    """Whether a server may have done what it was asked before it failed to say so."""
    return status in _PERHAPS_DONE


def status_of_code(code: str) -> int | None:
    """The status that a code such as "rate_limit_exceeded" stands for; None if it is not known."""
    return _STATUS_OF_CODE.get(code.lower())


def status_of_words(words: str) -> int | None:
    """The status that the sentence of an error speaks of; None if it is not known."""
    return next((status for pattern, status in _STATUS_OF_WORDS if pattern.search(words)), None)
