"""The script's turns in dialogues: of those who solve, and of agents who search."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from toolplanner_core.llm.model import ModelRequest
from toolplanner_core.llm.scripted.known import (
    EUROS,
    EXCHANGE,
    NO_QUOTA,
    PRICE,
    WORKS,
    is_of,
    pick,
    seen,
    values_for,
)
from toolplanner_core.prompts.conversation import Function


class SaidTurn(NamedTuple):
    """What the script says, and the functions that it calls with their arguments."""

    text: str
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()


def turn(request: ModelRequest) -> SaidTurn:
    """The next turn of a dialogue."""
    offered = {tool.name: tool for tool in request.tools}
    if "create_agent_category_level" in offered:
        return _meta(request, offered["create_agent_category_level"])
    if "create_agent_tool_level" in offered:
        return _category(request)
    if "add_apis_into_api_pool" in offered:
        return _tool(request, offered["add_apis_into_api_pool"])
    return _solver(request, offered)


def _is_refused(request: ModelRequest) -> bool:
    """Whether it is known that the first vendor refuses."""
    return any("quota" in m.content.lower() for m in request.messages if m.role != "system")


def _solver(request: ModelRequest, offered: Mapping[str, Function]) -> SaidTurn:
    found, refused = seen(request), _is_refused(request)
    if found.price and found.euros:
        text = "Both needs are answered."
        calls = [("give_answer", {"final_answer": found.answer})]
        return SaidTurn(text, calls if offered else ())
    if found.price:
        text, vendors, what = "The price is known; now convert it.", EUROS.vendors, EUROS
    elif refused:
        text, vendors, what = "The first vendor refuses; take another one.", (WORKS,), PRICE
    else:
        text, vendors, what = "First the price of the share.", PRICE.vendors, PRICE
    if not offered:
        return SaidTurn(text)
    if not found.price and refused and (ended := _giving_up(request, offered)):
        return ended
    name = pick(offered, vendors) or _toolkit(offered, what.toolkit)
    if name:
        schema = offered[name].parameters
        values = {"goal": what.goal} if "goal" in schema["properties"] else {}
        return SaidTurn(text, [(name, values or values_for(schema, found))])
    if "find_tools" in offered:
        return SaidTurn(text, [("find_tools", {"what": what.goal})])
    return SaidTurn(text, [("give_up", {"reason": f"No function serves: {what.goal}"})])


def _giving_up(request: ModelRequest, offered: Mapping[str, Function]) -> SaidTurn | None:
    """A search that can go another way does so right after the refusal."""
    reason = "The quota of this API is used up"
    if "find_tools" in offered and not _has_searched(request):
        return None  # as where a graph leads only to those that come after the vendor
    if not pick(offered, (WORKS,)) and "give_up" in offered:
        failed = pick(offered, (NO_QUOTA,))
        return SaidTurn(
            f"{reason}, and no other function has prices.",
            [("give_up", {"reason": reason, "failed_functions": [failed] if failed else []})],
        )
    is_fresh = request.messages[-1].role == "tool" and "quota" in request.messages[-1].content
    if is_fresh and "give_up_and_restart" in offered:
        return SaidTurn(f"{reason}: another way.", [("give_up_and_restart", {"reason": reason})])
    return None


def _has_searched(request: ModelRequest) -> bool:
    """Whether other functions were looked for since a vendor refused."""
    after = False
    for message in request.messages:
        if after and any(call.name == "find_tools" for call in message.calls):
            return True
        after = after or (message.role == "tool" and "quota" in message.content.lower())
    return False


def _toolkit(offered: Mapping[str, Function], kit: str) -> str:
    wanted = kit.replace(" ", "_").lower()
    return next((name for name in offered if wanted in name.lower()), "")


def _calls_so_far(request: ModelRequest) -> list[str]:
    """Names of the functions that were called since the agent began, or was woken."""
    names: list[str] = []
    for message in request.messages:
        if message.role == "user":
            names.clear()
        names += [call.name for call in message.calls]
    return names


def _meta(request: ModelRequest, create: Function) -> SaidTurn:
    if _calls_so_far(request):
        return SaidTurn("Nothing else may be needed.", [("finish_search", {})])
    categories = create.parameters["properties"]["category"].get("enum") or ["Finance"]
    chosen = "Finance" if "Finance" in categories else categories[0]
    text = "Prices of shares and of currencies are both finance."
    return SaidTurn(text, [(create.name, {"category": chosen})])


def _category(request: ModelRequest) -> SaidTurn:
    if _calls_so_far(request):
        return SaidTurn("The other tools are no use for this.", [("finish_search", {})])
    listed = [
        line[2:]
        for message in request.messages
        if message.role == "user"
        for line in message.content.split("\n")
        if line.startswith("- ")
    ]
    groups = [[name for name in names if name in listed] for names in (PRICE.vendors, (EXCHANGE,))]
    calls = [("create_agent_tool_level", {"tools": group}) for group in groups if group]
    text = "Some tools have prices of shares, others exchange rates."
    return SaidTurn(text, calls or [("finish_search", {})])


def _tool(request: ModelRequest, add: Function) -> SaidTurn:
    names = add.parameters["properties"]["apis"]["items"].get("enum") or []
    done = _calls_so_far(request)
    is_woken = _is_refused(request)
    if add.name in done:
        if "check_if_request_solvable" in done:
            # Not enough, since another agent is not as far yet: who stops now is never woken.
            spare = [name for name in names if is_of(name, WORKS)]
            if spare and done.count(add.name) == 1 and not is_woken:
                return SaidTurn("Another vendor may serve, too.", [(add.name, {"apis": spare})])
            return SaidTurn("Nothing else here may help.", [("finish_search", {})])
        return SaidTurn("Is that enough?", [("check_if_request_solvable", {})])
    if is_woken:
        wanted = [name for name in names if is_of(name, WORKS)]
    else:
        wanted = [n for n in names if is_of(n, NO_QUOTA) or is_of(n, EXCHANGE)]
    if not wanted:
        return SaidTurn("There is nothing else of use here.", [("finish_search", {})])
    return SaidTurn("This may be needed.", [(add.name, {"apis": wanted})])
