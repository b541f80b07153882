"""The tools of a server's list, one by one: each is mended where that is safe, or left out and
named; none takes the others with it.

The SDK checks a page of the list as a whole, and one tool without a type in its schema loses the
whole server (MCP says that a schema of parameters is an object with ``"type": "object"``).

Source: MCP 2025-11-25, "Tools: Tool", `ToolAnnotations` in its schema.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

_NO_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}}
_SCHEMA_KEYS = ("inputSchema", "input_schema", "parameters")
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
_MOST_LEVELS = 20
"""Of references to references."""


class ToolEntry(NamedTuple):
    """An entry of a list of tools.

    Attributes:
        name: as a person recognises it, also where it has none.
        tool: as the protocol has it; None if it cannot be used.
        remarks: what was mended, or why it cannot be used.
    """

    name: str
    tool: dict[str, Any] | None
    remarks: tuple[str, ...] = ()


def tool_entries(given: Any) -> list[ToolEntry]:
    """All entries of a page, which is a list, or an object of tools by their names."""
    if isinstance(given, Mapping):
        given = [
            {"name": name, **cast("Mapping[str, Any]", tool)} if isinstance(tool, Mapping) else tool
            for name, tool in cast("Mapping[str, Any]", given).items()
        ]
    entries = cast("list[Any]", given) if isinstance(given, list) else []
    return [_entry(entry, f"tool {number}") for number, entry in enumerate(entries, start=1)]


def _entry(entry: Any, place: str) -> ToolEntry:
    if not isinstance(entry, dict):
        return ToolEntry(place, None, ("a tool is an object",))
    tool = dict(cast("dict[str, Any]", entry))
    name = tool.get("name")
    if isinstance(name, int | float) and not isinstance(name, bool):
        name = tool["name"] = str(name)
    if not isinstance(name, str) or not name.strip():
        return ToolEntry(place, None, ("the tool has no name",))
    remarks: list[str] = []
    for key in ("description", "title"):
        if tool.get(key) is None:
            tool.pop(key, None)
        elif not isinstance(tool[key], str):
            remarks.append(f"its {key} is no text")
            tool[key] = _as_words(tool[key])
    schema, remark = _parameters(tool)
    if schema is None:
        return ToolEntry(name, None, (remark,))
    tool["inputSchema"] = schema
    remarks += [remark] if remark else []
    remarks += _mend_output(tool) + _mend_annotations(tool)
    return ToolEntry(name, tool, tuple(remarks))


def _as_words(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(each, str) for each in cast("list[Any]", value)):
        return "\n".join(cast("list[str]", value))
    return json.dumps(value, ensure_ascii=False)


def _parameters(tool: dict[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """The schema of a tool's parameters and what was mended; or None, and why."""
    key = next((key for key in _SCHEMA_KEYS if tool.get(key) is not None), "")
    given = tool.pop(key) if key else None
    for other in _SCHEMA_KEYS:
        tool.pop(other, None)
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return None, "its inputSchema is a text, and no JSON"
        remark = "its inputSchema is a text that holds JSON"
    else:
        remark = "" if key == "inputSchema" else "it has no inputSchema"
    if given is None or given is True:
        return dict(_NO_PARAMETERS), remark or "its inputSchema says nothing"
    if not isinstance(given, dict):
        return None, "its inputSchema is no object"
    schema = dict(cast("dict[str, Any]", given))
    remarks = [remark] if remark else []
    if "$ref" in schema:
        schema, problem = _without_reference(schema)
        if problem:
            return None, problem
        remarks.append("its inputSchema was a reference")
    problem = _mend_type(schema, remarks) or _mend_properties(schema, remarks)
    return (None, problem) if problem else (schema, "; ".join(remarks))


def _without_reference(schema: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """A schema whose top is a reference into itself, with what that leads to at its top."""
    whole = schema
    for _ in range(_MOST_LEVELS):
        reference = schema.get("$ref")
        if reference is None:
            return schema, ""
        target: Any = whole
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        for part in reference[2:].split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            target = cast("Any", target).get(key) if isinstance(target, dict) else None
        if not isinstance(target, dict):
            break
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        schema = {**cast("dict[str, Any]", target), **rest}
    return schema, f"the $ref of its inputSchema leads nowhere: {str(schema.get('$ref'))[:100]}"


def _mend_type(schema: dict[str, Any], remarks: list[str]) -> str:
    """Make the type "object"; what it is if it is another one."""
    given = schema.get("type")
    if given == "object":
        return ""
    words = cast("list[Any]", given) if isinstance(given, list) else [given]
    names = [str(word).lower() for word in words if word is not None]
    if names and not {"object", "dict"} & set(names):
        return f"its inputSchema is no object but {_as_words(given)[:100]}"
    if "type" not in schema:
        remarks.append("its inputSchema has no type")
    else:
        remarks.append(f"the type of its inputSchema is {_as_words(given)[:100]}")
    schema["type"] = "object"
    return ""


def _mend_properties(schema: dict[str, Any], remarks: list[str]) -> str:
    properties = schema.get("properties")
    if "properties" in schema and properties is None:
        remarks.append("its properties say nothing")
        properties = schema["properties"] = {}
    if isinstance(properties, dict):
        _mend_each(schema, cast("dict[str, Any]", properties), remarks)
    elif properties is not None:
        return "the properties of its inputSchema are no object"
    required = schema.get("required")
    if "required" in schema and not isinstance(required, list):
        remarks.append("its required is no list")
        schema["required"] = [required] if isinstance(required, str) else []
    elif isinstance(required, list):
        names = [name for name in cast("list[Any]", required) if isinstance(name, str)]
        if len(set(names)) != len(cast("list[Any]", required)):
            remarks.append("its required holds what is no name, or a name twice")
            schema["required"] = list(dict.fromkeys(names))
    return ""


def _mend_each(schema: dict[str, Any], properties: dict[str, Any], remarks: list[str]) -> None:
    """Mend what nothing is said of, and `required` where JSON Schema had it until draft 3."""
    asked: list[str] = []
    mended: dict[str, Any] = {}
    for name, about in properties.items():
        mended[name] = about
        if about is None:
            remarks.append(f"nothing is said of its {name[:100]}")
            mended[name] = {}
        elif isinstance(about, dict) and isinstance(cast("Any", about).get("required"), bool):
            known = dict(cast("dict[str, Any]", about))
            asked += [name] if known.pop("required") else []
            mended[name] = known
    schema["properties"] = mended
    if asked and isinstance(schema.get("required", []), list):
        schema["required"] = list(dict.fromkeys([*schema.get("required", []), *asked]))


def _mend_output(tool: dict[str, Any]) -> list[str]:
    """Leave out a schema of results that is none: it says of the reply, it does not make it."""
    given = tool.get("outputSchema")
    if given is None:
        tool.pop("outputSchema", None)
        return []
    if isinstance(given, dict):
        from jsonschema import Draft202012Validator, SchemaError

        known = cast("dict[str, Any]", given)
        if "properties" in known and "type" not in known:
            tool["outputSchema"] = {"type": "object", **known}
        try:
            Draft202012Validator.check_schema(known)
            return []
        except (SchemaError, RecursionError):
            pass
    del tool["outputSchema"]
    return ["its outputSchema is no JSON Schema and was left out"]


def _mend_annotations(tool: dict[str, Any]) -> list[str]:
    """Keep hints that are yes or no. One that warns also counts as a text or number; one that
    calms does not."""
    given = tool.get("annotations")
    if given is None:
        tool.pop("annotations", None)
        return []
    if not isinstance(given, dict):
        del tool["annotations"]
        return ["its annotations are no object"]
    hints = dict(cast("dict[str, Any]", given))
    remarks: list[str] = []
    for key in _HINTS:
        value = hints.get(key)
        if value is None or isinstance(value, bool):
            continue
        remarks.append(f"its {key} is neither true nor false")
        warns = key == "destructiveHint" and str(value).lower() in ("true", "yes", "1")
        hints[key] = True if warns else None
    if not isinstance(hints.get("title"), str | None):
        hints["title"] = None
    tool["annotations"] = {key: value for key, value in hints.items() if value is not None}
    return remarks
