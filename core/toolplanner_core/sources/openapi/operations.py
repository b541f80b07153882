"""Read the operations of one OpenAPI document, each as one API.

An operation that cannot be read is rejected alone. Webhooks and callbacks are calls that the server
makes, and no tools.

Source: OpenAPI 2.0, 3.0.4, 3.1.1, 3.2.0: Paths, Path Item and Operation Object.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.operation import Operation
from toolplanner_core.errors import BadInput
from toolplanner_core.sources.cleaning import clean_line, clean_text
from toolplanner_core.sources.documents import json_kind
from toolplanner_core.sources.identity import ApiIds, make_api
from toolplanner_core.sources.openapi.arguments import GatheredArguments
from toolplanner_core.sources.openapi.bodies import add_body, add_old_body
from toolplanner_core.sources.openapi.parameters import add_parameters, merged_parameters
from toolplanner_core.sources.openapi.parts import Notes, as_list, as_object, as_text
from toolplanner_core.sources.openapi.references import DocumentPart, References
from toolplanner_core.sources.openapi.replies import read_reply
from toolplanner_core.sources.openapi.schemas import SchemaReader
from toolplanner_core.sources.openapi.security import security_of
from toolplanner_core.sources.openapi.servers import old_servers_of, servers_of
from toolplanner_core.sources.source import Mended, Rejected

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
    """

    where: str
    base: str
    near: str
    source: str
    category: str


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
            content_type = add_old_body(arguments, parameters, consumes, self._schemas, place=place)
            servers = old_servers_of(
                {**document, **_schemes(value)}, near=self._place.near, notes=self._notes
            )
            schemes = document.get("securityDefinitions")
        else:
            produces = []
            content_type = add_body(
                arguments, value.get("requestBody"), item.base, self._schemas, place=place
            )
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
            content_type=content_type,
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
