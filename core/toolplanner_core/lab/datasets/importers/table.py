"""Any table of questions, CSV or JSON lines, by columns that a person names.

Gold keys of one cell are a JSON list, or stand between commas or semicolons. What is not named is
guessed by the usual words.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.lab import Query, Solvable
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.importer import DataSetImporter, Row, by_row, gold_of
from toolplanner_core.options.option import option
from toolplanner_core.sources.source import Sample
from toolplanner_core.sources.table import header_of

_GUESSES = {
    "query": ("query", "question", "instruction", "task", "text", "prompt"),
    "gold": ("gold", "apis", "api", "tools", "tool", "answer_apis"),
    "id": ("id", "qid", "query_id", "number"),
    "split": ("split", "set", "part"),
    "solvable": ("solvable", "is_solvable"),
}
_WORDS = {
    **dict.fromkeys(("yes", "true", "1", "solvable"), Solvable.YES),
    **dict.fromkeys(("no", "false", "0", "unsolvable"), Solvable.NO),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTableOptions:
    """Which column holds what; empty ones are guessed, "-" is none."""

    query: str = option("", "Column of the questions; empty guesses.")
    gold: str = option("", "Column of the keys of the APIs that answer; empty guesses.")
    id: str = option("", "Column of the ids; empty guesses, else the question's first words.")
    split: str = option("", "Column of the splits; empty guesses.")
    solvable: str = option("", "Column of yes or no; empty guesses.")


def query_of(row: Row, options: QuestionTableOptions) -> Query:
    """The query of a row."""
    cells = {meaning: row.get(_column(row, options, meaning)) for meaning in _GUESSES}
    text = cells["query"]
    if not isinstance(text, str) or not text.strip():
        named = options.query or "guessed"
        raise BadInput(f"no question stands in the column of questions ({named})")
    number = cells["id"]
    return Query(
        id=" ".join(text.split()[:8]) if number in (None, "") else str(number),
        text=text.strip(),
        gold=gold_of(_keys(cells["gold"])),
        solvable=_WORDS.get(str(cells["solvable"]).strip().casefold(), Solvable.UNKNOWN),
        split=str(cells["split"] or ""),
    )


def _column(row: Row, options: QuestionTableOptions, meaning: str) -> str:
    """The column of a meaning, "" if there is none.

    Raises:
        BadInput: a person named one that is not there.
    """
    named: str = getattr(options, meaning)
    if named == "-":
        return ""
    if named:
        if named not in row:
            raise BadInput(f"it has no column {named!r}")
        return named
    plain = {column.strip().casefold(): column for column in row}
    return next((plain[word] for word in _GUESSES[meaning] if word in plain), "")


def _keys(cell: Any) -> tuple[str, ...]:
    if isinstance(cell, str) and cell.lstrip().startswith("["):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError) as error:
            raise BadInput("its gold APIs are no JSON list") from error
    parts = re.split(r"[,;\n]", cell) if isinstance(cell, str) else cell or []
    if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
        raise BadInput("its gold APIs are no list of keys")
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def recognises(sample: Sample) -> float:
    """Whether the first files are tables with a column of questions; others are more certain."""
    heads = [
        {column.strip().casefold() for column in header_of(head.text, head.name)}
        for head in sample.heads
    ]
    return 0.2 * sum(bool(head & {*_GUESSES["query"]}) for head in heads) / max(1, len(heads))


PLUGIN = DataSetImporter(
    id="table",
    title="Table of questions",
    description="Any CSV or JSON lines with a question in a row; columns can be chosen.",
    accepts="a table (CSV, JSON lines) with a column of questions",
    options=QuestionTableOptions,
    recognises=recognises,
    read=by_row(query_of),
    order=200,
)
