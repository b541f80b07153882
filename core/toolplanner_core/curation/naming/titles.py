"""What a tool's title gives for a name: the title in short, the vendor, and a brand that the
titles of several tools share ("Dropbox" of Dropbox and DropboxBusiness)."""

import re
from collections import Counter
from collections.abc import Sequence

from toolplanner_core.curation.naming.phrase_cutting import plain
from toolplanner_core.curation.naming.phrases import PhraseBook
from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC

TITLE_WORDS = 4
_SYMBOLS = re.compile(r"[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f]")
_LONGEST, _LONGEST_VENDOR = 40, 28


def short_title(title: str) -> str:
    """A tool's title up to its first separator, without "API"."""
    head = title
    for mark in (" - ", " – ", " | ", ": ", " (", "("):
        before = head.split(mark, 1)[0].strip()
        head = before or head
    kept = [
        word
        for word in _SYMBOLS.sub("", plain(head)).split()
        if word.casefold() not in ("api", "apis", "the")
    ]
    while kept and kept[0].casefold() in FUNCTION_WORDS:
        del kept[0]
    short = " ".join(kept)
    return short if len(short) <= _LONGEST else short[:_LONGEST].rsplit(" ", 1)[0]


def vendor_of(book: PhraseBook, tool: int) -> str:
    """How a tool is called in the name of a toolkit that is all its own; "" if its title is only a
    long description."""
    write = book.casing.write
    title = short_title(book.titles[tool].replace("_", " ")).split()
    brand = set(book.brand(tool))
    if len(title) > 2 or len(" ".join(title)) > 24:
        named = [
            word
            for word in title
            if word.lower() not in FUNCTION_WORDS and brand.intersection(book.stems_of(word))
        ][:2]
        title = named or ([] if len(title) > TITLE_WORDS else title)
    # A title of plain words is written like any other phrase.
    written = " ".join(
        word if position == 0 or brand.intersection(book.stems_of(word)) else write(word)
        for position, word in enumerate(title)
    )
    if len(written) <= _LONGEST_VENDOR:
        return written
    return written[: _LONGEST_VENDOR + 1].rsplit(" ", 1)[0][:_LONGEST_VENDOR]


def shared_brand(book: PhraseBook, members: Sequence[int], *, share: float) -> str:
    """The stem of a proper name that the titles of the tools of so many members have in common;
    "" if there is none."""
    having: Counter[str] = Counter()
    for i in members:
        having.update(set(book.title_stems[book.tools[i]]))
    for word, times in sorted(having.items(), key=lambda one: (-one[1], one[0])):
        if times < share * len(members):
            break
        if book.is_name((word,)) and len(word) > 2 and word not in GENERIC | FUNCTION_WORDS:
            return word
    return ""
