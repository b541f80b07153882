"""Places that a text offers: names, coordinates, codes. Called by `candidates.py`."""

import re
from typing import Any

from toolplanner_core.llm.offline import render, tables
from toolplanner_core.llm.offline.mentions import Mention
from toolplanner_core.llm.offline.roles import Slot
from toolplanner_core.llm.offline.texts import Offer, Text, sided


def offer_latitude(slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (mention.value[0] for mention in sided(text.of("coordinates"), slot.side))


def offer_longitude(slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (mention.value[1] for mention in sided(text.of("coordinates"), slot.side))


def offer_coordinates(slot: Slot, schema: Any, text: Text) -> Offer:
    for mention in sided(text.of("coordinates"), slot.side):
        yield f"{mention.value[0]:.10g},{mention.value[1]:.10g}"
    if re.search(r"address|city|place name|\bname\b", render.text_of(schema)):
        yield from offer_place(slot, schema, text)


def offer_zip(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in text.of("zip"))
    for mention in text.of("number"):
        if re.fullmatch(r"\d{5}", mention.text):
            yield mention.text


def offer_place(slot: Slot, schema: Any, text: Text) -> Offer:
    found = [m for m in text.mentions if m.kind in ("name", "lower", "country", "state", "ticker")]
    if not slot.side:
        found.sort(key=lambda m: (_place_rank(m), m.start))
    for mention in sided([m for m in found if not _is_tail(m, text)], slot.side):
        if mention.kind == "country":
            continue
        yield from _address_forms(mention, slot, text)
        yield from _place_forms(mention, text)
    if re.search(r"zip|postal|postcode", render.text_of(schema)):
        yield from offer_zip(slot, schema, text)
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


def _address_forms(mention: Mention, slot: Slot, text: Text) -> Offer:
    """The whole address around a name: "10 Downing Street, London"."""
    if not {"address", "street"} & set(slot.words):
        return
    match = re.search(r"\b\d{1,5}[A-Za-z]?\s+$", text.text[: mention.start])
    start, end = match.start() if match else mention.start, mention.end
    for other in sorted(text.of("name", "state", "country", "zip"), key=lambda m: m.start):
        if other.start > end and text.text[end : other.start].strip() in (",", ""):
            end = other.end
    yield text.text[start:end]


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


def offer_state(slot: Slot, schema: Any, text: Text) -> Offer:
    for mention in text.of("state"):
        yield from render.state_forms(mention.value, slot.words, schema)
    if "region" in slot.words and "country" not in text.roles:
        yield from offer_country(slot, schema, text)


def offer_country(slot: Slot, schema: Any, text: Text) -> Offer:
    for mention in sided(text.of("country"), slot.side):
        yield from render.country_forms(mention.value, slot.words, schema)
    for mention in text.of("ticker"):
        if mention.value in tables.country_codes():
            iso2 = tables.country_codes()[mention.value].iso2
            yield from render.country_forms(iso2, slot.words, schema)
    if any(_is_tail(mention, text) for mention in text.of("state")):
        yield from render.country_forms("US", slot.words, schema)


def offer_airport(slot: Slot, schema: Any, text: Text) -> Offer:
    found = [m for m in text.of("ticker", "name", "lower") if not _is_tail(m, text)]
    for mention in sided(found, slot.side):
        if mention.kind == "ticker" and len(mention.text) in (3, 4):
            yield mention.text
        elif re.search(r"city|name", render.text_of(schema)):
            yield mention.value


def offer_timezone(slot: Slot, schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in sided(text.of("timezone"), slot.side))
    if re.search(r"city|place|location", render.text_of(schema)):
        yield from offer_place(slot, schema, text)
