"""How a plug-in declares one option, with all that flags, forms and lists say about it.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class DbscanOptions:
        eps: float = option(0.02, "Greatest cosine distance of neighbours.", minimum=0, maximum=1)

The type of the field says what fits: bool, int, float, str, `Literal` or an `Enum`, a tuple of one
of these, and each of them `| None`. The words stand here and not in the docstring: they are for
people, and `python -OO` has no docstrings.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

T = TypeVar("T")

ABOUT: Final = "toolplanner.option"
"""Key of an `About` in the metadata of a dataclass field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a declaration says beside type and default."""

    explanation: str
    title: str
    minimum: float | None
    maximum: float | None
    unit: str
    choices: Mapping[Any, str]
    none_means: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoOptions:
    """There is nothing to choose."""


def option(
    default: T,
    explanation: str,
    *,
    title: str = "",
    minimum: float | None = None,
    maximum: float | None = None,
    unit: str = "",
    choices: Mapping[Any, str] | None = None,
    none_means: str = "",
) -> T:
    """A field of an options class.

    Args:
        explanation: what it does, a sentence for people.
        title: its label; made from the name where none is given.
        minimum: least value that fits, of each item if it is a list.
        maximum: greatest value that fits.
        unit: what is counted, such as "s" or "APIs".
        choices: words for the values of a `Literal` or `Enum`, where these do not speak for
            themselves.
        none_means: what None stands for: "one for 9 APIs".

    Returns:
        The dataclass field, typed as its value so that type checkers see a default.
    """
    about = About(
        explanation=explanation,
        title=title,
        minimum=minimum,
        maximum=maximum,
        unit=unit,
        choices=choices or {},
        none_means=none_means,
    )
    made: Any = field(default=default, metadata={ABOUT: about})
    return made
