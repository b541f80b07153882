"""The settings of a paper: what a plug-in's options are in the work that it is built from.

The defaults of a plug-in are what serves a person's catalogue best; whoever repeats or compares
with a published figure needs the published values, and must know what is different all the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from toolplanner_core.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSettings:
    """What a paper says of a method, as far as there are options for it.

    Attributes:
        options: values by option; where the paper leaves one open, the default or what is nearest
            to its text.
        differences: what remains different to the paper, a sentence each, for people.
    """

    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    differences: tuple[str, ...] = ()


class Published(Protocol):
    """A plug-in that may be built from a paper."""

    @property
    def id(self) -> str:
        """Its stable name."""
        ...

    @property
    def published(self) -> PublishedSettings | None:
        """The settings of its paper, None = it has none."""
        ...


def published_options(plugin: Published) -> dict[str, Any]:
    """The options of a plug-in as its paper has them.

    Raises:
        BadInput: it is from no paper, or the paper says nothing of its options.
    """
    if plugin.published is None:
        raise BadInput(
            f"There are no settings of a paper for {plugin.id}",
            why="It is from no paper that gives any",
            todo="Give its options one by one, or leave them as they are",
        )
    return dict(plugin.published.options)
