"""YAML from others to JSON values, within limits that are checked before anything is built.

YAML can say with ten lines what takes gigabytes (aliases of aliases), can hold itself, and reads
"no" as false and "12:30" as 750. So the events are counted first, an alias by all that it stands
for, and values are read by the rules of JSON, as OpenAPI asks: true, false, null, numbers, else
text. Keys are texts.

Source: design/security.md, "Files from others"; YAML 1.2.2, 10.3 core schema.
"""

import math
import re
from functools import cache
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.documents import MAX_DEPTH, parse
from toolplanner_core.sources.members import YAML_SUFFIXES

MOST_VALUES = 2_000_000
"""After aliases are written out; the largest real document known has 60,000."""
_RULES = (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+0123456789."),
    ("merge", r"<<", "<"),
)


def parse_any(text: str, *, name: str) -> Any:
    """The value of a JSON or YAML text.

    Args:
        name: of the file; one that promises YAML is read as YAML where JSON fails.

    Raises:
        BadInput: it is neither, or over a limit.
    """
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "["):
        return parse_yaml(text)
    try:
        return parse(text)
    except BadInput:
        if not name.lower().endswith(YAML_SUFFIXES):
            raise
        return parse_yaml(text)


def parse_yaml(text: str) -> Any:
    """The JSON value of a YAML text of one document.

    Raises:
        BadInput: broken YAML (with line and column), or over a limit.
    """
    import yaml

    try:
        _check_size(text)
        return yaml.load(text, Loader=_loader())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise BadInput(f"broken YAML{place}: {error.problem or error.context}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise BadInput(f"the YAML cannot be read: {str(error)[:200]}") from error


def _check_size(text: str) -> None:
    """Count all values, an alias as what it stands for, without building any of them.

    Raises:
        BadInput: too many, too deep, or an alias inside what it stands for.
    """
    import yaml

    sizes: dict[str, int] = {}
    # Anchor and size of each collection that is open; the first is the whole text.
    opened: list[tuple[str | None, int]] = [(None, 0)]
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        size = 0
        if isinstance(event, yaml.CollectionStartEvent):
            opened.append((event.anchor, 1))
            if event.anchor:
                sizes.pop(event.anchor, None)
            if len(opened) > MAX_DEPTH:
                raise BadInput(f"the YAML is nested deeper than {MAX_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, size = opened.pop()
            if anchor:
                sizes[anchor] = size
        elif isinstance(event, yaml.ScalarEvent):
            size = 1
            if event.anchor:
                sizes[event.anchor] = 1
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise BadInput(f"the YAML alias *{event.anchor} stands for nothing before it")
            size = sizes[event.anchor]
        around, total = opened[-1]
        opened[-1] = (around, total + size)
        if total + size > MOST_VALUES:
            raise BadInput(f"the YAML holds more than {MOST_VALUES:,} values")


@cache
def _loader() -> Any:
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):
        """Safe, with the rules of JSON for plain values and texts as keys."""

        # The rules of YAML 1.1 (yes, 0o7, dates, 1:30) are not inherited.
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own way
        yaml_constructors: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own way

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
            self.flatten_mapping(node)
            return {
                self.construct_scalar(key): self.construct_object(value, deep=deep)
                for key, value in node.value
            }

    for word, pattern, first in _RULES:
        initials = ["" if initial == "\0" else initial for initial in first]
        Loader.add_implicit_resolver(
            f"tag:yaml.org,2002:{word}", re.compile(rf"(?:{pattern})$"), initials
        )
    for word, construct in _CONSTRUCT.items():
        Loader.add_constructor(f"tag:yaml.org,2002:{word}", construct)
    return Loader


def _plain(loader: Any, node: Any) -> Any:
    """A scalar as its tag says, as text where it does not fit."""
    text: str = loader.construct_scalar(node)
    word = node.tag.rpartition(":")[2]
    if word == "bool" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if word == "null":
        return None
    if word == "int" and re.fullmatch(r"[-+]?[0-9]+", text):
        return int(text)
    if word == "float" and math.isfinite(value := _as_float(text)):
        return value
    return text


def _as_float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


def _list(loader: Any, node: Any) -> list[Any]:
    return loader.construct_sequence(node, deep=True)


def _object(loader: Any, node: Any) -> dict[str, Any]:
    return loader.construct_mapping(node, deep=True)


# Dates and binary data stay the texts that they are; what other tags mean is ignored.
_CONSTRUCT = {
    **dict.fromkeys(("bool", "null", "int", "float", "str", "timestamp", "binary"), _plain),
    "seq": _list,
    "map": _object,
}
