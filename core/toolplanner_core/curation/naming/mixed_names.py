"""Names for groups whose members resemble one another in a word, or in how little they say.

No subject is common to them, so the name says what is in the group: its tools if they are few, else
that it is mixed, with what several of its members are about or the trades that its tools are of.
Called by `toolkit_names.py`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from toolplanner_core.curation.naming.common_phrases import common_phrases
from toolplanner_core.curation.naming.joining import (
    MORE,
    enumerated,
    first_capital,
    sentence_case,
    some_of,
)
from toolplanner_core.curation.naming.phrases import PhraseBook
from toolplanner_core.curation.naming.placeholders import TESTS, are_tests
from toolplanner_core.curation.naming.scoring import Scored
from toolplanner_core.curation.naming.subjects import find_subjects
from toolplanner_core.curation.naming.titled_alike import titled_alike
from toolplanner_core.curation.naming.titles import titles_of
from toolplanner_core.curation.naming.trades import trade_of
from toolplanner_core.curation.naming.verb_nouns import ACTIONS
from toolplanner_core.workspace.catalogue import ApiText

MIXED = "Mixed"
"""Names of such groups begin with it unless they list their tools."""
_MOST = 0.6
"""What so many members say, do, or are from, is about all of them."""
_HALF = 0.5
_EXAMPLE, _EXAMPLES = 0.15, 2
_SHOWN = 0.6
"""Examples that fewer members are about are not all that is in the group."""
_NEARLY_ALL, _NEAR = 0.75, 0.2
"""What so many members say in their names, this near to what they are about, goes before titles."""
_NEAR_TRADE = 0.1
"""Cosine to the members below which a category has nothing to do with them."""
_FEW_TOOLS = 12
"""Titles of so few tools say more of them than their categories."""
_MAIN = 0.3
"""The tool of so many members is named, whatever it is called."""
_TOLD = 3
_LISTED, _WORDS, _LETTERS = 4, 7, 48


def mixed_names(
    book: PhraseBook,
    apis: Sequence[ApiText],
    members: Sequence[int],
    scored: Sequence[Scored],
    outcome: str,
) -> Iterator[str]:
    """Names for such a group, the best first.

    Args:
        scored: phrases of the group without its brands, best first.
        outcome: what most of its names do, as a noun; "" if they do not agree.
    """
    titles = titles_of(book, members)
    plain_ones = [title for title in titles if book.is_plain(title.split())]
    if are_tests(apis, members):
        yield TESTS
        yield from (f"{TESTS}: {title}" for title in titles)
    yield from titled_alike(book, members)
    tools = len({book.tools[i] for i in members})
    listed = enumerated(titles)
    is_brief = len(listed.split()) <= _WORDS and len(listed) <= _LETTERS
    if tools == len(titles) <= _LISTED and is_brief:
        if len(titles) > 1:
            stems = book.stems_of(listed)
            common = common_phrases(book, members, least=_NEARLY_ALL, without=stems)
            near = [one for one in common if one.is_named and one.nearness >= _NEAR]
            yield from (sentence_case(f"{book.form(one.key)} ({listed})") for one in near[:1])
        yield first_capital(listed)
    trades, of_trades = _near_trades(book, apis, members)
    of_all = trades[0] if of_trades and of_trades[0] >= _MOST * len(members) else ""
    done = outcome or _done(book, scored, len(members))
    head = f"{MIXED} {done or of_all}".strip()
    examples, shown = _examples(book, len(members), scored)
    if len(examples) > 1:
        enough = shown >= _SHOWN * len(members)
        some = examples if enough else [*examples[:_EXAMPLES], MORE]
        yield f"{head}: {enumerated(some)}"
    if tools <= _FEW_TOOLS:
        main = Counter(book.tools[i] for i in members).most_common(1)[0][1]
        shown = titles if main >= _MAIN * len(members) else plain_ones or titles
        yield from (f"{head}: {told}" for told in some_of(shown, of=tools))
    if not of_all:
        # The head may say the only one: "Mixed translation".
        kinds = [trade for trade in trades if trade != done][:_TOLD]
        if kinds and sum(of_trades[:_TOLD]) >= _HALF * len(members):
            yield f"{head}: {enumerated(kinds)}"
        elif kinds:
            yield f"{head}: {enumerated([*kinds[:2], MORE])}"
        further = [*examples, *plain_ones] if kinds else []
        yield from (f"{head}: {enumerated([*kinds[:2], each])}" for each in further)
    for some in (plain_ones, titles):
        yield from (f"{head}: {told}" for told in some_of(some, of=tools))


def category_of_most(apis: Sequence[ApiText], members: Sequence[int]) -> str:
    """The category of most members, in plain words; "" if they are of several."""
    trades, times = _trades(apis, members)
    return trades[0] if times and times[0] >= _MOST * len(members) else ""


def _near_trades(
    book: PhraseBook, apis: Sequence[ApiText], members: Sequence[int]
) -> tuple[list[str], list[int]]:
    """Those categories that have to do with what is in them: whoever tries something out takes the
    first of the list."""
    trades, times = _trades(apis, members)
    near = book.nearness_of(trades, members)
    kept = [place for place, cosine in enumerate(near) if cosine >= _NEAR_TRADE]
    return [trades[place] for place in kept], [times[place] for place in kept]


def _trades(apis: Sequence[ApiText], members: Sequence[int]) -> tuple[list[str], list[int]]:
    """Categories that say something, in plain words, and how many members are of each."""
    found = Counter(filter(None, (trade_of(apis[i].category) for i in members)))
    ranked = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    return [trade for trade, _ in ranked], [times for _, times in ranked]


def _examples(book: PhraseBook, members: int, scored: Sequence[Scored]) -> tuple[list[str], int]:
    """Phrases of several members each, of usual words if there are, and how many members say
    them."""
    least = max(_EXAMPLE * members, 1)
    able = (one for one in scored if one.is_named and not one.is_weak)
    telling = [one for one in able if len(one.said) >= least]
    known = [one for one in telling if book.is_plain(one.key) or book.is_usual(one.key)]
    for some in (known, telling):
        found = find_subjects(some, members, room=2, adds=_EXAMPLE)
        if len(found.keys) > 1:
            return [book.form(key) for key in found.keys], len(found.covered)
    return [], 0


def _done(book: PhraseBook, scored: Sequence[Scored], members: int) -> str:
    """What most members do: "conversion"; "" if they do not agree."""
    done = (one for one in scored if ACTIONS.issuperset(one.key))
    return next((book.form(one.key) for one in done if len(one.said) >= _HALF * members), "")


def titles_in_brackets(book: PhraseBook, members: Sequence[int]) -> list[str]:
    """ "(PagerTree and Opsgenie)", "(PagerTree and more)": what tells a toolkit from others of its
    name."""
    titles = titles_of(book, members)
    further = [f"{title} and {MORE}" for title in titles[1:_TOLD]] if len(titles) > 1 else []
    fitting = (text for text in [*some_of(titles, letters=_LETTERS), *further])
    return [f"({text})" for text in dict.fromkeys(fitting) if len(text) <= _LETTERS]
