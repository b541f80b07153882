"""Queries made of the catalogue's own words: what APIs of a tool are called and say they do, asked
for as a person would.

They bring pairs about tools that no labelled query is about, and cost nothing. They are learned
from, never tested on: a model that is good at its own templates proves nothing.
"""

import random
import re
from collections.abc import Sequence

from toolplanner_core.workspace.labelled_documents import StoredDocument

MADE = ".made"
"""The source of such queries; files are named without what follows a dot."""
_BEGINNINGS = (
    "",
    "",
    "",
    "I'm working on a project about {about}. ",
    "My company needs help with {about}. ",
    "I am planning something for my family. ",
    "I'm curious about {about}. ",
    "My friends and I are interested in {about}. ",
)
_FIRST = (
    "Can you {what}?",
    "Could you please {what}?",
    "Please {what}.",
    "I need to {what}.",
    "I want you to {what}.",
)
_NEXT = (
    "Also, {what}.",
    "Additionally, I would like to {what}.",
    "Moreover, can you {what}?",
    "Furthermore, please {what}.",
    "And {what}.",
)
_GIVE = ("give me ", "provide ", "find ", "tell me ", "fetch ")
_GIVE_THE = ("give me the ", "provide information on ", "find the ", "show me ", "tell me about ")
_ORDER = re.compile(
    r"(get|fetch|retrieve|find|search|list|provide|show|check|create|delete|update|send|convert"
    r"|generate|calculate)\b"
)
_SAYS_WHAT_IT_DOES = re.compile(
    r"((this )?(endpoint|api)\s+)?(will\s+)?(returns?|gets?|retrieves?|provides?|lists?|finds?"
    r"|fetch(es)?|allows? you to|with this endpoint you can)\s+"
)
_APIS_OF_A_TOOL = (1, 1, 2, 2, 3)
_MOST_WORDS = (8, 12, 20)
_BY_DESCRIPTION = 0.75
"""Share of needs that are said by the description, not the name."""
_NAMES_TOOL = 0.2


def made_queries(
    documents: Sequence[StoredDocument], count: int, *, seed: int
) -> list[tuple[str, list[str]]]:
    """At most so many queries, each about one tool, with the keys of the APIs that answer it."""
    drawn = random.Random(seed)
    of_tool: dict[str, list[StoredDocument]] = {}
    for document in documents:
        of_tool.setdefault(document.tool, []).append(document)
    tools = sorted(of_tool)
    drawn.shuffle(tools)
    found: list[tuple[str, list[str]]] = []
    for tool in tools:
        if len(found) >= count:
            break
        number = min(len(of_tool[tool]), drawn.choice(_APIS_OF_A_TOOL))
        chosen = drawn.sample(of_tool[tool], number)
        needs = [need for need in (_need(each.text, drawn) for each in chosen) if need]
        if len(needs) == len(chosen):
            about = _about(tool)
            begins = drawn.choice(_BEGINNINGS).format(about=about) if about else ""
            asked = [
                drawn.choice(_NEXT if place else _FIRST).replace("{what}", need)
                for place, need in enumerate(needs)
            ]
            found.append((begins + " ".join(asked), [each.key for each in chosen]))
    return found


def _about(tool: str) -> str:
    """The category of a tool (`StoredDocument.tool`) in words."""
    _, category, *_ = (*tool.split("/"), "")
    return category.replace("_", " ").casefold()


def _need(text: str, drawn: random.Random) -> str:
    """What an API does as something that is wanted; "" where its text does not say it in ASCII.

    Args:
        text: "Tool: name. Description."
    """
    tool, _, rest = text.partition(": ")
    name, _, description = rest.partition(". ")
    sentence = re.split(r"(?<=[.!?])\s", description.strip())[0]
    is_said = len(sentence.split()) > 2 and drawn.random() < _BY_DESCRIPTION
    words = re.sub(r"[_\-/]+", " ", sentence if is_said else name).strip().rstrip(".").split()
    use = " ".join(words[: drawn.choice(_MOST_WORDS)])
    if not use or not use.isascii():
        return ""
    low = use[0].lower() + use[1:]
    if does := _SAYS_WHAT_IT_DOES.match(low.lower()):
        low = drawn.choice(_GIVE) + low[does.end() :]
    elif not _ORDER.match(low.lower()):
        low = drawn.choice(_GIVE_THE) + low
    return f"{low} with {tool.strip()}" if drawn.random() < _NAMES_TOOL else low
