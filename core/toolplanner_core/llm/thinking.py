"""What a model thought before it answered: told apart from the answer, and given back.

Endpoints put it into fields of their own (DeepSeek and vLLM `reasoning_content`; OpenRouter and
Ollama `reasoning`; OpenRouter `reasoning_details`; LiteLLM `thinking_blocks`), into parts of the
content (Mistral), or leave it between tags in the text. Models that call functions while they think
want the fields back in the next turn: DeepSeek answers 400 without `reasoning_content`, Claude and
Gemini behind OpenRouter without the signatures in `reasoning_details`. They go back with turns that
call only, as they came: DeepSeek ignores those of other turns, and its R1, which calls nothing,
answers 400 to them. An endpoint that refuses them is not sent them again.

Text between tags never goes back: makers want only the answer of earlier turns, and not every chat
template drops the rest by itself. MiniMax alone wants it with its calls: asked with
`reasoning_split`, or served by vLLM with its parser, it gives fields, and those go back.

Source: api-docs.deepseek.com, "Thinking Mode" (tool calls) and, of R1, "Reasoning Model"
(multi-round conversation); model cards of Qwen3 and Gemma 4, "No Thinking Content in History";
docs.vllm.ai, "Interleaved Thinking".
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, cast

_Fields = Mapping[str, Any]
_TEXTS = ("reasoning_content", "reasoning", "thinking", "thought")
_BLOCKS = ("reasoning_details", "thinking_blocks", "thinking")
_WORDS_OF_BLOCK = ("thinking", "text", "reasoning", "summary", "content")
_DEEPEST = 6
_PARTS = ("thinking", "reasoning", "thought", "redacted_thinking")
RETURNED_FIELDS = ("reasoning_content", "reasoning", "reasoning_details", "thinking",
                   "thinking_blocks")  # fmt: skip
"""Fields of a message that are sent back as they came."""
CALL_EXTRAS = "call_extras"
"""Under which name what stood beside each call is kept, such as Gemini's signatures."""
_TAGS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
    ("<|channel>thought", "<channel|>"),
)
"""Qwen, DeepSeek; others' own; Seed-OSS; Magistral; Kimi-VL; gpt-oss; Gemma 4."""
_BEFORE_ANSWER = ("<|start|>assistant", "<|channel|>final<|message|>")
"""What gpt-oss writes between its thoughts and its answer, where its server does not read it."""


def is_thought(part: _Fields) -> bool:
    """Whether a part of a content is what the model thought."""
    return part.get("type") in _PARTS


def thought_in(message: _Fields) -> str:
    """What a message, or a piece of one, says of thoughts. Endpoints that fill several fields say
    the same in each."""
    for name in _TEXTS:
        if isinstance(message.get(name), str) and message[name]:
            return message[name]
    for name in _BLOCKS:
        if words := _words(message.get(name)):
            return words
    content = message.get("content")
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    return "".join(
        _words(part)
        for part in parts
        if isinstance(part, Mapping) and is_thought(cast("_Fields", part))
    )


def _words(block: Any, depth: int = 0) -> str:
    if isinstance(block, str):
        return block
    if not block or depth > _DEEPEST:
        return ""
    if isinstance(block, list):
        return "".join(_words(each, depth + 1) for each in cast("list[Any]", block))
    fields = cast("_Fields", block) if isinstance(block, Mapping) else {}
    inner = (_words(fields.get(name), depth + 1) for name in _WORDS_OF_BLOCK)
    return next(filter(None, inner), "")


class ThinkingFields:
    """Collects the fields of a reply that its endpoint wants back with the next turn."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {}
        self._blocks: dict[str, list[dict[str, Any]]] = {}

    def add(self, message: _Fields) -> None:
        """Add what a message, or a piece of one, has of them."""
        for name in RETURNED_FIELDS:
            value = message.get(name)
            if isinstance(value, str) and value:
                self._texts.setdefault(name, []).append(value)
            elif isinstance(value, list):
                for block in cast("list[Any]", value):
                    if isinstance(block, Mapping):
                        self._add_block(name, dict(cast("_Fields", block)))

    def whole(self) -> dict[str, Any]:
        """The fields, by name, as one message has them."""
        texts = {name: "".join(parts) for name, parts in self._texts.items()}
        return {**self._blocks, **texts}

    def _add_block(self, name: str, block: dict[str, Any]) -> None:
        """A block of a stream comes in pieces: texts grow, what else it has comes once."""
        blocks = self._blocks.setdefault(name, [])
        last = blocks[-1] if blocks else {}
        numbered = block.get("index") is not None and block.get("index") == last.get("index")
        is_open = not last.get("signature") and "index" not in block
        if not last or last.get("type") != block.get("type") or not (numbered or is_open):
            blocks.append(block)
            return
        for key, value in block.items():
            before = last.get(key)
            is_text = isinstance(before, str) and isinstance(value, str)
            if is_text and key in (*_WORDS_OF_BLOCK, "data"):
                last[key] = f"{before}{value}"
            elif value is not None:
                last[key] = value


class SplitText(NamedTuple):
    """A piece of a text: what it says, and what it thinks."""

    said: str = ""
    thought: str = ""


class ThinkTagSplitter:
    """Takes thoughts between tags out of a text while it comes. Only at its beginning, or after
    another thought: an answer may speak of such tags."""

    def __init__(self) -> None:
        self._held = ""
        self._close = ""
        self._is_answering = False
        self._has_thought = False

    def feed(self, piece: str) -> SplitText:
        """What a piece adds; what may be half a tag is held back."""
        if self._is_answering:
            return SplitText(said=piece)
        self._held += piece
        thought: list[str] = []
        while self._held:
            if self._close:
                thought.append(self._take_thought())
                if self._close:
                    break
                continue
            bare = self._held.lstrip()
            tag = next((tag for tag in _TAGS if bare.startswith(tag[0])), None)
            if tag is not None:
                self._held, self._close = bare[len(tag[0]) :], tag[1]
                self._has_thought = True
                continue
            mark = next((mark for mark in _BEFORE_ANSWER if bare.startswith(mark)), "")
            if (mark and self._has_thought) or mark == _BEFORE_ANSWER[-1]:
                self._held, self._has_thought = bare[len(mark) :], True
                continue
            marks = (*(opening for opening, _ in _TAGS), *_BEFORE_ANSWER)
            if any(mark.startswith(bare) for mark in marks):
                break
            said, self._is_answering = (bare if self._has_thought else self._held), True
            self._held = ""
            return SplitText(said, "".join(thought))
        return SplitText(thought="".join(thought))

    def close(self) -> SplitText:
        """What was held back."""
        held, self._held = self._held, ""
        return SplitText(thought=held) if self._close else SplitText(said=held)

    def _take_thought(self) -> str:
        """What is thought in the text that is held; a closing tag ends it."""
        before, mark, after = self._held.partition(self._close)
        if mark:
            self._held, self._close = after, ""
            return before
        n_whole = len(self._held) - _half_tag(self._held, self._close)
        thought, self._held = self._held[:n_whole], self._held[n_whole:]
        return thought


def without_lone_end(text: str) -> SplitText:
    """The text behind a closing tag that no opening one stands before: templates of DeepSeek and
    Qwen write the opening one into the prompt."""
    for opening, closing in _TAGS:
        before, mark, after = text.rpartition(closing)
        if mark and opening not in text and "`" not in before[-1:]:
            return SplitText(after.lstrip(), before)
    return SplitText(text)


def _half_tag(text: str, tag: str) -> int:
    """How many letters at the end of a text may begin a tag."""
    return max((n for n in range(1, len(tag)) if text.endswith(tag[:n])), default=0)
