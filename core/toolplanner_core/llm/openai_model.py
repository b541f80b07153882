"""Models behind an OpenAI-compatible endpoint, through the `openai` client.

Spec: `openai:NAME`. Address and key: `OPENAI_BASE_URL` and `OPENAI_API_KEY`, else the settings
(address only).
The client's own retries are off: the gate retries, so that each try is in the log.
"""

import asyncio
import os
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.errors import ModelUnavailable
from toolplanner_core.llm.answer_mode import Mode, data_of, modes_of, request_fields
from toolplanner_core.llm.model import (
    ModelContext,
    ModelFailed,
    ModelPlugin,
    ModelRequest,
    Reply,
    Usage,
)
from toolplanner_core.llm.openai_errors import failure_of, is_mode_refusal
from toolplanner_core.llm.openai_stream import Assembled, assemble, from_completion
from toolplanner_core.settings import EndpointSettings, load_settings

if TYPE_CHECKING:
    from openai import AsyncOpenAI


class OpenAiModel:
    """One named model of one endpoint."""

    def __init__(self, name: str, *, client: "AsyncOpenAI", settings: EndpointSettings) -> None:
        self._name = name
        self._client = client
        self._stream = settings.stream
        self._modes: list[Mode] = modes_of(settings.answer_mode)

    @property
    def label(self) -> str:
        """The model's name as the endpoint knows it."""
        return self._name

    async def complete(self, request: ModelRequest) -> Reply:
        """Answer one request, in the first way of asking that the endpoint takes.

        Raises:
            ModelFailed: no reply.
        """
        import openai

        while True:
            mode = self._modes[0]
            try:
                async with asyncio.timeout(request.timeout_s):
                    got = await self._send(request, mode)
            except openai.BadRequestError as error:
                if len(self._modes) > 1 and is_mode_refusal(error):
                    # The endpoint does not know this way of asking: never try it again.
                    self._modes = self._modes[1:]
                    continue
                raise failure_of(error) from error
            except TimeoutError as error:
                raise ModelFailed(
                    ErrorClass.TIMEOUT,
                    f"No reply from {self._name} within {request.timeout_s:g} s",
                    is_transient=True,
                ) from error
            except (openai.OpenAIError, ValueError) as error:
                raise failure_of(error) from error
            return Reply(
                data=data_of(got.arguments or got.text),
                text=got.arguments or got.text,
                usage=Usage(
                    input_tokens=got.input_tokens,
                    output_tokens=got.output_tokens,
                    cached_tokens=got.cached_tokens,
                ),
                raw={
                    "model": got.model,
                    "id": got.id,
                    "finish_reason": got.finish_reason,
                    "answer_mode": mode,
                },
            )

    async def _send(self, request: ModelRequest, mode: Mode) -> Assembled:
        fields: dict[str, Any] = {
            "model": self._name,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "temperature": request.temperature,
            "timeout": request.timeout_s,
            **request_fields(mode, request.question.id, request.schema),
        }
        if not self._stream:
            return from_completion(await self._client.chat.completions.create(**fields))
        fields |= {"stream": True, "stream_options": {"include_usage": True}}
        stream = await self._client.chat.completions.create(**fields)
        async with stream:
            return await assemble(stream)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _make(name: str, _context: ModelContext) -> OpenAiModel:
    if not name:
        raise ModelUnavailable(
            "The model has no name", todo="Write openai:NAME, such as openai:gpt-4o-mini"
        )
    settings = load_settings().endpoint
    base_url = os.environ.get("OPENAI_BASE_URL") or settings.base_url
    key = os.environ.get("OPENAI_API_KEY")
    if not key and not _is_local(base_url):
        raise ModelUnavailable(
            f"There is no key for {base_url or 'the OpenAI API'}",
            todo="Set OPENAI_API_KEY, name a local endpoint in OPENAI_BASE_URL, or use: offline",
        )
    from openai import AsyncOpenAI

    # Servers on this machine (Ollama, vLLM, llama.cpp) need no key, but the client insists on one.
    client = AsyncOpenAI(api_key=key or "none", base_url=base_url, max_retries=0)
    return OpenAiModel(name, client=client, settings=settings)


def _is_local(base_url: str | None) -> bool:
    host = urlsplit(base_url).hostname if base_url else None
    return host is not None and (host in {"localhost", "::1"} or host.startswith("127."))


PLUGIN = ModelPlugin(id="openai", title="OpenAI-compatible endpoint", make=_make)
