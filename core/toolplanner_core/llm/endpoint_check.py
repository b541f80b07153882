"""Try an endpoint: can it be reached, which models has it, and what can one of them do?"""

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.answer_mode import MODE_WORDS
from toolplanner_core.llm.capabilities import remember_schema_support
from toolplanner_core.llm.model import ModelError, ModelRequest, Reply
from toolplanner_core.llm.openai_failures import failure_of
from toolplanner_core.llm.openai_model import OpenAiModel, model_at
from toolplanner_core.prompts.conversation import Function, Message
from toolplanner_core.prompts.question import Question
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.words.formatting import counted

_TIMEOUT_S = 60.0
_LIST_TIMEOUT_S = 15.0
"""No model has to be loaded for a list."""
_TODO = {
    ErrorClass.UNAUTHORISED: "Write the key of this endpoint under Key",
    ErrorClass.NETWORK: "Look at the address, and whether the server runs",
    ErrorClass.TIMEOUT: "Look whether the server runs; one that is loading a model answers later",
    ErrorClass.NOT_FOUND: "Look at the address, which often ends in /v1, and at the model's name",
    ErrorClass.RATE_LIMITED: "Wait a moment, or look at the credit of your account",
}
_NOBODY = (ErrorClass.NETWORK, ErrorClass.TIMEOUT)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointReport:
    """What was found.

    Attributes:
        models: names, sorted; () where the endpoint lists none.
        lines: what can be said, a sentence each, the good and the bad.
        works: whether the model answered a question in the form that was asked for.
        problem: why it did not, and what to do, "" if it did or none was chosen.
    """

    models: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    works: bool = False
    problem: str = ""


@dataclass(frozen=True)
class _Capital(Question[str]):
    """A question that any model can answer."""

    id: ClassVar[str] = "capital"
    title: ClassVar[str] = "Capital of France"

    def messages(self) -> list[Message]:
        return [Message("user", "What is the capital of France? Answer as JSON with its city.")]

    def schema(self) -> dict[str, Any]:
        city = {"type": "string", "maxLength": 40}
        return {"type": "object", "properties": {"city": city}, "required": ["city"]}

    def parse(self, data: Any) -> str:
        return str(data["city"])


_CLOCK = Function(
    name="time_in",
    description="The time in a city.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
)


async def list_models(base_url: str, key: str | None) -> tuple[str, ...]:
    """Names of the models that an endpoint lists.

    Raises:
        ModelError: it cannot be reached, or does not say.
    """
    import openai

    async with openai.AsyncOpenAI(
        api_key=key or "none", base_url=base_url, max_retries=0, timeout=_LIST_TIMEOUT_S
    ) as client:
        try:
            return tuple(sorted([model.id async for model in client.models.list()]))
        except (openai.OpenAIError, ValueError) as error:
            raise failure_of(error) from error


async def check_endpoint(
    base_url: str, key: str | None, settings: EndpointSettings
) -> EndpointReport:
    """List the models; ask the one of the settings, or the only one, a question and a dialogue."""
    lines: list[str] = []
    models: tuple[str, ...] = ()
    try:
        models = await list_models(base_url, key)
        lines.append(f"Reached; it lists {counted(len(models), 'model')}.")
    except ModelError as error:
        if error.error in _NOBODY:
            return EndpointReport(problem=_problem(error))
        lines.append(f"Its models cannot be listed: {error.message}.")
    name = settings.model or (models[0] if len(models) == 1 else "")
    if not name:
        lines.append("Choose a model to try it.")
        return EndpointReport(models=models, lines=tuple(lines))
    model = model_at(base_url, key, name, settings)
    try:
        works = await _try(model, _question(), "Typed answers", lines)
    except ModelError as error:
        await model.close()
        return EndpointReport(models=models, lines=tuple(lines), problem=_problem(error))
    try:
        await _try(model, _turn(), "Dialogues with functions", lines)
    except ModelError as error:
        lines.append(f"Dialogues with functions: {error.message}.")
    await model.close()
    return EndpointReport(models=models, lines=tuple(lines), works=works)


class EndpointCheck:
    """A try of an endpoint on a thread of its own that any other thread can stop at once."""

    def __init__(self) -> None:
        self._is_stopped = False
        self._cancel: Callable[[], object] | None = None

    def run(
        self, base_url: str, key: str | None, settings: EndpointSettings
    ) -> EndpointReport | None:
        """What was found; None if it was stopped. Blocks, a minute at most for each question."""
        return asyncio.run(self._try(base_url, key, settings))

    def stop(self) -> None:
        """End it: nothing is waited for any more."""
        self._is_stopped, cancel = True, self._cancel
        if cancel is not None:
            with contextlib.suppress(RuntimeError):  # it has ended meanwhile
                cancel()

    async def _try(
        self, base_url: str, key: str | None, settings: EndpointSettings
    ) -> EndpointReport | None:
        asking = asyncio.ensure_future(check_endpoint(base_url, key, settings))
        loop = asyncio.get_running_loop()
        self._cancel = lambda: loop.call_soon_threadsafe(asking.cancel)
        if self._is_stopped:
            asking.cancel()
        try:
            return await asking
        except asyncio.CancelledError:
            return None


def _problem(error: ModelError) -> str:
    todo = error.todo or _TODO.get(error.error, "")
    return f"It does not work. {error.message}.{f' {todo}.' if todo else ''}"


async def _try(model: OpenAiModel, request: ModelRequest, what: str, lines: list[str]) -> bool:
    """Ask, and say what came of it; whether the answer is one.

    Raises:
        ModelError: nothing came.
    """
    reply = await model.complete(request)
    fits = request.question is None or _fits(request.question, reply)
    if request.question is not None:
        remember_schema_support(model.address, model.label, fits)
    way = f"{MODE_WORDS[reply.raw['answer_mode']]}{_tokens(reply)}"
    if not fits:
        why = "not the JSON that was asked for" if reply.text else "empty"
        lines.append(f"{what}: not reliable. It was asked {way}, but its answer was {why}.")
    elif request.tools and not reply.calls:
        lines.append(f"{what}: it answers, but called none. It was asked {way}.")
    else:
        lines.append(f"{what}: yes, {way}.")
    return fits


def _fits(question: Question[Any], reply: Reply) -> bool:
    try:
        return bool(question.parse(reply.data))
    except (KeyError, TypeError, ValueError):
        return False


def _tokens(reply: Reply) -> str:
    if reply.usage.is_estimate:
        return "; it does not say how many tokens it takes, so they are estimated"
    return f" ({reply.usage.tokens} tokens)"


def _question() -> ModelRequest:
    question = _Capital()
    return ModelRequest(
        id=question.id,
        question=question,
        messages=tuple(question.messages()),
        schema=question.schema(),
        temperature=0.0,
        timeout_s=_TIMEOUT_S,
    )


def _turn() -> ModelRequest:
    return ModelRequest(
        id="turn",
        question=None,
        messages=(Message("user", "What time is it in Oslo?"),),
        schema={},
        temperature=0.0,
        tools=(_CLOCK,),
        tool_choice="auto",
        timeout_s=_TIMEOUT_S,
    )
