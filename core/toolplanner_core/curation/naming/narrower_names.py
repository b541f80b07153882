"""One word that is too general for a name, with what else most members say: "Spotify tracks",
"Product reviews", "Secrets (authenticator)".

The other word may stand anywhere, also in titles and descriptions of tools, where it sets
the group apart. Called where the subject of several vendors has one word or two.
"""

from collections.abc import Iterator, Sequence

from toolplanner_core.curation.naming.common_phrases import Common, common_phrases
from toolplanner_core.curation.naming.joining import listed, sentence_case
from toolplanner_core.curation.naming.phrases import IN_NAME, Key, PhraseBook
from toolplanner_core.curation.naming.scoring import can_be_name
from toolplanner_core.curation.naming.subjects import Subjects
from toolplanner_core.curation.naming.verb_nouns import NOT_NOUNS

_MOST, _IN_BRACKETS = 0.6, 0.7
"""Share of the members that say it."""
_TITLED = 0.5
_NEAR, _VERY_NEAR = 0.2, 0.3
_TOGETHER = 3
"""Tools that say both words one after the other."""


def narrowed(
    book: PhraseBook, found: Subjects, members: Sequence[int], told_by: Sequence[str]
) -> Iterator[str]:
    """The name with one more word, if most members say one.

    Args:
        told_by: what tells it from others of the same name, in brackets.
    """
    for name in _narrowed(book, found, members):
        yield name
        yield from (f"{name} {each}" for each in told_by[:2] if "(" not in name)


def _narrowed(book: PhraseBook, found: Subjects, members: Sequence[int]) -> Iterator[str]:
    if any(len(key) > 1 for key in found.keys):
        return
    said = [word for key in found.keys for word in key]
    common = common_phrases(book, members, least=_MOST, without=said)
    near = [
        one
        for one in common
        if one.nearness >= (_NEAR if one.is_loud else _VERY_NEAR)
        and (not book.is_name(one.key) or _is_titled(book, one.key, members))
    ]
    name = listed(book, found)
    head = found.keys[0]
    is_single = len(found.keys) == 1
    for one in near:
        is_other = book.is_name(one.key) and not book.is_name(head)
        if is_other and book.is_usual(one.key):
            both = _as_phrase(book, head, one) or (*one.key, *head)
            yield sentence_case(book.form(both) if is_single else f"{book.form(one.key)} {name}")
            return
    if not is_single:
        return
    for one in near:
        if both := _as_phrase(book, head, one):
            yield sentence_case(book.form(both))
            return
    for one in near:
        if one.share >= _IN_BRACKETS and one.nearness >= _VERY_NEAR:
            yield sentence_case(f"{name} ({book.form(one.key)})")
            return


def _is_titled(book: PhraseBook, key: Key, members: Sequence[int]) -> bool:
    """Whether names or titles of tools say it of at least half of the members; descriptions name
    languages and countries as examples."""
    named = sum(
        book.weights_of(i, with_tool=False).get(key, 0.0) >= IN_NAME
        or set(key) <= set(book.title_stems[book.tools[i]])
        for i in members
    )
    return named >= _TITLED * len(members)


def _as_phrase(book: PhraseBook, head: Key, one: Common) -> Key:
    """Both in the order in which tools say them; () if they do not."""
    if len(one.key) > 1:
        return ()
    both, swapped = (*one.key, *head), (*head, *one.key)
    best: Key = max(both, swapped, key=book.tools_saying)
    is_said = book.tools_saying(best) >= _TOGETHER
    last = best[len(best) - 1]
    return best if is_said and can_be_name(best, book.casing) and last not in NOT_NOUNS else ()
