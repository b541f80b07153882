"""What a recorded observation of ToolBench says: a value, or a failure with our error class.

An observation is a text ``{"error": "...", "response": ...}`` with a code beside it. The codes that
ToolBench gives for its own reasons (no such function, time-out, HTTP status) are taken over; what
the API itself said is read by `providers/classify.py`, as for our own calls. ToolBench's code 11
only means that the word "error" occurs in the payload, so it decides nothing here.

Source: ToolBench (Apache-2.0), toolbench/inference/Downstream_tasks/rapidapi.py, `_step`: 0 reply,
1 no such function, 2 bad input, 3 answer, 4 give up, 5 time-out, 6 404, 7 not subscribed,
8 unauthorised, 9 too many requests, 10 rate limit, 11 "error" in the message, 12 not sent.
"""

import ast
import json
import re
from dataclasses import dataclass
from typing import Any, cast

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.providers.classify import observe

_ORIGIN = "imported"
_LARGEST_LITERAL = 200_000
_STATUS = re.compile(r"status_code=(\d{3})\b")
_NO_FUNCTION, _BAD_INPUT, _TIME_OUT = 1, 2, 5
_CLASS_OF_CODE = {
    _NO_FUNCTION: ErrorClass.UNKNOWN_API,
    _BAD_INPUT: ErrorClass.WRONG_FORMAT,
    _TIME_OUT: ErrorClass.TIMEOUT,
    6: ErrorClass.NOT_FOUND,
    7: ErrorClass.NOT_SUBSCRIBED,
    8: ErrorClass.UNAUTHORISED,
    9: ErrorClass.RATE_LIMITED,
    10: ErrorClass.RATE_LIMITED,
}
_BEGINNINGS = (
    ("No such function name", _NO_FUNCTION),
    ("Timeout error", _TIME_OUT),
    ("Function executing from", _BAD_INPUT),
)
_READ_ONLY = Api(
    id=ApiId(""), source="", key="", category="", tool="", name="", method="", url="",
    description="", tool_description="", parameters={}, response_schema=None, risk=Risk.READ,
    doc_hash="",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a recorded call went.

    Attributes:
        error: None when it worked.
        is_refused: nothing was sent, because there is no such function or its input is unreadable.
        body: the reply as text, JSON where it could be read as such.
    """

    error: ErrorClass | None
    message: str
    status: int | None
    body: str
    content_type: str
    is_refused: bool = False


def read_outcome(observation: str, code: int | None = None) -> Outcome:
    """What an observation says.

    Args:
        code: ToolBench's own; None where the file has none.
    """
    said, payload = _parts(observation)
    if code is None:
        code = next((number for head, number in _BEGINNINGS if said.startswith(head)), 0)
    body, content_type = _as_text(payload)
    given = _CLASS_OF_CODE.get(code)
    found = _STATUS.search(said)
    if given is None and found is None and payload in (None, "") and said:
        # Only the recorder's own words: they stand in the place of the reply.
        body, content_type = json.dumps({"error": said}, ensure_ascii=False), "application/json"
    raw = RawResult(
        status=int(found[1]) if found else 200,
        body=body,
        content_type=content_type,
        failure=given,
        message=said if given is not None else "",
        origin=_ORIGIN,
    )
    seen = observe(raw, _READ_ONLY)
    return Outcome(
        error=seen.error,
        message=f"{seen.message} ({said})" if found else seen.message,
        status=raw.status if given is None else None,
        body=body,
        content_type=content_type,
        is_refused=code in (_NO_FUNCTION, _BAD_INPUT),
    )


def _parts(observation: str) -> tuple[str, Any]:
    """The recorder's error text, and the API's own payload."""
    try:
        data = json.loads(observation)
    except (ValueError, RecursionError):
        return "", observation
    if not isinstance(data, dict) or "response" not in data:
        return "", cast(Any, data)
    fields = cast("dict[str, Any]", data)
    return str(fields.get("error") or ""), _literal(fields["response"])


def _literal(payload: Any) -> Any:
    """A payload that was written as a Python literal, read; anything else as it is."""
    if not isinstance(payload, str) or payload[:1] not in ("{", "["):
        return payload
    if len(payload) > _LARGEST_LITERAL:
        return payload
    for read in (json.loads, ast.literal_eval):
        try:
            return read(payload)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue  # many recorders cut replies; what is left is text
    return payload


def _as_text(payload: Any) -> tuple[str, str]:
    if payload is None:
        return "", "text/plain"
    if isinstance(payload, str):
        return payload, "text/plain"
    return json.dumps(payload, ensure_ascii=False, default=str), "application/json"
