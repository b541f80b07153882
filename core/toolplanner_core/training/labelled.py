"""Labelled queries: read, made from the catalogue's words, split so that testing is fair.

They come as JSON lines: `{"query": "...", "gold": ["KEY", ...]}` names APIs of the catalogue by
their keys; `{"key": "...", "tool": "...", "text": "..."}` describes an API that the catalogue
lacks, so that public data sets can be learned from, too. Other members are ignored.

They bring pairs about tools that no labelled query is about, and cost nothing. They are learned
from, never tested on: a model that is good at its own templates proves nothing.

By tool: whoever trains on one API of a tool has seen how the tool is spoken of. So tests are about
tools of which nothing was trained on, and a check proves it.
"""

import gzip
import json
import random
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolplanner_core.errors import BadInput, ToolPlannerError
from toolplanner_core.words.stop_words import search_terms
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import StoredDocument, stored_documents

MADE = ".made"
"""The source of such queries; files are named without what follows a dot."""
_BEGINNINGS = (
    "",
    "",
    "",
    "I'm working on a project about {about}. ",
    "My company needs help with {about}. ",
    "I am planning something for my family. ",
    "I'm curious about {about}. ",
    "My friends and I are interested in {about}. ",
)
_FIRST = (
    "Can you {what}?",
    "Could you please {what}?",
    "Please {what}.",
    "I need to {what}.",
    "I want you to {what}.",
)
_NEXT = (
    "Also, {what}.",
    "Additionally, I would like to {what}.",
    "Moreover, can you {what}?",
    "Furthermore, please {what}.",
    "And {what}.",
)
_GIVE = ("give me ", "provide ", "find ", "tell me ", "fetch ")
_GIVE_THE = ("give me the ", "provide information on ", "find the ", "show me ", "tell me about ")
_ORDER = re.compile(
    r"(get|fetch|retrieve|find|search|list|provide|show|check|create|delete|update|send|convert"
    r"|generate|calculate)\b"
)
_SAYS_WHAT_IT_DOES = re.compile(
    r"((this )?(endpoint|api)\s+)?(will\s+)?(returns?|gets?|retrieves?|provides?|lists?|finds?"
    r"|fetch(es)?|allows? you to|with this endpoint you can)\s+"
)
_APIS_OF_A_TOOL = (1, 1, 2, 2, 3)
_MOST_WORDS = (8, 12, 20)
_BY_DESCRIPTION = 0.75
"""Share of needs that are said by the description, not the name."""
_NAMES_TOOL = 0.2


def synthetic_queries(
    documents: Sequence[StoredDocument], count: int, *, seed: int
) -> list[tuple[str, list[str]]]:
    """At most so many queries, each about one tool, with the keys of the APIs that answer it."""
    drawn = random.Random(seed)
    of_tool: dict[str, list[StoredDocument]] = {}
    for document in documents:
        of_tool.setdefault(document.tool, []).append(document)
    tools = sorted(of_tool)
    drawn.shuffle(tools)
    found: list[tuple[str, list[str]]] = []
    for tool in tools:
        if len(found) >= count:
            break
        number = min(len(of_tool[tool]), drawn.choice(_APIS_OF_A_TOOL))
        chosen = drawn.sample(of_tool[tool], number)
        needs = [need for need in (_need(each.text, drawn) for each in chosen) if need]
        if len(needs) == len(chosen):
            about = _about(tool)
            begins = drawn.choice(_BEGINNINGS).format(about=about) if about else ""
            asked = [
                drawn.choice(_NEXT if place else _FIRST).replace("{what}", need)
                for place, need in enumerate(needs)
            ]
            found.append((begins + " ".join(asked), [each.key for each in chosen]))
    return found


def _about(tool: str) -> str:
    """The category of a tool (`StoredDocument.tool`) in words."""
    _, category, *_ = (*tool.split("/"), "")
    return category.replace("_", " ").casefold()


def _need(text: str, drawn: random.Random) -> str:
    """What an API does as something that is wanted; "" where its text does not say it in ASCII.

    Args:
        text: "Tool: name. Description."
    """
    tool, _, rest = text.partition(": ")
    name, _, description = rest.partition(". ")
    sentence = re.split(r"(?<=[.!?])\s", description.strip())[0]
    is_said = len(sentence.split()) > 2 and drawn.random() < _BY_DESCRIPTION
    words = re.sub(r"[_\-/]+", " ", sentence if is_said else name).strip().rstrip(".").split()
    use = " ".join(words[: drawn.choice(_MOST_WORDS)])
    if not use or not use.isascii():
        return ""
    low = use[0].lower() + use[1:]
    if does := _SAYS_WHAT_IT_DOES.match(low.lower()):
        low = drawn.choice(_GIVE) + low[does.end() :]
    elif not _ORDER.match(low.lower()):
        low = drawn.choice(_GIVE_THE) + low
    return f"{low} with {tool.strip()}" if drawn.random() < _NAMES_TOOL else low


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
    sources.append(("runs", _labelled_rows(others)))
    sources.append(
        (MADE, _labelled_rows(synthetic_queries(stored, made, seed=seed) if made else ()))
    )
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
    return Labelled(documents=documents, queries=deduplicate_queries(queries), unknown=unknown)


def deduplicate_queries(queries: Sequence[LabelledQuery]) -> list[LabelledQuery]:
    """The queries without those that say nearly the same as an earlier one; it takes over their
    APIs, so that no answer of theirs counts as wrong."""
    kept: dict[int, LabelledQuery] = {}
    for query, first_at in zip(queries, near_duplicates([q.text for q in queries]), strict=True):
        first = kept.get(first_at)
        kept[first_at] = (
            query
            if first is None
            else LabelledQuery(
                text=first.text,
                gold=tuple(dict.fromkeys((*first.gold, *query.gold))),
                source=first.source,
                keys=first.keys | query.keys,
            )
        )
    return [*kept.values()]


def near_duplicates(texts: Sequence[str]) -> list[int]:
    """For each text the position of the first one that it nearly repeats: its own if of none.

    That one repeats none itself: it stands for all that are near it.
    """
    firsts: list[int] = []
    words_of: list[frozenset[str]] = []
    holding: dict[str, list[int]] = {}
    found: list[int] = []
    for at, text in enumerate(texts):
        words = query_words(text)
        near = _nearest(words, words_of, holding)
        if near is None:
            near = len(firsts)
            for word in words:
                holding.setdefault(word, []).append(near)
            words_of.append(words)
            firsts.append(at)
        found.append(firsts[near])
    return found


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
    # A near one has at least NEAR of the words: it holds one of the rarest few. Words as rare as
    # each other stand in order of the alphabet, so that every process looks at the same ones.
    rarest = sorted(words, key=lambda word: (len(holding.get(word, ())), word))
    looked = rarest[: int(len(rarest) * (1 - NEAR) + 1e-9) + 1]
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


def _labelled_rows(others: Iterable[tuple[str, Sequence[str]]]) -> list[dict[str, Any]]:
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


class LeakedTest(ToolPlannerError):
    """A test query, or a tool of one, is in the training set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitQueries:
    """Queries by what they are for.

    Attributes:
        dev: for early stopping, taken out of what would be trained on, by tool as well.
        left_out: share a tool with a test or dev query, and are used for nothing.
    """

    train: list[LabelledQuery]
    dev: list[LabelledQuery]
    test: list[LabelledQuery]
    left_out: int


def split_by_tool(
    queries: Sequence[LabelledQuery],
    documents: Sequence[Document],
    *,
    tested: Sequence[str] = (),
    test_share: float = 0.3,
    dev_share: float = 0.1,
    seed: int = 0,
) -> SplitQueries:
    """Split so that no tool of a test query is trained on.

    Args:
        tested: sources that test queries are drawn from; none = all but what was made.
        test_share, dev_share: of the queries of these sources, about.
    """
    drawn = random.Random(seed)
    labelled = [query for query in queries if query.source != MADE]
    asked = [query for query in labelled if not tested or query.source in tested]
    drawn.shuffle(asked)
    test, test_tools = _take(asked, documents, int(len(asked) * test_share), set())
    rest = [query for query in asked if not tools_of(query, documents) & test_tools]
    dev, dev_tools = _take(rest, documents, int(len(asked) * dev_share), set(test_tools))
    held = test_tools | dev_tools
    train = [query for query in queries if not tools_of(query, documents) & held]
    used = len(train) + len(dev) + len(test)
    split = SplitQueries(train=train, dev=dev, test=test, left_out=len(queries) - used)
    check_split(split, documents)
    return split


def tools_of(query: LabelledQuery, documents: Sequence[Document]) -> frozenset[str]:
    """The tools of the APIs that answer a query."""
    return frozenset[str]().union(*(documents[at].tools for at in query.gold))


def check_split(split: SplitQueries, documents: Sequence[Document]) -> None:
    """Prove that testing is fair.

    Raises:
        LeakedTest: a tool of a test query is trained on, or a training query says nearly the same
            as a test query.
    """
    trained = frozenset[str]().union(*(tools_of(q, documents) for q in (*split.train, *split.dev)))
    words = [query_words(query.text) for query in (*split.train, *split.dev)]
    for query in split.test:
        if shared := tools_of(query, documents) & trained:
            raise LeakedTest(
                f"The tool {min(shared)} of a test query was trained on", where=query.text[:80]
            )
        own = query_words(query.text)
        if any(similarity(own, other) >= NEAR for other in words):
            raise LeakedTest(
                "A test query is nearly one that was trained on", where=query.text[:80]
            )


def _take(
    queries: Sequence[LabelledQuery], documents: Sequence[Document], wanted: int, taken: set[str]
) -> tuple[list[LabelledQuery], set[str]]:
    """Queries until `wanted` are there, with the others whose tools are all among theirs."""
    tools: set[str] = set()
    count = 0
    for query in queries:
        if count >= wanted:
            break
        tools |= tools_of(query, documents)
        count = sum(tools_of(each, documents) <= tools for each in queries)
    chosen = [each for each in queries if tools_of(each, documents) <= tools]
    return (chosen, tools - taken) if wanted else ([], set())
