"""Money, measures, counts, dates and times that a text offers. Called by `offers.py`."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

from toolplanner_core.llm.offline.mentions import Mention, Offer, Text
from toolplanner_core.llm.offline.render import date_forms, text_of
from toolplanner_core.llm.offline.roles import Slot
from toolplanner_core.prompts.values import types_of
from toolplanner_core.words.tables import codes, currencies, pattern, spelled, table, words


def offer_currency(slot: Slot, schema: Any, text: Text) -> Offer:
    """Codes; money is what one has, the other currency what one wants, in any order of words."""
    found = text.of("money", "currency")
    if not {"coin", "coins", "crypto", "cryptocurrency"}.isdisjoint(slot.words):
        yield from (code for code in map(_code, found) if code in currencies("coins"))
    chosen = [_code(mention) for mention in _for_side(found, slot.side)]
    if slot.name.endswith("s") and len(chosen) > 1 and slot.side != "from":
        yield chosen if "array" in types_of(schema) else ",".join(chosen)
    yield from chosen
    if "currency" in text.text.lower() and (slot.side != "from" or not found):
        yield from (codes("countries")[m.value].currency for m in text.of("country"))


def _code(mention: Mention) -> str:
    return mention.unit if mention.kind == "money" else mention.value


def _for_side(found: list[Mention], side: str) -> list[Mention]:
    marked = [m for m in found if m.side == "to" or m.preposition == "in"]
    free = [m for m in found if m not in marked]
    if not side:
        return marked + free
    money = [m for m in found if m.kind == "money"]
    has = (money or [m for m in found if m.side == "from"] or free)[:1]
    return has if side == "from" else [m for m in found if m not in has]


def offer_amount(slot: Slot, _schema: Any, text: Text) -> Offer:
    """Money first, then measures, then bare numbers; bounds only after words that say so."""
    bound = {"max": "at_most", "min": "at_least"}
    wanted = next((name for word, name in bound.items() if word in slot.words), "")
    for kind in ("money", "measure", "number"):
        for mention in text.of(kind):
            if not wanted or pattern(wanted).search(text.text[: mention.start]):
                yield mention.value


def offer_unit(slot: Slot, _schema: Any, text: Text) -> Offer:
    """Units of measures are what one has; a unit after "in", "to" or "how many" is wanted."""
    units, spellings = spelled("units"), table("units")
    measures = text.of("measure")
    said = [match[1].lower() for match in pattern("wanted_unit").finditer(text.text)]
    if slot.side != "to":
        for mention in measures:
            said_so = pattern("measured").search(mention.text)  # without the number: "ten pounds"
            yield (said_so["unit"] if said_so else mention.text).lower()
            yield from spellings[mention.unit]
    if slot.side != "from":
        for word in (word for word in said if word in units):
            if not slot.side or units[word] not in [mention.unit for mention in measures]:
                yield from (word, *spellings[units[word]])


def offer_radius(slot: Slot, schema: Any, text: Text) -> Offer:
    """Lengths, in the unit that the parameter asks for."""
    said, metres = f"{' '.join(slot.words)} {text_of(schema)}", table("lengths")
    wanted = next((metres[u]["m"] for u in metres if re.search(metres[u]["said"], said)), 1000)
    for mention in text.of("measure"):
        if mention.unit in metres:
            factor = 1 if "unit" in text.roles else metres[mention.unit]["m"] / wanted
            value = round(mention.value * factor, 3)
            yield int(value) if float(value).is_integer() else value


def offer_limit(_slot: Slot, _schema: Any, text: Text) -> Offer:
    """How many things are wanted: "top 5", "3 recipes"."""
    for mention in text.of("number"):
        if {mention.preposition, mention.unit} & words("limit_leads") or mention.unit.endswith("s"):
            yield mention.value


def _days(slot: Slot, text: Text) -> Iterator[date]:
    spans = [mention.value for mention in text.of("date")]
    last_first = slot.side == "to"
    for span in reversed(spans) if last_first else spans:
        yield span.last if last_first else span.first


def offer_date(slot: Slot, schema: Any, text: Text) -> Offer:
    """Days in the form that the schema asks for."""
    times = [mention.value for mention in text.of("time")] if slot.role == "datetime" else []
    for day in _days(slot, text):
        yield from date_forms(day, next(iter(times), None), schema, slot.role)


def offer_time(_slot: Slot, _schema: Any, text: Text) -> Offer:
    """Times of day as HH:MM."""
    yield from (f"{mention.value:%H:%M}" for mention in text.of("time"))


def offer_year(slot: Slot, _schema: Any, text: Text) -> Offer:
    """Years of days, and bare numbers that look like one."""
    yield from (day.year for day in _days(slot, text))
    yield from (m.value for m in text.of("number") if re.fullmatch(r"(?:19|20)\d\d", m.text))


def offer_month(slot: Slot, schema: Any, text: Text) -> Offer:
    """Months of days."""
    for day in _days(slot, text):
        yield f"{day:%Y-%m}" if "yyyy" in text_of(schema) else day.month


def offer_days(_slot: Slot, _schema: Any, text: Text) -> Offer:
    """How many days: said so, or until the day that is named."""
    measures, today = text.of("measure"), text.now.date()
    yield from (m.value for m in measures if m.unit == "day")
    yield from (m.value * 7 for m in measures if m.unit == "week")
    for span in (mention.value for mention in text.of("date")):
        if span.first <= today and span.last > span.first:
            yield (span.last - span.first).days
        elif "date" not in text.roles and span.last >= today:
            yield (span.last - today).days + 1
