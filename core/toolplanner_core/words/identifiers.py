"""Split names of every style into words: `getUserById`, "get_user-by.id", "/users/{id}"."""

import re
from functools import lru_cache

_BREAKS = re.compile(
    r"(?<=[a-z0-9])(?=[A-Z])"  # getUser -> get User
    r"|(?<=[A-Z])(?=[A-Z][a-z]{2})"  # HTTPServer -> HTTP Server, but not userIDs -> user I Ds
)
_HAS_SPACE = re.compile(r"\s")
_PATH_VARIABLE = re.compile(r"[{<:]([A-Za-z_]\w*)[}>]?")
_VERSION = re.compile(r"(?:^|(?<=[/\s_.-]))v\d+(?:\.\d+)*(?=[/\s_.-]|$)", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\W_]+")


def split_words(name: str) -> str:
    """The words of a name, joined by single spaces; letters keep their case and script.

    A name with blanks was written for people and keeps its capitals: "Send WhatsApp message".
    """
    if not _HAS_SPACE.search(name):
        name = _BREAKS.sub(" ", name)
    return _SEPARATORS.sub(" ", name).strip()


@lru_cache(maxsize=64)  # the APIs of a tool share its title
def words_of_title(title: str) -> str:
    """The words of a tool's title: "YouTube" stays, "FreePlanWithLimit" is taken apart."""
    broken = len(_BREAKS.findall(title))
    return split_words(title) if broken != 1 else _SEPARATORS.sub(" ", title).strip()


def words_of_path(name: str) -> str:
    """The words of an API's name; paths lose version parts, variables become "by id"."""
    if "/" not in name:
        return split_words(name)
    # Taken apart before the blanks of "by" make it look like a name for people.
    named = _PATH_VARIABLE.sub(r"/by/\1/", _VERSION.sub("/", name))
    return split_words(named) or split_words(name)


def search_form(name: str) -> str:
    """A name for the full-text index: as written, then in words where that differs.

    The tokenizer splits at punctuation but not inside `getUserById`; with both forms people find
    it by "user" and by the exact name.
    """
    broken = _BREAKS.sub(" ", name)
    return name if broken == name else f"{name} {broken}"
