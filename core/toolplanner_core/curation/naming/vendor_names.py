"""Names for groups of one vendor: it and what its members are about, "Bitzly links".

Called by `toolkit_names.py`, and for groups that are mainly one vendor's.
"""

from collections.abc import Iterator, Sequence

from toolplanner_core.curation.naming.joining import (
    MORE,
    and_also,
    enumerated,
    first_capital,
    listed,
)
from toolplanner_core.curation.naming.opaque_names import tells
from toolplanner_core.curation.naming.phrases import Key, PhraseBook
from toolplanner_core.curation.naming.scoring import Scored, score
from toolplanner_core.curation.naming.shared_actions import SharedActions
from toolplanner_core.curation.naming.subjects import find_subjects, has_kin
from toolplanner_core.curation.naming.titles import vendor_of

_MANY_SAY = 0.35
"""What so many members say, tells them from others of their vendor."""
_MOST_WORDS, _MOST_IN_ALL = 4, 5
_FEW, _SOME_SAY = 3, 0.2
"""What a fifth say, and more than one but in a group of few, is an example also alone."""
_EXAMPLES, _SORTS = 2, 3
"""What takes so many phrases to say is all sorts; the vendor's name alone says it."""
_TRIED = 6
_SHORTEST = 3
"""Letters; "FB" is often a piece of an identifier."""
_NEARLY_ALL = 0.7
"""A name that says what fewer members are about says that there is more."""


def vendor_names(
    book: PhraseBook,
    members: Sequence[int],
    tool: int,
    actions: SharedActions,
    *,
    is_whole: bool = False,
) -> Iterator[str]:
    """Names for a group of mainly this tool, the best first.

    Args:
        is_whole: the group is nearly all of the tool.
    """
    vendor = vendor_of(book, tool)
    spoken = set(book.title_stems[tool]) | {vendor.casefold()}
    scored = score(book, members, with_tools=False)
    own = [one for one in scored if not spoken.intersection(one.key)]
    # What only descriptions say is rarely what they are about: names were chosen to tell apart.
    named = [one for one in own if one.is_named]
    is_plain = book.is_plain(vendor.split())
    is_opaque = not (is_plain and tells(book, vendor, members, is_whole=is_whole))
    yield from prefixed(book, named or own, len(members), vendor, actions, is_opaque=is_opaque)


def _is_telling(book: PhraseBook, key: Key) -> bool:
    return all(len(word) >= _SHORTEST and book.is_known(word) for word in key)


def prefixed(
    book: PhraseBook,
    own: Sequence[Scored],
    members: int,
    vendor: str,
    actions: SharedActions,
    *,
    is_opaque: bool = False,
) -> Iterator[str]:
    """A vendor's name and what its members are about; the name alone if that is all sorts.

    Args:
        is_opaque: the name alone tells nothing, so what some are about goes with it.
    """
    outcome = actions.outcome
    prefix = f"{vendor} " if vendor else ""
    length = len(vendor.split())
    found = find_subjects(own, members, room=max(2, _MOST_WORDS - length), weak=0.9)
    if vendor and (found.is_mixed or len(found.keys) == _SORTS):
        named = sorted((one for one in own if one.is_named), key=lambda one: -len(one.said))
        if is_opaque:
            named = [one for one in named if _is_telling(book, one.key)]
        some = find_subjects(named, members, room=1, weak=0.9, adds=0)
        shown = some.keys[:_EXAMPLES]
        least = max(1 if members <= _FEW else 2, _SOME_SAY * members)
        is_one = len(shown) == 1 and len(some.covered) >= least
        enough = is_one or len(shown) == _EXAMPLES
        examples = [*map(book.form, shown), MORE] if enough else []
        told = [f"{prefix}{enumerated(examples)}"] if examples else []
        alone = f"{prefix}{actions.of_thing}".strip()
        says_what = actions.of_thing not in ("", "lists")
        both = [alone, *told] if says_what or not is_opaque else [*told, alone]
        yield from map(first_capital, both)
    for each in (found, *found.others) if found.keys else ():
        said = listed(book, each)
        if vendor and len(each.covered) < _NEARLY_ALL * members:
            said = and_also(said, MORE)
        is_done = outcome and len(each.keys) == 1 and outcome not in each.keys[0]
        for name in (f"{prefix}{said} {outcome}" if is_done else "", f"{prefix}{said}"):
            if name and len(name.removesuffix(f" and {MORE}").split()) <= _MOST_IN_ALL:
                yield first_capital(name)
    # The name is taken: the same with what else some say, or that alone.
    first = book.form(found.keys[0]) if found.keys and not found.is_mixed else ""
    for one in own[:_TRIED]:
        if first and vendor and one.is_named and not has_kin(found.keys[0], one.key):
            rest = [MORE] if len(found.covered | one.said) < members else []
            yield first_capital(f"{prefix}{enumerated([first, book.form(one.key), *rest])}")
    for one in own[:_TRIED]:
        if len(one.said) >= _MANY_SAY * members and one.is_named:
            yield first_capital(f"{prefix}{book.form(one.key)}")
    if vendor:
        yield first_capital(vendor)
        if outcome:
            yield first_capital(f"{vendor} {outcome}")
