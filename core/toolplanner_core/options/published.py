"""The settings of a paper: what a plug-in's options are in the work that it is built from.

The defaults of a plug-in are what serves a person's catalogue best; whoever repeats or compares
with a published figure needs the published values, and must know what is different and why.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from toolplanner_core.errors import BadInput
from toolplanner_core.options.option import OptionField, describe_options


class PaperSource(StrEnum):
    """Where it is said what a paper says."""

    TEXT = "its text"
    CODE = "its authors' code"
    MEMORY = "its text, from memory"
    NOBODY = "not given"
    """The paper leaves it open, or has no such thing: the number is ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperSetting:
    """An option in the settings of a paper.

    Attributes:
        says: what the paper says of it, in its words.
        value: of the option; where the paper leaves it open, the default or what is nearest to
            its text.
        why: why the default is another one; or, of a value that is not given, what it is instead.
    """

    option: str
    says: str
    value: Any
    source: PaperSource = PaperSource.TEXT
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSettings:
    """What a paper says of a method, as far as there are options for it.

    Attributes:
        differences: what remains different to the paper, a sentence each, for people.
    """

    settings: tuple[PaperSetting, ...] = ()
    differences: tuple[str, ...] = ()

    @property
    def options(self) -> dict[str, Any]:
        """Values by option."""
        return {each.option: each.value for each in self.settings}


class Published(Protocol):
    """A plug-in that may be built from a paper."""

    @property
    def id(self) -> str:
        """Its stable name."""
        ...

    @property
    def options(self) -> type:
        """The class of its options."""
        ...

    @property
    def published(self) -> PublishedSettings | None:
        """The settings of its paper, None = it has none."""
        ...


class PaperComparison(NamedTuple):
    """An option beside its paper, in words.

    Attributes:
        preset, default: its values in the settings of the paper and by default, as typed.
    """

    name: str
    title: str
    says: str
    source: PaperSource
    preset: str
    default: str
    why: str

    @property
    def is_other(self) -> bool:
        """Whether the default is not what the paper has."""
        return self.preset != self.default


def compare_with_paper(
    options: Sequence[OptionField], paper: PublishedSettings
) -> list[PaperComparison]:
    """What a paper says of each option that it has a value for, in the order of its settings."""
    known = {each.name: each for each in options}
    return [
        PaperComparison(
            name=each.option,
            title=known[each.option].title,
            says=each.says,
            source=each.source,
            preset=known[each.option].words_of(each.value),
            default=known[each.option].default_words,
            why=each.why,
        )
        for each in paper.settings
    ]


def differences_in_words(plugin: Published) -> str:
    """Where the defaults of a plug-in are not its paper's and why, and what stays different with
    the paper's settings; a line each, "" for one that is from no paper."""
    paper = plugin.published
    if paper is None:
        return ""
    rows = compare_with_paper(describe_options(plugin.options), paper)
    return "\n".join(
        [
            *(
                f"{r.title}: {r.preset} instead of {r.default} ({r.why})"
                for r in rows
                if r.is_other
            ),
            "What stays different to the paper:",
            *paper.differences,
        ]
    )


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
    return plugin.published.options
