"""Parameters of an operation: those of its path and its own, by place, with their styles.

Source: OpenAPI 2.0 and 3.1.1: Parameter Object.
"""

import re
from collections.abc import Iterator
from typing import Any

from toolplanner_core.domain.operation import Within
from toolplanner_core.errors import BadInput
from toolplanner_core.sources.cleaning import clean_line, clean_text
from toolplanner_core.sources.openapi.arguments import GatheredArguments
from toolplanner_core.sources.openapi.keywords import plain_keywords
from toolplanner_core.sources.openapi.merging import Schema
from toolplanner_core.sources.openapi.parts import as_list, as_object, as_text
from toolplanner_core.sources.openapi.references import DocumentPart
from toolplanner_core.sources.openapi.schemas import SchemaReader

_WITHIN = {
    "path": Within.PATH,
    "query": Within.QUERY,
    "header": Within.HEADER,
    "cookie": Within.COOKIE,
}
_COLLECTIONS = {"ssv": "spaceDelimited", "pipes": "pipeDelimited", "tsv": "tabDelimited"}
_NOT_PARAMETERS = frozenset({"accept", "content-type", "authorization"})
"""Headers that OpenAPI describes elsewhere: such parameters are ignored."""
_VARIABLE = re.compile(r"\{([^{}/]+)\}")


def merged_parameters(
    reader: SchemaReader, groups: list[DocumentPart], *, place: str
) -> Iterator[DocumentPart]:
    """The parameters of a path and of its operation, the later ones in place of equal ones.

    Args:
        groups: lists of parameters: the path's, the operation's.
    """
    found: dict[tuple[str, str], DocumentPart] = {}
    for group in groups:
        for index, raw in enumerate(as_list(group.value)):
            try:
                part = reader.references.follow(raw, group.base)
            except BadInput as error:
                why = f"the reference of parameter {index} cannot be used: {error.what}"
                reader.notes.add(why, place=place)
                continue
            parameter = as_object(part.value)
            name, where = as_text(parameter.get("name")), as_text(parameter.get("in"))
            if not clean_line(name) or where not in (*_WITHIN, "body", "formData"):
                reader.notes.add(f"parameter {index} has no name or no place", place=place)
                continue
            found[where, name.lower() if where == "header" else name] = part
    yield from found.values()


def add_parameters(
    arguments: GatheredArguments,
    parameters: list[DocumentPart],
    reader: SchemaReader,
    *,
    path: str,
    place: str,
) -> None:
    """Add the parameters outside the body, and what the path asks for but nobody declares."""
    variables = dict.fromkeys(_VARIABLE.findall(path))
    for part in parameters:
        parameter = part.value
        name, where = clean_line(parameter["name"]), parameter["in"]
        within = _WITHIN.get(where)
        if within is None or (within is Within.HEADER and name.lower() in _NOT_PARAMETERS):
            continue
        if within is Within.PATH and name not in variables:
            reader.notes.add(f"the path has no place for its parameter {name[:100]!r}", place=place)
            continue
        variables.pop(name, None) if within is Within.PATH else None
        style, explode = _style(parameter, within)
        arguments.add(
            name,
            _schema(part, reader, place),
            within=within,
            is_required=within is Within.PATH or parameter.get("required") is True,
            style=style,
            explode=explode,
        )
    for name in variables:
        reader.notes.add(f"the parameter {name[:100]!r} of the path is not declared", place=place)
        arguments.add(clean_line(name), {"type": "string"}, within=Within.PATH, is_required=True)


def described(schema: Schema, parameter: dict[str, Any]) -> Schema:
    """A schema with what is said of its parameter beside it."""
    beside = plain_keywords(
        {
            word: parameter[word]
            for word in ("example", "examples", "deprecated")
            if word in parameter
        }
    )
    description = clean_text(parameter.get("description"))
    if description:
        beside["description"] = description
    return {**schema, **beside}


def _schema(part: DocumentPart, reader: SchemaReader, place: str) -> Schema:
    parameter = part.value
    inner = parameter.get("schema")
    for media in as_object(parameter.get("content")).values():
        inner = inner if inner is not None else as_object(media).get("schema")
    # Until 2.0, what a parameter is stands in the parameter itself.
    schema = reader.read(
        parameter if inner is None else inner, part.base, is_request=True, place=place
    )
    return described(schema, parameter)


def _style(parameter: dict[str, Any], within: Within) -> tuple[str, bool | None]:
    """How lists and objects are written; "json" if a media type says so."""
    if as_object(parameter.get("content")):
        return "json", None
    collection = parameter.get("collectionFormat")
    if "schema" not in parameter and parameter.get("type") == "array":
        # 2.0: commas, unless it says otherwise.
        if collection == "multi":
            return "", True
        return _COLLECTIONS.get(as_text(collection), ""), False
    style, explode = clean_line(parameter.get("style"), cap=30), parameter.get("explode")
    is_default = style == ("form" if within in (Within.QUERY, Within.COOKIE) else "simple")
    return "" if is_default else style, explode if isinstance(explode, bool) else None
