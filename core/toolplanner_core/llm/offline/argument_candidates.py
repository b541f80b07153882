"""Values that a text offers for a parameter, likeliest first: places, names, codes, money, dates.

What is not in the text is not offered; keys are never taken from a text.
"""

import re
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

from toolplanner_core.llm.offline.mentions import Mention, Offer, Text, mentions_on_side, stem
from toolplanner_core.llm.offline.parameter_roles import Slot, date_forms, named_forms, text_of
from toolplanner_core.llm.offline.tables import codes, pattern, spelled, table, words
from toolplanner_core.prompts.values import types_of


def offer_currency(slot: Slot, schema: Any, text: Text) -> Offer:
    """Codes; money is what one has, the other currency what one wants, in any order of words."""
    found = text.of("money", "currency")
    if not {"coin", "coins", "crypto", "cryptocurrency"}.isdisjoint(slot.words):
        yield from (c for c in map(_code, found) if c in table("currencies")["coins"].split())
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


def offer_coordinates(slot: Slot, schema: Any, text: Text) -> Offer:
    """Points, or one number of them; a place where its description allows that."""
    points = [mention.value for mention in text.of("coordinates", side=slot.side)]
    if slot.role != "coordinates":
        yield from (point[slot.role == "longitude"] for point in points)
        return
    yield from (f"{point[0]:.10g},{point[1]:.10g}" for point in points)
    if re.search(r"address|city|place name|\bname\b", text_of(schema)):
        yield from offer_place(slot, schema, text)


def offer_place(slot: Slot, _schema: Any, text: Text) -> Offer:
    """Names of places, those after "in" and "near" first, as much of an address as is wanted."""
    found = text.of("name", "lower", "country", "state", "ticker")
    if not slot.side:
        found.sort(key=_rank)
    for mention in mentions_on_side([m for m in found if not _is_tail(m, text)], slot.side):
        if mention.kind != "country":
            yield from _address_forms(mention, slot, text)
            yield from _place_forms(mention, text)
    if "country" not in text.roles:
        yield from (mention.text for mention in text.of("country", side=slot.side))
    yield from (mention.value for mention in text.of("quoted"))


def _rank(mention: Mention) -> int:
    if mention.kind == "lower":
        return 3 if mention.unit == "for" else 2
    if mention.is_near:
        return 0
    return 1 if mention.unit in ("of", "for", "and", "or", "") else 3


def _is_tail(mention: Mention, text: Text) -> bool:
    """Whether a state or country only qualifies the name before it: "Austin, TX"."""
    return mention.kind in ("state", "country") and any(
        re.fullmatch(r",?\s*", text.text[other.end : mention.start])
        for other in text.of("name")
        if other.end <= mention.start
    )


def _address_forms(mention: Mention, slot: Slot, text: Text) -> Offer:
    """The whole address around a name: "10 Downing Street, London"."""
    if not {"address", "street"} & set(slot.words):
        return
    number = re.search(r"\b\d{1,5}[A-Za-z]?\s+$", text.text[: mention.start])
    start, end = number.start() if number else mention.start, mention.end
    for other in text.of("name", "state", "country", "zip"):
        if other.start > end and text.text[end : other.start].strip() in (",", ""):
            end = other.end
    yield text.text[start:end]


def _follows(tail: Mention, mention: Mention, text: Text) -> bool:
    """Whether a mention stands after another one and a comma."""
    is_free = not tail.side and not (tail.kind == "name" and tail.unit)
    between = text.text[mention.end : tail.start].strip()
    return is_free and tail.start > mention.end and between == ","


def _place_forms(mention: Mention, text: Text) -> Offer:
    if mention.kind in ("state", "ticker"):
        yield mention.text
        return
    tails = text.of("state", "country", "name", "ticker")
    tail = next((m for m in tails if _follows(m, mention, text)), None)
    full = text.text[mention.start : tail.end] if tail is not None else ""
    splits = bool({"state", "country"} & text.roles)
    if tail is not None and tail.kind in ("state", "country") and not splits:
        yield full
    yield str(mention.value).title() if mention.kind == "lower" else mention.value


def offer_state(slot: Slot, schema: Any, text: Text) -> Offer:
    """States of the USA."""
    for mention in text.of("state"):
        yield from named_forms("states", codes("states")[mention.value], slot.words, schema)


def offer_country(slot: Slot, schema: Any, text: Text) -> Offer:
    """Countries by name or code, and the USA where one of its states is named."""
    found = [mention.value for mention in text.of("country", side=slot.side)]
    found += [m.value for m in text.of("ticker") if m.value in codes("countries")]
    found += ["US" for mention in text.of("state") if _is_tail(mention, text)]
    for code in found:
        yield from named_forms("countries", codes("countries")[code], slot.words, schema)


def offer_airport(slot: Slot, schema: Any, text: Text) -> Offer:
    """Codes of airports, or the names of their cities."""
    found = [m for m in text.of("ticker", "name", "lower") if not _is_tail(m, text)]
    for mention in mentions_on_side(found, slot.side):
        is_code = mention.kind == "ticker" and len(mention.text) in (3, 4)
        if is_code or re.search(r"city|name", text_of(schema)):
            yield mention.value


_EDGE = " \t\n,;:.?!-'\""
_PLACES = frozenset(["place", "state", "country", "latitude", "coordinates"])


def offer_language(slot: Slot, schema: Any, text: Text) -> Offer:
    """Languages as codes or names."""
    found = sorted(text.of("language"), key=lambda mention: mention.side == "from")
    marked = [m for m in found if m.side == slot.side] if slot.side else found
    for mention in marked or [m for m in found if slot.side == "to" and not m.side]:
        yield from named_forms("languages", codes("languages")[mention.value], slot.words, schema)


def offer_ticker(_slot: Slot, _schema: Any, text: Text) -> Offer:
    """Symbols of shares."""
    companies: dict[str, Any] = {**spelled("companies")}
    yield from (companies.get(m.text.lower(), m.value) for m in text.of("ticker", "company"))


def offer_web(slot: Slot, schema: Any, text: Text) -> Offer:
    """Addresses; a host is made of an address, an address of a host."""
    hosts = [mention.value for mention in text.of("domain")]
    if slot.role == "url":
        yield from (address for host in hosts for address in (f"https://{host}", host))
    elif slot.role == "domain" or "domain" in text_of(schema):
        yield from hosts
        yield from (re.sub(r"^https?://(?:www\.)?|/.*$", "", m.value) for m in text.of("url"))
        yield from (mention.value.partition("@")[2] for mention in text.of("email"))


def offer_query(slot: Slot, _schema: Any, text: Text) -> Offer:
    """What the need is about."""
    known = text.known | {stem(word) for word in slot.words}
    drops = slot.role != "query" or bool(_PLACES & text.roles)
    topic = _topic(text, known, drop_places=drops) or _topic(text, known, drop_places=False)
    yield from [topic] if topic else []


def offer_name(slot: Slot, schema: Any, text: Text) -> Offer:
    """Quoted texts, names that are no places, short subjects."""
    yield from (mention.value for mention in text.of("quoted"))
    if words("no_subject").intersection(slot.words):
        return
    has_place = bool((_PLACES - {"coordinates"}) & text.roles)
    yield from (m.value for m in text.of("name", "company") if not (has_place and m.is_near))
    for topic in offer_query(slot, schema, text):
        if len(topic.split()) <= 4 and words("vague").isdisjoint(topic.lower().split()):
            yield topic


def _topic(text: Text, known: frozenset[str], *, drop_places: bool) -> str:
    """The subject of a need: a quoted span, else what "called", "about", "with", "for" introduces,
    else the need without its command. `known` are stems that say nothing new, such as "recipes" to
    a recipe search."""
    quoted = text.of("quoted")
    if quoted:
        return str(quoted[0].value)
    bare = _without_context(text, drop_places).strip(_EDGE)
    for introduced in ("introduces", "may_introduce"):
        match = pattern(introduced).search(bare)
        found = _trim(match["rest"], known) if match is not None else ""
        if found:
            return found
    return _trim(pattern("command").sub("", bare), known)


def _without_context(text: Text, drop_places: bool) -> str:
    """The text without dates, without the language that is sent for itself and, if wanted, without
    places and the preposition before them."""
    bare, sent = text.text, {"date", "time"} | ({"language"} & text.roles)
    for mention in reversed(text.mentions):
        is_place = mention.kind in ("name", "lower", "country", "state") and mention.is_near
        if mention.kind in sent or (drop_places and is_place):
            head = pattern("context_head").sub("", bare[: mention.start])
            bare = f"{head.rstrip()} {bare[mention.end :].lstrip()}"
    return bare


def _trim(text: str, known: frozenset[str]) -> str:
    said = text.strip(_EDGE).split()

    def is_mute(word: str) -> bool:
        return word.lower() in words("topic_edges") or stem(word.lower().strip(_EDGE)) in known

    while said and is_mute(said[0]):
        said.pop(0)
    while said and is_mute(said[-1]):
        said.pop()
    while len(said) > 1 and said[-1].lower().strip(_EDGE) in words("topic_tails"):
        said.pop()
    return " ".join(said).strip(_EDGE)


_OFFERS: dict[str, Callable[[Slot, Any, Text], Offer]] = globals()


def offers(slot: Slot, schema: Any, text: Text) -> Offer:
    """What a text offers for a parameter."""
    if slot.role in table("roles"):
        shaped = text.shaped(slot.role, slot.side)
        yield from (re.sub(r"[\s()-]", "", v) for v in shaped) if slot.role == "phone" else shaped
    offer = _OFFERS.get(f"offer_{spelled('alike_roles').get(slot.role, slot.role)}")
    yield from offer(slot, schema, text) if offer is not None else ()
