"""Bytes and texts of others as JSON values: encodings, JSON, JSON lines and YAML, within limits.

People keep functions as one document or as JSON lines, and the file's name does not always say
which. Broken parts are reported and the rest is kept.

YAML can say with ten lines what takes gigabytes (aliases of aliases), can hold itself, and reads
"no" as false and "12:30" as 750. So the events are counted first, an alias by all that it stands
for, and values are read by the rules of JSON, as OpenAPI asks: true, false, null, numbers, else
text. Keys are texts.

Source: design/security.md, "Files from others": JSON depth at most 200; design/security.md, "Files
from others"; YAML 1.2.2, 10.3 core schema.
"""

import codecs
import json
import math
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.sources.files import YAML_SUFFIXES
from toolplanner_core.sources.source import Rejected

_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
MAX_DEPTH = 200
"""Deepest nesting of a JSON document; deeper ones are refused, not cut."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    # UTF-32 before UTF-16: its little-endian mark begins with the one of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decode(data: bytes) -> str:
    """Text of any encoding that JSON files are found in; never fails.

    A byte order mark decides, then the pattern of zero bytes (UTF-16 and UTF-32 without a mark),
    then UTF-8, then Windows-1252, which nearly all old Western files are, then Latin-1.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if b"\0" in data[:4]:
        return data.decode(json.detect_encoding(data), "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def parse(text: str) -> Any:
    """The JSON value of a text.

    NaN and Infinity, which JSON does not know but Python writes, become texts.

    Raises:
        BadInput: broken JSON (with line and column), too deep, or a number too long.
    """
    try:
        value = json.loads(text, parse_constant=str)
    except json.JSONDecodeError as error:
        raise BadInput(
            f"broken JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from error
    except RecursionError as error:
        raise BadInput(f"the JSON is nested deeper than {MAX_DEPTH} levels") from error
    except ValueError as error:  # a number of more than 4,300 digits
        raise BadInput(f"the JSON holds a value that cannot be read: {error}") from error
    check_depth(text, value)
    return value


def without_comments(text: str) -> str:
    """JSON as people write it, with remarks and commas behind the last item, as JSON."""
    text = _COMMENT.sub(lambda found: found[1] or " ", text)
    return _LAST_COMMA.sub(lambda found: found[1] or "", text)


def check_depth(text: str, value: Any) -> None:
    """Refuse a value that is nested too deep.

    Args:
        text: what it was parsed from.

    Raises:
        BadInput: deeper than `MAX_DEPTH`.
    """
    if is_too_deep(value, text):
        raise BadInput(f"the JSON is nested deeper than {MAX_DEPTH} levels")


def is_too_deep(value: Any, text: str | None = None) -> bool:
    """Whether a value is nested deeper than `MAX_DEPTH`; without recursion.

    Args:
        text: what it was parsed from, where that is known; few brackets prove it flat without a
            walk.
    """
    if text is not None and text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        level = [item for item in below if isinstance(item, dict | list)]
        if not level:
            return False
    return True


def json_kind(value: Any) -> str:
    """The JSON word for a value's kind, with its article, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    kinds = {str: "a text", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return kinds.get(type(value), "something else")


_LINE_SUFFIXES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_SPREAD, _FEW_GOOD = 200, 20
"""Lines that are looked at all over a text, of which one in so many has to be a value."""
_NEXT = re.compile(r"\s*([,\]]?)\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A JSON value and its place, such as "tools.jsonl line 3"."""

    where: str
    value: Any


def items_of(text: str, *, where: str, name: str) -> Iterator[Item | Rejected]:
    """The JSON values of a file.

    Args:
        where: the file for messages.
        name: its own name; ".jsonl" means lines even where they are broken.
    """
    if not text.strip():
        yield Rejected(where=where, why="the file holds only blanks")
        return
    try:
        yield Item(where=f"{where} $", value=parse(text))
    except BadInput as error:
        if _is_lines(text, name):
            yield from _by_line(text, where)
        elif text.lstrip().startswith("["):
            yield from _by_item(text, where)
        else:
            yield Rejected(where=where, why=error.what)


def _is_lines(text: str, name: str) -> bool:
    """Whether a text that is no single JSON value is JSON lines: by name, or most of the first
    lines parse, or many of those all over it: the first may be broken."""
    if name.lower().endswith(_LINE_SUFFIXES):
        return True
    lines = [line for line in text[:1_000_000].splitlines() if line.strip()][:50]
    if len(lines) > 1 and sum(_is_value(line) for line in lines) * 2 >= len(lines):
        return True
    sample = (all_lines := text.split("\n"))[:: max(1, len(all_lines) // _SPREAD)]
    good = sum(_is_value(line) for line in sample)
    return good > 1 and good * _FEW_GOOD >= len(sample)


def _is_value(line: str) -> bool:
    try:
        return bool(value := parse(line)) and isinstance(value, dict | list)
    except BadInput:
        return False


def _by_line(text: str, where: str) -> Iterator[Item | Rejected]:
    # Not splitlines(): U+2028 and others are legal inside a JSON text.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield Item(where=f"{where} line {number}", value=parse(line))
        except BadInput as error:
            why = error.what.replace("at line 1, column", "at column")
            yield Rejected(where=f"{where} line {number}", why=why)


def _by_item(text: str, where: str) -> Iterator[Item | Rejected]:
    """The items of a list up to where it breaks."""
    decoder = json.JSONDecoder(parse_constant=str)
    position = text.index("[") + 1
    index = 0
    try:
        while True:
            match = _NEXT.match(text, position)
            position = match.end() if match else position
            if match and match.group(1) == "]":
                why = "something follows the end of the list and was not read"
                yield Rejected(where=f"{where} $", why=why)
                return
            begin = position
            value, position = decoder.raw_decode(text, position)
            check_depth(text[begin:position], value)
            yield Item(where=f"{where} $[{index}]", value=value)
            index += 1
    except json.JSONDecodeError as error:
        why = f"broken JSON at line {error.lineno}, column {error.colno}: {error.msg}"
    except (ValueError, RecursionError, BadInput) as error:
        why = error.what if isinstance(error, BadInput) else str(error)
    yield Rejected(where=f"{where} $[{index}]", why=f"{why}; nothing after it was read")


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
    """The value of a JSON or YAML text, also of JSON as people write it.

    Args:
        name: of the file; of one that promises YAML it is said why it is none.

    Raises:
        BadInput: it is neither, or over a limit.
    """
    if text.lstrip("\ufeff \t\r\n")[:1] not in ("{", "[", "/"):
        return parse_yaml(text)
    try:
        return parse(text)
    except BadInput as error:
        broken = error
    with suppress(BadInput):
        return parse(without_comments(text))
    try:
        return parse_yaml(text)
    except BadInput:
        if name.lower().endswith(YAML_SUFFIXES):
            raise
    raise broken


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
