"""What an experiment asks: queries with what is known of their answers, and sets of them.

A `Query` holds everything that a judge may compare a run with: gold APIs, a gold path, what a case
expects. A `DataSet` is named by the content of its queries, so that a result always says which
questions it is about. They are read and written by `lab/datasets/jsonl.py`.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from toolplanner_core.domain.cases import Expectation
from toolplanner_core.domain.plain_data import without_defaults


class Solvable(StrEnum):
    """Whether the APIs that there are can solve a query, as its source says."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldCall:
    """One call of a gold path.

    Attributes:
        api: key of the API (`Api.key`).
        arguments: what it is called with, None where the source does not say. Texts that name the
            results of earlier calls stay as the source writes them.
    """

    api: str
    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question of a data set.

    Attributes:
        id: permanent, and used once in its data set.
        gold: alternatives; each is a set of keys of APIs (`Api.key`) that together answer it.
        path: the gold calls in their order, () = none is known.
        expected: what a run must show, None = nothing is demanded.
        split: of its source, such as "G1_category".
        cluster: near-duplicates share one, and are no independent evidence; "" = it stands alone.
        source, licence: where they differ from those of the data set.
        candidates: keys of the APIs that the source offers for it, () = the whole catalogue.
    """

    id: str
    text: str
    gold: tuple[frozenset[str], ...] = ()
    path: tuple[GoldCall, ...] = ()
    expected: Expectation | None = None
    solvable: Solvable = Solvable.UNKNOWN
    split: str = ""
    cluster: str = ""
    source: str = ""
    licence: str = ""
    candidates: tuple[str, ...] = ()

    @property
    def keys(self) -> frozenset[str]:
        """Keys of all APIs that its gold sets and its gold path name."""
        return frozenset[str]().union(*self.gold, (call.api for call in self.path))


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A named set of queries.

    Attributes:
        queries: in the order of their file.
        source: where it is from, for people.
        is_held_out: nothing may be trained on it.
        version: SHA-256 of the canonical rows (`row_of_query`) in their order, 64 hex digits; name,
            source and licence of the whole are no part of it.
    """

    name: str
    queries: Sequence[Query]
    source: str = ""
    licence: str = ""
    is_held_out: bool = False
    version: str = field(init=False)

    def __post_init__(self) -> None:
        digest = hashlib.sha256()
        for query in self.queries:
            digest.update(canonical_row(query).encode("utf-8") + b"\n")
        object.__setattr__(self, "version", digest.hexdigest())

    def __iter__(self) -> Iterator[Query]:
        return iter(self.queries)

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def reference(self) -> str:
        """Name and the beginning of the version, as experiments cite it: "rest-bench@3f9c01ab"."""
        return f"{self.name}@{self.version[:8]}"


def row_of_query(query: Query) -> dict[str, Any]:
    """A query as the JSON object of its line; what is as by default is left out."""
    row: dict[str, Any] = {
        "id": query.id,
        "query": query.text,
        "gold": sorted(sorted(keys) for keys in query.gold),
        "path": [
            call.api
            if call.arguments is None
            else {"api": call.api, "arguments": dict(call.arguments)}
            for call in query.path
        ],
        "expected": None if query.expected is None else without_defaults(query.expected),
        "solvable": query.solvable.value,
        "split": query.split,
        "cluster": query.cluster,
        "source": query.source,
        "licence": query.licence,
        "candidates": list(query.candidates),
    }
    if query.solvable is Solvable.UNKNOWN:
        del row["solvable"]
    # An expectation without demands still demands what is on by default: {} is not None.
    return {name: value for name, value in row.items() if value not in ("", [], None)}


def canonical_row(query: Query) -> str:
    """The same as text, equal for equal queries on every machine."""
    return json.dumps(
        row_of_query(query), ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
