"""Parts of documents from others as the types that they should have, and what was wrong with them.

A document may hold anything anywhere. What is read as an object, a list or a text is one, if an
empty one; whoever has to tell the difference looks at the value itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.sources.source import Mended


def as_object(value: Any) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """The value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


@dataclass(slots=True)
class Notes:
    """What had to be left out or changed, each said once per document.

    Attributes:
        where: the document; the place inside it can be added.
    """

    where: str
    _new: list[Mended] = field(default_factory=list[Mended])
    _said: set[str] = field(default_factory=set[str])

    def add(self, why: str, *, place: str = "", once: str = "") -> None:
        """Note something.

        Args:
            once: what it is about; the same is not said again.
        """
        key = once or f"{place} {why}"
        if key not in self._said:
            self._said.add(key)
            self._new.append(Mended(where=f"{self.where} {place}".strip(), why=why))

    def taken(self) -> Iterator[Mended]:
        """What was noted since this was last asked."""
        new, self._new = self._new, []
        yield from new
