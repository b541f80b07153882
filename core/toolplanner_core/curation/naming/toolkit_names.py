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
from toolplanner_core.curation.naming.doings import find_doings
from toolplanner_core.curation.naming.joining import (
    first_capital,
    sentence_case,
)
from toolplanner_core.curation.naming.numbers import in_number
from toolplanner_core.curation.naming.opaque_names import WHOLE_TOOL, tells, with_subject
from toolplanner_core.curation.naming.phrases import PhraseBook
from toolplanner_core.curation.naming.placeholders import placeholder_names
from toolplanner_core.curation.naming.scoring import score
from toolplanner_core.curation.naming.shared_names import names_of_several
from toolplanner_core.curation.naming.single_names import single_names
from toolplanner_core.curation.naming.titled_alike import titled_alike
from toolplanner_core.curation.naming.titles import (
    TITLE_WORDS,
    shared_brand,
    short_title,
    vendor_of,
)
from toolplanner_core.curation.naming.vendor_names import prefixed, vendor_names
from toolplanner_core.jobs.progress import Report
from toolplanner_core.workspace.documentation import ApiText

_ONE_VENDOR = 0.8


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
        choices = list(_unique(_names(book, apis, members))) or ["Unnamed tools"]
        candidates.append((len(members), number, choices))
    # The largest toolkit gets a name that several could have; the others say what sets them apart.
    used = {name.casefold() for name in taken}
    names = [""] * len(groups)
    for _, number, choices in sorted(candidates, key=lambda one: (-one[0], one[1])):
        names[number] = _first_free(choices, used)
        used.add(names[number].casefold())
    report("Naming toolkits", len(groups), len(groups), "toolkits")
    return [
        ToolkitText(name=name, description=describe(apis, members, whole=book.casing.whole))
        for name, members in zip(names, groups, strict=True)
    ]


def _names(book: PhraseBook, apis: Sequence[ApiText], members: Sequence[int]) -> Iterator[str]:
    """Names for one group, the best first."""
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
        doings = find_doings(book, apis, members)
        of_vendor = vendor_names(book, members, main, doings, is_whole=is_whole)
        names = chain([first_capital(title)] if is_name else [], of_vendor)
        vendor = vendor_of(book, main)
        yield from with_subject(book, apis, members, vendor, names, title=title, is_whole=is_whole)
    elif brand := shared_brand(book, members, share=_ONE_VENDOR):
        named = set(brand).union(*(book.brand(tool) for tool in tools))
        scored = [one for one in score(book, members) if not named.intersection(one.key)]
        vendor = first_capital(book.form(brand))
        is_opaque = not tells(book, vendor, members, is_whole=True)
        doings = find_doings(book, apis, members)
        names = prefixed(book, scored, len(members), book.form(brand), doings, is_opaque=is_opaque)
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
    yield "Unnamed tools"


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
