"""Values that a text offers for a parameter, likeliest first. Called by `fill.py`.

What is not in the text is not offered; keys are never taken from a text.
"""

import re
from collections.abc import Callable
from typing import Any

from toolplanner_core.llm.offline import places, quantities
from toolplanner_core.llm.offline.render import named_forms, text_of
from toolplanner_core.llm.offline.roles import Slot
from toolplanner_core.llm.offline.tables import codes, pattern, spelled, table, words
from toolplanner_core.llm.offline.texts import Offer, Text
from toolplanner_core.llm.offline.words import stem

_EDGE = " \t\n,;:.?!-'\""
_PLACES = frozenset(["place", "state", "country", "latitude", "coordinates"])


def offer_language(slot: Slot, schema: Any, text: Text) -> Offer:
    """Languages as codes or names."""
    found = text.of("language")
    marked = [m for m in found if m.side == slot.side] if slot.side else found
    if slot.side == "to":
        marked = marked or [m for m in found if not m.side]
    for mention in marked:
        yield from named_forms("languages", codes("languages")[mention.value], slot.words, schema)


def offer_ticker(slot: Slot, schema: Any, text: Text) -> Offer:
    """Symbols of shares, of coins where the parameter is about those."""
    if "currency" in text_of(schema):
        yield from (m.value for m in text.of("currency"))
    companies: dict[str, Any] = {**spelled("companies")}
    found = [companies.get(m.text.lower(), m.value) for m in text.of("ticker", "company")]
    if len(found) > 1 and slot.name.endswith("s"):
        yield ",".join(found)
    yield from found
    if re.search(r"coin|crypto", text_of(schema)):
        yield from (m.value for m in text.of("currency", "money"))


def offer_web(slot: Slot, schema: Any, text: Text) -> Offer:
    """Addresses; a host is made of an address, an address of a host."""
    hosts = [mention.value for mention in text.of("domain")]
    if slot.role == "url":
        yield from (address for host in hosts for address in (f"https://{host}", host))
    elif slot.role == "domain" or "domain" in text_of(schema):
        yield from hosts
        yield from (re.sub(r"^https?://(?:www\.)?|/.*$", "", m.value) for m in text.of("url"))
        yield from (mention.value.partition("@")[2] for mention in text.of("email"))


def offer_query(slot: Slot, schema: Any, text: Text) -> Offer:
    """What the need is about."""
    known = text.known | {stem(word) for word in slot.words}
    drops = slot.role != "query" or bool(_PLACES & text.roles)
    topic = _topic(text, known, drop_places=drops) or _topic(text, known, drop_places=False)
    if topic:
        yield topic
    else:
        yield from places.offer_place(slot, schema, text)


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
    """The text without dates and, if wanted, without places and the preposition before them."""
    bare = text.text
    for mention in reversed(text.mentions):
        is_place = mention.kind in ("name", "lower", "country", "state") and mention.is_near
        if mention.kind in ("date", "time") or (drop_places and is_place):
            head = re.sub(
                r"\b(?:on|in|at|near|around|for|from|to|during)\s+(?:the\s+)?$",
                "",
                bare[: mention.start],
            )
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


_MODULES = (vars(places), vars(quantities), globals())
_OFFERS: dict[str, Callable[[Slot, Any, Text], Offer]] = {
    name.removeprefix("offer_"): offer
    for module in _MODULES
    for name, offer in module.items()
    if name.startswith("offer_")
}
_ALIKE = {
    **dict.fromkeys(("latitude", "longitude"), "coordinates"),
    **dict.fromkeys(("domain", "url", "ip"), "web"),
    "datetime": "date",
}


def offers(slot: Slot, schema: Any, text: Text) -> Offer:
    """What a text offers for a parameter."""
    if slot.role in table("roles"):
        shaped = text.shaped(slot.role, slot.side)
        yield from (re.sub(r"[\s()-]", "", v) for v in shaped) if slot.role == "phone" else shaped
    offer = _OFFERS.get(_ALIKE.get(slot.role, slot.role))
    yield from offer(slot, schema, text) if offer is not None else ()
