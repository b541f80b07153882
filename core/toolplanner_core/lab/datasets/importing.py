"""Import questions of any known format as a data set: ids told apart, near-duplicates grouped.

Repeats are no independent evidence. They stay, in one cluster with what they repeat, so that
intervals count them as one; or they are merged into the first, whose gold gets theirs as
alternatives.
"""

import dataclasses
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.domain.workspace_file import SUFFIX as WORKSPACE_SUFFIX
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.importer import DataSetImporter, importers
from toolplanner_core.options.values import make_options
from toolplanner_core.sources.format_detection import read_sample
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.source import Rejected
from toolplanner_core.training.labelled import near_duplicates

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedDataSet:
    """What an import made of a file.

    Attributes:
        format: id of the importer that read it.
        rows: queries and rejected rows together.
        merged: repeats that were merged into the query that they repeat.
    """

    format: str
    data_set: DataSet
    rows: int
    rejected: list[Rejected]
    merged: int


def import_data_set(
    path: Path,
    *,
    name: str,
    format_id: str = "",
    options: dict[str, Any] | None = None,
    merge_repeats: bool = False,
    is_held_out: bool = False,
) -> ImportedDataSet:
    """Read a file of questions. Nothing is written.

    Args:
        format_id: of an importer, "" = the one that recognises the file best.
        options: of the importer, by name; what is left out is as by default.
        merge_repeats: merge what says word for word the same into the first of them.

    Raises:
        NotFound: there is no such format.
        BadInput: no format fits, an option does not, the file cannot be read, or holds no query.
    """
    plugin = importers.get(format_id) if format_id else detect_format(path)
    if plugin.reads_workspaces != (path.suffix == WORKSPACE_SUFFIX):
        raise BadInput(
            f"The format {plugin.id} does not read this",
            where=str(path),
            why=f"It reads {plugin.accepts}",
        )
    made = make_options(plugin.options, options or {}, of=f"the format {plugin.id}")
    queries: list[Query] = []
    rejected: list[Rejected] = []
    for item in plugin.read(path, made):
        if isinstance(item, Rejected):
            rejected.append(item)
        else:
            queries.append(item)
    if not queries:
        raise BadInput(
            "No queries were found here",
            where=str(path),
            why=f"{rejected[0].where}: {rejected[0].why}" if rejected else "",
        )
    told_apart = _with_unique_ids(queries)
    kept = _merged(told_apart) if merge_repeats else told_apart
    data_set = DataSet(
        name=name,
        queries=clustered(kept),
        source=plugin.source or path.name,
        licence=plugin.licence,
        is_held_out=is_held_out,
    )
    return ImportedDataSet(
        format=plugin.id,
        data_set=data_set,
        rows=len(queries) + len(rejected),
        rejected=rejected,
        merged=len(queries) - len(kept),
    )


def detect_format(path: Path) -> DataSetImporter:
    """The format that recognises a file best.

    Raises:
        BadInput: it is not there, none fits, or it is a workspace, of which several can be read.
    """
    if path.suffix == WORKSPACE_SUFFIX:
        names = ", ".join(sorted(each.id for each in importers if each.reads_workspaces))
        raise BadInput(
            "Of a workspace several things can be read as queries",
            where=str(path),
            todo=f"Name the format, one of: {names}",
        )
    location = Location.of(path)
    location.check()
    sample = read_sample(location)
    files = [plugin for plugin in importers if not plugin.reads_workspaces]
    certain, best = max(
        ((plugin.recognises(sample), plugin) for plugin in files),
        key=lambda each: (each[0], -each[1].order),
    )
    if certain > 0:
        return best
    raise BadInput(
        "No format of data sets fits",
        where=str(path),
        todo="What can be imported: " + "; ".join(plugin.accepts for plugin in files),
    )


def normalised_text(query: Query) -> str:
    """The text by which word-for-word repeats are found: blanks and case do not count."""
    return " ".join(query.text.casefold().split())


def _with_unique_ids(queries: Sequence[Query]) -> list[Query]:
    """The second of an id is called "ID-2" and so on, in the order of the file."""
    seen: Counter[str] = Counter()
    taken = {query.id for query in queries}
    made: list[Query] = []
    for query in queries:
        seen[query.id] += 1
        name = query.id
        while seen[query.id] > 1 and name in taken:
            name = f"{query.id}-{seen[query.id]}"
            seen[query.id] += name in taken
        taken.add(name)
        made.append(query if name == query.id else dataclasses.replace(query, id=name))
    return made


def _merged(queries: Sequence[Query]) -> list[Query]:
    """The first of each text, with the gold of all that repeat it."""
    kept: dict[str, Query] = {}
    for query in queries:
        text = normalised_text(query)
        first = kept.get(text)
        if first is None:
            kept[text] = query
        else:
            gold = tuple(dict.fromkeys((*first.gold, *query.gold)))
            kept[text] = dataclasses.replace(first, gold=gold)
    return [*kept.values()]


def clustered(queries: Sequence[Query]) -> tuple[Query, ...]:
    """Near-duplicates get the id of the first of them as cluster, where a query has none yet."""
    first = near_duplicates([query.text for query in queries])
    size = Counter(first)
    return tuple(
        query
        if query.cluster or size[at] == 1
        else dataclasses.replace(query, cluster=queries[at].id)
        for query, at in zip(queries, first, strict=True)
    )
