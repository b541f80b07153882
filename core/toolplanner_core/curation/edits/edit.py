"""The shape of an edit: frozen data that says what is wanted, and how it changes a state.

An edit is planned on a view of the state and comes out as `Changes`; it never touches the workspace
itself. So the same class serves the window, the command line, a decisions file and a state in
memory.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, ClassVar, Self, cast

from toolplanner_core.domain.curated import Changes, CuratedView, Membership, ToolkitFields
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.words.window_places import SEE_TOOLKITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What an edit would do.

    Attributes:
        label: for people, in the imperative: "Merge “Currency rates” into “Currency”".
    """

    label: str
    changes: Changes


class Edit(ABC):
    """One decision of a person: the frozen dataclasses of this package."""

    __slots__ = ()
    kind: ClassVar[str]

    @abstractmethod
    def plan(self, view: CuratedView) -> Planned:
        """What it changes.

        Raises:
            BadInput: it does not fit the state: an unknown toolkit or API, or nothing to do.
        """

    def asked(self) -> Mapping[str, Any]:
        """Its fields as JSON values."""
        return asdict(cast(Any, self))

    @classmethod
    def from_asked(cls, asked: Mapping[str, Any]) -> Self:
        """The edit that `asked` came from.

        Raises:
            BadInput: a field is unknown or missing.
        """
        known = {field.name for field in fields(cast(Any, cls))}
        if unknown := sorted(asked.keys() - known):
            raise BadInput(f"An edit of this kind has no field “{unknown[0]}”")
        try:
            return cls(**{name: _frozen(value) for name, value in asked.items()})
        except TypeError as error:
            raise BadInput("A field of the edit is missing", why=str(error)) from error


def living(view: CuratedView, toolkit: ToolkitId) -> ToolkitFields:
    """A living toolkit.

    Raises:
        BadInput: there is none with this id.
    """
    found = view.toolkit(toolkit)
    if found is None:
        raise BadInput(
            f"There is no toolkit {toolkit}",
            why="It never existed, or it was merged, split or undone",
            todo=SEE_TOOLKITS,
        )
    return found


def known_apis(view: CuratedView, rowids: Sequence[int]) -> Sequence[int]:
    """These APIs, each once, in ascending order.

    Raises:
        BadInput: none was given, or one is not in the catalogue.
    """
    if not rowids:
        raise BadInput("No APIs were chosen", todo="Choose at least one")
    unknown = view.unknown(rowids)
    if unknown:
        raise BadInput(f"There is no API with the row id {unknown[0]}")
    return sorted({int(rowid) for rowid in rowids})


def new_toolkit(
    name: str, description: str, author: Author, *, name_author: Author | None = None
) -> dict[str, Any]:
    """The values of a toolkit that begins.

    Args:
        author: who wrote the description, and the name if nothing else is said.
    """
    return {
        "is_living": True,
        "name": name,
        "description": description,
        "name_author": name_author or author,
        "description_author": author,
    }


def emptied(
    view: CuratedView, members: Mapping[int, Membership | None]
) -> dict[ToolkitId, dict[str, Any]]:
    """The toolkits that have no member left once these APIs belong elsewhere, as changes that
    retire them.

    A pinned toolkit stays, empty: a person wants it there.
    """
    gained = Counter(after.toolkit for after in members.values() if after is not None)
    gained.subtract(before.toolkit for before in view.memberships(members).values())
    return {
        toolkit: {"is_living": False}
        for toolkit, n in gained.items()
        if n < 0 and len(view.members(toolkit)) == -n and not living(view, toolkit).is_pinned
    }


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_frozen(item) for item in cast(list[Any], value))
    return value
