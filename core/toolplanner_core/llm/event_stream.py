"""Server-sent events read by their standard, from the bytes as they come.

The client's own reader is not used: it splits lines where Unicode does (U+2028, U+2029, U+0085),
though the standard ends a line at CR, LF or CRLF only, so that a letter of a JSON text tears the
event apart; and it raises at the first event that is no JSON, with which keepalives and remarks of
proxies end a good reply.

Source: https://html.spec.whatwg.org/multipage/server-sent-events.html, sections 9.2.5 and 9.2.6.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_BYTES = 8_000_000
"""Of one event; a stream whose event never ends stops here."""
_LINE_END = re.compile(rb"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class ServerSentEvent(NamedTuple):
    """One event.

    Attributes:
        data: its data lines, joined by newlines.
        name: of its `event:` field, "" if it has none.
        is_cut: the stream ended before the blank line that ends an event.
    """

    data: str
    name: str = ""
    is_cut: bool = False


class EventStreamParser:
    """Turns bytes into events, wherever the pieces are cut: inside CRLF, inside a letter."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._is_begun = False
        self._is_after_cr = False
        self._data: list[str] = []
        self._name = ""
        self._size_bytes = 0

    def feed(self, piece: bytes) -> Iterator[ServerSentEvent]:
        """The events that end within this piece.

        Raises:
            ValueError: an event is longer than `MOST_BYTES`.
        """
        if self._is_after_cr and piece:
            piece, self._is_after_cr = piece.removeprefix(b"\n"), False
        begin = max(len(self._rest) - len(_BOM), 0)
        self._rest += piece
        if not self._is_begun:
            if len(self._rest) < len(_BOM) and _BOM.startswith(bytes(self._rest)):
                return
            self._is_begun, begin = True, 0
            if self._rest.startswith(_BOM):
                del self._rest[: len(_BOM)]
        at = 0
        for match in _LINE_END.finditer(self._rest, begin):
            line, at = bytes(self._rest[at : match.start()]), match.end()
            self._is_after_cr = match.group() == b"\r" and at == len(self._rest)
            if (event := self._take(line)) is not None:
                yield event
        del self._rest[:at]
        if len(self._rest) + self._size_bytes > MOST_BYTES:
            raise ValueError(f"an event of the stream is longer than {MOST_BYTES:,} bytes")

    def close(self) -> Iterator[ServerSentEvent]:
        """What stood after the last whole event, if anything: the standard drops it, though an
        endpoint may have left out the last blank line alone."""
        if self._rest:
            self._take(bytes(self._rest))
            self._rest.clear()
        if self._data:
            yield ServerSentEvent("\n".join(self._data), self._name, is_cut=True)
        self._data, self._name, self._size_bytes = [], "", 0

    def _take(self, line: bytes) -> ServerSentEvent | None:
        if not line:
            data, name = self._data, self._name
            self._data, self._name, self._size_bytes = [], "", 0
            return ServerSentEvent("\n".join(data), name) if data else None
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value.decode("utf-8", "replace"))
            self._size_bytes += len(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        return None
