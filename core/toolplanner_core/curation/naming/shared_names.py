"""Names for groups of several vendors: what their members are about, "Currency exchange rates".

Called by `toolkit_names.py`.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from toolplanner_core.curation.naming.joining import MORE, and_also, listed, sentence_case, together
from toolplanner_core.curation.naming.mixed_names import (
    category_of_most,
    mixed_names,
    titles_in_brackets,
)
from toolplanner_core.curation.naming.narrower_names import narrowed
from toolplanner_core.curation.naming.opaque_names import WHOLE_TOOL, with_subject
from toolplanner_core.curation.naming.phrases import Key, PhraseBook
from toolplanner_core.curation.naming.scoring import ONLY_LAST_STEMS, Scored, score
from toolplanner_core.curation.naming.shared_actions import SharedActions, find_shared_actions
from toolplanner_core.curation.naming.subjects import Subjects, find_subjects, has_kin
from toolplanner_core.curation.naming.titled_alike import titled_alike
from toolplanner_core.curation.naming.titles import TITLE_WORDS, short_title, titles_of, vendor_of
from toolplanner_core.curation.naming.vendor_names import vendor_names
from toolplanner_core.workspace.catalogue import ApiText

_SHARED = 0.35
"""A phrase of one tool among several is a subject if it covers so much."""
_MAINLY = 0.6
"""The vendor of so many members is named, with what else there is."""
_WORTH_NAMING = 0.3
"""The other vendor of fewer members is more of something."""
_NEARLY_ALL = 0.65
"""A name that says what fewer members are about says that there is more."""
_FAR_OF_ALL, _FAR, _FAR_UNNAMED, _LEAST_NEAR = 0.25, 0.35, 0.42, 0.6
"""Cosine of a name to its members below which it says something else: where nearly all say it,
else, and where only descriptions do; and what is added to it where names are ranked. Of 200 names
that reviewers judged, 10 of the 48 refused and 4 of the 152 others were below the second."""
_RANKED = 5
"""Sets of phrases whose meaning is looked at."""
_ALL_SAY = 0.85
"""What so many members say in the same words is their name, near or not: "Login"."""
_MOST_SAY, _SOME_SAY = 0.55, 0.3
"""What so many members say tells them from others of their name; where fewer do, there is more."""
_MOST_OF_BOTH = 6
_SMALL, _WORTH_ADDING, _MOSTLY = 12, 0.2, 0.6
"""Of groups that small it is said what else is in them, if a fifth of them is something else."""
_KIN = 5
"""Words with so many first letters in common are forms of one."""
_FEW_TOOLS = 3
"""A word that so few tools share may be all that they share: their titles go with it."""


def names_of_several(
    book: PhraseBook, apis: Sequence[ApiText], members: Sequence[int], tools: Counter[int]
) -> Iterator[str]:
    """Names for a group of several vendors, the best first.

    Args:
        tools: how many members each tool has.
    """
    _, of_main = tools.most_common(1)[0]
    brands = {word for tool in tools for word in book.brand(tool)}
    scored = [one for one in score(book, members) if not brands.intersection(one.key)]
    is_mainly = of_main >= _MAINLY * len(members)
    least = 1 if is_mainly else _SHARED
    shared = [one for one in scored if one.tools > 1 or one.coverage > least]
    ranked = _by_meaning(book, shared, members)
    of_vendor = _names_of_main(book, apis, members, tools) if is_mainly else []
    if not ranked or len(ranked[0].covered) < of_main:
        yield from of_vendor
    if ranked:
        yield from _names_of_shared(book, apis, members, tools=tools, ranked=ranked, shared=shared)
    yield from of_vendor
    if ranked or of_vendor:
        return
    actions = find_shared_actions(book, apis, members)
    if actions.is_subject:
        yield sentence_case(actions.of_thing)
        return
    if actions.thing and actions.thing != "list":
        things = sentence_case(actions.of_thing)
        yield from (f"{things} {each}" for each in titles_in_brackets(book, members))
    yield from mixed_names(book, apis, members, scored, actions.outcome)


def _names_of_main(
    book: PhraseBook, apis: Sequence[ApiText], members: Sequence[int], tools: Counter[int]
) -> list[str]:
    """Names of the tool that most members are of, with what else there is."""
    (main, _), *others = tools.most_common()
    is_one_other = len(others) == 1 and others[0][1] >= _WORTH_NAMING * len(members)
    other = short_title(book.titles[others[0][0]]) if is_one_other else ""
    its_own = [i for i in members if book.tools[i] == main]
    title, vendor = short_title(book.titles[main]), vendor_of(book, main)
    is_whole = len(its_own) >= WHOLE_TOOL * book.sizes[main]
    names = vendor_names(book, its_own, main, find_shared_actions(book, apis, its_own))
    told = with_subject(book, apis, its_own, vendor, names, title=title, is_whole=is_whole)
    return _with_more([*told, title], other if 0 < len(other.split()) <= TITLE_WORDS else MORE)


def _names_of_shared(
    book: PhraseBook,
    apis: Sequence[ApiText],
    members: Sequence[int],
    *,
    tools: Collection[int],
    ranked: Sequence[Subjects],
    shared: Sequence[Scored],
) -> Iterator[str]:
    """Names by the subjects that members of several tools share."""
    actions = find_shared_actions(book, apis, members)
    category = category_of_most(apis, members)
    told_by = titles_in_brackets(book, members)
    names = _subject_names(
        book, ranked, shared, members, actions=actions, category=category, told_by=told_by
    )
    best, *further = filter(None, names)
    if len(members) <= _SMALL:
        best = _completed(book, best, ranked[0], members)
    alike = [*titled_alike(book, members)]
    # "API-Ninjas" alone says who made them, not what they are.
    yield from alike if alike and set(book.stems_of(best)) <= _maker(book, alike[0]) else []
    if len(tools) <= _FEW_TOOLS and told_by and _is_vague(book, best, tools):
        yield f"{best.split(' ', 1)[0]} {told_by[0]}"
    apart = [f"{best} {each}" for each in told_by] if "(" not in best else []
    yield best
    # "User creation" says more than "Users".
    yield from apart if actions.outcome and best.endswith(actions.outcome) else []
    yield from further
    yield from apart


def _completed(book: PhraseBook, name: str, found: Subjects, members: Sequence[int]) -> str:
    """A name of words with the tool of those members that do not say it, or "more"."""
    rest = frozenset(range(len(members))) - found.covered
    if "(" in name or name.endswith(MORE) or len(rest) < max(_WORTH_ADDING * len(members), 1):
        return name
    titles = titles_of(book, [members[place] for place in sorted(rest)])
    said = {stem[:_KIN] for stem in book.stems_of(name)}
    if any(stem[:_KIN] in said for title in titles for stem in book.stems_of(title)):
        return name
    if len(titles) == 1 and len(titles[0].split()) <= TITLE_WORDS:
        return and_also(name, titles[0])
    return and_also(name, MORE)


def _maker(book: PhraseBook, name: str) -> set[str]:
    """Stems of who made what is in a name, "Cars and facts by API-Ninjas"."""
    _, by, maker = name.rpartition(" by ")
    return set(book.stems_of(maker)) if by else set()


def _is_vague(book: PhraseBook, name: str, tools: Collection[int]) -> bool:
    """Whether a name is one word, with or without a category, that titles of the tools do not say:
    "Devices", "Lines"."""
    word, _, rest = name.partition(" ")
    stems = set(book.stems_of(word))
    return (not rest or rest.startswith("(")) and not all(
        stems.intersection(book.title_stems[tool]) for tool in tools
    )


def _with_more(names: Sequence[str], rest: str) -> list[str]:
    """Names of a vendor's members with what else is in the group; short ones if there are."""
    both = [and_also(name, rest) for name in names if name]
    return [name for name in both if len(name.split()) <= _MOST_OF_BOTH] or both


def _subject_names(
    book: PhraseBook,
    ranked: Sequence[Subjects],
    scored: Sequence[Scored],
    members: Sequence[int],
    *,
    actions: SharedActions,
    category: str,
    told_by: Sequence[str],
) -> Iterator[str]:
    """What several tools have in common."""
    found, *others = ranked
    name = sentence_case(listed(book, found))
    told = f"{name} ({category})" if category and category[:5] not in name.lower() else ""
    if len(found.keys) == 1:
        yield from _done_to(book, found.keys[0], actions)
    yield from narrowed(book, found, members, told_by)
    # "Reports" alone says little.
    yield from [told] if all(ONLY_LAST_STEMS.issuperset(key) for key in found.keys) else []
    yield _named(book, found)
    # The name is taken: add what else these members say or do, or their trade.
    further: list[tuple[float, str]] = []
    if len(found.keys) == 1:
        (head,) = found.keys
        further = [
            (len(one.said) / found.members, sentence_case(together(book, head, one.key)))
            for one in sorted(scored, key=lambda one: one.is_weak)
            if not has_kin(head, one.key)
        ]
        yield from (both for share, both in further if share >= _MOST_SAY)
    yield told
    said = {word for key in found.keys for word in key}
    near = [one for one in others if said.intersection(word for key in one.keys for word in key)]
    yield from (_named(book, one) for one in near)
    yield from (and_also(both, MORE) for share, both in further if share >= _SOME_SAY)


def _done_to(book: PhraseBook, head: Key, actions: SharedActions) -> Iterator[str]:
    """What most names do to it, or by what they ask for it: "User creation", "Users by ID"."""
    if actions.outcome and actions.outcome not in head:
        yield sentence_case(book.form((*head, actions.outcome)))
    elif actions.told_by:
        yield sentence_case(f"{book.form(head)} {actions.told_by}")


def _by_meaning(
    book: PhraseBook, scored: Sequence[Scored], members: Sequence[int]
) -> list[Subjects]:
    """Subjects that carry, those first that are worth much and near what the members are about;
    none if even these are far from it."""
    found = find_subjects(scored, len(members))
    if found.is_mixed:
        return []
    options = [found, *found.others][:_RANKED]
    near = book.nearness_of([listed(book, one) for one in options], members)
    if not any(near):
        return options
    named = {one.key for one in scored if one.is_named}
    rated = [
        (one.worth * (_LEAST_NEAR + cosine), one)
        for one, cosine in zip(options, near, strict=True)
        if cosine >= _least_near(one, len(members), is_named=not named.isdisjoint(one.keys))
    ]
    return [one for _, one in sorted(rated, key=lambda each: -each[0])]


def _least_near(one: Subjects, members: int, *, is_named: bool) -> float:
    """How near to its members a name has to be; nearer the fewer of them say it."""
    if is_named and len(one.keys) == 1 and len(one.covered) >= _ALL_SAY * members:
        return _FAR_OF_ALL
    return _FAR if is_named else _FAR_UNNAMED


def _named(book: PhraseBook, found: Subjects) -> str:
    """What most members are about; that there is more if there is much more."""
    name = sentence_case(listed(book, found))
    return name if len(found.covered) >= _NEARLY_ALL * found.members else and_also(name, MORE)
