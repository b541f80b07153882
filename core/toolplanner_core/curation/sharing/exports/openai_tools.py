"""Toolkits as functions for language models, in OpenAI's form ("tools").

Function names are what OpenAI takes (letters, digits, "_" and "-", at most 64) and different in the
whole export; `apis` says which API each is. APIs whose changed documentation nobody has accepted
yet are counted (`waiting`) and left out: nothing of it comes to a model.

Source: https://platform.openai.com/docs/api-reference/chat/create ("tools").
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from toolplanner_core.curation.sharing.exports.contents import Contents, ExportedToolkit
from toolplanner_core.curation.sharing.exports.json_form import document_parts
from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId

FORMAT = "toolplanner-openai-tools"
VERSION = 1
NAME_LIMIT = 64
DESCRIPTION_LIMIT = 1024


def openai_parts(contents: Contents) -> Iterator[str]:
    """The document, a toolkit at a time: of each its tools and the API behind every function."""
    names = function_names([m.api for toolkit in contents.toolkits for m in toolkit.usable])
    head = {"format": FORMAT, "version": VERSION, "workspace": contents.workspace}
    rows = (
        {
            "id": toolkit.id,
            "name": toolkit.fields.name,
            "description": toolkit.fields.description,
            "excluded": len(toolkit.excluded),
            "waiting": len(toolkit.offered) - len(toolkit.usable),
            "apis": {names[member.api.id]: member.api.id for member in toolkit.usable},
            "tools": tools_of(toolkit, names),
        }
        for toolkit in contents.toolkits
    )
    return document_parts(head, rows)


def tools_of(toolkit: ExportedToolkit, names: Mapping[ApiId, str]) -> list[dict[str, Any]]:
    """The value for the parameter "tools" of a request."""
    return [
        {
            "type": "function",
            "function": {
                "name": names[member.api.id],
                "description": _description(member.api),
                "parameters": {"type": "object", "properties": {}, **member.api.parameters},
            },
        }
        for member in toolkit.usable
    ]


def function_names(apis: list[Api]) -> dict[ApiId, str]:
    """A name for each API, made of its tool's and its own; equal ones get a part of the id."""
    plain = {api.id: _plain(f"{api.tool}_{api.name}") for api in apis}
    count = Counter(name.casefold() for name in plain.values())
    used: set[str] = set()
    names: dict[ApiId, str] = {}
    for api, name in plain.items():
        chosen = name
        # Six digits of an id can be equal too, or be the end of another name.
        for digits in (0, 6, 16):
            mark = f"_{api[:digits]}" if digits else ""
            chosen = f"{name[: NAME_LIMIT - len(mark)]}{mark}".lstrip("_")
            is_single = digits or count[name.casefold()] == 1
            if chosen and is_single and chosen.casefold() not in used:
                break
        used.add(chosen.casefold())
        names[api] = chosen
    return names


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-zA-Z0-9-]+", "_", letters).strip("_-")[:NAME_LIMIT].rstrip("_-")


def _description(api: Api) -> str:
    text = api.description or api.tool_description or api.title
    if api.tool.casefold() not in text.casefold():
        text = f"{api.tool}: {text}"
    return text if len(text) <= DESCRIPTION_LIMIT else text[: DESCRIPTION_LIMIT - 1] + "…"
