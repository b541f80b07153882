"""Give every API of a workspace a vector, encoding only what is new; how long that will take.

From what it took in this workspace before; else from its usual speed, scaled by how this machine
did with another one. Asked before a choice: `prepare` in the window, `toolplanner embedders list`.

Vectors are cached per embedder and text, and stored piece by piece while the worker goes on: a
cancelled, killed or crashed run keeps what is done, and the next one takes it from there.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import embedders, parse_spec
from toolplanner_core.embedding.query_encoder import encode_pieces
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.options.values import check_options, make_options, options_to_json
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import change_setting, get_setting, set_setting
from toolplanner_core.workspace.toolkit_centroids import refresh_stale_centralities
from toolplanner_core.workspace.vectors import (
    EmbedderState,
    count_of_texts,
    count_without_vector,
    embedder_state,
    put_embedder_state,
    store_vectors,
    texts_without_vector,
)

_SETTING = "texts_per_s"
_LEAST_S = 2.0
"""A shorter piece of work is mostly the start of its process."""


def seconds_to_embed(workspace: Workspace, spec: str) -> float:
    """Estimate, 0 where every text has a vector.

    Raises:
        NotFound: there is no such embedder.
    """
    kind = parse_spec(spec).kind
    measured: Mapping[str, float] = get_setting(workspace, _SETTING, {})
    usual = float(embedders.get(kind).texts_per_s)
    there = embedders.plugins
    known = [own / there[one].texts_per_s for one, own in measured.items() if one in there]
    rate = measured.get(kind, usual * (sum(known) / len(known) if known else 1.0))
    return count_without_vector(workspace, spec) / rate


def remember_speed(workspace: Workspace, kind: str, texts: int, seconds: float) -> None:
    """Keep how fast an embedder was here, if it had enough to do."""
    if seconds >= _LEAST_S:

        def put(kept: Mapping[str, float] | None) -> Mapping[str, float]:
            return {**(kept or {}), kind: texts / seconds}

        change_setting(workspace, _SETTING, put)


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedReport:
    """What `embed` did.

    Attributes:
        embedder: storage id, now the active one.
        dim: length of its vectors.
        encoded: distinct texts encoded by this call.
        cached: distinct texts that had a vector already.
    """

    embedder: str
    dim: int
    encoded: int
    cached: int
    seconds: float


def embed(
    workspace: Workspace,
    spec: str,
    *,
    options: Any = None,
    progress: Progress,
) -> EmbedReport:
    """Encode all functionality texts without a vector and make the embedder the active one.

    Blocks; the work is done in a worker process, or by an endpoint. How central each API is in its
    toolkit follows the vectors.

    Args:
        spec: "lsa", "minilm", "st:NAME", or a storage id.
        options: an instance of its options class; None takes those of the last time in this
            workspace, else the defaults.
        progress: gets the stages with rate and time left; cancelling keeps the finished pieces.

    Raises:
        NotFound: there is no such embedder.
        BadInput: there are no APIs to fit on, or an option does not fit.
        EmbedderUnavailable: weights or packages are missing; says what can be done.
        Cancelled: see `progress`.
        WorkerDied: the worker was killed or crashed; finished pieces are kept.
    """
    began_s = time.monotonic()
    state = _prepare(workspace, spec, options, progress)
    put_embedder_state(workspace, state)
    todo = texts_without_vector(workspace, state.id)
    hashes = [text.text_hash for text in todo]
    if todo:
        progress.report("Embedding", 0, len(todo), "texts")

        def store(piece: tuple[int, NDArray[np.float32]]) -> None:
            begin, vectors = piece
            store_vectors(workspace, state.id, hashes[begin : begin + len(vectors)], vectors)

        encoding_s = time.monotonic()
        texts = [text.text for text in todo]
        if embedders.get(state.kind).in_worker:
            run_in_worker(
                encode_pieces, state, texts, progress=progress, what="embedding", on_piece=store
            )
        else:
            encode_pieces(state, texts, report=progress.report, emit=store)
        remember_speed(workspace, state.kind, len(todo), time.monotonic() - encoding_s)
    set_setting(workspace, "active_embedder", state.id)
    refresh_stale_centralities(workspace)
    return EmbedReport(
        embedder=state.id,
        dim=state.dim,
        encoded=len(todo),
        cached=count_of_texts(workspace) - len(todo),
        seconds=time.monotonic() - began_s,
    )


def _prepare(workspace: Workspace, spec: str, options: Any, progress: Progress) -> EmbedderState:
    kind, name = parse_spec(spec)
    if "@" in spec and not name:
        return embedder_state(workspace, spec)
    plugin, of = embedders.get(kind), f"embedder {kind}"
    used: dict[str, Any] = get_setting(workspace, "embedder_options", {})
    if options is None:
        options = make_options(plugin.options, used.get(kind, {}), of=of)
    else:
        options = check_options(plugin.options, options, of=of)
        set_setting(workspace, "embedder_options", {**used, kind: options_to_json(options)})
    return plugin.prepare(workspace, name, options, progress)
