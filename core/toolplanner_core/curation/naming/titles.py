"""What a tool's title gives for a name: the title in short, the vendor, and a brand that the
titles of several tools share ("Dropbox" of Dropbox and DropboxBusiness)."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence

from toolplanner_core.curation.naming.phrase_cutting import plain
from toolplanner_core.curation.naming.phrases import Key, PhraseBook
from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC

TITLE_WORDS = 4
_SYMBOLS = re.compile(r"[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LONGEST, _LONGEST_VENDOR = 40, 28
_WHOLE_WORDS = 3
"""A title of no more words is how its vendor is called: "RocketAPI for Instagram"."""
_LEADING = frozenset(
    ("a", "an", "my", "our", "your", "for", "of", "to", "and", "by", "with", "der", "die")
)
"""What a short title does not begin with; "One Time Links" does, and "I Am Alive"."""


def short_title(title: str) -> str:
    """A tool's title up to its first separator, without "API"."""
    head = title
    for mark in (" - ", " – ", " | ", ": ", " (", "(", " [", "["):
        before = head.split(mark, 1)[0].strip()
        head = before or head
    kept = [
        word
        for word in _SYMBOLS.sub("", plain(head)).split()
        if word.casefold() not in ("api", "apis", "the")
    ]
    telling = [*itertools.dropwhile(lambda word: word.casefold() in _LEADING, kept)]
    # "DEI" is an article in Italian, but all of a title.
    is_one = len(kept) == 1 and len(kept[0]) > 1
    short = " ".join(kept if is_one else telling)
    return _cut(short, _LONGEST)


def subtitle(title: str) -> str:
    """What stands behind the first separator of a title, if it is short: "Transactions" of "IVAS -
    Transactions"."""
    for mark in (" - ", " – ", " | ", ": "):
        _, _, rest = title.partition(mark)
        if rest and len(rest.split()) <= TITLE_WORDS - 1:
            return short_title(rest)
    return ""


def _cut(text: str, longest: int) -> str:
    """Whole words of a text, the last of which is none such as "and" where it was cut."""
    if len(text) <= longest:
        return text
    words = text[: longest + 1].rsplit(" ", 1)[0][:longest].split()
    while len(words) > 1 and _is_little(words[-1]):
        words.pop()
    return " ".join(words)


def _is_little(word: str) -> bool:
    """Whether it is such as "for"; "WHO" is none."""
    is_abbreviation = len(word) > 1 and word.isupper()
    return word.casefold() in FUNCTION_WORDS and not is_abbreviation


def vendor_of(book: PhraseBook, tool: int) -> str:
    """How a tool is called in the name of a toolkit that is all its own: its brand, else the first
    words of its title; "" if that has none."""
    write = book.casing.write
    title = short_title(book.titles[tool].replace("_", " ")).split()
    title = [word for word in title if not _YEAR.fullmatch(word)] or title
    brand = set(book.brand(tool))
    if len(title) > _WHOLE_WORDS or len(" ".join(title)) > _LONGEST_VENDOR:
        named = [
            word
            for word in title
            if word.lower() not in FUNCTION_WORDS and brand.intersection(book.stems_of(word))
        ][:2]
        # A plain word ("Asian") does not stand for its tool alone.
        title = ([] if book.is_plain(named) else named) or title[:TITLE_WORDS]
        while len(title) > 1 and title[-1].casefold() in FUNCTION_WORDS:
            title.pop()
    # A title of plain words is written like any other phrase.
    written = " ".join(
        word if position == 0 or brand.intersection(book.stems_of(word)) else write(word)
        for position, word in enumerate(title)
    )
    return _cut(written, _LONGEST_VENDOR)


def titles_of(book: PhraseBook, members: Sequence[int]) -> list[str]:
    """Short titles of the tools, those with most members first; long ones behind others."""
    tools = Counter(book.tools[i] for i in members)
    titles: Counter[str] = Counter()
    for tool, times in tools.items():
        titles[short_title(book.titles[tool].replace("_", " "))] += times
    del titles[""]
    return sorted(titles, key=lambda title: (-titles[title], len(title) > _LONGEST_VENDOR))


def shared_brand(book: PhraseBook, members: Sequence[int], *, share: float) -> Key:
    """The stem of a proper name that the titles of the tools of so many members have in common,
    with the word that follows it in all of them ("URL shortener"); none if there is none."""
    having: Counter[str] = Counter()
    for i in members:
        having.update(set(book.title_stems[book.tools[i]]))
    for word, times in sorted(having.items(), key=lambda one: (-one[1], one[0])):
        if times < share * len(members):
            break
        if book.is_name((word,)) and len(word) > 2 and word not in GENERIC | FUNCTION_WORDS:
            return _with_next(book, members, word)
    return ()


def _with_next(book: PhraseBook, members: Sequence[int], word: str) -> Key:
    """The word, and the one behind it if all titles that have it have the same there."""
    titles = [book.title_stems[tool] for tool in {book.tools[i] for i in members}]
    after = {
        following
        for title in titles
        for one, following in itertools.pairwise([*title, ""])
        if one == word
    }
    last = after.pop() if len(after) == 1 else ""
    return (word, last) if last and last not in GENERIC | FUNCTION_WORDS else (word,)
