"""Values that a text offers for a parameter, likeliest first. Called by `fill.py`.

One function per role; what is not in the text is not offered. Places and names are told apart by
the preposition before them, sides ("from", "to") likewise.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from toolplanner_core.llm.offline import render, tables
from toolplanner_core.llm.offline.mentions import Mention
from toolplanner_core.llm.offline.roles import Slot
from toolplanner_core.llm.offline.topic import topic_of
from toolplanner_core.llm.offline.words import stem


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text to take values from: the goal of the step, or the whole query."""

    text: str
    mentions: tuple[Mention, ...]
    now: datetime
    roles: frozenset[str]
    """Roles of all parameters of the API."""
    known: frozenset[str]
    """Stems of the API's own words."""

    def of(self, *kinds: str) -> list[Mention]:
        """Mentions of these kinds, in order of place."""
        return [mention for mention in self.mentions if mention.kind in kinds]


Offer = Iterator[Any]


def sided(found: Sequence[Mention], side: str) -> list[Mention]:
    """Mentions for one side: those whose preposition says so, else by order (first = from)."""
    if not side:
        return list(found)
    marked = [mention for mention in found if mention.side == side]
    other = [mention for mention in found if mention.side not in ("", side)]
    free = [mention for mention in found if not mention.side]
    if marked:
        return marked
    if side == "from":
        return free if other or len(free) > 1 or not other else []
    if other:
        return free
    return free[1:]


def _simple(*kinds: str) -> Callable[[Slot, Any, Text], Offer]:
    def offer(slot: Slot, _schema: Any, text: Text) -> Offer:
        for mention in sided(text.of(*kinds), slot.side):
            yield mention.value

    return offer


def _latitude(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (mention.value[0] for mention in text.of("coordinates"))


def _longitude(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (mention.value[1] for mention in text.of("coordinates"))


def _coordinates(slot: Slot, schema: Any, text: Text) -> Offer:
    for mention in sided(text.of("coordinates"), slot.side):
        yield f"{mention.value[0]:.10g},{mention.value[1]:.10g}"
    if re.search(r"address|city|place name|\bname\b", render.text_of(schema)):
        yield from _place(slot, schema, text)


def _zip(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in text.of("zip"))
    for mention in text.of("number"):
        if re.fullmatch(r"\d{5}", mention.text):
            yield mention.text


def _place(slot: Slot, schema: Any, text: Text) -> Offer:
    found = [m for m in text.mentions if m.kind in ("name", "lower", "country", "state", "ticker")]
    if not slot.side:
        found.sort(key=lambda m: (_place_rank(m), m.start))
    for mention in sided([m for m in found if not _is_tail(m, text)], slot.side):
        if mention.kind == "country":
            continue
        yield from _place_forms(mention, text)
    if re.search(r"zip|postal|postcode", render.text_of(schema)):
        yield from _zip(slot, schema, text)
    if re.search(r"\blat|coordinates", render.text_of(schema)):
        yield from (f"{m.value[0]:.10g},{m.value[1]:.10g}" for m in text.of("coordinates"))
    if "country" not in text.roles:
        for mention in sided(text.of("country"), slot.side):
            yield mention.text
    yield from (mention.value for mention in text.of("quoted"))


def _place_rank(mention: Mention) -> int:
    if mention.kind == "ticker":
        return 4
    if mention.kind == "lower":
        return 3 if mention.unit == "for" else 2
    if mention.unit in tables.words("place_prepositions"):
        return 0
    return 1 if mention.unit in ("of", "for", "and", "or", "") else 3


def _is_tail(mention: Mention, text: Text) -> bool:
    """Whether a state or country only qualifies the name before it: "Austin, TX"."""
    return mention.kind in ("state", "country") and any(
        other.kind == "name" and re.fullmatch(r",?\s*", text.text[other.end : mention.start])
        for other in text.mentions
        if other.end <= mention.start
    )


def _place_forms(mention: Mention, text: Text) -> Offer:
    tail = next(
        (
            m
            for m in text.of("state", "country", "name", "ticker")
            if m.start > mention.end
            and text.text[mention.end : m.start].strip() == ","
            and m.side == ""
            and (m.kind != "name" or m.unit == "")
        ),
        None,
    )
    if mention.kind in ("state", "ticker"):
        yield mention.text
        return
    splits = bool({"state", "country"} & text.roles)
    if tail is not None and tail.kind in ("state", "country") and not splits:
        yield text.text[mention.start : tail.end]
    yield str(mention.value).title() if mention.kind == "lower" else mention.value
    if tail is not None and splits:
        yield text.text[mention.start : tail.end]


def _state(slot: Slot, schema: Any, text: Text) -> Offer:
    for mention in text.of("state"):
        yield from render.state_forms(mention.value, slot.words, schema)
    if "region" in slot.words and "country" not in text.roles:
        yield from _country(slot, schema, text)


def _country(slot: Slot, schema: Any, text: Text) -> Offer:
    for mention in sided(text.of("country"), slot.side):
        yield from render.country_forms(mention.value, slot.words, schema)
    for mention in text.of("ticker"):
        if mention.value in tables.country_codes():
            iso2 = tables.country_codes()[mention.value].iso2
            yield from render.country_forms(iso2, slot.words, schema)
    if any(_is_tail(mention, text) for mention in text.of("state")):
        yield from render.country_forms("US", slot.words, schema)


def _currency(slot: Slot, schema: Any, text: Text) -> Offer:
    found = text.of("money", "currency")
    codes = [(m.unit if m.kind == "money" else m.value, m) for m in found]
    chosen = _currency_side(codes, slot.side)
    several = "s" in (slot.name[-1:], "") and len(chosen) > 1 and slot.side != "from"
    if several:
        yield (
            [code for code, _ in chosen]
            if "array" in render.types_of(schema)
            else ",".join(code for code, _ in chosen)
        )
    yield from (code for code, _ in chosen)
    if slot.side != "from" or not codes:
        for mention in text.of("country"):
            if "currency" in text.text.lower():
                yield tables.country_codes()[mention.value].currency


def _currency_side(
    codes: Sequence[tuple[str, Mention]], side: str
) -> Sequence[tuple[str, Mention]]:
    """Money is what one has, the other currency what one wants, whatever the order of words."""
    if not side:
        wanted = [pair for pair in codes if pair[1].side == "to" or pair[1].preposition == "in"]
        return wanted + [pair for pair in codes if pair not in wanted]
    has = [pair for pair in codes if pair[1].kind == "money"][:1] or [
        pair for pair in codes if pair[1].side == "from"
    ][:1]
    marked = [pair for pair in codes if pair[1].side == "to" or pair[1].preposition == "in"]
    if not has:
        has = [pair for pair in codes if pair not in marked][:1]
    if side == "from":
        return has
    return [pair for pair in codes if pair not in has]


def _amount(slot: Slot, _schema: Any, text: Text) -> Offer:
    if {"max", "min"} & set(slot.words):
        words = (
            r"(?:under|below|less than|at most|up to|cheaper than|maximum(?: of)?|max|within)"
            if "max" in slot.words
            else r"(?:over|above|more than|at least|minimum(?: of)?|min)"
        )
        for mention in text.of("money", "measure", "number"):
            if re.search(rf"\b{words}\s+$", text.text[: mention.start].lower()):
                yield mention.value
        return
    for kind in ("money", "measure", "number"):
        yield from (mention.value for mention in text.of(kind))


def _spans(slot: Slot, text: Text) -> Iterator[tuple[date, time | None]]:
    found = text.of("date")
    if slot.side == "to":
        yield from ((m.value.last, m.value.at) for m in reversed(found))
    else:
        yield from ((m.value.first, m.value.at) for m in found)
    if re.search(
        r"\b(?:current|currently|right now|now|latest|at the moment)\b", text.text.lower()
    ):
        yield text.now.date(), text.now.time().replace(microsecond=0)


def _date(slot: Slot, schema: Any, text: Text) -> Offer:
    for day, at in _spans(slot, text):
        if at is None and slot.role == "datetime":
            at = next((mention.value for mention in text.of("time")), None)
        yield from render.date_forms(day, at, schema, slot.role)


def _time(_slot: Slot, _schema: Any, text: Text) -> Offer:
    for mention in text.of("time"):
        yield mention.value.strftime("%H:%M")
    for mention in text.of("date"):
        if mention.value.at is not None:
            yield mention.value.at.strftime("%H:%M")


def _year(slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (day.year for day, _ in _spans(slot, text))
    for mention in text.of("number"):
        if re.fullmatch(r"(?:19|20)\d\d", mention.text):
            yield int(mention.text)
    # "holidays in Germany" means this year's.
    yield text.now.year


def _month(slot: Slot, schema: Any, text: Text) -> Offer:
    for day, _ in _spans(slot, text):
        yield day.month if "yyyy" not in render.text_of(schema) else day.strftime("%Y-%m")
        yield f"{day.month:02d}"


def _days(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (m.value for m in text.of("measure") if m.unit == "day")
    for mention in text.of("measure"):
        if mention.unit == "week":
            yield mention.value * 7
    for mention in text.of("date"):
        if mention.value.last > mention.value.first and mention.value.first <= text.now.date():
            yield abs((mention.value.last - mention.value.first).days)
        elif "date" not in text.roles and mention.value.last >= text.now.date():
            yield (mention.value.last - text.now.date()).days + 1
    if re.search(r"\b(?:week|weekly)\b", text.text.lower()) and not text.of("date"):
        yield 7


def _unit(slot: Slot, _schema: Any, text: Text) -> Offer:
    measures = text.of("measure")
    wanted = [
        tables.units()[match[1].lower()]
        for match in re.finditer(
            r"\b(?:in|to|into|as|many|much)\s+(?:degrees\s+)?([A-Za-z°/]+)", text.text
        )
        if match[1].lower() in tables.units()
    ]
    if slot.side != "to":
        for mention in measures:
            yield from render.unit_forms(mention.unit)
    if slot.side != "from":
        for unit in wanted:
            if slot.side == "" or unit not in [mention.unit for mention in measures]:
                yield from render.unit_forms(unit)


def _language(slot: Slot, schema: Any, text: Text) -> Offer:
    found = text.of("language")
    marked = [m for m in found if m.side == slot.side] if slot.side else found
    if slot.side == "to":
        marked = marked or [m for m in found if m.side == ""]
    for mention in marked:
        yield from render.language_forms(mention.value, slot.words, schema)


def _ticker(_slot: Slot, schema: Any, text: Text) -> Offer:
    if "currency" in render.text_of(schema):
        yield from (m.value for m in text.of("currency"))
    found = [
        m.value if m.kind == "ticker" else tables.companies()[m.text.lower()]
        for m in text.of("ticker", "company")
    ]
    if len(found) > 1 and _slot.name.endswith("s"):
        yield ",".join(found)
    yield from found
    if re.search(r"coin|crypto", render.text_of(schema)):
        yield from (m.value for m in text.of("currency", "money"))


def _airport(slot: Slot, schema: Any, text: Text) -> Offer:
    found = [m for m in text.of("ticker", "name", "lower") if not _is_tail(m, text)]
    for mention in sided(found, slot.side):
        if mention.kind == "ticker" and len(mention.text) in (3, 4):
            yield mention.text
        elif re.search(r"city|name", render.text_of(schema)):
            yield mention.value


def _timezone(slot: Slot, schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in sided(text.of("timezone"), slot.side))
    if re.search(r"city|place|location", render.text_of(schema)):
        yield from _place(slot, schema, text)


def _domain(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in text.of("domain"))
    for mention in text.of("url"):
        yield re.sub(r"^https?://(?:www\.)?|/.*$", "", mention.value)
    yield from (mention.value.partition("@")[2] for mention in text.of("email"))


def _url(_slot: Slot, _schema: Any, text: Text) -> Offer:
    for mention in text.of("url"):
        yield mention.value
    for mention in text.of("domain"):
        yield f"https://{mention.value}"
        yield mention.value


def _ip(_slot: Slot, schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in text.of("ip"))
    if "domain" in render.text_of(schema):
        yield from _domain(_slot, schema, text)


def _tracking(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (m.value for m in text.of("tracking"))
    yield from (m.text for m in text.of("number") if re.fullmatch(r"\d{8,}", m.text))
    yield from (m.value for m in text.of("phone", "isbn") if m.value.isdigit())


def _phone(_slot: Slot, _schema: Any, text: Text) -> Offer:
    for mention in text.of("phone"):
        yield mention.value if " " not in mention.value else re.sub(r"[\s()-]", "", mention.value)
    yield from (m.text for m in text.of("number") if re.fullmatch(r"\d{7,15}", m.text))
    yield from (m.value for m in text.of("tracking", "isbn") if m.value.isdigit())


def _limit(_slot: Slot, _schema: Any, text: Text) -> Offer:
    for mention in text.of("number"):
        leads = {"top", "first", "best", "nearest", "closest", "latest", "last", "next", "limit"}
        if mention.preposition in leads or mention.unit.endswith("s"):
            yield mention.value


def _page(_slot: Slot, _schema: Any, text: Text) -> Offer:
    for match in re.finditer(r"\bpage\s+(?:number\s+)?(\d{1,6})", text.text.lower()):
        yield int(match[1])


_METRES = {"metre": 1.0, "kilometre": 1000.0, "mile": 1609.344, "foot": 0.3048, "yard": 0.9144}


def _radius(slot: Slot, schema: Any, text: Text) -> Offer:
    said = f"{' '.join(slot.words)} {render.text_of(schema)}"
    wanted = "kilometre"
    for pattern, unit in (
        (r"\bkm\b|kilomet", "kilometre"),
        (r"\bmiles?\b|\bmi\b", "mile"),
        (r"\bm\b|\bmet(?:er|re)s?\b", "metre"),
    ):
        if re.search(pattern, said):
            wanted = unit
            break
    for mention in text.of("measure"):
        if mention.unit in _METRES:
            has_unit_parameter = "unit" in text.roles
            factor = 1.0 if has_unit_parameter else _METRES[mention.unit] / _METRES[wanted]
            value = round(mention.value * factor, 3)
            yield int(value) if float(value).is_integer() else value


_MASSES = ("kilogram", "pound", "gram", "ounce", "tonne", "stone")
_LENGTHS = ("centimetre", "metre", "foot", "inch")


def _weight(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (m.value for m in text.of("measure") if m.unit in _MASSES)


def _height(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (m.value for m in text.of("measure") if m.unit in _LENGTHS)


def _age(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (m.value for m in text.of("measure") if m.unit == "year")
    for match in re.finditer(r"\b(?:age|aged|i am|i'm)\s+(?:of\s+|is\s+)?(\d{1,3})\b", text.text):
        yield int(match[1])


def _query(slot: Slot, schema: Any, text: Text) -> Offer:
    drops = bool({"place", "state", "country", "latitude", "coordinates"} & text.roles)
    known = text.known | {stem(word) for word in slot.words}
    topic = topic_of(text.text, text.mentions, known, drop_places=drops)
    if topic:
        yield topic
    if not topic:
        yield from _place(slot, schema, text)


def _name(slot: Slot, schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in text.of("quoted"))
    has_place = bool({"place", "state", "country", "latitude"} & text.roles)
    found = text.of("name", "company")
    for mention in found:
        if not (has_place and mention.unit in tables.words("place_prepositions")):
            yield mention.text if mention.kind == "company" else mention.value
    yield from _query(slot, schema, text)


def _id(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in text.of("uuid"))
    for match in re.finditer(
        r"\b(?:id|ID|number|code|reference|ref|no\.?|#)\s*(?:is|of|:|#|=)?\s*([A-Za-z]*\d[\w-]*)",
        text.text,
    ):
        yield match[1]
    yield from (mention.value for mention in text.of("tracking"))


ROLES: dict[str, Callable[[Slot, Any, Text], Offer]] = {
    "latitude": _latitude,
    "longitude": _longitude,
    "coordinates": _coordinates,
    "zip": _zip,
    "place": _place,
    "state": _state,
    "country": _country,
    "currency": _currency,
    "amount": _amount,
    "date": _date,
    "datetime": _date,
    "time": _time,
    "year": _year,
    "month": _month,
    "days": _days,
    "unit": _unit,
    "language": _language,
    "ticker": _ticker,
    "airport": _airport,
    "timezone": _timezone,
    "domain": _domain,
    "url": _url,
    "ip": _ip,
    "email": _simple("email"),
    "isbn": _simple("isbn"),
    "vin": _simple("vin"),
    "iban": _simple("iban"),
    "flight": _simple("flight"),
    "colour": _simple("colour"),
    "tracking": _tracking,
    "phone": _phone,
    "limit": _limit,
    "page": _page,
    "radius": _radius,
    "weight": _weight,
    "height": _height,
    "age": _age,
    "query": _query,
    "name": _name,
    "id": _id,
}
"""What a text offers, by role; "secret" has no entry: keys are never taken from a text."""
