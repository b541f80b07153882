"""Names of APIs as tools: short, made of letters that every endpoint takes, different, unchanged.

A name begins with a letter, has letters, digits, "_" and "-", and leaves room for the prefix that
clients put before it (`mcp__SERVER__`, 18 letters and more, of 64 in all). A name that was given
stays: other APIs come and go without renaming it (`kept`), so that prompts, tests and permissions
that mention it hold.

Source: design/gateway.md section 5.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.ids import ApiId

NAME_LIMIT = 46
RESERVED = frozenset({"find_tools", "describe_tool", "call_tool", "more"})
"""Names of tools that serve a catalogue: no API is called so."""
_HASH = 6


def tool_names(
    apis: Iterable[Api], *, kept: Mapping[ApiId, str] | None = None, limit: int = NAME_LIMIT
) -> dict[ApiId, str]:
    """A name for each API, made of its tool's and its own.

    Equal ones, and those that had to be cut, end with a part of the API's id.

    Args:
        kept: names that were given before, of these and of other APIs; they stay, and no other API
            gets one of them.
        limit: letters of the longest name.
    """
    kept = kept or {}
    plain = {api.id: _plain(api) for api in apis}
    new = {api: name for api, name in plain.items() if api not in kept}
    count = Counter(name.casefold() for name in new.values())
    taken = {name.casefold() for name in kept.values()} | RESERVED
    names = {api: kept[api] for api in plain if api in kept}
    for api, name in new.items():
        is_whole = len(name) <= limit and count[name.casefold()] == 1
        chosen = name if is_whole and name.casefold() not in taken else _marked(name, api, limit)
        salt = str(api)
        while chosen.casefold() in taken:
            # Six digits of two ids can be equal.
            salt = hashlib.sha256(salt.encode()).hexdigest()
            chosen = _marked(name, salt, limit)
        taken.add(chosen.casefold())
        names[api] = chosen
    return {api: names[api] for api in plain}


def _plain(api: Api) -> str:
    """Tool and name in letters that endpoints take; with the source where that says nothing."""
    name = _letters(f"{api.tool}_{api.name}")
    if not re.search(r"[a-zA-Z]{2}", name):
        name = _letters(f"{api.source}_{name}")
    if not re.search(r"[a-zA-Z]{2}", name):
        name = f"tool_{name}".rstrip("_")
    return name if name[0].isalpha() else f"t_{name}"


def _letters(text: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-zA-Z0-9-]+", "_", ascii_only).strip("_-")


def _marked(name: str, identity: str, limit: int) -> str:
    """The name with a part of an id, cut in the middle where it is too long: its end, which tells
    the API from others of its tool, stays."""
    room = limit - _HASH - 1
    if len(name) > room:
        head = room // 2
        name = f"{name[:head].rstrip('_-')}_{name[len(name) - (room - head - 1) :].lstrip('_-')}"
    return f"{name.rstrip('_-')}_{identity[:_HASH]}"
