"""Labelled queries: texts with the APIs that answer them, what a retriever learns from.

They come as JSON lines: `{"query": "...", "gold": ["KEY", ...]}` names APIs of the catalogue by
their keys; `{"key": "...", "tool": "...", "text": "..."}` describes an API that the catalogue
lacks, so that public data sets can be learned from, too. Other members are ignored.
"""

import gzip
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolplanner_core.errors import BadInput
from toolplanner_core.training.made_queries import MADE, made_queries
from toolplanner_core.words.stop_words import search_terms
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.labelled_documents import StoredDocument, stored_documents

NEAR = 0.8
"""Share of common words (Jaccard) from which on two queries count as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a query may lead to: the text of one API, or of several that have the same.

    Attributes:
        tools: the tools it belongs to; what a split keeps together.
        toolkit: that holds its first API, None if none does.
        rowid: of its first API in the catalogue, None for one that the catalogue lacks.
    """

    text: str
    tools: frozenset[str]
    toolkit: int | None = None
    rowid: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuery:
    """A query and the positions of the documents that answer it.

    Attributes:
        source: the data set, by its file's name.
        keys: of the APIs that answer it, as the file names them.
    """

    text: str
    gold: tuple[int, ...]
    source: str = ""
    keys: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """All that is known: documents, queries over them, and how many queries named none of them."""

    documents: Sequence[Document]
    queries: Sequence[LabelledQuery]
    unknown: int


def read_labelled(
    workspace: Workspace,
    files: Sequence[Path],
    others: Iterable[tuple[str, Sequence[str]]] = (),
    *,
    made: int = 0,
    seed: int = 0,
) -> Labelled:
    """Read files of labelled queries over the catalogue of a workspace.

    Args:
        others: further queries with keys, such as those of successful runs.
        made: queries that are made of the catalogue's own words, drawn by the seed.

    Raises:
        BadInput: a file cannot be read.
    """
    stored = stored_documents(workspace)
    documents, of_key = _documents(stored)
    queries: list[LabelledQuery] = []
    unknown = 0
    sources = [(_name(file), _rows(file)) for file in files]
    sources.append(("runs", _told(others)))
    sources.append((MADE, _told(made_queries(stored, made, seed=seed) if made else ())))
    for source, rows in sources:
        own = _own_documents(source, rows, documents)
        for row in rows:
            if "query" not in row:
                continue
            keys = [str(key) for key in row.get("gold", ())]
            found = [of_key.get(key, own.get(key)) for key in keys]
            gold = tuple(dict.fromkeys(at for at in found if at is not None))
            unknown += not gold
            if gold:
                text = str(row["query"])
                queries.append(
                    LabelledQuery(text=text, gold=gold, source=source, keys=frozenset(keys))
                )
    return Labelled(documents=documents, queries=without_near(queries), unknown=unknown)


def without_near(queries: Sequence[LabelledQuery]) -> list[LabelledQuery]:
    """The queries without those that say nearly the same as an earlier one; it takes over their
    APIs, so that no answer of theirs counts as wrong."""
    kept: list[LabelledQuery] = []
    words_of: list[frozenset[str]] = []
    holding: dict[str, list[int]] = {}
    for query in queries:
        words = query_words(query.text)
        near = _nearest(words, words_of, holding)
        if near is None:
            for word in words:
                holding.setdefault(word, []).append(len(kept))
            words_of.append(words)
            kept.append(query)
            continue
        first = kept[near]
        kept[near] = LabelledQuery(
            text=first.text,
            gold=tuple(dict.fromkeys((*first.gold, *query.gold))),
            source=first.source,
            keys=first.keys | query.keys,
        )
    return kept


def query_words(text: str) -> frozenset[str]:
    """The words by which queries are compared."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return frozenset(search_terms(plain)) or frozenset({plain.strip()})


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of the words that both have (Jaccard)."""
    return len(one & other) / max(1, len(one | other))


def _nearest(
    words: frozenset[str], words_of: Sequence[frozenset[str]], holding: Mapping[str, Sequence[int]]
) -> int | None:
    # A near one has at least NEAR of the words: it holds one of the rarest few.
    rarest = sorted(words, key=lambda word: len(holding.get(word, ())))
    looked = rarest[: int(len(rarest) * (1 - NEAR)) + 1]
    among = {at for word in looked for at in holding.get(word, ())}
    return next((at for at in sorted(among) if similarity(words, words_of[at]) >= NEAR), None)


def _documents(rows: Iterable[StoredDocument]) -> tuple[list[Document], dict[str, int]]:
    """Distinct texts, and the position of each API's by its key."""
    at_text: dict[str, int] = {}
    documents: list[Document] = []
    of_key: dict[str, int] = {}
    for row in rows:
        at = at_text.setdefault(row.text, len(documents))
        if at == len(documents):
            tools = frozenset({row.tool})
            documents.append(
                Document(text=row.text, tools=tools, toolkit=row.toolkit, rowid=row.rowid)
            )
        elif row.tool not in documents[at].tools:
            old = documents[at]
            documents[at] = Document(
                text=old.text,
                tools=old.tools | {row.tool},
                toolkit=old.toolkit,
                rowid=old.rowid,
            )
        of_key.setdefault(row.key, at)
    return documents, of_key


def _own_documents(
    source: str, rows: Iterable[Mapping[str, Any]], documents: list[Document]
) -> dict[str, int]:
    """Add the documents that a file brings; their positions by key."""
    own: dict[str, int] = {}
    for row in rows:
        if "key" in row and "text" in row:
            own[str(row["key"])] = len(documents)
            tool = f"{source}/{row.get('tool') or row['key']}"
            documents.append(Document(text=str(row["text"]), tools=frozenset({tool})))
    return own


def _told(others: Iterable[tuple[str, Sequence[str]]]) -> list[dict[str, Any]]:
    return [{"query": text, "gold": list(keys)} for text, keys in others]


def _name(file: Path) -> str:
    return file.name.partition(".")[0]


def _rows(file: Path) -> list[dict[str, Any]]:
    try:
        raw = file.read_bytes()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("utf-8")
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError, EOFError) as error:
        raise BadInput(
            "The labelled queries cannot be read", where=str(file), why=str(error)
        ) from error
    if not all(isinstance(row, dict) for row in rows):
        raise BadInput("Each line of labelled queries must be a JSON object", where=str(file))
    return rows
