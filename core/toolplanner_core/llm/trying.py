"""Try an endpoint: can it be reached, which models has it, and what can one of them do?"""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.llm.answer_mode import MODE_WORDS
from toolplanner_core.llm.capabilities import remember_keeps
from toolplanner_core.llm.model import ModelError, ModelRequest, Reply
from toolplanner_core.llm.openai_failures import failure_of
from toolplanner_core.llm.openai_model import OpenAiModel, model_at
from toolplanner_core.prompts.conversation import Function, Message
from toolplanner_core.prompts.question import Question
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.words.wording import counted

_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointReport:
    """What was found.

    Attributes:
        models: names, sorted; () where the endpoint lists none.
        lines: what can be said, a sentence each, the good and the bad.
        works: whether the model answered a question.
    """

    models: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    works: bool = False


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
        api_key=key or "none", base_url=base_url, max_retries=0, timeout=_TIMEOUT_S
    ) as client:
        try:
            return tuple(sorted([model.id async for model in client.models.list()]))
        except (openai.OpenAIError, ValueError) as error:
            raise failure_of(error) from error


async def try_endpoint(
    base_url: str, key: str | None, settings: EndpointSettings
) -> EndpointReport:
    """List the models; ask the one of the settings, or the only one, a question and a dialogue."""
    lines: list[str] = []
    models: tuple[str, ...] = ()
    try:
        models = await list_models(base_url, key)
        lines.append(f"Reached; it lists {counted(len(models), 'model')}.")
    except ModelError as error:
        lines.append(f"Its models cannot be listed: {error.message}.")
    name = settings.model or (models[0] if len(models) == 1 else "")
    if not name:
        lines.append("Choose a model to try it.")
        return EndpointReport(models=models, lines=tuple(lines))
    model = model_at(base_url, key, name, settings)
    try:
        works = await _try(model, _question(), "Typed answers", lines)
        if works:
            await _try(model, _turn(), "Dialogues with functions", lines)
    finally:
        await model.close()
    return EndpointReport(models=models, lines=tuple(lines), works=works)


async def _try(model: OpenAiModel, request: ModelRequest, what: str, lines: list[str]) -> bool:
    try:
        reply = await model.complete(request)
    except ModelError as error:
        lines.append(f"{what}: {error.message}.")
        return False
    fits = request.question is None or _fits(request.question, reply)
    if request.question is not None:
        remember_keeps(model.address, model.label, fits)
    way = f"{MODE_WORDS[reply.raw['answer_mode']]}{_tokens(reply)}"
    if not fits:
        why = "not the JSON that was asked for" if reply.text else "empty"
        lines.append(f"{what}: not reliable. It was asked {way}, but its answer was {why}.")
    elif request.tools and not reply.calls:
        lines.append(f"{what}: it answers, but called none. It was asked {way}.")
    else:
        lines.append(f"{what}: yes, {way}.")
    return True


def _fits(question: Question[Any], reply: Reply) -> bool:
    try:
        return bool(question.parse(reply.data))
    except (KeyError, TypeError, ValueError):
        return False


def _tokens(reply: Reply) -> str:
    n = reply.usage.input_tokens + reply.usage.output_tokens
    return f" ({n} tokens)" if n else "; it reports no tokens, so limits on them do not bind"


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
