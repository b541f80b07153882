"""Arguments of the gateway's own tools, also where a model slipped."""

import json
from collections.abc import Mapping
from typing import Any, cast

from toolplanner_core.errors import BadInput
from toolplanner_core.strategies.served import Fallback


def text_of(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip():
        raise BadInput(f'"{name}" is missing', todo="Give it as a text")
    return value.strip()


def call_of(arguments: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Name and arguments, also where a model slipped: arguments as a JSON text, or the name among
    them."""
    values = object_of(arguments.get("arguments", {}))
    if "name" not in arguments and set(values) == {"name", "arguments"}:
        return call_of(values)
    return text_of(arguments, "name"), values


def object_of(given: Any) -> dict[str, Any]:
    """Arguments, also as a JSON text.

    Raises:
        BadInput: they are no object.
    """
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else {}
        except ValueError:
            given = None
    if not isinstance(given, Mapping):
        raise BadInput('"arguments" is no object', todo="Give the tool's arguments as an object")
    return dict(cast("Mapping[str, Any]", given))


def fallback_of(arguments: Mapping[str, Any]) -> Fallback:
    try:
        return Fallback(arguments.get("fallback") or Fallback.AUTO)
    except ValueError:
        raise BadInput(f'"fallback" is one of: {", ".join(Fallback)}') from None
