"""Name toolkits by rule: two or three words of its members that set it apart.

"Currency exchange rates", "Weather forecasts", "JIRA issue links": sentence case, unique within the
workspace, the vendor only where the whole toolkit is one vendor's. A model or a person can name
better and is then marked as the author.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count

from toolplanner_core.curation.naming.describing import described
from toolplanner_core.curation.naming.joining import first_capital, sentence_case, some_of
from toolplanner_core.curation.naming.numbers import in_number
from toolplanner_core.curation.naming.opaque_names import WHOLE_TOOL, tells, with_subject
from toolplanner_core.curation.naming.phrases import PhraseBook
from toolplanner_core.curation.naming.placeholders import placeholder_names
from toolplanner_core.curation.naming.scoring import score
from toolplanner_core.curation.naming.shared_actions import find_shared_actions
from toolplanner_core.curation.naming.shared_names import names_of_several
from toolplanner_core.curation.naming.single_names import single_names
from toolplanner_core.curation.naming.titled_alike import titled_alike
from toolplanner_core.curation.naming.titles import (
    TITLE_WORDS,
    shared_brand,
    short_title,
    vendor_of,
)
from toolplanner_core.curation.naming.trades import trade_of
from toolplanner_core.curation.naming.vendor_names import prefixed, vendor_names
from toolplanner_core.jobs.isolation import Isolation, PartKind
from toolplanner_core.jobs.progress import Report
from toolplanner_core.workspace.catalogue import ApiText

_ONE_VENDOR = 0.8
UNNAMED = "Unnamed"
"""How names begin where a rule failed, or has no word."""
_NO_WORD = "Unnamed tools"
_LONGEST_PLAIN = 40
_JOINERS = "\u200c\u200d"
"""Without them, joined emoji fall apart."""
_NAMES = PartKind("name of a toolkit", "names of toolkits", f"such a name begins with “{UNNAMED}”")


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
    isolation: Isolation | None = None,
) -> list[ToolkitText]:
    """Names and descriptions for groups of APIs.

    Args:
        apis: all APIs of the catalogue, also those in no group: what is common is learned here.
        groups: positions of each group's members, most central first; none is empty.
        taken: names that other toolkits have already.
        report: told how many toolkits are named.
        isolation: what remembers the groups on which a rule failed; these are called plainly.
    """
    isolation = isolation or Isolation()
    report("Reading documentation", 0, len(apis))
    book = isolation.make(_NAMES, lambda: PhraseBook(apis), lambda: None, times=len(groups))
    used = {name.casefold() for name in taken}
    names = [""] * len(groups)
    # The largest toolkit gets a name that several could have; the others say what sets them apart.
    by_size = sorted(range(len(groups)), key=lambda number: -len(groups[number]))
    for done, number in enumerate(by_size):
        report("Naming toolkits", done, len(groups), "toolkits")
        names[number] = _name(book, apis, groups[number], used, isolation)
        used.add(names[number].casefold())
    report("Naming toolkits", len(groups), len(groups), "toolkits")
    whole = frozenset[str]() if book is None else book.casing.whole
    return [
        ToolkitText(name=name, description=described(apis, members, whole=whole, by=isolation))
        for name, members in zip(names, groups, strict=True)
    ]


def _name(
    book: PhraseBook | None,
    apis: Sequence[ApiText],
    members: Sequence[int],
    used: Collection[str],
    isolation: Isolation,
) -> str:
    """The best name for one group that is free."""
    plain = _plain_name(apis, members)
    if book is None:
        return _first_free([plain], used)
    return isolation.make(
        _NAMES,
        lambda: _first_free(names_of_group(book, apis, members), used),
        lambda: _first_free([plain], used),
        part=plain,
    )


def _plain_name(apis: Sequence[ApiText], members: Sequence[int]) -> str:
    """What a group is called where a rule fails: by its most usual category, else its first
    member."""
    trades = Counter(filter(None, (trade_of(apis[i].category) for i in members)))
    first = apis[members[0]]
    about = trades.most_common(1)[0][0] if trades else first.name or first.tool
    return next(_unique([f"{UNNAMED}: {about[:_LONGEST_PLAIN]}" if about else UNNAMED]))


def names_of_group(
    book: PhraseBook, apis: Sequence[ApiText], members: Sequence[int]
) -> Iterator[str]:
    """Names for one group, the best first; at least one.

    Args:
        members: positions of its APIs, most central first; not empty.
    """
    found = False
    for name in _unique(_names(book, apis, members)):
        found = True
        yield name
    if not found:
        yield from _symbols(apis, members)
        yield _NO_WORD


def _symbols(apis: Sequence[ApiText], members: Sequence[int]) -> Iterator[str]:
    """The titles of tools that have no letters, such as emoji, where all are such."""
    titles = [*dict.fromkeys(apis[i].tool.strip() for i in members)]
    if not any(letter.isalnum() for title in titles for letter in title):
        yield from some_of([title for title in titles if title])


def _names(book: PhraseBook, apis: Sequence[ApiText], members: Sequence[int]) -> Iterator[str]:
    yield from placeholder_names(book, apis, members)
    names = _by_phrases(book, apis, members)
    if len(members) == 1:
        names = single_names(book, apis[members[0]], book.tools[members[0]], names)
    yield from names


def _by_phrases(book: PhraseBook, apis: Sequence[ApiText], members: Sequence[int]) -> Iterator[str]:
    """Names by what the members say."""
    tools = Counter(book.tools[i] for i in members)
    main, of_main = tools.most_common(1)[0]
    if of_main >= _ONE_VENDOR * len(members):
        title = short_title(book.titles[main])
        is_whole = len(members) >= WHOLE_TOOL * book.sizes[main]
        is_name = is_whole and 1 < len(title.split()) <= TITLE_WORDS
        actions = find_shared_actions(book, apis, members)
        of_vendor = vendor_names(book, members, main, actions, is_whole=is_whole)
        names = chain([first_capital(title)] if is_name else [], of_vendor)
        vendor = vendor_of(book, main)
        yield from with_subject(book, apis, members, vendor, names, title=title, is_whole=is_whole)
    elif brand := shared_brand(book, members, share=_ONE_VENDOR):
        named = set(brand).union(*(book.brand(tool) for tool in tools))
        scored = [one for one in score(book, members) if not named.intersection(one.key)]
        vendor = first_capital(book.form(brand))
        is_opaque = not tells(book, vendor, members, is_whole=True)
        actions = find_shared_actions(book, apis, members)
        names = prefixed(book, scored, len(members), book.form(brand), actions, is_opaque=is_opaque)
        told = with_subject(book, apis, members, vendor, names, is_whole=False)
        first = next(told, vendor)
        is_bare = vendor.casefold().startswith(first.casefold())
        yield from titled_alike(book, members) if is_bare else ()
        yield from chain([first], told)
    else:
        names = names_of_several(book, apis, members, tools)
        yield from (in_number(book, members, name) for name in names)
        return
    yield sentence_case(short_title(book.titles[main]))
    yield from _symbols(apis, members)
    yield _NO_WORD


def _unique(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for raw in names:
        printable = "".join(
            letter if letter.isprintable() or letter in _JOINERS else " " for letter in raw
        )
        # A title that was cut may end in a comma.
        name = " ".join(printable.split()).rstrip(" ,:;")
        if name and name.casefold() not in seen:
            seen.add(name.casefold())
            yield name


def _first_free(choices: Iterable[str], used: Collection[str]) -> str:
    """The first name that is free, else the first of all with a number."""
    first = ""
    for name in choices:
        first = first or name
        if name.casefold() not in used:
            return name
    numbered = (f"{first} {number}" for number in count(2))
    return next(name for name in numbered if name.casefold() not in used)
