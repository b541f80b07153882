"""What of a question nothing in a run accounts for. Called by `planner.py` for each result and by
`answer.py` for the whole query.

Rules understand nothing. So they believe a result only where no value and no telling word of the
question is left over: each was sent, is told by the reply, or stands in the documentation of the
API that answered (`heard.py`).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from toolplanner_core.llm.offline.heard import DAY, WORD, CallEvidence, Heard, as_text
from toolplanner_core.llm.offline.mentions import find_mentions
from toolplanner_core.llm.offline.plan import refers_back
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.render import FailureCard, StepResult
from toolplanner_core.words.dates import ANY_DAY, find_dates
from toolplanner_core.words.tables import pattern, table, words

SAYS_NOTHING = "says nothing of "


def unaccounted(heard: Heard, now: datetime | None, text: str = "") -> list[str]:
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


def bringing(sent: Mapping[str, Any], results: Sequence[StepResult]) -> list[Any]:
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


def left_of_query(question: FinalAnswer) -> list[str]:
    """What of the query stands in no goal of a step, and nothing accounts for."""
    results, now = question.results, question.now
    goals = " ".join(result.goal for result in results)
    said = [part for result in results for part in (dict(result.arguments), result.value)]
    heard = Heard(goals, None, goals, {"said": goals}, None, said)
    left = unaccounted(heard, now, question.query) if results else []
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
