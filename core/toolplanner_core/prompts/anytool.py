"""What AnyTool tells its agents and its solver, the functions it gives them, and what it asks.

Source: Du et al., AnyTool, arXiv 2402.04253, tables 8 and 14 to 20.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import Api, JsonSchema
from toolplanner_core.domain.plan import Judgement
from toolplanner_core.prompts.conversation import Function, Message
from toolplanner_core.prompts.question import (
    Question,
    Role,
    as_object,
    bool_member,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import block, chat, cut, one_line
from toolplanner_core.prompts.texts import prompt

META = prompt("anytool_meta")
FLAT = prompt("anytool_flat")
TOOL = prompt("anytool_tool")
SOLVER = prompt("anytool_solver")
PLAIN_AGENT = prompt("plain_agent")
"""Of the agent in the same tables that is only given its APIs (table 1)."""

_WAKE = {
    "tool": prompt("wake_tool"),
    "category": prompt("wake_category"),
    "meta": prompt("wake_meta"),
}


def category_text(most_tools: int) -> str:
    """What the agent of a category is told; its own agents get so many tools at most."""
    return prompt("anytool_category", most_tools=most_tools)


def wake_text(level: str, reason: str) -> str:
    """What an agent is told that is woken: why the APIs that were found did not do."""
    return prompt(_WAKE[level].name, reason=block("reason", one_line(reason, 1000)))


def done_text(done: str) -> str:
    """What a solver is told of earlier rounds."""
    return prompt("done_before", done=block("done", done))


_NAME = {"type": "string"}
_NAMES = {"type": "array", "minItems": 1, "items": _NAME}
_PAGE = {"type": "integer", "minimum": 1, "description": "Which page of them; the first if left."}


def _function(name: str, about: str, *required: str, **properties: JsonSchema) -> Function:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return Function(name, about, schema)


def one_of(names: Sequence[str], *, most: int = 60) -> dict[str, Any]:
    """The schema of a name; where there are few, of exactly these."""
    return {"type": "string", "enum": list(names)} if 0 < len(names) <= most else _NAME


FINISH_SEARCH = _function("finish_search", "Say that your search is at its end.")
CHECK = _function(
    "check_if_request_solvable", "Ask whether the query can be answered with the APIs of the pool."
)
DESCRIBE = _function(
    "get_tools_descriptions", "What tools are for.", "tools",
    tools={**_NAMES, "description": "Names of tools, as they were listed."},
)  # fmt: skip
MORE_TOOLS = _function("get_tools_in_category", "List the tools of your category.", page=_PAGE)


def meta_functions(categories: Sequence[str]) -> tuple[Function, ...]:
    """What the agent of the whole catalogue may do."""
    create = _function(
        "create_agent_category_level", "Have a category searched by an agent.", "category",
        category=one_of(categories),
    )  # fmt: skip
    return (create, _tools_of(categories), DESCRIBE, FINISH_SEARCH)


def flat_functions(
    categories: Sequence[str], tools: Sequence[str], apis: Sequence[str]
) -> tuple[Function, ...]:
    """What an agent may do that searches alone: all but to make others (Source: section 5.3).

    Args:
        tools, apis: that it has listed so far.
    """
    return (_tools_of(categories), DESCRIBE, *tool_functions(tools, apis))


def category_functions(most_tools: int) -> tuple[Function, ...]:
    """What the agent of a category may do; its own agents get so many tools at most."""
    several = {
        "maxItems": most_tools,
        "description": f"Names of at most {most_tools} similar tools.",
    }
    create = _function(
        "create_agent_tool_level", "Have the APIs of some tools searched by an agent.", "tools",
        tools={**_NAMES, **several},
    )  # fmt: skip
    return (create, MORE_TOOLS, DESCRIBE, FINISH_SEARCH)


def tool_functions(tools: Sequence[str], apis: Sequence[str]) -> tuple[Function, ...]:
    """What the agent of some tools may do."""
    names = {**_NAMES, "items": one_of(apis), "description": "Names of APIs, as they were listed."}
    return (
        _function("add_apis_into_api_pool", "Put APIs into the pool.", "apis", apis=names),
        CHECK,
        _function(
            "get_apis_in_tool", "List the APIs of a tool.", "tool", tool=one_of(tools), page=_PAGE
        ),
        _function("get_api_details", "The documentation of APIs.", "apis", apis=names),
        FINISH_SEARCH,
    )


def _tools_of(categories: Sequence[str]) -> Function:
    return _function(
        "get_tools_in_category", "List the tools of a category.", "category",
        category=one_of(categories), page=_PAGE,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSolvable(Question[Judgement]):
    """Whether a query can be answered with the APIs that were found."""

    id: ClassVar[str] = "check_solvable"
    title: ClassVar[str] = "Is the pool enough"
    role: ClassVar[Role] = Role.JUDGING
    temperature: ClassVar[float] = 0.0

    query: str
    apis: tuple[Api, ...]

    def messages(self) -> list[Message]:
        return chat(
            prompt("check_solvable"),
            block("query", self.query),
            block("pool", "\n".join(api_line(api) for api in self.apis)),
        )

    def schema(self) -> JsonSchema:
        return object_schema(solvable={"type": "boolean"}, reason={"type": "string"})

    def parse(self, data: Any) -> Judgement:
        found = as_object(data)
        reason = text_member(found, "reason", empty=True)
        return Judgement(solved=bool_member(found, "solvable"), reason=reason)


def api_line(api: Api) -> str:
    """An API of the pool in one line."""
    return f"{api.title}: {cut(one_line(api.description or api.tool_description, 200), 260)}"
