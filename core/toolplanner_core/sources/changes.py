"""What a re-import changes: of each API that is documented differently, which parts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.api import Api

_PARTS = (
    ("tool", "tool"), ("name", "name"), ("category", "category"), ("description", "description"),
    ("tool_description", "description of the tool"), ("response_schema", "reply"),
    ("operation", "how it is called"), ("risk", "risk"),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiChange:
    """An API that is documented differently now.

    Attributes:
        title: tool and name, as now.
        parts: what differs, in words, such as "parameter days added".
    """

    id: str
    title: str
    parts: tuple[str, ...]


def change_of(before: Api, now: Api) -> ApiChange:
    """What differs between two documentations of one API."""
    parts = [
        *(words for name, words in _PARTS if getattr(before, name) != getattr(now, name)),
        *_parameters(before, now),
    ]
    return ApiChange(id=now.id, title=now.title, parts=tuple(parts))


def _parameters(before: Api, now: Api) -> Iterator[str]:
    old, new = _named(before), _named(now)
    yield from (f"parameter {name} gone" for name in old if name not in new)
    yield from (f"parameter {name} added" for name in new if name not in old)
    yield from (
        f"parameter {name} changed" for name in new if name in old and new[name] != old[name]
    )
    if _beside(before) != _beside(now):
        yield "rules between parameters"


def _named(api: Api) -> Mapping[str, Any]:
    return {p.name: (p.schema, p.required) for p in api.parameter_list}


def _beside(api: Api) -> Mapping[str, Any]:
    return {
        word: value
        for word, value in api.parameters.items()
        if word not in ("properties", "required")
    }
