"""Words that a text offers: subjects, names, addresses, numbers of things. Called by
`candidates.py`."""

import re
from typing import Any

from toolplanner_core.llm.offline import render, tables
from toolplanner_core.llm.offline.offer_places import offer_place
from toolplanner_core.llm.offline.roles import Slot
from toolplanner_core.llm.offline.texts import Offer, Text
from toolplanner_core.llm.offline.topic import topic_of
from toolplanner_core.llm.offline.words import stem


def offer_language(slot: Slot, schema: Any, text: Text) -> Offer:
    found = text.of("language")
    marked = [m for m in found if m.side == slot.side] if slot.side else found
    if slot.side == "to":
        marked = marked or [m for m in found if m.side == ""]
    for mention in marked:
        yield from render.language_forms(mention.value, slot.words, schema)


def offer_ticker(_slot: Slot, schema: Any, text: Text) -> Offer:
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


def offer_domain(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in text.of("domain"))
    for mention in text.of("url"):
        yield re.sub(r"^https?://(?:www\.)?|/.*$", "", mention.value)
    yield from (mention.value.partition("@")[2] for mention in text.of("email"))


def offer_url(_slot: Slot, _schema: Any, text: Text) -> Offer:
    for mention in text.of("url"):
        yield mention.value
    for mention in text.of("domain"):
        yield f"https://{mention.value}"
        yield mention.value


def offer_ip(_slot: Slot, schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in text.of("ip"))
    if "domain" in render.text_of(schema):
        yield from offer_domain(_slot, schema, text)


def offer_tracking(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (m.value for m in text.of("tracking"))
    yield from (m.text for m in text.of("number") if re.fullmatch(r"\d{8,}", m.text))
    yield from (m.value for m in text.of("phone", "isbn") if m.value.isdigit())


def offer_phone(_slot: Slot, _schema: Any, text: Text) -> Offer:
    for mention in text.of("phone"):
        yield mention.value if " " not in mention.value else re.sub(r"[\s()-]", "", mention.value)
    yield from (m.text for m in text.of("number") if re.fullmatch(r"\d{7,15}", m.text))
    yield from (m.value for m in text.of("tracking", "isbn") if m.value.isdigit())


def offer_query(slot: Slot, schema: Any, text: Text) -> Offer:
    taken = {"place", "state", "country", "latitude", "coordinates"} & text.roles
    drops = bool(taken) or slot.role != "query"
    known = text.known | {stem(word) for word in slot.words}
    topic = topic_of(text.text, text.mentions, known, drop_places=drops) or topic_of(
        text.text, text.mentions, known, drop_places=False
    )
    if topic:
        yield topic
    if not topic:
        yield from offer_place(slot, schema, text)


def offer_name(slot: Slot, schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in text.of("quoted"))
    has_place = bool({"place", "state", "country", "latitude"} & text.roles)
    found = text.of("name", "company")
    for mention in found if not set(slot.words) & tables.words("no_subject") else ():
        if not (has_place and mention.unit in tables.words("place_prepositions")):
            yield mention.text if mention.kind == "company" else mention.value
    if not set(slot.words) & tables.words("no_subject"):
        for topic in offer_query(slot, schema, text):
            if len(topic.split()) <= 4 and not set(topic.lower().split()) & tables.words("vague"):
                yield topic


def offer_id(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (mention.value for mention in text.of("uuid"))
    yield from (m.value for m in text.of("quoted") if re.fullmatch(r"[\w./#-]{1,40}", m.value))
    for match in re.finditer(
        r"\b(?:id|ID|number|code|reference|ref|no\.?|#)\s*(?:is|of|:|#|=)?\s*([A-Za-z]*\d[\w-]*)",
        text.text,
    ):
        yield match[1]
    yield from (mention.value for mention in text.of("tracking"))
