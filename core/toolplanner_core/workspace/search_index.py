"""The full-text index over the catalogue: BM25 scores of all APIs for some words.

What is in the index is written by `workspace/importing.py`.
"""

from collections.abc import Collection, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlite_utils import Database

from toolplanner_core.words.scripts import index_form, is_paired, letters_of
from toolplanner_core.words.stop_words import STOP_WORDS
from toolplanner_core.workspace.workspace import Workspace

COLUMN_WEIGHTS = (2.0, 1.0, 1.0, 1.0, 0.5, 0.5)
"""Weights of API name, tool, category, description, tool description, parameters.

Source: measured on 758 StableToolBench queries, Recall@5 / @10 / @50 of BM25 alone: 0.52 / 0.62 /
0.78; with all weights 1 but the name's 2: 0.51 / 0.60 / 0.76.
"""
_BM25 = f"bm25(apis_fts, {', '.join(map(str, COLUMN_WEIGHTS))})"


class FullTextScores(NamedTuple):
    """APIs that hold at least one of the words.

    Attributes:
        rowids: (m,) int64.
        scores: (m,) float32, higher is better, all positive.
    """

    rowids: NDArray[np.int64]
    scores: NDArray[np.float32]


class CatalogueState(NamedTuple):
    """Changes whenever what retrieval keeps in memory must be read again."""

    apis: int
    imported_us: int
    embedder: str | None
    vectors: int


def full_text_scores(workspace: Workspace, words: Sequence[str]) -> FullTextScores:
    """BM25 of every API that holds one of `words`, unordered.

    Args:
        words: any strings; each is quoted, so operators and quotes mean nothing.
    """
    quoted = [found for word in words if (found := _match_of(word))]
    if not quoted:
        return FullTextScores(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32))
    sql = f"SELECT rowid, -{_BM25} FROM apis_fts WHERE apis_fts MATCH ?"
    rows = workspace.reader().execute(sql, [" OR ".join(quoted)])
    both = np.fromiter(chain.from_iterable(rows), dtype=np.float64).reshape(-1, 2)
    return FullTextScores(both[:, 0].astype(np.int64), both[:, 1].astype(np.float32))


def documentation_holds(
    workspace: Workspace, word: str, *, is_begun: bool = False, without: Collection[int] = ()
) -> bool:
    """Whether the documentation of any API holds a word.

    Args:
        word: any string.
        is_begun: whether a word that begins like it will do.
        without: row ids of APIs that do not count.
    """
    match = _match_of(word, is_begun=is_begun)
    if not match:
        return False
    rows = workspace.reader().execute("SELECT rowid FROM apis_fts WHERE apis_fts MATCH ?", [match])
    return any(row[0] not in without for row in rows)


_HOLDS = (
    "(rowid IN (SELECT rowid FROM apis_fts WHERE apis_fts MATCH ?)"
    " OR instr(lower(' ' || functionality), ?))"
)
"""Of one word: the text that somebody wrote of an API is its documentation, too."""


def rowids_with_words(workspace: Workspace, words: Sequence[str]) -> NDArray[np.int64]:
    """Row ids (m,) int64 of every API whose documentation, or the text that a person or a model
    wrote of it, holds all of `words`, rising.

    Args:
        words: any strings; where no API holds the last one beside the others, it is taken for the
            beginning of a word that is half typed, as a single letter always is. Those that tell
            nothing ("to") are not asked for beside others.
    """
    telling = [word for word in words if word.lower() not in STOP_WORDS] or words
    searched = [word for word in telling if _match_of(word)]
    if not searched:
        return np.zeros(0, dtype=np.int64)
    whole = [_match_of(word) for word in searched]
    found = _rowids_with(workspace, searched, whole)
    if len(found) and len(searched[-1]) > 1:
        return found
    begun = _match_of(searched[-1], is_begun=True)
    return _rowids_with(workspace, searched, [*whole[:-1], begun])


def _rowids_with(
    workspace: Workspace, searched: Sequence[str], quoted: Sequence[str]
) -> NDArray[np.int64]:
    own = [f" {_storable(word).lower()}" for word in searched]
    each = " AND ".join([_HOLDS] * len(searched))
    rows = workspace.reader().execute(
        "SELECT rowid FROM apis_fts WHERE apis_fts MATCH ?"
        # Else all APIs are read in the order of their rows: of a million, half a second.
        " UNION SELECT rowid FROM apis INDEXED BY apis_with_written_text"
        f" WHERE functionality_author <> 'rule' AND {each}"
        " ORDER BY rowid",
        [" AND ".join(quoted), *chain.from_iterable(zip(quoted, own, strict=True))],
    )
    return np.fromiter((row[0] for row in rows), dtype=np.int64)


def catalogue_state(db: Database, embedder: str | None) -> CatalogueState:
    """What the catalogue and the vectors of an embedder stand at; about a millisecond."""
    row = db.execute(
        "SELECT (SELECT count(*) FROM apis), (SELECT max(imported_us) FROM sources),"
        " (SELECT count(*) FROM vectors WHERE embedder = ?)",
        [embedder],
    ).fetchone()
    return CatalogueState(int(row[0]), int(row[1] or 0), embedder, int(row[2]))


def _match_of(word: str, *, is_begun: bool = False) -> str:
    """What FTS5 is asked for to find a word as the index holds it, "" for nothing to ask for.

    A letter of a script that is held as pairs of letters is the beginning of a pair.
    """
    # A doubled quote is a quote.
    clean = index_form(_storable(word)).replace('"', '""').strip()
    is_letter = is_paired(clean) and len(letters_of(clean)) == 1
    return f'"{clean}"{"*" * (is_begun or is_letter)}' if clean else ""


def _storable(word: str) -> str:
    # SQLite takes neither lone surrogates nor NUL in a query.
    return word.encode("utf-8", "ignore").decode("utf-8").replace("\0", " ").strip()
