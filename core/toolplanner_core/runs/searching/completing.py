"""What the last word of a search over runs may become while it is typed."""

import re
from collections.abc import Sequence

from toolplanner_core.runs.searching.query import DATE_FIELDS, TEXT_FIELDS, values_of
from toolplanner_core.workspace.run_search import AMOUNTS

_WORD = re.compile(r'(?:[^\s"]|"[^"]*(?:"|$))+')


def last_word(text: str) -> str:
    """The word or field at the end that is being typed, with its open quotes."""
    word = ""
    for found in _WORD.finditer(text):
        word = found.group() if found.end() == len(text) else ""
    return word


def completions(text: str, *, toolkits: Sequence[str], strategies: Sequence[str]) -> list[str]:
    """What the last word of a search may become: names of fields, and values where they are known.

    Args:
        toolkits: names of the workspace's toolkits.
        strategies: ids of strategies that runs used.
    """
    word = last_word(text)
    name, colon, begun = word.partition(":")
    if not word:
        return []
    if not colon:
        marked = [f"{field}:" for field in (*TEXT_FIELDS, *DATE_FIELDS)]
        marked += [f"{field}>" for field in AMOUNTS]
        return [field for field in marked if field.startswith(word.lower())]
    known = {"toolkit": toolkits, "strategy": strategies}.get(name.lower(), values_of(name.lower()))
    start = begun.strip('"').casefold()
    fitting = [value for value in known if value.casefold().startswith(start)]
    return [f'{name}:"{v}"' if " " in v else f"{name}:{v}" for v in fitting]
