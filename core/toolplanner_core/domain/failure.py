"""Why a call or a step failed: a closed list with its explanations.

Source: design/strategies.md section 0; the six types of Tool-Planner's error analysis map onto it.

Whether a failed call says that what was asked for does not exist, which is no fault of the API.

"No translation of 'umbrella'" is a right answer to a question about something that is not there.
"Endpoint closed", or a bare 404 that names nothing, says that the API itself is not there.
"""

import re
from enum import StrEnum


class ErrorClass(StrEnum):
    """The closed list of error classes; every failure in a run has exactly one."""

    UNKNOWN_API = "unknown_api"
    MISSING_PARAMETER = "missing_parameter"
    INVALID_PARAMETER = "invalid_parameter"
    WRONG_FORMAT = "wrong_format"
    UNAUTHORISED = "unauthorised"
    NOT_SUBSCRIBED = "not_subscribed"
    NOT_FOUND = "not_found"
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    SERVER_ERROR = "server_error"
    NETWORK = "network"
    BAD_PAYLOAD = "bad_payload"
    EMPTY_RESULT = "empty_result"
    BLOCKED_BY_POLICY = "blocked_by_policy"
    OVER_BUDGET = "over_budget"
    DAY_BUDGET = "day_budget"
    CANCELLED = "cancelled"
    CLUSTER_INCOMPLETE = "cluster_incomplete"
    DECISION_FAILURE = "decision_failure"
    WORKSPACE_FAULT = "workspace_fault"


EXPLANATIONS: dict[ErrorClass, str] = {
    ErrorClass.UNKNOWN_API: "The model named an API that does not exist in what it was offered.",
    ErrorClass.MISSING_PARAMETER: "A required argument was not given.",
    ErrorClass.INVALID_PARAMETER: "An argument has a value that the API does not accept.",
    ErrorClass.WRONG_FORMAT: "An argument or the model's answer has the wrong form or type.",
    ErrorClass.UNAUTHORISED: "The key is missing or was refused (HTTP 401 or 403).",
    ErrorClass.NOT_SUBSCRIBED: "The key is valid but has no subscription or plan for this API.",
    ErrorClass.NOT_FOUND: "The API or what it was asked for does not exist (HTTP 404 or 410).",
    ErrorClass.RATE_LIMITED: "Too many requests, or the quota is used up (HTTP 429).",
    ErrorClass.TIMEOUT: "No answer came within the time limit.",
    ErrorClass.SERVER_ERROR: "The API failed on its own side (HTTP 5xx).",
    ErrorClass.NETWORK: "The connection could not be made or was cut.",
    ErrorClass.BAD_PAYLOAD: "The reply could not be read: broken JSON or an unexpected shape.",
    ErrorClass.EMPTY_RESULT: "The call worked but returned nothing that helps.",
    ErrorClass.BLOCKED_BY_POLICY: "A safety rule or a person did not allow the call.",
    ErrorClass.OVER_BUDGET: "The call would have exceeded the run's budget and was not made.",
    ErrorClass.DAY_BUDGET: "What models may cost in a day is used up; nothing was asked.",
    ErrorClass.CANCELLED: "The run was stopped before the call finished.",
    ErrorClass.CLUSTER_INCOMPLETE: "No API of the toolkit could do this step: each failed for"
    " what it is, none because its service was down.",
    ErrorClass.DECISION_FAILURE: "All calls worked, but the task is not solved.",
    ErrorClass.WORKSPACE_FAULT: "The workspace itself could not be read or written: nobody's answer"
    " was wrong.",
}
"""One sentence for people per class, shown in the inspector."""

PUBLISHED: dict[ErrorClass, str] = {
    ErrorClass.INVALID_PARAMETER: "Invalid Input Parameters",
    ErrorClass.UNKNOWN_API: "API Hallucinated",
    ErrorClass.WRONG_FORMAT: "False API Call Format",
    ErrorClass.CLUSTER_INCOMPLETE: "Cluster Incomplete",
    ErrorClass.MISSING_PARAMETER: "Miss Input Parameters",
    ErrorClass.DECISION_FAILURE: "Decision Failure",
}
"""The six types of Tool-Planner's error analysis under their names (Source: arXiv 2406.03807,
figure 5 and appendix H). Failures of services have no type there."""


OF_HARNESS = frozenset(
    {
        ErrorClass.DAY_BUDGET,
        ErrorClass.UNAUTHORISED,
        ErrorClass.NOT_SUBSCRIBED,
        ErrorClass.NOT_FOUND,
        ErrorClass.RATE_LIMITED,
        ErrorClass.TIMEOUT,
        ErrorClass.SERVER_ERROR,
        ErrorClass.NETWORK,
    }
)
"""Failures of a model that say nothing about the strategy that asked it: its endpoint is too busy,
away, or lets nobody in."""


OUT_OF_REACH = OF_HARNESS | {ErrorClass.OVER_BUDGET}
"""Failures of a model after which asking it anything else would fail as well."""


OF_SERVICE = frozenset(
    {
        ErrorClass.UNAUTHORISED,
        ErrorClass.NOT_SUBSCRIBED,
        ErrorClass.RATE_LIMITED,
        ErrorClass.TIMEOUT,
        ErrorClass.SERVER_ERROR,
        ErrorClass.NETWORK,
        ErrorClass.BAD_PAYLOAD,
    }
)
"""Failures of a call that say something about the API whatever it was asked; all others depend on
the arguments, so that the same API may answer another question."""


_GONE = (405, 410)
_OF_ITSELF = re.compile(
    r"(?i)\b(?:api|endpoint|route|path|url|host|page|server|service|method|version|successor)\b"
    r"|\bcannot (?:get|post|put|delete)\b|\bno longer\b|\bdeprecated\b|\bdiscontinued\b|\bgone\b"
    r"|\b(?:removed|retired|closed)\b|\bshut down\b"
)
_NAMES_NOTHING = re.compile(r"(?i)\W*(?:error\W*)?(?:\d{3}\W*)?(?:resource )?(?:not ?found)?\W*")


def reports_not_found(error: str | None, *, status: int | None, message: str) -> bool:
    """Whether an outcome is about what was asked, not about the API.

    Args:
        error: its class; status: HTTP status, None if unknown.
        message: as `providers/classify.py` words it: the class, then what the API said.
    """
    if error == ErrorClass.EMPTY_RESULT:
        return True
    said = message.partition(": ")[2]
    is_bare = bool(_NAMES_NOTHING.fullmatch(said))
    if error != ErrorClass.NOT_FOUND or status in _GONE or is_bare:
        return False
    return not _OF_ITSELF.search(said)
