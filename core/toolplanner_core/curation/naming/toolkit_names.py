"""Name toolkits by rule: two or three words of its members that set it apart.

"Currency exchange rates", "Weather forecasts", "JIRA issue links": sentence case, unique within the
workspace, the vendor only where the whole toolkit is one vendor's. A model or a person can name
better and is then marked as the author.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count

from toolplanner_core.curation.naming.describing import describe
from toolplanner_core.curation.naming.phrase_cutting import plain
from toolplanner_core.curation.naming.phrases import ONLY_LAST_STEMS, Key, PhraseBook, Scored
from toolplanner_core.curation.naming.verb_nouns import OUTCOMES
from toolplanner_core.jobs.progress import Report
from toolplanner_core.words.stop_words import FUNCTION_WORDS, ONLY_FIRST
from toolplanner_core.words.stretches import identifier_words
from toolplanner_core.workspace.documentation import ApiText

_FITS = 0.3
"""A phrase that covers less than this share of the members is not their common subject."""

_CARRIES_ALONE = 0.55
"""A phrase that covers less is joined by a second one: "Encryption and hashing"."""

_MOST_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitText:
    """Name and description of one toolkit, made by rule."""

    name: str
    description: str


def name_toolkits(
    apis: Sequence[ApiText],
    groups: Sequence[Sequence[int]],
    *,
    taken: Collection[str] = (),
    report: Report,
) -> list[ToolkitText]:
    """Names and descriptions for groups of APIs.

    Args:
        apis: all APIs of the catalogue, also those in no group: what is common is learned here.
        groups: positions of each group's members, most central first; none is empty.
        taken: names that other toolkits have already.
        report: told how many toolkits are named.
    """
    report("Reading documentation", 0, len(apis))
    book = PhraseBook(apis)
    candidates: list[tuple[int, int, list[str]]] = []
    for number, members in enumerate(groups):
        report("Naming toolkits", number, len(groups), "toolkits")
        choices = list(_unique(_names(book, apis, members)))
        candidates.append((len(members), number, choices))
    # The largest toolkit gets a name that several could have; the others say what sets them apart.
    used = {name.casefold() for name in taken}
    names = [""] * len(groups)
    for _, number, choices in sorted(candidates, key=lambda one: (-one[0], one[1])):
        names[number] = _first_free(choices, used)
        used.add(names[number].casefold())
    report("Naming toolkits", len(groups), len(groups), "toolkits")
    return [
        ToolkitText(name=name, description=describe(book, apis, members))
        for name, members in zip(names, groups, strict=True)
    ]


def _names(book: PhraseBook, apis: Sequence[ApiText], members: Sequence[int]) -> Iterator[str]:
    """Names for one group, the best first."""
    tools = list(dict.fromkeys(book.tools[i] for i in members))
    main = max(tools, key=[book.tools[i] for i in members].count)
    of_main = [i for i in members if book.tools[i] == main]
    outcome = _outcome(apis, members)
    if len(of_main) >= 0.85 * len(members):
        yield from _vendor_names(book, members, main, outcome)
    else:
        brands = {word for tool in tools for word in book.brand(tool)}
        scored = [one for one in book.score(members) if not brands.intersection(one.key)]
        yield from _subject_names(book, [one for one in scored if one.tools > 1], outcome)
        if len(tools) == 2:
            # Two tools that share no word: one phrase of each says more than a common word.
            yield from _joined(book, [one for one in scored if not one.is_weak])
    titles = [title for tool in tools if (title := _short_title(book.titles[tool]))]
    if len(titles) == 2:
        yield _sentence_case(f"{titles[0]} and {titles[1]}")
    for title in titles:
        others = f" and {len(tools) - 1} other tools" if len(tools) > 1 else ""
        yield _sentence_case(f"{title}{others}")
    yield "Unnamed tools"


def _subject_names(book: PhraseBook, scored: Sequence[Scored], outcome: str) -> Iterator[str]:
    good = [one for one in scored if not one.is_weak]
    fitting = [one for one in good if one.coverage >= _FITS]
    weak = [one for one in scored if one.is_weak and one.coverage >= _FITS]
    if fitting and fitting[0].coverage >= _CARRIES_ALONE:
        if len(fitting[0].key) == 1:
            # "AI images" rather than "AI", where a third of the members say so.
            for longer in fitting[1:]:
                if fitting[0].key[0] in longer.key:
                    yield _sentence_case(book.form(longer.key))
                    break
        yield _sentence_case(book.form(fitting[0].key))
    yield from _joined(book, [one for one in good if one.coverage >= _FITS * 0.7])
    for one in fitting[:4]:
        yield _sentence_case(book.form(one.key))
    # The name is taken: add what else these members say or do.
    for head in (*fitting[:2], *weak[:2]):
        if outcome and outcome not in head.key and len(head.key) < _MOST_WORDS:
            yield _sentence_case(book.form((*head.key, outcome)))
        for other in scored[:12]:
            joined = _with_distinction(book, head.key, other.key)
            if joined:
                yield joined
    for one in weak[:2]:
        yield _sentence_case(book.form(one.key))
    yield from _joined(book, good)


def _vendor_names(
    book: PhraseBook, members: Sequence[int], tool: int, outcome: str
) -> Iterator[str]:
    vendor = _vendor(book, tool)
    spoken = set(book.title_stems[tool]) | {vendor.casefold()}
    scored = book.score(members, with_tools=False)
    own = [one for one in scored if not spoken.intersection(one.key)]
    room = _MOST_WORDS - len(vendor.split())
    short = [one for one in own if len(one.key) <= room]
    named = [one for one in short if one.coverage >= _CARRIES_ALONE]
    prefix = f"{vendor} " if vendor else ""
    for one in [*[one for one in named if not one.is_weak], *named][:1]:
        yield _first_capital(f"{prefix}{book.form(one.key)}")
    for first, second in _pairs([one for one in short if one.coverage >= 0.2][:6]):
        if len(first) + len(second) <= max(room, 2):
            yield _first_capital(f"{prefix}{book.form(first)} and {book.form(second)}")
    for one in short[:6]:
        yield _first_capital(f"{prefix}{book.form(one.key)}")
        if outcome and len(one.key) < room and outcome not in one.key:
            yield _first_capital(f"{prefix}{book.form(one.key)} {outcome}")
    if vendor:
        yield _first_capital(vendor)
        if outcome:
            yield _first_capital(f"{vendor} {outcome}")


def _outcome(apis: Sequence[ApiText], members: Sequence[int]) -> str:
    """What most names of the group begin with, as a noun: "deletion"; "" if they do not agree."""
    first: Counter[str] = Counter()
    for i in members:
        run = next(identifier_words(plain(apis[i].name), frozenset()), None)
        if run:
            first[OUTCOMES.get(run[0].lower(), "")] += 1
    best, times = first.most_common(1)[0] if first else ("", 0)
    return best if times >= 0.6 * len(members) else ""


def _joined(book: PhraseBook, scored: Sequence[Scored]) -> Iterator[str]:
    for first, second in _pairs(scored[:6]):
        if len(first) + len(second) < _MOST_WORDS:
            yield _joined_name(book, first, second)


def _joined_name(book: PhraseBook, first: Key, second: Key) -> str:
    """ "Encryption and hashing"; but a proper name goes before: "YouTube playlists"."""
    if len(first) == 1 and first[0] in ONLY_LAST_STEMS:
        first, second = second, first
    if len(second) == 1 and second[0] in ONLY_LAST_STEMS:
        return _sentence_case(book.form((*first, *second)))
    if len(second) == 1 and book.is_name(second):
        first, second = second, first
    if len(first) == 1 and book.is_name(first) and not book.is_name(second):
        return _sentence_case(f"{book.form(first)} {book.form(second)}")
    return _sentence_case(f"{book.form(first)} and {book.form(second)}")


def _pairs(scored: Sequence[Scored]) -> Iterator[tuple[Key, Key]]:
    """The best phrase with each of the others that shares no word with it."""
    for head in scored[:2]:
        for other in scored:
            if (
                other is not head
                and other.score < head.score
                and other.score > 0.45 * head.score
                and not _has_kin(head.key, other.key)
            ):
                yield head.key, other.key


def _with_distinction(book: PhraseBook, head: Key, other: Key) -> str | None:
    new = tuple(word for word in other if word not in head)
    if not new or len(head) + len(new) > _MOST_WORDS or _has_kin(head, new):
        return None
    if len(head) == 1 and head[0] in ONLY_LAST_STEMS:
        return _sentence_case(book.form((*new, *head)))
    if len(new) == 1 and (book.is_name(head) or new[0] in ONLY_LAST_STEMS):
        return _sentence_case(book.form((*head, *new)))
    if len(new) == 1 and (book.is_name(new) or new[0] in ONLY_FIRST):
        return _sentence_case(book.form((*new, *head)))
    return _sentence_case(f"{book.form(head)} ({book.form(new)})")


def _has_kin(head: Key, new: Key) -> bool:
    """Whether two of the words are forms of one, such as "validation" and "validator"."""
    return any(one[:5] == other[:5] for one in head for other in new)


def _vendor(book: PhraseBook, tool: int) -> str:
    """How a tool is called in the name of a toolkit that is all its own; "" if its title is only a
    long description."""
    brand, write = set(book.brand(tool)), book.casing.write
    title = _short_title(book.titles[tool]).split()
    if len(title) > 2 or len(" ".join(title)) > 24:
        title = [
            word
            for word in title
            if word.lower() not in FUNCTION_WORDS and brand.intersection(book.stems_of(word))
        ][:2]
    # A title of plain words is written like any other phrase.
    return " ".join(
        word if position == 0 or brand.intersection(book.stems_of(word)) else write(word)
        for position, word in enumerate(title)
    )[:28]


def _short_title(title: str) -> str:
    """A tool's title up to its first separator, without "API"."""
    head = plain(title)
    for mark in (" - ", " – ", " | ", ": ", " (", "("):
        before = head.split(mark, 1)[0].strip()
        head = before or head
    kept = [word for word in head.split() if word.casefold() not in ("api", "apis", "the")]
    short = " ".join(kept)
    return short if len(short) <= 40 else short[:40].rsplit(" ", 1)[0]


def _first_capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text.split(" ", 1)[0].islower() else text


def _sentence_case(text: str) -> str:
    """First letter as a capital, unless the word has one of its own further in ("iOS")."""
    first = text.split(" ", 1)[0]
    return text if first != first.lower() else text[:1].upper() + text[1:]


def _unique(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for raw in names:
        printable = "".join(letter if letter.isprintable() else " " for letter in raw)
        name = " ".join(printable.split())
        if name and name.casefold() not in seen:
            seen.add(name.casefold())
            yield name


def _first_free(choices: Sequence[str], used: Collection[str]) -> str:
    numbered = (f"{choices[0]} {number}" for number in count(2))
    return next(name for name in chain(choices, numbered) if name.casefold() not in used)
