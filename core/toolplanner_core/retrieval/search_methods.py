"""By what a workspace is searched, in words for people: by words always, by meaning once there are
vectors, and then in the way of the embedder that made them. Asked by the search field.
"""

from typing import NamedTuple

from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting

BY_WORDS = "By words: APIs whose documentation holds words of the search."


class SearchMethods(NamedTuple):
    """What a search finds by.

    Attributes:
        words: "words and meaning", or "words".
        explained: a line for each, with what the embedder in use takes for meaning.
    """

    words: str
    explained: str


ONLY_WORDS = SearchMethods("words", f"{BY_WORDS}\nBy meaning once the catalogue is prepared.")


def search_methods(workspace: Workspace) -> SearchMethods:
    """By what this workspace is searched now."""
    active: str | None = get_setting(workspace, "active_embedder")
    if not active:
        return ONLY_WORDS
    kind = active.partition("@")[0].partition(":")[0]
    plugin = next((each for each in embedders if each.id == kind), None)
    if plugin is None:
        lost = f"Not by meaning: the embedder {kind} is not installed here."
        return SearchMethods("words", f"{BY_WORDS}\n{lost}")
    line = "By meaning: APIs near to it that hold other words, if any API holds one of its words."
    how = f"{plugin.title}: {plugin.finds or plugin.description}"
    return SearchMethods("words and meaning", "\n".join((BY_WORDS, line, how)))
