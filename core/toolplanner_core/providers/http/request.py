"""The request that an operation and arguments make, without keys; nothing is sent here.

Arguments come from models. So a value never changes where a request goes: it is encoded, and "..",
line breaks in headers and headers of the connection itself are refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlsplit

from toolplanner_core.domain.operation import Operation, Place, Within
from toolplanner_core.domain.origin import Origin
from toolplanner_core.errors import BadInput
from toolplanner_core.providers.http.bodies import body_of
from toolplanner_core.providers.http.styles import header_text, pairs_of, path_text
from toolplanner_core.words.places import SOURCES

_VARIABLE = re.compile(r"\{([^{}/]+)\}")
_OF_THE_CONNECTION = frozenset(
    {
        "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer",
        "keep-alive", "proxy-authorization", "proxy-connection", "accept-encoding", "expect",
    }
)  # fmt: skip
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_IN_QUERY, _IN_BODY = Place(within=Within.QUERY), Place(within=Within.BODY)
_WITHOUT_BODY = frozenset({"GET", "HEAD", "DELETE", "OPTIONS", "TRACE"})


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpCall:
    """A request, ready but for the keys.

    Attributes:
        url: with its query.
        headers: in the order in which they are sent.
        cookies: names and values, as they are sent.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    content: bytes | None = None

    @property
    def origin(self) -> Origin:
        """Where it goes."""
        return Origin.of(self.url)

    def with_header(self, name: str, value: str) -> "HttpCall":
        """The same with a header, instead of one of that name."""
        others = tuple(pair for pair in self.headers if pair[0].lower() != name.lower())
        return replace(self, headers=(*others, (name, value)))

    def with_query(self, name: str, value: str) -> "HttpCall":
        """The same with a pair at the end of its query."""
        return replace(self, url=_with_query(self.url, [(name, value)]))

    def with_cookie(self, name: str, value: str) -> "HttpCall":
        """The same with a cookie."""
        return replace(self, cookies=(*self.cookies, (name, value)))

    def all_headers(self) -> list[tuple[str, str]]:
        """Headers with the cookies among them."""
        if not self.cookies:
            return list(self.headers)
        text = "; ".join(f"{name}={quote(value, safe='')}" for name, value in self.cookies)
        return [*self.headers, ("Cookie", text)]


class ServerUnknown(BadInput):
    """An operation names no server, and nobody else did."""


def http_call(operation: Operation, arguments: Mapping[str, Any], *, base: str = "") -> HttpCall:
    """The request of a call.

    Args:
        base: address in the place of the operation's first server.

    Raises:
        ServerUnknown: the operation names no server.
        BadInput: a value cannot be sent where it belongs.
    """
    server = base.rstrip("/") or (operation.servers[0] if operation.servers else "")
    if not urlsplit(server).hostname:
        raise ServerUnknown(
            "The catalogue does not say where this API is",
            todo=f"Give its source a base URL: {SOURCES}",
        )
    pairs: list[tuple[str, str]] = []
    headers, cookies = dict[str, str](operation.headers), list[tuple[str, str]]()
    in_path: dict[str, str] = {}
    fields: dict[str, Any] = {}
    styles: dict[str, Place] = {}
    whole: list[Any] = []
    usual = _IN_QUERY if operation.method in _WITHOUT_BODY else _IN_BODY
    for argument, value in arguments.items():
        place = operation.places.get(argument, usual)
        name = place.name or argument
        if value is None and place.within is not Within.BODY:
            continue
        match place.within:
            case Within.PATH:
                in_path[name] = _in_path(name, value, place)
            case Within.QUERY | Within.COOKIE:
                found = pairs_of(
                    name, value, within=place.within, style=place.style, explode=place.explode
                )
                (pairs if place.within is Within.QUERY else cookies).extend(found)
            case Within.HEADER:
                headers[name] = header_text(value, explode=place.explode, style=place.style)
            case Within.BODY if place.is_whole_body:
                whole.append(value)
            case Within.BODY:
                fields[name], styles[name] = value, place
    content = None
    if whole or fields:
        content, kind = body_of(whole[0] if whole else fields, operation.content_type, styles)
        headers = {n: v for n, v in headers.items() if n.lower() != "content-type"}
        headers["Content-Type"] = kind
    url = server + _filled(operation.path, in_path)
    return HttpCall(
        method=operation.method.upper(),
        url=_with_query(url, pairs),
        headers=tuple(_checked(headers)),
        cookies=tuple(cookies),
        content=content,
    )


def _in_path(name: str, value: Any, place: Place) -> str:
    text = path_text(name, value, style=place.style, explode=place.explode)
    if text in ("", ".", ".."):
        raise BadInput(f"{name} is {text!r}, which would change the path of the request")
    return text


def _filled(path: str, values: Mapping[str, str]) -> str:
    def value_of(match: re.Match[str]) -> str:
        if match[1] not in values:
            raise BadInput(f"{match[1]} is missing: it stands in the path of the request")
        return values[match[1]]

    return _VARIABLE.sub(value_of, path)


def _with_query(url: str, pairs: list[tuple[str, str]]) -> str:
    if not pairs:
        return url
    head, _, fragment = url.partition("#")
    text = "&".join(f"{quote(name, safe='[]')}={quote(value, safe='')}" for name, value in pairs)
    joined = f"{head}{'' if head[-1] in '?&' else '&' if '?' in head else '?'}{text}"
    return f"{joined}#{fragment}" if fragment else joined


def _checked(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, value in headers.items():
        if name.lower() in _OF_THE_CONNECTION:
            continue
        if not _HEADER_NAME.fullmatch(name) or _CONTROL.search(value):
            raise BadInput(f"{name} cannot be sent as a header: it has line breaks or the like")
        found.append((name, value.strip()))
    return found
