"""Dates and times that a text offers, in the form a schema asks for. Called by `candidates.py`."""

import re
from collections.abc import Iterator
from datetime import date, time
from typing import Any

from toolplanner_core.llm.offline import render
from toolplanner_core.llm.offline.roles import Slot
from toolplanner_core.llm.offline.texts import Offer, Text


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


def offer_date(slot: Slot, schema: Any, text: Text) -> Offer:
    for day, at in _spans(slot, text):
        said = [at] if at is not None else [mention.value for mention in text.of("time")]
        moment = said[0] if said and slot.role == "datetime" else at
        yield from render.date_forms(day, moment, schema, slot.role)


def offer_time(_slot: Slot, _schema: Any, text: Text) -> Offer:
    for mention in text.of("time"):
        yield mention.value.strftime("%H:%M")
    for mention in text.of("date"):
        if mention.value.at is not None:
            yield mention.value.at.strftime("%H:%M")


def offer_year(slot: Slot, _schema: Any, text: Text) -> Offer:
    yield from (day.year for day, _ in _spans(slot, text))
    for mention in text.of("number"):
        if re.fullmatch(r"(?:19|20)\d\d", mention.text):
            yield int(mention.text)


def offer_month(slot: Slot, schema: Any, text: Text) -> Offer:
    for day, _ in _spans(slot, text):
        yield day.month if "yyyy" not in render.text_of(schema) else day.strftime("%Y-%m")
        yield f"{day.month:02d}"


def offer_days(_slot: Slot, _schema: Any, text: Text) -> Offer:
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
