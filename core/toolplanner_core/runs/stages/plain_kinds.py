"""A quick look whether arguments fit a schema that asks for nothing but types, as most do.

To walk such a schema with a validator takes a tenth of what a call costs here. A yes is certain;
otherwise the validator says what is wrong, if anything is.
"""

from collections.abc import Mapping
from typing import Any, cast

from jsonschema import Draft202012Validator

from toolplanner_core.domain.api import JsonSchema

_KINDS: Mapping[str, type] = {
    "string": str,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
_ANY: frozenset[type] = frozenset({object})
_OF_NOTHING: frozenset[type] = frozenset()
_OF_OBJECTS = frozenset({"type", "properties", "required", "additionalProperties"})
"""What the check of names has looked at before."""

Kinds = Mapping[str, frozenset[type]]
"""The types of values that surely fit, by the name of their parameter."""


def plain_kinds(schema: JsonSchema) -> Kinds | None:
    """What fits under each name; None where a schema asks for more than types.

    Args:
        schema: of the parameters; a valid one.
    """
    if schema.get("type", "object") != "object" or _asked(schema) - _OF_OBJECTS:
        return None
    found: dict[str, frozenset[type]] = {}
    for name, wanted in cast("Mapping[str, Any]", schema.get("properties") or {}).items():
        kinds = _kinds_of(wanted)
        if kinds is None:
            return None
        found[name] = kinds
    return found


def surely_fit(kinds: Kinds | None, arguments: Mapping[str, Any]) -> bool:
    """Whether nothing can be wrong with arguments of which none is missing; False = ask the
    validator."""
    if kinds is None:
        return False
    for name, value in arguments.items():
        fitting = kinds.get(name, _OF_NOTHING)
        if fitting is not _ANY and type(value) not in fitting:
            return False
    return True


def _kinds_of(wanted: Any) -> frozenset[type] | None:
    if not isinstance(wanted, Mapping):
        return None
    schema = cast("JsonSchema", wanted)
    if _asked(schema) - {"type"}:
        return None
    named = schema.get("type")
    if named is None:
        return _ANY
    names = cast("list[str]", named if isinstance(named, list) else [named])
    kinds: set[type] = set()
    for name in names:
        if name in ("integer", "number"):  # the validator takes 3.0 for an integer, too
            kinds |= {int} if name == "integer" else {int, float}
        elif name in _KINDS:
            kinds.add(_KINDS[name])
        else:
            return None
    return frozenset(kinds)


def _asked(schema: JsonSchema) -> set[str]:
    """The keywords of a schema that a value can break."""
    return schema.keys() & Draft202012Validator.VALIDATORS.keys()
