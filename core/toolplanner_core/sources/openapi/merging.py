"""Put the parts of an `allOf` together to one schema, where that says the same.

Most documents write inheritance with `allOf`. One flat list of properties is what people read in
forms, and what models are offered; where parts contradict each other they stay apart.
"""

from collections.abc import Sequence
from typing import Any

from toolplanner_core.sources.openapi.keywords import ANNOTATIONS

Schema = dict[str, Any]


def all_of(parts: Sequence[Schema], own: Schema) -> Schema:
    """A schema for what fits all parts and the schema that they stand in.

    Args:
        own: the keywords beside the `allOf`; its words for people win.
    """
    merged: Schema | None = {}
    for part in (*parts, own):
        merged = None if merged is None else _both(merged, part)
    if merged is None:
        return {**own, "allOf": [*parts]}
    return merged


def _both(first: Schema, second: Schema) -> Schema | None:
    """What fits both, None if it is not plain."""
    result: Schema = dict(first)
    is_either_open = not (_is_closed(first) and _is_closed(second))
    for word, value in second.items():
        if word not in first or first[word] == value or word in ANNOTATIONS:
            result[word] = value
        elif word == "properties":
            joined = _properties(first[word], value)
            if joined is None:
                return None
            result[word] = joined
        elif word == "required":
            result[word] = [*first[word], *(name for name in value if name not in first[word])]
        elif word != "additionalProperties":
            return None
    if is_either_open and result.get("additionalProperties") is False:
        # Meant for the part alone, taken by the word nothing would fit.
        del result["additionalProperties"]
    return result


def _is_closed(schema: Schema) -> bool:
    return "properties" not in schema or schema.get("additionalProperties") is False


def _properties(first: Schema, second: Schema) -> Schema | None:
    joined = dict(first)
    for name, schema in second.items():
        both = _both(first[name], schema) if name in first else schema
        if both is None:
            return None
        joined[name] = both
    return joined
