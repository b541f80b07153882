"""Which values and words of a question the calls of a run account for, and which nothing does.

No documentation stands for dates, numbers and units; no other word for negations, degrees and
comparisons.

Rules understand nothing.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache, cached_property
from typing import Any, NamedTuple, cast

from toolplanner_core.domain.api import Api
from toolplanner_core.llm.offline.mentions import Mention, find_mentions, meant, name_words, stem
from toolplanner_core.llm.offline.parameter_roles import slot_of
from toolplanner_core.llm.offline.planning import refers_back
from toolplanner_core.llm.offline.result_values import best_index, leaves, unwrap
from toolplanner_core.llm.offline.tables import codes, pattern, spelled, table, words
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.render import FailureCard, StepResult
from toolplanner_core.words.dates import ANY_DAY, DateSpan, find_dates

WORD = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")
DAY = re.compile(r"\d{4}-\d\d-\d\d")
_LONG = 20_000
_NAMES = {"name", "title"}
_DAY_FORMS = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%Y%m%d", "%d-%m-%Y")
_TABLES = {"country": "countries", "language": "languages", "state": "states"}


class CallWithReply(NamedTuple):
    """A call and what came back.

    Attributes:
        api: what answered, None if unknown.
        sent: the arguments.
        brought: arguments and results of the steps that gave some of them.
    """

    goal: str
    api: Api | None
    api_title: str
    sent: Mapping[str, Any]
    value: Any
    brought: Sequence[Any] = ()

    @property
    def documented(self) -> str:
        """What the API says of itself and of the parameters that were sent, without examples."""
        if self.api is None:
            return self.api_title
        used = [each for each in self.api.parameter_list if each.name in self.sent]
        said = [self.api_title, self.api.description]
        said += [f"{' '.join(name_words(each.name))}: {each.description}" for each in used]
        return ". ".join(pattern("examples").sub(" ", part) for part in said)


class CallEvidence:
    """Where values and words may stand, for one call.

    Args:
        now: the clock of the run; None where it is unknown.
    """

    def __init__(self, heard: CallWithReply, now: datetime | None) -> None:
        self._heard, self._today = heard, now.date() if now else None
        self._documented = heard.documented.lower()
        self._arguments = [*map(str, heard.sent.values()), *_parts([*heard.brought], "")]
        self._sent = as_text([*heard.sent.values(), *heard.brought])
        self._told = " ".join(_parts(heard.value, heard.goal)).lower()[:_LONG]
        self._all = f"{self._sent} {as_text(heard.value)}"

    @cached_property
    def _strict(self) -> frozenset[str]:
        """A word of a longer search does not filter: only single words were asked with, and phrases
        as they stand."""
        alone = [said for said in self._arguments if " " not in said.strip()]
        sent = self._heard.sent.items()
        alone += [str(v) for name, v in sent if words("as_it_stands") & {*name_words(name)}]
        return _stems(f"{self._documented} {' '.join(alone)}")

    @cached_property
    def _known(self) -> frozenset[str]:
        return self._strict | _stems(self._told)

    @cached_property
    def _numbers(self) -> frozenset[float]:
        sent = DAY.sub(" ", self._sent)
        return frozenset(map(float, re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", sent)))

    def has_word(self, word: str) -> bool:
        """Whether a word, or one that means the same, stands somewhere."""
        if word in words("strict") or pattern("superlative").fullmatch(word):
            return stem(word) in self._strict or self._is_ranked_by(word)
        unit = _unit(word)
        if unit and self._has_unit(unit):
            return True
        return not self._known.isdisjoint(meant(stem(word)))

    def _is_ranked_by(self, word: str) -> bool:
        """Whether the element that is said first was chosen by what a word ranks."""
        rows = (row for row in table("extremes") if re.fullmatch(row["said"], word))
        return any(not self._known.isdisjoint(map(stem, row["keys"])) for row in rows)

    def counts(self, word: str) -> bool:
        """Whether title or reply, not a description alone, count what a word names."""
        if unit := _unit(word):
            told = [leaf for leaf in leaves(self._heard.value, self._heard.goal) if leaf.path]
            fields = [(str(leaf.path[-1]), leaf.value) for leaf in told]
            sided = ((slot_of(key).side, f"{key} {value}") for key, value in fields)
            sent = ((slot_of(key).side, str(value)) for key, value in self._heard.sent.items())
            if self._has_unit(unit, [said for side, said in (*sided, *sent) if side != "from"]):
                return True
        has_number = re.search(r"\d", DAY.sub("", self._told)) or count_items(self._heard.value) > 1
        return bool(has_number) and self.tells(word)

    def is_off_topic(self) -> bool:
        """Whether nothing came back but sentences without any word of what it should be about."""
        about = _stems(f"{self._heard.goal} {self._documented} {self._sent}")
        telling = _stems(self._told) - _stems(" ".join(words("mute")))
        is_prose = len(telling) > 12 and not re.search(r"\d", self._told)
        return is_prose and telling.isdisjoint(about)

    def tells(self, word: str, also: str = "") -> bool:
        """Whether title or reply speak of what a word names: what was sent is no answer."""
        known = _stems(f"{self._heard.api_title} {self._told} {also}")
        return not known.isdisjoint(meant(stem(word)))

    def gives(self, word: str) -> bool:
        """Whether they do, or the description says that the API gives it: "Current weather of"."""
        described = self._heard.api.description.lower() if self._heard.api else ""
        subject = pattern("subject").match(described)
        return self.tells(word, subject[0] if subject else "")

    def has_value(self, mention: Mention) -> bool:
        """Whether a value was sent or is told."""
        value = mention.value
        match mention.kind:
            case "date":
                return self._has_days(value)
            case "time":
                is_sent = {value.hour, value.hour + value.minute / 60} & self._numbers
                return bool(is_sent) or f"{value:%H:%M}" in self._all
            case "number" | "measure" | "money":
                return self._has_number(mention)
            case "country" | "language" | "state":
                row = codes(_TABLES[mention.kind])[value]
                # What is translated into must be sent: documentation names what it is from, too.
                is_wanted = mention.kind == "language" and mention.side == "to"
                where = (self._sent, self._told, "" if is_wanted else self._documented)
                return _is_in((*row.names, row.short, row.long), where)
            case "currency":
                return self._has_unit(value)
            case "coordinates":
                return {float(part) for part in value} <= self._numbers
            case _:
                said = str(value)
                meant = spelled("companies").get(said.lower(), said)
                return self._stands(said, meant) or _stems(said) <= self._known

    def _stands(self, *said: str) -> bool:
        return _is_in(said, (self._sent, self._told, self._documented))

    def _has_unit(self, unit: str, where: Iterable[str] = ()) -> bool:
        said = (unit, *_spellings().get(unit, ()))
        return _is_in(said, where) if where else self._stands(*said)

    def _has_number(self, mention: Mention) -> bool:
        is_count = mention.kind == "number" and mention.preposition not in words("no_counts")
        if is_count and count_items(self._heard.value) >= mention.value > 0:
            return True  # "two recipes" are met by a list of more
        is_sent = float(mention.value) in self._numbers
        return is_sent and (mention.kind == "number" or self._has_unit(mention.unit))

    def _has_days(self, span: DateSpan) -> bool:
        days, is_today = DAY.findall(as_text(self._heard.value)), span[2:] == (self._today,) * 2
        # "Is 3 October a holiday?" is not met by when the next one is.
        if is_today or (days and pattern("yes_or_no").match(self._heard.goal)):
            return not days or any(f"{span.first}" <= day <= f"{span.last}" for day in days)
        whole = _whole_parts(span)
        is_part = len(whole) == 1 and any("month" in name_words(name) for name in self._heard.sent)
        if whole and whole <= self._numbers and not is_part:
            return True
        return all(map(self._has_day, (span.first, span.last)))

    def _has_day(self, day: date) -> bool:
        return any(f"{day:{form}}" in self._all for form in _DAY_FORMS)

    def lacks(self, text: str, asked: str, sign: str) -> bool:
        """Whether a text asks for a kind of thing, such as a moment, and nothing told is one."""
        return bool(pattern(asked).search(text) and not pattern(sign).search(self._told))


def as_text(value: Any) -> str:
    """A value as lower-case text."""
    return json.dumps(value, ensure_ascii=False, default=str)[:_LONG].lower()


def count_items(value: Any) -> int:
    """How many things a result lists; not the ingredients of the one thing that it names."""
    content = unwrap(value)
    if isinstance(content, dict):
        fields = cast(dict[str, Any], content)
        lists = [inner for inner in fields.values() if isinstance(inner, list)]
        content = lists[0] if len(lists) == 1 and _NAMES.isdisjoint(fields) else None
    return len(cast(list[Any], content)) if isinstance(content, list) else 0


def _parts(value: Any, goal: str) -> Iterator[str]:
    """Keys and single values of a result; of a list of things only the one that the goal means."""
    if isinstance(value, dict):
        for key, inner in cast(dict[str, Any], value).items():
            yield " ".join(name_words(str(key)))
            yield from _parts(inner, goal)
    elif isinstance(value, list):
        items = cast(list[Any], value)
        things = [item for item in items if isinstance(item, dict)]
        for item in [things[best_index(things, goal)]] if things else items:
            yield from _parts(item, goal)
    elif value is not None:
        yield str(value)


def _whole_parts(span: DateSpan) -> frozenset[float]:
    """Year, or year and month, of a span that is all of one; none of others."""
    first, after = span.first, span.last + timedelta(days=1)
    if first.day != 1 or after.day != 1:
        return frozenset()
    is_year = first.month == after.month == 1
    return frozenset([float(first.year)] if is_year else map(float, (first.year, first.month)))


def _is_in(said: Iterable[str], where: Iterable[str]) -> bool:
    either = "|".join(re.escape(one.lower()) for one in said if one)
    shape = re.compile(rf"(?<!\w)(?:{either})(?!\w)")
    return bool(either) and any(shape.search(text.lower()) for text in where)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in WORD.findall(text.lower()))


def _unit(word: str) -> str:
    """The unit or currency that a word names, "" if none."""
    return spelled("units").get(word) or spelled("currencies").get(word, "")


@cache
def _spellings() -> Mapping[str, Sequence[str]]:
    """How units and currencies are written."""
    return {**table("units"), **table("currencies")["names"]}


SAYS_NOTHING = "says nothing of "


def unaccounted_parts(heard: CallWithReply, now: datetime | None, text: str = "") -> list[str]:
    """The values and words of a goal, or of another text, that nothing accounts for; each once."""
    text, evidence = text or heard.goal, CallEvidence(heard, now)
    found = find_mentions(text, now or ANY_DAY)
    values = [m for m in found if m.kind != "lower"]
    missing = [m.text for m in values if not evidence.has_value(m)]
    bare = text
    for mention in reversed(values):
        bare = f"{bare[: mention.start]} {bare[mention.end :]}"
    bare = pattern("adds_nothing").sub(" ", bare.lower())
    missing += [match[0] for match in pattern("of_the_asker").finditer(text.lower())]
    missing += [] if heard.sent else pattern("owned").findall(text.lower())
    telling = [w for w in WORD.findall(bare) if len(w) > 1 and w not in words("mute")]
    missing += [word for word in telling if not evidence.has_word(word)]
    counted, named = (pattern(each).findall(text.lower()) for each in ("counted", "asked_thing"))
    missing += [word for word in counted if not evidence.counts(word)]
    missing += [word for word in named if word in telling and not evidence.gives(word)]
    if pattern("yes_or_no").match(text) and not any(map(evidence.tells, telling)):
        missing += telling[-1:]
    missing += (telling or [text]) if evidence.is_off_topic() else []
    if text == heard.goal:
        asked = table("signs").items()
        missing += [kind for kind, sign in asked if evidence.lacks(text, kind, sign)]
        if not telling and len(values) + bool(heard.brought) < 2 and not missing:
            missing = [text]  # "What about Lyon?"
    return list(dict.fromkeys(missing))


def supplying_results(sent: Mapping[str, Any], results: Sequence[StepResult]) -> list[Any]:
    """Arguments and results of the earlier steps that hold something of what was sent, or of what
    those were sent in turn."""
    found: list[Any] = []
    given = [str(value) for value in sent.values() if value not in (None, "", True, False)]
    for result in reversed(results):
        held = as_text(result.value)
        if any(part in held for value in given for part in value.lower().split(",")):
            found += [dict(result.arguments), result.value]
            given += map(str, result.arguments.values())
    return found


def unserved_query_parts(question: FinalAnswer) -> list[str]:
    """What of the query stands in no goal of a step, and nothing accounts for."""
    results, now = question.results, question.now
    goals = " ".join(result.goal for result in results)
    said = [part for result in results for part in (dict(result.arguments), result.value)]
    heard = CallWithReply(goals, None, goals, {"said": goals}, None, said)
    left = unaccounted_parts(heard, now, question.query) if results else []
    left = [one for one in left if one.lower() not in goals.lower()]
    strayed = (_strayed(result, question.query, now) for result in results if now)
    return [*left, *(day for days in strayed for day in days)]


def _strayed(result: StepResult, query: str, now: datetime) -> list[str]:
    """The days of a query if a goal speaks of what was said before, and its result of others."""
    if find_dates(result.goal, now) or not refers_back(result.goal):
        return []
    spans, told = find_dates(query, now), DAY.findall(as_text(result.value))
    is_met = any(f"{span.first}" <= day <= f"{span.last}" for span in spans for day in told)
    return [query[span.start : span.end] for span in spans] if told and not is_met else []


def quoted(missing: Sequence[str]) -> str:
    """What is left open, in words."""
    return ", ".join(f"“{said.strip()}”" for said in missing)


def nearest_miss(goal: str, failures: Iterable[FailureCard]) -> str:
    """What the first attempt at a goal left open that told something, "" if none did."""
    own = (each for each in failures if each.goal == goal and SAYS_NOTHING in each.message)
    first = next(own, None)
    left = first.message.rpartition(SAYS_NOTHING)[2].rstrip(")") if first else ""
    return f"{first.api_title} {SAYS_NOTHING}{left}" if first else ""
