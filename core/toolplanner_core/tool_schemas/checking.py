"""Which tools each dialect's endpoint would refuse, and what they cost in its context."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from toolplanner_core.tool_schemas.dialect import DialectPlugin, Tool, dialects

_CHARACTERS_A_TOKEN = 4
"""Of schemas in JSON, about, for the tokenizers of the vendors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialectCheck:
    """What was found out for one dialect.

    Attributes:
        reasons: how many tools would be refused for each reason; a tool can have several.
        longest_name: letters of the longest name.
        tokens: of all tools together in one request, about.
    """

    dialect: DialectPlugin
    tools: int
    refused: int
    longest_name: int
    tokens: int
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
        reasons=dict(reasons.most_common()),
    )
