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
from toolplanner_core.curation.naming.joining import (
    first_capital,
    listed,
    sentence_case,
    together,
)
from toolplanner_core.curation.naming.phrase_cutting import plain
from toolplanner_core.curation.naming.phrases import PhraseBook
from toolplanner_core.curation.naming.scoring import Scored, score
from toolplanner_core.curation.naming.subjects import find_subjects, has_kin
from toolplanner_core.curation.naming.titles import (
    TITLE_WORDS,
    shared_brand,
    short_title,
    vendor_of,
)
from toolplanner_core.curation.naming.verb_nouns import ACTIONS, OUTCOMES
from toolplanner_core.jobs.progress import Report
from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC
from toolplanner_core.words.stretches import identifier_words
from toolplanner_core.workspace.documentation import ApiText

MIXED = "Mixed"
"""Names of groups whose members share a word, not a subject, begin with it."""
_SHARED = 0.35
"""A phrase of one tool among several is a subject if it covers so much."""
_ONE_VENDOR, _MOSTLY, _MAINLY = 0.85, 0.75, 0.6
_SAYS_NOTHING = GENERIC | FUNCTION_WORDS
"""Words that a category may have and still be none: "Other", "Data"."""
_WHOLE_TOOL = 0.7
"""A group of so much of a tool may have the tool's title, if that has few words."""
_MOST_SAY = 0.6
"""What so many members say could be their name; where so many are from is their category."""
_MANY_SAY = 0.35
"""What so many members say, tells them from others of their name."""
_EXAMPLE = 0.15
_TITLES, _BRIEF = 2, 2
_MOST_WORDS, _MOST_IN_ALL = 4, 5
_SORTS = 3
"""What takes so many phrases to say is all sorts; the vendor's name alone says it."""


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
    if of_main >= _ONE_VENDOR * len(members):
        title = short_title(book.titles[main])
        is_whole = len(members) >= _WHOLE_TOOL * book.sizes[main]
        if is_whole and 1 < len(title.split()) <= TITLE_WORDS:
            yield first_capital(title)
        yield from _vendor_names(book, members, main, outcome)
    elif brand := shared_brand(book, members, share=_ONE_VENDOR):
        named = {brand}.union(*(book.brand(tool) for tool in tools))
        scored = [one for one in score(book, members) if not named.intersection(one.key)]
        yield from _prefixed(book, scored, len(members), book.form((brand,)), outcome)
    else:
        brands = {word for tool in tools for word in book.brand(tool)}
        scored = [one for one in score(book, members) if not brands.intersection(one.key)]
        is_mainly = of_main >= _MAINLY * len(members)
        least = 1 if is_mainly else _SHARED
        shared = [one for one in scored if one.tools > 1 or one.coverage > least]
        category = _category(apis, members)
        subjects = list(_subject_names(book, shared, len(members), outcome, category))
        of_vendor = list(_vendor_names(book, members, main, outcome)) if is_mainly else []
        # "Videos" of TikTok mainly are "TikTok videos".
        is_wide = of_main >= _MOSTLY * len(members) and subjects and " " not in subjects[0]
        yield from (name for name in of_vendor[:1] if is_wide and " " in name)
        yield from subjects
        yield from of_vendor
        if subjects:
            # All are taken: a number says so.
            return
        yield from _mixed_names(book, members, scored, outcome, category)
    titles = [title for tool, _ in tools.most_common() if (title := short_title(book.titles[tool]))]
    yield from map(sentence_case, titles[:1])
    yield "Unnamed tools"


def _subject_names(
    book: PhraseBook, scored: Sequence[Scored], members: int, outcome: str, category: str
) -> Iterator[str]:
    """What several tools have in common."""
    found = find_subjects(scored, members)
    if found.is_mixed:
        return
    yield sentence_case(listed(book, found))
    # The name is taken: add what else these members say or do.
    if len(found.keys) == 1:
        (head,) = found.keys
        if outcome and outcome not in head:
            yield sentence_case(book.form((*head, outcome)))
        for one in sorted(scored, key=lambda one: one.is_weak):
            if len(one.said) >= _MANY_SAY * members and not has_kin(head, one.key):
                yield sentence_case(together(book, head, one.key))
    said = {word for key in found.keys for word in key}
    near = [
        one for one in found.others if said.intersection(word for key in one.keys for word in key)
    ]
    yield from (sentence_case(listed(book, one)) for one in near)
    if category and not has_kin(tuple(said), tuple(category.split())):
        yield f"{sentence_case(listed(book, found))} ({category})"


def _mixed_names(
    book: PhraseBook,
    members: Sequence[int],
    scored: Sequence[Scored],
    outcome: str,
    category: str,
) -> Iterator[str]:
    """Members that resemble one another in a word, not in a subject: said, with some subjects."""
    done = [
        book.form(one.key)
        for one in scored
        if ACTIONS.issuperset(one.key) and len(one.said) >= _MOST_SAY * len(members)
    ]
    head = f"{MIXED} {outcome or ''.join(done[:1]) or category}".strip()
    telling = [
        one
        for one in scored
        if not one.is_weak and len(one.said) >= max(_EXAMPLE * len(members), 1)
    ]
    keys = find_subjects(telling, len(members), room=2, adds=_EXAMPLE).keys
    examples = [book.form(key) for key in keys[:_TITLES]] if len(keys) > 1 else []
    titles = dict.fromkeys(short_title(book.titles[book.tools[i]]) for i in members)
    brief = sorted(filter(None, titles), key=lambda title: len(title.split()) > _BRIEF)
    for some in (examples, brief[:_TITLES], brief[:1]):
        if name := ", ".join(some):
            yield f"{head}: {name}"


def _vendor_names(
    book: PhraseBook, members: Sequence[int], tool: int, outcome: str
) -> Iterator[str]:
    vendor = vendor_of(book, tool)
    spoken = set(book.title_stems[tool]) | {vendor.casefold()}
    scored = score(book, members, with_tools=False)
    own = [one for one in scored if not spoken.intersection(one.key)]
    yield from _prefixed(book, own, len(members), vendor, outcome)


def _prefixed(
    book: PhraseBook, own: Sequence[Scored], members: int, vendor: str, outcome: str
) -> Iterator[str]:
    """A vendor's name and what its members are about; the name alone if that is all sorts."""
    prefix = f"{vendor} " if vendor else ""
    length = len(vendor.split())
    found = find_subjects(own, members, room=max(2, _MOST_WORDS - length), weak=0.9)
    if vendor and (found.is_mixed or len(found.keys) == _SORTS):
        yield first_capital(vendor)
    if found.keys:
        name = f"{prefix}{listed(book, found)}"
        if len(name.split()) <= _MOST_IN_ALL:
            yield first_capital(name)
    for one in own[:6]:
        if len(one.said) >= _MANY_SAY * members:
            yield first_capital(f"{prefix}{book.form(one.key)}")
        if outcome and outcome not in one.key:
            yield first_capital(f"{prefix}{book.form(one.key)} {outcome}")
    if vendor:
        yield first_capital(vendor)
        if outcome:
            yield first_capital(f"{vendor} {outcome}")


def _category(apis: Sequence[ApiText], members: Sequence[int]) -> str:
    """The category of most members, in plain words; "" if they are of several."""
    category, times = Counter(apis[i].category for i in members).most_common(1)[0]
    written = category.replace("_", " ").lower().split()
    is_theirs = times >= _MOST_SAY * len(members)
    return " ".join(written) if is_theirs and not _SAYS_NOTHING.issuperset(written) else ""


def _outcome(apis: Sequence[ApiText], members: Sequence[int]) -> str:
    """What most names of the group begin with, as a noun: "deletion"; "" if they do not agree."""
    first: Counter[str] = Counter()
    for i in members:
        run = next(identifier_words(plain(apis[i].name), frozenset()), None)
        if run:
            first[OUTCOMES.get(run[0].lower(), "")] += 1
    best, times = first.most_common(1)[0] if first else ("", 0)
    return best if times >= 0.6 * len(members) else ""


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
