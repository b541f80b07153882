"""Results of servers as they really come, made to fit the protocol: nothing good is thrown away for
a bad part beside it.

The SDK refuses a whole result for one field of the wrong kind, and a reply whose text is good for
the structured content that its schema announces. So each result passes here before the SDK sees it,
and what was mended travels with it under `REMARKS` in its ``_meta``.

Source: MCP 2025-11-25, "Lifecycle: Initialization", "Tools: Tool Result", "Pagination".
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, cast

from toolplanner_core.mcp_servers.messages import BARE_RESULT
from toolplanner_core.mcp_servers.tool_entries import tool_entries

REMARKS, LEFT_OUT = "toolplanner/remarks", "toolplanner/left-out"
"""Keys of what was mended, and of entries that cannot be used, as [name, why]."""
Result = dict[str, Any]
LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""What the lists of a server hold, by the method that asks for them."""
_NAMED_BY = {"prompts": "name", "resources": "uri", "resourceTemplates": "uriTemplate"}
_LATER: Result = {"resultType": "complete", "ttlMs": 0, "cacheScope": "public"}
_CALL_KEYS = ("content", "structuredContent", "isError", "_meta", "resultType")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0", "", "none", "null")

Fits = Callable[[Result], str]
"""Says why the SDK refuses a result, "" if it does not."""


def mended_result(method: str, given: Result, fits: Fits) -> Result:
    """What a server answers to a method, so that the SDK takes it.

    Args:
        fits: for the version of the protocol that was agreed on.
    """
    if _is_right(method, given) and not fits(given):
        return given
    remarks: list[str] = []
    if method == "initialize":
        result = _handshake(given, remarks)
    elif method in LISTS:
        result = _page(LISTS[method], given, remarks, fits)
    elif method == "tools/call":
        result = _reply(given, remarks, fits)
    else:
        return given
    meta = given.get("_meta")
    known = cast("dict[str, Any]", meta) if isinstance(meta, dict) else {}
    result["_meta"] = {**known, **result.get("_meta", {}), REMARKS: remarks}
    return result


def _is_right(method: str, given: Result) -> bool:
    """Whether a result that fits need not be looked at: the SDK reads a text as a truth value, and
    refuses a version only later."""
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    if not isinstance(given.get("_meta", {}), dict) or method == "tools/list":
        return False
    if method == "initialize":
        return given.get("protocolVersion") in HANDSHAKE_PROTOCOL_VERSIONS
    return bool(given.get("content")) or method != "tools/call"


def _handshake(given: Result, remarks: list[str]) -> Result:
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

    version, can, info = (given.get(k) for k in ("protocolVersion", "capabilities", "serverInfo"))
    older = [known for known in HANDSHAKE_PROTOCOL_VERSIONS if known <= str(version)]
    if version not in HANDSHAKE_PROTOCOL_VERSIONS:
        remarks.append(f"it speaks version {str(version)[:40]} of the protocol, which is unknown")
    spoken = older[-1] if older else HANDSHAKE_PROTOCOL_VERSIONS[0]
    capabilities: Result = {}
    if isinstance(can, dict):
        for key, value in cast("dict[str, Any]", can).items():
            if value is not None and value is not False:
                capabilities[key] = _flags(value)
    elif isinstance(can, list):
        capabilities = {key: {} for key in cast("list[Any]", can) if isinstance(key, str)}
    named = cast("dict[str, Any]", info) if isinstance(info, dict) else {"name": info}
    said = given.get("instructions")
    return {
        "protocolVersion": spoken,
        "capabilities": capabilities,
        "serverInfo": {
            "name": "",
            "version": "",
            **{k: named[k] for k in ("name", "version", "title") if isinstance(named.get(k), str)},
        },
        **({"instructions": said} if isinstance(said, str) else {}),
    }


def _flags(value: Any) -> Result:
    known = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    return {key: each for key, each in known.items() if isinstance(each, bool)}


def _page(what: str, given: Result, remarks: list[str], fits: Fits) -> Result:
    entries = given.get(what, given.get(BARE_RESULT))
    if not isinstance(entries, list | dict):
        remarks.append(f"its answer holds no list of {_spelled(what)}")
        entries = []
    around = _around(given, {what: []}, fits)
    good: list[Any] = []
    left_out: list[tuple[str, str]] = []
    for name, entry, why in _entries(what, entries, remarks):
        if entry is None:
            left_out.append((name, why))
            continue
        page = {**around, what: [entry]}
        fitting = _fitting(page, lambda page: page[what][0], _needed(what), fits)
        if fitting:
            left_out.append((name, f"it does not fit the protocol: {fitting}"))
        else:
            good.append(page[what][0])
    result: Result = {**around, what: good, "_meta": {LEFT_OUT: left_out}}
    cursor = given.get("nextCursor")
    if isinstance(cursor, int | float) and not isinstance(cursor, bool):
        cursor = str(cursor)
    if isinstance(cursor, str) and cursor:
        result["nextCursor"] = cursor
    elif cursor:
        remarks.append(f"the nextCursor of its {_spelled(what)} is no text; the rest was left")
    return result


def _around(given: Result, empty: Result, fits: Fits) -> Result:
    """What versions since 2026-07-28 want beside the content, as given where it fits."""
    around: Result = {}
    for key, usual in _LATER.items():
        if key in given and not fits({**_LATER, **empty, key: given[key]}):
            around[key] = given[key]
        elif fits({**around, **empty}):
            around[key] = usual
    return around


def _entries(
    what: str, given: Any, remarks: list[str]
) -> Iterator[tuple[str, dict[str, Any] | None, str]]:
    """Name, entry and why it cannot be used."""
    if what == "tools":
        for name, tool, said in tool_entries(given):
            if tool is None:
                yield name, None, "; ".join(said)
            else:
                remarks += [f"{name[:100]}: {each}" for each in said]
                yield name, tool, ""
        return
    key = _NAMED_BY[what]
    for number, each in enumerate(cast("list[Any]", given) if isinstance(given, list) else [], 1):
        entry = {key: each} if isinstance(each, str) else each
        name = cast("Any", entry).get(key) if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name:
            yield f"{_spelled(what)[:-1]} {number}", None, f"it has no {key}"
        else:
            yield name, {"name": name, **cast("dict[str, Any]", entry)}, ""


def _needed(what: str) -> tuple[str, ...]:
    return ("name", "inputSchema") if what == "tools" else ("name", _NAMED_BY[what])


def _spelled(what: str) -> str:
    return "resource templates" if what == "resourceTemplates" else what


def _fitting(
    whole: Result, entry_of: Callable[[Result], Result], needed: tuple[str, ...], fits: Fits
) -> str:
    """Take fields that are not needed out of an entry until it fits; why it does not, "" if it
    does."""
    if not fits(whole):
        return ""
    entry = entry_of(whole)
    optional = [key for key in entry if key not in needed]
    for key in optional:
        value = entry.pop(key)
        if not fits(whole):
            return ""
        entry[key] = value
    for key in optional:
        del entry[key]
    return fits(whole)


def _reply(given: Result, remarks: list[str], fits: Fits) -> Result:
    """The result of a call."""
    if isinstance(given.get("inputRequests"), dict) and not fits(given):
        return dict(given)
    around = _around(given, {"content": []}, fits)
    content = _content(given, remarks)
    blocks = [_block(each, remarks, around, fits) for each in content if each is not None]
    structured = given.get("structuredContent")
    result: Result = {**around, "content": blocks}
    if structured is not None:
        result["structuredContent"] = structured
        if fits(result):
            del result["structuredContent"]
            if not blocks:
                blocks.append(_text(_json(structured)))
            remarks.append("its structuredContent is no object")
    if given.get("isError") is not None:
        result["isError"] = _truth(given["isError"], remarks)
    if not blocks and structured is None:
        remarks.append("the reply has no content")
    return result


def _content(given: Result, remarks: list[str]) -> list[Any]:
    """The blocks of a reply, wherever it has them."""
    if BARE_RESULT in given:
        bare = given[BARE_RESULT]
        remarks.append("the result is no object")
        return cast("list[Any]", bare) if isinstance(bare, list) else [bare]
    content = given.get("content")
    if isinstance(content, list):
        return cast("list[Any]", content)
    if content is not None:
        remarks.append("its content is no list")
        return [content]
    rest = {key: value for key, value in given.items() if key not in _CALL_KEYS}
    if list(rest) == ["toolResult"]:  # as the first version of the protocol had it
        return [_text(_json(rest["toolResult"]))]
    if not rest or given.get("structuredContent") is not None:
        return []
    remarks.append("the reply has no content; its other fields are taken for it")
    only = next(iter(rest.values()))
    return [only if len(rest) == 1 and isinstance(only, str) else _text(_json(rest))]


def _block(given: Any, remarks: list[str], around: Result, fits: Fits) -> Result:
    """A block of content; one that is of no known kind is a text that holds it."""
    if isinstance(given, str):
        remarks.append("a block of its content is a bare text")
        return _text(given)
    if not isinstance(given, dict):
        remarks.append("a block of its content is no object")
        return _text(_json(given))
    block = dict(cast("dict[str, Any]", given))
    kind, words = block.get("type"), block.get("text")
    if kind in ("text", None) and "text" in block:
        if kind is None or not isinstance(words, str):
            remarks.append("a block of its content is not quite a text")
        block.update(type="text", text=words if isinstance(words, str) else _json(words))
    page: Result = {**around, "content": [block]}
    needed = ("type", "text", "data", "mimeType", "resource", "uri", "name")
    if not _fitting(page, lambda page: page["content"][0], needed, fits):
        return block
    remarks.append(
        f"a block of its content is of type {_json(kind)[:60]}, which is unknown or unfit"
    )
    return _text(words if isinstance(words, str) else _json(given))


def _text(words: str) -> Result:
    return {"type": "text", "text": words}


def _json(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _truth(value: Any, remarks: list[str]) -> bool:
    if isinstance(value, bool):
        return value
    remarks.append(f"its isError is {json.dumps(value)[:60]}")
    word = str(value).strip().lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    return bool(value)
