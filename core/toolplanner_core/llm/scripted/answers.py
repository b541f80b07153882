"""The script's answers to typed questions, by the id of the question."""

from collections.abc import Callable, Mapping
from typing import Any

from toolplanner_core.llm.model import ModelRequest
from toolplanner_core.llm.scripted.known import (
    EUROS,
    EXCHANGE,
    NEEDS,
    NO_QUOTA,
    PRICE,
    WORKS,
    SeenResults,
    is_of,
    pick,
    seen,
    seen_in,
    values_for,
)
from toolplanner_core.prompts.adaplanner import CheckResult, MakeCheckedPlan, ReviseCheckedPlan
from toolplanner_core.prompts.analyse import Analyse
from toolplanner_core.prompts.anytool import CheckSolvable
from toolplanner_core.prompts.choose_api import ChooseApi
from toolplanner_core.prompts.fill_arguments import FillArguments
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.make_plan import MakePlan
from toolplanner_core.prompts.probing import ProbeApi
from toolplanner_core.prompts.programs import BlameTool, ReviseProgram, WriteProgram
from toolplanner_core.prompts.replan import Replan
from toolplanner_core.prompts.toolchain_star import ProposeStep
from toolplanner_core.prompts.toolnet import ScoreTools
from toolplanner_core.prompts.tptu import Decompose

_PROGRAM = """\
quote = {price}("STRA")
usd = quote["price"]
exchange = {exchange}("USD", "EUR", usd)
euros = exchange["result"]
print(f"One share of STRA costs {{usd}} USD, which is {{euros}} EUR.")"""


def answer(request: ModelRequest, asked_before: int) -> Any:
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
                so_far = seen(request)
            values = values_for(question.api.parameters, so_far)
            required = question.api.parameters.get("required") or ()
            return {"arguments": values, "missing": [n for n in required if n not in values]}
        case ChooseApi():
            return {"why": "It is the next one in the list.", "api": 1}
        case Analyse():
            said = _said(seen_in(question.value))
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
            return {"program": _program(question)}
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


_PLAIN: Mapping[str, Callable[[ModelRequest], Any]] = {
    "judge_answer": _judged, "reflect": _reflected, "compare_branches": _compared,
    "choose_helpers": lambda _request: {"functions": []},
}  # fmt: skip


def _said(found: SeenResults) -> str:
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
    price, exchange = pick(names, vendors), pick(names, EUROS.vendors)
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
    return {"passed": len(values) == len(question.take), "values": values, "state": _said(found)}


def _proposed(question: ProposeStep, asked_before: int) -> Any:
    names = [each.name for each in question.functions]
    found = seen_in(list(question.so_far))
    if found.price and found.euros:
        return {"thought": "Both needs are answered.", "call": "give_answer",
                "arguments": {"final_answer": found.answer}, "then": []}  # fmt: skip
    exchange = pick(names, (EXCHANGE,))
    if found.price:
        name, then, thought = exchange, [], "The price is known; convert it."
    else:
        # Two of three samples hope for the first API, the others know better.
        refused = any(is_of(line, NO_QUOTA) for line in question.so_far)
        vendors = (WORKS,) if refused or asked_before % 3 == 2 else PRICE.vendors
        name, then, thought = pick(names, vendors), [exchange], "The price comes first."
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


def _number(titles: list[str], vendors: tuple[str, ...]) -> int | None:
    name = pick(titles, vendors)
    return titles.index(name) + 1 if name else None


def _program(question: WriteProgram | ReviseProgram) -> str:
    names = [text.removeprefix("def ").partition("(")[0] for text in question.protocols]
    refused = isinstance(question, ReviseProgram)
    price = pick(names, (WORKS,) if refused else PRICE.vendors)
    return _PROGRAM.format(price=price, exchange=pick(names, EUROS.vendors))


def _scored(name: str) -> dict[str, object]:
    if is_of(name, NO_QUOTA):
        return {"tool": name, "score": -2, "reason": "It refused: its quota is used up."}
    return {"tool": name, "score": 3, "reason": "Its reply was needed for the answer."}


def _solvable(titles: list[str]) -> Any:
    price, euros = pick(titles, PRICE.vendors), pick(titles, EUROS.vendors)
    missing = [what for what, name in (("a price", price), ("an exchange", euros)) if not name]
    reason = f"The pool lacks {' and '.join(missing)}." if missing else ""
    return {"solvable": not missing, "reason": reason}
