"""What a model says of an ended run's answer: stored beside the run, never instead of its end.

The judge sees the query, what was called and what came back, and the answer. Every verdict is a
version of a memory of its own, so that none is lost. Called by the terminal and the window.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Judgement, Status
from toolplanner_core.errors import BadInput, ModelUnavailable
from toolplanner_core.llm.day_budget import DayBook
from toolplanner_core.llm.model import (
    Model,
    ModelContext,
    ModelError,
    ModelRequest,
    Usage,
    make_model,
)
from toolplanner_core.llm.prices import price_of
from toolplanner_core.llm.usual_model import language_model
from toolplanner_core.prompts.conversation import FunctionCall, Message
from toolplanner_core.prompts.editing import edited_texts
from toolplanner_core.prompts.judge_answer import JudgeAnswer
from toolplanner_core.prompts.question import AnswerInvalid, Role, sent_back
from toolplanner_core.prompts.render import cut
from toolplanner_core.prompts.texts import with_texts
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.event import Event
from toolplanner_core.runs.export.jsonl import iter_full_rows
from toolplanner_core.runs.presets import usual_run
from toolplanner_core.runs.reading import get_summary, typed
from toolplanner_core.runs.spec import roles_from
from toolplanner_core.runs.telling.evidence_words import VERDICTS, judged_words
from toolplanner_core.words.wording import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.memories import decide_memory, read_memory
from toolplanner_core.workspace.runs import get_run

_SAID = 120
"""Characters of an answer that is no verdict, in the message that says so."""
_TRIES = 3
_SHOWN = 2_000
"""Characters of a reply that the judge sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVerdict:
    """What a model said.

    Attributes:
        model: who said it, as people name it.
    """

    solved: bool
    reason: str
    model: str

    @property
    def words(self) -> str:
        """For people, in one line."""
        return judged_words(asdict(self))


def judge_run(workspace: Workspace, run: RunId, *, model: str = "") -> RunVerdict:
    """Ask a model what it says of a run's answer, and keep that beside the run. Blocks.

    Args:
        model: else the run's own for judging, else the person's, else the usual one.

    Raises:
        NotFound: no such run, or no such model.
        BadInput: the run has no answer, or no model was chosen.
        ModelUnavailable: the model gave no usable verdict, or the day's budget is used up.
    """
    summary = get_summary(workspace, run)
    if summary.status is Status.RUNNING or not summary.answer:
        raise BadInput(f"Run {run} has no answer that could be judged")
    own = roles_from(get_run(workspace, run).options).get("judging", "")
    spec = language_model(model or own or usual_run().roles.get(Role.JUDGING), "Judging")
    price, day = price_of(workspace, spec), DayBook()
    day.check_now(price, spec)
    events = (typed([row])[0].event for row in iter_full_rows(workspace, run))
    question = JudgeAnswer(query=summary.query, way=tuple(_way(events)), answer=summary.answer)
    made = make_model(spec, ModelContext(encode=None))
    texts = edited_texts(workspace)
    verdict = asyncio.run(_ask(made, question, texts, lambda usage: day.add(usage, price)))
    kept = RunVerdict(solved=verdict.solved, reason=verdict.reason, model=spec)
    decide_memory(workspace, verdict_memory(run), asdict(kept))
    return kept


def verdict_of(workspace: Workspace, run: RunId) -> RunVerdict | None:
    """The newest verdict on a run, None if nobody judged it. Blocks."""
    value = read_memory(workspace, verdict_memory(run)).value
    return None if value is None else RunVerdict(**value)


def verdict_memory(run: RunId) -> str:
    """The name under which verdicts on a run are kept."""
    return f"{VERDICTS}{run}"


async def _ask(
    model: Model,
    question: JudgeAnswer,
    texts: Mapping[str, str],
    count: Callable[[Usage], None],
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
            reply = await model.complete(request)
            count(reply.usage)
            try:
                return question.parse(reply.data)
            except AnswerInvalid as invalid:
                said = one_line(reply.text, _SAID) or "nothing"
                wrong, todo = f"It said: {said}", "Try again, or let another model judge"
                again = sent_back(reply.text or "{}", invalid)
                messages = with_texts((*messages, *again), texts)
    except ModelError as error:
        wrong, todo = error.message, ""
    finally:
        await model.close()
    raise ModelUnavailable(f"{model.label} gave no verdict", why=wrong, todo=todo)


def _way(events: Iterable[Event]) -> Iterator[Message]:
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
