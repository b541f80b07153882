"""A subject beside names that do not tell it: "AIOM DB movies", "Zumata (travel)".

Whoever does not know a vendor learns nothing from its name. Called where rules for names come to a
vendor's name alone, or to titles of tools.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from toolplanner_core.curation.naming.common_phrases import Common, common_phrases
from toolplanner_core.curation.naming.joining import MORE, and_also, first_capital
from toolplanner_core.curation.naming.mixed_names import category_of_most
from toolplanner_core.curation.naming.phrase_cutting import action_stem
from toolplanner_core.curation.naming.phrases import PhraseBook
from toolplanner_core.curation.naming.titles import subtitle
from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC, ONLY_FIRST
from toolplanner_core.workspace.catalogue import ApiText

WHOLE_TOOL = 0.7
"""A group of so much of a tool may have the tool's title, if that has few words."""
_HALF, _NEARLY_ALL, _ALL = 0.5, 0.7, 0.85
_MANY_TOOLS = 10
"""A word that so many tools say is no proper name."""
_TELLING_LETTERS = 3
_SAYS_NOTHING = FUNCTION_WORDS | GENERIC | ONLY_FIRST
_NEAR_IF_LOUD, _NEAR, _VERY_NEAR, _NEAR_CATEGORY = 0.08, 0.2, 0.3, 0.12
"""Cosine to the members below which a phrase, or a category, has little to do with them."""


def with_subject(
    book: PhraseBook,
    apis: Sequence[ApiText],
    members: Sequence[int],
    vendor: str,
    names: Iterable[str],
    *,
    title: str = "",
    is_whole: bool,
) -> Iterator[str]:
    """Names for members of mainly one vendor; where the best is only its name, or says examples,
    one with what most have in common goes before.

    Args:
        vendor: how it is called in names; "" without one.
        title: of its tool, in short, which may be a name, too.
        names: the best first.
        is_whole: the group is nearly all that the vendor has.
    """
    found = iter(names)
    first = next(found, "")
    has_one_example = first.endswith(f" {MORE}") and "," not in first
    is_bare = first.casefold() in (vendor.casefold(), title.casefold())
    if first and (is_bare or first.endswith(f" {MORE}")):
        named = first if is_bare else vendor
        is_bare = is_bare or has_one_example
        yield from _vendor_with_subject(
            book, apis, members, named, is_bare=is_bare, is_whole=is_whole
        )
    yield from chain([first] if first else [], found)


def _vendor_with_subject(
    book: PhraseBook,
    apis: Sequence[ApiText],
    members: Sequence[int],
    vendor: str,
    *,
    is_bare: bool,
    is_whole: bool,
) -> Iterator[str]:
    """The vendor with what its members have in common."""
    if not vendor or tells(book, vendor, members, is_whole=is_whole):
        return
    least = _HALF if is_bare else _ALL
    common = common_phrases(book, members, least=least, without=book.stems_of(vendor))
    best = [
        one
        for one in common
        if one.is_named or (is_bare and one.is_own and one.nearness >= _VERY_NEAR)
    ]
    yield from (_with(book, vendor, one) for one in best[:2])
    if not is_bare:
        return
    about = subtitle(book.titles[book.tools[members[0]]])
    if about and about.casefold() not in vendor.casefold() and book.is_plain(about.lower().split()):
        yield first_capital(f"{vendor} {about.lower()}")
    category = category_of_most(apis, members) if is_whole else ""
    is_new = category and category[:5].casefold() not in vendor.casefold()
    if is_new and book.nearness_of([category], members)[0] >= _NEAR_CATEGORY:
        yield f"{vendor} ({category})"
    # Part of a tool is told from the rest by what it says itself.
    least = _NEAR_IF_LOUD if is_whole else _NEAR
    further = [one for one in common if one not in best and one.is_loud and one.nearness >= least]
    yield from (_with(book, vendor, one) for one in further[:1] if len(members) > 1)


def _with(book: PhraseBook, vendor: str, one: Common) -> str:
    name = first_capital(f"{vendor} {book.form(one.key)}")
    return name if one.share >= _NEARLY_ALL else and_also(name, MORE)


def tells(book: PhraseBook, vendor: str, members: Sequence[int], *, is_whole: bool) -> bool:
    """Whether a vendor's name says what these are about: in a word that half of them say, too, or
    in words that many tools say; in two where others of its tool have to be told from these."""
    common = [
        word
        for word in map(action_stem, vendor.split())
        if len(word) >= _TELLING_LETTERS
        and word not in _SAYS_NOTHING
        and book.tools_saying((word,)) >= _MANY_TOOLS
    ]
    if len(common) >= (1 if is_whole else 2):
        return True
    said = Counter(
        word for i in members for word in common if (word,) in book.weights_of(i, with_tool=False)
    )
    return any(times >= _HALF * len(members) for times in said.values())
