"""How a plug-in declares one option, with all that flags, forms and lists say about it.

    @dataclass(frozen=True, slots=True, kw_only=True)
    class DbscanOptions:
        eps: float = option(0.02, "Greatest cosine distance of neighbours.", minimum=0, maximum=1)

The type of the field says what fits: bool, int, float, str, `Literal` or an `Enum`, a tuple of one
of these, and each of them `| None`. The words stand here and not in the docstring: they are for
people, and `python -OO` has no docstrings.

What an options class offers, as plain descriptions: for flags, forms and lists.
"""

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from functools import cache
from typing import Any, Final, Literal, NamedTuple, TypeVar

T = TypeVar("T")

ABOUT: Final = "toolplanner.option"
"""Key of an `OptionInfo` in the metadata of a dataclass field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionInfo:
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
    about = OptionInfo(
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


class OptionKind(StrEnum):
    """What one value is."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    TEXT = "text"
    CHOICE = "choice"


class OptionChoice(NamedTuple):
    """A value that can be chosen: as files write it, and in words."""

    value: Any
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionField:
    """One option.

    Attributes:
        kind: of the value, or of each item if `is_list`.
        is_optional: None fits, too, and stands for what `none_means` says.
        choices: of the kind "choice", else none.
        enum: the class that values of a choice have, if it is one.
    """

    name: str
    title: str
    explanation: str
    kind: OptionKind
    default: Any
    is_list: bool = False
    is_optional: bool = False
    none_means: str = ""
    choices: tuple[OptionChoice, ...] = ()
    enum: type[Enum] | None = None
    minimum: float | None = None
    maximum: float | None = None
    unit: str = ""

    @property
    def fits(self) -> str:
        """What fits, in words: "a whole number from 1 up", "similarity or random"."""
        one = {
            OptionKind.BOOL: "on or off",
            OptionKind.INT: f"a whole number{self._bounds}",
            OptionKind.FLOAT: f"a number{self._bounds}",
            OptionKind.TEXT: "a text",
            OptionKind.CHOICE: " or ".join(str(choice.value) for choice in self.choices),
        }[self.kind]
        many = f"a list, each {one}" if self.is_list else one
        return f"{many}, or none" if self.is_optional else many

    def words_of(self, value: Any) -> str:
        """A value of it as it would be typed, or what its absence means."""
        if value is None:
            return self.none_means or "none"
        if self.is_list:
            return ",".join(str(item) for item in value) or "none"
        if self.kind is OptionKind.BOOL:
            return "on" if value else "off"
        unit = f" {self.unit}" if self.unit else ""
        return f"{getattr(value, 'value', value)}{unit}" if value != "" else "empty"

    @property
    def default_words(self) -> str:
        """The default as it would be typed, or what its absence means."""
        return self.words_of(self.default)

    @property
    def _bounds(self) -> str:
        if self.minimum is not None and self.maximum is not None:
            return f" from {self.minimum:g} to {self.maximum:g}"
        if self.minimum is not None:
            return f" from {self.minimum:g} up"
        return "" if self.maximum is None else f" of at most {self.maximum:g}"


_KINDS = {
    bool: OptionKind.BOOL,
    int: OptionKind.INT,
    float: OptionKind.FLOAT,
    str: OptionKind.TEXT,
}


@cache
def describe_options(options: type) -> tuple[OptionField, ...]:
    """The options of an options class, in the order in which it declares them.

    Raises:
        TypeError: it is no frozen dataclass, or a field has no default or a type that options
            cannot have: a mistake of the plug-in, not of a person.
    """
    made_with: Any = getattr(options, "__dataclass_params__", None)
    if made_with is None or not made_with.frozen:
        raise TypeError(f"the options {options!r} are no frozen dataclass")
    hints = typing.get_type_hints(options)
    return tuple(_describe(options, each, hints[each.name]) for each in dataclasses.fields(options))


def _describe(options: type, declared: dataclasses.Field[Any], hint: Any) -> OptionField:
    where = f"{options.__name__}.{declared.name}"
    if declared.default is dataclasses.MISSING:
        raise TypeError(f"the option {where} has no default")
    is_optional, hint = _without_none(hint)
    is_list = typing.get_origin(hint) is tuple
    if is_list:
        hint = typing.get_args(hint)[0]
    about: OptionInfo | None = declared.metadata.get(ABOUT)
    values = _values(hint)
    kind = OptionKind.CHOICE if values else _KINDS.get(hint)
    if kind is None:
        raise TypeError(f"the option {where} has the type {hint!r}, which no option can have")
    words: Mapping[Any, str] = about.choices if about else {}
    title = declared.name.replace("_", " ")
    return OptionField(
        name=declared.name,
        title=(about and about.title) or title[:1].upper() + title[1:],
        explanation=about.explanation if about else "",
        kind=kind,
        default=declared.default,
        is_list=is_list,
        is_optional=is_optional,
        none_means=about.none_means if about else "",
        choices=tuple(OptionChoice(value, words.get(value, str(value))) for value in values),
        enum=hint if isinstance(hint, type) and issubclass(hint, Enum) else None,
        minimum=about.minimum if about else None,
        maximum=about.maximum if about else None,
        unit=about.unit if about else "",
    )


def _without_none(hint: Any) -> tuple[bool, Any]:
    if typing.get_origin(hint) not in (typing.Union, types.UnionType):
        return False, hint
    inner = [each for each in typing.get_args(hint) if each is not type(None)]
    return len(inner) < len(typing.get_args(hint)), inner[0] if len(inner) == 1 else hint


def _values(hint: Any) -> tuple[Any, ...]:
    if typing.get_origin(hint) is Literal:
        return typing.get_args(hint)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return tuple(member.value for member in hint)
    return ()
