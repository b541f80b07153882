"""Queries over ToolBench's catalogue: JSON lines {"source", "split", "id", "query", "gold", ...}.

The queries of StableToolBench are its solvable ones. AnyTool's people judged many of the same
unsolvable: its list of ids can be laid over them; where both speak, the list wins, for it was made
by people who tried.

Source: ToolBench, arXiv 2307.16789; StableToolBench, arXiv 2403.07714; AnyTool, arXiv 2402.04253,
section 4.1.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolplanner_core.domain.lab import Query, Solvable
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.importer import (
    DataSetImporter,
    Items,
    Row,
    by_row,
    gold_of,
    has_members,
    keys_in,
    text_in,
)
from toolplanner_core.options.option import option

_SOLVABLE = "stabletoolbench"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolBenchQueryOptions:
    """Which of them."""

    source: str = option("", "Only queries of this source, such as stabletoolbench; empty: all.")
    unsolvable: str = option(
        "", "JSON file with a list of ids that people judged unsolvable, as AnyTool's; empty: none."
    )
    drop_unsolvable: bool = option(False, "Leave out what the list calls unsolvable.")


def read(path: Path, options: ToolBenchQueryOptions) -> Items:
    """All queries of a file that are asked for."""
    unsolvable = _ids(options.unsolvable)
    yield from by_row(lambda row, _: _query_of(row, options, unsolvable))(path, options)


def _query_of(row: Row, options: ToolBenchQueryOptions, unsolvable: frozenset[str]) -> Query | None:
    source, split, number = text_in(row, "source"), str(row.get("split", "")), str(row.get("id"))
    if options.source not in ("", source):
        return None
    solvable = Solvable.YES if source == _SOLVABLE else Solvable.UNKNOWN
    if number in unsolvable:
        if options.drop_unsolvable:
            return None
        solvable = Solvable.NO
    return Query(
        id="/".join(filter(None, (source, split, number))),
        text=text_in(row, "query"),
        gold=gold_of(keys_in(row, "gold")),
        solvable=solvable,
        split=split,
        source=source,
        candidates=keys_in(row, "candidates"),
    )


def _ids(path: str) -> frozenset[str]:
    """The ids of a list.

    Raises:
        BadInput: it is no JSON list of numbers or texts.
    """
    if not path:
        return frozenset()
    try:
        found: Any = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput("The list of ids cannot be read", where=path, why=str(error)) from error
    if not isinstance(found, list) or not all(isinstance(each, int | str) for each in found):
        raise BadInput("The list of ids is no JSON list of numbers", where=path)
    return frozenset(map(str, found))


PLUGIN = DataSetImporter(
    id="toolbench-queries",
    title="ToolBench queries",
    description="Queries of ToolBench, StableToolBench and DRAFT with the keys of their APIs.",
    accepts='JSON lines {"source", "split", "id", "query", "gold", "candidates"} of ToolBench',
    options=ToolBenchQueryOptions,
    recognises=has_members("source", "split", "id", "query", "gold"),
    read=read,
    source="ToolBench, StableToolBench, DRAFT",
    licence="Apache-2.0, MIT",
    order=10,
)
