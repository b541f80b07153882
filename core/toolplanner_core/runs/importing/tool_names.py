"""Which API a function name in a ToolBench trace means: "get_track_info_for_pridnestrovie_post".

The name is the API's and the tool's own name with "_for_" between, and of longer ones only the last
64 characters. Where the workspace holds ToolBench's catalogue the API's id is found by its key, so
an imported run leads to the map; else the name is split by the tool that its description names.
"""

import re
from functools import cached_property
from typing import Any, cast

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import ApiName, api_names

_LONGEST = 64
_TOOL = re.compile(r'subfunction for tool "([^"]{1,200})"')
_KEY_PARTS = 3


class ToolNames:
    """Looks function names up; the catalogue is read at the first one."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def titles(self, functions: Any) -> dict[str, tuple[str, str]]:
        """API id ("" if unknown) and title of each function that a trace was offered.

        Args:
            functions: list of ``{"name", "description"}`` as in the trace; anything else gives an
                empty result.
        """
        found: dict[str, tuple[str, str]] = {}
        for item in cast("list[Any]", functions) if isinstance(functions, list) else []:
            if not isinstance(item, dict):
                continue
            function = cast("dict[str, Any]", item)
            name, description = function.get("name"), function.get("description")
            if isinstance(name, str):
                found[name] = self.title(name, description if isinstance(description, str) else "")
        return found

    def title(self, name: str, description: str = "") -> tuple[str, str]:
        """API id ("" if unknown) and title of one function."""
        known = self._known.get(name)
        if known is not None:
            return known.id, known.title
        tool = _TOOL.search(description)
        ending = f"_for_{tool[1]}" if tool else ""
        if tool and name.endswith(ending) and len(name) > len(ending):
            return "", f"{tool[1]} · {name.removesuffix(ending)}"
        return "", name

    @cached_property
    def _known(self) -> dict[str, ApiName]:
        found: dict[str, ApiName] = {}
        for api in api_names(self._workspace):
            parts = api.key.split("/")
            if len(parts) == _KEY_PARTS:
                found.setdefault(f"{parts[2]}_for_{parts[1]}"[-_LONGEST:], api)
        return found
