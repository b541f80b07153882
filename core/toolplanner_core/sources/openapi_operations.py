"""Read the operations of one OpenAPI document, each as one API: reply, security and servers, too.

An operation that cannot be read is rejected alone. Webhooks and callbacks are calls that the server
makes, and no tools.

Source: OpenAPI 2.0 and 3.1.1: Responses Object; OpenAPI 2.0 and 3.1.1: Security Scheme Object,
Security Requirement Object; OpenAPI 2.0: host, basePath, schemes; 3.1.1: Server Object; OpenAPI
2.0, 3.0.4, 3.1.1, 3.2.0: Paths, Path Item and Operation Object.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.operation import Operation, RequestPart, SchemeKind, SecurityScheme
from toolplanner_core.errors import BadInput
from toolplanner_core.sources.documents import json_kind
from toolplanner_core.sources.identity import ApiIds, make_api
from toolplanner_core.sources.openapi_arguments import (
    GatheredArguments,
    add_body,
    add_old_body,
    add_parameters,
    example_of,
    merged_parameters,
    preferred_media_type,
)
from toolplanner_core.sources.openapi_documents import (
    DocumentPart,
    Notes,
    References,
    as_list,
    as_object,
    as_text,
)
from toolplanner_core.sources.openapi_schemas import Schema, SchemaReader
from toolplanner_core.sources.source import Mended, Rejected
from toolplanner_core.sources.text_cleaning import clean_line, clean_text


class DocumentedReply(NamedTuple):
    """A documented reply.

    Attributes:
        schema: None if it has none.
        media_type: "" if it has no content.
    """

    schema: Schema | None
    media_type: str


def read_reply(
    responses: Any, base: str, produces: list[str], reader: SchemaReader, *, place: str
) -> DocumentedReply:
    """The reply of the first good status with content.

    Args:
        produces: media types of 2.0, which stand beside the responses.
    """
    known = {str(status): each for status, each in as_object(responses).items()}
    good = sorted(status for status in known if status.upper().startswith("2"))
    for status in [*good, *(["default"] if "default" in known and not good else [])]:
        try:
            part = reader.references.follow(known[status], base)
        except BadInput as error:
            why = f"the reference of reply {status} cannot be used: {error.what}"
            reader.notes.add(why, place=place)
            continue
        reply = _content(part, produces, reader, place)
        if reply.schema is not None or reply.media_type:
            return reply
    return DocumentedReply(None, "")


def _content(
    part: DocumentPart, produces: list[str], reader: SchemaReader, place: str
) -> DocumentedReply:
    response = as_object(part.value)
    content = as_object(response.get("content"))
    if not content and "schema" in response:
        examples = as_object(response.get("examples"))
        media_type = preferred_media_type(produces)
        old = {"schema": response["schema"], "example": examples.get(media_type)}
        content = {media_type: old}
    media_type = preferred_media_type([*content])
    if not content:
        return DocumentedReply(None, "")
    media = as_object(content.get(media_type, next(iter(content.values()))))
    if "schema" not in media:
        return DocumentedReply(None, media_type)
    schema = reader.read(media["schema"], part.base, is_request=False, place=place)
    example = example_of(media)
    if example is not None:
        schema = {**schema, "examples": [example]}
    return DocumentedReply(schema, media_type)


_WITHIN = {"query": RequestPart.QUERY, "header": RequestPart.HEADER, "cookie": RequestPart.COOKIE}
_FLOWS = ("clientCredentials", "password", "authorizationCode", "implicit", "deviceAuthorization")


def security_of(
    requirements: Any, schemes: dict[str, Any], base: str, references: References, notes: Notes
) -> tuple[tuple[SecurityScheme, ...], ...]:
    """The alternatives that a list of requirements stands for; of each, everything is asked."""
    alternatives: list[tuple[SecurityScheme, ...]] = []
    for requirement in as_list(requirements):
        asked: list[SecurityScheme] = []
        for name, scopes in as_object(requirement).items():
            try:
                raw = as_object(references.follow(schemes.get(name), base).value)
            except BadInput:
                raw = {}
            if not raw:
                notes.add(f"the security scheme {name[:100]!r} is not declared")
            asked.append(_scheme(clean_line(name), raw, as_list(scopes)))
        alternatives.append(tuple(asked))
    return tuple(dict.fromkeys(alternatives))


def _scheme(name: str, raw: dict[str, Any], scopes: list[Any]) -> SecurityScheme:
    kind = as_text(raw.get("type"))
    scheme = as_text(raw.get("scheme")).lower()
    if kind == "apiKey" and raw.get("in") in _WITHIN:
        return SecurityScheme(
            name=name,
            kind=SchemeKind.KEY,
            within=_WITHIN[raw["in"]],
            parameter=clean_line(raw.get("name")),
        )
    if kind == "basic" or (kind == "http" and scheme == "basic"):
        return SecurityScheme(name=name, kind=SchemeKind.BASIC)
    if kind == "http" and scheme in ("bearer", ""):
        return SecurityScheme(name=name, kind=SchemeKind.BEARER)
    if kind == "oauth2":
        return SecurityScheme(
            name=name,
            kind=SchemeKind.OAUTH2,
            token_url=_token_url(raw),
            scopes=tuple(clean_line(scope) for scope in scopes),
        )
    if kind == "openIdConnect":
        return SecurityScheme(name=name, kind=SchemeKind.OPENID)
    if kind == "mutualTLS":
        return SecurityScheme(name=name, kind=SchemeKind.CERTIFICATE)
    # Other schemes of HTTP: whoever has the header's whole text can store it as a key.
    return SecurityScheme(
        name=name, kind=SchemeKind.KEY, within=RequestPart.HEADER, parameter="Authorization"
    )


def _token_url(raw: dict[str, Any]) -> str:
    flows = as_object(raw.get("flows"))
    listed = [as_object(flows.get(flow)).get("tokenUrl") for flow in _FLOWS]
    return next((url for each in (*listed, raw.get("tokenUrl")) if (url := clean_line(each))), "")


_VARIABLE = re.compile(r"\{([^{}]+)\}")
_MOST = 20
"""Addresses that one server with variables may stand for."""


def servers_of(owners: list[Any], *, near: str, notes: Notes) -> tuple[str, ...]:
    """Where an operation is offered, the default first, without a slash at the end.

    Args:
        owners: operation, path and document: the first that names servers counts.
        near: an http(s) address that relative ones are relative to, "" if nobody knows.
    """
    listed = next(
        (found for owner in owners if (found := as_list(as_object(owner).get("servers")))), []
    )
    addresses = [address for server in listed for address in _addresses(as_object(server))]
    return _absolute(addresses or ["/"], near, notes)


def old_servers_of(document: dict[str, Any], *, near: str, notes: Notes) -> tuple[str, ...]:
    """The same of 2.0."""
    host = clean_line(document.get("host"))
    path = clean_line(document.get("basePath"))
    path = path if path.startswith("/") or not path else f"/{path}"
    schemes = [scheme for scheme in as_list(document.get("schemes")) if scheme in ("https", "http")]
    if not host:
        return _absolute([path or "/"], near, notes)
    # The safer one first, whatever their order.
    addresses = [
        f"{scheme}://{host}{path}" for scheme in sorted(schemes or ["https"], reverse=True)
    ]
    return _absolute(addresses, near, notes)


def _addresses(server: dict[str, Any]) -> list[str]:
    """One address per combination of the values that variables can have, the defaults first."""
    url = clean_line(server.get("url"))
    variables = as_object(server.get("variables"))
    names = [name for name in dict.fromkeys(_VARIABLE.findall(url)) if name in variables]
    values: list[list[str]] = []
    for name in names:
        variable = as_object(variables[name])
        listed = [variable.get("default"), *as_list(variable.get("enum"))]
        texts = [str(value) for value in listed if isinstance(value, str | int | float)]
        values.append([*dict.fromkeys(texts)] or [f"{{{name}}}"])
    filled: list[str] = []
    for chosen in islice(product(*values), _MOST):
        address = url
        for name, text in zip(names, chosen, strict=True):
            address = address.replace(f"{{{name}}}", text)
        filled.append(address)
    return filled


def _absolute(addresses: list[str], near: str, notes: Notes) -> tuple[str, ...]:
    found: list[str] = []
    for address in addresses:
        try:
            whole = urljoin(near, address) if near else address
            parts = urlsplit(whole)
        except ValueError:
            notes.add(f"the server {address[:100]!r} is no address")
            continue
        if parts.scheme in ("http", "https") and parts.netloc:
            found.append(whole.rstrip("/"))
        elif parts.scheme:
            notes.add(f"the server {address[:100]!r} is not reached by http or https")
        else:
            notes.add(
                f"the server {address[:100]!r} is relative to an address that nobody knows;"
                " the option server says it"
            )
            found += [whole.rstrip("/")] if whole.rstrip("/") else []
    return tuple(dict.fromkeys(found))


_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_ABOUT_CAP = 2_000
"""Characters kept of what a document says about itself: each of its APIs carries them."""
_NOT_IN_KEYS = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPlace:
    """A document, and where its APIs belong.

    Attributes:
        where: its name for messages.
        base: its address, which its references are relative to.
        near: address that relative servers are relative to, "" if nobody knows.
        category: of all of its APIs, "" for the one that each names itself.
        body_type: media type of bodies that may be of several, "" for the one that fits best.
    """

    where: str
    base: str
    near: str
    source: str
    category: str
    body_type: str = ""


class _Entry(NamedTuple):
    """One operation as documented, with the path item around it."""

    method: str
    path: str
    item: DocumentPart
    value: Any

    @property
    def place(self) -> str:
        return f"{self.method} {self.path[:200]}"


class OperationReader:
    """Reads one document."""

    def __init__(
        self, document: dict[str, Any], place: DocumentPlace, references: References, ids: ApiIds
    ) -> None:
        info = as_object(document.get("info"))
        self._document = document
        self._place = place
        self._ids = ids
        self._is_old = "swagger" in document
        self._title = clean_line(info.get("title"), cap=200) or "API"
        about = clean_text(info.get("summary")) or clean_text(info.get("description"))
        self._about = clean_text(about, cap=_ABOUT_CAP)
        self._notes = Notes(place.where)
        self._references = references
        version = str(document.get("openapi", ""))
        self._schemas = SchemaReader(
            references=references,
            notes=self._notes,
            is_merging=bool(version) and not version.startswith("3.0"),
        )

    def read(self) -> Iterator[Api | Rejected | Mended]:
        """All operations."""
        paths = self._document.get("paths")
        if not as_object(paths) and not as_object(self._document.get("webhooks")):
            yield Rejected(where=self._place.where, why="the document has no operations")
        for path, raw in as_object(paths).items():
            if not path.startswith("x-"):
                yield from self._read_path(clean_line(path), raw)
        hooks = len(as_object(self._document.get("webhooks")))
        if hooks:
            self._notes.add(f"{hooks} webhooks are calls that the server makes, and no tools")
        yield from self._notes.taken()

    def _read_path(self, path: str, raw: Any) -> Iterator[Api | Rejected | Mended]:
        try:
            item = self._references.follow(raw, self._place.base)
        except BadInput as error:
            why = f"its reference cannot be used: {error.what}"
            yield Rejected(where=f"{self._place.where} {path}", why=why)
            return
        found = as_object(item.value)
        named = {method.upper(): found[method] for method in _METHODS if method in found}
        named |= {
            clean_line(method, cap=20).upper(): each
            for method, each in as_object(found.get("additionalOperations")).items()
        }
        for method, value in named.items():
            entry = _Entry(method, path, item, value)
            if isinstance(value, dict):
                yield self._read_operation(entry)
            else:
                why = f"an operation is an object, this is {json_kind(value)}"
                yield Rejected(where=f"{self._place.where} {entry.place}", why=why)
            yield from self._notes.taken()

    def _read_operation(self, entry: _Entry) -> Api:
        value, path = entry.value, entry.path
        tags = [tag for each in as_list(value.get("tags")) if (tag := clean_line(each, cap=200))]
        category = self._place.category or (tags[0] if tags else self._title)
        summary, more = clean_line(value.get("summary")), clean_text(value.get("description"))
        own_name = clean_line(value.get("operationId"), cap=300)
        arguments = GatheredArguments()
        operation, response = self._call(entry, arguments)
        server = operation.servers[0] if operation.servers else ""
        key = _NOT_IN_KEYS.sub("_", own_name or f"{entry.method.lower()} {path}").strip("_")
        return make_api(
            # What names an operation in OpenAPI; tags and servers may change.
            self._ids.next(category="", tool=self._title, name="", method=entry.method, url=path),
            source=self._place.source,
            key=f"{category}/{self._title.replace('/', '_')}/{key}",
            category=category,
            tool=self._title,
            name=own_name or summary or entry.place,
            method=entry.method,
            url=f"{server}{path}",
            description=clean_text("\n\n".join(dict.fromkeys(filter(None, (summary, more))))),
            tool_description=self._about,
            parameters=arguments.schema,
            response_schema=response,
            operation=operation,
        )

    def _call(
        self, entry: _Entry, arguments: GatheredArguments
    ) -> tuple[Operation, dict[str, Any] | None]:
        value, item, document, place = entry.value, entry.item, self._document, entry.place
        wanted = self._place.body_type
        groups = [
            DocumentPart(as_object(item.value).get("parameters"), item.base),
            DocumentPart(value.get("parameters"), item.base),
        ]
        parameters = [*merged_parameters(self._schemas, groups, place=place)]
        path = entry.path if entry.path.startswith("/") else f"/{entry.path}"
        add_parameters(arguments, parameters, self._schemas, path=path, place=place)
        if self._is_old:
            consumes, produces = (
                _media(word, value, document) for word in ("consumes", "produces")
            )
            types = add_old_body(
                arguments, parameters, consumes, self._schemas, place=place, wanted=wanted
            )
            servers = old_servers_of(
                {**document, **_schemes(value)}, near=self._place.near, notes=self._notes
            )
            schemes = document.get("securityDefinitions")
        else:
            produces = []
            body = value.get("requestBody")
            types = add_body(arguments, body, item.base, self._schemas, place=place, wanted=wanted)
            owners = [value, item.value, document]
            servers = servers_of(owners, near=self._place.near, notes=self._notes)
            schemes = as_object(document.get("components")).get("securitySchemes")
        reply = read_reply(value.get("responses"), item.base, produces, self._schemas, place=place)
        requirements = value.get("security", document.get("security"))
        operation = Operation(
            method=entry.method,
            servers=servers,
            path=path,
            places=arguments.places,
            headers={"Accept": reply.media_type} if reply.media_type else {},
            content_type=types[0] if types else "",
            other_content_types=types[1:],
            security=security_of(
                requirements, as_object(schemes), self._place.base, self._references, self._notes
            ),
            is_deprecated=value.get("deprecated") is True,
        )
        return operation, reply.schema


def _media(word: str, value: dict[str, Any], document: dict[str, Any]) -> list[str]:
    """The media types of 2.0: an operation's own, else the document's."""
    return [each for each in as_list(value.get(word, document.get(word))) if as_text(each)]


def _schemes(value: dict[str, Any]) -> dict[str, Any]:
    return {"schemes": value["schemes"]} if as_list(value.get("schemes")) else {}
