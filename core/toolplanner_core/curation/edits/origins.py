"""How the set of APIs of an edit was found, in words."""

from collections.abc import Mapping
from typing import Any

from toolplanner_core.words.wording import one_line

_HOW = {
    "lasso": "chosen with the lasso",
    "rectangle": "chosen with the rectangle",
    "click": "chosen by clicking",
    "search": "found by the search “{text}”",
    "regex": "found by the expression “{text}”",
    "neighbours": "grown by neighbours",
    "similar": "found as similar",
    "toolkit": "a whole toolkit",
    "toolkits": "whole toolkits",
    "list": "chosen in the list",
    "saved": "the saved selection “{name}”",
    "steps": "chosen in several steps",
    "drop": "dropped on the toolkit",
    "staging tray": "from the staging tray",
    "split": "split by {method}",
    "text": "split by likeness to “{text}”",
    "decisions file": "from a decisions file",
    "proposal": "a proposal that was accepted",
    "review": "from the review queue",
}


def origin_in_words(origin: Mapping[str, Any]) -> str:
    """How the set of an edit was found: "found by the search “currency”"; "" if unknown."""
    pattern = _HOW.get(str(origin.get("by", "")))
    if pattern is None:
        return str(origin.get("by", ""))
    known = {key: one_line(str(value), 60) for key, value in origin.items()}
    try:
        return pattern.format(**known)
    except KeyError:
        return pattern.split("“")[0].strip()
