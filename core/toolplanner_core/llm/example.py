"""The model "example": a script for one query, so that a person without a model sees a whole run.

The first API that it tries for the price always refuses (the demo's vendor has used up its quota),
so that every example shows how its strategy takes a failure.

It answers what it is asked from what came back so far, so a call that a person changes changes what
follows; any other query is refused. `runs/demo/demo_workspace.py`
makes the examples of the demo with it.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import EXAMPLE_MODEL
from toolplanner_core.llm.model import EXAMPLE_LABEL, ModelError, ModelPlugin, ModelRequest, Reply
from toolplanner_core.prompts.adaplanner import CheckResult, MakeCheckedPlan, ReviseCheckedPlan
from toolplanner_core.prompts.analyse import Analyse
from toolplanner_core.prompts.anytool import CheckSolvable
from toolplanner_core.prompts.choose_api import ChooseApi
from toolplanner_core.prompts.codeact import ActByCode
from toolplanner_core.prompts.conversation import Function, FunctionCall
from toolplanner_core.prompts.fill_arguments import FillArguments
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.make_plan import MakePlan, Replan
from toolplanner_core.prompts.probing import ProbeApi
from toolplanner_core.prompts.programs import BlameTool, ReviseProgram, WriteProgram
from toolplanner_core.prompts.toolchain_star import ProposeStep
from toolplanner_core.prompts.toolnet import ScoreTools
from toolplanner_core.prompts.tptu import Decompose

QUERY = (
    "What is the latest stock price of the ticker symbol STRA,"
    " and how much is that converted from the currency USD to EUR?"
)
"""The query of all examples, so that they can be compared."""

NO_QUOTA, WITH_KEY, WORKS, EXCHANGE = "MarketPulse", "TickerLine", "QuoteWell", "ExchangeHub"
"""Vendors of the demo: two that refuse, and the two that answer."""


class ScriptedNeed(NamedTuple):
    """A part of the query.

    Attributes:
        goal: as a plan says it.
        toolkit: of the demo, that serves it; `vendors`: of APIs, in the order of trying.
    """

    goal: str
    toolkit: str
    vendors: tuple[str, ...]


PRICE = ScriptedNeed(
    "Latest stock price of the ticker symbol STRA", "Stock quotes", (NO_QUOTA, WORKS)
)
EUROS = ScriptedNeed(
    "The price of one share of STRA converted from USD to EUR", "Currency exchange", (EXCHANGE,)
)
NEEDS = (PRICE, EUROS)
_PRICE = re.compile(r'\\?"(?:price|value)\\?": ?(\d+(?:\.\d+)?)')
_EUROS = re.compile(r'\\?"result\\?": ?(\d+(?:\.\d+)?)')


class SeenResults(NamedTuple):
    """What a request tells of the results so far, as texts; "" = nothing yet."""

    price: str
    euros: str

    @property
    def answer(self) -> str:
        """The final answer."""
        return f"One share of STRA costs {self.price} USD, which is {self.euros} EUR."


def results_seen(request: ModelRequest) -> SeenResults:
    """Read what came back out of the messages, so that what a person changes is noticed."""
    text = "\n".join(m.content for m in request.messages if m.role != "system")
    return SeenResults(_last(_PRICE, text), _last(_EUROS, text))


def seen_in(value: Any) -> SeenResults:
    """The same out of one result."""
    text = json.dumps(value)
    return SeenResults(_last(_PRICE, text), _last(_EUROS, text))


def _last(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.findall(text)
    return found[-1] if found else ""


def is_of(name: str, vendor: str) -> bool:
    """Whether a function, an API or a tool is of a vendor; what only lists or alerts is not it."""
    words = re.sub(r"[^a-z]", "", name.lower())
    wanted = {
        NO_QUOTA: "stockpricenow", WITH_KEY: "lateststockprice", WORKS: "stockquote",
        EXCHANGE: "convertcurrency",
    }[vendor]  # fmt: skip
    return wanted in words


def pick_function(names: Iterable[str], vendors: Iterable[str]) -> str:
    """The first name that is of the first vendor that has one; "" = none."""
    listed = list(names)
    return next((n for vendor in vendors for n in listed if is_of(n, vendor)), "")


def values_for(schema: JsonSchema, so_far: SeenResults) -> dict[str, Any]:
    """Arguments by the names of parameters."""
    amount = float(so_far.price or 0)
    known: dict[str, Any] = {
        "symbol": "STRA", "ticker": "STRA", "code": "STRA", "query": "STRA",
        "from": "USD", "source": "USD", "have": "USD", "base": "USD",
        "to": "EUR", "target": "EUR", "want": "EUR", "symbols": "EUR",
        "amount": amount, "quantity": amount, "sum": amount, "value": amount,
    }  # fmt: skip
    required = schema.get("required") or ()
    return {
        name: known[name]
        for name in schema.get("properties") or {}
        if name in known and (name in required or name in ("quantity", "symbols"))
    }


_PROGRAM = """\
quote = {price}("STRA")
usd = quote["price"]
exchange = {exchange}("USD", "EUR", usd)
euros = exchange["result"]
print(f"One share of STRA costs {{usd}} USD, which is {{euros}} EUR.")"""


def scripted_answer(request: ModelRequest, asked_before: int) -> Any:
    """The answer to a typed question as JSON; None where the script has none.

    Args:
        asked_before: how often the same was asked already: samples differ.
    """
    question: Any = request.question
    match question:
        case MakePlan() | Replan():
            return _plan(question)
        case FillArguments():
            so_far = seen_in([result.value for result in question.results])
            if not so_far.price:
                so_far = results_seen(request)
            values = values_for(question.api.parameters, so_far)
            required = question.api.parameters.get("required") or ()
            return {"arguments": values, "missing": [n for n in required if n not in values]}
        case ChooseApi():
            return {"why": "It is the next one in the list.", "api": 1}
        case Analyse():
            said = _result_sentence(seen_in(question.value))
            return {"state": said or "The reply holds nothing of use.",
                    "next": "next_step" if said else "other_api"}  # fmt: skip
        case FinalAnswer():
            return _final(question)
        case MakeCheckedPlan():
            return _checked_plan(question)
        case CheckResult():
            return _checked(question)
        case ProposeStep():
            return _proposed(question, asked_before)
        case Decompose():
            return _decomposed(question)
        case WriteProgram() | ReviseProgram():
            refused = isinstance(question, ReviseProgram)
            return {"program": _program(question.protocols, refused=refused)}
        case BlameTool():
            made = question.calls[-1].name if question.calls else question.names[0]
            return {"tool": made, "reason": "Its call was refused: the quota is used up."}
        case ScoreTools():
            return {"scores": [_scored(name) for name in question.tools]}
        case ProbeApi():
            return _probe(question)
        case CheckSolvable():
            return _solvable([api.title for api in question.apis])
        case _:
            plain = _PLAIN.get(request.id)
            return plain(request) if plain else None


def _judged(request: ModelRequest) -> Any:
    del request
    return {"reason": "Both needs are answered from what the APIs gave back.", "solved": True}


def _reflected(request: ModelRequest) -> Any:
    del request
    return {
        "diagnosis": f"{NO_QUOTA} has used up its quota and refuses every call.",
        "plan": f"Take the price from {WORKS} instead, then convert it with {EXCHANGE}.",
    }


def _compared(request: ModelRequest) -> Any:
    """Which of two branches is better; each pair is asked in both orders."""
    text = request.messages[-1].content
    first, _, second = text.partition("<second>")
    is_second = is_of(second, WORKS) and not is_of(first, WORKS)
    better = "second" if is_second else "first"
    return {"better": better, "reason": "It came to a price, the other one was refused."}


_PLAIN: Mapping[str, Callable[[Any], Any]] = {
    "judge_answer": _judged, "reflect": _reflected, "compare_branches": _compared,
    "act_by_code": lambda request: _coded(request.question),
    "extract_apis": lambda request: _extracted([a.title for a in request.question.apis]),
    "choose_of_group": lambda request: _extracted(request.question.listed),
    "rate_thought": lambda _request: {"reason": "It leads on.", "value": "likely"},
    "choose_helpers": lambda _request: {"functions": []},
}  # fmt: skip


def _result_sentence(found: SeenResults) -> str:
    """What a result says, as a sentence; "" = nothing of use."""
    if found.euros:
        return f"That is {found.euros} EUR."
    return f"One share of STRA costs {found.price} USD." if found.price else ""


def _plan(question: MakePlan | Replan) -> Any:
    cards = {card.name: card.id for card in question.toolkits}
    steps = [
        {"number": number, "goal": need.goal, "toolkit": cards[need.toolkit],
         "needs": [] if number == 1 else [1]}
        for number, need in enumerate(NEEDS, start=1)
        if need.toolkit in cards
    ]  # fmt: skip
    return {"steps": steps, "unmet": []}


def _final(question: FinalAnswer) -> Any:
    found = seen_in([result.value for result in question.results])
    if found.price and found.euros:
        return {"answer": found.answer, "solved": True, "reason": ""}
    said = " ".join(result.state for result in question.results) or "Nothing was found."
    return {"answer": said, "solved": False, "reason": "Not both needs could be answered."}


def _checked_plan(question: MakeCheckedPlan) -> Any:
    names = [each.name for each in question.functions]
    vendors = (WORKS,) if isinstance(question, ReviseCheckedPlan) else PRICE.vendors
    price, exchange = pick_function(names, vendors), pick_function(names, EUROS.vendors)
    parameter = _ticker_of(question, price)
    return {
        "steps": [
            {"goal": PRICE.goal, "call": price, "arguments": {parameter: "STRA"},
             "take": {"price": "price of one share in USD"}, "check": "It is a price of STRA"},
            {"goal": EUROS.goal, "call": exchange,
             "arguments": {"from": "USD", "to": "EUR", "amount": {"$value": "price"}},
             "take": {"euros": "the amount in EUR"}, "check": "It is an amount in EUR"},
        ],
        "unmet": [],
    }  # fmt: skip


def _ticker_of(question: MakeCheckedPlan, name: str) -> str:
    schema = next((each.parameters for each in question.functions if each.name == name), {})
    return next(iter(schema.get("required") or ("symbol",)))


def _checked(question: CheckResult) -> Any:
    found = seen_in(question.value)
    known = {"price": found.price, "euros": found.euros}
    values = {name: float(known[name]) for name in question.take if known.get(name)}
    return {
        "passed": len(values) == len(question.take),
        "values": values,
        "state": _result_sentence(found),
    }


def _proposed(question: ProposeStep, asked_before: int) -> Any:
    names = [each.name for each in question.functions]
    found = seen_in(list(question.so_far))
    if found.price and found.euros:
        return {"thought": "Both needs are answered.", "call": "give_answer",
                "arguments": {"final_answer": found.answer}, "then": []}  # fmt: skip
    exchange = pick_function(names, (EXCHANGE,))
    if found.price:
        name, then, thought = exchange, [], "The price is known; convert it."
    else:
        # Two of three samples hope for the first API, the others know better.
        refused = any(is_of(line, NO_QUOTA) for line in question.so_far)
        vendors = (WORKS,) if refused or asked_before % 3 == 2 else PRICE.vendors
        name, then, thought = pick_function(names, vendors), [exchange], "The price comes first."
    if not name:
        reason = "No function serves the next need."
        return {"thought": reason, "call": "give_up", "arguments": {"reason": reason}, "then": []}
    schema = next(each.parameters for each in question.functions if each.name == name)
    return {"thought": thought, "call": name, "arguments": values_for(schema, found), "then": then}


def _decomposed(question: Decompose) -> Any:
    """Whoever is shown how it was done knows which API works."""
    titles = [api.title for api in question.apis]
    is_shown = any(is_of(s.title, WORKS) for each in question.demonstrations for s in each.steps)
    vendors = {PRICE: (WORKS,) if is_shown else PRICE.vendors}
    return {
        "subtasks": [
            {"goal": need.goal, "api": _number(titles, vendors.get(need, need.vendors))}
            for need in NEEDS
        ]
    }


def _probe(question: ProbeApi) -> Any:
    """Call it with what the script knows, by the names of its parameters."""
    stub = next(text for text in question.protocols if text.startswith(f"def {question.target}("))
    signature = stub.partition("(")[2].partition(")")[0]
    names = [part.strip() for part in signature.split(",") if part and "=" not in part]
    schema = {"properties": dict.fromkeys(name.strip("_") for name in names)}
    known = values_for(schema | {"required": list(schema["properties"])}, SeenResults("100", ""))
    given = ", ".join(f"{name}={known.get(name.strip('_'), 'STRA')!r}" for name in names)
    return {
        "question": f"What does {question.target} say of STRA, in US dollars or euros?",
        "program": f"print({question.target}({given}))",
    }


def _number(titles: Sequence[str], vendors: tuple[str, ...]) -> int | None:
    name = pick_function(titles, vendors)
    return titles.index(name) + 1 if name else None


def _coded(question: ActByCode) -> Any:
    """The first piece fails; the second one takes another vendor."""
    printed = question.session[-1].told if question.session else ""
    if said := re.search(r"One share .* EUR\.", printed):
        return {"thought": "Both needs are answered.", "code": "", "answer": said.group()}
    refused = bool(question.session)
    thought = (
        "That vendor refuses; another one." if refused else "The price, and what it is in EUR."
    )
    code = _program(question.protocols, refused=refused)
    return {"thought": thought, "code": code, "answer": ""}


def _program(protocols: Sequence[str], *, refused: bool) -> str:
    names = [text.removeprefix("def ").partition("(")[0] for text in protocols]
    price = pick_function(names, (WORKS,) if refused else PRICE.vendors)
    return _PROGRAM.format(price=price, exchange=pick_function(names, EUROS.vendors))


def _scored(name: str) -> dict[str, object]:
    if is_of(name, NO_QUOTA):
        return {"tool": name, "score": -2, "reason": "It refused: its quota is used up."}
    return {"tool": name, "score": 3, "reason": "Its reply was needed for the answer."}


def _extracted(titles: Sequence[str]) -> Any:
    wanted = [_number(titles, (vendor,)) for vendor in (*PRICE.vendors, *EUROS.vendors)]
    return {"apis": [number for number in wanted if number is not None]}


def _solvable(titles: list[str]) -> Any:
    price, euros = pick_function(titles, PRICE.vendors), pick_function(titles, EUROS.vendors)
    missing = [what for what, name in (("a price", price), ("an exchange", euros)) if not name]
    reason = f"The pool lacks {' and '.join(missing)}." if missing else ""
    return {"solvable": not missing, "reason": reason}


class ScriptedTurn(NamedTuple):
    """What the script says, and the functions that it calls with their arguments."""

    text: str
    calls: Sequence[tuple[str, Mapping[str, Any]]] = ()


def scripted_turn(request: ModelRequest) -> ScriptedTurn:
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


def _solver(request: ModelRequest, offered: Mapping[str, Function]) -> ScriptedTurn:
    found, refused = results_seen(request), _is_refused(request)
    if found.price and found.euros:
        text = "Both needs are answered."
        calls = [("give_answer", {"final_answer": found.answer})]
        return ScriptedTurn(text, calls if offered else ())
    if found.price:
        text, vendors, what = "The price is known; now convert it.", EUROS.vendors, EUROS
    elif refused:
        text, vendors, what = "The first vendor refuses; take another one.", (WORKS,), PRICE
    else:
        text, vendors, what = "First the price of the share.", PRICE.vendors, PRICE
    if not offered:
        return ScriptedTurn(text)
    if not found.price and refused and (ended := _giving_up(request, offered)):
        return ended
    name = pick_function(offered, vendors) or _toolkit(offered, what.toolkit)
    if name:
        schema = offered[name].parameters
        values = {"goal": what.goal} if "goal" in schema["properties"] else {}
        return ScriptedTurn(text, [(name, values or values_for(schema, found))])
    if "find_tools" in offered:
        return ScriptedTurn(text, [("find_tools", {"what": what.goal})])
    return ScriptedTurn(text, [("give_up", {"reason": f"No function serves: {what.goal}"})])


def _giving_up(request: ModelRequest, offered: Mapping[str, Function]) -> ScriptedTurn | None:
    """A search that can go another way does so right after the refusal."""
    reason = "The quota of this API is used up"
    if "find_tools" in offered and not _has_searched(request):
        return None  # as where a graph leads only to those that come after the vendor
    if not pick_function(offered, (WORKS,)) and "give_up" in offered:
        failed = pick_function(offered, (NO_QUOTA,))
        return ScriptedTurn(
            f"{reason}, and no other function has prices.",
            [("give_up", {"reason": reason, "failed_functions": [failed] if failed else []})],
        )
    is_fresh = request.messages[-1].role == "tool" and "quota" in request.messages[-1].content
    if is_fresh and "give_up_and_restart" in offered:
        return ScriptedTurn(
            f"{reason}: another way.", [("give_up_and_restart", {"reason": reason})]
        )
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


def _meta(request: ModelRequest, create: Function) -> ScriptedTurn:
    if _calls_so_far(request):
        return ScriptedTurn("Nothing else may be needed.", [("finish_search", {})])
    categories = create.parameters["properties"]["category"].get("enum") or ["Finance"]
    chosen = "Finance" if "Finance" in categories else categories[0]
    text = "Prices of shares and of currencies are both finance."
    return ScriptedTurn(text, [(create.name, {"category": chosen})])


def _category(request: ModelRequest) -> ScriptedTurn:
    if _calls_so_far(request):
        return ScriptedTurn("The other tools are no use for this.", [("finish_search", {})])
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
    return ScriptedTurn(text, calls or [("finish_search", {})])


def _tool(request: ModelRequest, add: Function) -> ScriptedTurn:
    names = add.parameters["properties"]["apis"]["items"].get("enum") or []
    done = _calls_so_far(request)
    is_woken = _is_refused(request)
    if add.name in done:
        if "check_if_request_solvable" in done:
            # Not enough, since another agent is not as far yet: who stops now is never woken.
            spare = [name for name in names if is_of(name, WORKS)]
            if spare and done.count(add.name) == 1 and not is_woken:
                return ScriptedTurn("Another vendor may serve, too.", [(add.name, {"apis": spare})])
            return ScriptedTurn("Nothing else here may help.", [("finish_search", {})])
        return ScriptedTurn("Is that enough?", [("check_if_request_solvable", {})])
    if is_woken:
        wanted = [name for name in names if is_of(name, WORKS)]
    else:
        wanted = [n for n in names if is_of(n, NO_QUOTA) or is_of(n, EXCHANGE)]
    if not wanted:
        return ScriptedTurn("There is nothing else of use here.", [("finish_search", {})])
    return ScriptedTurn("This may be needed.", [(add.name, {"apis": wanted})])


class ExampleModel:
    """One conversation partner for one run."""

    label = EXAMPLE_LABEL

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._calls = 0

    async def complete(self, request: ModelRequest) -> Reply:
        """Say what the script says here.

        Raises:
            ModelError: the query is another one, or the script does not know this question.
        """
        is_probe = request.id in ("probe_api", "choose_helpers")
        if not is_probe and not any(QUERY in message.content for message in request.messages):
            raise _unknown("It knows one query only: that of the examples")
        if request.question is None:
            return self._turn(request)
        key = f"{request.id}{request.messages[-1].content}"
        data = scripted_answer(request, self._asked[key])
        self._asked[key] += 1
        if data is None:
            raise _unknown(f"It has no answer to the question “{request.id}”")
        return Reply(data=data, text=json.dumps(data, ensure_ascii=False))

    def _turn(self, request: ModelRequest) -> Reply:
        said = scripted_turn(request)
        calls: list[FunctionCall] = []
        for name, values in said.calls:
            self._calls += 1
            arguments = json.dumps(dict(values), ensure_ascii=False)
            calls.append(FunctionCall(f"call_{self._calls}", name, arguments))
        return Reply(data=None, text=said.text, calls=tuple(calls))

    async def close(self) -> None:
        """Nothing is open."""


def _unknown(why: str) -> ModelError:
    message = f"The scripted replies end here. {why}. Choose a language model for this"
    return ModelError(ErrorClass.BAD_PAYLOAD, message, is_transient=False)


PLUGIN = ModelPlugin(
    id=EXAMPLE_MODEL,
    title="Scripted replies of the examples",
    description=f"A script for one query of the demo, “{QUERY}”, for every strategy.",
    make=lambda _name, _context, _options: ExampleModel(),
    is_free=True,
)
