"""What a re-import changes of the documentation of an API, part by part, and whether it matters.

A change that matters keeps the API from being planned with and called until a person accepts it:
names, texts and schemas are what models are told, so a new wording alone can make them do something
else. What does not matter: the category, spaces, punctuation and case of a text, and how the API is
called where that was not known before (workspaces of older versions do not hold it).
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.plain_data import plain_mapping
from toolplanner_core.words.word_diff import is_reworded, word_diff

_CATEGORY, _CALLED = "category", "how it is called"
_TEXTS = (
    ("tool", "tool"), ("name", "name"), ("category", _CATEGORY), ("description", "description"),
    ("tool_description", "description of the tool"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class PartChange:
    """One part of an API's documentation that differs.

    Attributes:
        part: in words, such as "parameter days added".
        before, now: both as text; schemas as JSON.
        matters: whether the API waits for a person.
    """

    part: str
    before: str
    now: str
    matters: bool = True

    @property
    def diff(self) -> str:
        """What changed by words: "the [-old-] {+new+} text"."""
        return word_diff(self.before, self.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiChange:
    """An API that is documented differently now.

    Attributes:
        title: tool and name, as now.
        details: what differs.
        is_back: it is documented again as it was when that counted last.
    """

    id: str
    title: str
    details: tuple[PartChange, ...]
    is_back: bool = False

    @property
    def parts(self) -> tuple[str, ...]:
        """What differs, in words."""
        return tuple(each.part for each in self.details)

    @property
    def matters(self) -> bool:
        """Whether the API waits for a person."""
        return not self.is_back and any(each.matters for each in self.details)

    @property
    def outcome(self) -> str:
        """What an import of it leads to, in words."""
        if self.is_back:
            return "counts again"
        return "waits for you" if self.matters else "counts at once"


def change_of(before: Api, now: Api, *, counted_hash: str = "") -> ApiChange:
    """What differs between two documentations of one API.

    Args:
        counted_hash: of the one that counted before a change that still waits, "" if none waits.
    """
    return ApiChange(
        id=now.id,
        title=now.title,
        details=tuple(_details(before, now)),
        is_back=bool(counted_hash) and now.doc_hash == counted_hash,
    )


def _details(before: Api, now: Api) -> Iterator[PartChange]:
    for name, words in _TEXTS:
        was, text = getattr(before, name), getattr(now, name)
        if was != text:
            matters = words != _CATEGORY and is_reworded(was, text)
            yield PartChange(part=words, before=was, now=text, matters=matters)
    if before.response_schema != now.response_schema:
        old, new = _text(before.response_schema), _text(now.response_schema)
        yield PartChange(part="reply", before=old, now=new)
    if before.operation != now.operation:
        old, new = before.call_in_words, now.call_in_words
        if old == new:
            old, new = str(before.operation), str(now.operation)
        yield PartChange(part=_CALLED, before=old, now=new, matters=before.operation is not None)
    if before.risk != now.risk:
        yield PartChange(part="risk", before=before.risk.value, now=now.risk.value)
    yield from _parameters(before, now)


def _parameters(before: Api, now: Api) -> Iterator[PartChange]:
    old, new = _named(before), _named(now)
    for name in old:
        if name not in new:
            yield PartChange(part=f"parameter {name} gone", before=_text(old[name]), now="")
    for name in new:
        if name not in old:
            yield PartChange(part=f"parameter {name} added", before="", now=_text(new[name]))
    for name in new:
        if name in old and new[name] != old[name]:
            was, is_now = _text(old[name]), _text(new[name])
            yield PartChange(part=f"parameter {name} changed", before=was, now=is_now)
    if _beside(before) != _beside(now):
        was, is_now = _text(_beside(before)), _text(_beside(now))
        yield PartChange(part="rules between parameters", before=was, now=is_now)


def _named(api: Api) -> Mapping[str, Any]:
    """By name, the schema, and whether it is required."""
    return {
        p.name: {**p.schema, "required": True} if p.required else dict(p.schema)
        for p in api.parameter_list
    }


def _beside(api: Api) -> Mapping[str, Any]:
    return {
        word: value
        for word, value in api.parameters.items()
        if word not in ("properties", "required")
    }


def _text(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1, default=plain_mapping)
