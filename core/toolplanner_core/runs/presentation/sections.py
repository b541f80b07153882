"""Titled texts of a node, JSON as people read it, and what came beside the text of a reply."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal, NamedTuple, cast

from toolplanner_core.domain.plain_data import plain_mapping
from toolplanner_core.providers.reply_images import DRAWN, MOST_KEPT, MOST_NAMED

Look = Literal["", "code", "program"]
"""Prose; in a font of one width; that with numbered lines, which are not wrapped."""


class ShownText(NamedTuple):
    """A titled text for whoever knows nothing of runs; a picture, in base64, stands above it."""

    title: str
    text: str
    look: Look
    picture: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A titled text; `is_code` is shown in a fixed-width font, `is_program` has numbered lines, and
    a `picture`, in base64, is drawn above it where there is a screen."""

    title: str
    text: str
    is_code: bool = False
    is_program: bool = False
    picture: str = ""

    @property
    def shown(self) -> ShownText:
        """It as it is shown."""
        look: Look = "program" if self.is_program else "code" if self.is_code else ""
        return ShownText(self.title, self.text, look, self.picture)


def pretty(value: Any) -> str:
    """A JSON value on several lines."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=plain_mapping)


def pretty_text(text: str) -> str:
    """Text that is JSON on several lines; any other text as it is."""
    if text[:1] not in ("{", "["):
        return text
    try:
        return pretty(json.loads(text))
    except (ValueError, RecursionError):
        return text


_MOST_RESOURCES = 20


def attached(pictures: Sequence[Any], body: str) -> Iterator[Section]:
    """The parts, pictures first.

    Args:
        pictures: as the log has them; a file from elsewhere may hold anything there.
    """
    yield from _pictures(pictures)
    yield from islice(_resources(body), _MOST_RESOURCES)


def _pictures(kept: Sequence[Any]) -> Iterator[Section]:
    """Each picture with its kind and size, or why there is none to be seen."""
    for number, held in enumerate(kept[:MOST_NAMED], 1):
        each = cast("Mapping[str, Any]", held) if _is_object(held) else dict[str, Any]()
        which = f" {number} of {len(kept)}" if len(kept) > 1 else ""
        name = f" · {each['name']}" if each.get("name") else ""
        kind, data = str(each.get("type", "")), str(each.get("data", ""))
        size = each.get("size")
        words = f"{kind}, {size:,} bytes" if isinstance(size, int) else kind
        if kind not in DRAWN:
            words += ". Pictures of this kind are not drawn"
        elif not data:
            words += f". Not kept: of one reply, {MOST_KEPT * 3 // 4:,} bytes of pictures are"
        yield Section(title=f"Picture{which}{name}", text=words, picture=data)


def _resources(body: str) -> Iterator[Section]:
    """Texts that a server embedded, each under its address."""
    if '"attachments"' not in body:
        return
    try:
        given: Any = json.loads(body)
    except (ValueError, RecursionError):
        return
    named: Any = cast("Mapping[str, Any]", given).get("attachments") if _is_object(given) else None
    for each in cast("Sequence[Any]", named) if isinstance(named, list) else ():
        if not _is_object(each):
            continue
        held = cast("Mapping[str, Any]", each)
        if held.get("kind") == "resource" and isinstance(held.get("text"), str):
            kind = f" · {held['type']}" if held.get("type") else ""
            title = f"Resource {held.get('uri', '')}{kind}"
            yield Section(title=title, text=pretty_text(held["text"]), is_code=True)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)
