"""A model behind an OpenAI-compatible endpoint.

Spec: `openai:NAME`. Address and key: `OPENAI_BASE_URL` and `OPENAI_API_KEY`, else the settings and
the keychain.
The client's own retries are off: the gate retries, so that each try is in the log.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.endpoints import default_base_url, endpoint_key, is_local
from toolplanner_core.errors import ModelUnavailable
from toolplanner_core.llm.answer_mode import (
    Mode,
    Use,
    modes_of,
    parse_calls,
    parse_json_reply,
    request_fields,
    use_of,
)
from toolplanner_core.llm.capabilities import (
    CALLS_FUNCTIONS,
    known_calls,
    known_mode,
    known_refusals,
    known_samples,
    remember_calls,
    remember_mode,
    remember_refusal,
    remember_samples,
    remember_streams,
)
from toolplanner_core.llm.model import (
    ModelContext,
    ModelError,
    ModelPlugin,
    ModelRequest,
    Reply,
    ReplyChunk,
    ReplyListener,
    Usage,
)
from toolplanner_core.llm.openai_failures import (
    cut_by_budget,
    endpoint_error,
    failure_of,
    is_cut_for_length,
    is_mode_refusal,
    may_refuse_samples,
    refused_field,
    tokens_that_fit,
    unusable_reply,
)
from toolplanner_core.llm.openai_replies import (
    Assembled,
    ReplyReader,
    cut_in_silence,
    usage_of,
)
from toolplanner_core.llm.prompt_fitting import estimate_tokens, fit_request
from toolplanner_core.llm.reply_errors import EndpointError
from toolplanner_core.llm.text_calls import calls_in_text
from toolplanner_core.llm.thinking import CALL_EXTRAS
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
_LAST_WORDS_S = 5.0
"""After a reply has ended, for what its endpoint still says of it: tokens, `[DONE]`."""
_MOST_REASONING = 20_000
"""Characters that are kept of what a model thought."""
_ONE_BY_ONE = "The endpoint gives one reply to a request: samples are asked for one by one"
"""Said at the reply that showed it; it is remembered then, and not tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAiOptions:
    """Options of a model: how it samples, and what endpoints with little room need."""

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
    temperature: float | None = option(
        None,
        "How much chance there is in replies, for all questions.",
        minimum=0,
        maximum=2,
        none_means="what each question asks for",
    )
    top_p: float | None = option(
        None,
        "Share of the likeliest words that replies are drawn from.",
        title="Top p",
        minimum=0,
        maximum=1,
        none_means="as the endpoint does",
    )
    seed: int | None = option(
        None,
        "The same seed draws the same reply, where the endpoint takes one; a prompt that is sent"
        " again in a run has the next number.",
        minimum=0,
        none_means="none is sent",
    )
    reasoning_effort: Literal["usual", "none", "minimal", "low", "medium", "high"] = option(
        "usual",
        "How much a reasoning model thinks.",
        title="Reasoning effort",
        choices={
            "usual": "as the endpoint does",
            "none": "not at all",
            "minimal": "hardly",
            "low": "a little",
            "medium": "some",
            "high": "much",
        },
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
        self._samples = known_samples(self.address, name)
        self._times_asked: Counter[int] = Counter()

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

        use, room = use_of(request), self._room(request)
        spent, is_alone = Usage(), False
        sampling = self._sampling(request)
        request, was_cut = self._fitted(request, use)
        while True:
            modes = self._modes_for(use)
            fields = self._fields(request, modes[0], room) | self._without_refused(sampling)
            try:
                async with asyncio.timeout(request.timeout_s) as limit:
                    replies = await self._send(fields, request, _restarting(limit, request))
            except (openai.APIStatusError, EndpointError) as error:
                said = error if isinstance(error, EndpointError) else endpoint_error(error)
                if request.samples > 1 and may_refuse_samples(said):
                    request, is_alone = replace(request, samples=1), True
                    continue
                is_alone = False
                if self._asks_otherwise(said, fields, modes):
                    continue
                if not was_cut and (fits := tokens_that_fit(said, estimate_tokens(request))):
                    request, was_cut = fit_request(request, fits)
                    if was_cut:
                        continue
                raise failure_of(said, self.address) from error
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
            self._learn_samples(request, replies, is_alone=is_alone)
            self._weigh(request, use, replies[0].usage.input_tokens)
            usable = _usable(request, replies)
            got, usage = usable[0], spent.plus(usage_of(request, replies))
            if is_cut_for_length(got) and not room and not _is_whole(request, got):
                room, spent = _MORE_ROOM, usage
                continue
            if (over := cut_by_budget(request, got, room)) is not None:
                over.usage = usage
                raise over
            return self._samples_of(request, modes[0], usable, was_cut, usage)

    @property
    def gives_samples(self) -> bool:
        """Whether it may give several replies to one request, as far as is known."""
        return self._samples is not False

    def _learn_samples(
        self, request: ModelRequest, replies: Sequence[Assembled], *, is_alone: bool
    ) -> None:
        """Remember whether several replies come to one request, where that was tried.

        Args:
            is_alone: several were refused, and one was not.
        """
        if request.samples == 1 and not is_alone:
            return
        self._samples = len(replies) > 1
        remember_samples(self.address, self._name, self._samples)
        if not self._samples:
            replies[0].remarks.append(_ONE_BY_ONE)

    def _asks_otherwise(
        self, said: EndpointError, fields: Mapping[str, Any], modes: list[Mode]
    ) -> bool:
        """Whether an endpoint complains of the way it was asked, and knows another, which is
        tried next; the one that it does not know is never tried again."""
        if field := refused_field(said, self._dispensable(fields)):
            self._refused.add(field)
            remember_refusal(self.address, self._name, field)
            return True
        if len(modes) > 1 and is_mode_refusal(said):
            del modes[0]
            return True
        return False

    def _room(self, request: ModelRequest) -> int:
        """Tokens of the reply at most, 0 = as many as the endpoint likes."""
        limits = (self._options.reply_tokens, request.max_reply_tokens)
        return min((limit for limit in limits if limit is not None), default=0)

    def _fitted(self, request: ModelRequest, use: Use) -> tuple[ModelRequest, str]:
        most = self._options.prompt_tokens
        if most is None:
            return request, ""
        return fit_request(request, int(most / self._heavier.get(use, _UNTRIED)))

    def _weigh(self, request: ModelRequest, use: Use, tokens: int) -> None:
        """Remember how much more than guessed a prompt was that went over its room: servers write
        functions into it in words of their own. Where much was left, the next may be longer."""
        most = self._options.prompt_tokens
        if most is None or not tokens:
            return
        heavier = self._heavier.get(use, _UNTRIED)
        if tokens > most:
            self._heavier[use] = max(
                heavier, min(tokens / max(1, estimate_tokens(request)), _HEAVIEST)
            )
        elif tokens < most * _MUCH_LEFT:
            self._heavier[use] = max(_UNTRIED, heavier * _RELAXED)

    @property
    def temperature(self) -> float | None:
        """What is sent in the place of each question's own, None = that."""
        return self._options.temperature

    def _sampling(self, request: ModelRequest) -> dict[str, Any]:
        """What a person chose of how replies are drawn, as fields of a request. Samples of one
        prompt get a seed each: they would all be the same."""
        chosen, seed = self._options, self._options.seed
        if seed is not None:
            prompt = hash(request.messages)
            seed += self._times_asked[prompt]
            self._times_asked[prompt] += 1
        effort = None if chosen.reasoning_effort == "usual" else chosen.reasoning_effort
        fields = {
            "temperature": chosen.temperature,
            "top_p": chosen.top_p,
            "seed": seed,
            "reasoning_effort": effort,
        }
        return {name: value for name, value in fields.items() if value is not None}

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

    def _samples_of(
        self,
        request: ModelRequest,
        mode: Mode,
        replies: Sequence[Assembled],
        was_cut: str,
        usage: Usage,
    ) -> Reply:
        """The first reply with the others beside it; its usage is that of all."""
        first = self._reply(request, mode, replies[0], was_cut, usage)
        if len(replies) == 1:
            return first
        remark = f"Came with the first of {len(replies)} samples, where its tokens are counted"
        for each in replies[1:]:
            each.remarks.append(remark)
        others = [self._reply(request, mode, each, was_cut, Usage()) for each in replies[1:]]
        raw = {**first.raw, "samples": len(replies)}
        return replace(first, raw=raw, others=tuple(others))

    def _reply(
        self, request: ModelRequest, mode: Mode, got: Assembled, was_cut: str, usage: Usage
    ) -> Reply:
        raw: dict[str, Any] = {
            "model": got.model,
            "id": got.id,
            "finish_reason": got.finish_reason,
            "answer_mode": mode,
        }
        if got.thought:
            raw["reasoning"] = got.thought[:_MOST_REASONING]
        if cut := was_cut or cut_in_silence(request.messages, got.usage):
            raw["cut"] = cut
        if request.question is None and request.tools:
            got = self._with_written_calls(request, mode, got)
        if (fault := unusable_reply(request, got)) is not None:
            fault.usage = usage
            raise fault
        if got.remarks:
            raw["remarks"] = list(got.remarks)
        if request.question is not None:
            text = got.arguments or got.text
            return Reply(data=parse_json_reply(text), text=text, usage=usage, raw=raw)
        calls = got.calls if request.tools else ()
        thinking = (
            {**got.thinking, CALL_EXTRAS: list(got.extras)} if any(got.extras) else got.thinking
        )
        return Reply(data=None, text=got.text, usage=usage, raw=raw, calls=calls, thinking=thinking)

    def _with_written_calls(self, request: ModelRequest, mode: Mode, got: Assembled) -> Assembled:
        """A reply with the calls that stand in its text: as it was asked for, or as the endpoint
        has shown that it writes them. One that calls functions as it should has not, and a text
        that stood in the conversation before is quoted."""
        if got.calls:
            remember_calls(self.address, self._name, CALLS_FUNCTIONS)
            return got
        if mode != "tools":
            text, calls = parse_calls(got.text)
            if calls or text != got.text:
                return replace(got, text=text, calls=calls)
        if request.tool_choice == "none":
            return got
        found = calls_in_text(got.text, request.tools)
        if found is None:
            return got
        known = known_calls(self.address, self._name)
        is_calling = got.finish_reason in ("tool_calls", "function_call")
        if found.form not in known and CALLS_FUNCTIONS in known and not is_calling:
            return got
        if any(call in message.content for call in found.written for message in request.messages):
            return got
        remember_calls(self.address, self._name, found.form)
        remark = f"The endpoint wrote its calls into the text ({found.form})"
        return replace(got, text=found.said, calls=found.calls, remarks=[*got.remarks, remark])

    def _dispensable(self, fields: Mapping[str, Any]) -> set[str]:
        """Names of what a request holds, of itself and of its messages."""
        return {*fields, *(name for message in fields["messages"] for name in message)}

    def _fields(self, request: ModelRequest, mode: Mode, room: int) -> dict[str, Any]:
        """A request, without what this endpoint refuses; `room`: tokens of the reply at most, 0 =
        as many as the endpoint likes."""
        fields: dict[str, Any] = {
            "model": self._name,
            "temperature": request.temperature,
            "timeout": request.timeout_s,
            **request_fields(mode, request),
        }
        if request.samples > 1:
            fields["n"] = request.samples
        if room:
            named = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
            fields[named] = room
        if self._stream and "stream" not in self._refused:
            fields |= {"stream": True, "stream_options": {"include_usage": True}}
        fields["messages"] = [self._without_refused(message) for message in fields["messages"]]
        return self._without_refused(fields)

    def _without_refused(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in fields.items() if name not in self._refused}

    async def _send(
        self, fields: dict[str, Any], request: ModelRequest, hear: ReplyListener
    ) -> list[Assembled]:
        """Send a request and read its replies, from the bytes of the response: an endpoint that
        knows no streams may answer at once, and any of them under another header."""
        import httpx2

        named = [tool.name for tool in request.tools]
        reader = ReplyReader(
            named,
            is_typed=request.question is not None,
            most_tokens=request.max_reply_tokens,
            samples=request.samples,
        )
        broken: Exception | None = None
        create = self._client.chat.completions.with_streaming_response.create
        async with create(**fields) as response:
            try:
                async with asyncio.timeout(None) as rest:
                    async for piece in response.iter_bytes():
                        for chunk in reader.feed(piece):
                            hear(chunk)
                        if reader.is_done:
                            break
                        end_s = asyncio.get_running_loop().time() + _LAST_WORDS_S
                        rest.reschedule(end_s if reader.has_ended else None)
            except httpx2.HTTPError as error:
                broken = error
            except TimeoutError:
                pass  # the reply is whole; the endpoint leaves the connection open
        if "stream" in fields:
            remember_streams(self.address, self._name, reader.is_stream)
        for chunk in reader.close(broken):
            hear(chunk)
        return reader.every()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _usable(request: ModelRequest, replies: Sequence[Assembled]) -> list[Assembled]:
    """The samples that can be used; the first one alone if none can, for what is said of it."""
    found = [
        got
        for got in replies
        if (_is_whole(request, got) or not is_cut_for_length(got))
        and unusable_reply(request, got) is None
    ]
    return found or [replies[0]]


def _is_whole(request: ModelRequest, got: Assembled) -> bool:
    """Whether a reply that was cut for its length can be used: where functions are called, a text
    is the beginning of a call."""
    is_calling = request.question is None and request.tools and request.tool_choice != "none"
    return got.is_whole(request.question) and bool(got.calls or not is_calling)


def _restarting(limit: asyncio.Timeout, request: ModelRequest) -> ReplyListener:
    """Time for a reply counts from its first piece: an endpoint may read a long prompt as long."""
    is_first = True

    def hear(piece: ReplyChunk) -> None:
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
    base_url = default_base_url()
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
