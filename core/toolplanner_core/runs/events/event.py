"""Base of all events, the registry of their types, and how events of older versions are read.

An event says in its own file what it is: whether a replay repeats it (`is_taped`) and what of it
may differ then (`uncompared`), what it does to the tree (`fold`) and to the totals (`count`), and
its words for people (`word`, `said`)."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, ClassVar, TypeVar, dataclass_transform

from toolplanner_core.domain.ids import NodePath, RunId, parent_of
from toolplanner_core.runs.tree.formatting import pairs_words, short_line
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.runs.tree.tree import Moment, RunTree
from toolplanner_core.workspace.run_log import LogRow

Body = Mapping[str, Any]


def upgraded(type_name: str, body: Body) -> tuple[str, Body]:
    """Type and body of today; unchanged where nothing was renamed."""
    upgrade = _UPGRADES.get(type_name)
    return (type_name, body) if upgrade is None else ("decided", upgrade(body))


def _fallback(body: Body) -> Body:
    found: list[Body] = body.get("candidates") or []
    title = body.get("title", "")
    return {
        "point": "before_fallback" if found else "toolkit_exhausted",
        "title": f"Fall back to {title}" if found else "No API of the toolkit is left",
        "alternatives": [
            {
                "id": row.get("api", ""),
                "title": row.get("title", ""),
                "score": row.get("score"),
                "parts": row.get("parts") or {},
            }
            for row in found
        ],
        "chosen": body.get("api"),
        "chosen_title": title,
    }


def _exhausted(body: Body) -> Body:
    name = body.get("toolkit_name", "")
    return {
        "point": "toolkit_exhausted",
        "title": "No API of the toolkit is left",
        "alternatives": [],
        "chosen": None,
        "because": f"no API of {name} could do the step",
        "data": {"toolkit": body.get("toolkit"), "toolkit_name": name},
    }


def _replan(body: Body) -> Body:
    title = f"Make plan {body.get('number')}"
    return {
        "point": "before_replan",
        "title": title,
        "alternatives": [{"id": "replan", "title": title, "score": None, "parts": {}}],
        "chosen": "replan",
        "chosen_title": title,
    }


_UPGRADES: Mapping[str, Callable[[Body], Body]] = {
    "fallback.chosen": _fallback,
    "toolkit.exhausted": _exhausted,
    "replan.decided": _replan,
}


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
    them).

    Class attributes:
        word: the type for people, such as "Model asked".
        is_taped: a strategy that is fed from the tape causes it again; others (stops, faults,
            begin and end) stand beside the strategy.
        uncompared: fields that a fork with another model or provider may change without a
            difference.
        is_whole: its long texts are always read with it, since the tree shows them.
    """

    type: ClassVar[str] = ""
    word: ClassVar[str] = ""
    actor: ClassVar[Actor] = Actor.ENGINE
    is_taped: ClassVar[bool] = False
    uncompared: ClassVar[frozenset[str]] = frozenset()
    is_whole: ClassVar[bool] = False

    def to_body(self) -> dict[str, Any]:
        """The fields as a JSON object."""
        return {name: getattr(self, name) for name in _field_names(type(self))}

    def describe(self) -> str:
        """What it says, in one line; of a stored event the long texts may be marks."""
        return pairs_words(self.to_body())

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        """What it does to the tree of its run."""

    def count(self, totals: Totals, at: Moment, /) -> None:
        """What it adds to the totals of its run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownEvent(Event):
    """An event of a newer program: shown raw, exported unchanged."""

    unknown_type: str
    fields: Mapping[str, Any]

    def to_body(self) -> dict[str, Any]:
        return dict(self.fields)


Record = LogRow[Event]
"""One row of the log with what it says as a typed event."""


def record_of(
    run: RunId,
    seq: int,
    event: Event,
    path: NodePath,
    *,
    wall_us: int = 0,
    mono_ns: int = 0,
    cause: int | None = None,
) -> Record:
    """An event of this program in its place."""
    at = (run, seq, wall_us, mono_ns, type_of(event), path, parent_of(path), cause, event.actor)
    return LogRow(*at, event)


def type_of(event: Event) -> str:
    """The type of an event as it is stored."""
    return event.unknown_type if isinstance(event, UnknownEvent) else event.type


@dataclass_transform(kw_only_default=True, frozen_default=True)
def event_type(
    name: str,
    word: str,
    actor: Actor = Actor.ENGINE,
    *,
    is_taped: bool = False,
    uncompared: Iterable[str] = (),
    is_whole: bool = False,
) -> Callable[[E], E]:
    """Class decorator: make a class an event, with the class attributes of `Event`, and enter it in
    the closed list."""

    def enter(cls: E) -> E:
        made = dataclass(frozen=True, slots=True, kw_only=True)(cls)
        made.type, made.word, made.actor = name, word, actor
        made.is_taped, made.uncompared, made.is_whole = is_taped, frozenset(uncompared), is_whole
        assert name not in _TYPES, made
        _TYPES[name] = made
        return made

    return enter


def all_event_types() -> "Mapping[str, type[Event]]":
    """The closed list by name."""
    return _TYPES


def type_words(type_name: str) -> str:
    """A type of events for people; a type of a newer program by its name."""
    cls = _TYPES.get(upgraded(type_name, {})[0])
    if cls is not None:
        return cls.word
    return type_name.replace(".", " ").replace("_", " ").capitalize()


def line_of(event: Event) -> str:
    """What an event says, as one line of a list."""
    return short_line(event.describe())


def event_from_body(type_name: str, body: Mapping[str, Any]) -> Event:
    """The event of a stored row; those of earlier programs as they would be written today, unknown
    types raw, without fields that this program does not know."""
    cls = _TYPES.get(type_name)
    if cls is None:
        type_name, body = upgraded(type_name, body)
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
