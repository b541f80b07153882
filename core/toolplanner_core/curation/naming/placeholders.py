"""Groups of APIs that somebody published to try something out: "hello", "asd: asdasd".

A thirtieth of the toolkits of a crawled catalogue is such; any word of them would be taken for a
subject. Called by `toolkit_names.py`.
"""

from collections.abc import Iterator, Sequence

from toolplanner_core.curation.naming.joining import some_of
from toolplanner_core.curation.naming.phrase_cutting import action_stem, plain
from toolplanner_core.curation.naming.phrases import IN_DESCRIPTION, PhraseBook
from toolplanner_core.curation.naming.titles import titles_of
from toolplanner_core.words.stop_words import FUNCTION_WORDS, GENERIC, read_words
from toolplanner_core.words.word_splitting import identifier_words
from toolplanner_core.workspace.catalogue import ApiText

TESTS = "Test and sample APIs"
TEST_WORDS = ("test", "demo", "sample", "example", "hello", "dummy", "playground", "tutorial")
"""Beginnings of words that whoever tries something out writes."""
_PLACEHOLDERS = frozenset(map(action_stem, read_words("placeholders")))
_ALL, _MOST = 0.75, 0.5
"""Where so many members say nothing, the others are too few for a name; where so many are tests,
all are told to be."""
_SHORTEST, _SENTENCE = 3, 3
"""Letters of a word that tells something; so many words say something though nobody else uses
them."""


def placeholder_names(
    book: PhraseBook, apis: Sequence[ApiText], members: Sequence[int]
) -> Iterator[str]:
    """Names for a group of tries, the best first; none if it is none."""
    if not say_nothing(book, members):
        return
    if are_tests(apis, members) or _are_scribbles(book, apis, members):
        titles = titles_of(book, members)
        yield from (f"{TESTS}: {told}" for told in some_of(titles))
        yield TESTS


def say_nothing(book: PhraseBook, members: Sequence[int]) -> bool:
    """Whether nearly all say nothing that the titles of their tools do not say."""
    return sum(not _says_something(book, i) for i in members) >= _ALL * len(members)


def are_tests(apis: Sequence[ApiText], members: Sequence[int]) -> bool:
    """Whether most members were published to try something out."""
    tests = 0
    for i in members:
        text = plain(apis[i].description)
        is_sentence = len(text.split()) >= _SENTENCE
        # "Get the details of a test" is about tests, and none.
        own = "" if is_sentence else f"{plain(apis[i].name)} {text}"
        said = f"{plain(apis[i].tool)} {own}"
        runs = identifier_words(said, frozenset())
        tests += any(word.lower().startswith(TEST_WORDS) for run in runs for word in run)
    return tests >= _MOST * len(members)


def _are_scribbles(book: PhraseBook, apis: Sequence[ApiText], members: Sequence[int]) -> bool:
    """Whether most have a word or two for a description that nobody uses."""
    scribbles = 0
    for i in members:
        is_sentence = len(plain(apis[i].description).split()) >= _SENTENCE
        title = book.titles[book.tools[i]]
        is_odd = bool(_new_words(book, i)) or not _tells(book, title)
        # A tool that is called by an emoji may be anything.
        is_odd = is_odd and any(letter.isalnum() for letter in title)
        scribbles += is_odd and not is_sentence and bool(apis[i].description.strip())
    return scribbles > _MOST * len(members)


def _says_something(book: PhraseBook, api: int) -> bool:
    """Whether an API's own name or description has a word that people use and its tool's title has
    not, or a few that nobody uses."""
    new = _new_words(book, api)
    return any(_is_telling(book, word) for word in new) or len(new) >= _SENTENCE


def _new_words(book: PhraseBook, api: int) -> set[str]:
    """Stems of an API's name and description that its tool's title has not."""
    own = book.weights_of(api, with_tool=False)
    said = {key[0] for key, weight in own.items() if len(key) == 1 and weight >= IN_DESCRIPTION}
    return said.difference(book.title_stems[book.tools[api]], _PLACEHOLDERS)


def _tells(book: PhraseBook, title: str) -> bool:
    """Whether a title has a word that people or other tools use."""
    return any(_is_telling(book, word) for word in book.stems_of(title))


def _is_telling(book: PhraseBook, word: str) -> bool:
    if not word.isascii():
        return True
    is_said = word not in _PLACEHOLDERS and word not in FUNCTION_WORDS | GENERIC
    return len(word) >= _SHORTEST and is_said and book.is_known(word)
