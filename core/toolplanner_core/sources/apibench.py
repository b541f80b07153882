"""Read APIBench's model cards: JSON lines of models on PyTorch Hub, TensorFlow Hub, Hugging Face.

A card says what a model does, the line of Python that loads it, and its arguments in whatever form
its author chose. Found by the registry of sources.

Source: Gorilla, arXiv 2305.15334, and its published `data/api`.
"""

from collections.abc import Generator
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.options.option import NoOptions
from toolplanner_core.sources.documents import decode, items_of, json_kind
from toolplanner_core.sources.files import Member, walk
from toolplanner_core.sources.identity import ApiIds, make_api
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.loose_parameters import loose_parameters
from toolplanner_core.sources.source import Record, Rejected, Sample, SourcePlugin
from toolplanner_core.sources.text_cleaning import clean_line, clean_text

_MARKS = ("api_name", "api_call", "domain", "framework")


def recognises(sample: Sample) -> float:
    """How many of the first documents are cards, or lists of them."""
    return sample.share(lambda document: any(map(_is_card, _cards(document)[:20])))


def read(location: Location, options: NoOptions, *, source: str) -> Generator[Record]:  # noqa: ARG001 - every source has options
    """All cards of a file, folder or zip."""
    ids = ApiIds(source)
    for member in walk(location):
        if not isinstance(member, Member):
            yield member
            continue
        for item in items_of(decode(member.data), where=member.where, name=member.parts[-1]):
            if isinstance(item, Rejected):
                yield item
                continue
            for card in _cards(item.value):
                yield _read_card(card, item.where, ids, source)


def _cards(document: Any) -> list[Any]:
    return document if isinstance(document, list) else [document]


def _is_card(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(mark), str) for mark in _MARKS)


def _read_card(card: Any, where: str, ids: ApiIds, source: str) -> Api | Rejected:
    if not isinstance(card, dict):
        return Rejected(where=where, why=f"a card is an object, this is {json_kind(card)}")
    name, call = clean_line(card.get("api_name")), clean_line(card.get("api_call"))
    if not name or not call:
        return Rejected(where=where, why="the card has no name or no call")
    framework = clean_line(card.get("framework")) or "models"
    domain, task = clean_line(card.get("domain")), clean_line(card.get("functionality"))
    words = [task, clean_text(card.get("description")), f"Call: {call}"]
    return make_api(
        ids.next(category=domain, tool=framework, name=name, method="", url=call),
        source=source,
        key="/".join(filter(None, (domain, framework, name.replace("/", "_")))),
        category=domain,
        tool=framework,
        name=name,
        description="\n\n".join(filter(None, words)),
        parameters=loose_parameters(card.get("api_arguments")),
    )


PLUGIN = SourcePlugin(
    id="apibench",
    title="APIBench model cards",
    description="Models on PyTorch Hub, TensorFlow Hub and Hugging Face, one card each.",
    accepts="JSON lines of APIBench's model cards (api_name, api_call, domain, framework)",
    options=NoOptions,
    recognises=recognises,
    read=read,
    order=40,
)
