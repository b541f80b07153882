"""What the documentation of the APIs says, as sparse matrices: words, parameters, addresses.

Read once (`read_documents`, about three seconds for 45,000 APIs); edits of toolkits do not change
it.
"""

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.jobs.progress import Report
from toolplanner_core.words.stems import stem
from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC
from toolplanner_core.words.word_splitting import identifier_words
from toolplanner_core.workspace.catalogue import ApiText

_READ = 400
"""Characters of a description that are read: its first sentences."""

CHANGES = {
    "create": "create add insert register subscribe",
    "update": "update edit set put modify patch rename",
    "delete": "delete remove destroy revoke cancel unsubscribe clear",
    "send": "send submit upload",
}
"""What an API may do to what it is about beside reading it, and verbs of names that say so."""
_CHANGE_OF = {verb: place for place, verbs in enumerate(CHANGES.values()) for verb in verbs.split()}

_PLACEHOLDER = re.compile(r"\{[^{}/]*\}|:[A-Za-z_]\w*|\$[A-Z_]+")
_SCHEME = re.compile(r"^[a-z]+://", flags=re.IGNORECASE)
_NOT_WORD = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Documents:
    """The documentation of n APIs.

    Attributes:
        titles: tool and name of each API, for sentences.
        words: (n, words) csr, 1 where a stem occurs in name, tool or description.
        vocabulary: column of each stem.
        parameters: (n, parameters) csr, 1 where an API has the parameter, in any case and spelling.
        weights: (parameters,) float32, how much a parameter says: rare ones more than "id".
        word_weights: (words,) float32, how much a word says.
        name_words: (n, words) csr, 1 where a stem occurs in the name of an API.
        name_vocabulary: the stems of its columns.
        name_word_weights: (words,) float32, how much such a word says.
        changes: (n, kinds) csr, 1 at what an API does: a kind of `CHANGES`, or at last to read.
        tools: (n, tools) csr, 1 at the tool that each API is of.
        parameter_sets: (n,) int64, equal for APIs with the same parameters; 0 for none.
        addresses: (n,) int64, equal for APIs with the same method, host and path; -1 without.
        paths: (n,) int64, equal for the same method and path on any host; -1 without.
        names: (n,) int64, equal for the same name up to spelling.
        is_described: (n,) bool, whether there is a description worth the word.
    """

    titles: Sequence[str]
    words: Any
    vocabulary: dict[str, int]
    parameters: Any
    weights: NDArray[np.float32]
    word_weights: NDArray[np.float32]
    name_words: Any
    name_vocabulary: Sequence[str]
    name_word_weights: NDArray[np.float32]
    changes: Any
    tools: Any
    parameter_sets: NDArray[np.int64]
    addresses: NDArray[np.int64]
    paths: NDArray[np.int64]
    names: NDArray[np.int64]
    is_described: NDArray[np.bool_]


def read_documents(
    texts: Sequence[ApiText],
    parameters: Sequence[Iterable[str]],
    addresses: Sequence[str],
    *,
    report: Report,
) -> Documents:
    """Cut texts into words and number what is equal.

    Args:
        texts: (n,) documentation.
        parameters: (n,) names of the parameters of each API.
        addresses: (n,) method and URL, such as "GET https://host/v1/rates/{base}"; "" for none.
        report: told how many APIs are read.
    """
    n = len(texts)
    vocabulary: dict[str, int] = {}
    called: dict[str, int] = {}
    rows: list[list[int]] = []
    name_rows: list[list[int]] = []
    for i, text in enumerate(texts):
        if i % 1000 == 0:
            report("Reading documentation", i, n)
        described = map(stem, _WORD.findall(text.description[:_READ]))
        stems = {*name_stems(text.name), *name_stems(text.tool), *described}
        name_rows.append([called.setdefault(one, len(called)) for one in name_stems(text.name)])
        rows.append([vocabulary.setdefault(one, len(vocabulary)) for one in stems])
    columns: dict[str, int] = {}
    used = [
        sorted({columns.setdefault(_plain(one), len(columns)) for one in own}) for own in parameters
    ]
    matrix = _matrix(used, len(columns))
    words = _matrix(rows, len(vocabulary))
    name_words = _matrix(name_rows, len(called))
    tools: dict[str, int] = {}
    tool_of = [[tools.setdefault(text.tool, len(tools))] for text in texts]
    sets: dict[tuple[int, ...], int] = {(): 0}
    located = [_located(address) for address in addresses]
    report("Reading documentation", n, n)
    return Documents(
        titles=[f"{text.tool} · {text.name}" for text in texts],
        words=words,
        vocabulary=vocabulary,
        parameters=matrix,
        weights=_rarity(matrix),
        word_weights=_rarity(words),
        name_words=name_words,
        name_vocabulary=tuple(called),
        name_word_weights=_rarity(name_words),
        changes=_matrix([[_change(text.name)] for text in texts], len(CHANGES) + 1),
        tools=_matrix(tool_of, len(tools)),
        parameter_sets=np.array([sets.setdefault(tuple(o), len(sets)) for o in used], np.int64),
        addresses=_numbers(f"{verb} {host}{path}" if path else "" for verb, host, path in located),
        paths=_numbers(f"{verb} {path}" if len(path) > 1 else "" for verb, _, path in located),
        names=_numbers(_plain(text.name) for text in texts),
        is_described=np.array([len(text.description.strip()) > 15 for text in texts], np.bool_),
    )


@functools.lru_cache(maxsize=100_000)
def name_stems(name: str) -> Mapping[str, str]:
    """The words of a name that mean something, in lower case, by their stems."""
    return {
        stem(word): word.lower()
        for run in identifier_words(name)
        for word in run
        if len(word) > 1 and word.lower() not in FUNCTION_WORDS and word.lower() not in GENERIC
    }


def _change(name: str) -> int:
    """The kind of change that a name says first, by its place in `CHANGES`; past them for none."""
    words = (word.lower() for run in identifier_words(name) for word in run)
    return next((_CHANGE_OF[word] for word in words if word in _CHANGE_OF), len(CHANGES))


def _plain(name: str) -> str:
    return _NOT_WORD.sub("", name).casefold()


def _located(address: str) -> tuple[str, str, str]:
    """Method, host and path in one spelling; ("", "", "") without an address."""
    verb, _, url = address.strip().partition(" ")
    if not url:
        return "", "", ""
    host, slash, path = _SCHEME.sub("", url).partition("/")
    path = _PLACEHOLDER.sub("{}", path.partition("?")[0]).rstrip("/").casefold()
    return verb.upper(), host.casefold(), slash + path or "/"


def _numbers(keys: Iterable[str]) -> NDArray[np.int64]:
    """One number for each distinct key, -1 for an empty one."""
    found: dict[str, int] = {"": -1}
    return np.array([found.setdefault(key, len(found) - 1) for key in keys], dtype=np.int64)


def _rarity(matrix: Any) -> NDArray[np.float32]:
    """(columns,) float32: what fewer rows have says more."""
    n, columns = matrix.shape
    frequency = np.bincount(matrix.indices, minlength=columns)
    return np.log((n + 1) / (frequency + 1)).astype(np.float32)


def _matrix(rows: Sequence[Sequence[int]], n_columns: int) -> Any:
    from scipy.sparse import csr_array

    ends = np.cumsum([0, *map(len, rows)])
    indices = np.fromiter((one for row in rows for one in row), dtype=np.int32, count=int(ends[-1]))
    ones = np.ones(len(indices), dtype=np.float32)
    return csr_array((ones, indices, ends), shape=(len(rows), n_columns))
