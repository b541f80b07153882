"""The HTTP request that an operation and arguments make, without keys, also as text and for curl.

Arguments come from models. So a value never changes where a request goes: it is encoded, and "..",
line breaks in headers and headers of the connection itself are refused.

Source: OpenAPI 3.1, 4.8.12 "Parameter Object", style values; RFC 6570. "tabDelimited" is 2.0's
`collectionFormat: tsv`, "json" a parameter with `content: application/json`; OpenAPI 3.1, 4.8.14
"Media Type Object"; RFC 7578 for multipart.
"""

import hashlib
import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import quote, quote_plus, urlsplit

from toolplanner_core.domain.media_types import JSON, JSON_PATCH, bare, is_json, is_json_lines
from toolplanner_core.domain.operation import (
    ArgumentPlace,
    Operation,
    Origin,
    RequestPart,
    SchemeKind,
    SecurityScheme,
)
from toolplanner_core.errors import BadInput
from toolplanner_core.words.window_places import SOURCES

Pairs = list[tuple[str, str]]

_DEFAULTS = {
    RequestPart.PATH: "simple",
    RequestPart.QUERY: "form",
    RequestPart.HEADER: "simple",
    RequestPart.COOKIE: "form",
    RequestPart.BODY: "form",
}
_BETWEEN = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}


def text_of(value: Any) -> str:
    """A single value as it stands in a request; what is inside a list or object as JSON."""
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        case int() | float():
            return str(value)
        case _:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=dict)


def pairs_of(
    name: str, value: Any, *, within: RequestPart, style: str = "", explode: bool | None = None
) -> Pairs:
    """Names and values in a query, a form or cookies, not yet encoded."""
    style = style or _DEFAULTS[within]
    is_exploded = style == "form" if explode is None else explode
    items, fields = _items(value), _fields(value)
    if style == "json" or (items is None and fields is None):
        return [
            (name, json.dumps(value, ensure_ascii=False) if style == "json" else text_of(value))
        ]
    if fields is not None:
        if style == "deepObject":
            return _deep(name, fields)
        if is_exploded:
            return [(key, text_of(item)) for key, item in fields.items()]
        items = [part for key, item in fields.items() for part in (key, item)]
    elif style == "deepObject":
        return _deep(name, dict(enumerate(items or ())))
    elif is_exploded:
        return [(name, text_of(item)) for item in items or ()]
    return [(name, _BETWEEN.get(style, ",").join(map(text_of, items or ())))]


def path_text(name: str, value: Any, *, style: str = "", explode: bool | None = None) -> str:
    """What stands in a path for a parameter, encoded."""
    parts = [quote(part, safe="") for part in _parts(value, explode=bool(explode))]
    match style:
        case "label":
            return "." + (".".join(parts) if explode else ",".join(parts))
        case "matrix":
            if explode and _fields(value) is not None:
                return "".join(f";{part.replace('%3D', '=', 1)}" for part in parts)
            if explode and _items(value) is not None:
                return "".join(f";{name}={part}" for part in parts)
            return f";{name}={','.join(parts)}"
        case _:
            text = ",".join(parts)
            return text.replace("%3D", "=") if explode and _fields(value) is not None else text


def header_text(value: Any, *, explode: bool | None = None, style: str = "") -> str:
    """What stands in a header."""
    if style == "json":
        return json.dumps(value)
    return ",".join(_parts(value, explode=bool(explode)))


def _parts(value: Any, *, explode: bool) -> list[str]:
    items, fields = _items(value), _fields(value)
    if fields is not None:
        if explode:
            return [f"{key}={text_of(item)}" for key, item in fields.items()]
        return [text_of(part) for pair in fields.items() for part in pair]
    return [text_of(item) for item in items] if items is not None else [text_of(value)]


def _deep(name: str, fields: Mapping[Any, Any]) -> Pairs:
    pairs: Pairs = []
    for key, item in fields.items():
        inner = f"{name}[{key}]"
        if (below := _fields(item)) is not None:
            pairs += _deep(inner, below)
        elif (items := _items(item)) is not None:
            # The standard does not say; servers that take objects in lists want their numbers.
            has_inner = any(isinstance(each, Mapping | list | tuple) for each in items)
            pairs += (
                _deep(inner, dict(enumerate(items)))
                if has_inner
                else [(inner, text_of(each)) for each in items]
            )
        else:
            pairs.append((inner, text_of(item)))
    return pairs


def _items(value: Any) -> Sequence[Any] | None:
    return cast(Sequence[Any], value) if isinstance(value, list | tuple) else None


def _fields(value: Any) -> Mapping[str, Any] | None:
    return cast(Mapping[str, Any], value) if isinstance(value, Mapping) else None


FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
_IN_BODY = ArgumentPlace(within=RequestPart.BODY)


def body_of(
    value: Any, content_type: str, places: Mapping[str, ArgumentPlace] = MappingProxyType({})
) -> tuple[bytes, str]:
    """A value as a body, and the content type as the header names it.

    Args:
        places: how lists and objects in fields of a form are written, by the names of the fields.
    """
    kind = bare(content_type) or JSON
    if kind == FORM:
        pairs = _pairs(value, places)
        text = "&".join(f"{quote_plus(name)}={quote_plus(item)}" for name, item in pairs)
        return text.encode(), FORM
    if kind == MULTIPART:
        return _multipart(_pairs(value, places))
    if is_json_lines(kind) and not isinstance(value, str):
        lines = cast(list[Any], value) if isinstance(value, list) else [value]
        return "".join(f"{_as_json(line)}\n" for line in lines).encode("utf-8", "replace"), kind
    if is_json(kind) or kind in ("*/*", "application/*"):
        is_named = is_json(kind) and "*" not in kind
        return _as_json(value).encode("utf-8", "replace"), content_type if is_named else JSON
    return text_of(value).encode("utf-8", "replace"), content_type


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def body_type(value: Any, operation: Operation) -> str:
    """The media type of a body, of those that the operation takes: a list of changes is a JSON
    patch, an object with fields is none."""
    offered = (operation.content_type, *operation.other_content_types)
    fitting = [each for each in offered if (bare(each) == JSON_PATCH) == isinstance(value, list)]
    return fitting[0] if fitting and operation.other_content_types else operation.content_type


def _pairs(value: Any, places: Mapping[str, ArgumentPlace]) -> Pairs:
    if not isinstance(value, Mapping):
        return [("value", text_of(value))]
    pairs: Pairs = []
    for name, item in cast(Mapping[str, Any], value).items():
        place = places.get(name, _IN_BODY)
        if isinstance(item, Mapping) and not place.style:
            pairs.append((name, text_of(item)))
        elif item is not None:
            pairs += pairs_of(
                name, item, within=RequestPart.BODY, style=place.style, explode=place.explode
            )
    return pairs


def _multipart(pairs: Pairs) -> tuple[bytes, str]:
    # The boundary comes from what it divides: the same arguments make the same request.
    digest = hashlib.sha256(repr(pairs).encode("utf-8", "replace")).hexdigest()
    boundary = f"toolplanner-{digest[:24]}"
    parts: list[str] = []
    for name, item in pairs:
        quoted = name.replace("\\", "\\\\").replace('"', "%22")
        quoted = quoted.replace("\r", "%0D").replace("\n", "%0A")
        parts.append(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{quoted}"\r\n\r\n{item}\r\n'
        )
    text = "".join(parts) + f"--{boundary}--\r\n"
    return text.encode("utf-8", "replace"), f"{MULTIPART}; boundary={boundary}"


_VARIABLE = re.compile(r"\{([^{}/]+)\}")
_OF_THE_CONNECTION = frozenset(
    {
        "host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer",
        "keep-alive", "proxy-authorization", "proxy-connection", "accept-encoding", "expect",
    }
)  # fmt: skip
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_IN_QUERY = ArgumentPlace(within=RequestPart.QUERY)
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
    styles: dict[str, ArgumentPlace] = {}
    whole: list[Any] = []
    usual = _IN_QUERY if operation.method in _WITHOUT_BODY else _IN_BODY
    for argument, value in arguments.items():
        place = operation.places.get(argument, usual)
        name = place.name or argument
        if value is None and place.within is not RequestPart.BODY:
            continue
        match place.within:
            case RequestPart.PATH:
                in_path[name] = _in_path(name, value, place)
            case RequestPart.QUERY | RequestPart.COOKIE:
                found = pairs_of(
                    name, value, within=place.within, style=place.style, explode=place.explode
                )
                (pairs if place.within is RequestPart.QUERY else cookies).extend(found)
            case RequestPart.HEADER:
                headers[name] = header_text(value, explode=place.explode, style=place.style)
            case RequestPart.BODY if place.is_whole_body:
                whole.append(value)
            case RequestPart.BODY:
                fields[name], styles[name] = value, place
    content = None
    if whole or fields:
        body = whole[0] if whole else fields
        content, kind = body_of(body, body_type(body, operation), styles)
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


def _in_path(name: str, value: Any, place: ArgumentPlace) -> str:
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


_SHOWN = 20_000


def with_key_placeholders(
    call: HttpCall, alternatives: Iterable[tuple[SecurityScheme, ...]]
) -> HttpCall:
    """The call with a word such as $KEY_MAIN in the place of each key of the first alternative."""
    for scheme in next(filter(None, alternatives), ()):
        key = "$KEY_" + "".join(c if c.isascii() and c.isalnum() else "_" for c in scheme.name)
        put = {RequestPart.QUERY: call.with_query, RequestPart.COOKIE: call.with_cookie}
        if scheme.kind is SchemeKind.KEY:
            call = put.get(scheme.within or RequestPart.HEADER, call.with_header)(
                scheme.parameter, key.upper()
            )
        else:
            how = "Basic" if scheme.kind is SchemeKind.BASIC else "Bearer"
            call = call.with_header("Authorization", f"{how} {key.upper()}")
    return call


def request_text(call: HttpCall) -> str:
    """Method and address, headers, body."""
    lines = [f"{call.method} {call.url}", *(f"{n}: {v}" for n, v in call.all_headers())]
    if call.content:
        lines += ["", call.content.decode("utf-8", "replace")[:_SHOWN]]
    return "\n".join(lines)


def curl_text(call: HttpCall) -> str:
    """A command that sends the same; nothing in it is read by the shell but the names of keys."""
    words = ["curl", "--globoff", "-X", call.method, _quoted(call.url)]
    for name, value in call.all_headers():
        words += ["-H", _quoted(f"{name}: {value}")]
    if call.content:
        words += ["--data-binary", shlex.quote(call.content.decode("utf-8", "replace"))]
    return " ".join(words)


def _quoted(text: str) -> str:
    """Quoted for a shell, but for the names of keys that `with_key_placeholders` has put in."""
    before, mark, name = text.replace("%24KEY_", "$KEY_").partition("$KEY_")
    end = next((n for n, c in enumerate(name) if not (c.isalnum() or c == "_")), len(name))
    if not mark or not name[:end].isupper():
        return shlex.quote(text)
    return f'{shlex.quote(before)}"$KEY_{name[:end]}"' + (
        shlex.quote(name[end:]) if name[end:] else ""
    )
