"""Whether a result serves its step. Called by `planner.py` for `Analyse`.

A call that worked may hold nothing, or answer another question: about another day, another place,
with things that lack what they shall hold. Each rule knows one such way; what no rule knows is
believed.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, cast

from toolplanner_core.llm.offline.contents import is_empty, texts_of, title_key, unwrap
from toolplanner_core.llm.offline.dates import find_dates
from toolplanner_core.llm.offline.mentions import ANY_DAY, find_mentions
from toolplanner_core.llm.offline.plan import refers_back
from toolplanner_core.llm.offline.tables import pattern, table, words
from toolplanner_core.llm.offline.words import stems
from toolplanner_core.words.typed_values import unmet_conditions

_MOST_KEYS = 400
"""A reply with more says so many things that no quantity is missed in it."""
_LONG = 20_000


class HeardReply(NamedTuple):
    """A call and what came back.

    Attributes:
        sent: the arguments.
    """

    goal: str
    sent: Mapping[str, Any]
    api_title: str
    value: Any

    @property
    def told(self) -> str:
        """What came back, as text."""
        return str(self.value)[:_LONG]

    @property
    def asked(self) -> str:
        """What was sent, as text, and what of the goal was sent in another form."""
        said = [f"{v:g}" if isinstance(v, float) else str(v) for v in self.sent.values()]
        found = find_mentions(self.goal)
        same = (m.text for m in found if m.kind != "currency" and str(m.value) in said)
        return " ".join([*said, *same])

    @property
    def all_stems(self) -> frozenset[str]:
        """Of the API's title, the arguments and the reply."""
        return stems(f"{self.api_title} {self.asked} {self.told}".replace("_", " "))


def is_beside(heard: HeardReply) -> bool:
    """Whether a result answers another question than its goal."""
    return any(rule(heard) for rule in _RULES)


def _misses_subject(heard: HeardReply) -> bool:
    """The arguments say nothing of the goal, or only what is counted ("protein"), and half of the
    goal's words stand nowhere in API and result."""
    if heard.sent and refers_back(heard.goal):
        return False
    wanted = stems(heard.goal) - stems(" ".join([*table("fields"), *words("asking")]))
    known = stems(f"{heard.api_title} {' '.join(texts_of(heard.value, 2_000))}")
    is_sent = not wanted.isdisjoint(stems(heard.asked))
    return bool(wanted) and not is_sent and len(wanted - known) * 2 >= len(wanted)


def _of_another_day(heard: HeardReply) -> bool:
    """A day is written out, and the reply speaks of other days alone."""
    spans = find_dates(heard.goal, ANY_DAY) if pattern("written_day").search(heard.goal) else []
    asked = {f"{day:%m-%d}" for span in spans for day in (span.first, span.last)}
    told = set(pattern("iso_day").findall(heard.told))
    return bool(asked and told) and asked.isdisjoint(told)


def _lacks_parts(heard: HeardReply) -> bool:
    """Things shall hold something that was not asked for, and not all of them do."""
    found, items = pattern("holding").search(heard.goal), unwrap(heard.value)
    wanted = stems(found[1]) - stems("and or") if found else frozenset[str]()
    if not wanted or not isinstance(items, list) or wanted & stems(heard.asked):
        return False
    return any(wanted.isdisjoint(stems(str(i)[:2_000])) for i in cast(list[Any], items)[:50])


def _of_another_kind(heard: HeardReply) -> bool:
    """The nearest of something is asked for, and neither API nor reply speaks of such things."""
    found = pattern("nearest").search(heard.goal)
    return found is not None and stems(found[1]).isdisjoint(heard.all_stems)


def _lacks_sign(heard: HeardReply) -> bool:
    """What was is asked for, and the call named no day; a place, and the reply has no field for
    one."""
    said = {"sent": str(heard.sent), "told": heard.told.lower()}
    return any(
        pattern(goal).search(heard.goal) and not pattern(sign).search(said[where])
        for goal, where, sign in table("signs")
    )


def _of_a_way(heard: HeardReply) -> bool:
    """The reply tells of the way between two places, and nobody asked for it."""
    content = unwrap(heard.value)
    keys = map(str, cast(dict[str, Any], content)) if isinstance(content, dict) else ()
    is_way = any(map(pattern("way_told").match, keys))
    return is_way and not pattern("way").search(heard.goal.lower())


def _uncounted(heard: HeardReply) -> bool:
    """It is asked how many there are of something, and neither API nor reply speaks of it."""
    found = pattern("counted").search(heard.goal.lower())
    if found is None or not re.search(r"\d", heard.told):
        return found is not None
    names = [alias for names in table("fields").values() if found[1] in names for alias in names]
    is_told = not stems(f"{found[1]} {' '.join(names)}").isdisjoint(heard.all_stems)
    return not re.search(r"\d", heard.goal) and not is_told  # "how many miles are 42 km" converts


def _breaks_condition(heard: HeardReply) -> bool:
    """A diet or an exclusion is asked for that no argument and no reply speaks of; a word of a
    search does not filter."""
    sent = {name: value for name, value in heard.sent.items() if " " not in str(value)}
    return bool(unmet_conditions(heard.goal, [str(sent)], [heard.api_title, heard.told]))


def _of_other_things(heard: HeardReply) -> bool:
    """A kind of thing is asked for ("cocktail"), and nothing of that kind is spoken of."""
    asked = stems(heard.goal) & words("kinds_of_things")
    rows = (stems(f"{heads} {said}") for heads, said in table("topics").items())
    return any(row & asked and not row & heard.all_stems for row in rows)


_RULES = (
    _misses_subject, _of_another_day, _lacks_parts, _of_another_kind, _lacks_sign, _of_a_way,
    _uncounted, _breaks_condition, _of_other_things,
)  # fmt: skip


def is_useful(value: Any, query: str, goal: str) -> bool:
    """Whether a result holds something for its goal.

    It is not empty, does not lack the quantities that were asked for, is no mere echo of what was
    asked beside empty lists, and no list of named things without the one that was asked for by
    name.
    """
    if is_empty(value) or _lacks_asked(goal, value):
        return False
    content = unwrap(value)
    if isinstance(content, dict):
        inner = list(cast(dict[str, Any], content).values())
        said = stems(f"{query} {goal}")
        echoes = (_is_echo(part, said) for part in inner if not is_empty(part) and part is not True)
        return not (any(part == [] for part in inner) and all(echoes))
    if isinstance(content, list) and len(content) > 1:
        items = [i for i in cast(list[Any], content) if isinstance(i, dict)]
        is_titled = len(items) > 1 and all(title_key(cast(dict[str, Any], i)) for i in items)
        wanted = _asked_by_name(goal) if is_titled else ""
        return not wanted or wanted.lower() in str(content).lower()
    return True


def _lacks_asked(goal: str, value: Any) -> bool:
    """Whether a goal asks for known quantities and the reply has none of them.

    Only quantities whose absence is beyond doubt are looked for (`fields.json`). "How many X" asks
    for X itself, whatever else the goal names.
    """
    low, fields = re.sub(r"[\"“][^\"”]*[\"”]", " ", goal.lower()), table("fields")
    named = [field for field in fields if re.search(rf"\b{field}(?:s|es)?\b", low)]
    wanted = [f for f in named if re.search(rf"\bhow (?:many|much) {f}", low)] or named
    found = texts_of(value, _MOST_KEYS + 1) if isinstance(value, dict | list) else []
    if not wanted or not found or len(found) > _MOST_KEYS:
        return False
    told = " ".join(text[:_MOST_KEYS] for text in found).lower()
    return not any(alias in told for field in wanted for alias in fields[field])


def _is_echo(value: Any, said: frozenset[str]) -> bool:
    return isinstance(value, str) and len(value) < 80 and bool(stems(value) & said)


def _asked_by_name(goal: str) -> str:
    """The one thing a goal names, if it is no place and nobody's: "how do I make a Margarita"."""
    found = [m for m in find_mentions(goal) if m.kind not in ("number", "date")]
    if len(found) != 1 or found[0].kind not in ("name", "quoted"):
        return ""
    is_owner = goal[found[0].end :].startswith(("'s", "’s"))
    return "" if is_owner or found[0].unit not in ("", "called", "named") else str(found[0].value)
