"""Amounts that a text offers: money, measures, counts and their units. Called by
`candidates.py`."""

import re
from collections.abc import Sequence
from typing import Any

from toolplanner_core.llm.offline import render, tables
from toolplanner_core.llm.offline.mentions import Mention
from toolplanner_core.llm.offline.roles import Slot
from toolplanner_core.llm.offline.texts import Offer, Text


def offer_currency(slot: Slot, schema: Any, text: Text) -> Offer:
    found = text.of("money", "currency")
    codes = [(m.unit if m.kind == "money" else m.value, m) for m in found]
    if {"coin", "coins", "crypto", "cryptocurrency"} & set(slot.words):
        yield from (code for code, _ in codes if code in tables.coins())
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


def offer_amount(slot: Slot, _schema: Any, text: Text) -> Offer:
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


def offer_unit(slot: Slot, _schema: Any, text: Text) -> Offer:
    measures = text.of("measure")
    wanted = [
        match[1].lower()
        for match in re.finditer(
            r"\b(?:in|to|into|as|many|much)\s+(?:degrees\s+)?([A-Za-z°/]+)", text.text
        )
        if match[1].lower() in tables.units()
    ]
    if slot.side != "to":
        for mention in measures:
            yield re.sub(r"^[\d.,\s-]+", "", mention.text).removeprefix("degrees ").lower()
            yield from render.unit_forms(mention.unit)
    if slot.side != "from":
        for said in wanted:
            unit = tables.units()[said]
            if slot.side == "" or unit not in [mention.unit for mention in measures]:
                yield from (said, *render.unit_forms(unit))


_METRES = {"metre": 1.0, "kilometre": 1000.0, "mile": 1609.344, "foot": 0.3048, "yard": 0.9144}


def offer_radius(slot: Slot, schema: Any, text: Text) -> Offer:
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


def offer_weight(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (m.value for m in text.of("measure") if m.unit in _MASSES)


def offer_height(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (m.value for m in text.of("measure") if m.unit in _LENGTHS)


def offer_age(_slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (m.value for m in text.of("measure") if m.unit == "year")
    for match in re.finditer(r"\b(?:age|aged|i am|i'm)\s+(?:of\s+|is\s+)?(\d{1,3})\b", text.text):
        yield int(match[1])


def offer_limit(_slot: Slot, _schema: Any, text: Text) -> Offer:
    for mention in text.of("number"):
        leads = {
            "top",
            "first",
            "best",
            "nearest",
            "closest",
            "latest",
            "last",
            "next",
            "limit",
            "cheapest",
            "newest",
            "most",
        }
        if mention.preposition in leads or mention.unit in leads or mention.unit.endswith("s"):
            yield mention.value


def offer_page(_slot: Slot, _schema: Any, text: Text) -> Offer:
    for match in re.finditer(r"\bpage\s+(?:number\s+)?(\d{1,6})", text.text.lower()):
        yield int(match[1])
