"""Base of all events, the record around one, and the registry of types."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, NamedTuple, TypeVar

from toolplanner_core.domain.ids import NodePath, RunId

E = TypeVar("E", bound="type[Event]")
_TYPES: "dict[str, type[Event]]" = {}


class Actor(StrEnum):
    """Who did it."""

    STRATEGY = "strategy"
    MODEL = "model"
    PROVIDER = "provider"
    PERSON = "person"
    ENGINE = "engine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base; subclasses hold JSON values only (str, int, float, bool, None, lists and dicts of
    them)."""

    type: ClassVar[str] = ""
    actor: ClassVar[Actor] = Actor.ENGINE

    def to_body(self) -> dict[str, Any]:
        """The fields as a JSON object."""
        return {name: getattr(self, name) for name in _field_names(type(self))}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownEvent(Event):
    """An event of a newer program: shown raw, exported unchanged."""

    unknown_type: str
    fields: Mapping[str, Any]

    def to_body(self) -> dict[str, Any]:
        return dict(self.fields)


class Record(NamedTuple):
    """One row of the log; a tuple, since a long run has tens of thousands of them.

    Attributes:
        seq: 1, 2, 3 ... per run, without gaps.
        wall_us: microseconds since 1970, UTC.
        mono_ns: nanoseconds since the run began, monotonic.
        path: node the event belongs to; parent: that node's parent (None for the root).
        cause: seq of the event that is the reason for this one.
    """

    run: RunId
    seq: int
    wall_us: int
    mono_ns: int
    path: NodePath
    parent: NodePath | None
    cause: int | None
    actor: Actor
    event: Event


def event_type(cls: E) -> E:
    """Class decorator: enter the class in the closed list."""
    assert cls.type and cls.type not in _TYPES, cls
    _TYPES[cls.type] = cls
    return cls


def all_event_types() -> "Mapping[str, type[Event]]":
    """The closed list by name."""
    return _TYPES


def event_from_body(type_name: str, body: Mapping[str, Any]) -> Event:
    """The event of a stored row; fields this program does not know are dropped, unknown types kept
    raw."""
    cls = _TYPES.get(type_name)
    if cls is None:
        return UnknownEvent(unknown_type=type_name, fields=dict(body))
    try:
        # Nearly all events: to compare the names first takes a third of the time.
        return cls(**body)
    except TypeError:
        known = _field_names(cls)
        return cls(**{name: value for name, value in body.items() if name in known})


@cache
def _field_names(cls: type[Event]) -> dict[str, None]:
    return {field.name: None for field in dataclasses.fields(cls)}  # in the order of the class
