"""Functions as tools: name, text and schema from type hints and docstring. Runs in the worker.

The schema is pydantic's, so that what it says is exactly what a call is checked against. Texts of
arguments come from docstrings as Google, NumPy and Sphinx write them.
"""

import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, cast

Function = Callable[..., Any]

_SECTION = re.compile(r"^(Args|Arguments|Parameters|Params)\s*:?\s*$")
_OTHER_SECTION = re.compile(
    r"^(Returns|Return|Yields|Raises|Examples?|Notes?|See Also|References|Attributes|Warnings?)"
    r"\s*:?\s*$"
)
_GOOGLE = re.compile(r"^(\s+)\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_NUMPY = re.compile(r"^\*{0,2}(\w+)\s*(?::.*)?$")
_SPHINX = re.compile(r"^\s*:param\s+(?:[^:]*\s)?(\w+)\s*:\s*(.*)$")


class DescribedFunction(NamedTuple):
    """What a catalogue is told of one function.

    Attributes:
        parameters: JSON Schema of type "object"; {} where `problem` says why there is none.
        result: JSON Schema of what it returns, None if nobody says.
        problem: why it cannot be offered, "" if it can.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    result: dict[str, Any] | None
    problem: str = ""


class DescribedPackage(NamedTuple):
    """What one entry point offers."""

    description: str
    functions: list[DescribedFunction]


def functions_in(value: str) -> tuple[str, dict[str, Function]]:
    """Load what an entry point names: its text, and its functions by name.

    Raises:
        Exception: whatever the package raises when it is loaded.
    """
    module_name, _, attribute = value.partition(":")
    loaded: Any = importlib.import_module(module_name.strip())
    for part in filter(None, attribute.strip().split(".")):
        loaded = getattr(loaded, part)
    if inspect.ismodule(loaded):
        return inspect.getdoc(loaded) or "", dict(_of_module(loaded))
    if isinstance(loaded, Mapping):
        known = cast("Mapping[Any, Any]", loaded)
        return "", {str(name): each for name, each in known.items() if callable(each)}
    listed: list[Any] = [loaded] if callable(loaded) else list(loaded)
    return "", {str(each.__name__): each for each in listed if callable(each)}


def describe_package(value: str) -> DescribedPackage:
    """All functions of an entry point, in the order in which they stand there."""
    text, functions = functions_in(value)
    summary = text.strip().partition("\n\n")[0]
    return DescribedPackage(summary, [_described(*pair) for pair in functions.items()])


def _of_module(module: Any) -> Iterator[tuple[str, Function]]:
    """What it says is public; else its own functions without an underscore."""
    named = getattr(module, "__all__", None)
    for name in named if named is not None else vars(module):
        found = getattr(module, name, None)
        is_own = getattr(found, "__module__", "") == module.__name__
        if inspect.isfunction(found) and (named is not None or (is_own and name[0] != "_")):
            yield str(name), found


def _described(name: str, function: Function) -> DescribedFunction:
    from pydantic import TypeAdapter

    text, arguments = read_docstring(inspect.getdoc(function) or "")
    try:
        parameters = TypeAdapter[Any](cast(Any, function)).json_schema()
    except Exception as error:  # noqa: BLE001 - whatever a hint holds that JSON cannot say
        why = f"its arguments cannot be written as JSON: {str(error).splitlines()[0][:200]}"
        return DescribedFunction(name, text, {}, None, why)
    if parameters.get("type") != "object":
        why = "its arguments have no names by which they could be given"
        return DescribedFunction(name, text, {}, None, why)
    for argument, schema in parameters.get("properties", {}).items():
        schema.pop("title", None)
        if argument in arguments:
            schema.setdefault("description", arguments[argument])
    return DescribedFunction(name, text, parameters, _result_schema(function))


def _result_schema(function: Function) -> dict[str, Any] | None:
    from pydantic import TypeAdapter

    try:
        hint = inspect.signature(function, eval_str=True).return_annotation
        if hint in (inspect.Signature.empty, None, Any):
            return None
        return TypeAdapter(hint).json_schema(mode="serialization")
    except Exception:  # noqa: BLE001 - nobody needs it
        return None


def read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """Its text without the sections, and what it says of each argument."""
    body: list[str] = []
    found: dict[str, list[str]] = {}
    at, indent, is_body = "", "", True
    lines = text.expandtabs().splitlines()
    is_list = False
    for number, line in enumerate(lines):
        if sphinx := _SPHINX.match(line):
            at, is_body, is_list = sphinx[1], False, True
            found[at] = [sphinx[2]]
        elif _SECTION.match(line.strip()) and not line.startswith(" "):
            is_list, is_body, at, indent = True, False, "", ""
        elif _OTHER_SECTION.match(line.strip()) or line.lstrip().startswith((":return", ":raise")):
            is_list, is_body = False, False
        elif is_list and (begun := _argument(line, indent, is_first=not at)):
            at, said, indent = begun
            found[at] = [said]
        elif is_list and at and line.strip():
            found[at].append(line.strip())
        elif is_body and not _is_rule(lines, number):
            body.append(line)
    said = {name: " ".join(filter(None, words)) for name, words in found.items()}
    return "\n".join(body).strip(), {name: words for name, words in said.items() if words}


def _argument(line: str, indent: str, *, is_first: bool) -> tuple[str, str, str] | None:
    """The argument that a line of a section begins with: name, text, indent of its kind."""
    if (google := _GOOGLE.match(line)) and (is_first or google[1] == indent):
        return google[2], google[3], google[1]
    if (numpy := _NUMPY.match(line)) and not indent:
        return numpy[1], "", ""
    return None


def _is_rule(lines: list[str], number: int) -> bool:
    """Whether it is the line below a heading, as NumPy draws them."""
    return set(lines[number].strip()) == {"-"} and number > 0
