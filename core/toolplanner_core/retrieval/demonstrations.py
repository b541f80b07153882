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
    DemonstrationRequest,
    DemonstrationStep,
)
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.embedding.embedder import Embedder, embedders
from toolplanner_core.embedding.query_encoder import open_state
from toolplanner_core.errors import EmbedderUnavailable, NotFound
from toolplanner_core.words.word_splitting import sorted_words
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api
from toolplanner_core.workspace.demonstrations import list_demonstrations
from toolplanner_core.workspace.recordings import good_recordings
from toolplanner_core.workspace.vectors import EmbedderState

UNTUNED = ("minilm", "words")
"""Embedders that were not tuned on any catalogue, the better first."""
SHOWN_RESULT = 400
"""Characters of a result that a demonstration keeps."""
OWN_MEANING = 0.85
"""Cosine from which two queries are taken as one. Source: of seven queries with another wording,
`minilm` gave six 0.86 to 1.00 and one 0.71 ("How many US dollars are 250 euros?"); of five with
another place, name, currency or amount four 0.57 to 0.76 and one 0.88: left out needlessly."""
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

    def choose(self, wanted: DemonstrationRequest) -> list[ChosenDemonstration]:
        """Tasks like the text, best first, then examples of the APIs, in their order, until no
        place is left.

        Of the tested query nothing is shown: neither a demonstration of it nor a step of one. Where
        a recorded call comes from is not known; it may stem from a run of that query.
        """
        every = self._others(wanted.tested)
        found: list[ChosenDemonstration] = []
        if wanted.above is not None:
            found = [
                ChosenDemonstration(shown=each, level="task", score=score)
                for each, score in self.similar(wanted.text, every)
                if score > wanted.above
            ][: wanted.k]
        shown = {each.shown.id for each in found}
        for api in wanted.apis:
            examples = self._examples(api, every, shown, near=wanted.text, most=wanted.per_api)
            for example in examples[: wanted.k - len(found)]:
                found.append(ChosenDemonstration(shown=example, level="api", score=0.0))
        return found

    def _others(self, tested: str) -> list[Demonstration]:
        """All demonstrations but those of a tested query, by its words or its meaning."""
        every = list_demonstrations(self._workspace)
        if not tested.strip():
            return every
        own = sorted_words(tested)
        same = {each.id for each, score in self.similar(tested, every) if score >= OWN_MEANING}
        return [each for each in every if each.id not in same and sorted_words(each.query) != own]

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
        self, api: ApiId, every: Sequence[Demonstration], shown: set[int], *, near: str, most: int
    ) -> list[Demonstration]:
        """Examples of one API, at most so many: steps of demonstrations that are not shown whole,
        those for goals like a text first, then recorded calls."""
        steps = [
            Demonstration(id=0, query=step.goal or each.query, steps=(step,))
            for each in every
            if each.id not in shown
            for step in each.steps
            if step.api == api
        ]
        if near.strip():
            steps = [each for each, _ in self.similar(near, steps)]
        return [*steps, *self._recorded(api, max(0, most - len(steps)))][:most]

    def _recorded(self, api: ApiId, most: int) -> Iterator[Demonstration]:
        """Recorded calls of an API that worked, as examples."""
        try:
            known = get_api(self._workspace, api)
        except NotFound:
            return
        for recording in good_recordings(self._workspace, known.key, limit=most):
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
