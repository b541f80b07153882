"""What a data set is worth: repeats, gold that the catalogue lacks, what retrievers have learned.

Sources name APIs in their own ways: "GET /movie/{id}" for an operation, a bare function's name. So
a gold name that is no key is looked for among the ends of keys, with signs and case left out; where
exactly one API is called so, it is meant.
"""

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.embedding.trained import list_trained
from toolplanner_core.lab.datasets.importing import normalised_text
from toolplanner_core.training.labelled import near_duplicates
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import stored_documents

_SIGNS = re.compile(r"[^\w]+|_+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """What a trained retriever has seen of a data set.

    Attributes:
        model: id of its embedder.
        queries: of the data set that nearly repeat one that it learned from.
        tools: queries that need a tool that it learned about; None without a workspace.
    """

    model: str
    queries: int
    tools: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSetCheck:
    """Figures of a data set.

    Attributes:
        repeats: queries that say word for word what an earlier one says.
        near: further ones that nearly do; groups: queries that may count as independent.
        with_gold, with_path, with_expectation: queries that a judge of that kind can judge.
        solvable, splits: how many queries, by word and by split.
        missing_gold: queries whose gold is not in the catalogue whole, in no alternative.
        unknown: gold keys that the catalogue lacks; ambiguous: names that several of its APIs have.
            Empty without a workspace, and `missing_gold` is None.
        overlaps: with the retrievers that were trained on this machine.
    """

    queries: int
    repeats: int
    near: int
    groups: int
    with_gold: int
    with_path: int
    with_expectation: int
    solvable: Mapping[str, int]
    splits: Mapping[str, int]
    missing_gold: int | None
    unknown: tuple[str, ...]
    ambiguous: tuple[str, ...]
    overlaps: tuple[Overlap, ...]


def check_data_set(data_set: DataSet, workspace: Workspace | None = None) -> DataSetCheck:
    """Count what can be counted; with a workspace, compare gold with its catalogue. Blocks."""
    texts = Counter(map(normalised_text, data_set))
    repeats = len(data_set) - len(texts)
    groups = len({query.cluster or query.id for query in data_set})
    names = None if workspace is None else GoldNames(workspace)
    wanted = sorted(frozenset[str]().union(*(query.keys for query in data_set)))
    found = {name: names.keys_of(name) for name in wanted} if names else {}
    missing = (
        [
            query
            for query in data_set
            if query.gold and not any(all(len(found[k]) == 1 for k in gold) for gold in query.gold)
        ]
        if names
        else None
    )
    return DataSetCheck(
        queries=len(data_set),
        repeats=repeats,
        near=max(0, len(data_set) - groups - repeats),
        groups=groups,
        with_gold=sum(bool(query.gold) for query in data_set),
        with_path=sum(bool(query.path) for query in data_set),
        with_expectation=sum(query.expected is not None for query in data_set),
        solvable=dict(Counter(query.solvable.value for query in data_set)),
        splits=dict(Counter(query.split for query in data_set)),
        missing_gold=None if missing is None else len(missing),
        unknown=tuple(name for name, keys in found.items() if not keys),
        ambiguous=tuple(name for name, keys in found.items() if len(keys) > 1),
        overlaps=tuple(_overlaps(data_set, workspace)),
    )


class GoldNames:
    """Finds the APIs of a catalogue by the names that data sets have for them."""

    def __init__(self, workspace: Workspace) -> None:
        self._keys = {document.key for document in stored_documents(workspace)}
        self._by_end: dict[str, set[str]] = {}
        for key in self._keys:
            for name in {_plain(key), _plain(key.rpartition("/")[2])}:
                self._by_end.setdefault(name, set()).add(key)

    def keys_of(self, name: str) -> tuple[str, ...]:
        """Keys that a name may mean: itself if it is a key; more than one where it is ambiguous."""
        return (name,) if name in self._keys else tuple(sorted(self._by_end.get(_plain(name), ())))

    def with_keys(self, query: Query) -> Query:
        """The query with keys of the catalogue for all names that mean exactly one API."""

        def key(name: str) -> str:
            keys = self.keys_of(name)
            return keys[0] if len(keys) == 1 else name

        return dataclasses.replace(
            query,
            gold=tuple(frozenset(map(key, keys)) for keys in query.gold),
            path=tuple(dataclasses.replace(call, api=key(call.api)) for call in query.path),
            candidates=tuple(map(key, query.candidates)),
        )


def with_catalogue_keys(data_set: DataSet, workspace: Workspace) -> DataSet:
    """The data set with gold, paths and candidates in the keys of a workspace's catalogue."""
    names = GoldNames(workspace)
    return dataclasses.replace(
        data_set, queries=tuple(names.with_keys(query) for query in data_set)
    )


def _plain(name: str) -> str:
    return _SIGNS.sub("_", name).strip("_").casefold()


def _overlaps(data_set: DataSet, workspace: Workspace | None) -> Iterable[Overlap]:
    models = list_trained()
    tool_of = (
        {document.key: document.tool for document in stored_documents(workspace)}
        if models and workspace
        else {}
    )
    for model in models:
        learned = model.record.get("learned", {})
        texts, tools = [*learned.get("queries", ())], {*learned.get("tools", ())}
        first = near_duplicates([*texts, *(query.text for query in data_set)])
        yield Overlap(
            model=model.id,
            queries=sum(at < len(texts) for at in first[len(texts) :]),
            tools=sum(bool({tool_of.get(key) for key in query.keys} & tools) for query in data_set)
            if workspace
            else None,
        )
