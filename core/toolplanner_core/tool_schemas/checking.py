"""Which tools each dialect's endpoint would refuse, and what they cost in its context."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from toolplanner_core.tool_schemas.dialect import DialectPlugin, Tool, dialects
from toolplanner_core.words.formatting import counted

_CHARACTERS_A_TOKEN = 4
"""Of schemas in JSON, about, for the tokenizers of the vendors."""
MANY_TOOLS = 40
"""From about so many on models choose worse. Source: Anthropic's "Scale to many tools with tool
search" (30 to 50); design/gateway.md section 3."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialectCheck:
    """What was found out for one dialect.

    Attributes:
        reasons: how many tools would be refused for each reason; a tool can have several.
        longest_name: letters of the longest name.
        tokens: of all tools together in one request, about.
        warning: why so many at once are no good, for people; "" = they are not too many.
    """

    dialect: DialectPlugin
    tools: int
    refused: int
    longest_name: int
    tokens: int
    warning: str
    reasons: Mapping[str, int] = field(default_factory=dict[str, int])


def check_dialects(tools: Iterable[Tool]) -> list[DialectCheck]:
    """Write the tools in every dialect and look for what its endpoint would refuse."""
    written = list(tools)
    return [check_dialect(dialect, written) for dialect in dialects]


def check_dialect(dialect: DialectPlugin, tools: Sequence[Tool]) -> DialectCheck:
    """The same for one dialect."""
    reasons: Counter[str] = Counter()
    refused = characters = 0
    for tool in tools:
        element = dialect.write(tool)
        characters += len(json.dumps(element, ensure_ascii=False))
        why = set(dialect.refusals(element))
        refused += bool(why)
        reasons.update(why)
    return DialectCheck(
        dialect=dialect,
        tools=len(tools),
        refused=refused,
        longest_name=max((len(tool.name) for tool in tools), default=0),
        tokens=characters // _CHARACTERS_A_TOKEN,
        warning=too_many_words(dialect, len(tools)),
        reasons=dict(reasons.most_common()),
    )


def too_many_words(dialect: DialectPlugin, tools: int) -> str:
    """Why so many tools in one request are no good, for people; "" = they are not too many."""
    most = dialect.most_tools
    if most is not None and tools > most:
        return f"{dialect.title} takes at most {counted(most, 'tool')}"
    many = counted(MANY_TOOLS, "tool")
    return f"models choose worse from {many} on" if tools > MANY_TOOLS else ""
