"""A text to take values from, and what its mentions offer by their shape. Called by `offers.py`."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from toolplanner_core.llm.offline.mentions import Mention, sided
from toolplanner_core.llm.offline.tables import table


class Text(NamedTuple):
    """A text to take values from: the goal of the step, or the whole query."""

    text: str
    mentions: tuple[Mention, ...]
    now: datetime
    roles: set[str]
    """Roles of all parameters of the API."""
    known: frozenset[str]
    """Stems of the API's own words."""

    def of(self, *kinds: str, side: str = "") -> list[Mention]:
        """Mentions of these kinds for one side, in order of place."""
        return sided([mention for mention in self.mentions if mention.kind in kinds], side)

    def shaped(self, role: str, side: str = "") -> Iterator[Any]:
        """What can be told by its shape alone, as the row of a role in `roles.json` says: a kind of
        mention, those of a kind that match a pattern, or groups of a pattern over the text."""
        for spec in table("roles")[role].get("takes", ()):
            kind, _, shape = spec.partition("=")
            if kind == "text":
                yield from (match[1] for match in re.finditer(shape, self.text))
            for mention in self.of(kind, side=side):
                if kind == "measure" or not shape:
                    if re.fullmatch(shape or ".*", mention.unit):
                        yield mention.value
                elif re.fullmatch(shape, mention.text.strip("\"'“”‘’")):
                    yield mention.text.strip("\"'“”‘’")


Offer = Iterator[Any]
