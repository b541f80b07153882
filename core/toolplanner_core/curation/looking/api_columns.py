"""All APIs as a table: names, and a value of each column for every API, on the map or not.

The columns are those that the map is coloured by (`map_columns.py`); here they are read for APIs
without a point as well. Arrays throughout: 45,000 APIs are sorted and filtered in milliseconds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from toolplanner_core.curation.looking.column_source import Categories, ColumnSource, Scale
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.curation.looking.map_columns import column
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.curated_tables import all_exclusions
from toolplanner_core.workspace.import_changes import waiting_rowids
from toolplanner_core.workspace.map_facts import api_names


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ApiTable:
    """What is known of `n` APIs.

    Attributes:
        rowids: `(n,) int64`, rising.
        names: of the APIs.
        words: the names in small letters, to be searched.
        order: `(n,) int64` place of each name in the alphabet; equal for equal names.
        tools: the tool of each.
        source: what columns are read from.
        columns: values by id of the column, those that were read.
    """

    rowids: np.ndarray
    names: Sequence[str]
    words: Sequence[str]
    order: np.ndarray
    tools: Categories
    source: ColumnSource | None = None
    columns: Mapping[str, Categories | Scale] = field(default_factory=dict)


NO_APIS = ApiTable(
    rowids=np.zeros(0, np.int64),
    names=(),
    words=(),
    order=np.zeros(0, np.int64),
    tools=Categories(np.zeros(0, np.int32), ()),
)


def read_api_table(workspace: Workspace, catalogue: CuratedCatalogue) -> ApiTable:
    """Read names and tools; 45,000 APIs in a tenth of a second, not on the GUI thread."""
    rows = api_names(workspace)
    if not rows:
        return NO_APIS
    numbers, names, titles = zip(*rows, strict=True)
    rowids = np.array(numbers, np.int64)
    words = [name.casefold() for name in names]
    tools = list(dict.fromkeys(titles))
    code = {title: place for place, title in enumerate(tools)}
    return ApiTable(
        rowids=rowids,
        names=names,
        words=words,
        order=alphabetical(words),
        tools=Categories(np.array([code[title] for title in titles], np.int32), tools),
        source=ColumnSource(workspace, with_all_apis(workspace, catalogue, rowids)),
    )


def read_columns(table: ApiTable, wanted: Sequence[str]) -> ApiTable:
    """The same table with the values of these columns read anew; not on the GUI thread."""
    if table.source is None:
        return table
    read = {name: column(name).read(table.source) for name in wanted}
    return replace(table, columns={**table.columns, **read})


def after_edit(table: ApiTable, catalogue: CuratedCatalogue) -> ApiTable:
    """The same APIs as the catalogue sees them now; columns that edits change are read again."""
    if table.source is None:
        return table
    whole = with_all_apis(table.source.workspace, catalogue, table.rowids)
    seen = replace(table, source=table.source.seen_as(whole))
    return read_columns(seen, [name for name in table.columns if column(name).is_edited])


def with_all_apis(
    workspace: Workspace, catalogue: CuratedCatalogue, rowids: np.ndarray
) -> CuratedCatalogue:
    """The catalogue as if every API had a point.

    Args:
        rowids: `(n,) int64`, all APIs.
    """
    if np.array_equal(rowids, catalogue.rowids):
        return catalogue
    db, places = workspace.reader(), catalogue.places_of(rowids)
    at = {toolkit.id: place for place, toolkit in enumerate(catalogue.toolkits)}
    labels = np.append(catalogue.labels, -1)[places].astype(np.int32)
    pinned = np.append(catalogue.pinned, False)[places]
    for row in np.flatnonzero(places < 0).tolist():
        membership = catalogue.others.get(int(rowids[row]))
        if membership is not None:
            labels[row] = at.get(membership.toolkit, -1)
            pinned[row] = membership.is_pinned
    return replace(
        catalogue,
        rowids=rowids,
        labels=labels,
        xy=None,
        pinned=pinned,
        excluded=np.isin(rowids, np.fromiter(all_exclusions(db), np.int64)),
        waiting=np.isin(rowids, np.fromiter(waiting_rowids(db), np.int64)),
    )


def alphabetical(words: Sequence[str]) -> np.ndarray:
    """`(n,) int64`, the place of each text in the alphabet; equal for equal texts."""
    place = {word: i for i, word in enumerate(sorted(set(words)))}
    return np.array([place[word] for word in words], np.int64)


def ranks(values: Categories | Scale) -> np.ndarray:
    """`(n,) float64`, by which the rows of a column are sorted; rows without a value come first."""
    if isinstance(values, Scale):
        return np.where(np.isfinite(values.values), values.values, -np.inf)
    names = alphabetical([name.casefold() for name in values.names])
    return np.append(names, -1)[values.codes].astype(float)
