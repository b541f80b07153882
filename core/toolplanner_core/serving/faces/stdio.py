"""The client at the standard streams of this process, and who serves it: the hub of its workspace
where there is one, else this process. It moves to whoever serves it next without noticing:

* a window begins to serve: the client moves there as soon as no call of it goes on;
* the window ends, or is killed: this process serves it. What was asked for and not answered is
  asked again, but for calls of APIs: these may have been made, and the agent is told so.

From the first moment stdout belongs to the protocol alone: whatever else prints, here or in a
library or a child process, ends up on stderr.

Nothing of the core is loaded as long as a hub serves: an agent waits for the list.

Source: design/gateway.md section 12.
"""

import json
import os
import socket
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple, cast

from toolplanner_core.domain.plain_data import without_defaults
from toolplanner_core.serving.hub import Hub, find_hub

if TYPE_CHECKING:
    from toolplanner_core.serving.profile import ServingProfile

LOOPBACK = "127.0.0.1"
LARGEST_MESSAGE = 1024 * 1024
"""Bytes of what a client says at once, over whatever it says it."""
_ANSWER_S = 5.0
"""For a hub to say that it serves."""
_LOOK_S = 1.0
"""Between looks whether a window serves now."""
_PIECE = 65_536
"""Bytes read at once."""
_LOOKING = frozenset({"find_tools", "describe_tool"})
"""Tools that call no API."""
_GREETING = frozenset({"initialize", "notifications/initialized"})
"""What a client of 2025 says first, and says to none but the first."""
_MAY_HAVE_BEEN_MADE = (
    "The window that served this has ended in the middle of the call. Whether the call was made is"
    " not known: the run says what was sent. Ask again only if it may be made twice."
)
_LIST_CHANGED, _LISTEN = "notifications/tools/list_changed", "subscriptions/listen"
_CANCELLED = "notifications/cancelled"
_INVALID_REQUEST = -32600


@contextmanager
def stdout_for_protocol() -> Generator[TextIOWrapper]:
    """The real stdout; until the block ends, all others that write to stdout write to stderr."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    wire = TextIOWrapper(os.fdopen(os.dup(kept), "wb"), encoding="utf-8", newline="\n")
    try:
        with redirect_stdout(sys.stderr):
            yield wire
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        with suppress(OSError):  # nobody reads it any more
            wire.close()


@contextmanager
def stdin_for_protocol() -> Generator[Iterable[bytes]]:
    """What comes in by the real stdin, line by line; until the block ends, all others that read
    stdin find it at its end. Unbuffered below: who waits in it holds up no end of the process."""
    kept, nowhere = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nowhere, 0)
    os.close(nowhere)
    try:
        yield _lines_from(kept)
    finally:
        os.dup2(kept, 0)


def _lines_from(source: int) -> Iterator[bytes]:
    rest = b""
    while piece := os.read(source, _PIECE):
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line + b"\n" for line in lines)


class LineStream(NamedTuple):
    """A stream to whoever serves the client; a message is a line."""

    joined: socket.socket
    lines: IO[bytes]

    @classmethod
    def over(cls, joined: socket.socket) -> "LineStream":
        """The stream over a socket that is connected."""
        return cls(joined, cast("IO[bytes]", joined.makefile("rb")))

    def close(self) -> None:
        """End it."""
        self.lines.close()
        self.joined.close()


def reach_hub(hub: Hub, profile: "ServingProfile") -> LineStream | None:
    """A stream to a hub that serves the client as in a profile; None if it does not."""
    asked = {"token": hub.token, "profile": without_defaults(profile)}
    try:
        joined = socket.create_connection((LOOPBACK, hub.port), timeout=_ANSWER_S)
    except OSError:
        return None
    link = LineStream.over(joined)
    try:
        joined.sendall(_line(asked))
        if json.loads(link.lines.readline(LARGEST_MESSAGE)).get("serves") is True:
            joined.settimeout(None)
            return link
    except (OSError, ValueError, AttributeError):
        pass
    link.close()
    return None


class StdioClient:
    """The client of this process.

    Args:
        source, wire: what it says and what it hears, line by line: a message is a line.
        workspace: the file that is served to it; profile: as it is served.
    """

    def __init__(
        self,
        source: Iterable[bytes],
        wire: TextIOWrapper,
        *,
        workspace: Path,
        profile: "ServingProfile",
    ) -> None:
        self._source, self._wire = source, wire
        self._workspace, self._profile = workspace, profile
        self._greeting: list[bytes] = []
        self._open: dict[Any, _Request] = {}
        self._is_over = self._is_moving = False
        self._refused = ""
        """The token of the hub that did not serve this client."""
        self._link: LineStream | None = None
        self._talking = threading.Lock()
        """Held by who says something, and while there is nobody to say it to."""
        self._state = threading.Lock()

    def serve(self, here: Callable[[socket.socket], None]) -> None:
        """Have the client served until it leaves.

        Args:
            here: serves it in this process over a stream, until that ends.

        Raises:
            UserError: as `here`.
        """
        self._talking.acquire()
        threading.Thread(target=self._listen, name="the client says", daemon=True).start()
        while not self._is_over:
            if (link := self._hub()) is not None:
                self._talk(link)
            elif not self._is_over:
                self._served_here(here)

    def _served_here(self, here: Callable[[socket.socket], None]) -> None:
        ours, theirs = socket.socketpair()
        talking = threading.Thread(
            target=self._talk, args=(LineStream.over(ours),), name="the client hears", daemon=True
        )
        talking.start()
        has_ended = threading.Event()
        looking = threading.Thread(
            target=self._look_for_hub, args=(has_ended,), name="looks for a hub", daemon=True
        )
        looking.start()
        with theirs:
            here(theirs)
        has_ended.set()
        looking.join()
        talking.join()

    def _hub(self) -> LineStream | None:
        hub = find_hub(self._workspace)
        if hub is None or hub.token == self._refused:
            return None
        link = reach_hub(hub, self._profile)
        if link is None:
            self._refused = hub.token
        return link

    def _look_for_hub(self, has_ended: threading.Event) -> None:
        """End the stream to this process as soon as another serves and no call goes on."""
        while not has_ended.wait(_LOOK_S):
            hub = find_hub(self._workspace)
            if hub is None or hub.token == self._refused:
                continue
            self._talking.acquire()
            if self._begin_to_move():
                return
            self._talking.release()

    def _begin_to_move(self) -> bool:
        """End the stream to whoever serves, unless a call goes on."""
        with self._state:
            link, asked = self._link, self._open.values()
            if link is None or not all(request.is_repeatable for request in asked):
                return False
            self._is_moving = True
        with suppress(OSError):
            link.joined.shutdown(socket.SHUT_WR)
        return True

    def _listen(self) -> None:
        """Pass on what the client says, until it leaves."""
        with suppress(OSError, ValueError):
            for line in self._source:
                with self._talking:
                    self._say(line)
        with self._talking:
            self._is_over = True
            if (link := self._link) is not None:
                with suppress(OSError):
                    link.joined.shutdown(socket.SHUT_WR)

    def _say(self, line: bytes) -> None:
        message = _message(line)
        method, number = message.get("method"), message.get("id")
        if len(line) > LARGEST_MESSAGE:
            error = {"code": _INVALID_REQUEST, "message": "The message is too large"}
            self._tell(_line({"jsonrpc": "2.0", "id": number, "error": error}))
            return
        request = _Request(line, str(method), _is_repeatable(message))
        if method in _GREETING:
            self._greeting.append(line)
        elif method == _CANCELLED:
            with self._state:
                self._open.pop(message.get("params", {}).get("requestId"), None)
        elif method is not None and number is not None:
            with self._state:
                self._open[number] = request
        if not self._passed_on(line):
            request.is_repeatable = True

    def _passed_on(self, line: bytes) -> bool:
        """Whether whoever serves can have got a line; not if the stream has ended, of which it
        cannot have understood a half."""
        try:
            if (link := self._link) is not None:
                link.joined.sendall(line)
                return True
        except OSError:
            pass
        return False

    def _talk(self, link: LineStream) -> None:
        """Let the client hear whoever is at the other end of a stream, until that ends."""
        with suppress(OSError, ValueError):
            self._introduce(link)
        self._link = link
        self._talking.release()
        with suppress(OSError, ValueError):
            for line in link.lines:
                self._hear(line)
        with self._state:
            is_moving, self._is_moving, self._link = self._is_moving, False, None
        if not is_moving:
            self._talking.acquire()
        link.close()

    def _introduce(self, link: LineStream) -> None:
        """Say to the next who serves what the client has said to the first, and what nobody has
        answered."""
        for line in self._greeting:
            link.joined.sendall(line)
            number = _message(line).get("id")
            while number is not None and (heard := link.lines.readline()):
                if _message(heard).get("id") == number:
                    break  # the client has this reply
                self._hear(heard)
        if len(self._greeting) > 1:
            # It will list anew: who serves it now knows then whom to tell of changes.
            self._tell(_line({"jsonrpc": "2.0", "method": _LIST_CHANGED}))
        for number, request in list(self._open.items()):
            if request.is_repeatable:
                link.joined.sendall(request.line)
                continue
            text = {"type": "text", "text": _MAY_HAVE_BEEN_MADE}
            said = {"content": [text], "isError": True, "resultType": "complete"}
            self._hear(_line({"jsonrpc": "2.0", "id": number, "result": said}))

    def _hear(self, line: bytes) -> None:
        message = _message(line)
        if "method" not in message:
            number = message.get("id")
            with self._state:
                request = self._open.get(number)
                if request is not None and request.method == _LISTEN and "result" in message:
                    return  # it ends with who served; the next one is asked to tell
                self._open.pop(number, None)
        self._tell(line)

    def _tell(self, line: bytes) -> None:
        with suppress(OSError, ValueError):  # the client has left
            self._wire.buffer.write(line)
            self._wire.buffer.flush()


class _Request:
    """What the client has asked for, and has no reply to.

    Attributes:
        is_repeatable: nothing comes of it if it is asked for twice.
    """

    def __init__(self, line: bytes, method: str, is_repeatable: bool) -> None:
        self.line, self.method, self.is_repeatable = line, method, is_repeatable


def _is_repeatable(message: dict[str, Any]) -> bool:
    if message.get("method") != "tools/call":
        return True
    asked = message.get("params")
    return isinstance(asked, dict) and cast("dict[str, Any]", asked).get("name") in _LOOKING


def _message(line: bytes) -> dict[str, Any]:
    """A message as JSON; {} for what is none, which whoever serves refuses."""
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return cast("dict[str, Any]", said) if isinstance(said, dict) else {}


def _line(message: object) -> bytes:
    return json.dumps(message).encode() + b"\n"
