"""By what a workspace is searched, in words: true for each embedder."""

from toolplanner_core.embedding.embedder import embedders
from toolplanner_core.retrieval.search_methods import ONLY_WORDS, search_methods
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import set_setting


def test_ways_when_nothing_is_prepared_then_words_only(workspace: Workspace) -> None:
    assert search_methods(workspace) == ONLY_WORDS
    assert ONLY_WORDS.words == "words"


def test_ways_of_each_embedder_say_what_it_takes_for_near(workspace: Workspace) -> None:
    for plugin in embedders:
        set_setting(workspace, "active_embedder", f"{plugin.id}@3f9a")
        ways = search_methods(workspace)
        assert ways.words == "words and meaning"
        assert plugin.finds
        assert ways.explained.endswith(f"{plugin.title}: {plugin.finds}")


def test_ways_when_the_embedder_is_not_installed_then_words_only(workspace: Workspace) -> None:
    set_setting(workspace, "active_embedder", "gone:name@3f9a")
    ways = search_methods(workspace)
    assert ways.words == "words"
    assert "the embedder gone is not installed" in ways.explained
