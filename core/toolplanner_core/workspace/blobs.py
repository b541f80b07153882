"""How the body of an event looks on disk: short JSON, long texts stored once beside it.

A text over 1 KB becomes ``{"$blob": "<sha-256 hex>", "size": bytes}``, a large part that only the
inspector needs (`schema`, `found`, `raw`, `tools`) becomes
``{"$blob": ..., "size": ..., "as": "json"}``, and the messages of a model request become
``{"$messages": "<hex>", "count": n}``: a chain in which each link names its predecessor, so that
requests with a common beginning share it. Everything is addressed by its content, so a thousand
questions with one long prefix store that prefix once.

`pack` is pure and runs where events are made; `put_packed` runs in the writer's transaction;
`resolve` gives a body its texts back.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard, cast

from sqlite_utils import Database

from toolplanner_core.domain.plain_data import plain_mapping
from toolplanner_core.errors import WorkspaceDamaged
from toolplanner_core.workspace.rows import stored_json
from toolplanner_core.workspace.workspace import Workspace

INLINE_LIMIT = 1024
"""Characters a text may have and still stand in the body itself."""

_MARKS = ("$blob", "$messages")
_ALWAYS_INLINE = frozenset({"title"})
"""Fields the tree is drawn from; they are never behind a second read."""
_WHOLE_FIELDS = frozenset({"schema", "found", "raw", "tools"})
_WHOLE = "+"
"""At the end of a link's role: its content is the whole message as JSON, not its text alone."""
_ZLIB_LEVEL = 6
_MOST_BYTES = 256 * 2**20
"""Of one text, unpacked; a file from elsewhere may hold a bomb."""
_MOST_MESSAGES = 100_000
"""Of one request; links of a file from elsewhere may lead in a circle."""


@dataclass(frozen=True, slots=True)
class ChainLink:
    """One message of a chain; `hash` is SHA-256 of previous hash, role and content hash."""

    hash: bytes
    previous: bytes | None
    role: str
    content: bytes


@dataclass(slots=True)
class Packed:
    """A body ready for disk.

    Attributes:
        text: JSON of the body with marks in the place of what is stored beside it.
        blobs: raw bytes by SHA-256.
        links: message chain links, predecessors first.
    """

    text: str = ""
    blobs: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    links: list[ChainLink] = field(default_factory=list[ChainLink])

    def add(self, text: str) -> bytes:
        """Store a text beside the body; returns its hash."""
        raw = text.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(raw).digest()
        self.blobs[digest] = raw
        return digest

    def mark(self, text: str, *, is_json: bool = False) -> dict[str, Any]:
        """Store a text beside the body and return what stands in its place."""
        digest = self.add(text)
        mark: dict[str, Any] = {"$blob": digest.hex(), "size": len(self.blobs[digest])}
        if is_json:
            mark["as"] = "json"
        return mark


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=plain_mapping)


def whole_json(body: Mapping[str, Any]) -> str:
    """The JSON of a body before anything is taken out of it; "" of a model request, whose messages
    never stand in it."""
    return "" if "messages" in body else _dumps(body)


def pack(body: Mapping[str, Any], text: str | None = None) -> Packed:
    """Split a body into short JSON and content-addressed parts. Pure; any thread.

    Args:
        text: what `whole_json` makes of it, where it was called before.
    """
    packed = Packed()
    text = whole_json(body) if text is None else text
    if text and len(text) <= INLINE_LIMIT and not _holds_marks(text):
        packed.text = text  # nearly all events: one pass in C
        return packed
    if any(mark in body for mark in _MARKS):
        # An event of another program whose body itself looks like one of our marks.
        packed.text = _dumps(packed.mark(_dumps(body), is_json=True))
        return packed
    out: dict[str, Any] = {}
    for name, value in body.items():
        if name == "messages" and _is_conversation(value):
            out[name] = _pack_messages(value, packed)
        elif name in _ALWAYS_INLINE and isinstance(value, str):
            out[name] = value
        elif name in _WHOLE_FIELDS:
            whole = _dumps(value)
            is_plain = len(whole) <= INLINE_LIMIT and not _holds_marks(whole)
            out[name] = value if is_plain else packed.mark(whole, is_json=True)
        else:
            out[name] = _pack_value(value, packed)
    packed.text = _dumps(out)
    return packed


def _holds_marks(text: str) -> bool:
    return "$" in text and any(mark in text for mark in _MARKS)


def _dumps(value: Any) -> str:
    return _ENCODER.encode(value)


def _pack_value(value: Any, packed: Packed) -> Any:
    if isinstance(value, str):
        return value if len(value) <= INLINE_LIMIT else packed.mark(value)
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        if any(mark in mapping for mark in _MARKS):
            # Foreign data that looks like one of our marks: stored whole, so it is never resolved.
            return packed.mark(_dumps(mapping), is_json=True)
        return {name: _pack_value(item, packed) for name, item in mapping.items()}
    if isinstance(value, list | tuple):
        return [_pack_value(item, packed) for item in cast("Sequence[Any]", value)]
    return value


def _is_conversation(value: Any) -> TypeGuard[list[Mapping[str, Any]]]:
    """Whether a value is what a chain can hold without loss: messages with a role and a text."""
    return isinstance(value, list) and all(
        isinstance(item, Mapping)
        and all(
            isinstance(cast("Mapping[Any, Any]", item).get(name), str)
            for name in ("role", "content")
        )
        and _WHOLE not in cast("Mapping[str, str]", item)["role"]
        for item in cast("list[Any]", value)
    )


def _pack_messages(messages: Sequence[Mapping[str, Any]], packed: Packed) -> dict[str, Any]:
    previous: bytes | None = None
    for message in messages:
        role, text = message["role"], message["content"]
        if len(message) > 2:  # function calls, or the call that a result belongs to
            role, text = f"{role}{_WHOLE}", _dumps(message)
        content = packed.add(text)
        head = hashlib.sha256((previous or b"") + role.encode() + b"\x00" + content).digest()
        packed.links.append(ChainLink(head, previous, role, content))
        previous = head
    return {"$messages": previous.hex() if previous else "", "count": len(messages)}


def put_packed(db: Database, parts: Sequence[Packed]) -> None:
    """Store what stands beside bodies; inside a writer's transaction. Known parts cost a lookup."""
    blobs: dict[bytes, bytes] = {}
    links: dict[bytes, ChainLink] = {}
    for part in parts:
        blobs.update(part.blobs)
        links.update((link.hash, link) for link in part.links)
    for digest, raw in blobs.items():
        if db.conn.execute("SELECT 1 FROM blobs WHERE hash = ?", [digest]).fetchone():
            continue
        small = zlib.compress(raw, _ZLIB_LEVEL) if len(raw) > 256 else raw
        codec, data = ("zlib", small) if len(small) < len(raw) * 0.9 else ("raw", raw)
        db.conn.execute("INSERT INTO blobs VALUES(?, ?, ?, ?)", [digest, codec, len(raw), data])
    if links:
        db.conn.executemany(
            "INSERT OR IGNORE INTO message_chains VALUES(?, ?, ?, ?)",
            [(link.hash, link.previous, link.role, link.content) for link in links.values()],
        )


def resolve(workspace: Workspace, value: Any) -> Any:
    """A copy of a JSON value with every mark replaced by what it stands for.

    A blob that is not in the workspace (a damaged export) stays as its mark.
    """
    wanted: set[bytes] = set()
    chains: dict[str, list[tuple[str, bytes]]] = {}
    _collect(workspace, value, wanted, chains)
    if not wanted and not chains:
        return value
    for chain in chains.values():
        wanted.update(content for _, content in chain)
    return _replace(value, _read_blobs(workspace, sorted(wanted)), chains)


def _collect(
    workspace: Workspace,
    value: Any,
    wanted: set[bytes],
    chains: dict[str, list[tuple[str, bytes]]],
) -> None:
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        if "$blob" in mapping:
            wanted.add(bytes.fromhex(mapping["$blob"]))
        elif "$messages" in mapping:
            chains[mapping["$messages"]] = _read_chain(workspace, mapping["$messages"])
        else:
            for item in mapping.values():
                _collect(workspace, item, wanted, chains)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            _collect(workspace, item, wanted, chains)


def _replace(
    value: Any, blobs: Mapping[bytes, str], chains: Mapping[str, list[tuple[str, bytes]]]
) -> Any:
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        if "$blob" in mapping:
            text = blobs.get(bytes.fromhex(mapping["$blob"]))
            if text is None:
                return dict(mapping)
            return stored_json(text) if mapping.get("as") == "json" else text
        if "$messages" in mapping:
            return [
                _message(role, blobs.get(content, ""))
                for role, content in chains[mapping["$messages"]]
            ]
        return {name: _replace(item, blobs, chains) for name, item in mapping.items()}
    if isinstance(value, list):
        return [_replace(item, blobs, chains) for item in cast("list[Any]", value)]
    return value


def _message(role: str, text: str) -> Any:
    """A message of a chain; one that was cut off from its content keeps its role."""
    if not role.endswith(_WHOLE):
        return {"role": role, "content": text}
    return stored_json(text) if text else {"role": role.removesuffix(_WHOLE), "content": ""}


def _read_blobs(workspace: Workspace, hashes: Sequence[bytes]) -> dict[bytes, str]:
    db = workspace.reader()
    found: dict[bytes, str] = {}
    for begin in range(0, len(hashes), 500):
        chunk = list(hashes[begin : begin + 500])
        marks = ",".join("?" * len(chunk))
        for digest, codec, data in db.conn.execute(
            f"SELECT hash, codec, data FROM blobs WHERE hash IN ({marks})", chunk
        ):
            found[digest] = _unpacked(codec, data)
    return found


def _unpacked(codec: str, data: bytes) -> str:
    try:
        if codec == "zlib":
            unpacking = zlib.decompressobj()
            data = unpacking.decompress(data, _MOST_BYTES)
            if unpacking.unconsumed_tail:
                raise ValueError(f"It has more than {_MOST_BYTES:,} bytes")
        return data.decode("utf-8", "surrogatepass")
    except (zlib.error, ValueError, TypeError, AttributeError) as error:
        raise WorkspaceDamaged(
            "A text of a run cannot be unpacked", why=str(error), todo="Open a backup"
        ) from error


def _read_chain(workspace: Workspace, head: str) -> list[tuple[str, bytes]]:
    if not head:
        return []
    rows = (
        workspace.reader()
        .conn.execute(
            "WITH RECURSIVE chain(hash, previous, role, content, depth) AS ("
            " SELECT hash, previous, role, content, 0 FROM message_chains WHERE hash = ?"
            " UNION ALL SELECT m.hash, m.previous, m.role, m.content, c.depth + 1"
            " FROM message_chains m JOIN chain c ON m.hash = c.previous WHERE c.depth < ?)"
            " SELECT role, content FROM chain ORDER BY depth DESC",
            [bytes.fromhex(head), _MOST_MESSAGES],
        )
        .fetchall()
    )
    if len(rows) > _MOST_MESSAGES:
        raise WorkspaceDamaged("The messages of a run lead in a circle", todo="Open a backup")
    return [(role, content) for role, content in rows]
