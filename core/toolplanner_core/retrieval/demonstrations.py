"""Which demonstrations a query is shown: those of similar tasks, then examples of single APIs.

The encoder is never a trained one: that brings queries near to APIs, while here queries are
compared with queries, which are near by themselves. `minilm` where it is on this machine, else
`words`. Thread-safe.

Source: TPTU-v2, arXiv 2311.11315, section 2.3 (threshold, top k, fall back to API-level examples in
the order of the retrieved APIs).
"""

import threading
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.domain.demonstration import (
    ChosenDemonstration,
    Demonstration,
    DemonstrationStep,
)
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.embedding.embedder import Embedder, embedders
from toolplanner_core.embedding.query_encoder import open_state
from toolplanner_core.errors import EmbedderUnavailable, NotFound
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api
from toolplanner_core.workspace.demonstrations import list_demonstrations
from toolplanner_core.workspace.recordings import good_recordings
from toolplanner_core.workspace.vectors import EmbedderState

UNTUNED = ("minilm", "words")
"""Embedders that were not tuned on any catalogue, the better first."""
SHOWN_RESULT = 400
"""Characters of a result that a demonstration keeps."""
_DIM = {"minilm": 384, "words": 256}


def untuned_encoder() -> Embedder:
    """The best encoder on this machine that was not tuned.

    Raises:
        EmbedderUnavailable: not even `words` is there.
    """
    for kind in UNTUNED[:-1]:
        try:
            return open_state(EmbedderState(id=kind, kind=kind, dim=_DIM[kind], state=None))
        except EmbedderUnavailable:
            continue
    kind = UNTUNED[-1]
    return embedders.get(kind).open(EmbedderState(id=kind, kind=kind, dim=_DIM[kind], state=None))


class DemonstrationIndex:
    """Chooses among the demonstrations of a workspace.

    Args:
        make_encoder: opens the encoder at first use.
    """

    def __init__(
        self, workspace: Workspace, make_encoder: Callable[[], Embedder] = untuned_encoder
    ) -> None:
        self._workspace, self._make_encoder = workspace, make_encoder
        self._lock = threading.Lock()
        self._encoder: Embedder | None = None
        self._kept: dict[str, NDArray[np.float32]] = {}

    def choose(
        self, text: str, k: int, *, above: float, apis: Sequence[ApiId]
    ) -> list[ChosenDemonstration]:
        """At most `k`: those whose query has a cosine over `above` to `text`, best first, then one
        example of each of `apis`, in their order, until no place is left."""
        every = list_demonstrations(self._workspace)
        found = [
            ChosenDemonstration(shown=each, level="task", score=score)
            for each, score in self.similar(text, every)
            if score > above
        ][:k]
        shown = {each.shown.id for each in found}
        for api in apis:
            if len(found) >= k:
                break
            example = next(self._examples(api, every, shown), None)
            if example is not None:
                found.append(ChosenDemonstration(shown=example, level="api", score=0.0))
        return found

    def similar(
        self, text: str, among: Sequence[Demonstration]
    ) -> list[tuple[Demonstration, float]]:
        """Demonstrations with the cosine of their queries to a text, best first."""
        if not among or not text.strip():
            return []
        vectors = self._vectors([text, *(each.query for each in among)])
        scores = (vectors[1:] @ vectors[0]).tolist()
        order = sorted(range(len(among)), key=lambda i: (-scores[i], i))
        return [(among[i], float(scores[i])) for i in order]

    def _examples(
        self, api: ApiId, every: Sequence[Demonstration], shown: set[int]
    ) -> Iterator[Demonstration]:
        """Examples of one API: steps of demonstrations that are not shown whole, then a recorded
        call."""
        for each in every:
            for step in each.steps:
                if step.api == api and each.id not in shown:
                    yield Demonstration(id=0, query=step.goal or each.query, steps=(step,))
        try:
            known = get_api(self._workspace, api)
        except NotFound:
            return
        for recording in good_recordings(self._workspace, known.key, limit=1):
            step = DemonstrationStep(
                goal="",
                api=api,
                title=known.title,
                arguments=recording.values(),
                result=recording.response[:SHOWN_RESULT],
            )
            yield Demonstration(id=0, query=known.description or known.title, steps=(step,))

    def _vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._lock:
            if self._encoder is None:
                self._encoder = self._make_encoder()
            new = [text for text in dict.fromkeys(texts) if text not in self._kept]
            if new:
                made = dict(zip(new, self._encoder.encode(new), strict=True))
                # Demonstrations stay; queries come and go.
                self._kept.update({text: made[text] for text in texts[1:] if text in made})
            else:
                made = {}
            return np.stack([made[t] if t in made else self._kept[t] for t in texts])
