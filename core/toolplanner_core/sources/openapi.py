"""Read OpenAPI documents: a file, a folder or archive of many, an address, pasted text.

JSON and YAML, versions 2.0, 3.0, 3.1 and 3.2. A document may be spread over several files of the
folder or archive; those are no documents of their own. Found by the registry of sources.

Source: OpenAPI Specification 2.0, 3.0.4, 3.1.1, 3.2.0.
"""

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.operation import Origin
from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import option
from toolplanner_core.sources.files import JSON_SUFFIXES, YAML_SUFFIXES, Caps, Member, walk
from toolplanner_core.sources.identity import ApiIds
from toolplanner_core.sources.location import Fetch, Location, LocationKind, fetch_address
from toolplanner_core.sources.openapi_documents import References, quoted
from toolplanner_core.sources.openapi_operations import DocumentPlace, OperationReader
from toolplanner_core.sources.source import FileGroup, Record, Rejected, Sample, SourcePlugin
from toolplanner_core.sources.text_cleaning import clean_line

_CAPS = Caps(endings=(*JSON_SUFFIXES, *YAML_SUFFIXES), total_bytes=500_000_000)
_MOST_FETCHED, _LONGEST_S = 100, 30.0
_VERSION = re.compile(
    r"""^\s*(?:\{\s*)?["']?(openapi|swagger)["']?\s*:\s*["']?[23]\.""", re.MULTILINE
)
_READ = re.compile(r"(2|2\.0|3\.[0-2](\..*)?)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenApiOptions:
    """How documents are placed, and what they do not say."""

    category: str = option(
        "", "Category of all; empty takes each operation's first tag, else the document's title."
    )
    server: str = option(
        "", "Address of the server where a document names none, or one without a host."
    )
    body_type: str = option(
        "",
        "Media type of request bodies where a document takes several, such as"
        " application/merge-patch+json; empty takes JSON, and of patches what fits the value.",
    )
    remote: bool = option(
        False, "Fetch what documents refer to on other servers of the open internet."
    )


def recognises(sample: Sample) -> float:
    """Almost certain if one of the first files says that it is an OpenAPI document."""
    found = any(map(_version, sample.documents)) or any(
        _VERSION.search(head.text) or _VERSION.search(head.outline) for head in sample.heads
    )
    return 0.9 if found else 0.0


def read(location: Location, options: OpenApiOptions, *, source: str) -> Generator[Record]:
    """All operations of all documents of a location."""
    ids = ApiIds(source)
    typed = location.where if location.kind is LocationKind.URL else ""
    members: dict[str, Member] = {}
    for item in walk(location, _CAPS):
        if isinstance(item, Member):
            # What an address holds is relative to it; an archive has addresses of its own.
            is_alone = typed and not location.is_zip
            members[typed if is_alone else quoted(f"file:///{'/'.join(item.parts)}")] = item
        elif isinstance(item, Rejected):
            yield item
    references = References(members, _fetcher(typed, is_remote_allowed=options.remote))
    unread: dict[str, Rejected] = {}
    for number, (address, member) in enumerate(members.items(), 1):
        found = _document(address, member, references)
        if isinstance(found, Rejected):
            unread[address] = found
        else:
            place = DocumentPlace(
                where=member.where,
                base=address,
                near=clean_line(options.server) or typed,
                source=source,
                category=clean_line(options.category),
                body_type=clean_line(options.body_type),
            )
            yield from OperationReader(found, place, references, ids).read()
        yield FileGroup(done=number, total=len(members), file=member.where)
    # Only now it is known which files are parts of documents.
    yield from (each for address, each in unread.items() if address not in references.used)


def _document(address: str, member: Member, references: References) -> dict[str, Any] | Rejected:
    try:
        document = references.document(address)
    except BadInput as error:
        return Rejected(where=member.where, why=error.what)
    version = _version(document)
    if not version:
        why = "this is no OpenAPI document, and none refers to it"
        return Rejected(where=member.where, why=why)
    if not _READ.match(version):
        why = f"version {clean_line(version)} of OpenAPI is not read, only 2.0 and 3.0 to 3.2"
        return Rejected(where=member.where, why=why)
    return document


def _fetcher(typed: str, *, is_remote_allowed: bool) -> Fetch:
    """Fetches what documents refer to, of the server that a person named, or of any public one."""
    own = [Origin.of(typed)] if typed else []
    left = _MOST_FETCHED

    def fetch(address: str) -> bytes:
        nonlocal left
        if not is_remote_allowed and Origin.of(address) not in own:
            raise BadInput("it leads to another server, which the option remote allows")
        left -= 1
        if left < 0:
            raise BadInput(f"more than {_MOST_FETCHED} addresses are referred to")
        # What a document names is not what a person typed: no way into the local network.
        return fetch_address(address, allowed=own, largest=_CAPS.member_bytes, longest_s=_LONGEST_S)

    return fetch


def _version(document: Any) -> str:
    """The version that a document says it is of, "" for what is no OpenAPI document."""
    if not isinstance(document, dict):
        return ""
    return str(document.get("openapi", "") or document.get("swagger", ""))[:20]


PLUGIN = SourcePlugin(
    id="openapi",
    title="OpenAPI documents",
    description="Web APIs as their makers document them: OpenAPI (Swagger) 2.0 to 3.2.",
    accepts="OpenAPI documents, JSON or YAML: a file, folder, zip, address or text",
    options=OpenApiOptions,
    recognises=recognises,
    read=read,
    order=30,
    provider="http",
)
