"""The offline planner as a model: dispatches on the class of the question."""

import asyncio
import json
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.model import OFFLINE_LABEL, ModelContext, ModelError, ModelRequest, Reply
from toolplanner_core.llm.offline.answers import compose_answer, state_result
from toolplanner_core.llm.offline.argument_filling import fill_arguments
from toolplanner_core.llm.offline.call_evidence import (
    SAYS_NOTHING,
    CallWithReply,
    as_text,
    quoted,
    supplying_results,
    unaccounted_parts,
)
from toolplanner_core.llm.offline.planning import make_plan, refers_back, revise_plan
from toolplanner_core.llm.offline.similarity import Similarity, is_useful
from toolplanner_core.prompts.analyse import Analyse, NextMove
from toolplanner_core.prompts.choose_api import ChooseApi
from toolplanner_core.prompts.fill_arguments import FillArguments
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.make_plan import MakePlan, Replan
from toolplanner_core.prompts.question import Question
from toolplanner_core.words.query_clarity import unresolved_reference
from toolplanner_core.words.reply_values import (
    add_temperature_scale,
    filter_by_dates,
    has_no_condition,
    lists_nothing,
)
from toolplanner_core.words.unit_conversion import convert_asked_quantity


class OfflinePlanner:
    """Answers the questions of Tool-Planner by rules and embeddings; needs no network and no
    key."""

    def __init__(self, context: ModelContext) -> None:
        # Single APIs have no members to look at.
        self._similarity = [
            Similarity(context.encode, embedder=context.embedder, evidence=known)
            for known in (context.evidence, None)
        ]

    @property
    def label(self) -> str:
        """Name shown wherever its work is shown."""
        return OFFLINE_LABEL

    async def complete(self, request: ModelRequest) -> Reply:
        """Answer one question; the messages are not read.

        Raises:
            ModelError: a kind of question that rules cannot answer.
        """
        if request.question is None:
            raise _refused("The offline planner holds no conversations: choose a language model")
        # Encoding may take a second for many toolkits: the window's loop must not wait for it.
        data = await asyncio.to_thread(self.answer, request.question)
        text = json.dumps(data, ensure_ascii=False, default=str)
        return Reply(data=data, text=text, raw={"model": OFFLINE_LABEL})

    def answer(self, question: Question[Any]) -> dict[str, Any]:
        """The answer's JSON, of the question's schema.

        Raises:
            ModelError: as `complete`.
        """
        match question:
            case MakePlan():
                return make_plan(question, self._similarity[question.single])
            case Replan():
                return revise_plan(question, self._similarity[question.single])
            case ChooseApi():
                return {"why": "", "api": 1}
            case FillArguments():
                return fill_arguments(question)
            case Analyse():
                return _analysed(question)
            case FinalAnswer():
                return compose_answer(question)
            case _:
                raise _refused(f"The offline planner has no rules for the question {question.id!r}")

    async def close(self) -> None:
        """Nothing is open."""


def _refused(message: str) -> ModelError:
    return ModelError(ErrorClass.DECISION_FAILURE, message, is_transient=False)


def _analysed(question: Analyse) -> dict[str, Any]:
    """What a result says, or what it leaves open."""
    goal, sent = question.goal, question.arguments
    value = filter_by_dates(question.value, goal, question.now)
    brought = supplying_results(sent, question.earlier)
    heard = CallWithReply(goal, question.api, question.api_title, sent, value, brought)
    is_none = has_no_condition(sent) and lists_nothing(value)
    is_held = is_none or is_useful(value, question.query, goal)
    # What a person sent instead is what the person wanted to see; an invented reply names nothing.
    is_asked = is_held and not (question.is_changed or question.is_invented)
    left = unaccounted_parts(heard, question.now) if is_asked else []
    before = [(s.goal, as_text([s.arguments, s.value])) for s in question.earlier]
    left += unresolved_reference(goal, as_text(sent), before) if is_asked else []
    if is_asked and question.earlier and not brought and (said := refers_back(goal)):
        left.append(said)
    told = "none" if is_none else add_temperature_scale(value, heard.documented)
    said = state_result(goal, told)
    if other := convert_asked_quantity(goal, said):
        said = f"{said} ({other.words})"
        left = [each for each in left if each.lower() != other.asked]
    move = NextMove.NEXT_STEP if is_held and not left else NextMove.OTHER_API
    state = said + (f" ({SAYS_NOTHING}{quoted(left)})" if left else "")
    return {"state": state, "next": move.value}
