"""Models behind an OpenAI-compatible endpoint, through the `openai` client.

Spec: `openai:NAME`. Address and key: `OPENAI_BASE_URL` and `OPENAI_API_KEY`, else the settings and
the keychain.
The client's own retries are off: the gate retries, so that each try is in the log.
"""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.endpoints import endpoint_key, is_local, usual_address
from toolplanner_core.errors import ModelUnavailable
from toolplanner_core.llm.answer_mode import (
    Mode,
    Use,
    calls_in,
    data_of,
    modes_of,
    request_fields,
    use_of,
)
from toolplanner_core.llm.capabilities import (
    known_mode,
    known_refusals,
    remember_mode,
    remember_refusal,
    remember_streams,
)
from toolplanner_core.llm.fitting import fitted, tokens_of
from toolplanner_core.llm.model import (
    Hear,
    ModelContext,
    ModelError,
    ModelPlugin,
    ModelRequest,
    Piece,
    Reply,
)
from toolplanner_core.llm.openai_failures import (
    failure_of,
    is_mode_refusal,
    refused_field,
    tokens_that_fit,
)
from toolplanner_core.llm.openai_replies import (
    Assembled,
    assemble,
    cut_in_silence,
    from_completion,
)
from toolplanner_core.options.option import option
from toolplanner_core.settings import AnswerMode, EndpointSettings, load_settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI


_MUCH_LEFT, _RELAXED = 0.7, 0.85
_HEAVIEST = 4.0
_UNTRIED = 1.15
"""How much heavier than guessed a prompt may be before its endpoint has counted one or many: texts
of odd words were, by 8 % with SmolLM2."""
_MORE_ROOM = 8192
"""Tokens for a reply that was cut for its length, asked for once."""
_MOST_REASONING = 20_000
"""Characters that are kept of what a model thought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAiOptions:
    """Options of a model, for endpoints with little room."""

    prompt_tokens: int | None = option(
        None,
        "Tokens of a prompt at most; a longer one is cut to fit, which is said.",
        title="Tokens of a prompt",
        minimum=200,
        none_means="as many as the endpoint takes",
    )
    reply_tokens: int | None = option(
        None,
        "Tokens of a reply at most.",
        title="Tokens of a reply",
        minimum=16,
        none_means="as many as the endpoint likes",
    )


class OpenAiModel:
    """One named model of one endpoint."""

    def __init__(
        self,
        name: str,
        *,
        client: "AsyncOpenAI",
        settings: EndpointSettings,
        options: OpenAiOptions | None = None,
    ) -> None:
        self._name = name
        self._options = options or OpenAiOptions()
        self._client = client
        self._stream = settings.stream
        self._setting: AnswerMode = settings.answer_mode
        self._modes: dict[Use, list[Mode]] = {}
        self._heavier: dict[Use, float] = {}
        self._refused = set(known_refusals(self.address, name))

    @property
    def label(self) -> str:
        """The model's name as the endpoint knows it."""
        return self._name

    async def complete(self, request: ModelRequest) -> Reply:
        """Answer one request, in the first way of asking that the endpoint takes.

        Raises:
            ModelError: no reply.
        """
        import httpx2
        import openai

        use, room = use_of(request), self._options.reply_tokens or 0
        request, was_cut = self._fitted(request, use)
        while True:
            modes = self._modes_for(use)
            fields = self._fields(request, modes[0], room)
            try:
                async with asyncio.timeout(request.timeout_s) as limit:
                    got = await self._send(fields, _restarting(limit, request))
            except openai.APIStatusError as error:
                if field := refused_field(error, fields):
                    self._refused.add(field)
                    remember_refusal(self.address, self._name, field)
                    continue
                if len(modes) > 1 and is_mode_refusal(error):
                    # The endpoint does not know this way of asking: never try it again.
                    del modes[0]
                    continue
                if not was_cut and (fits := tokens_that_fit(error, tokens_of(request))):
                    request, was_cut = fitted(request, fits)
                    if was_cut:
                        continue
                raise failure_of(error, self.address) from error
            except TimeoutError as error:
                raise ModelError(
                    ErrorClass.TIMEOUT,
                    f"No reply from {self._name} at {self.address.rstrip('/')} within"
                    f" {request.timeout_s:g} s",
                    is_transient=True,
                ) from error
            except (openai.OpenAIError, httpx2.HTTPError, ValueError) as error:
                raise failure_of(error, self.address) from error
            if self._setting == "auto" and (request.question is not None or request.tools):
                remember_mode(self.address, self._name, use, modes[0])
            if got.finish_reason == "length" and not room and not got.is_whole(request.question):
                room = _MORE_ROOM
                continue
            self._weigh(request, use, got.usage.input_tokens)
            return self._reply(request, modes[0], got, was_cut)

    def _fitted(self, request: ModelRequest, use: Use) -> tuple[ModelRequest, str]:
        most = self._options.prompt_tokens
        if most is None:
            return request, ""
        return fitted(request, int(most / self._heavier.get(use, _UNTRIED)))

    def _weigh(self, request: ModelRequest, use: Use, tokens: int) -> None:
        """Remember how much more than guessed a prompt was that went over its room: servers write
        functions into it in words of their own. Where much was left, the next may be longer."""
        most = self._options.prompt_tokens
        if most is None or not tokens:
            return
        heavier = self._heavier.get(use, _UNTRIED)
        if tokens > most:
            self._heavier[use] = max(heavier, min(tokens / max(1, tokens_of(request)), _HEAVIEST))
        elif tokens < most * _MUCH_LEFT:
            self._heavier[use] = max(_UNTRIED, heavier * _RELAXED)

    @property
    def address(self) -> str:
        """Where it is asked."""
        return str(self._client.base_url)

    def _modes_for(self, use: Use) -> list[Mode]:
        if use not in self._modes:
            modes = modes_of(self._setting, use)
            known = known_mode(self.address, self._name, use) if len(modes) > 1 else None
            self._modes[use] = modes[modes.index(known) :] if known in modes else modes
        return self._modes[use]

    def _reply(self, request: ModelRequest, mode: Mode, got: Assembled, was_cut: str) -> Reply:
        raw = {
            "model": got.model,
            "id": got.id,
            "finish_reason": got.finish_reason,
            "answer_mode": mode,
        }
        if thought := "".join(got.thought):
            raw["reasoning"] = thought[:_MOST_REASONING]
        if cut := was_cut or cut_in_silence(request.messages, got.usage):
            raw["cut"] = cut
        if request.question is not None:
            text = got.arguments or got.text
            return Reply(data=data_of(text), text=text, usage=got.usage, raw=raw)
        text, calls = (got.text, got.calls) if got.calls else calls_in(got.text)
        if not request.tools or (mode == "tools" and not got.calls):
            text, calls = got.text, ()
        return Reply(data=None, text=text, usage=got.usage, raw=raw, calls=calls)

    def _fields(self, request: ModelRequest, mode: Mode, room: int) -> dict[str, Any]:
        """A request, without what this endpoint refuses; `room`: tokens of the reply at most, 0 =
        as many as the endpoint likes."""
        fields: dict[str, Any] = {
            "model": self._name,
            "temperature": request.temperature,
            "timeout": request.timeout_s,
            **request_fields(mode, request),
        }
        if room:
            named = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
            fields[named] = room
        if self._stream and "stream" not in self._refused:
            fields |= {"stream": True, "stream_options": {"include_usage": True}}
        return {name: value for name, value in fields.items() if name not in self._refused}

    async def _send(self, fields: dict[str, Any], hear: Hear) -> Assembled:
        """Send and read a request; an endpoint that knows no streams may answer at once."""
        create = self._client.chat.completions.with_streaming_response.create
        async with create(**fields) as response:
            streams = "event-stream" in response.headers.get("content-type", "")
            if "stream" in fields:
                remember_streams(self.address, self._name, streams)
            if streams:
                return await assemble(response.iter_lines(), hear)
            return from_completion(await response.read())

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _restarting(limit: asyncio.Timeout, request: ModelRequest) -> Hear:
    """Time for a reply counts from its first piece: an endpoint may read a long prompt as long."""
    is_first = True

    def hear(piece: Piece) -> None:
        nonlocal is_first
        if is_first:
            is_first = False
            limit.reschedule(asyncio.get_running_loop().time() + request.timeout_s)
        if request.hear is not None:
            request.hear(piece)

    return hear


def _make(name: str, _context: ModelContext, options: OpenAiOptions) -> OpenAiModel:
    if not name:
        raise ModelUnavailable(
            "The model has no name", todo="Write openai:NAME, such as openai:gpt-4o-mini"
        )
    settings = load_settings().endpoint
    base_url = usual_address()
    key = endpoint_key(base_url)
    if not key and not is_local(base_url):
        raise ModelUnavailable(
            f"There is no key for {base_url or 'the OpenAI API'}",
            todo="Give one in Edit > Preferences, set OPENAI_API_KEY, name a local endpoint in"
            " OPENAI_BASE_URL, or use: offline",
        )
    return model_at(base_url, key, name, settings, options)


def model_at(
    base_url: str | None,
    key: str | None,
    name: str,
    settings: EndpointSettings,
    options: OpenAiOptions | None = None,
) -> OpenAiModel:
    """A model of an endpoint; servers on this machine (Ollama, vLLM, llama.cpp) need no key."""
    from openai import AsyncOpenAI

    # The client insists on a key.
    client = AsyncOpenAI(api_key=key or "none", base_url=base_url, max_retries=0)
    return OpenAiModel(name, client=client, settings=settings, options=options)


PLUGIN = ModelPlugin(
    id="openai",
    title="OpenAI-compatible endpoint",
    description="openai:NAME asks the model NAME at OpenAI or any endpoint that speaks like it.",
    make=_make,
    options=OpenAiOptions,
    named="Name of the model, such as gpt-4o-mini",
    named_in="OPENAI_MODEL",
)
