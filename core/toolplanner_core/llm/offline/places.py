"""Places that a text offers: names, coordinates, codes. Called by `offers.py`."""

import re
from typing import Any

from toolplanner_core.llm.offline.mentions import Mention, sided
from toolplanner_core.llm.offline.render import named_forms, text_of
from toolplanner_core.llm.offline.roles import Slot
from toolplanner_core.llm.offline.tables import codes
from toolplanner_core.llm.offline.texts import Offer, Text

_NAMED = ("name", "lower", "country", "state", "ticker")


def offer_coordinates(slot: Slot, schema: Any, text: Text) -> Offer:
    """Points, or one number of them; a place where its description allows that."""
    points = [mention.value for mention in text.of("coordinates", side=slot.side)]
    if slot.role != "coordinates":
        yield from (point[slot.role == "longitude"] for point in points)
        return
    yield from (f"{point[0]:.10g},{point[1]:.10g}" for point in points)
    if re.search(r"address|city|place name|\bname\b", text_of(schema)):
        yield from offer_place(slot, schema, text)


def offer_place(slot: Slot, schema: Any, text: Text) -> Offer:
    """Names of places, those after "in" and "near" first, as much of an address as is wanted."""
    found = text.of(*_NAMED)
    if not slot.side:
        found.sort(key=_rank)
    for mention in sided([m for m in found if not _is_tail(m, text)], slot.side):
        if mention.kind != "country":
            yield from _address_forms(mention, slot, text)
            yield from _place_forms(mention, text)
    if re.search(r"zip|postal|postcode", text_of(schema)):
        yield from text.shaped("zip")
    if re.search(r"\blat|coordinates", text_of(schema)):
        yield from (f"{m.value[0]:.10g},{m.value[1]:.10g}" for m in text.of("coordinates"))
    if "country" not in text.roles:
        yield from (mention.text for mention in text.of("country", side=slot.side))
    yield from (mention.value for mention in text.of("quoted"))


def _rank(mention: Mention) -> int:
    if mention.kind == "ticker":
        return 4
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
    if full and splits:
        yield full


def offer_state(slot: Slot, schema: Any, text: Text) -> Offer:
    """States of the USA; a "region" may be a country."""
    for mention in text.of("state"):
        yield from named_forms("states", codes("states")[mention.value], slot.words, schema)
    if "region" in slot.words and "country" not in text.roles:
        yield from offer_country(slot, schema, text)


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
    for mention in sided(found, slot.side):
        is_code = mention.kind == "ticker" and len(mention.text) in (3, 4)
        if is_code or re.search(r"city|name", text_of(schema)):
            yield mention.value


def offer_timezone(slot: Slot, schema: Any, text: Text) -> Offer:
    """A place in a time zone, which is taken by its name if there is one."""
    if re.search(r"city|place|location", text_of(schema)):
        yield from offer_place(slot, schema, text)
