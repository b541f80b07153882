"""Name toolkits by rule: two or three words of its members that set it apart.

"Currency exchange rates", "Weather forecasts", "JIRA issue links": sentence case, unique within the
workspace, the vendor only where the whole toolkit is one vendor's. A model or a person can name
better and is then marked as the author.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, islice

from toolplanner_core.curation.naming.describing import describe
from toolplanner_core.curation.naming.phrase_cutting import plain
from toolplanner_core.curation.naming.phrases import ONLY_LAST_STEMS, Key, PhraseBook, Scored
from toolplanner_core.curation.naming.subjects import find_subjects, has_kin
from toolplanner_core.curation.naming.verb_nouns import ACTIONS, OUTCOMES
from toolplanner_core.jobs.progress import Report
from toolplanner_core.words.stop_words import FUNCTION_WORDS, ONLY_FIRST
from toolplanner_core.words.stretches import identifier_words
from toolplanner_core.workspace.documentation import ApiText

MIXED = "Mixed"
"""Names of groups whose members share a word, not a subject, begin with it."""
_FITS = 0.3
"""A phrase that covers less than this share of the members is not their common subject."""
_SHARED = 0.35
"""A phrase of one tool among several is a subject if it covers so much."""
_WEAK_OF_VENDOR = 0.9
"""Behind the name of a vendor a common word tells nearly as much as a rare one."""
_ONE_VENDOR, _MAINLY = 0.85, 0.6
_WHOLE_TOOL = 0.7
"""A group of so much of a tool may have the tool's title, if that has few words."""
_TITLE_WORDS = 4
_TITLES = 3
_CARRIES = 0.6
_MOST_WORDS, _MOST_LISTED = 4, 4


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
    tools = Counter(book.tools[i] for i in members)
    main, of_main = tools.most_common(1)[0]
    outcome = _outcome(apis, members)
    titles = [
        title for tool, _ in tools.most_common() if (title := _short_title(book.titles[tool]))
    ]
    if of_main >= _ONE_VENDOR * len(members):
        yield from _vendor_names(book, members, main, outcome)
    else:
        brands = {word for tool in tools for word in book.brand(tool)}
        scored = [one for one in book.score(members) if not brands.intersection(one.key)]
        least = 1 if of_main >= _MAINLY * len(members) else _SHARED
        shared = [one for one in scored if one.tools > 1 or one.coverage > least]
        subjects = list(_subject_names(book, shared, len(members), outcome))
        yield from subjects
        if of_main >= _MAINLY * len(members):
            its = [i for i in members if book.tools[i] == main]
            yield from islice(_vendor_names(book, its, main, outcome), 3)
        if subjects:
            # All are taken: a number says so.
            return
        yield from _mixed_names(book, apis, members, scored, outcome)
    yield from map(_sentence_case, titles[:1])
    yield "Unnamed tools"


def _subject_names(
    book: PhraseBook, scored: Sequence[Scored], members: int, outcome: str
) -> Iterator[str]:
    """What several tools have in common."""
    found = find_subjects(scored, members)
    if found.is_mixed:
        return
    yield _sentence_case(_listed(book, found.keys))
    # The name is taken: add what else these members say or do.
    if len(found.keys) == 1:
        yield from _distinct(book, found.keys[0], scored, outcome)
    for one in scored[:4]:
        if not one.is_weak and one.coverage >= _FITS:
            yield _sentence_case(book.form(one.key))
            yield from _distinct(book, one.key, scored, outcome)


def _distinct(book: PhraseBook, head: Key, scored: Sequence[Scored], outcome: str) -> Iterator[str]:
    if outcome and outcome not in head and len(head) < _MOST_WORDS:
        yield _sentence_case(book.form((*head, outcome)))
    for other in sorted(scored[:12], key=lambda one: one.is_weak):
        if joined := _with_distinction(book, head, other.key):
            yield joined


def _mixed_names(
    book: PhraseBook,
    apis: Sequence[ApiText],
    members: Sequence[int],
    scored: Sequence[Scored],
    outcome: str,
) -> Iterator[str]:
    """Members that resemble one another in a word, not in a subject: said, with some subjects."""
    category, times = Counter(apis[i].category for i in members).most_common(1)[0]
    is_theirs = category and times >= _CARRIES * len(members)
    done = [
        book.form(one.key)
        for one in scored
        if ACTIONS.issuperset(one.key) and len(one.said) >= _CARRIES * len(members)
    ]
    field = (
        outcome or "".join(done[:1]) or (category.replace("_", " ").lower() if is_theirs else "")
    )
    head = f"{MIXED} {field}".strip()
    telling = [one for one in scored if not one.is_weak]
    keys = find_subjects(telling, len(members), room=2, adds=0).keys
    while sum(map(len, keys)) > _MOST_LISTED:
        keys = keys[:-1]
    if len(keys) > 1:
        yield f"{head}: {', '.join(book.form(key) for key in keys)}"
    titles = [title for i in members if (title := _short_title(book.titles[book.tools[i]]))]
    for some in (list(dict.fromkeys(titles))[:_TITLES], titles[:1]):
        if some:
            yield f"{head}: {', '.join(some)}"


def _vendor_names(
    book: PhraseBook, members: Sequence[int], tool: int, outcome: str
) -> Iterator[str]:
    title = _short_title(book.titles[tool])
    if (
        len(members) >= _WHOLE_TOOL * book.tools.count(tool)
        and 1 < len(title.split()) <= _TITLE_WORDS
    ):
        yield _first_capital(title)
    vendor = _vendor(book, tool)
    spoken = set(book.title_stems[tool]) | {vendor.casefold()}
    scored = book.score(members, with_tools=False)
    own = [one for one in scored if not spoken.intersection(one.key)]
    prefix = f"{vendor} " if vendor else ""
    found = find_subjects(
        own, len(members), room=max(2, _MOST_WORDS - len(vendor.split())), weak=0.9
    )
    if found.keys:
        yield _first_capital(
            f"{prefix}{_listed(book, found.keys, most=_MOST_LISTED - len(vendor.split()))}"
        )
    for one in own[:6]:
        yield _first_capital(f"{prefix}{book.form(one.key)}")
        if outcome and outcome not in one.key:
            yield _first_capital(f"{prefix}{book.form(one.key)} {outcome}")
    if vendor:
        yield _first_capital(vendor)
        if outcome:
            yield _first_capital(f"{vendor} {outcome}")


def _listed(book: PhraseBook, keys: Sequence[Key], *, most: int = _MOST_LISTED) -> str:
    """ "encryption and hashing", "orders, carts and products"."""
    while sum(map(len, keys)) > most and len(keys) > 1:
        keys = keys[:-1]
    if len(keys) == 2:
        return _joined(book, *keys)
    *before, last = map(book.form, keys)
    return f"{', '.join(before)} and {last}" if before else last


def _outcome(apis: Sequence[ApiText], members: Sequence[int]) -> str:
    """What most names of the group begin with, as a noun: "deletion"; "" if they do not agree."""
    first: Counter[str] = Counter()
    for i in members:
        run = next(identifier_words(plain(apis[i].name), frozenset()), None)
        if run:
            first[OUTCOMES.get(run[0].lower(), "")] += 1
    best, times = first.most_common(1)[0] if first else ("", 0)
    return best if times >= 0.6 * len(members) else ""


def _joined(book: PhraseBook, first: Key, second: Key) -> str:
    """ "encryption and hashing"; but a proper name goes before: "YouTube playlists"."""
    if len(first) == 1 and first[0] in ONLY_LAST_STEMS:
        first, second = second, first
    if len(second) == 1 and second[0] in ONLY_LAST_STEMS:
        return book.form((*first, *second))
    if len(second) == 1 and book.is_name(second):
        first, second = second, first
    if len(first) == 1 and book.is_name(first) and not book.is_name(second):
        return f"{book.form(first)} {book.form(second)}"
    return f"{book.form(first)} and {book.form(second)}"


def _with_distinction(book: PhraseBook, head: Key, other: Key) -> str | None:
    new = tuple(word for word in other if word not in head)
    if ACTIONS.intersection(head) and ACTIONS.intersection(new):
        return None
    if not new or len(head) + len(new) > _MOST_WORDS or has_kin(head, new):
        return None
    if len(head) == 1 and head[0] in ONLY_LAST_STEMS:
        return _sentence_case(book.form((*new, *head)))
    if len(new) == 1 and (book.is_name(head) or new[0] in ONLY_LAST_STEMS):
        return _sentence_case(book.form((*head, *new)))
    if len(new) == 1 and (book.is_name(new) or new[0] in ONLY_FIRST):
        return _sentence_case(book.form((*new, *head)))
    return _sentence_case(f"{book.form(head)} ({book.form(new)})")


def _vendor(book: PhraseBook, tool: int) -> str:
    """How a tool is called in the name of a toolkit that is all its own; "" if its title is only a
    long description."""
    write = book.casing.write
    title = _short_title(book.titles[tool].replace("_", " ")).split()
    brand = set(book.brand(tool))
    if len(title) > 2 or len(" ".join(title)) > 24:
        named = [
            word
            for word in title
            if word.lower() not in FUNCTION_WORDS and brand.intersection(book.stems_of(word))
        ][:2]
        title = named or ([] if len(title) > _TITLE_WORDS else title)
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
