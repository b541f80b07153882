"""Put phrases together into a name: word order, "and", brackets and capitals."""

from collections.abc import Iterator, Sequence

from toolplanner_core.curation.naming.phrases import Key, PhraseBook
from toolplanner_core.curation.naming.scoring import ONLY_LAST_STEMS
from toolplanner_core.curation.naming.subjects import Subjects
from toolplanner_core.curation.naming.verb_nouns import ACTIONS

MORE = "more"
"""Last in a name that does not say all."""


def listed(book: PhraseBook, found: Subjects) -> str:
    """ "encryption and hashing", "orders, carts and products", "YouTube playlists"."""
    if found.are_one:
        return together(book, *found.keys)
    if len(found.keys) == 2 and (whole := _one_phrase(book, *found.keys)):
        return book.form(whole)
    ordered = sorted(found.keys, key=lambda key: not book.is_name(key))
    return enumerated([book.form(key) for key in ordered])


def _one_phrase(book: PhraseBook, first: Key, second: Key) -> Key:
    """Both as the one phrase that they are parts of, "air quality health index"; () if none."""
    for whole in ((*first, *second), (*second, *first)):
        if len(whole) > 2 and book.is_usual(whole[:3]) and book.is_usual(whole[-3:]):
            return whole
    return ()


def enumerated(texts: Sequence[str]) -> str:
    """ "games", "games and music", "games, music and food"; "" of nothing."""
    if len(texts) < 2:
        return "".join(texts)
    *before, last = texts
    return f"{', '.join(before)} and {last}"


def some_of(
    texts: Sequence[str], *, of: int = 0, most: int = 3, letters: int = 48
) -> Iterator[str]:
    """The texts as a list, or as many of the first as there is room for, and "more"; ever fewer.

    Args:
        of: how many there are, if not only these.
    """
    for count in range(min(most, len(texts)), 0, -1):
        told = enumerated([*texts[:count], *([MORE] if count < max(of, len(texts)) else [])])
        if len(told) <= letters or count == 1:
            yield told


def as_many_as_fit(texts: Sequence[str], *, letters: int) -> Sequence[str]:
    """The first texts, as many as have room in a list; at least one of them."""
    for count in range(len(texts), 1, -1):
        if len(enumerated(texts[:count])) <= letters:
            return texts[:count]
    return texts[:1]


def and_also(name: str, last: str) -> str:
    """The name with one more thing in it: "orders and carts", "gifts" is "orders, carts and
    gifts"."""
    *before, end = name.rsplit(" and ", 1)
    if end == MORE:
        return name if last == MORE else f"{', '.join([*before, last])} and {MORE}"
    return f"{', '.join([*before, end])} and {last}"


def together(book: PhraseBook, first: Key, second: Key) -> str:
    """Two phrases of the same members: as one if the second is an action, or a word such as
    "prices" and documentation says so, or the first is a proper name; else with "and"."""
    for head, last in ((first, second), (second, first)):
        is_action = len(last) == 1 and last[0] in ACTIONS and not ACTIONS.intersection(head)
        is_last = last[-1] in ONLY_LAST_STEMS and head[0] not in ONLY_LAST_STEMS
        if is_action or (is_last and book.is_usual((*head, *last))):
            return book.form((*head, *last))
    if book.is_name(second) and not book.is_name(first):
        first, second = second, first
    most = 2 if book.form(first).isupper() else 3
    if book.is_name(first) and len(first) + len(second) <= most:
        return book.form((*first, *second))
    return f"{book.form(first)} and {book.form(second)}"


def first_capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text.split(" ", 1)[0].islower() else text


def sentence_case(text: str) -> str:
    """First letter as a capital, unless the word has one of its own further in ("iOS")."""
    first = text.split(" ", 1)[0]
    return text if first != first.lower() else text[:1].upper() + text[1:]
