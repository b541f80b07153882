"""What is said of an ended run's answer: by a model, an expectation or a person.

Stored beside the run, never instead of its end: each verdict is a version of a memory, one for each
source, so that none is lost, with who gave it. What the run is shown as follows from all of them
and its evidence (`domain/outcome.py`). A judging model sees the query, what was called and what
came back, and the answer. Called by the terminal, the window and the runs of cases.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.outcome import (
    AnswerVerdict,
    EvidenceLevel,
    RunOutcome,
    VerdictSource,
    status_of,
)
from toolplanner_core.domain.plan import Judgement, Status
from toolplanner_core.errors import BadInput, ModelUnavailable
from toolplanner_core.llm.day_budget import DayBudget
from toolplanner_core.llm.default_model import default_model, language_model
from toolplanner_core.llm.model import (
    Model,
    ModelContext,
    ModelError,
    ModelRequest,
    Reply,
    make_model,
    models,
    parse_model_spec,
)
from toolplanner_core.llm.model_client import complete_within_day
from toolplanner_core.llm.prices import price_of
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.prompts.editing import edited_texts
from toolplanner_core.prompts.judge_answer import JudgeAnswer
from toolplanner_core.prompts.question import AnswerInvalid, Role, sent_back
from toolplanner_core.prompts.render import cut
from toolplanner_core.prompts.texts import default_prompt, hash_of, with_texts
from toolplanner_core.runs.config.presets import usual_run
from toolplanner_core.runs.config.spec import roles_from
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.event import Event
from toolplanner_core.runs.log.stored_runs import (
    get_summary,
    given_verdicts,
    iter_full_rows,
    typed,
)
from toolplanner_core.runs.tree.formatting import VERDICTS, verdict_memory
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.memories import decide_memory, newest_memories
from toolplanner_core.workspace.runs import get_run, set_status

_SAID = 120
"""Characters of an answer that is no verdict, in the message that says so."""
_TRIES = 3
_SHOWN = 2_000
"""Characters of a reply that the judge sees."""


def judge_run(
    workspace: Workspace, run: RunId, *, model: str = "", votes: int = 1
) -> AnswerVerdict:
    """Ask a model what it says of a run's answer, and keep that beside the run. Blocks.

    Args:
        model: else the run's own for judging, else the person's, else the usual one, else the one
            that acted in the run.
        votes: how often it is asked; what more than half of them say counts.

    Raises:
        NotFound: no such run, or no such model.
        BadInput: the run has no answer, or no model was chosen.
        ModelUnavailable: the model gave no usable verdict, or the day's budget is used up.
    """
    summary = get_summary(workspace, run)
    if summary.status is Status.RUNNING or not summary.answer:
        raise BadInput(f"Run {run} has no answer that could be judged")
    spec = language_model(model or _usual_judge(workspace, run), "Judging")
    price, day = price_of(workspace, spec), DayBudget()
    day.check(price, spec)
    events = (typed([row])[0].event for row in iter_full_rows(workspace, run))
    question = JudgeAnswer(query=summary.query, way=tuple(way_of(events)), answer=summary.answer)
    made = make_model(spec, ModelContext(encode=None))
    texts = edited_texts(workspace)

    def ask(request: ModelRequest) -> Awaitable[Reply]:
        return complete_within_day(made, request, day, price)

    said = asyncio.run(_vote(made, question, texts, votes, ask))
    cast = tuple(each.solved for each in said)
    is_solved = 2 * cast.count(True) > len(cast)
    verdict = AnswerVerdict(
        source=VerdictSource.JUDGE,
        solved=is_solved,
        reason=next(each.reason for each in said if each.solved is is_solved),
        who=spec,
        version=question.version,
        prompt_hash=hash_of(texts.get(question.id) or default_prompt(question.id).text),
        votes=cast,
    )
    store_verdict(workspace, run, verdict)
    return verdict


def _usual_judge(workspace: Workspace, run: RunId) -> str:
    """The model that judges a run where none is named; "" if rules or a recording acted, or a model
    that is not known here."""
    stored = get_run(workspace, run)
    own = roles_from(stored.options).get("judging", "")
    if chosen := own or usual_run().roles.get(Role.JUDGING) or default_model():
        return chosen
    kind = models.find(parse_model_spec(stored.model).kind)
    return stored.model if kind is not None and not kind.is_free else ""


def store_verdict(workspace: Workspace, run: RunId, verdict: AnswerVerdict) -> None:
    """Keep what somebody says of a run's answer, and show the run as it follows from that. Blocks.

    Raises:
        NotFound: no such run.
        BadInput: it has no answer.
    """
    row = get_run(workspace, run)
    if row.status == Status.RUNNING or not row.answer:
        raise BadInput(f"Run {run} has no answer that could be judged")
    decide_memory(workspace, verdict_memory(run, verdict.source), verdict.to_json())
    said = given_verdicts(newest_memories(workspace, f"{VERDICTS}{run}"), run)
    own = [AnswerVerdict.from_json(each) for each in row.totals.get("verdicts", ())]
    outcome = row.totals.get("outcome") or _former_outcome(row.status)
    level = EvidenceLevel(row.totals.get("checked", {}).get("level", ""))
    set_status(workspace, run, status_of(RunOutcome(outcome), level, [*own, *said]))


_FORMER = {
    Status.OVER_BUDGET: RunOutcome.OVER_BUDGET,
    Status.CANCELLED: RunOutcome.CANCELLED,
    Status.ERROR: RunOutcome.BROKEN,
    Status.INTERRUPTED: RunOutcome.BROKEN,
    Status.SERVED: RunOutcome.SERVED,
}


def _former_outcome(status: str) -> RunOutcome:
    """How a run of an earlier program ended, which stored no outcome, if it has an answer."""
    return _FORMER.get(Status(status), RunOutcome.ANSWERED)


async def _vote(
    model: Model,
    question: JudgeAnswer,
    texts: Mapping[str, str],
    votes: int,
    ask: Callable[[ModelRequest], Awaitable[Reply]],
) -> list[Judgement]:
    try:
        return [await _ask(model, question, texts, ask) for _ in range(votes)]
    finally:
        await model.close()


async def _ask(
    model: Model,
    question: JudgeAnswer,
    texts: Mapping[str, str],
    ask: Callable[[ModelRequest], Awaitable[Reply]],
) -> Judgement:
    """The verdict; an answer that cannot be used is sent back with what is wrong with it."""
    messages = with_texts(tuple(question.messages()), texts)
    wrong = todo = ""
    try:
        for _ in range(_TRIES):
            request = ModelRequest(
                id=question.id,
                question=question,
                messages=messages,
                schema=question.schema(),
                temperature=question.temperature,
            )
            reply = await ask(request)
            try:
                return question.parse(reply.data)
            except AnswerInvalid as invalid:
                said = one_line(reply.text, _SAID) or "nothing"
                wrong, todo = f"It said: {said}", "Try again, or let another model judge"
                again = sent_back(reply.text or "{}", invalid)
                messages = with_texts((*messages, *again), texts)
    except ModelError as error:
        wrong, todo = error.message, ""
    raise ModelUnavailable(f"{model.label} gave no verdict", why=wrong, todo=todo)


def way_of(events: Iterable[Event]) -> Iterator[Message]:
    """What was called and what came back, as a conversation; nothing that a model thought."""
    title = ""
    for event in events:
        match event:
            case CallSent():
                title = event.title
                yield _called(event.title, event.arguments)
            case CallReturned():
                yield Message("tool", cut(event.body, _SHOWN), name=title)
            case CallFailed():
                yield Message("tool", f"failed: {event.message}", name=title)
            case CallRefused():
                yield _called(event.title, event.arguments)
                yield Message("tool", f"not called: {event.message}", name=event.title)
            case _:
                pass


def _called(title: str, arguments: Mapping[str, Any]) -> Message:
    text = json.dumps(dict(arguments), ensure_ascii=False, default=str)
    return Message("assistant", "", (FunctionCall("call", title, text),))
