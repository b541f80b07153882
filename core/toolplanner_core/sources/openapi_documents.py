"""Parts of OpenAPI documents as the types they should have, and `$ref`s followed across files.

A document may hold anything anywhere. What is read as an object, a list or a text is one, if an
empty one; whoever has to tell the difference looks at the value itself.

Looking up is `referencing`'s; here is only which documents may be reached. A reference never leads
out of the folder or archive that a person chose, nor to a server that nobody named.

Source: design/security.md, "Files from others"; RFC 3986, RFC 6901.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urldefrag, urljoin, urlsplit

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.documents import decode, parse_any
from toolplanner_core.sources.files import Member
from toolplanner_core.sources.location import Fetch
from toolplanner_core.sources.source import Mended

if TYPE_CHECKING:
    from referencing import Registry


def as_object(value: Any) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """The value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


@dataclass(slots=True)
class Notes:
    """What had to be left out or changed, each said once per document.

    Attributes:
        where: the document; the place inside it can be added.
    """

    where: str
    _new: list[Mended] = field(default_factory=list[Mended])
    _said: set[str] = field(default_factory=set[str])

    def add(self, why: str, *, place: str = "", once: str = "") -> None:
        """Note something.

        Args:
            once: what it is about; the same is not said again.
        """
        key = once or f"{place} {why}"
        if key not in self._said:
            self._said.add(key)
            self._new.append(Mended(where=f"{self.where} {place}".strip(), why=why))

    def taken(self) -> Iterator[Mended]:
        """What was noted since this was last asked."""
        new, self._new = self._new, []
        yield from new


_LONGEST_CHAIN = 50


def quoted(address: str) -> str:
    """A file's address, always quoted in the same way; a name of no known encoding, too."""
    return quote(address, safe=":/", errors="backslashreplace")


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """A part of a document, with the document that its references are relative to.

    Attributes:
        base: address of that document.
        address: where the part was found, if a reference led to it.
    """

    value: Any
    base: str
    address: str = ""


@dataclass(slots=True)
class References:
    """The documents of a location by address, parsed when they are first needed.

    Args:
        members: the files by their address.
        fetch: gets what other addresses hold, if that is allowed.
        documents: what is parsed already, by address.
    """

    members: Mapping[str, Member]
    fetch: Fetch
    documents: dict[str, Any] = field(default_factory=dict[str, Any])
    used: set[str] = field(default_factory=set[str])
    _registry: "Registry[Any] | None" = None

    def document(self, address: str) -> Any:
        """The parsed document at an address.

        Raises:
            BadInput: it is not there, may not be reached, or cannot be parsed.
        """
        if address not in self.documents:
            try:
                self.documents[address] = self._load(address)
            except BadInput as error:
                self.documents[address] = error
        found = self.documents[address]
        if isinstance(found, BadInput):
            raise found
        return found

    def follow(self, value: Any, base: str) -> DocumentPart:
        """What a value stands for: itself, or what its `$ref` leads to in the end.

        Fields beside the `$ref` replace those of the same name.

        Raises:
            BadInput: it leads nowhere, or back to itself.
        """
        part = DocumentPart(value, base)
        for _ in range(_LONGEST_CHAIN):
            if not isinstance(part.value, dict) or not isinstance(part.value.get("$ref"), str):
                return part
            beside = {key: inner for key, inner in part.value.items() if key != "$ref"}
            part = self.target(part.value["$ref"], part.base)
            if beside and isinstance(part.value, dict):
                part = DocumentPart({**part.value, **beside}, part.base, part.address)
        raise BadInput("it leads back to itself")

    def target(self, ref: str, base: str) -> DocumentPart:
        """What one reference leads to.

        Raises:
            BadInput: nowhere, or to where it must not lead.
        """
        from referencing import Registry, Specification
        from referencing.exceptions import Unresolvable

        try:
            whole, fragment = urldefrag(urljoin(base, ref))
            is_file = whole.startswith("file:")
            document_address = quoted(unquote(whole)) if is_file else whole
            document_address.encode()
        except ValueError as error:
            raise BadInput("it is no address") from error
        address = f"{document_address}#{fragment}"
        document = self.document(document_address)
        self.used.add(document_address)
        if self._registry is None:
            self._registry = Registry[Any]()
        if document_address not in self._registry:
            resource = Specification[Any].OPAQUE.create_resource(document)
            self._registry = self._registry.with_resource(document_address, resource)
        try:
            found = self._registry.resolver().lookup(address)
        except (Unresolvable, LookupError, ValueError, TypeError) as error:
            raise BadInput("it leads nowhere") from error
        return DocumentPart(found.contents, document_address, address)

    def _load(self, address: str) -> Any:
        member = self.members.get(address)
        name = urlsplit(address).path
        if member is not None:
            return parse_any(decode(member.data), name=name)
        if not address.startswith("file:"):
            return parse_any(decode(self.fetch(address)), name=name)
        raise BadInput("it leads to a file that is not there; choose the folder with all files")
