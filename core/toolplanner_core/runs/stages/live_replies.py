"""What models say while they speak, and how far calls have come, for whoever watches: never written
down.

The whole reply is an event (`model.replied`), and what came of one that breaks off stands in the
event of its failure; its pieces are none, so that a log is as short as ever and a replay does not
stream. Pieces of a moment go out together, as the end of what was said so far: sixteen branches at
100 tokens a second are then ten messages a second for a window. Secrets are blacked out in the
whole of it, and the last word is held back until it is whole: half a key would pass.
"""

import asyncio
import logging
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.llm.model import ReplyChunk, ReplyListener
from toolplanner_core.llm.prices import LETTERS_PER_TOKEN
from toolplanner_core.runs.log.redaction import Redactor

SHOWN_CHARACTERS = 4_000
"""Of each text: the end, which is what somebody reads who watches it grow."""
SHOWN_PROGRESS = 300
"""Characters of what a server says of its progress."""
MOMENT_S = 0.1
_MOST_KEPT = 200_000
"""Characters of each text; a model that never stops shall not fill the memory."""

_OF_A_WORD = frozenset(f"{string.ascii_letters}{string.digits}_+/=.~-")
_LONGEST_WORD = 2_000

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveReply:
    """What the model has said so far at one question; long texts without their beginning. Or how
    far one call has come.

    Attributes:
        calls: (name, arguments) of functions that it wants to be called.
        pieces: how many have come: about the number of tokens.
        progress: of a call, as its server tells it: "3 of 10: fetching"; "" for a question.
    """

    path: NodePath
    text: str = ""
    reasoning: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    pieces: int = 0
    progress: str = ""


LiveReplyListener = Callable[[Sequence[LiveReply]], None]
"""Gets what is being said, on the run's thread; must be quick."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOffReply:
    """What was heard of a reply that never came to its end.

    Attributes:
        text: what it said, what it thought, and the calls that it wanted.
        tokens: of it, guessed.
    """

    text: str = ""
    tokens: int = 0


@dataclass(slots=True)
class _PartialReply:
    texts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    pieces: int = 0
    size: int = 0
    progress: str = ""

    def add(self, piece: ReplyChunk) -> None:
        self.pieces += 1
        parts = {
            "text": piece.text,
            "reasoning": piece.reasoning,
            f"name {piece.call}": piece.name,
            f"given {piece.call}": piece.arguments,
        }
        for name, said in parts.items():
            if said and self.size < _MOST_KEPT:
                self.size += len(said)
                self.texts.setdefault(name, []).append(said)

    def broken_off(self) -> CutOffReply:
        """All of it as one text."""
        parts = (_whole_words("".join(parts)) for parts in self.texts.values())
        tokens = max(self.pieces, -(-self.size // LETTERS_PER_TOKEN))
        return CutOffReply(text="\n".join(filter(None, parts)), tokens=tokens)


class LiveReplies:
    """Collects the pieces of all questions of one run. On the run's event loop."""

    def __init__(self, listener: LiveReplyListener | None, redactor: Redactor) -> None:
        self._listener = listener
        self._redactor = redactor
        self._partial: dict[NodePath, _PartialReply] = {}
        self._broken_off: dict[NodePath, CutOffReply] = {}
        self._changed: dict[NodePath, None] = {}
        self._is_timer_set = False

    def listening(self, path: NodePath) -> "_ReplyCollector[ReplyListener]":
        """Take the pieces of one try of a question; what was said before it counts no more."""
        reply = _PartialReply()

        def add(piece: ReplyChunk) -> None:
            reply.add(piece)
            self._grew(path)

        return _ReplyCollector(self, path, reply, add)

    def broken_off(self, path: NodePath) -> CutOffReply:
        """What was heard of the last try of a question that got no reply; asked for once."""
        return self._broken_off.pop(path, CutOffReply())

    def following(self, path: NodePath) -> "_ReplyCollector[Callable[[str], None]]":
        """Take how far one try of a call has come: its newest words count."""
        reply = _PartialReply()

        def tell(words: str) -> None:
            reply.progress = words[:_MOST_KEPT]
            self._grew(path)

        return _ReplyCollector(self, path, reply, tell)

    def begin(self, path: NodePath, reply: _PartialReply) -> None:
        """One try begins."""
        self._partial[path] = reply

    def end(self, path: NodePath, reply: _PartialReply, *, is_broken: bool) -> None:
        """It is over; from here on its event says it all."""
        if is_broken and reply.pieces:
            self._broken_off[path] = reply.broken_off()
        self._partial.pop(path, None)
        self._changed.pop(path, None)

    def _grew(self, path: NodePath) -> None:
        if path not in self._partial or self._listener is None:
            return  # a server that goes on to tell of what has ended
        self._changed[path] = None
        if not self._is_timer_set:
            self._is_timer_set = True
            asyncio.get_running_loop().call_later(MOMENT_S, self._hand_out)

    def _hand_out(self) -> None:
        self._is_timer_set = False
        changed, self._changed = self._changed, {}
        said = [self._speech(path, self._partial[path]) for path in changed]
        if not said or self._listener is None:
            return
        try:
            self._listener(said)
        except Exception:  # noqa: BLE001 - a screen that breaks must not end the run
            _log.exception("Nobody is told any more what models say while they speak")
            self._listener = None

    def _speech(self, path: NodePath, reply: _PartialReply) -> LiveReply:
        texts = {
            name: self._end_of(parts, is_name=name.startswith("name "))
            for name, parts in reply.texts.items()
        }
        called = sorted({int(name.split()[1]) for name in texts if " " in name})
        return LiveReply(
            path=path,
            text=texts.get("text", ""),
            reasoning=texts.get("reasoning", ""),
            calls=tuple((texts.get(f"name {n}", ""), texts.get(f"given {n}", "")) for n in called),
            pieces=reply.pieces,
            progress=self._redactor.text(reply.progress)[:SHOWN_PROGRESS],
        )

    def _end_of(self, parts: list[str], *, is_name: bool) -> str:
        whole = "".join(parts)
        parts[:] = [whole]
        shown = self._redactor.text(whole if is_name else _whole_words(whole))
        return shown if len(shown) <= SHOWN_CHARACTERS else f"… {shown[-SHOWN_CHARACTERS:]}"


class _ReplyCollector(Generic[T]):
    """One try while it goes on; gives what takes its pieces, or its words."""

    __slots__ = ("_live", "_partial", "_path", "_take")

    def __init__(self, live: LiveReplies, path: NodePath, reply: _PartialReply, take: T) -> None:
        self._live, self._path, self._partial, self._take = live, path, reply, take

    def __enter__(self) -> T:
        self._live.begin(self._path, self._partial)
        return self._take

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._live.end(self._path, self._partial, is_broken=kind is not None)


def _whole_words(text: str) -> str:
    """Without the word at the end, which may go on: half a key would pass."""
    return text[: len(text) - _open_word(text)]


def _open_word(text: str) -> int:
    """Length of the word at the end, which may go on."""
    tail = text[-_LONGEST_WORD:]
    return next((n for n, char in enumerate(reversed(tail)) if char not in _OF_A_WORD), len(tail))
