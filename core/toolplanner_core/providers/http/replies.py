"""What came back over HTTP as a result for the log: text, kind, and the headers that matter."""

import base64
import re
from email.message import Message

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.net.exchange import Exchanged
from toolplanner_core.providers.pictures import FoundPicture, pictures_of

ORIGIN = "http"
_MATTERS = re.compile(r"(?:retry-after|location|link|x-request-id|(?:x-)?rate-?limit.*)")
_TEXT = re.compile(r"text/|.*(?:json|xml|javascript|yaml|csv|html|x-www-form-urlencoded)")


def raw_result(reply: Exchanged, api: Api) -> RawResult:
    """A reply as it is kept; a page for people where data were promised is a failure."""
    header = Message()
    header["Content-Type"] = reply.headers.get("content-type", "")
    kind = header.get_content_type() if header["Content-Type"] else ""
    is_text = not kind or _TEXT.match(kind) is not None
    content = reply.content
    if is_text:
        body = _decoded(content, header.get_content_charset() or "utf-8")
    else:
        body = f"({len(content):,} bytes of {kind})"
    # What was changed may be confirmed by nothing at all, whatever kind its header names.
    is_awaited = api.response_schema is not None and (api.risk is Risk.READ or bool(body.strip()))
    is_page = kind == "text/html" and 200 <= reply.status < 300 and is_awaited
    return RawResult(
        status=reply.status,
        body=body,
        content_type=kind if is_text else "text/plain",
        headers={
            "-".join(part.capitalize() for part in name.split("-")): value[:500]
            for name, value in reply.headers.items()
            if _MATTERS.fullmatch(name)
        },
        failure=ErrorClass.BAD_PAYLOAD if is_page else None,
        message="a page of HTML came where the documentation promises data" if is_page else "",
        origin=ORIGIN,
        pictures=pictures_of([_picture(kind, content)] if kind.startswith("image/") else []),
    )


def _picture(kind: str, content: bytes) -> FoundPicture:
    return FoundPicture(kind, base64.b64encode(content).decode("ascii"))


def _decoded(content: bytes, charset: str) -> str:
    try:
        text = content.decode(charset)
    except (LookupError, UnicodeDecodeError):
        text = content.decode("utf-8", "replace")
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
