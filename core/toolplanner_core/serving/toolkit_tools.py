"""A toolkit as one tool: any of its APIs is called by its name, or the best are shown for a need.

The arguments of the APIs are not brought together: for one conversion of money there would be 13.

Source: design/gateway.md section 3.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.errors import BadInput
from toolplanner_core.serving.tool_arguments import object_of, text_of
from toolplanner_core.tool_schemas.dialect import Tool
from toolplanner_core.tool_schemas.names import NAME_LIMIT
from toolplanner_core.words.formatting import counted, one_line

MOST_CHOICES = 3
"""APIs that are shown for a need."""
_NUMBERED = re.compile(r"_tk(\d{1,15})\Z")
_NEED, _API, _ARGUMENTS = "need", "api", "arguments"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitRequest:
    """What an agent wants of a toolkit.

    Attributes:
        need: in its words, "" = it says none.
        api: name of the API that is called, "" = none yet.
        arguments: None where none are given.
    """

    need: str
    api: str
    arguments: Mapping[str, Any] | None


def toolkit_tool_name(toolkit: Toolkit) -> str:
    """The name of its tool. The number at the end says which it is, also after it was renamed; the
    words before it are for the model."""
    end = f"_tk{toolkit.id}"
    words = re.sub(r"[^a-zA-Z0-9]+", "_", toolkit.name).strip("_") or "toolkit"
    begin = words if words[0].isalpha() else f"t_{words}"
    return begin[: NAME_LIMIT - len(end)].rstrip("_") + end


def toolkit_of_tool_name(name: str) -> ToolkitId | None:
    """The toolkit that a tool's name means; None if it cannot be one."""
    found = _NUMBERED.search(name)
    return None if found is None else ToolkitId(int(found[1]))


def toolkit_tool(toolkit: Toolkit, served: int) -> Tool:
    """The tool of a toolkit, of which so many APIs are served."""
    about = one_line(toolkit.description or toolkit.name, 120).rstrip(".")
    text = f"{about}. {counted(served, 'API')}: give a need, or api and arguments."
    properties = {
        _NEED: {"type": "string"},
        _API: {"type": "string"},
        _ARGUMENTS: {"type": "object"},
    }
    parameters = {"type": "object", "properties": properties}
    return Tool(name=toolkit_tool_name(toolkit), description=text, parameters=parameters)


def toolkit_request(arguments: Mapping[str, Any]) -> ToolkitRequest:
    """What is wanted of a toolkit, also where a model slipped.

    Raises:
        BadInput: neither a need nor an API is given, or something is of another kind.
    """
    given = {name: value for name, value in arguments.items() if value not in (None, "")}
    if not {_NEED, _API} & set(given):
        raise BadInput(
            f'Neither "{_NEED}" nor "{_API}" is given',
            todo=f"Say what you need, or name an API in {_API} with its {_ARGUMENTS}",
        )
    return ToolkitRequest(
        need=text_of(given, _NEED) if _NEED in given else "",
        api=text_of(given, _API) if _API in given else "",
        arguments=object_of(given[_ARGUMENTS]) if _ARGUMENTS in given else None,
    )


def choice_words(toolkit: Toolkit, names: Sequence[str]) -> str:
    """What the agent does with the APIs that it is shown."""
    tool = toolkit_tool_name(toolkit)
    one = "Choose one of them and" if len(names) > 1 else "Now"
    return f'{one} call {tool} again: {{"api": "{names[0]}", "arguments": {{...}}}}.'
