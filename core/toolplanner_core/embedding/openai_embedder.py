"""Embedder `openai:NAME`: a model behind an OpenAI-compatible endpoint, here or far away.

The storage id holds a mark of the address and of the length: vectors of the same name from another
endpoint are of another space. Texts go to a far endpoint only after this person has said so on this
machine, whatever the workspace says: one that somebody sends must not make a search tell its
queries to a stranger. The key is found for the origin, as for language models.

Texts to vectors through an OpenAI-compatible endpoint: batches, waits, halving, checks.

Four batches are on their way at once. What may work later is asked again, after as long as the
endpoint says; a batch that is too large for it is halved, a text that is too long is cut.
"""

import asyncio
import contextlib
import hashlib
import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.http_status import may_pass
from toolplanner_core.embedding.embedder import EmbedderPlugin, silent, tokenizable
from toolplanner_core.endpoints import (
    OPENAI_URL,
    allow_texts,
    default_base_url,
    endpoint_key,
    is_local,
    may_send_texts,
)
from toolplanner_core.errors import BadInput, EmbedderUnavailable
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.options.option import option
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState, embedder_state

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

BATCH = 64
_AT_ONCE = 4
_TRIES = 6
_FIRST_WAIT_S = 0.5
_MOST_WAIT_S = 60.0
_LOOK_S = 0.1
_TIMEOUT_S = 120.0
_SHORTEST_CUT = 256
_EMPTY = "(no text)"
"""Endpoints refuse a text that is empty."""
_TOO_MUCH = ("too large", "too long", "too many", "context", "maximum", "batch size", "exceed")


_Vector: TypeAlias = NDArray[np.float32]


class _Job:
    """How far it is, and how it is stopped from another thread."""

    def __init__(self) -> None:
        self.done = 0
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._running: tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]] | None = None

    def begin(self) -> None:
        """The calling task does it."""
        task = asyncio.current_task()
        with self._lock:
            assert task is not None
            self._running = (asyncio.get_running_loop(), task)
            if self._is_cancelled:
                task.cancel()

    def cancel(self) -> None:
        """Stop it; requests that are on their way are dropped."""
        with self._lock, contextlib.suppress(RuntimeError):  # it has ended by itself
            self._is_cancelled = True
            if self._running is not None:
                loop, task = self._running
                loop.call_soon_threadsafe(task.cancel)


class EndpointRequests:
    """Asks one endpoint for the vectors of one model. Thread-safe.

    Args:
        dimensions: how long vectors shall be, for models that can choose; None = as they are.
    """

    def __init__(
        self, *, base_url: str, key: str | None, model: str, dimensions: int | None
    ) -> None:
        self._base_url, self._key = base_url, key
        self._model, self._dimensions = model, dimensions

    def vectors(self, texts: Sequence[str], *, report: Report) -> NDArray[np.float32]:
        """Vectors in order, rows of length 1.

        Raises:
            EmbedderUnavailable: the endpoint cannot be reached, refuses, or answers nonsense.
            Cancelled: raised by `report`; requests that are on their way are dropped.
        """
        batches = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)]
        job = _Job()
        # A loop and a thread of its own: whoever asks may be on a loop, and must hear of a cancel.
        with ThreadPoolExecutor(1) as pool:
            coming = pool.submit(asyncio.run, self._all(batches, job))
            try:
                while not coming.done():
                    wait([coming], timeout=_LOOK_S)
                    report("Embedding", job.done, len(texts), "texts")
                rows = coming.result()
            except BaseException:
                job.cancel()
                raise
        return _unit_rows(rows)

    async def _all(self, batches: Sequence[Sequence[str]], job: "_Job") -> list[_Vector]:
        from openai import AsyncOpenAI

        job.begin()
        door = asyncio.Semaphore(_AT_ONCE)

        async def one(client: "AsyncOpenAI", batch: Sequence[str]) -> list[_Vector]:
            async with door:
                made = await self._batch(client, batch)
            job.done += len(batch)
            return made

        key = self._key or "none"
        async with AsyncOpenAI(
            api_key=key, base_url=self._base_url, max_retries=0, timeout=_TIMEOUT_S
        ) as client:
            tasks = [asyncio.ensure_future(one(client, batch)) for batch in batches]
            try:
                return [row for rows in await asyncio.gather(*tasks) for row in rows]
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _batch(self, client: "AsyncOpenAI", texts: Sequence[str]) -> list[_Vector]:
        import openai

        for retry in range(_TRIES):
            try:
                return await self._ask(client, texts)
            except openai.APIStatusError as error:
                if _is_too_much(error):
                    return await self._less(client, texts, error)
                may_wait = may_pass(error.status_code)
                if not may_wait or error.code == "insufficient_quota" or retry + 1 == _TRIES:
                    raise self._refused(error) from error
                wait_s = _asked_wait_s(error)
            except openai.APIConnectionError as error:
                if retry + 1 == _TRIES:
                    raise self._unreachable(error) from error
                wait_s = None
            usual_s = _FIRST_WAIT_S * 2**retry
            await asyncio.sleep(min(_MOST_WAIT_S, usual_s if wait_s is None else wait_s))
        raise AssertionError("the last try raises")

    async def _less(
        self, client: "AsyncOpenAI", texts: Sequence[str], error: "APIStatusError"
    ) -> list[_Vector]:
        """The same in two halves; of a single text its first half."""
        if len(texts) > 1:
            half = len(texts) // 2
            return [
                *await self._batch(client, texts[:half]),
                *await self._batch(client, texts[half:]),
            ]
        if len(texts[0]) <= _SHORTEST_CUT:
            raise self._refused(error) from error
        return await self._batch(client, [texts[0][: len(texts[0]) // 2]])

    async def _ask(self, client: "AsyncOpenAI", texts: Sequence[str]) -> list[_Vector]:
        fields: dict[str, Any] = (
            {} if self._dimensions is None else {"dimensions": self._dimensions}
        )
        raw = await client.embeddings.with_raw_response.create(
            model=self._model,
            input=[text if text.strip() else _EMPTY for text in texts],
            encoding_format="float",
            **fields,
        )
        try:
            body: Any = json.loads(raw.content)
            rows = sorted(cast("list[dict[str, Any]]", body["data"]), key=lambda row: row["index"])
            vectors = [np.asarray(row["embedding"], dtype=np.float32) for row in rows]
        except (ValueError, KeyError, TypeError) as error:
            raise self._nonsense("its reply cannot be read") from error
        if [row["index"] for row in rows] != list(range(len(texts))):
            raise self._nonsense(f"it sent {len(rows)} vectors for {len(texts)} texts")
        sizes = {vector.shape for vector in vectors}
        if len(sizes) != 1 or len(next(iter(sizes))) != 1 or not next(iter(sizes))[0]:
            raise self._nonsense("its vectors differ in length")
        if not all(np.isfinite(vector).all() for vector in vectors):
            raise self._nonsense("its vectors hold what is no number")
        return vectors

    def _nonsense(self, why: str) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"The vectors of {self._model} from {self._base_url} cannot be used",
            why=why,
            todo="Choose a model that is made for embeddings",
        )

    def _refused(self, error: "APIStatusError") -> EmbedderUnavailable:
        said = str(error.message).removeprefix(f"Error code: {error.status_code} - ")
        return EmbedderUnavailable(
            f"{self._base_url} gives no vectors of {self._model}",
            why=f"HTTP {error.status_code}: {said[:300]}",
            todo="Check the model's name and the key, or choose another embedder",
        )

    def _unreachable(self, error: Exception) -> EmbedderUnavailable:
        return EmbedderUnavailable(
            f"{self._base_url} cannot be reached",
            why=str(error.__cause__ or error),
            todo="Check the address and the connection, or choose another embedder",
        )


def _unit_rows(rows: Sequence[_Vector]) -> NDArray[np.float32]:
    made = np.stack(rows)
    lengths = np.linalg.norm(made, axis=1, keepdims=True)
    # A vector of nothing has no direction: all of them get the same one.
    made[lengths[:, 0] == 0] = 1.0
    return made / np.linalg.norm(made, axis=1, keepdims=True)


def _is_too_much(error: "APIStatusError") -> bool:
    said = str(error).lower()
    return error.status_code == 413 or (
        error.status_code in (400, 422, 500) and any(words in said for words in _TOO_MUCH)
    )


def _asked_wait_s(error: "APIStatusError") -> float | None:
    with contextlib.suppress(KeyError, ValueError):
        return max(0.0, float(error.response.headers["retry-after"]))
    return None


_KIND = "openai"
_PROBE = "Weather forecast of a city."


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAiEmbedderOptions:
    """Where the vectors come from."""

    send_texts: bool = option(
        False,
        "Allow that the texts of all APIs, and later all queries, are sent to the endpoint. It is"
        " remembered on this machine; an endpoint on this machine needs no leave.",
        title="Texts may leave this machine",
    )
    address: str = option(
        "", "Address of the endpoint, such as http://127.0.0.1:8080/v1; empty as in Preferences."
    )
    dimensions: int | None = option(
        None,
        "How long vectors shall be, for models that can choose.",
        minimum=8,
        maximum=16_384,
        none_means="as the model makes them",
    )


class OpenAiEmbedder:
    """The opened model. Thread-safe."""

    def __init__(self, state: EmbedderState) -> None:
        told: dict[str, Any] = json.loads(state.state or b"{}")
        self.id, self.dim = state.id, state.dim
        self._address = str(told["address"])
        _refuse_without_leave(self._address)
        self._requests = EndpointRequests(
            base_url=self._address,
            key=endpoint_key(self._address),
            model=str(told["model"]),
            dimensions=told.get("dimensions"),
        )

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """As `Embedder.encode`.

        Raises:
            EmbedderUnavailable: see `EndpointRequests.vectors`; or its vectors are of another
                length than those that are stored.
        """
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        vectors = self._requests.vectors([tokenizable(t) for t in texts], report=report)
        if vectors.shape[1] != self.dim:
            raise EmbedderUnavailable(
                f"{self._address} sent vectors of {vectors.shape[1]} numbers",
                why=f"Those that are stored have {self.dim}: it serves another model by this name",
                todo="Prepare the toolkits again",
            )
        return vectors


def _prepare(
    workspace: Workspace, name: str, options: OpenAiEmbedderOptions, progress: Progress
) -> EmbedderState:
    if not name:
        raise BadInput(
            "The embedder openai needs the name of a model",
            todo="Write, for example, openai:text-embedding-3-small",
        )
    if "@" in name:
        return embedder_state(workspace, f"{_KIND}:{name}")
    address = (options.address or default_base_url() or OPENAI_URL).rstrip("/")
    if options.send_texts and not is_local(address):
        allow_texts(address)
    _refuse_without_leave(address)
    progress.report("Asking for the length of vectors", 0, None, "models")
    requests = EndpointRequests(
        base_url=address,
        key=endpoint_key(address),
        model=name,
        dimensions=options.dimensions,
    )

    def still_wanted(stage: str, done: int, total: int | None = None, unit: str = "") -> None:
        del stage, done, total, unit
        progress.check()

    dim = requests.vectors([_PROBE], report=still_wanted).shape[1]
    if options.dimensions not in (None, dim):
        raise BadInput(
            f"{name} makes vectors of {dim} numbers, not of {options.dimensions}",
            todo="Leave the length of vectors to the model",
        )
    told = {"address": address, "model": name, "dimensions": options.dimensions}
    mark = hashlib.sha256(f"{address} {dim}".encode()).hexdigest()[:8]
    return EmbedderState(
        id=f"{_KIND}:{name}@{mark}", kind=_KIND, dim=dim, state=json.dumps(told).encode()
    )


def _refuse_without_leave(address: str) -> None:
    """Check that texts may go there.

    Raises:
        BadInput: this person has not allowed it on this machine, or it is no address.
    """
    if not may_send_texts(address):
        raise BadInput(
            f"The texts of all APIs, and all queries, would be sent to {address}",
            why="Nobody has allowed that on this machine",
            todo="Allow it in the options of the embedder (Texts may leave this machine,"
            " send_texts), name an endpoint on this machine, or choose words or minilm",
        )


def _open(state: EmbedderState) -> OpenAiEmbedder:
    return OpenAiEmbedder(state)


PLUGIN = EmbedderPlugin(
    id=_KIND,
    title="OpenAI-compatible endpoint",
    description="openai:NAME asks an endpoint for vectors. Texts of APIs and queries leave this"
    " machine unless the endpoint is on it.",
    finds="near is what its model takes for near; the words of each search are sent to it.",
    prepare=_prepare,
    open=_open,
    options=OpenAiEmbedderOptions,
    named="Name of the model, such as text-embedding-3-small",
    in_worker=False,
    texts_per_s=120,
)
